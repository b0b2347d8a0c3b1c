"""A, B, C, D of `mbsim linearize` against closed forms, in both coordinates."""

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.analyses.statespace import state_space

G = 9.81

ROD = """
name: rod
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 2, inertia: 0.3, position: [0, PLACE], points: {tip: [0, 0.1]}}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
forces: {damper: {type: rotational_spring_damper, joint: O, stiffness: 0, damping: DAMPING}}
measures: {lean: O.angle, height: rod.tip.y, across: rod.tip.x, load: joint_force.O.x}
simulation: {end: 1}
"""


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_inputs_and_outputs_of_a_pendulum(coordinates: str) -> None:
    source = f"coordinates: {coordinates}" + (
        ROD.replace("PLACE", "-0.5")
        .replace("DAMPING", "0.4")
        .replace("forces: {", "forces: {push: {type: force, body: rod.tip, value: [0, 0]}, ")
    )
    source = source.replace("forces: {", "forces: {motor: {type: joint_torque, joint: O, value: 0.1*sin(t)}, ")
    made = mbsim.assemble(mechanisms.model(source))
    found = state_space(made, ["force:motor", "force:push.x"], ["measure:across", "measure:load", "measure:lean"])
    J, k, arm = 0.3 + 2 * 0.25, 2 * G * 0.5, 0.4  # the tip is 0.4 m below O, so that its force turns by 0.4
    f = np.array([0.1, 0.5, 3.0])
    s = 2j * np.pi * f
    angle = 1.0 / (J * s**2 + 0.4 * s + k)
    expected = np.array([
        [arm * angle, arm * arm * angle],
        [2 * 0.5 * s**2 * angle, 2 * 0.5 * s**2 * arm * angle - 1.0],
        [angle, arm * angle],
    ])  # fmt: skip
    close(found.response(f), np.moveaxis(expected, 2, 0), atol=1e-9)
    assert found.input_units == ["N m", "N"] and found.output_units == ["m", "N", "rad"]


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_cable_as_an_input_pulls_along_all_of_its_strands(coordinates: str) -> None:
    """A weight on each side of a pulley: both are pulled up, and the axle carries twice the tension. The force itself is an output."""
    source = f"""
name: lift
dimension: 2
coordinates: {coordinates}
bodies:
  left: {{mass: 5, inertia: 1, position: [-0.4, 0]}}
  right: {{mass: 4, inertia: 1, position: [0.4, 1]}}
  pulley: {{mass: 1, inertia: 0.1, position: [0, 3]}}
joints:
  A: {{type: prismatic, bodies: [ground, left], at: [-0.4, 0], axis: [0, 1]}}
  B: {{type: prismatic, bodies: [ground, right], at: [0.4, 1], axis: [0, 1]}}
  C: {{type: revolute, bodies: [ground, pulley], at: [0, 3]}}
forces:
  rope: {{type: pulley_cable, value: 40 + 3*rate, path: [left, {{center: pulley, radius: 0.4, wraps: clockwise}}, right]}}
measures: {{pull: force_effort.rope, axle: joint_force.C.y, up: der(der(left.y)), other: der(der(right.y))}}
simulation: {{end: 1}}
"""
    if coordinates == "joint":
        source = source.replace("der(left.y)", "der(A.displacement)").replace("der(right.y)", "der(B.displacement)")
    wanted = {"pull": 1.0, "axle": 2.0, "up": 1 / 5, "other": 1 / 4}
    found = state_space(mbsim.assemble(mechanisms.model(source)), ["force:rope"], [f"measure:{name}" for name in wanted], "start")
    close(found.D[:, 0], list(wanted.values()), atol=1e-10)


def test_a_force_on_an_own_coordinate_is_an_input_and_an_output() -> None:
    """Its value grows by the input, and so does what a measure makes of it."""
    source = """
name: slider
coordinates: [x]
parameters: {e: 0.3}
energy: {kinetic: der(x)^2}
forces: {push: {type: generalized, coordinate: x, value: e - x}}
measures: {effort: force_effort.push, square: force_effort.push^2, rate: der(der(x))}
simulation: {end: 1}
"""
    found = state_space(
        mbsim.assemble(mechanisms.model(source)), ["force:push"], ["measure:effort", "measure:square", "measure:rate"], "start"
    )
    close(found.D[:, 0], [1.0, 0.6, 0.5], atol=1e-10)
    close(found.C[:, 0], [-1.0, -0.6, -0.5], atol=1e-10)


def test_the_effort_of_a_driver_is_an_input() -> None:
    source = ROD.replace("PLACE", "-0.5").replace("DAMPING", "0") + "drivers: {servo: {joint: O, angle: 0.3}}\n"
    found = state_space(mbsim.assemble(mechanisms.model(source)), ["driver:servo"], ["rod.angle"])
    J, k = 0.3 + 2 * 0.25, 2 * G * 0.5 * np.cos(0.3)
    s = 2j * np.pi * 0.7
    close(found.response(np.array([0.7]))[0, 0, 0], 1.0 / (J * s**2 + k), atol=1e-12)


def test_the_forces_of_contacts_are_no_inputs() -> None:
    """They follow from the motion: `force:floor_1` was taken, and gave a system of a force that is none."""
    made = mbsim.assemble("""
name: box
dimension: 2
gravity: [0, -9.81]
bodies: {b: {mass: 1, inertia: 1, position: [0, 0.5], shape: {type: box, size: [1, 1, 1]}}}
contacts: {floor: {bodies: [b, ground], plane: {normal: [0, 1]}, friction: 0.3}}
forces: {push: {type: force, body: b, value: [0, 0]}}
simulation: {end: 1}
""")
    with pytest.raises(ValueError, match="'floor_1' is a stop, a contact or dry friction"):
        state_space(made, ["force:floor_1"], ["b.x"])
    with pytest.raises(ValueError, match=r"unknown force 'flor_1', or one without a value to add to; allowed: push, push\.x, push\.y"):
        state_space(made, ["force:flor_1"], ["b.x"])


def test_a_coordinate_does_not_follow_an_input_at_once() -> None:
    """Its part of D was round-off, 2e-14, of a coordinate that is not zero: the weights of differences do not add up to nothing."""
    text = (
        "dimension: 2\nbodies: {b: {mass: 2, inertia: 0.1, position: [0.3, -1.049]}}\nsimulation: {end: 1}\n"
        "forces: {s: {type: spring_damper, bodies: [ground, b], at: [[0.3, 0], [0.3, -1.049]], stiffness: 400}, "
        "push: {type: force, body: b, value: [0, 0]}}\n"
    )
    found = mbsim.linearize(text, inputs=["force:push"], outputs=["b.y"])
    assert (found.D == 0.0).all()
    assert np.abs(found.B).max() == pytest.approx(0.5)
