"""One kernel decides of contacts with friction, as the plain way does, which stays for what the kernel leaves to it."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from deciding import decide_both_ways
from test_dominoes import _row
from test_gap_contacts import WOODPECKER

import mbsim
import mbsim.march.unilateral
from mbsim.march.unilateral import Modes

DISKS = """
name: disks with spin that meet
dimension: 2
gravity: [0, -9.81]
bodies:
  one:
    {mass: 1, inertia: 0.004, position: [0, 0.5], velocity: [2, 0], angular_velocity: 30,
     shape: {type: cylinder, radius: 0.1, length: 0.02}}
  two: {mass: 2, inertia: 0.008, position: [0.6, 0.1], shape: {type: cylinder, radius: 0.1, length: 0.02}}
contacts:
  floor: {bodies: [one, two, ground], plane: {normal: [0, 1]}, friction: 0.3, static: 0.4, restitution: 0.5, closing_speed: 0.05}
  pair: {between: [one, two], friction: 0.2, restitution: 0.7}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 1.5, impacts: events}
"""
BOX = """
name: a box that slides, tilts and falls back
dimension: 2
gravity: [0, -9.81]
bodies: {box: {mass: 1, inertia: 0.0333, position: [0, 0.3], velocity: [2.5, 0], shape: {type: box, size: [0.2, 0.6, 0.1]}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, friction: 0.5, restitution: 0.1}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 1, impacts: events}
"""
CRATE = """
name: a crate on two feet, which is pushed until it tips
dimension: 2
gravity: [1.5, -9.81]
bodies: {box: {mass: 1, inertia: 0.02, position: [0, 0.2], points: {l: [-0.2, -0.2], r: [0.2, -0.2]}}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, points: [l, r], friction: 1.5}}
forces: {push: {type: force, body: box, value: [12*t, 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
LOADED = """
name: an arm with a slider, which rub by what loads them
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}, bob: {mass: 0.5, inertia: 0.01, position: [1.2, 0]}}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0], friction: {coefficient: 0.3, radius: 0.05, static: 0.4}}
  slide:
    {type: prismatic, bodies: [arm, bob], at: [1.2, 0], axis: [1, 0], friction: {coefficient: 0.2, length: 0.3},
     stops: {lower: -0.4, upper: 0.3, restitution: 0.5}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 1, impacts: events}
"""


def by(text: str, **settings: Any) -> dict[str, Any]:
    """A model with other settings."""
    read: dict[str, Any] = yaml.safe_load(text)
    read["simulation"] |= settings
    return read


CASES = {
    "disks": DISKS,
    "disks by Poisson's law": by(DISKS, impact_law="poisson"),
    "box": BOX,
    "crate": CRATE,
    "loaded joints": LOADED,
    "woodpecker": by(WOODPECKER, rtol=1e-7, atol=1e-10),
    "boxes that knock each other over": by(_row(2), end=0.25),
}


@pytest.mark.parametrize("case", CASES)
def test_the_kernel_decides_as_the_plain_way(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = decide_both_ways(monkeypatch)
    result = mbsim.simulate(mechanisms.model(CASES[case]))
    assert counts["decided"] >= 5 and counts["left"] <= counts["decided"] // 4
    assert {"impact", "slips"} & {event["do"] for event in result.events}


def test_the_motion_is_that_of_the_plain_way(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mechanisms.model(DISKS)
    result = mbsim.simulate(model)
    monkeypatch.setattr(mbsim.march.rough_contacts, "are_decided", lambda each, simultaneous: False)
    plain = mbsim.simulate(model)
    assert [(event["event"], event["do"]) for event in result.events] == [(event["event"], event["do"]) for event in plain.events]
    np.testing.assert_allclose(result["q"], plain["q"], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("case", ["disks", "boxes that knock each other over"])
def test_the_kernel_tells_the_sides_that_python_tells(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of corners that are behind two sides of a polygon: before, units refused these."""
    told, kernel = list[int](), Modes.set_sides

    def both(modes: Modes, work: Any) -> None:
        before = work.events.copy()
        kernel(modes, work)
        mine = work.events.copy()
        work.events[:] = before
        modes._telling.set_sides(modes.decided, work.events)
        np.testing.assert_array_equal(mine, work.events)
        told.append(int((mine != before).sum()))

    monkeypatch.setattr(Modes, "set_sides", both)
    mbsim.simulate(mechanisms.model(CASES[case]))
    assert len(told) > 5 and max(told) > 0
