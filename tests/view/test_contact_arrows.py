"""The forces of rigid contacts as arrows: they accelerate the bodies as Newton's and Euler's laws ask, and act where both bodies are.

Every pair of shapes that a contact knows is there, at rest and while it slips. Distances are those of own formulas.
"""

import json
from math import cos, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.kernels.primitives import FLAT as FLAT_SINE
from mbsim.scene import motion
from mbsim.scene.meetings import KINDS
from mbsim.scene.pressures import pressures
from mbsim.scene.read import parse, scene_of
from mbsim.view.results import ResultsPage, Shown

SPACE = """
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.005, 0.005, 0.005], position: [0, 0.1*0.2/sqrt(1.04), 0.1/sqrt(1.04)], velocity: [2, 1, -0.2]}
  box: {mass: 1, inertia: [0.005, 0.005, 0.005], position: [2, 0, 0.1],
    points: {a: [0.1, 0.1, -0.1], b: [-0.1, 0.1, -0.1], c: [0, -0.1, -0.1]}}
forces: {push: {type: force, body: box, value: [1, 0.5, 0]}}
contacts:
  slope: {bodies: [ball, ground], plane: {normal: [0, 0.2, 1]}, friction: 0.3, radius: 0.1}
  floor: {bodies: [box, ground], plane: {normal: [0, 0, 1]}, points: [a, b, c], friction: 0.3}
simulation: {end: 0.2, output_step: 0.05}
"""
PLANE = """
dimension: 2
gravity: [0, -9.81]
parameters: {mu: 0.2}
bodies:
  table: {mass: 5, inertia: 1, position: [0, -1], angle: 0.3}
  block: {mass: 2, inertia: 0.01, position: [-0.05*sin(0.3), 0.05*cos(0.3)], angle: 0.3, points: {a: [-0.2, -0.05], b: [0.2, -0.05]}}
joints: {fixed: {type: fixed, bodies: [ground, table], at: [0, -1]}}
contacts: {floor: {bodies: [block, table], plane: {through: [0, 0], normal: [-sin(0.3), cos(0.3)]}, points: [a, b], friction: mu}}
simulation: {end: 0.2, output_step: 0.05}
"""
G = 9.81
R, HALF = 0.1, 0.15  # of what falls
SPHERE = {"type": "sphere", "radius": R}
CAPSULE = {"type": "capsule", "radius": R, "length": 2 * HALF}
CYLINDER = {"type": "cylinder", "radius": R, "length": 2 * HALF}
BOX = {"type": "box", "size": [0.3, 0.24, 0.2]}
LYING = {"axis": [1, 0, 0], "angle": "deg(90)"}
OBLIQUE = {"axis": [1, 0.4, 0.2], "angle": 0.9}
GROUND = {"type": "box", "size": [2, 2, 1], "position": [0, 0, -0.5]}  # its upper face is at z = 0
RIDGE = {"type": "box", "size": [0.4, 2, 0.4], "position": [0, 0, -0.2 * 2**0.5], "rotation": {"axis": [0, 1, 0], "angle": "deg(45)"}}
PIPE = {"type": "capsule", "radius": 0.2, "length": 2, "position": [0, 0, -0.2], "rotation": LYING}  # along y
STUMP = {"type": "convex", "vertices": [[1, 1, 0], [-1, 1, 0], [1, -1, 0], [-1, -1, 0], [0.2, 0.1, -0.5]]}
WEDGE = {"type": "convex", "vertices": [[0, -1, 0], [0, 1, 0], [0.3, -1, -0.5], [0.3, 1, -0.5], [-0.2, -1, -0.5], [-0.2, 1, -0.5]]}
PRISM = {"type": "plate", "polygon": [[0.15, 0], [-0.1, 0.12], [-0.1, -0.12]], "thickness": 0.2}
BARREL = {"type": "cylinder", "radius": 0.2, "length": 2, "position": [0, 0, -0.2], "rotation": LYING}
COLUMN = {"type": "cylinder", "radius": 0.2, "length": 1, "position": [0, 0, -0.5]}
STONE = {"type": "sphere", "radius": 0.3, "position": [0, 0, -0.3]}
# What falls, how it is turned, where its centre is above z = 0, and what of the ground it meets.
PAIRS: dict[str, tuple[dict[str, Any], Any, list[float], dict[str, Any] | str]] = {
    "sphere on a plane": (SPHERE, OBLIQUE, [0, 0, R], "plane"),
    "capsule on a plane": (CAPSULE, LYING, [0, 0, R], "plane"),
    "cylinder on a plane": (CYLINDER, LYING, [0, 0, R], "plane"),
    "box on a plane": (BOX, None, [0, 0, 0.1], "plane"),
    "sphere on a sphere": (SPHERE, OBLIQUE, [0.02, 0, R - 0.0005], STONE),
    "sphere in a hole": (SPHERE, OBLIQUE, [0.02, 0, R + 0.0006], "hole"),
    "sphere on a box": (SPHERE, OBLIQUE, [0, 0, R], GROUND),
    "sphere on an edge": (SPHERE, OBLIQUE, [0.01, 0, R - 0.0005], RIDGE),
    "sphere on a capsule": (SPHERE, OBLIQUE, [0.01, 0.1, R - 0.0001], PIPE),
    "capsule on a sphere": (CAPSULE, LYING, [0.001, 0.02, R], STONE),
    "capsule on a box": (CAPSULE, LYING, [0, 0, R], GROUND),
    "capsule on an edge": (CAPSULE, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.01, 0, R], RIDGE),
    "capsule on a capsule": (CAPSULE, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.01, 0, R], PIPE),
    "box on a box": (BOX, None, [0.02, 0.03, 0.1], GROUND),
    "box on a corner of a box": (BOX, None, [0.9, 0.93, 0.1], GROUND),
    "box on an edge": (BOX, None, [0.01, 0, 0.1], RIDGE),
    "edge on an edge": (BOX, {"axis": [1, 0, 0], "angle": "deg(45)"}, [0.01, 0.0, 0.22 / 2**0.5], RIDGE),
    "box on a capsule": (BOX, None, [0.01, 0.02, 0.1], PIPE),
    "sphere on a polyhedron": (SPHERE, OBLIQUE, [0.01, 0.01, R], STUMP),
    "sphere on an edge of a polyhedron": (SPHERE, OBLIQUE, [0.01, 0, R - 0.0005], WEDGE),
    "capsule on a polyhedron": (CAPSULE, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.01, 0, R], WEDGE),
    "box on a polyhedron": (BOX, None, [0.02, 0.03, 0.1], STUMP),
    "box on an edge of a polyhedron": (BOX, None, [0.01, 0, 0.1], WEDGE),
    "polyhedron on a box": (PRISM, None, [0.01, 0.02, 0.1], GROUND),
    "polyhedron on a polyhedron": (PRISM, None, [0.01, 0.02, 0.1], WEDGE),
    "polyhedron on a capsule": (PRISM, None, [0.01, 0.02, 0.1], PIPE),
    "polyhedron on a sphere": (PRISM, None, [0.01, 0.02, 0.1], STONE),
    "polyhedron on a plane": (PRISM, None, [0.01, 0.02, 0.1], "plane"),
    "sphere on a barrel": (SPHERE, OBLIQUE, [0.01, 0.1, R - 0.0001], BARREL),
    "sphere on the end of a cylinder": (SPHERE, OBLIQUE, [0.01, 0.02, R], COLUMN),
    "sphere on the rim of a cylinder": (SPHERE, OBLIQUE, [0.205, 0.0, R - 0.0001], COLUMN),
    "cylinder on a sphere": (CYLINDER, LYING, [0.001, 0.02, R], STONE),
    "box on a sphere": (BOX, None, [0.01, 0.02, 0.1], STONE),
    "cylinder on a box": (CYLINDER, LYING, [0.01, 0.02, R], GROUND),
    "cylinder that stands on a box": (CYLINDER, None, [0.01, 0.02, HALF], GROUND),
    "cylinder on its rim on a box": (CYLINDER, {"axis": [1, 0, 0], "angle": 0.5}, [0, 0, R * sin(0.5) + HALF * cos(0.5)], GROUND),
    "cylinder on an edge": (CYLINDER, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.01, 0, R], RIDGE),
    "cylinder along an edge": (CYLINDER, LYING, [0.0, 0, R], RIDGE),
    "cylinder that stands on an edge": (CYLINDER, None, [0.01, 0, HALF], RIDGE),
    "box on a barrel": (BOX, None, [0.01, 0.02, 0.1], BARREL),
    "box on the end of a cylinder": (BOX, None, [0.02, 0.03, 0.1], COLUMN),
    "cylinder on a polyhedron": (CYLINDER, LYING, [0.01, 0.02, R], STUMP),
    "cylinder on an edge of a polyhedron": (CYLINDER, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.01, 0, R], WEDGE),
    "cylinder on a capsule": (CYLINDER, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.01, 0, R], PIPE),
    "cylinder that stands on a capsule": (CYLINDER, None, [0.01, 0, HALF], PIPE),
    "wheel along a capsule": ({**CYLINDER, "length": 0.02}, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.0, 0.01, R], PIPE),
    "capsule on a barrel": (CAPSULE, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.01, 0, R], BARREL),
    "capsule on the end of a cylinder": (CAPSULE, LYING, [0.01, 0.02, R], COLUMN),
    "cylinder across a barrel": (CYLINDER, {"axis": [0, 1, 0], "angle": "deg(90)"}, [0.01, 0.02, R], BARREL),
    "cylinder along a barrel": (CYLINDER, LYING, [0.0, 0.02, R], BARREL),
    "cylinder that stands on a cylinder": (CYLINDER, None, [0.02, 0.03, HALF], COLUMN),
    "cylinder on its rim on a cylinder": (CYLINDER, {"axis": [1, 0, 0], "angle": 0.5}, [0, 0, R * sin(0.5) + HALF * cos(0.5)], COLUMN),
    "cylinder that lies on a cylinder": (CYLINDER, LYING, [0.01, 0.02, R], COLUMN),
    "cylinder beside the rim of a cylinder": (CYLINDER, OBLIQUE, [0.2, -0.2, 0.1516], COLUMN),
    "cylinder that stands on a plane": (CYLINDER, None, [0, 0, HALF], "plane"),
}


def model_of(pair: str, friction: float) -> dict[str, Any]:
    shape, turn, place, below = PAIRS[pair]
    body = {"mass": 1.3, "inertia": [0.01, 0.014, 0.012], "position": place, "shape": shape}
    body |= {"velocity": [0.4, 0.3, 0], "angular_velocity": [0.2, 0.1, 0.4]}
    if turn is not None:
        body["orientation"] = turn
    law = {"friction": friction, "closing_speed": 0.05}
    made: dict[str, Any] = {"name": pair, "gravity": [0, 0, -G], "bodies": {"top": body}}
    if below == "plane":
        made["contacts"] = {"c": {"bodies": ["top", "ground"], "plane": {"normal": [0, 0, 1]}, **law}}
    elif below == "hole":
        made["contacts"] = {"c": {"bodies": ["top", "ground"], "hole": {"at": [0, 0, 0.5], "radius": 0.5}, **law}}
    else:
        made |= {"ground": {"shape": below}, "contacts": {"c": {"between": ["ground", "top"], **law}}}
    return made | {"simulation": {"end": 0.04, "output_step": 0.004, "rtol": 1e-10, "atol": 1e-11}}


def rotation(turn: dict[str, Any] | None) -> np.ndarray:
    if turn is None:
        return np.eye(3)
    axis, angle = np.array(turn["axis"], float), turn["angle"]
    angle = np.radians(float(angle[4:-1])) if isinstance(angle, str) else angle
    return np.asarray(Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix())


def depth(shape: dict[str, Any], p: np.ndarray) -> float:
    """How far a point (3,) in the axes of a shape is outside of its surface, m; below zero inside."""
    if shape["type"] == "box":
        off = np.abs(p) - 0.5 * np.array(shape["size"])
        return float(np.linalg.norm(np.maximum(off, 0.0)) + min(off.max(), 0.0))
    if shape["type"] in ("convex", "plate"):  # near it: the height above the plane of the nearest face
        points = shape.get("vertices") or [[x, y, s * shape["thickness"]] for x, y in shape["polygon"] for s in (-0.5, 0.5)]
        planes = ConvexHull(np.array(points, float)).equations
        return float((planes[:, :3] @ p + planes[:, 3]).max())
    if shape["type"] == "cylinder":
        off = np.array([np.hypot(p[0], p[1]) - shape["radius"], abs(p[2]) - 0.5 * shape["length"]])
        return float(np.linalg.norm(np.maximum(off, 0.0)) + min(off.max(), 0.0))
    end = 0.5 * shape.get("length", 0.0)
    return float(np.linalg.norm(p - [0.0, 0.0, np.clip(p[2], -end, end)])) - shape["radius"]


def of_ground(below: dict[str, Any] | str, p: np.ndarray) -> float:
    if below == "plane":
        return float(p[2])
    if below == "hole":
        return 0.5 - float(np.linalg.norm(p - [0, 0, 0.5]))
    assert isinstance(below, dict)
    return depth(below, rotation(below.get("rotation")).T @ (p - np.array(below.get("position", [0.0] * 3))))


def allowed(shape: dict[str, Any] | str, rotation: np.ndarray, normal: np.ndarray) -> float:
    """How far a place may be from a surface, m: a rim that lies nearly flat is rounded off by half a per cent of its radius."""
    if not isinstance(shape, dict) or shape["type"] != "cylinder" or np.linalg.norm(np.cross(normal, rotation[:, 2])) > FLAT_SINE:
        return 1e-7
    return 5e-3 * float(shape["radius"])


ROUND = [pair for pair in list(PAIRS)[: list(PAIRS).index("cylinder on a box")] if "polyhedron" not in pair]


@pytest.mark.parametrize("friction", [0.05, 0.0])
@pytest.mark.parametrize("pair", ROUND)
def test_every_pair_acts_where_it_touches(pair: str, friction: float) -> None:
    """Forces and their moments about the centre make the motion of the body; the place is on both, and normals point into the body."""
    check(pair, friction)


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair not in ROUND])
def test_polyhedra_and_cylinders_act_where_they_touch(pair: str) -> None:
    """With friction alone, as each model compiles laws of many pairs of edges."""
    check(pair, 0.05)


def check(pair: str, friction: float) -> None:
    result = mbsim.simulate(model_of(pair, friction))
    scene, poses = scene_of(result), motion.of_result(result)
    found = pressures(scene, poses, result)
    assert found
    force, moment = np.zeros((len(poses.times), 3)), np.zeros((len(poses.times), 3))
    top, below = PAIRS[pair][0], PAIRS[pair][3]
    for one in found:
        sign = 1.0 if one.meeting.bodies[1] == 0 else -1.0
        assert {*one.meeting.bodies} == {0, -1}
        force += sign * one.force
        moment += sign * np.cross(one.place - poses.position[:, 0], one.force)
        for k in np.flatnonzero(one.force.any(axis=1)):
            place, A = one.place[k], poses.rotation[k, 0]
            assert abs(depth(top, A.T @ (place - poses.position[k, 0]))) < allowed(top, A, one.normal[k])
            turned = rotation(below.get("rotation")) if isinstance(below, dict) else np.eye(3)
            assert abs(of_ground(below, place)) < allowed(below, turned, one.normal[k])
            assert one.force[k] @ one.normal[k] * (-1.0 if PAIRS[pair][3] == "hole" else 1.0) > 0.0
    mass, inertia = scene.bodies[0].mass, scene.bodies[0].inertia
    a = np.asarray(result["acceleration"])[poses.rows]
    np.testing.assert_allclose(force + [0, 0, -mass * G], mass * a[:, :3], atol=1e-6)
    v = np.asarray(result["v"])[poses.rows][:, 3:6]
    local = np.einsum("kji,kj->ki", poses.rotation[:, 0], moment)
    np.testing.assert_allclose(local, a[:, 3:6] @ inertia + np.cross(v, v @ inertia), atol=1e-6)


def test_every_kind_of_a_meeting_is_drawn() -> None:
    """Each word that the scene keeps of a meeting is that of a case above."""
    pairs = (
        "sphere on a plane",
        "cylinder on a plane",
        "sphere on a sphere",
        "sphere on a box",
        "capsule on a capsule",
        "cylinder on a box",
        "cylinder that stands on a cylinder",
    )
    made = [mbsim.assemble(mbsim.load_model(model_of(pair, 0.1))) for pair in pairs]
    assert {meeting.kind for each in made for meeting in parse(each.scene).meetings} == set(KINDS)


DISK = {"type": "cylinder", "radius": 0.1, "length": 0.02}
SQUARE = {"type": "box", "size": [0.3, 0.2]}
FLAT: dict[str, tuple[dict[str, Any], list[float], dict[str, Any]]] = {  # in the plane: what falls, where, and what it meets
    "disk on a line": (DISK, [0, 0.1], {"bodies": ["top", "ground"], "plane": {"normal": [0, 1]}}),
    "disk on a disk": (DISK, [0.02, 0.1], {"bodies": ["top", "ground"], "ball": {"at": [0.02, -0.3], "radius": 0.3}}),
    "disk in a hole": (DISK, [0.02, 0.1], {"bodies": ["top", "ground"], "hole": {"at": [0.02, 0.5], "radius": 0.5}}),
    "disk on the end of a line": (
        DISK, [0.3, 0.1], {"bodies": ["top", "ground"], "plane": {"normal": [0, 1], "ends": [[-0.3, 0.0], [0.3, 0.0]]}}),
    "box on a line": (SQUARE, [0, 0.1], {"bodies": ["top", "ground"], "plane": {"normal": [0, 1]}}),
    "box on the corner of a box": (SQUARE, [0.9, 0.1], {"between": ["ground", "top"]}),
    "disk on a box": (DISK, [0.1, 0.1], {"between": ["ground", "top"]}),
}  # fmt: skip


@pytest.mark.parametrize("friction", [0.05, 0.8])
@pytest.mark.parametrize("pair", FLAT)
def test_pairs_in_the_plane(pair: str, friction: float) -> None:
    shape, place, contact = FLAT[pair]
    body = {"mass": 1.3, "inertia": 0.01, "position": place, "shape": shape, "velocity": [0.1, 0], "angular_velocity": 0.3}
    made: dict[str, Any] = {"name": pair, "dimension": 2, "gravity": [0, -G], "bodies": {"top": body}}
    made["contacts"] = {"c": {**contact, "friction": friction, "closing_speed": 0.05}}
    if "between" in contact:
        made["ground"] = {"shape": {"type": "box", "size": [2, 1], "position": [0, -0.5]}}
    result = mbsim.simulate(made | {"simulation": {"end": 0.04, "output_step": 0.004}})
    scene, poses = scene_of(result), motion.of_result(result)
    found = pressures(scene, poses, result)
    assert found
    force, moment = np.zeros((len(poses.times), 3)), np.zeros((len(poses.times), 3))
    for one in found:
        sign = 1.0 if one.meeting.bodies[1] == 0 else -1.0
        force += sign * one.force
        moment += sign * np.cross(one.place - poses.position[:, 0], one.force)
    a = np.asarray(result["acceleration"])[poses.rows]
    np.testing.assert_allclose(force[:, :2] + [0, -1.3 * G], 1.3 * a[:, :2], atol=1e-6)
    np.testing.assert_allclose(moment[:, 2], 0.01 * a[:, 2], atol=1e-7)


BLOCK = {"block": [0, -2 * 9.81, 0]}


@pytest.mark.parametrize(
    ("text", "loads"),
    [(SPACE, {"ball": [0, 0, -9.81], "box": [1, 0.5, -9.81]}), (PLANE, BLOCK), (PLANE.replace("0.2}", "0.5}"), BLOCK)],
)
def test_they_make_the_accelerations(text: str, loads: dict[str, list[float]]) -> None:
    """A ball that slides and rolls, a box and a block that stick, a block that slides down a plane that is another body's."""
    result = mbsim.simulate(mbsim.load_model(text))
    scene, poses = scene_of(result), motion.of_result(result)
    found = pressures(scene, poses, result)
    size = 6 if scene.dimension == 3 else 3
    for name, load in loads.items():
        b = [body.name for body in scene.bodies].index(name)
        acting = np.array(load) + sum(one.force for one in found if one.meeting.bodies[1] == b)
        moved = scene.bodies[b].mass * result["acceleration"][:, size * b : size * b + scene.dimension]
        np.testing.assert_allclose(acting[:, : scene.dimension], moved, atol=1e-8)


def test_an_older_result_knows_planes() -> None:
    """Its contacts told rows and tangents themselves."""
    result = mbsim.simulate(mbsim.load_model(SPACE))
    scene, poses = scene_of(result), motion.of_result(result)
    data = json.loads(result.scene)
    wanted = pressures(scene, poses, result)
    told = {one["name"]: one for one in data.pop("meetings")}
    for contact in data["contacts"]:
        contact["rows"] = told[contact["name"]]["rows"]
        contact["plane"]["tangents"] = told[contact["name"]]["axes"][0][:2]
    found = pressures(parse(json.dumps(data)), poses, result)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.force, other.force, atol=1e-12)
        np.testing.assert_allclose(one.place, other.place, atol=1e-12)


def test_the_page_shows_them(server, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    mbsim.simulate(mbsim.load_model(SPACE), output=path)
    with mbsim.open_result(path) as result:
        page = ResultsPage(server, [Shown("run", scene_of(result), result, motion.of_result(result), tmp_path)])
        page.shows.switches["contact forces"].value = True
        page.shows._switched("contact forces")
        page.playback.go(2)
        arrows = server.scene.get_handle_by_name("/mechanism/contact_force").points
        found = pressures(scene_of(result), page._shown[0].poses, result)
        assert len(arrows) == 4
        forces, ways = np.array([one.force[2] for one in found]), arrows[:, 1] - arrows[:, 0]
        np.testing.assert_allclose(ways / ways[0, 2], forces / forces[0, 2], atol=1e-5)
        np.testing.assert_allclose(arrows[:, 0], [one.place[2] for one in found], atol=1e-5)


def test_a_model_without_contacts_has_no_such_switch(server, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    mbsim.simulate("pendulum", end=0.1, output=path)
    with mbsim.open_result(path) as result:
        page = ResultsPage(server, [Shown("run", scene_of(result), result, motion.of_result(result), tmp_path)])
        assert "contact forces" not in page.shows.switches
