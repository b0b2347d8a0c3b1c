"""What events set put onto the constraints by kernels, against `mbsim.diagnosis.consistent`: held, redundant and contradicting."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from test_unit_events import CART, LOOPED, TWICE_HELD

from mbsim.diagnosis.consistent import StartError, assemble_position, assemble_velocity
from mbsim.programs.unit import Unit, unit_of
from mbsim.system.meeting import CONTRADICTS, MET

SPATIAL = """
name: four bars in space, of which three rows are redundant
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5]}
  b: {mass: 2, inertia: [0.2, 0.1, 0.3], position: [1, 0, 1]}
  c: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2.2, 0, 0.4]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}
  q: {type: revolute, bodies: [a, b], at: [0, 0, 1], axis: [0, 1, 0]}
  r: {type: revolute, bodies: [b, c], at: [2, 0, 1], axis: [0, 1, 0]}
  s: {type: revolute, bodies: [ground, c], at: [2.4, 0, -0.2], axis: [0, 1, 0]}
events: {one: {when: t - 1, do: {set: {der(a.x): 1}}}}
simulation: {method: svd, integrator: rk4, step: 0.01, end: 1}
"""
MODELS = {"cart": CART, "loop": LOOPED, "twice held": TWICE_HELD, "space": SPATIAL}


def unit_with(name: str, targets: list[str]) -> Unit:
    """A unit whose event sets these."""
    text: dict[str, Any] = yaml.safe_load(MODELS[name])
    text["events"] = {"one": {"when": "t - 1", "do": {"set": dict.fromkeys(targets, 0)}}}
    return unit_of(mechanisms.model(text))


def met(call: Any) -> int:
    """What a kernel returns that is called as the program in C calls it."""
    return int(call.kernel(*(argument[1] for argument in call.arguments)))


SET = [
    ("cart", ["pole.angle"]), ("cart", ["cart.x", "pole.angle"]), ("loop", ["p.angle"]), ("twice held", ["rod.angle"]), ("space", ["a.x"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "targets"), SET, ids=str)
def test_positions_are_those_of_a_start(name: str, targets: list[str]) -> None:
    unit, random = unit_with(name, targets), np.random.default_rng(5)
    events, made = unit.events, unit.inside.made
    assert events is not None
    meet, system = events.ways[events.each[0].way], made.system
    assert meet.positions is not None
    held = np.zeros(system.n_v, bool)
    held[[system.speeds.index(f"der({target})") for target in targets]] = True
    for size in (1e-8, 1e-3, 0.05):
        q = made.q.copy()
        q[[system.coordinates.index(target) for target in targets]] += size * random.uniform(0.5, 1.0, len(targets))
        wanted = assemble_position(system, made.start, q, held)
        events.q[:] = q
        assert met(meet.positions) == MET
        np.testing.assert_allclose(events.q, wanted, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("name", "targets"), [(name, [f"der({target})" for target in targets]) for name, targets in SET], ids=str
)  # fmt: skip
def test_speeds_are_those_of_a_start(name: str, targets: list[str]) -> None:
    unit, random = unit_with(name, targets), np.random.default_rng(6)
    events, made = unit.events, unit.inside.made
    assert events is not None
    meet, system = events.ways[events.each[0].way], made.system
    assert meet.positions is None and meet.speeds is not None
    held = np.zeros(system.n_v, bool)
    held[[system.speeds.index(target) for target in targets]] = True
    for _ in range(3):
        v = random.normal(size=system.n_v)
        wanted = assemble_velocity(system, made.start, made.q, v, held)
        events.q[:], events.v[:] = made.q, v
        assert met(meet.speeds) == MET
        np.testing.assert_allclose(events.v, wanted, rtol=0, atol=1e-11)
        np.testing.assert_array_equal(events.v[held], v[held])


AGAINST = [("cart", ["cart.y"], 0.1), ("twice held", ["rod.x", "rod.y"], 0.3), ("loop", ["p.angle", "q.angle"], 0.2)]


@pytest.mark.parametrize(("name", "targets", "off"), AGAINST, ids=str)
def test_what_contradicts_the_constraints_is_not_met(name: str, targets: list[str], off: float) -> None:
    unit = unit_with(name, targets)
    events, made = unit.events, unit.inside.made
    assert events is not None
    meet, system = events.ways[events.each[0].way], made.system
    assert meet.positions is not None
    q, held = made.q.copy(), np.zeros(system.n_v, bool)
    q[[system.coordinates.index(target) for target in targets]] += off
    held[[system.speeds.index(f"der({target})") for target in targets]] = True
    with pytest.raises(StartError):
        assemble_position(system, made.start, q, held)
    events.q[:] = q
    assert met(meet.positions) == CONTRADICTS
