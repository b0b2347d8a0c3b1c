"""One kernel decides of contacts in space with friction, as the plain way does: what touches, slips, rolls, stands on several feet."""

from typing import Any

import mechanisms
import pytest
from deciding import decide_both_ways

import mbsim

BALL = """
name: a ball with spin that bounces, slides and rolls
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ball:
    {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.4], velocity: [2, 1, 0], angular_velocity: [3, -20, 5],
     shape: {type: sphere, radius: 0.1}}
contacts:
  floor:
    {bodies: [ball, ground], plane: {normal: [0, 0, 1]}, friction: 0.3, static: 0.36, restitution: 0.6, closing_speed: 0.05,
     rolling_resistance: 0.002, drilling_resistance: 0.001}
forces: {push: {type: force, body: ball, value: [3*sin(3*t), 2*cos(2*t), 0]}}
simulation: {method: lagrange, integrator: dop853, output_step: 0.02, end: 2, impacts: events}
"""
BLOCK = """
name: a block on four corners that is pushed ever more
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  block:
    mass: 1
    inertia: [0.01, 0.02, 0.025]
    position: [0, 0, 0.05]
    points: {a: [-0.2, -0.1, -0.05], b: [0.2, -0.1, -0.05], c: [0.2, 0.1, -0.05], d: [-0.2, 0.1, -0.05]}
contacts: {floor: {bodies: [block, ground], plane: {normal: [0, 0, 1]}, points: [a, b, c, d], friction: 0.4}}
forces: {push: {type: force, body: block, value: [7*sin(3*t), 2*sin(2*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 1.5, impacts: events}
"""
BOX = """
name: a box that topples
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  box: {mass: 1, inertia: [0.03, 0.03, 0.005], position: [0, 0, 0.3], angular_velocity: [0.2, 2.1, 0],
        shape: {type: box, size: [0.2, 0.2, 0.6]}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 0, 1]}, friction: 0.7, restitution: 0.1}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 0.5, impacts: events}
"""
CASES: dict[str, Any] = {"ball": BALL, "block": BLOCK, "box": BOX}


@pytest.mark.parametrize("case", CASES)
def test_the_kernel_decides_as_the_plain_way(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also which of the feet of a block carry it, of which Python tried 256 combinations at each event."""
    counts = decide_both_ways(monkeypatch)
    result = mbsim.simulate(mechanisms.model(CASES[case]))
    assert counts["decided"] >= 5 and not counts["left"]
    assert {"impact", "slips"} & {event["do"] for event in result.events}
