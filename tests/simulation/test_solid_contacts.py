"""Boxes, capsules and balls that touch each other in space, against closed forms; g = 9.81 m/s2."""

from math import acos, cos, pi, radians, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbsim

G = 9.81
CUBE = [0.2, 0.2, 0.2]
LAW = {"friction": 0.5, "closing_speed": 0.02}


def box(size: list[float], position: list[float], **more: Any) -> dict[str, Any]:
    x, y, z = (edge * edge / 12.0 for edge in size)
    return {"mass": 1.0, "inertia": [y + z, x + z, x + y], "position": position, "shape": {"type": "box", "size": size}, **more}


def capsule(position: list[float], **more: Any) -> dict[str, Any]:
    shape = {"type": "capsule", "radius": 0.1, "length": 0.5}
    return {"mass": 1.0, "inertia": [0.02, 0.02, 0.004], "position": position, "shape": shape, **more}


def about(axis: list[float], degrees: float) -> dict[str, Any]:
    return {"orientation": {"axis": axis, "angle": radians(degrees)}}


def run(low: dict[str, Any], top: dict[str, Any], end: float, **law: Any) -> Any:
    """A body that is held, and one that touches it."""
    return mbsim.simulate({
        "name": "two solids",
        "gravity": [0, 0, -G],
        "bodies": {"low": low, "top": top},
        "joints": {"held": {"type": "fixed", "bodies": ["ground", "low"], "at": [0, 0, 0]}},
        "contacts": {"c": {"between": ["low", "top"], **LAW, **law}},
        "simulation": {"end": end},
    })  # fmt: skip


def place(result: Any) -> np.ndarray:
    """(n, 7) of the upper body."""
    return np.asarray(result["q"])[:, 7:14]


def first(result: Any, what: str) -> float:
    return float(next(line["time"] for line in result.events if line["do"] == what))


@pytest.mark.parametrize(
    ("low", "top", "gap"),
    [
        (box([0.6, 0.1, 0.1], [0, 0, 0.05]), box([0.6, 0.1, 0.1], [0.02, 0.01, 0.2], **about([0, 0, 1], 90)), 0.05),  # a cross: by edges
        (box(CUBE, [0, 0, 0.1]), box(CUBE, [0, 0, 0.35]), 0.05),  # exactly above each other
        (box(CUBE, [0, 0, 0.1]), box(CUBE, [0.07, 0.03, 0.31]), 0.01),  # by a corner of each, and crossings of edges
        (box(CUBE, [0, 0, 0.1]), box(CUBE, [0, 0, 0.31], **about([0, 0, 1], 45)), 0.01),  # by crossings of edges alone
    ],
    ids=["cross", "tower", "offset", "turned"],
)
def test_a_box_falls_flat_on_another_one_and_stays(low: dict[str, Any], top: dict[str, Any], gap: float) -> None:
    result = run(low, top, 0.4)
    assert first(result, "impact") == pytest.approx(sqrt(2.0 * gap / G), rel=1e-9)
    q = place(result)
    landed = np.asarray(result.time) > 0.2
    assert np.abs(q[landed] - q[-1]).max() < 1e-12
    assert q[-1, 2] == pytest.approx(top["position"][2] - gap, abs=1e-10)
    assert np.asarray(result["energy_balance"])[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_box_slides_to_rest_on_another_one() -> None:
    """After u^2 / (2 mu g) m."""
    result = run(box([2.0, 0.4, 0.2], [0, 0, 0.1]), box(CUBE, [-0.5, 0.03, 0.3], velocity=[1.5, 0.0, 0.0]), 0.5)
    q = place(result)
    assert q[-1, 0] + 0.5 == pytest.approx(1.5**2 / (2.0 * 0.5 * G), abs=1e-8)
    assert q[-1, 1] == pytest.approx(0.03, abs=1e-9)
    assert first(result, "sticks") == pytest.approx(1.5 / (0.5 * G), abs=1e-7)


def test_a_box_tips_over_the_edge_of_another_one() -> None:
    """About the edge, as a pendulum, until its two contacts there slip together."""
    result = run(box(CUBE, [0, 0, 0.1]), box(CUBE, [0.11, 0.03, 0.3]), 0.45)
    slips = first(result, "slips")
    away, inertia = np.hypot(0.01, 0.1), 0.04 / 6.0
    swing = solve_ivp(
        lambda t, z: [z[1], G * away * sin(z[0]) / (inertia + away**2)], (0.0, 0.5), [np.arctan2(0.01, 0.1), 0.0], "DOP853", rtol=1e-11,
        atol=1e-13, dense_output=True,
    )  # fmt: skip
    t, q = np.asarray(result.time), place(result)
    k = int(np.searchsorted(t, slips)) - 1
    assert 0.3 < t[k] < slips
    angle = swing.sol(t[k])[0]
    assert q[k, [0, 2]] == pytest.approx([0.1 + away * sin(angle), 0.2 + away * cos(angle)], abs=1e-7)
    assert [line["time"] for line in result.events if line["do"] == "slips"] == pytest.approx([slips, slips], abs=1e-6)
    assert q[-1, 2] < 0.25


def test_boxes_meet_with_crossed_edges() -> None:
    half = np.sqrt(0.5)
    turned = {"orientation": {"quaternion": list(half * np.array([cos(pi / 8), sin(pi / 8), sin(pi / 8), cos(pi / 8)]))}}
    result = run(
        box([0.4, 0.2, 0.2], [0, 0, 0.2], **about([1, 0, 0], 45)), box([0.4, 0.2, 0.2], [0, 0, 0.6], **turned), 0.24, restitution=0.3
    )
    hits = [line for line in result.events if line["do"] == "impact"]
    fall = 0.4 - 0.2 * sqrt(2.0)
    assert hits[0]["time"] == pytest.approx(sqrt(2.0 * fall / G), rel=1e-8)
    assert hits[0]["gap_speed"] == pytest.approx([-sqrt(2.0 * fall * G), 0.3 * sqrt(2.0 * fall * G)], rel=1e-8)
    assert len(hits) == 1


def test_a_ball_rolls_over_the_edge_of_a_box_without_an_event() -> None:
    """About the edge 7/10 m v^2 grows by m g r (1 - cos(a)), and it leaves where m v^2 / r = m g cos(a)."""
    ball = {
        "mass": 1.0, "inertia": [0.004] * 3, "position": [-0.2, 0.05, 0.1], "velocity": [0.5, 0, 0], "angular_velocity": [0, 5, 0],
        "shape": {"type": "sphere", "radius": 0.1},
    }  # fmt: skip
    result = run(box([1.0, 1.0, 0.4], [-0.5, 0, -0.2]), ball, 0.8, friction=1000.0)
    told = [line["do"] for line in result.events]
    assert told[: told.index("open") + 1] == ["sticks", "slips", "open"]
    assert first(result, "slips") == pytest.approx(first(result, "open"), abs=2e-3)  # where nearly nothing presses it any more
    t, q = np.asarray(result.time), place(result)
    x, z = q[int(np.searchsorted(t, first(result, "open"))), [0, 2]]
    assert np.hypot(x, z) == pytest.approx(0.1, abs=1e-9)
    cosine = (10.0 + 7.0 * 0.25 / (G * 0.1)) / 17.0
    assert z / 0.1 == pytest.approx(cosine, abs=2e-5)
    swing = solve_ivp(
        lambda t, w: [w[1], G * sin(w[0]) / 0.14], (0.0, 1.0), [0.0, 5.0], "DOP853", events=lambda t, w: w[0] - acos(cosine), rtol=1e-11
    )
    assert first(result, "open") == pytest.approx(0.4 + swing.t_events[0][0], abs=2e-5)


def test_crossed_capsules_bounce() -> None:
    result = run(capsule([0, 0, 0.1], **about([0, 1, 0], 90)), capsule([0.05, 0, 0.35], **about([1, 0, 0], 90)), 0.14, restitution=0.3)
    (hit,) = [line for line in result.events if line["do"] == "impact"]
    assert hit["time"] == pytest.approx(sqrt(0.1 / G), rel=1e-9)
    assert hit["gap_speed"] == pytest.approx([-sqrt(0.1 * G), 0.3 * sqrt(0.1 * G)], rel=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_free_solids_keep_their_momentum_and_gain_no_energy(restitution: float) -> None:
    """A turning box flies into a capsule, and both into a box."""
    masses, inertias = np.array([1.0, 2.0, 1.5]), np.array([[0.01, 0.012, 0.008], [0.03, 0.03, 0.006], [0.01, 0.02, 0.015]])
    bodies = {
        "a": box([0.3, 0.2, 0.15], [-0.6, 0.02, 0.03], velocity=[2.0, 0, 0], angular_velocity=[1.0, 3.0, -2.0]),
        "b": capsule([0.0, 0.0, 0.0], **about([1, 0.3, 0], 80)),
        "c": box([0.2, 0.4, 0.3], [0.5, -0.05, 0.1], **about([1, 1, 0.2], 25)),
    }
    for body, mass, inertia in zip(bodies.values(), masses, inertias, strict=True):
        body |= {"mass": float(mass), "inertia": inertia.tolist()}
    contacts = {"c": {"between": ["a", "b", "c"], "friction": 0.3, "restitution": restitution}}
    result = mbsim.simulate({"name": "free", "gravity": [0, 0, 0], "bodies": bodies, "contacts": contacts, "simulation": {"end": 0.8}})
    assert sum(line["do"] == "impact" for line in result.events) >= 2
    x, u, omega = (np.asarray(result[f"body_{name}"]) for name in ("position", "velocity", "angular_velocity"))
    q = np.asarray(result["q"]).reshape(len(x), 3, 7)
    linear = np.einsum("b,tbi->ti", masses, u)
    assert np.abs(linear - linear[0]).max() < 1e-12
    from scipy.spatial.transform import Rotation

    R = Rotation.from_quat(q[:, :, [4, 5, 6, 3]].reshape(-1, 4)).as_matrix().reshape(len(x), 3, 3, 3)
    inertia = np.einsum("tbij,bj,tbkj->tbik", R, inertias, R)
    angular = np.einsum("b,tbi->ti", masses, np.cross(x, u)) + np.einsum("tbij,tbj->ti", inertia, omega)
    assert np.abs(angular - angular[0]).max() < 1e-8  # of the integrator
    hits = np.flatnonzero(np.diff(np.asarray(result.time)) <= 1e-11)
    assert len(hits) >= 2
    assert np.abs(angular[hits + 1] - angular[hits]).max() < 1e-12
    assert all(line["energy"] < 1e-12 for line in result.events if "energy" in line)


def test_both_corners_of_a_box_that_tips_on_a_plane_give_way_at_once() -> None:
    """It turns about the edge between them until that needs more than mu N along the plane; both are equal, so none is the first."""
    angle, mu, away, inertia = 0.5, 0.3, 0.1 * sqrt(2.0), 0.04 / 6.0
    tilted = box(CUBE, [0, 0, 0.1 * (cos(angle) + sin(angle))], orientation={"axis": [1, 0, 0], "angle": angle})
    result = mbsim.simulate({
        "name": "tips",
        "gravity": [0, 0, -G],
        "bodies": {"box": tilted},
        "contacts": {"c": {"bodies": ["box", "ground"], "plane": {"normal": [0, 0, 1]}, "friction": mu, "closing_speed": 0.02}},
        "simulation": {"end": 0.2},
    })  # fmt: skip

    def spare(t: float, z: np.ndarray) -> float:
        turning = G * away * sin(z[0]) / (inertia + away**2)
        presses = G - away * (turning * sin(z[0]) + z[1] ** 2 * cos(z[0]))
        return float(mu * presses - away * (turning * cos(z[0]) - z[1] ** 2 * sin(z[0])))

    swing = solve_ivp(
        lambda t, z: [z[1], G * away * sin(z[0]) / (inertia + away**2)], (0.0, 0.2), [pi / 4 - angle, 0.0], "DOP853", events=spare,
        rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    slips = {line["event"]: line["time"] for line in result.events if line["do"] == "slips"}
    assert slips == pytest.approx(dict.fromkeys(["c_1", "c_5"], swing.t_events[0][0]), abs=1e-7)


def test_a_box_slides_down_beside_another_one_that_it_touches() -> None:
    """Nothing presses their faces together: they opened and closed by round-off without end, and the run did not end."""
    fallen = mbsim.simulate("""
gravity: [0, 0, -9.81]
bodies:
  low: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], shape: {type: box, size: [0.2, 0.2, 0.2]}}
  tall: {mass: 2, inertia: [0.04, 0.04, 0.01], position: [0.2, 0, 0.35], shape: {type: box, size: [0.2, 0.2, 0.6]}}
contacts:
  floor: {bodies: [low, tall, ground], plane: {normal: [0, 0, 1]}, friction: 0.4}
  each: {between: [low, tall], friction: 0.3}
simulation: {end: 0.01}
""")
    assert len(fallen.events) < 60
    np.testing.assert_allclose(fallen["q"][-1][7:10], [0.2, 0.0, 0.35 - 0.5 * 9.81 * 0.01**2], atol=1e-8)
