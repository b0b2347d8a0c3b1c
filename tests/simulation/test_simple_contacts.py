"""One kernel decides of stops, contacts without friction and given friction: as the general way does, which is for all friction."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml

import mbsim
import mbsim.march.unilateral
from mbsim.march.simple_contacts import Simple, are_simple, are_tried

ROW = """
name: sliders in a row
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [0, 0], velocity: [3, 0]}
  b: {mass: 2, inertia: 1, position: [1, 0]}
  c: {mass: 1, inertia: 1, position: [2, 0]}
joints:
  p: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0], stops: {lower: -0.5, restitution: 0.7}}
  q: {type: prismatic, bodies: [a, b], at: [0.5, 0], axis: [1, 0], stops: {lower: -0.4}}
  r:
    {type: prismatic, bodies: [b, c], at: [1.5, 0], axis: [1, 0],
     stops: {lower: -0.3, upper: 0.5, restitution: 0.3}, friction: {force: 0.5, static: 0.8}}
forces:
  push: {type: force, body: c, value: [-9*cos(2*t), 0]}
  lead: {type: force, body: a, value: [0.7, 0]}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
CRANKS = """
name: parallel cranks with redundant stops
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.0833, position: [0, 0.5]}
  b: {mass: 1, inertia: 0.0833, position: [1, 0.5]}
  bar: {mass: 1, inertia: 0.0833, position: [0.5, 1]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0], stops: {lower: -0.6, upper: 0.7, restitution: 0.2}}
  q: {type: revolute, bodies: [ground, b], at: [1, 0], stops: {lower: -0.6, upper: 0.7, restitution: 0.2}}
  r: {type: revolute, bodies: [a, bar], at: [0, 1]}
  s: {type: revolute, bodies: [bar, b], at: [1, 1]}
forces: {push: {type: joint_torque, joint: p, value: 25*sin(4*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
TRAIN = """
name: two blocks that are pushed together by a force that turns
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [0, 0]}
  b: {mass: 1, inertia: 1, position: [1, 0]}
  c: {mass: 1, inertia: 1, position: [2, 0]}
joints:
  p: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}
  q: {type: prismatic, bodies: [a, b], at: [0.5, 0], axis: [1, 0], stops: {lower: 0}}
  r: {type: prismatic, bodies: [b, c], at: [1.5, 0], axis: [1, 0], stops: {lower: 0}}
forces: {push: {type: force, body: c, value: [-9*cos(2*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""


def many(count: int = 6) -> str:
    """Sliders in a row, each between two stops: there are too many to try all that they may do, and few touch at one time."""
    bodies = [f"  b{k}: {{mass: {1 + k % 2}, inertia: 1, position: [{k}, 0], velocity: [{2 - k}, 0]}}" for k in range(count)]
    before = ["ground", *(f"b{k}" for k in range(count))]
    stops = "stops: {lower: -0.1, upper: 0.15, restitution: 0.6}"
    joints = [f"  j{k}: {{type: prismatic, bodies: [{before[k]}, b{k}], at: [{k}, 0], axis: [1, 0], {stops}}}" for k in range(count)]
    push = f"forces: {{push: {{type: force, body: b{count - 1}, value: [-9*cos(5*t), 0]}}}}"
    settings = "simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 0.25, impacts: events}"
    return "\n".join(["dimension: 2", "bodies:", *bodies, "joints:", *joints, push, settings])


def by(text: str, **settings: Any) -> dict[str, Any]:
    """A model with other settings."""
    read: dict[str, Any] = yaml.safe_load(text)
    read["simulation"] |= settings
    return read


CASES = {"row": ROW, "in turn": by(ROW, simultaneous=False), "poisson": by(ROW, impact_law="poisson"), "redundant": CRANKS, "many": many()}


@pytest.mark.parametrize("case", CASES)
def test_the_kernel_decides_as_the_general_way(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same events at the same times, with the same impulses, and as unique."""
    model = mechanisms.model(CASES[case])
    result = mbsim.simulate(model)
    monkeypatch.setattr(mbsim.march.rough_contacts, "are_tried", lambda each: False)
    general = mbsim.simulate(model)
    assert {"impact", *(["closed", "open"] if case != "many" else [])} <= {event["do"] for event in result.events}
    assert len(result.events) == len(general.events)
    for event, wanted in zip(result.events, general.events, strict=True):
        assert [event.get(key) for key in ("event", "do", "unique")] == [wanted.get(key) for key in ("event", "do", "unique")]
        assert event["time"] == pytest.approx(wanted["time"], abs=1e-9)
        assert event.get("impulses", {}) == pytest.approx(wanted.get("impulses", {}), rel=1e-7, abs=1e-9)
    np.testing.assert_allclose(result["q"][-1], general["q"][-1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("general", [False, True])
def test_efforts_that_vanish_together_open_together(general: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a train of blocks: before, each closed the other anew, and the run stopped. Then c moves alone."""
    if general:
        monkeypatch.setattr(mbsim.march.rough_contacts, "are_tried", lambda each: False)
    result = mbsim.simulate(mechanisms.model(TRAIN))
    opened = {event["event"]: event["time"] for event in result.events if event["do"] == "open"}
    assert opened.keys() >= {"q_lower", "r_lower"} and opened["r_lower"] == pytest.approx(np.pi / 4, abs=1e-9)
    k, after = int(np.searchsorted(result.time, 1.0 - 1e-9)), 1.0 - np.pi / 4
    b, c = (result["q"][k, result.labels("coordinate").index(name)] for name in ("b.x", "c.x"))
    assert b - 1.0 == pytest.approx(-0.75 - 1.5 * after, abs=1e-8)
    assert c - 2.0 == pytest.approx(-0.75 + 3.0 * after + 2.25 * np.cos(2.0), abs=1e-8)


def test_the_kernel_leaves_what_touches_at_one_time_and_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eleven blocks on stops there are 2048 ways to be open and closed."""
    bodies = [f"  b{k}: {{mass: 1, inertia: 1, position: [{k}, 0]}}" for k in range(11)]
    joints = [f"  j{k}: {{type: prismatic, bodies: [ground, b{k}], at: [{k}, 0], axis: [0, 1], stops: {{lower: 0}}}}" for k in range(11)]
    left, settle = list[bool](), Simple.settle

    def counted(self: Simple, *given: Any) -> Any:
        left.append((found := settle(self, *given)) is None)
        return found

    monkeypatch.setattr(Simple, "settle", counted)
    settings = "simulation: {method: lagrange, integrator: rk4, step: 0.01, end: 0.05, impacts: events}"
    made = mbsim.assemble("\n".join(["dimension: 2", "gravity: [0, -9.81]", "bodies:", *bodies, "joints:", *joints, settings]))
    assert made.unilaterals is not None and not are_simple(made.unilaterals.each) and are_tried(made.unilaterals.each)
    result = mbsim.simulate(made)
    assert left == [True]
    assert [event["do"] for event in result.events] == ["closed"] * 11
    np.testing.assert_allclose(np.asarray(result["q"])[:, 1::3], 0.0, atol=1e-12)
