"""Motions that no body can follow: a prescribed position or speed that jumps within the run is refused, at its place in the file."""

import mechanisms
import pytest

import mbsim
from mbsim.model.file.errors import ModelError

MODEL = """
name: driven
dimension: 2
parameters: {{w: 0.3, T: 2.0}}
tables: {{lift: {{points: [[0, 0], [1, 1], [2, 0.5], [3, 1], [4, 0]]}}}}
bodies: {{b: {{mass: 1, inertia: 1}}}}
joints: {{O: {{type: revolute, bodies: [ground, b], at: [0, 0]}}}}
drivers:
  motor: {{joint: O, {key}: "{law}"}}
simulation: {{end: 4, step: 1e-2}}
"""
JUMPS = [
    ("angle", "abs(t - 0.5)", "speed", 0.5, 29),
    ("angle", "1 + max(0, t - 1)", "speed", 1, 33),
    ("angle", "ramp(t)", "speed", 0, 29),
    ("angle", "abs(sin(3*t))", "speed", 1.04719755, 29),
    ("angle", "if_else(t < 1, t, 1)", "speed", 1, 29),
    ("angle", "if_else(t < 1, lift(t), lift(1))", "speed", 1, 29),
    ("angle", "if_else(t < 1 and t > 0.5, 0.1*t, 0)", "position", 0.5, 29),
    ("angle", "2*step(t - 1)", "position", 1, 31),
    ("angle", "sign(t - T)", "position", 2, 29),
    ("angle", "pulse(t - 1, 1e-6)", "position", 1, 29),
    ("angle", "0.1*floor(2*t)", "position", 0.5, 33),
    ("angle", "round(t)", "position", 0.5, 29),
    ("angle", "atan2(sin(3*t), cos(3*t))", "position", 1.04719755, 29),
    ("speed", "step(t - 1)", "speed", 1, 29),
    ("speed", "sign(sin(t))", "speed", 3.14159265, 29),
]
SMOOTH = [
    ("angle", "sin(t)"),
    ("angle", "step(t, 1, 0, 1.0001, 1)"),
    ("angle", "step(t, 0, 0, T, 1)"),
    ("angle", "max(0, t - 1)^2"),
    ("angle", "if_else(t < 1, t^2/2, t - 0.5)"),
    ("angle", "abs(sin(w*t))"),
    ("angle", "abs(sin(3*t))^3"),
    ("angle", "abs(t^2 - 1)*(t^2 - 1)"),
    ("angle", "min(t, 5)"),
    ("angle", "abs(t + 1)"),
    ("angle", "0*ceil(t)"),
    ("angle", "if_else(t >= 0, t, 0)"),
    ("angle", "if_else(t < T, 0*lift(t), 0)"),
    ("angle", "max(t^2, 0)"),
    ("speed", "abs(t - 0.5)"),
    ("speed", "if_else(t < 1, t, 1)"),
]


@pytest.mark.parametrize(("key", "law", "what", "time", "column"), JUMPS)
def test_a_jump_is_refused(key: str, law: str, what: str, time: float, column: int) -> None:
    """With the first time at which it jumps, at the function that chooses between the cases."""
    with pytest.raises(ModelError) as caught:
        mechanisms.model(MODEL.format(key=key, law=law))
    message = f"the {what} that is prescribed jumps at t = {time:.9g} s, which no body can follow"
    assert str(caught.value.problems[0]).startswith(f"model.yaml:9:{column}: drivers.motor.{key}: {message}")


@pytest.mark.parametrize(("key", "law"), SMOOTH)
def test_what_does_not_jump_runs(key: str, law: str) -> None:
    """Cases that fit together, jumps outside of the run, and jumps of the acceleration only."""
    model = mechanisms.model(MODEL.format(key=key, law=law))
    assert model.drivers["motor"].laws()[0][0] == key


def test_lengths_and_couplings_are_motions_too() -> None:
    source = """
name: m
dimension: 2
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, position: [1, 0]}}
joints: {d: {type: distance, bodies: [a, b], at: [[0, 0], [1, 0]], length: 1 + abs(t - 1)}}
constraints: {c: {type: speed_coupling, terms: {der(a.angle): 1}, value: step(t - 1)}}
simulation: {end: 4}
"""
    with pytest.raises(ModelError) as caught:
        mechanisms.model(source)
    assert [problem.path for problem in caught.value.problems] == ["joints.d.length", "constraints.c.value"]
    assert mbsim.simulate(mechanisms.model(source.replace("end: 4", "end: 0.5"))).time[-1] == 0.5
