"""What is wrong with a force block, in the words that the user reads."""

from typing import Any

import mechanisms
import pytest

import mbsim
from mbsim.model.file.errors import ModelError

PLANE = "plane"
SPRING = {"type": "spring_damper", "points": ["ground", "b"]}
TORSION = {"type": "rotational_spring_damper", "joint": "hinge"}
BUSHING = {"type": "bushing", "points": ["ground", "b"]}
CONTACT = {"type": "contact", "body": "b", "normal": [0, 0, 1], "stiffness": 1e4}
LIMIT = {"type": "joint_limit", "joint": "hinge", "stiffness": 100}
DIAGONAL = [1, 1, 1, 1, 1, 1]
SKEW = [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0.5], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0.4, 0, 0, 1]]
CASES: list[tuple[dict[str, Any], str]] = [
    ({**SPRING, "free_length": -0.1}, "forces.f.free_length: must not be negative (got -0.1)"),
    ({**SPRING, "value": "2*lenght"}, "forces.f.value: unknown name 'lenght'; did you mean 'length'?"),
    ({**SPRING, "value": "2*length", "stiffness": 3}, "forces.f: give either 'value' or stiffness, not both"),
    (
        {**SPRING, "value": "rate*length"},
        "forces.f.value: 'rate' is a name of this law's own and a parameter of the model; rename the parameter",
    ),
    (SPRING | {"value": "angle"}, "forces.f.value: unknown name 'angle'"),
    ({"type": "rotational_spring_damper"}, "forces.f: give either 'joint' or, in the plane, 'bodies'"),
    ({**TORSION, "bodies": ["b", "c"]}, "forces.f: give either 'joint' or, in the plane, 'bodies'"),
    (
        {"type": "rotational_spring_damper", "bodies": ["b", "c"]},
        "forces.f: two bodies have one angle in the plane only; give a 'joint', or use a bushing",
    ),
    ({**TORSION, "joint": "hing"}, "forces.f.joint: unknown joint 'hing'; did you mean 'hinge'?"),
    ({**TORSION, "joint": "ball"}, "forces.f.joint: joint ball has not one single angle; use a bushing"),
    ({**TORSION, "joint": "cross"}, "forces.f.joint: joint cross has not one single angle; give `coordinate`: angle1, angle2"),
    ({**TORSION, "coordinate": "displacement"}, "forces.f.joint: joint hinge has no angle 'displacement'; give `coordinate`: angle"),
    ({"type": "translational_spring_damper", "joint": "hinge"}, "forces.f.joint: joint hinge has not one single displacement"),
    ({"type": "joint_friction", "joint": "hinge", "coulomb": 2}, "forces.f: missing key 'transition_speed' (it goes with 'coulomb')"),
    (
        {"type": "joint_friction", "joint": "hinge", "coulomb": 2, "transition_speed": 0},
        "forces.f.transition_speed: must be greater than 0 (got 0)",
    ),
    (
        {"type": "joint_friction", "joint": "sleeve", "viscous": 1},
        "forces.f.joint: joint sleeve (cylindrical) has not one single coordinate; give `coordinate`: angle, displacement",
    ),
    ({**LIMIT, "lower": 0.2, "upper": -0.1}, "forces.f: lower must be less than upper (got 0.2 and -0.1)"),
    (LIMIT, "forces.f: give 'lower', 'upper' or both"),
    ({**LIMIT, "upper": 1, "exponent": 0.5}, "forces.f.exponent: must not be less than 1 (got 0.5)"),
    ({**LIMIT, "upper": 1, "stiffness": 0}, "forces.f.stiffness: must be greater than 0 (got 0)"),
    ({**BUSHING, "stiffness": 100}, "forces.f.stiffness: expected 6 numbers or a 6x6 matrix (got 100)"),
    ({**BUSHING, "stiffness": [1, 2, 3]}, "forces.f.stiffness: expected 6 numbers or a 6x6 matrix (got [1, 2, 3])"),
    ({**BUSHING, "stiffness": [1, 2, 3, 4, 5, "k"]}, "forces.f.stiffness[5]: unknown name 'k'; allowed: rate"),
    ({**BUSHING, "stiffness": SKEW}, "forces.f.stiffness: the matrix must be symmetric (row 3, column 6: 0.5, and 0.4 across)"),
    (
        {**BUSHING, "stiffness": [1, 1, -2, 1, 1, 1]},
        "forces.f.stiffness: the matrix must be positive semidefinite (its least eigenvalue is -2)",
    ),
    ({**BUSHING, "stiffness": DIAGONAL, "preload": [1, 2]}, "forces.f.preload: expected 6 numbers (got [1, 2])"),
    ({**BUSHING, "stiffness": DIAGONAL, "angle": 1}, "forces.f: angle: in space give 'orientation'"),
    ({"type": "bushing", "bodies": ["b", "c"], "stiffness": DIAGONAL}, "forces.f: give either 'points', or 'bodies' and 'at'"),
    ({**BUSHING, "points": ["b", "b"], "stiffness": DIAGONAL}, "forces.f: a bushing needs two different bodies (got 'b' twice)"),
    ({**CONTACT, "radius": -1}, "forces.f.radius: must not be negative (got -1)"),
    ({**CONTACT, "exponent": 0.9}, "forces.f.exponent: must not be less than 1 (got 0.9)"),
    ({**CONTACT, "friction": 0.3}, "forces.f: missing key 'transition_speed' (it goes with 'friction')"),
    ({**CONTACT, "normal": [0, 0, 0]}, "forces.f.normal: a direction must not be the zero vector"),
    ({**CONTACT, "plane": "b"}, "forces.f: a contact needs two different bodies (got 'b' twice)"),
    ({"type": "point_gravity", "body": "b", "mu": -1}, "forces.f.mu: must be greater than 0 (got -1)"),
    ({"type": "point_gravity", "body": "b", "centre": "b", "mu": 1}, "forces.f: a body does not attract itself (got 'b' twice)"),
    ({"type": "point_gravity", "body": "ground", "mu": 1}, "forces.f: a force on the ground moves nothing"),
    ({"type": "point_gravity", "body": "b", "centre": "c", "at": [0, 0, 0], "mu": 1}, "forces.f: give either 'centre' or 'at', not both"),
    (
        {"type": "drag", "body": "b"},
        "forces.f: give one of linear, quadratic, rotational_linear, rotational_quadratic",
    ),
    ({"type": "drag", "body": "b", "linear": -1}, "forces.f.linear: must not be negative (got -1)"),
    ({"type": "force", "body": "b", "axes": "bdy", "value": [1, 0, 0]}, "forces.f.axes: unknown frame 'bdy'; did you mean 'body'?"),
    ({"type": "joint_torque", "joint": "ball", "value": 1}, "forces.f.joint: joint ball (spherical) has not one single coordinate"),
    (
        {"type": "joint_torque", "joint": "hinge", "coordinate": "x", "value": 1},
        "forces.f.joint: joint hinge (revolute) has no coordinate 'x'; give `coordinate`: angle",
    ),
]
PLANAR: list[tuple[dict[str, Any], str]] = [
    ({"type": "torque", "body": "b", "axes": "body", "value": 1}, "forces.f: axes: in the plane every torque is about its normal"),
    ({**BUSHING, "stiffness": [1, 1, 1], "orientation": {"axis": [1, 0], "angle": 1}}, "forces.f: orientation: in the plane give 'angle'"),
    ({**BUSHING, "stiffness": DIAGONAL}, "forces.f.stiffness: expected 3 numbers or a 3x3 matrix (got [1, 1, 1, 1, 1, 1])"),
    (
        {"type": "rotational_spring_damper", "bodies": ["b", "b"]},
        "forces.f: a rotational_spring_damper needs two different bodies (got 'b' twice)",
    ),
]


def messages(force: dict[str, Any], dimension: int) -> list[str]:
    body = {"mass": 1, "inertia": 1 if dimension == 2 else [1, 1, 1]}
    pair: dict[str, Any] = {"bodies": ["b", "c"], "at": [0] * dimension}
    joints = {"hinge": {"type": "revolute", **pair, **({"axis": [0, 0, 1]} if dimension == 3 else {})}}
    if dimension == 3:
        joints |= {
            "ball": {"type": "spherical", **pair},
            "sleeve": {"type": "cylindrical", **pair, "axis": [0, 0, 1]},
            "cross": {"type": "universal", **pair, "axes": [[1, 0, 0], [0, 1, 0]]},
        }
    source = {
        "dimension": dimension, "parameters": {"rate": 3}, "bodies": {"b": body, "c": body}, "joints": joints, "forces": {"f": force},
        "simulation": {"end": 1},
    }  # fmt: skip
    with pytest.raises(ModelError) as error:
        mbsim.assemble(mechanisms.model(source))
    return [f"{problem.path}: {problem.message}" for problem in error.value.problems]


@pytest.mark.parametrize(("force", "message"), CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_message(force: dict[str, Any], message: str) -> None:
    assert messages(force, 3)[0].startswith(message)


@pytest.mark.parametrize(("force", "message"), PLANAR, ids=lambda x: x if isinstance(x, str) else "")
def test_message_in_the_plane(force: dict[str, Any], message: str) -> None:
    assert message in messages(force, 2)
