"""Convex polyhedra that touch each other and what is round, and balls on cylinders, against closed forms; g = 9.81 m/s2."""

from itertools import product
from math import acos, atan, cos, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.model.file.errors import ModelError

G = 9.81
CUBE = {"type": "convex", "vertices": [[x, y, z] for x, y, z in product((-0.1, 0.1), repeat=3)]}
TETRAHEDRON = {"type": "convex", "vertices": [[0.1, 0, -0.05], [-0.06, 0.08, -0.05], [-0.06, -0.08, -0.05], [0, 0, 0.1]]}
BALL = {"type": "sphere", "radius": 0.1}
LAW = {"friction": 0.5, "closing_speed": 0.02}


def body(shape: dict[str, Any], position: list[float], **more: Any) -> dict[str, Any]:
    return {"mass": 1.0, "inertia": [0.004] * 3, "position": position, "shape": shape, **more}


def on_ground(shape: dict[str, Any], top: dict[str, Any], end: float, **law: Any) -> Any:
    return mbsim.simulate({
        "name": "on the ground",
        "gravity": [0, 0, -G],
        "ground": {"shape": shape},
        "bodies": {"top": top},
        "contacts": {"c": {"between": ["ground", "top"], **LAW, **law}},
        "simulation": {"end": end},
    })  # fmt: skip


def first(result: Any, what: str) -> float:
    return float(next(line["time"] for line in result.events if line["do"] == what))


@pytest.mark.parametrize("turn", [0.0, 45.0])
def test_a_polyhedron_falls_flat_on_another_one_and_stays(turn: float) -> None:
    """A cube of eight vertices on a cube that is a box, square to it and by crossings of edges alone."""
    top = body(CUBE, [0.03 * (turn == 0.0), 0.01, 0.31], orientation={"axis": [0, 0, 1], "angle": np.radians(turn)})
    result = on_ground({"type": "box", "size": [0.2, 0.2, 0.2], "position": [0, 0, 0.1]}, top, 0.25)
    assert first(result, "impact") == pytest.approx(sqrt(0.02 / G), rel=1e-9)
    q = np.asarray(result["q"])
    landed = np.asarray(result.time) > 0.1
    assert np.abs(q[landed] - q[-1]).max() < 1e-12
    assert q[-1, 2] == pytest.approx(0.3, abs=1e-10)
    assert np.asarray(result["energy_balance"])[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_ball_rolls_down_a_face_and_over_its_edge() -> None:
    """At 5/7 g sin(slope) on the face; frictionless over the edge of a prism it would leave it where the edge no longer presses."""
    slope = atan(0.5)
    prism = {"type": "convex", "vertices": [[x, y, -0.5 * x * (x > 0.0) - (z == 0) * 0.6] for x, y, z in product((-1, 1), (-1, 1), (0, 1))]}
    # from the ridge down along x: points (-1, y, 0), (1, y, -0.5) and a floor below
    n = np.array([0.5, 0.0, 2.0]) / np.linalg.norm([0.5, 0.0, 2.0])
    down = np.array([n[2], 0.0, -n[0]])
    start = np.array([-0.8, 0.1, -0.25 * 0.2]) + 0.1 * n
    result = on_ground(prism, body(BALL, start.tolist()), 0.5)
    t, q = np.asarray(result.time), np.asarray(result["q"])
    assert slope > 0.0
    way = (q[:, :3] - start) @ down
    assert way == pytest.approx(0.5 * G * n[0] / 1.4 * t**2, abs=1e-7)
    assert (q[:, :3] - start) @ n == pytest.approx(np.zeros(len(t)), abs=1e-9)


@pytest.mark.parametrize(
    ("shape", "away"),
    [
        (
            {"type": "cylinder", "radius": 0.2, "length": 1, "position": [0, 0, -0.2], "rotation": {"axis": [1, 0, 0], "angle": "deg(90)"}},
            0.3,
        ),
        ({"type": "cylinder", "radius": 0.2, "length": 1, "position": [-0.2, 0, -0.5]}, 0.1),
        ({"type": "convex", "vertices": [[0, -1, 0], [0, 1, 0], [-0.3, -1, 0], [-0.3, 1, 0], [-0.1, -1, -1], [-0.1, 1, -1]]}, 0.1),
    ],
    ids=["barrel", "rim", "edge"],
)
def test_a_ball_slides_off(shape: dict[str, Any], away: float) -> None:
    """Without friction from above a barrel, a rim or an edge, to where it presses no more: cos = (2 + u^2/(g L))/3, L to the centre."""
    u = 0.3
    top = body(BALL, [0, 0, away - (0.2 if away > 0.2 else 0.0)], velocity=[u, 0, 0])
    result = on_ground(shape, top, 0.4 if away > 0.2 else 0.25, friction=0.0)
    cosine = (2.0 + u * u / (G * away)) / 3.0
    t, q = np.asarray(result.time), np.asarray(result["q"])
    k = int(np.searchsorted(t, first(result, "open")))
    height = q[k, 2] + (0.2 if away > 0.2 else 0.0)
    assert height / away == pytest.approx(cosine, abs=1e-7)
    assert q[k, 0] / away == pytest.approx(sin(acos(cosine)), abs=1e-7)
    on = np.hypot(q[:k, 0], q[:k, 2] + (0.2 if away > 0.2 else 0.0))
    assert on == pytest.approx(np.full(k, away), abs=1e-9)


def test_a_tetrahedron_comes_to_rest_on_a_face() -> None:
    """It falls, tumbles and lies still, flat on the ground, with the energy that it lost told."""
    top = body(TETRAHEDRON, [0, 0, 0.25], orientation={"axis": [1, 0.3, 0.2], "angle": 0.7}, angular_velocity=[0.5, 1, 0.3])
    result = on_ground({"type": "box", "size": [20, 20, 20], "position": [0, 0, -10]}, top, 1.5, restitution=0.2)
    q, v = np.asarray(result["q"]), np.asarray(result["v"])
    assert np.abs(v[-1]).max() < 1e-9
    R = Rotation.from_quat(q[-1, [4, 5, 6, 3]]).as_matrix()
    heights = q[-1, 2] + np.array(TETRAHEDRON["vertices"]) @ R[2]
    assert np.sort(heights)[:3] == pytest.approx(np.zeros(3), abs=1e-8)
    assert np.asarray(result["energy_balance"])[-1] == pytest.approx(0.0, abs=1e-7)


def test_free_polyhedra_keep_their_momentum() -> None:
    """A tetrahedron flies into a plate, a capsule and a ball are hit on."""
    shapes = [TETRAHEDRON, {"type": "plate", "polygon": [[0.2, 0], [-0.1, 0.15], [-0.1, -0.15]], "thickness": 0.1}, BALL]
    bodies = {
        "a": body(shapes[0], [-0.5, 0.02, 0.03], velocity=[2.0, 0, 0], angular_velocity=[1.0, 3.0, -2.0]),
        "b": body(shapes[1], [0.0, 0.0, 0.0], orientation={"axis": [1, 0.3, 0], "angle": 1.2}),
        "c": body(shapes[2], [0.35, -0.02, 0.02]),
    }
    contacts = {"c": {"between": ["a", "b", "c"], "friction": 0.3, "restitution": 0.5}}
    result = mbsim.simulate({"name": "free", "gravity": [0, 0, 0], "bodies": bodies, "contacts": contacts, "simulation": {"end": 0.6}})
    assert sum(line["do"] == "impact" for line in result.events) >= 2
    x, u, omega = (np.asarray(result[f"body_{name}"]) for name in ("position", "velocity", "angular_velocity"))
    assert np.abs(u.sum(axis=1) - u[0].sum(axis=0)).max() < 1e-12
    angular = np.cross(x, u).sum(axis=1) + 0.004 * omega.sum(axis=1)
    assert np.abs(angular - angular[0]).max() < 1e-8
    assert all(line["energy"] < 1e-12 for line in result.events if "energy" in line)


FINE = {"type": "convex", "vertices": [[cos(0.3 * k), sin(0.3 * k), z] for k in range(16) for z in (0.0, 0.1 + 0.01 * k)]}


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ((FINE, FINE), r"a and b have \d+ and \d+ edges: \d+ pairs, and at most 600 are taken; give simpler shapes"),
        (
            ({"type": "plate", "polygon": [[0, 0], [2, 0], [2, 2], [1, 0.5]], "thickness": 0.1}, BALL),
            "the polygon of a is not convex, or has three corners in line; give several convex shapes",
        ),
    ],
)
def test_what_is_not_known_is_said(shapes: tuple[dict[str, Any], dict[str, Any]], said: str) -> None:
    bodies = {name: body(shape, [0, 0, 3.0 * k]) for k, (name, shape) in enumerate(zip("ab", shapes, strict=True))}
    model = {"name": "wrong", "bodies": bodies, "contacts": {"c": {"between": ["a", "b"]}}, "simulation": {"end": 1}}
    with pytest.raises(ModelError, match=said):
        mbsim.assemble(mbsim.load_model(model))


@pytest.mark.parametrize(
    ("vertices", "said"),
    [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "expected four or more points"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "the points have no volume: they lie in one plane"),
        ([[0, 0], [1, 0], [0, 1], [1, 1]], "expected four or more points"),
    ],
)
def test_wrong_vertices_are_said(vertices: list[list[float]], said: str) -> None:
    stone = body({"type": "convex", "vertices": vertices}, [0, 0, 0])
    with pytest.raises(ModelError, match=said):
        mbsim.load_model({"name": "wrong", "bodies": {"a": stone}, "simulation": {"end": 1}})


def test_a_polyhedron_of_a_density_has_the_mass_of_its_hull() -> None:
    """Of a cube with points within, and moved: as a box."""
    moved = [[x + 0.3, y - 0.2, z + 0.5] for x, y, z in (*CUBE["vertices"], [0, 0, 0], [0.05, 0.1, 0.0])]
    made = [
        mbsim.load_model(
            {"name": "dense", "bodies": {"a": {"density": 500, "position": [0, 0, 0], "shape": shape}}, "simulation": {"end": 1}}
        )
        for shape in ({"type": "convex", "vertices": moved}, {"type": "box", "size": [0.2] * 3, "position": [0.3, -0.2, 0.5]})
    ]
    one, other = (model.bodies["a"] for model in made)
    assert one.mass == pytest.approx(other.mass, rel=1e-12)
    np.testing.assert_allclose(one.inertia_matrix, other.inertia_matrix, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(one.position, other.position, atol=1e-12)
