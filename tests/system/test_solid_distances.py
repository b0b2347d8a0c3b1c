"""Gaps of balls, capsules, boxes, polyhedra and cylinders in space against distances of convex sets, found by nonnegative least squares."""

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.assembly import Assembly
from mbsim.elements.kinds import EDGES_APART, FROM_SOLID, RIM_APART

STONE = [[0.3, 0.1, 0.2], [-0.3, 0.15, 0.1], [0.05, -0.3, 0.15], [0.2, 0.2, -0.2], [-0.2, -0.1, -0.25], [-0.1, 0.25, 0.25]]
SHAPES = {
    "ball": {"type": "sphere", "radius": 0.2},
    "capsule": {"type": "capsule", "radius": 0.1, "length": 0.8},
    "box": {"type": "box", "size": [0.6, 0.3, 0.4]},
    "stone": {"type": "convex", "vertices": STONE},
    "plate": {"type": "plate", "polygon": [[0.3, 0.0], [-0.2, 0.25], [-0.2, -0.25]], "thickness": 0.2},
    "can": {"type": "cylinder", "radius": 0.2, "length": 0.5},
}
SIDES = 720  # of a prism in a cylinder, which is 2e-6 m inside of it
ROUND = {"ball": [0.0, 0.0, 0.0], "capsule": [0.0, 0.0, 0.4], "box": [0.3, 0.15, 0.2]}  # half edges
WEIGHT = 1e4  # of the sums that are one
CLOSE = 1e-6  # m
GAPS = [FROM_SOLID, EDGES_APART, RIM_APART]


def corners(shape: str) -> np.ndarray:
    """(3, k) whose convex hull, with a radius about it, is the shape."""
    if shape == "stone":
        return np.array(STONE).T
    if shape == "plate":
        return np.array([[x, y, z] for x, y in SHAPES["plate"]["polygon"] for z in (-0.1, 0.1)]).T
    if shape == "can":
        angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
        return np.array([[0.2 * np.cos(w), 0.2 * np.sin(w), z] for w in angles for z in (-0.25, 0.25)]).T
    half = ROUND[shape]
    return np.array([[i * half[0], j * half[1], k * half[2]] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]).T


def distance(pair: tuple[str, str], q: np.ndarray) -> float:
    """Of two shapes, m; zero where they overlap, below zero only by radii."""
    hulls = [
        q[o : o + 3, None] + Rotation.from_quat(q[[o + 4, o + 5, o + 6, o + 3]]).apply(corners(s).T).T
        for o, s in zip((0, 7), pair, strict=True)
    ]
    one, other = hulls[0] - q[:3, None], hulls[1] - q[:3, None]
    n, m = one.shape[1], other.shape[1]
    sums = np.array([[1.0] * n + [0.0] * m, [0.0] * n + [1.0] * m])
    A = np.vstack([np.hstack([one, -other]), WEIGHT * sums])
    x, _ = nnls(A, np.array([0.0, 0.0, 0.0, WEIGHT, WEIGHT]), maxiter=1000)
    return float(np.linalg.norm(one @ x[:n] - other @ x[n:])) - sum(SHAPES[s].get("radius", 0.0) for s in pair if s != "can")


def assembly(pair: tuple[str, str]) -> Assembly:
    bodies = {f"b{k}": {**body_block(3, k), "shape": SHAPES[s]} for k, s in enumerate(pair)}
    return mbsim.assemble(
        mechanisms.model({"name": "pair", "bodies": bodies, "contacts": {"c": {"between": ["b0", "b1"]}}, "simulation": {"end": 1}})
    )


def least_gap(made: Assembly, q: np.ndarray) -> float:
    """Of all contacts of a pair."""
    made.whole.terms(0.0, q, np.zeros(made.whole.n_v))
    return float(gaps(made).min())


def gaps(made: Assembly) -> np.ndarray:
    """(n,) of all relative coordinates; of those that are no contacts infinite."""
    arrays = made.whole.arrays
    return np.where(np.isin(arrays.relative[:, 0], GAPS), arrays.relative_values[:, 0] - arrays.relative_data[:, 15], np.inf)


def nearest_kind(made: Assembly) -> int:
    """Of the contact that is nearest to closed."""
    return int(made.whole.arrays.relative[np.argmin(gaps(made)), 0])


def turned(rng: np.random.Generator, apart: np.ndarray) -> np.ndarray:
    """Two bodies in random attitudes."""
    quaternions = [Rotation.random(random_state=int(rng.integers(1 << 30))).as_quat()[[3, 0, 1, 2]] for _ in range(2)]
    return np.concatenate([[0.0, 0.0, 0.0], quaternions[0], apart, quaternions[1]])


@pytest.mark.parametrize("pair", [("box", "ball"), ("capsule", "ball"), ("stone", "ball"), ("plate", "ball")], ids="-".join)
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
        by_edges.add(nearest_kind(made) == EDGES_APART)
        assert abs(distance(pair, q)) < CLOSE
        gap(outside + 1e-3)
        assert distance(pair, q) > 1e-5
    assert by_edges == {True, False}


@pytest.mark.parametrize(
    "pair",
    [*(("stone", each) for each in ("capsule", "box", "stone", "plate")), ("can", "capsule"), ("box", "can"), ("stone", "can")],
    ids="-".join,
)
def test_polyhedra_and_cylinders_touch_where_their_distance_becomes_zero(pair: tuple[str, str]) -> None:
    """Two bodies in random attitudes come near to each other: the least gap changes its sign where the distance becomes zero."""
    made, rng = assembly(pair), np.random.default_rng(3)
    most = 1.01e-4 + (0.2 * (1.0 - np.cos(np.pi / SIDES)) if "can" in pair else 0.0)  # the prism touches later than the cylinder
    kinds = set()
    for _ in range(12):
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        q = turned(rng, direction)
        outside, inside = 1.3, 0.0
        while outside - inside > 1e-9:
            q[7:10] = 0.5 * (outside + inside) * direction
            far = distance(pair, q) > CLOSE / 10.0
            outside, inside = (0.5 * (outside + inside), inside) if far else (outside, 0.5 * (outside + inside))
        q[7:10] = (outside - 1e-4) * direction
        assert -most < least_gap(made, q) < 0.0
        q[7:10] = (outside + 1e-4) * direction
        assert 0.0 < least_gap(made, q) < 1.01e-4
        kinds.add(nearest_kind(made))
    assert RIM_APART in kinds or "can" not in pair
