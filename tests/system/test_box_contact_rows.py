"""Rows of contacts of boxes and capsules: C, xi and eta against central differences, slip against the motion of material points."""

from dataclasses import replace

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block, close, derivative, random_state
from test_constraint_derivatives import check_at
from test_contact_rows import pose
from test_round_contact_rows import material
from test_tangents import RELATIVE, errors

import mbsim
from mbsim.assembly import Assembly
from mbsim.elements.kinds import APART_EDGES, SLIP_EDGES
from mbsim.kernels.spatial_edges import edges
from mbsim.system.system import NO_SLIPS

TURNED = {"rotation": {"axis": [0.3, -0.5, 0.8], "angle": 0.7}, "position": [0.1, -0.05, 0.02]}
BOX = {"type": "box", "size": [0.5, 0.3, 0.4], **TURNED}
CAPSULE = {"type": "capsule", "radius": 0.11, "length": 0.7, **TURNED}
AWAY = {"position": [0.7, -0.4, 0.6]}  # in the second body, so that the shapes do not meet
BALL = {"type": "sphere", "radius": 0.2, **AWAY}
WEDGE = {"type": "convex", "vertices": [[0.2, 0.1, 0.15], [-0.2, 0.1, 0.15], [0.2, -0.15, 0.1], [-0.2, -0.15, 0.1], [0, 0, -0.2]], **TURNED}
BARREL = {"type": "cylinder", "radius": 0.15, "length": 0.4, **TURNED}
PAIRS = {
    "ball on a box": (BOX, BALL),
    "ball on a capsule": (CAPSULE, BALL),
    "capsules": (CAPSULE, {**CAPSULE, **AWAY}),
    "capsule on a box": (BOX, {**CAPSULE, **AWAY}),
    "boxes": (BOX, {**BOX, **AWAY}),
    "ball on a cylinder": (BARREL, BALL),
    "ball on a polyhedron": (WEDGE, BALL),
    "capsule on a polyhedron": (WEDGE, {**CAPSULE, **AWAY}),
    "box on a polyhedron": (WEDGE, {**BOX, **AWAY}),
    "polyhedra": (WEDGE, {**WEDGE, **AWAY}),
    "cylinder on a box": (BOX, {**BARREL, **AWAY}),
    "cylinder on a polyhedron": (WEDGE, {**BARREL, **AWAY}),
    "capsule on a cylinder": (BARREL, {**CAPSULE, **AWAY}),
}
COUNTS = {"ball on a box": 1, "ball on a capsule": 1, "capsules": 5, "capsule on a box": 2 + 8 + 3 * 2, "boxes": 8 + 8 + 9 * 4,
          "ball on a cylinder": 1, "ball on a polyhedron": 1, "capsule on a polyhedron": 2 + 5 + 8, "box on a polyhedron": 8 + 5 + 8 * 12,
          "polyhedra": 5 + 5 + 8 * 8, "cylinder on a box": 2 + 16 + 8 + 5 * 12, "cylinder on a polyhedron": 2 + 16 + 5 + 5 * 8,
          "capsule on a cylinder": 2 + 1 + 4}  # fmt: skip
MANY_EDGES = ("box on a polyhedron", "polyhedra", "cylinder on a box", "cylinder on a polyhedron")
SMOOTH = {"capsules": 0}  # seeds of states next to which no other face or edge begins to count, and no edges are nearly parallel


def touching(pair: str, friction: float = 0.3) -> Assembly:
    bodies = {f"b{k}": {**body_block(3, k), "shape": shape} for k, shape in enumerate(PAIRS[pair])}
    contacts = {"c": {"between": ["b0", "b1"], "friction": friction}}
    return mbsim.assemble(mechanisms.model({"name": pair, "bodies": bodies, "contacts": contacts, "simulation": {"end": 1}}))


@pytest.mark.parametrize("pair", PAIRS)
def test_contacts(pair: str) -> None:
    rows = touching(pair).whole.rows
    assert len(rows) == 3 * COUNTS[pair]


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair not in MANY_EDGES])
def test_derivatives(pair: str) -> None:
    made = touching(pair)
    rng = np.random.default_rng(SMOOTH.get(pair, 2))
    for _ in range(2):
        check_at(made.whole, *random_state(made.whole, made.q, rng, spread=0.15))


@pytest.mark.parametrize("pair", MANY_EDGES)
def test_derivatives_of_edges_that_count(pair: str) -> None:
    """Of edges of polyhedra whose planes of contact lie between their faces; others may change the sense of their normals anywhere."""
    made = touching(pair)
    system, rng = made.whole, np.random.default_rng(4)
    names, arrays, compared = system.rows, system.arrays, 0
    for _ in range(3):
        t, q, v = random_state(system, made.q, rng, spread=0.15)
        C, eta = system.C(t, q), system.eta(t, q, v)
        elements = {int(row): k for k, row in enumerate(arrays.primitives[:, 1]) if arrays.primitives[k, 0] in (APART_EDGES, SLIP_EDGES)}
        kept = []
        for row, k in elements.items():
            fi, fj = (arrays.frames[b] for b in arrays.primitives[k, 2:4])
            made_edges = edges(fi, fj, arrays.geometry[k])
            a, b = fi[3:12].reshape(3, 3) @ made_edges[3:6], fj[3:12].reshape(3, 3) @ made_edges[9:12]
            if made_edges[-1] and np.linalg.norm(np.cross(a, b)) > 0.2 and abs(made_edges[-2]) == 1.0:
                kept.append(row)
        first = [row for row in kept if row < system.n_holonomic]
        for j, e in enumerate(np.eye(system.n_v)):
            close(C[first, j], derivative(lambda s, e=e, q=q, t=t: system.phi(t, system.move(q, s * e)))[first], atol=2e-8)
        rate = derivative(lambda s, q=q, v=v, t=t: system.C(t, system.move(q, s * v)) @ v)
        close(eta[kept], rate[kept], atol=2e-7)
        compared += len(kept)
        assert {names[row].split("_")[0] for row in kept} == {"c"}
    assert compared > 12


@pytest.mark.parametrize("pair", ["ball on a box", "ball on a capsule"])
def test_every_method_holds_them(pair: str) -> None:
    made = touching(pair, 0.0)
    held = replace(made.whole, slips=NO_SLIPS)
    t, q, v = mechanisms.consistent_state(held, made.q, np.random.default_rng(7), spread=0.05)
    a, _ = mechanisms.augmented_solution(held, t, q, v)
    for method in mechanisms.METHODS:
        found = mechanisms.evaluate(held, method, t, q, v)
        close(found[0], a, atol=1e-7 * max(1.0, np.abs(a).max()))


@pytest.mark.parametrize("pair", ["ball on a box", "capsule on a box", "capsule on a cylinder"])
def test_tangents(pair: str) -> None:
    made = touching(pair)
    rng = np.random.default_rng(9)
    t, q, v = random_state(made.whole, made.q, rng, spread=0.1)
    found = errors(made.whole, t, q, v, rng.standard_normal(made.whole.n_v), rng.standard_normal(made.whole.n_rows))
    assert {key: error for key, error in found.items() if not error <= RELATIVE} == {}


def nearest_in_box(p: np.ndarray, half: np.ndarray) -> np.ndarray:
    return np.clip(p, -half, half)


@pytest.mark.parametrize("pair", ["ball on a box", "ball on a capsule"])
def test_slip_is_that_of_the_material_points(pair: str) -> None:
    """C v of both tangents has the length and the plane of the slip of what touches, at a face, an edge and a corner."""
    made = touching(pair)
    rng = np.random.default_rng(5)
    half = np.array([0.25, 0.15, 0.2]) if "box" in pair else np.array([0.0, 0.0, 0.35])
    rounded = 0.0 if "box" in pair else 0.11
    turn = mechanisms_rotation(TURNED["rotation"])
    for at in ([0.1, 0.05, 0.9], [0.7, 0.1, 0.8], [0.7, -0.9, 0.8]):  # over a face, an edge, a corner of the box
        _, q, v = random_state(made.whole, made.q, rng, spread=0.3)
        (r0, R0), (_, R1) = (pose(made.whole, q, k) for k in range(2))
        q[7:10] = r0 + R0 @ (np.array(TURNED["position"]) + turn @ np.array(at)) - R1 @ np.array(BALL["position"])

        def placed(s: float, body: int, q: np.ndarray = q, v: np.ndarray = v) -> tuple[np.ndarray, np.ndarray]:
            at = pose(made.whole, made.whole.move(q, s * v), body)
            return at[0], at[1]

        (r0, R0), (r1, R1) = placed(0.0, 0), placed(0.0, 1)
        centre = r1 + R1 @ np.array(BALL["position"])
        local = turn.T @ (R0.T @ (centre - r0) - np.array(TURNED["position"]))
        on = nearest_in_box(local, half)
        n = R0 @ turn @ ((local - on) / np.linalg.norm(local - on))
        near = np.array(TURNED["position"]) + turn @ on
        on0, on1 = near + R0.T @ (rounded * n), np.array(BALL["position"]) - R1.T @ (0.2 * n)
        slip = derivative(lambda s, on0=on0, on1=on1, placed=placed: material(placed(s, 1), on1) - material(placed(s, 0), on0))
        turning = derivative(lambda s, placed=placed: placed(s, 0)[1]) @ R0.T @ ((r0 + R0 @ on0) - (r1 + R1 @ on1))
        slip = slip + turning  # of the point of the box that is now where the ball's is
        _, _, C, _, _, _ = made.whole.terms(0.0, q, v)
        across = slip - (slip @ n) * n
        close(np.linalg.norm((C @ v)[1:]), np.linalg.norm(across), atol=1e-7)
        close(C[0, -6:-3], n, atol=1e-12)
        close(C[1:, -6:-3] @ C[1:, -6:-3].T, np.eye(2), atol=1e-12)
        close(C[1:, -6:-3] @ n, np.zeros(2), atol=1e-12)


def mechanisms_rotation(block: dict) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    axis = np.array(block["axis"])
    return Rotation.from_rotvec(block["angle"] * axis / np.linalg.norm(axis)).as_matrix()
