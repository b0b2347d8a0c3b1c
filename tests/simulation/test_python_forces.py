"""Forces whose law is a Python function: the same run as with the law in the file, in every kind of coordinates."""

from typing import Any

import numpy as np
import pytest

import mbsim

ARM = """
name: arm
dimension: 3
gravity: [0, 0, -9.81]
coordinates: joint

parameters: {target: deg(40), kp: 60, kd: 8}

bodies:
  upper: {density: 600, shape: {type: capsule, radius: 0.04, length: 0.5}, position: [0, 0, 0.25]}
  lower: {density: 600, shape: {type: capsule, radius: 0.03, length: 0.4}, position: [0, 0, 0.7]}

joints:
  shoulder: {type: revolute, bodies: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0]}
  elbow:    {type: revolute, bodies: [upper, lower], at: [0, 0, 0.5], axis: [0, 1, 0]}

states:
  error: {rate: target - shoulder.angle, start: 0}

forces:
  shoulder_motor: {type: joint_torque, joint: shoulder, value: "kp*(target - shoulder.angle) - kd*der(shoulder.angle) + 40*error"}
  elbow_motor:    {type: joint_torque, joint: elbow, value: "-kp*elbow.angle - kd*der(elbow.angle)"}
  friction:       {type: joint_friction, joint: elbow, viscous: 0.1}

simulation:
  end: 4
"""
BLOCK = {
    "dimension": 3, "gravity": [0, 0, -9.81],
    "bodies": {"block": {"mass": 2.0, "inertia": [0.1, 0.2, 0.3], "position": [0, 0, 1], "angular_velocity": [0.3, 0, 1]}},
    "joints": {"line": {"type": "point_on_line", "bodies": ["ground", "block"], "at": [0, 0, 1], "axis": [1, 0, 0]}},
    "forces": {"push": {"type": "force", "body": "block", "at": [0.1, 0, 1], "value": ["3*sin(5*t)", "-2*block.x", "1.5"]}},
    "simulation": {"end": 0.3, "step": 2e-3, "method": "svd", "integrator": "rk4"},
}  # fmt: skip
SPRING = {
    "coordinates": ["x"], "parameters": {"m": 2.0}, "energy": {"kinetic": "m/2*der(x)^2"}, "initial": {"x": 0.1},
    "forces": {"push": {"type": "generalized", "coordinate": "x", "value": "-40*x + t"}},
    "simulation": {"end": 0.3, "step": 2e-3, "method": "svd", "integrator": "rk4"},
}  # fmt: skip


def shoulder(t: float, q: Any, v: Any) -> float:
    """The controller of the template, with the state that integrates its error."""
    return 60.0 * (np.deg2rad(40.0) - q[0]) - 8.0 * v[0] + 40.0 * q[2]


CASES = {
    "joint coordinates with a state": (ARM, "shoulder_motor", shoulder, {"end": 0.3, "step": 2e-3}),
    "a vector on a body in space": (BLOCK, "push", lambda t, q, v: (3.0 * np.sin(5.0 * t), -2.0 * q[0], 1.5), {}),
    "own coordinates": (SPRING, "push", lambda t, q, v: -40.0 * q[0] + t, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_run_is_that_of_the_law(case: str) -> None:
    source, name, function, settings = CASES[case]
    model = mbsim.load_model(source)
    expected = mbsim.simulate(model, **settings)
    found = mbsim.simulate(model, forces={name: function}, **settings)
    assert np.abs(found["q"] - expected["q"]).max() < 1e-13
    assert found.names() == expected.names() and found.labels("force_element") == expected.labels("force_element")
    assert np.abs(found.select("force", name) - expected.select("force", name)).max() < 1e-12
    assert np.abs(found["energy_work"] - expected["energy_work"]).max() < 1e-12
    assert found.parameters == expected.parameters


def test_tangents_are_differences() -> None:
    """Of a system with such a force, also along its states."""
    from mbsim.assembly import assemble_with

    model = mbsim.load_model(ARM)
    exact, made = mbsim.assemble(model).system, assemble_with(model, {"shoulder_motor": shoulder}).system
    rng = np.random.default_rng(0)
    state = 0.0, rng.standard_normal(3), rng.standard_normal(2), rng.standard_normal(2)
    expected, found = exact.tangents(*state), made.tangents(*state)
    assert expected.exact and not found.exact
    for name in ("K", "D", "h_x", "x_d", "x_x"):
        assert np.abs(getattr(found, name) - getattr(expected, name)).max() < 1e-7, name


@pytest.mark.parametrize(
    ("forces", "error", "said"),
    [
        ({"shoulder": shoulder}, ValueError, "the model has no force 'shoulder'"),
        ({"friction": shoulder}, ValueError, "the force 'friction' has no key `value`"),
        ({"shoulder_motor": 3}, TypeError, "must be a function of t, q and v (got int)"),
        ({"shoulder_motor": lambda t, q, v: [1.0, 2.0]}, mbsim.SimulationError, "returned 2 numbers, expected 1"),
        ({"shoulder_motor": lambda t, q, v: 1 / 0}, mbsim.SimulationError, "ZeroDivisionError"),
    ],
)
def test_mistakes(forces: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error) as found:
        mbsim.simulate(ARM, forces=forces, end=0.1)
    assert said in str(found.value)


def test_functions_need_the_model() -> None:
    with pytest.raises(ValueError, match="go with a model"):
        mbsim.simulate(mbsim.assemble(mbsim.load_model(ARM)), forces={"shoulder_motor": shoulder})


def test_a_function_at_samples_and_one_without_act_together() -> None:
    text = """
name: slider
dimension: 2
bodies: {slider: {mass: 2, inertia: 0.1}}
joints: {rail: {type: prismatic, bodies: [ground, slider], at: [0, 0], axis: [1, 0]}}
forces: {load: {type: joint_torque, joint: rail, value: 0}, wind: {type: joint_torque, joint: rail, value: 0}}
simulation: {end: 1}
"""
    found = mbsim.simulate(text, forces={"load": mbsim.sampled(lambda t, q, v: 2.0, 0.1), "wind": lambda t, q, v: 1.0})
    assert found["slider.x"][-1] == pytest.approx(3.0 / 2.0 / 2.0, rel=1e-8)
