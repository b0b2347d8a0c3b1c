"""Drivers and constraints that cannot be: the exact message of each."""

from typing import Any

import pytest

import mbsim
from mbsim import ModelError, registry
from mbsim.model.load import load

PLANAR = """dimension: 2
bodies:
  rod: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}
joints:
  O: {type: revolute, bodies: [ground, rod], at: [0, 0]}
"""
SPATIAL = """bodies:
  disk: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}
  cart: {mass: 1, inertia: [1, 1, 1]}
joints:
  S: {type: cylindrical, bodies: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}
  F: {type: fixed, bodies: [cart, disk], at: [0, 0, 0]}
"""
CROSS = """bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
joints:
  U: {type: universal, bodies: [ground, a], at: [0, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]}
"""
END = "simulation: {end: 1}\n"
ONE = "give exactly one of 'angle', 'displacement', 'length', 'speed' and 'value'"
DRIVERS = [
    (PLANAR, "{}", "m.yaml:7:6: drivers.d: what is driven? give 'joint', 'coordinate', 'point' or 'points'"),
    (PLANAR, "{joint: O, point: rod.B, x: t}", "m.yaml:7:6: drivers.d: a driver drives one thing (got 'joint', 'point')"),
    (PLANAR, "{joint: O}", f"m.yaml:7:6: drivers.d: {ONE}"),
    (PLANAR, "{joint: O, angle: t, speed: 1}", f"m.yaml:7:6: drivers.d: {ONE}"),
    (PLANAR, "{joint: O, x: t}", "m.yaml:7:6: drivers.d: 'x' does not go with 'joint'; here: angle, displacement, length, speed, value"),
    (
        SPATIAL,
        "{joint: S, angle1: t}",
        "m.yaml:8:17: drivers.d.angle1: unknown key 'angle1'; `coordinate: angle1` and its law as `value` drive it",
    ),
    (
        SPATIAL,
        "{joint: S, value: t}",
        "m.yaml:8:24: drivers.d.value: a cylindrical joint has more than one coordinate; give `coordinate`: angle, displacement",
    ),
    (
        PLANAR,
        "{joint: O, coordinate: angle, angle: t}",
        "m.yaml:7:6: drivers.d: 'coordinate' goes with 'value' or 'speed', not with 'angle'",
    ),
    (PLANAR, "{coordinate: rod.x}", "m.yaml:7:6: drivers.d: give 'value'"),
    (PLANAR, "{coordinate: rod.x, angle: t}", "m.yaml:7:6: drivers.d: 'angle' does not go with 'coordinate'; here: value"),
    (
        PLANAR,
        "{coordinate: rod.z, value: t}",
        "m.yaml:7:19: drivers.d.coordinate: unknown coordinate or speed 'rod.z'; did you mean 'rod.y'?",
    ),
    (
        PLANAR,
        "{coordinate: 2*rod.x, value: t}",
        "m.yaml:7:19: drivers.d.coordinate: expected the name of a coordinate or speed, not an expression (got '2*rod.x')",
    ),
    (PLANAR, "{coordinate: rod.x, value: rod.y}", "m.yaml:7:33: drivers.d.value: unknown name 'rod.y'; allowed: t"),
    (PLANAR, "{point: rod.B}", "m.yaml:7:6: drivers.d: give at least one of 'x', 'y' and 'z'"),
    (PLANAR, "{point: rod.B, z: t}", "m.yaml:7:6: drivers.d: a point of a planar body has no 'z'"),
    (PLANAR, "{points: [ground, rod.B]}", "m.yaml:7:6: drivers.d: give exactly one of 'length' and 'speed'"),
    (
        SPATIAL,
        "{coordinate: disk.qx, value: t}",
        "m.yaml:8:19: drivers.d.coordinate: a part of a quaternion cannot be driven; drive an angle of a joint, or a speed such as "
        "disk.omega.z",
    ),
    # found when the mechanism is assembled
    (
        PLANAR,
        "{points: [rod, rod.B], length: 1}",
        "m.yaml:7:15: drivers.d.points: both points belong to the same body; their distance cannot change",
    ),
    (
        PLANAR,
        "{points: [ground, rod.A], speed: 1}",
        "m.yaml:7:15: drivers.d.points: the two points coincide in the file: their distance has no direction; draw them apart",
    ),
    (
        PLANAR.replace("revolute, bodies: [ground, rod], at: [0, 0]", "distance, points: [ground, rod.B]"),
        "{joint: O, speed: 1}",
        "m.yaml:7:24: drivers.d.speed: the joint O keeps its length; in its place drive the two `points` with `speed`",
    ),
    (PLANAR, "{joint: O, length: 1}", "m.yaml:7:25: drivers.d.length: a revolute joint has no length to drive; it has: angle"),
    (SPATIAL, "{joint: F, angle: t}", "m.yaml:8:24: drivers.d.angle: a fixed joint has no angle to drive"),
    (SPATIAL, "{joint: F, speed: t}", "m.yaml:8:24: drivers.d.speed: a fixed joint has no coordinate to drive"),
    (
        SPATIAL,
        "{joint: S, speed: t}",
        "m.yaml:8:24: drivers.d.speed: a cylindrical joint has more than one coordinate; give `coordinate`: angle, displacement",
    ),
    (
        SPATIAL,
        "{joint: S, coordinate: angel, speed: t}",
        "m.yaml:8:43: drivers.d.speed: a cylindrical joint has no angel to drive; it has: angle or displacement",
    ),
    (CROSS, "{joint: U, angle: t}", "m.yaml:6:24: drivers.d.angle: a universal joint has no angle to drive; it has: angle1 or angle2"),
    (
        CROSS,
        "{joint: U, coordinate: angle3, value: t}",
        "m.yaml:6:44: drivers.d.value: a universal joint has no angle3 to drive; it has: angle1 or angle2",
    ),
    (
        CROSS,
        "{joint: U, speed: 1}",
        "m.yaml:6:24: drivers.d.speed: a universal joint has more than one coordinate; give `coordinate`: angle1, angle2",
    ),
    (
        CROSS,
        "{coordinate: U.angel1, value: t}",
        "m.yaml:6:19: drivers.d.coordinate: unknown coordinate or speed 'U.angel1'; did you mean 'U.angle1'?",
    ),
    (
        CROSS,
        "{joint: U, coordinate: angle2, value: 3 - t}",
        "m.yaml:6:6: drivers.d: at the start the angle is 3 rad, more than a quarter turn from where the file draws joint U; "
        "draw the bodies nearer to it",
    ),
]  # fmt: skip
CONSTRAINTS = [
    (SPATIAL, "{type: rolling_disk, center: disk, radius: 1}", "m.yaml:8:6: constraints.d: a rolling disk needs `axis` (dimension: 3)"),
    (
        SPATIAL,
        "{type: rolling_disk, center: disk, radius: -1, axis: [1, 0, 0]}",
        "m.yaml:8:49: constraints.d.radius: must be greater than 0 (got -1)",
    ),
    (
        SPATIAL,
        "{type: rolling_disk, center: disk, radius: 1, axis: [0, 0, 1]}",
        "m.yaml:8:6: constraints.d: the disk is drawn flat on the plane: it has no point of contact; tilt it, or use a joint",
    ),
    (
        SPATIAL,
        "{type: rolling_ball, center: disk, radius: 1, plane: {body: disk}}",
        "m.yaml:8:6: constraints.d: a ball rolls on another body than its own (got 'disk' twice)",
    ),
    (
        SPATIAL,
        "{type: rolling_ball, center: disk, radius: 1, plane: {body: cart, spin: 3}}",
        "m.yaml:8:59: constraints.d.plane: a plane of cart moves with it; only one of the ground is given functions of `t`, `velocity` "
        "or `spin`",
    ),
    (
        SPATIAL,
        "{type: rolling_ball, center: disk, radius: 1, plane: {normal: [0, 0, 0]}}",
        "m.yaml:8:68: constraints.d.plane.normal: a direction must not be the zero vector",
    ),
    (
        SPATIAL,
        "{type: rolling_ball, center: disc, radius: 1}",
        "m.yaml:8:35: constraints.d.center: unknown body 'disc'; did you mean 'disk'?",
    ),
    (
        SPATIAL,
        "{type: knife_edge, point: disk, along: [0, 0, 1]}",
        "m.yaml:8:6: constraints.d: the blade is drawn along the normal of its plane: it leaves no trace there",
    ),
    (
        SPATIAL,
        "{type: speed_coupling, terms: {disk.omega.x: 1, disk.x: 2}}",
        "m.yaml:8:62: constraints.d.terms.disk.x: unknown speed 'disk.x'; did you mean 'der(disk.x)'?",
    ),
    (SPATIAL, "{type: speed_coupling, terms: {disk.omega.x: 0}}", "m.yaml:8:51: constraints.d.terms.disk.omega.x: must not be 0"),
    (
        SPATIAL,
        "{type: speed_coupling, terms: 3}",
        "m.yaml:8:36: constraints.d.terms: expected speeds with their factors, such as {left.omega.y: 1, right.omega.y: -1} (got 3)",
    ),
    (
        SPATIAL,
        "{type: nonholonomic, equation: der(disk.x)*disk.omega.z}",
        "m.yaml:8:37: constraints.d.equation: only equations linear in the velocities can be honoured; this one is not",
    ),
    (
        PLANAR,
        "{type: rolling_ball, center: rod, radius: 1}",
        "m.yaml:7:6: constraints.d: a ball in the plane is a wheel: use rolling_disk (dimension: 2)",
    ),
    (
        PLANAR,
        "{type: rolling_disk, center: rod, radius: 1, axis: [1, 0]}",
        "m.yaml:7:6: constraints.d: a wheel in the plane turns about the normal of it: leave out `axis`",
    ),
    (
        PLANAR,
        "{type: rolling_disk, center: rod, radius: 1, plane: {spin: 1}}",
        "m.yaml:7:58: constraints.d.plane: a line has no 'velocity' and no 'spin'; give its motion by `point`, as functions of `t`",
    ),
    (
        PLANAR,
        "{type: knife_edge, point: rod, along: [1, 0], plane: {}}",
        "m.yaml:7:6: constraints.d: in two dimensions a blade moves on the plane of drawing: leave out `plane`",
    ),
]  # fmt: skip


def fault(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        mbsim.assemble(load(text, registry, file="m.yaml"))
    return str(caught.value)


@pytest.mark.parametrize(("base", "block", "message"), DRIVERS, ids=[block for _, block, _ in DRIVERS])
def test_drivers(base: str, block: str, message: str) -> None:
    assert fault(f"{base}drivers:\n  d: {block}\n{END}") == message


@pytest.mark.parametrize(("base", "block", "message"), [case for case in DRIVERS if case[0] == CROSS and "quarter" not in case[2]])
def test_drivers_of_a_universal_joint_in_joint_coordinates(base: str, block: str, message: str) -> None:
    found = fault(f"coordinates: joint\n{base}drivers:\n  d: {block}\n{END}")
    assert found == message.replace("m.yaml:6:", "m.yaml:7:")


@pytest.mark.parametrize(("base", "block", "message"), CONSTRAINTS, ids=[block for _, block, _ in CONSTRAINTS])
def test_constraints(base: str, block: str, message: str) -> None:
    assert fault(f"{base}constraints:\n  d: {block}\n{END}") == message


def test_two_drivers_of_one_coordinate() -> None:
    text = PLANAR + "drivers:\n  a: {joint: O, angle: t}\n  b: {coordinate: der(O.angle), value: 1}\n  c: {joint: O, speed: 1}\n"
    text += "  d: {coordinate: rod.x, value: 0.5}\n  e: {point: rod, x: 0.5, y: 0}\n"
    text += "  f: {points: [ground, rod.B], length: 1}\n  g: {points: [rod.B, ground], length: 1}\n"
    assert fault(text + END).splitlines() == [
        "m.yaml:8:19: drivers.b.coordinate: 'O.angle' is already driven by 'a'",
        "m.yaml:9:14: drivers.c.joint: the joint 'O' is already driven by 'a'",
        "m.yaml:11:14: drivers.e.point: 'rod.x' is already driven by 'd'",
        "m.yaml:13:15: drivers.g.points: 'ground to rod.B.length' is already driven by 'f'",
    ]


def test_driver_of_a_body_that_is_held() -> None:
    text = PLANAR.replace("revolute", "fixed") + "drivers:\n  d: {coordinate: rod.x, value: 0.5 + t}\n" + END
    message = (
        "m.yaml:5:6: joints.O: the start cannot be assembled: velocity residuals of O[0] (0.5), d (-0.5) remain; they contradict each other"
    )
    assert fault(text) == message


def test_a_contact_out_of_reach_is_named() -> None:
    text = SPATIAL.replace("cylindrical", "fixed").replace(", axis: [1, 0, 0]", "")
    text += "constraints:\n  ball: {type: rolling_ball, center: disk, radius: 0.3}\n" + END
    assert "the start cannot be assembled: position residuals of" in fault(text)
    assert "ball.height" in fault(text)


def test_every_level_of_drivers_has_its_place_in_the_references() -> None:
    source: Any = (
        PLANAR + "drivers:\n  d: {point: rod.B, y: 0.1*t}\nconstraints:\n  w: {type: rolling_disk, center: rod.B, radius: 0.1, plane: "
    )
    source += "{point: [0, -0.1]}}\n" + END
    source += "reference:\n  source: by hand\n  values:\n    - {time: 1, of: driver_effort.d.y, value: 1, tolerance: 1}\n"
    source += (
        "    - {time: 1, of: multiplier.w.height, value: 1, tolerance: 1}\n    - {time: 1, of: multiplier.w.slid, value: 1, tolerance: 1}\n"
    )
    assert "unknown name 'multiplier.w.slid'; did you mean 'multiplier.w.slip'?" in fault(source)
