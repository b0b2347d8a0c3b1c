"""`yaw(b)`, `pitch(b)`, `roll(b)`, `axis(b, y).z`, `angular_velocity(b).x`: in measures, outputs, laws and constraints."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.model.expressions.expression import ExpressionError, evaluate, parse
from mbsim.model.expressions.poses import AXES
from mbsim.model.file.errors import ModelError

MEASURES = {
    **{word: f"{word}(top)" for word in ("yaw", "pitch", "roll")},
    **{f"a_{a}{c}": f"axis(top, {a}).{c}" for a in AXES for c in AXES},
    **{f"w_{c}": f"angular_velocity(top).{c}" for c in AXES},
    "rate": "der(top.x) * 0 + 2 * angular_velocity( top ).z",
}
TOP = """
name: a body that tumbles
dimension: 3
bodies:
  top:
    mass: 2
    inertia: [0.1, 0.2, 0.25, 0.01, -0.02, 0.03]
    position: [0, 0, 0]
    orientation: {quaternion: [0.7, 0.3, -0.5, 0.41]}
    angular_velocity: [1.0, 3.0, -0.4]
{more}
simulation: {{end: 0.6, step: 0.01{options}}}
"""


def model(more: str = "", options: str = "") -> str:
    return TOP.replace("{{", "{").replace("}}", "}").replace("{more}", more).replace("{options}", options)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_measures_are_those_of_the_rotation(coordinates: str) -> None:
    """Against SciPy's rotations of the recorded quaternions, and the recorded angular velocity in global axes."""
    more = "measures:\n" + "\n".join(f"  {name}: {text}" for name, text in MEASURES.items())
    if coordinates == "joint":
        more += "\ncoordinates: joint\njoints: {fly: {type: free, bodies: [ground, top]}}"
    result = mbsim.simulate(mbsim.load_model(model(more)))
    w, *xyz = result["body_orientation"][:, 0].T
    turned = Rotation.from_quat(np.column_stack([*xyz, w]))
    R = turned.as_matrix()
    yaw, pitch, roll = turned.as_euler("ZYX").T
    for name, wanted in (("yaw", yaw), ("pitch", pitch), ("roll", roll)):
        np.testing.assert_allclose(result[name], wanted, atol=1e-12)
    for i, a in enumerate(AXES):
        for j, c in enumerate(AXES):
            np.testing.assert_allclose(result[f"a_{a}{c}"], R[:, j, i], atol=1e-12)
    omega = result["body_angular_velocity"][:, 0]
    for j, c in enumerate(AXES):
        np.testing.assert_allclose(result[f"w_{c}"], omega[:, j], atol=1e-12)
    np.testing.assert_allclose(result["rate"], 2.0 * omega[:, 2], atol=1e-12)
    assert result.evaluate("max(yaw(top))") == pytest.approx(yaw.max(), abs=1e-12)
    assert result.evaluate("final(angular_velocity(top).y)") == pytest.approx(omega[-1, 1], abs=1e-12)
    assert result.evaluate("final(axis(top, y).z)") == pytest.approx(R[-1, 2, 1], abs=1e-12)


def test_laws_are_those_written_out() -> None:
    """A thrust along the body's own x axis, and a torque against its turning about the vertical: the same numbers, bit by bit."""
    short = """
forces:
  thrust: {type: force, body: top, value: ["5*axis(top, x).x", "5*axis(top, x).y", "5*axis(top, x).z"]}
  brake: {type: torque, body: top, value: [0, 0, "-0.1*angular_velocity(top).z"]}
"""
    z = "(2*(top.qx*top.qz - top.qw*top.qy))*top.omega.x + (2*(top.qy*top.qz + top.qw*top.qx))*top.omega.y"
    z += " + (1 - 2*(top.qx^2 + top.qy^2))*top.omega.z"
    long = f"""
forces:
  thrust: {{type: force, body: top, value: ["5*(1 - 2*(top.qy^2 + top.qz^2))", "5*(2*(top.qx*top.qy + top.qw*top.qz))",
    "5*(2*(top.qx*top.qz - top.qw*top.qy))"]}}
  brake: {{type: torque, body: top, value: [0, 0, "-0.1*({z})"]}}
"""
    first, second = (mbsim.simulate(mbsim.load_model(model(forces))) for forces in (short, long))
    assert np.abs(first["body_position"][-1]).max() > 0.1
    np.testing.assert_allclose(first["body_position"], second["body_position"], rtol=0, atol=1e-15)
    np.testing.assert_allclose(first["body_angular_velocity"], second["body_angular_velocity"], rtol=0, atol=1e-13)


def test_a_constraint_holds_an_axis_level() -> None:
    """The body's y axis stays horizontal: its derivatives are exact, so the residual stays at round-off and no work is done."""
    more = 'constraints: {level: {type: holonomic, equation: "axis(top, y).z"}}'
    text = model(more).replace("[0.7, 0.3, -0.5, 0.41]", "[1, 0, 0.4, 0]").replace("[1.0, 3.0, -0.4]", "[0, 0.6, 0.9]")
    result = mbsim.simulate(mbsim.load_model(text))
    w, *xyz = result["body_orientation"][:, 0].T
    R = Rotation.from_quat(np.column_stack([*xyz, w])).as_matrix()
    assert np.abs(R[:, 2, 1]).max() < 1e-9
    assert np.ptp(R[:, 0, 0]) > 0.05
    np.testing.assert_allclose(result["energy_kinetic"], result["energy_kinetic"][0], rtol=1e-6)


def test_in_the_plane() -> None:
    text = """
name: rod
dimension: 2
bodies: {rod: {mass: 1, inertia: 0.1, position: [0, 0], angle: 0.3, angular_velocity: 2}}
measures: {yaw_: yaw(rod), c: "axis(rod, x).x", s: "axis(rod, x).y", m: "axis(rod, y).x", w: angular_velocity(rod).z}
simulation: {end: 0.1, step: 0.01}
"""
    result = mbsim.simulate(mbsim.load_model(text))
    angle = 0.3 + 2.0 * result.time
    for name, wanted in (("yaw_", angle), ("c", np.cos(angle)), ("s", np.sin(angle)), ("m", -np.sin(angle)), ("w", 0.0 * angle + 2.0)):
        np.testing.assert_allclose(result[name], wanted, atol=1e-12)
    for wrong in ("pitch(rod)", "axis(rod, z).x", "angular_velocity(rod).x"):
        with pytest.raises(ModelError, match="is of bodies in space"):
            mbsim.load_model(text.replace("yaw(rod)", f'"{wrong}"'))


def test_pitch_at_the_vertical_is_a_number() -> None:
    """Where an arc sine of a rounded number above 1 would be none."""
    q = {"b.qw": np.sqrt(0.5), "b.qx": 0.0, "b.qy": np.sqrt(0.5), "b.qz": 0.0}
    assert evaluate(parse("pitch(b)"), q) == pytest.approx(np.pi / 2, abs=1e-7)


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("yaw()", "yaw takes the name of a body", 3),
        ("yaw(2)", "yaw takes the name of a body", 4),
        ("yaw(a.B)", "yaw takes the name of a body", 4),
        ("yaw(a, b)", "yaw takes the name of a body", 4),
        ("axis(a).z", "axis takes the name of a body and x, y or z", 5),
        ("axis(a, w).z", "axis takes the name of a body and x, y or z", 5),
        ("1 + axis(a, y)", "axis is a vector; write axis(a, y).x, .y or .z", 4),
        ("axis(a, y).w", "axis is a vector; write axis(a, y).x, .y or .z", 0),
        ("yaw(a).x", "expected an operator before '.x'", 6),
        ("yaw(a", "'(' is never closed", 3),
        ("yaww(a)", "unknown function 'yaww'; did you mean 'yaw'?", 0),
        ("(a).x", "expected an operator before '.x'", 3),
    ],
)
def test_what_is_wrong_is_said_at_its_place(text: str, message: str, offset: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert (caught.value.message, caught.value.offset) == (message, offset)


def test_an_unknown_body_is_found_at_its_place() -> None:
    with pytest.raises(ModelError, match=r"unknown name 'tap\.q.'; did you mean 'top\.q.'"):
        mbsim.load_model(model("measures: {a: yaw(tap)}"))


def test_parameters_and_tables_may_have_these_names() -> None:
    """Models that were written before these functions stay what they are."""
    text = """
name: screw
dimension: 2
parameters: {pitch: 2, roll: pitch + 1}
tables: {yaw: {points: [[0, 0], [1, 3]], interpolation: linear}}
bodies: {rod: {mass: roll, inertia: 0.1, position: [0, 0]}}
measures: {a: yaw(0.5) + pitch}
simulation: {end: 0.01, step: 0.01}
"""
    found = mbsim.load_model(text)
    assert found.bodies["rod"].mass == 3.0
    assert mbsim.simulate(found)["a"][0] == pytest.approx(3.5)
