"""Contacts and drivers: C, xi and eta against central differences, slip rows against the motion of material points, in all coordinates."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block, close, derivative, random_state
from test_constraint_derivatives import LAW, check, check_at

import mbsim
from mbsim import registry
from mbsim.kernels.rotations import matrices

LAWS = {
    "point": ["0.1*sin(t) + 0.2", "t^2/7", "0.05*t - 0.4"],
    "velocity": ["0.3*cos(t)", "-0.2*t", "0.1"],
    "spin": "1.5 + 0.4*sin(2*t)",
}
PLANES = {
    "default": {},
    "oblique": {"point": [0.1, -0.2, -0.5], "normal": [0.36, 0.48, 0.8]},
    "moving": {**LAWS, "normal": [0.36, -0.48, 0.8]},
    "of a body": {"body": "b0", "point": [0.1, -0.2, -0.5], "normal": [0.36, 0.48, 0.8]},
}
LINES = {
    "default": {},
    "oblique": {"point": [0.1, -0.2], "normal": [0.6, 0.8]},
    "moving": {"point": ["0.1*sin(t) + 0.2", "t^2/7"], "normal": [-0.6, 0.8]},
    "of a body": {"body": "b0", "point": [0.1, -0.2], "normal": [0.6, 0.8]},
}
CONTACTS: dict[str, dict[int, dict[str, Any]]] = {
    "rolling_disk": {
        2: {"center": "b1.P", "radius": 0.4},
        3: {"center": "b1.P", "radius": 0.4, "axis": [0.48, -0.6, 0.64]},
    },
    "rolling_ball": {3: {"center": "b1.P", "radius": 0.4}},
    "knife_edge": {2: {"point": "b1.P", "along": [0.6, 0.8]}, 3: {"point": "b1.P", "along": [0.8, -0.6, 0.0]}},
}
CASES = [
    pytest.param(word, d, plane, id=f"{word} {d} {plane}")
    for word, dimensions in CONTACTS.items()
    for d in dimensions
    for plane in (LINES if d == 2 else PLANES)
    if not (word == "knife_edge" and d == 2 and plane != "default")
]


def contact(word: str, dimension: int, plane: str, coordinates: str = "absolute") -> dict[str, Any]:
    first, second = body_block(dimension, 0), body_block(dimension, 1)
    second["points"] = {"P": [-0.2, 0.1, 0.15][:dimension]}
    block = {"type": word, **CONTACTS[word][dimension]}
    if plane != "default" or word != "knife_edge":
        block["plane"] = (LINES if dimension == 2 else PLANES)[plane]
    joints = {}
    if coordinates == "joint":
        axis = {"axis": [0.36, 0.48, 0.8]} if dimension == 3 else {}
        joints = {"arm": {"type": "revolute", "bodies": ["ground", "b0"], "at": [0.0] * dimension, **axis}}
    return {
        "name": f"{word} on a plane: {plane}",
        "dimension": dimension,
        "coordinates": coordinates,
        "bodies": {"b0": first, "b1": second},
        "joints": joints,
        "constraints": {"c": block},
        "simulation": {"start": 0.3, "end": 1},
    }


def test_every_contact_is_here() -> None:
    equations = {"holonomic", "nonholonomic", "speed_coupling", "pulley_cable"}  # the last in test_cable_rows.py
    assert set(CONTACTS) == set(registry.names("constraints")) - equations


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(("word", "dimension", "plane"), CASES)
def test_derivatives(word: str, dimension: int, plane: str, coordinates: str) -> None:
    made = mbsim.assemble(mechanisms.model(contact(word, dimension, plane, coordinates)))
    rng = np.random.default_rng(3)
    for _ in range(5):  # not so far that a disk falls flat, where differences of such a step say nothing
        check_at(made.system, *random_state(made.system, made.q, rng, spread=0.3))
    labels = registry.leaf("constraints", word).LABELS.get(dimension)
    assert made.system.rows[-len(labels or "1") :] == ([f"c.{label}" for label in labels] if labels else ["c"])


ROUND = {
    "sphere": {"sphere": {"point": [0.1, -0.3, -0.5], "radius": 1.1}},
    "inside a sphere of a body": {"sphere": {"body": "b0", "point": [0.2, 0.1, 0.3], "radius": 1.5, "inside": True}},
    "cylinder": {"cylinder": {"point": [0.1, -0.3, -0.5], "axis": [0.6, 0.0, 0.8], "radius": 1.1}},
    "inside a cylinder of a body": {
        "cylinder": {"body": "b0", "point": [0.3, -0.3, 0.2], "axis": [0.36, 0.48, 0.8], "radius": 1.5, "inside": True}
    },
}


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("surface", ROUND)
def test_derivatives_on_curved_surfaces(surface: str, coordinates: str) -> None:
    source = contact("rolling_ball", 3, "default", coordinates)
    del source["constraints"]["c"]["plane"]
    source["constraints"]["c"] |= ROUND[surface]
    made = mbsim.assemble(mechanisms.model(source))
    rng = np.random.default_rng(3)
    for _ in range(5):
        check_at(made.system, *random_state(made.system, made.q, rng, spread=0.3))


@pytest.mark.parametrize("surface", [name for name in ROUND if "cylinder" in name])
def test_slip_on_cylinders_is_that_of_the_material_points(surface: str) -> None:
    """C v of the two slip rows has the size of the velocity of the ball's point at the contact less that of the surface's."""
    source = contact("rolling_ball", 3, "default")
    given = ROUND[surface]["cylinder"]
    del source["constraints"]["c"]["plane"]
    source["constraints"]["c"] |= ROUND[surface]
    made = mbsim.assemble(mechanisms.model(source))
    system, body, rng = made.system, source["bodies"], np.random.default_rng(5)
    r0, R0 = pose_drawn(body["b0"])
    for _ in range(4):
        t, q, v = random_state(system, made.q, rng, spread=0.3)
        (x0, A0), (x1, A1) = pose(system, q, 0), pose(system, q, 1)
        fixed = given.get("body") is None
        carried = np.eye(3) if fixed else A0 @ R0.T
        point = np.array(given["point"]) if fixed else x0 + carried @ (np.array(given["point"]) - r0)
        centre = x1 + A1 @ [-0.2, 0.1, 0.15]
        a = carried @ np.array(given["axis"]) / np.linalg.norm(given["axis"])
        away = centre - point - a @ (centre - point) * a
        n = away / np.linalg.norm(away)
        at = centre - (-0.4 if given.get("inside") else 0.4) * n
        u = v[6:9] + np.cross(A1 @ v[9:], at - x1)
        if not fixed:
            u = u - v[:3] - np.cross(A0 @ v[3:6], at - x0)
        _, _, C, xi, _, _ = system.terms(t, q, v)
        close((C @ v + xi)[1:], [a @ u, np.cross(a, n) @ u], atol=1e-9)


def pose(system: Any, q: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    return q[7 * k : 7 * k + 3], matrices(q[7 * k + 3 : 7 * k + 7])


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("word", ["rolling_disk", "rolling_ball", "knife_edge"])
def test_slip_is_that_of_the_material_points(word: str, plane: str) -> None:
    """C v + xi of the rows at velocity level = velocity of the body's point at the contact less that of the plane's, along the tangents."""
    source = contact(word, 3, plane)
    made = mbsim.assemble(mechanisms.model(source))
    system, given, body = made.system, source["constraints"]["c"].get("plane", {}), source["bodies"]
    R0, R1 = (pose_drawn(body[f"b{k}"])[1] for k in range(2))
    on_body = plane == "of a body"
    moving = plane == "moving"
    rng = np.random.default_rng(5)
    for _ in range(4):
        t, q, v = random_state(system, made.q, rng, spread=0.3)
        (_, A0), (r1, A1) = pose(system, q, 0), pose(system, q, 1)
        n0 = np.array(given.get("normal", [0.0, 0.0, 1.0]))
        x0 = np.array([1.0, 0.0, 0.0]) - n0[0] * n0
        x0 /= np.linalg.norm(x0)
        carried = A0 @ R0.T if on_body else np.eye(3)
        n, x = carried @ n0, carried @ x0
        centre = r1 + A1 @ [-0.2, 0.1, 0.15]
        y = np.cross(n, x)
        radius = 0.0 if word == "knife_edge" else 0.4
        rho = -radius * n
        if word == "rolling_disk":
            a = A1 @ R1.T @ CONTACTS[word][3]["axis"]
            rho = radius * (-n + (n @ a) * a) / np.linalg.norm(-n + (n @ a) * a)
        touch = centre + rho

        def material(s: float, k: int, touch: np.ndarray = touch, q: np.ndarray = q, v: np.ndarray = v) -> np.ndarray:
            r, A = pose(system, q, k)
            rs, As = pose(system, system.move(q, s * v), k)
            return rs + As @ A.T @ (touch - r)

        slip = derivative(lambda s: material(s, 1))
        if on_body:
            slip -= derivative(lambda s: material(s, 0))
        if moving:
            p = np.array([0.1 * np.sin(t) + 0.2, t**2 / 7, 0.05 * t - 0.4])
            w = np.array([0.1 * np.cos(t) + 0.3 * np.cos(t), 2 * t / 7 - 0.2 * t, 0.05 + 0.1])
            slip -= w + (1.5 + 0.4 * np.sin(2 * t)) * np.cross(n, touch - p)
        directions = [x, y]
        if word == "knife_edge":
            across = np.cross(n, A1 @ R1.T @ CONTACTS[word][3]["along"])
            directions = [across / np.linalg.norm(across)]
        _, _, C, xi, _, _ = system.terms(t, q, v)
        close((C @ v + xi)[1:], [e @ slip for e in directions], atol=1e-9)


def pose_drawn(body: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    axis, angle = np.array(body["orientation"]["axis"]), body["orientation"]["angle"]
    u = axis / np.linalg.norm(axis)
    K = np.cross(np.eye(3), u)
    return np.array(body["position"]), np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


DRIVERS: dict[str, tuple[int, dict[str, Any]]] = {
    "planar x": (2, {"coordinate": "b1.x", "value": LAW}),
    "planar speed": (2, {"coordinate": "der(b1.y)", "value": LAW}),
    "planar angle": (2, {"coordinate": "b1.angle", "value": LAW}),
    "planar angular speed": (2, {"coordinate": "der(b1.angle)", "value": LAW}),
    "planar point": (2, {"point": "b1.P", "x": LAW, "y": "0.3*t"}),
    "planar distance": (2, {"points": ["b0", "b1.P"], "length": f"1 + ({LAW})/9"}),
    "planar rate of a distance": (2, {"points": ["b0", "b1.P"], "speed": LAW}),
    "rate of a distance": (3, {"points": ["b1.P", "b0"], "speed": LAW}),
    "z": (3, {"coordinate": "b1.z", "value": LAW}),
    "speed": (3, {"coordinate": "der(b1.z)", "value": LAW}),
    "angular speed": (3, {"coordinate": "b1.omega.y", "value": LAW}),
    "point": (3, {"point": "b1.P", "x": LAW, "z": "0.3*t"}),
    "distance": (3, {"points": ["b0", "b1.P"], "length": f"1 + ({LAW})/9"}),
    "planar joint speed": (2, {"joint": "pin", "speed": LAW}),
    "planar slide speed": (2, {"joint": "guide", "speed": LAW}),
    "planar state of a joint": (2, {"coordinate": "der(pin.angle)", "value": LAW}),
    "joint speed": (3, {"joint": "pin", "speed": LAW}),
    "slide speed": (3, {"joint": "guide", "speed": LAW}),
    "one of two speeds": (3, {"joint": "sleeve", "coordinate": "displacement", "speed": LAW}),
    "one of two coordinates": (3, {"joint": "sleeve", "coordinate": "angle", "value": LAW}),
    "length of a rod": (3, {"joint": "rod", "length": f"1 + ({LAW})/9"}),
    "planar length of a rod": (2, {"joint": "rod", "length": f"1 + ({LAW})/9"}),
}
USED = {"pin": "revolute", "guide": "prismatic", "sleeve": "cylindrical", "rod": "distance"}


def driven(case: str, coordinates: str, cut: bool = False) -> dict[str, Any]:
    dimension, driver = DRIVERS[case]
    first, second = body_block(dimension, 0), body_block(dimension, 1)
    second["points"] = {"P": [-0.2, 0.1, 0.15][:dimension]}
    joints: dict[str, Any] = {}
    for name, word in USED.items():
        if name == driver.get("joint", "") or f"{name}." in driver.get("coordinate", ""):
            where = {"points": ["b0", "b1.P"]} if word == "distance" else {"bodies": ["b0", "b1"], "at": [0.25, 0.15, -0.3][:dimension]}
            joints[name] = mechanisms.joint_block(word, dimension, **where, **({"cut": True} if cut else {}))
    return {
        "name": case,
        "dimension": dimension,
        "coordinates": coordinates,
        "bodies": {"b0": first, "b1": second},
        "joints": joints,
        "drivers": {"d": driver},
        "simulation": {"start": 0.2, "end": 1},
    }


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("case", DRIVERS)
def test_driver(case: str, coordinates: str) -> None:
    source = driven(case, coordinates)
    check(source)
    made = mbsim.assemble(mechanisms.model(source))
    names = [f"d.{axis}" for axis in "xyz" if axis in DRIVERS[case][1]] or ["d"]
    assert [d.name for d in made.system.drivers] == names
    assert made.system.rheonomic


@pytest.mark.parametrize("dimension", [2, 3])
def test_equations_and_couplings_in_joint_coordinates(dimension: int) -> None:
    """Over states of the tree: angles, displacements, a floating body's places, quaternion and turning."""
    axis = {"axis": [0.36, 0.48, 0.8]} if dimension == 3 else {}
    turn = "b2.omega.y" if dimension == 3 else "der(b2.angle)"
    place = "b2.qx*b2.qw" if dimension == 3 else "sin(b2.angle)"
    check({
        "name": "equations in joint coordinates",
        "dimension": dimension,
        "coordinates": "joint",
        "bodies": {f"b{k}": body_block(dimension, k) for k in range(3)},
        "joints": {
            "pin": {"type": "revolute", "bodies": ["ground", "b0"], "at": [0.1] * dimension, **axis},
            "guide": mechanisms.joint_block("prismatic", dimension, bodies=["b0", "b1"], at=[0.2] * dimension),
        },
        "constraints": {
            "crank": {"type": "holonomic", "equation": f"guide.displacement - 0.3*sin(pin.angle) + 0.1*t*{place}"},
            "mixed": {"type": "nonholonomic", "equation": f"der(b2.x)*cos(pin.angle) - {turn}*b2.y + sin(t)"},
            "cage": {"type": "speed_coupling", "terms": {"der(pin.angle)": 2, "der(guide.displacement)": -0.5, turn: 1}, "value": "cos(t)"},
        },
        "simulation": {"end": 1},
    })  # fmt: skip


def everything(dimension: int) -> dict[str, Any]:
    """Contacts, equations, couplings and drivers of every level at once, with a moving plane, and joints besides."""
    bodies = {f"b{k}": body_block(dimension, k) for k in range(4)}
    axis = {"axis": [0.36, 0.48, 0.8]} if dimension == 3 else {}
    disk = {"axis": [0.48, -0.6, 0.64]} if dimension == 3 else {}
    normal = {"normal": [0.36, -0.48, 0.8]} if dimension == 3 else {"normal": [-0.6, 0.8]}
    moving = {key: value for key, value in LAWS.items() if dimension == 3 or key == "point"}
    moving["point"] = moving["point"][:dimension]
    return {
        "name": "every kind of row",
        "dimension": dimension,
        "gravity": [0.5, -9.81, 0.3][:dimension],
        "bodies": bodies,
        "joints": {
            "pin": {"type": "revolute", "bodies": ["ground", "b0"], "at": [0.1] * dimension, **axis},
            "hinge": {"type": "revolute", "bodies": ["b0", "b1"], "at": [0.7, 0.2, 0.1][:dimension], **axis},
        },
        "drivers": {"motor": {"joint": "hinge", "speed": LAW}, "push": {"point": "b3", "y": f"0.1 + ({LAW})/9"}},
        "constraints": {
            "cage": {
                "type": "speed_coupling",
                "terms": {"der(pin.angle)": 1, "der(hinge.angle)": 0.5, "der(b2.x)": -0.3},
                "value": "0.2*t",
            },
            "wheel": {"type": "rolling_disk", "center": "b2", "radius": 0.4, **disk, "plane": {**normal, **moving}},
            "curve": {"type": "holonomic", "equation": "b3.x - 1.9 + 0.2*sin(b2.y + t)"},
            "blade": {"type": "knife_edge", "point": "b3", "along": [0.6, 0.8, 0.0][:dimension]},
        },
        "simulation": {"start": 0.3, "end": 1},
    }


@pytest.mark.parametrize("dimension", [2, 3])
def test_rows_of_every_kind_in_their_order(dimension: int) -> None:
    source = everything(dimension)
    made = mbsim.assemble(mechanisms.model(source))
    joints = [row for row in made.system.rows if "[" in row]
    contacts = ["wheel.height", "wheel.slip"] if dimension == 2 else ["wheel.height", "blade.height"]
    late = ["motor", "blade"] if dimension == 2 else ["motor", "wheel.slip_x", "wheel.slip_y", "blade.across"]
    assert made.system.rows == [*joints, "push.y", *contacts, "curve", "cage", *late]
    assert made.system.rows[: made.system.n_holonomic][-1] == "curve"
    rng = np.random.default_rng(7)
    check_at(made.system, *random_state(made.system, made.q, rng, spread=0.1))
    t, q, v = made.start, made.q, made.v
    expected = mechanisms.augmented_solution(made.system, t, q, v)
    for method in mechanisms.METHODS:
        a, lam = mechanisms.evaluate(made.system, method, t, q, v)
        close(a, expected[0], atol=1e-8 * max(1.0, np.abs(expected[0]).max()))
        close(lam, expected[1], atol=1e-8 * max(1.0, np.abs(expected[1]).max()))
