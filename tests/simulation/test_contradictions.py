"""Models that contradict themselves, and the exact line that each gives."""

import mechanisms
import pytest

import mbsim

HEAD = "dimension: 2\nsimulation: {end: 1, step: 0.01}\n"
TRIANGLE = """bodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}
joints:
  left: {type: revolute, bodies: [ground, a], at: [0, 0]}
"""
LAID = "the start cannot be assembled: "

# model, and its errors
CASES = {
    "over-constrained by a length that does not fit": (
        HEAD + TRIANGLE + "constraints: {rod: {type: holonomic, equation: a.x^2 + a.y^2 - 4}}\n",
        [
            "model.yaml:5:9: joints.left: "
            + LAID
            + "position residuals of left[0] (0.96), rod (-0.16) remain; they contradict each other, or the start "
            "is too far off"
        ],
    ),
    "negative inertia": (
        HEAD + "bodies: {a: {mass: 1, inertia: -1}}\n",
        ["model.yaml:3:32: bodies.a.inertia: must be greater than 0 (got -1)"],
    ),
    "out of reach": (
        HEAD + TRIANGLE + "  right: {type: revolute, points: [ground, a]}\n",
        [
            "model.yaml:6:10: joints.right: "
            + LAID
            + "position residuals of right[0] (0.5), left[0] (-0.5) remain; they contradict each other, or the "
            "start is too far off"
        ],
    ),
    "driver against a fixed joint": (
        HEAD + TRIANGLE + "  weld: {type: fixed, bodies: [ground, a], at: [1, 0]}\ndrivers: {m: {joint: left, angle: t}}\n",
        [
            "model.yaml:7:14: drivers.m: "
            + LAID
            + "velocity residuals of m (-0.6), weld[2] (0.4), left[1] (-0.2), weld[1] (0.2) remain; they "
            "contradict each other"
        ],
    ),
    "driver of a fixed joint": (
        HEAD + TRIANGLE.replace("revolute", "fixed") + "drivers: {m: {joint: left, angle: t}}\n",
        ["model.yaml:6:35: drivers.m.angle: a fixed joint has no angle to drive"],
    ),
    "negative free length": (
        HEAD
        + TRIANGLE
        + "forces: {s: {type: spring_damper, bodies: [ground, a], at: [[0, 1], [1, 0]], stiffness: 1, free_length: -0.5}}\n",
        ["model.yaml:6:105: forces.s.free_length: must not be negative (got -0.5)"],
    ),
    "two bodies of one name": (
        HEAD + "bodies:\n  a: {mass: 1, inertia: 1}\n  a: {mass: 2, inertia: 1}\n",
        ["model.yaml:5:3: duplicate key 'a' (first at 4:3)"],
    ),
    "missing point": (
        HEAD + TRIANGLE + "  right: {type: revolute, points: [ground, a.tip]}\n",
        ["model.yaml:6:44: joints.right.points[1]: unknown point 'tip' of a; a has no named points"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_message_says_where_and_what(name: str) -> None:
    text, lines = CASES[name]
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.assemble(mechanisms.model(text))
    assert [str(problem) for problem in caught.value.problems] == lines
