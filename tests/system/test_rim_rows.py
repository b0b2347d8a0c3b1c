"""Rims of cylinders on planes, polyhedra and lines: rows, gaps and bounds against central differences; places against support functions."""

from functools import cache

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block, close, derivative
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.assembly import Assembly
from mbsim.elements.kinds import EDGES_APART, NEAR_RIM, PIVOT_RIM, RIM_APART, RIM_END, SLIP_RIM
from mbsim.kernels import spatial_edges, spatial_rim_rims, spatial_rims
from mbsim.kernels.primitives import RIM_ON_DISC, RIM_ON_FACES, RIM_ON_LINE, RIM_ON_RIM
from mbsim.kernels.relative import BIAS, RATE, VALUE

R, HALF = 0.2, 0.25
CAN = {"type": "cylinder", "radius": R, "length": 2 * HALF}
STONE = [[0.3, 0.1, 0.2], [-0.3, 0.15, 0.1], [0.05, -0.3, 0.15], [0.2, 0.2, -0.2], [-0.2, -0.1, -0.25], [-0.1, 0.25, 0.25]]
OTHERS = {
    "box": {"type": "box", "size": [0.6, 0.3, 0.4]},
    "stone": {"type": "convex", "vertices": STONE},
    "capsule": {"type": "capsule", "radius": 0.1, "length": 0.8},
    "can": {"type": "cylinder", "radius": 0.15, "length": 0.6},
}


@cache
def made_of(other: str) -> Assembly:
    law = {"friction": 0.3, "rolling_resistance": 0.01, "drilling_resistance": 0.01}
    bodies = {"b0": {**body_block(3, 0), "shape": OTHERS.get(other)}, "b1": {**body_block(3, 1), "shape": CAN}}
    contact = {"between": ["b0", "b1"], **law}
    if other == "plane":
        bodies["b0"].pop("shape")
        contact = {"bodies": ["b1", "b0"], "plane": {"through": [0, 0, 0], "normal": [0.2, -0.3, 0.9]}, **law}
    return mbsim.assemble(mechanisms.model({"name": other, "bodies": bodies, "contacts": {"c": contact}, "simulation": {"end": 1}}))


def attitude(rng: np.random.Generator) -> np.ndarray:
    return Rotation.random(random_state=int(rng.integers(1 << 30))).as_quat()[[3, 0, 1, 2]]


def state(made: Assembly, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two bodies near each other, in random attitudes."""
    way = rng.normal(size=3)
    q = np.concatenate([rng.normal(size=3), attitude(rng), np.zeros(3), attitude(rng)])
    q[7:10] = q[:3] + rng.uniform(0.3, 0.7) * way / np.linalg.norm(way)
    return q, rng.normal(size=made.whole.n_v)


def regular(made: Assembly, index: int) -> bool:
    """Whether the place of a rim changes smoothly with the pose: no tangents that are parallel, no axis, no other face near."""
    arrays = made.whole.arrays
    g, (fi, fj) = arrays.geometry[index], (arrays.frames[b] for b in arrays.primitives[index, 2:4])
    found = spatial_rims.place(fi, fj, g, True)
    e, b = np.array(found[9:12]) - fj[3:12].reshape(3, 3) @ g[3:6], fj[3:12].reshape(3, 3) @ g[9:12]
    if g[16] == RIM_ON_FACES:
        n = np.array(found[:3])
        return bool(np.linalg.norm(np.cross(n, b)) > 0.1)
    if g[16] == RIM_ON_RIM:  # there are nearest points, well away from a pose where there are none
        met = spatial_rim_rims.met(fi, fj, g)
        return bool(met[-1] and np.linalg.norm(np.cross(met[6:9], met[9:12])) > 0.2)
    a, t = fi[3:12].reshape(3, 3) @ g[6:9], np.cross(b, e / R)
    return bool(np.linalg.norm(np.cross(a, t)) > 0.2 and np.linalg.norm(np.cross(a, b)) > 0.05)


@pytest.mark.parametrize("other", ["plane", *OTHERS])
def test_rows(other: str) -> None:
    """C of what is held is the derivative of phi, eta the rate of C v at constant v."""
    made, rng = made_of(other), np.random.default_rng(1)
    system, compared = made.whole, set()
    for _ in range(3):
        q, v = state(made, rng)
        C, eta = system.C(0.0, q), system.eta(0.0, q, v)
        lines = [k for k, line in enumerate(system.arrays.primitives) if line[0] in (NEAR_RIM, SLIP_RIM, PIVOT_RIM) and regular(made, k)]
        rows = [int(system.arrays.primitives[k, 1]) for k in lines]
        held = [row for row in rows if row < system.n_holonomic]
        for j, unit in enumerate(np.eye(system.n_v)):
            slopes = [derivative(lambda s, unit=unit, q=q: system.phi(0.0, system.move(q, s * unit)), step)[held] for step in (1e-3, 1e-4)]
            alike = np.abs(slopes[0] - slopes[1]) < 1e-7
            assert alike.mean() > 0.8
            close(C[held, j][alike], slopes[1][alike], atol=1e-7)
        rates = [derivative(lambda s, q=q, v=v: system.C(0.0, system.move(q, s * v)) @ v, step)[rows] for step in (1e-3, 1e-4)]
        alike = np.abs(rates[0] - rates[1]) < 1e-6  # elsewhere another face or place begins to be meant
        assert alike.mean() > 0.8
        close(eta[rows][alike], rates[1][alike], atol=1e-5)
        compared |= {int(system.arrays.primitives[k, 0]) for k in lines}
    assert compared == {NEAR_RIM, SLIP_RIM, PIVOT_RIM}


def within(made: Assembly, k: int) -> bool:
    """Whether the place of a gap is within its ends, so that the gap is the height."""
    arrays = made.whole.arrays
    i, j = arrays.relative[k, 1:3]
    g, fi, fj = arrays.relative_data[k], arrays.frames[i], arrays.frames[j]
    return bool(spatial_rims.bounded(fi, fj, g)[0] < spatial_rims.place(fi, fj, g, False)[-1])


@pytest.mark.parametrize("other", ["plane", *OTHERS])
def test_gaps_and_bounds(other: str) -> None:
    """What a run looks at has its exact rate, and gaps their second rate."""
    made, rng = made_of(other), np.random.default_rng(3)
    system = made.whole
    arrays, compared = system.arrays, {RIM_APART: 0, RIM_END: 0}

    def values(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        system.terms(0.0, q, v)
        return arrays.relative_values.copy()

    for _ in range(6):
        q, v = state(made, rng)
        here = values(q, v)
        slopes = [derivative(lambda s, q=q, v=v: values(system.move(q, s * v), v)[:, VALUE], step) for step in (1e-3, 1e-4)]
        rates = derivative(lambda s, q=q, v=v: values(system.move(q, s * v), v)[:, RATE], 1e-4)
        for k, kind in enumerate(arrays.relative[:, 0]):
            # elsewhere another face, place or end begins to count, or none counts
            if kind in compared and abs(slopes[0][k] - slopes[1][k]) < 1e-7 and slopes[0][k] != 0.0:
                compared[kind] += 1
                assert here[k, RATE] == pytest.approx(slopes[1][k], abs=1e-7)
                if kind == RIM_APART and abs(rates[k]) < 10.0 and within(made, k):
                    assert here[k, BIAS] == pytest.approx(rates[k], abs=1e-5)
    assert min(compared.values()) > 3


@pytest.mark.parametrize("tilt", [2e-3, 4e-3])
def test_bounds_of_an_end_that_is_nearly_flat(tilt: float) -> None:
    """Their rates are exact where the lowest point of the rim is farther out than the rim, which does not count as beyond an edge."""
    made, rng, compared = made_of("can"), np.random.default_rng(8), 0
    system, arrays = made.whole, made.whole.arrays
    first, v = Rotation.from_quat(attitude(rng)[[1, 2, 3, 0]]), rng.normal(size=made.whole.n_v)
    second = first * Rotation.from_rotvec([tilt, 0.3 * tilt, 0.0])
    at = first.apply([0.04, 0.01, 0.3 + HALF])
    q = np.concatenate([np.zeros(3), first.as_quat()[[3, 0, 1, 2]], at, second.as_quat()[[3, 0, 1, 2]]])

    def values(q: np.ndarray) -> np.ndarray:
        system.terms(0.0, q, v)
        return arrays.relative_values.copy()

    here, slopes = values(q), derivative(lambda s: values(system.move(q, s * v))[:, VALUE], 1e-6)
    for k, kind in enumerate(arrays.relative[:, 0]):
        if kind == RIM_END and arrays.relative_data[k, 16] == RIM_ON_DISC:
            compared += 1
            assert here[k, RATE] == pytest.approx(slopes[k], rel=1e-4, abs=1e-6)
    assert compared > 3


def onto_can(p: np.ndarray, radius: float, half: float) -> np.ndarray:
    """The nearest points of a cylinder to points (n, 3) in its axes."""
    rho = np.hypot(p[:, 0], p[:, 1])
    scale = np.minimum(1.0, radius / np.maximum(rho, 1e-300))
    return np.column_stack([p[:, :2] * scale[:, None], np.clip(p[:, 2], -half, half)])


def test_the_least_gap_of_two_cans_is_their_distance() -> None:
    """At random poses that do not overlap: against projections onto both by turns, accelerated, which know nothing of rims."""
    made, rng, count = made_of("can"), np.random.default_rng(55), 800
    system, S, HIS = made.whole, 0.15, 0.3
    arrays = system.arrays
    seen, poses, least = set(), [], []
    for k in range(count):
        q, v = state(made, rng)
        if k % 4 == 0:  # nearly parallel axes
            turn = Rotation.from_rotvec(0.02 * rng.normal(size=3)) * Rotation.from_quat(q[[4, 5, 6, 3]])
            q[10:14] = turn.as_quat()[[3, 0, 1, 2]]
        system.terms(0.0, q, v)
        gaps = []
        for i, kind in enumerate(arrays.relative[:, 0]):
            g, value = arrays.relative_data[i], arrays.relative_values[i, VALUE]
            fi, fj = (arrays.frames[b] for b in arrays.relative[i, 1:3])
            if kind == RIM_APART and g[17] > 0.0 and spatial_rims.bounded(fi, fj, g)[0] <= 0.0:
                gaps.append((value, int(g[16])))
            elif kind == EDGES_APART and spatial_edges.beyond(fi, fj, g)[0] <= 0.0:
                gaps.append((value - g[15], -1))
        poses.append(q)
        least.append(min(gaps))
    q = np.array(poses)
    turns = [Rotation.from_quat(q[:, k + np.array([4, 5, 6, 3])]) for k in (0, 7)]
    x, y, before, t = q[:, 7:10], q[:, 7:10], q[:, 7:10], 1.0
    for _ in range(4000):
        x = turns[0].apply(onto_can(turns[0].inv().apply(y - q[:, :3]), S, HIS)) + q[:, :3]
        new = turns[1].apply(onto_can(turns[1].inv().apply(x - q[:, 7:10]), R, HALF)) + q[:, 7:10]
        after = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        y, before, t = new + (t - 1.0) / after * (new - before), new, after
    distance = np.linalg.norm(before - x, axis=1)
    apart = (distance > 1e-4) & (distance < 0.25)  # a place that counts for nothing has a gap of 0.3 m
    for k in np.flatnonzero(apart):
        assert least[k][0] == pytest.approx(distance[k], abs=2e-6), k
        seen.add(least[k][1])
    assert apart.sum() > 100
    assert seen == {-1, RIM_ON_LINE, RIM_ON_DISC, RIM_ON_RIM}
