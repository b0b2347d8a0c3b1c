"""Gaps of balls, capsules and boxes in space against distances of convex sets, found by least squares without negative numbers."""

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.assembly import Assembly
from mbsim.elements.kinds import EDGES_APART, FROM_SOLID

SHAPES = {
    "ball": {"type": "sphere", "radius": 0.2},
    "capsule": {"type": "capsule", "radius": 0.1, "length": 0.8},
    "box": {"type": "box", "size": [0.6, 0.3, 0.4]},
}
WEIGHT = 1e4  # of the sums that are one
CLOSE = 1e-6  # m


def corners(shape: str) -> np.ndarray:
    """(3, k) whose convex hull, with a radius about it, is the shape."""
    half = {"ball": [0.0, 0.0, 0.0], "capsule": [0.0, 0.0, 0.4], "box": [0.3, 0.15, 0.2]}[shape]
    return np.array([[i * half[0], j * half[1], k * half[2]] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]).T


def distance(pair: tuple[str, str], q: np.ndarray) -> float:
    """Of two shapes, m; zero where they overlap, below zero only by radii."""
    hulls = [
        q[o : o + 3, None] + Rotation.from_quat(q[[o + 4, o + 5, o + 6, o + 3]]).apply(corners(s).T).T
        for o, s in zip((0, 7), pair, strict=True)
    ]
    one, other = hulls[0] - q[:3, None], hulls[1] - q[:3, None]
    sums = np.kron(np.eye(2), np.ones(8))
    A = np.vstack([np.hstack([one, -other]), WEIGHT * sums])
    x, _ = nnls(A, np.array([0.0, 0.0, 0.0, WEIGHT, WEIGHT]), maxiter=1000)
    return float(np.linalg.norm(one @ x[:8] - other @ x[8:])) - sum(SHAPES[s].get("radius", 0.0) for s in pair)


def assembly(pair: tuple[str, str]) -> Assembly:
    bodies = {f"b{k}": {**body_block(3, k), "shape": SHAPES[s]} for k, s in enumerate(pair)}
    return mbsim.assemble(
        mechanisms.model({"name": "pair", "bodies": bodies, "contacts": {"c": {"between": ["b0", "b1"]}}, "simulation": {"end": 1}})
    )


def least_gap(made: Assembly, q: np.ndarray) -> float:
    """Of all contacts of a pair."""
    made.whole.terms(0.0, q, np.zeros(made.whole.n_v))
    arrays = made.whole.arrays
    rows = np.isin(arrays.relative[:, 0], [FROM_SOLID, EDGES_APART])
    return float((arrays.relative_values[rows, 0] - arrays.relative_data[rows, 15]).min())


def turned(rng: np.random.Generator, apart: np.ndarray) -> np.ndarray:
    """Two bodies in random attitudes."""
    quaternions = [Rotation.random(random_state=int(rng.integers(1 << 30))).as_quat()[[3, 0, 1, 2]] for _ in range(2)]
    return np.concatenate([[0.0, 0.0, 0.0], quaternions[0], apart, quaternions[1]])


@pytest.mark.parametrize("pair", [("box", "ball"), ("capsule", "ball")], ids="-".join)
def test_gap_of_a_ball_is_the_distance(pair: tuple[str, str]) -> None:
    made, rng = assembly(pair), np.random.default_rng(1)
    kinds = 0
    for _ in range(20):
        direction = rng.normal(size=3)
        q = turned(rng, rng.uniform(0.3, 1.0) * direction / np.linalg.norm(direction))
        wanted = distance(pair, q)
        if wanted > 0.01:
            assert least_gap(made, q) == pytest.approx(wanted, abs=CLOSE)
            kinds += 1
    assert kinds > 10


TRIED = {("capsule", "capsule"): 16, ("box", "capsule"): 6, ("box", "box"): 8}  # approaches, some of which end at edges, others at corners


@pytest.mark.parametrize("pair", TRIED, ids="-".join)
def test_solids_touch_where_their_distance_becomes_zero(pair: tuple[str, str]) -> None:
    """Two bodies in random attitudes come near to each other."""
    made, rng = assembly(pair), np.random.default_rng(2)
    by_edges = set()
    for _ in range(TRIED[pair]):
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        q = turned(rng, direction)

        def gap(s: float, q: np.ndarray = q, direction: np.ndarray = direction) -> float:
            q[7:10] = s * direction
            return least_gap(made, q)

        outside, inside = next((s, s - 0.03) for s in np.arange(1.3, 0.0, -0.03) if gap(s - 0.03) < 0.0)
        assert gap(outside) > 0.0
        for _ in range(20):
            middle = 0.5 * (outside + inside)
            outside, inside = (middle, inside) if gap(middle) > 0.0 else (outside, middle)
        gap(outside)
        arrays = made.whole.arrays
        gaps = arrays.relative_values[:, 0] - arrays.relative_data[:, 15]
        first = np.argmin(np.where(np.isin(arrays.relative[:, 0], [FROM_SOLID, EDGES_APART]), gaps, np.inf))
        by_edges.add(arrays.relative[first, 0] == EDGES_APART)
        assert abs(distance(pair, q)) < CLOSE
        gap(outside + 1e-3)
        assert distance(pair, q) > 1e-5
    assert by_edges == {True, False}
