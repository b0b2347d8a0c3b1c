"""The element of a beam: its forces are the gradient of its energy, its tangents exact, a rigid motion leaves it alone."""

from typing import Any

import numpy as np
import pytest
from mechanisms import derivative
from scipy.linalg import expm
from scipy.stats import special_ortho_group

import mbsim
from mbsim.elements.loads import beam as element
from mbsim.kernels import screws
from mbsim.kernels.rotations import matrices, quaternions
from mbsim.observe.beams import Beams
from mbsim.observe.observer import poses

STATES = 200
SPATIAL: dict[str, Any] = {
    "from": [0.1, -0.2, 0.3], "to": [0.5, 0.3, 0.8], "elements": 1, "damping": {"stiffness": 0.02},
    "section": {"rectangle": [0.11, 0.07], "shear_centre": [0.02, -0.03]}, "material": {"E": 3e4, "nu": 0.2, "density": 900},
}  # fmt: skip
PLANAR: dict[str, Any] = {
    "from": [0.1, -0.2], "to": [0.5, 0.3], "elements": 1, "damping": {"stiffness": 0.02},
    "stiffness": {"EA": 70, "GA": 30, "EI": 2}, "mass": {"line": 1.3, "inertia": 0.02},
}  # fmt: skip
KINDS = {
    "plane": (2, PLANAR),
    "space": (3, SPATIAL),
    "cable": (2, PLANAR | {"cable": True}),
    "cable in space": (3, SPATIAL | {"cable": True}),
}


def system_of(kind: str, **more: Any) -> Any:
    dimension, block = KINDS[kind]
    return mbsim.assemble({"name": "beam", "dimension": dimension, "beams": {"b": block | more}, "simulation": {"end": 1}}).system


def random_state(system: Any, rng: np.random.Generator, turn: float) -> tuple[np.ndarray, np.ndarray]:
    """Two nodes somewhere, turned against each other by up to `turn`, rad."""
    v = rng.standard_normal(system.n_v)
    if system.dimension == 2:
        angle = rng.uniform(-3, 3)
        return np.array([*rng.normal(0, 0.4, 2), angle, *rng.normal(0, 0.4, 2), angle + rng.uniform(-turn, turn)]), v
    A = special_ortho_group.rvs(3, random_state=rng)
    axis = rng.standard_normal(3)
    x, y, z = axis * rng.uniform(0, turn) / np.linalg.norm(axis)
    B = A @ expm(np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))
    return np.concatenate([rng.normal(0, 0.4, 3), quaternions(A), rng.normal(0, 0.4, 3), quaternions(B)]), v


@pytest.mark.parametrize("kind", KINDS)
def test_tangents_are_those_of_differences(kind: str) -> None:
    """K and D of an element with damping at 200 random states, turned by up to 2.8 rad and by nearly nothing."""
    system, rng = system_of(kind), np.random.default_rng(3)
    unit, worst = np.eye(system.n_v), 0.0
    for k in range(STATES):
        q, v = random_state(system, rng, (2.8, 0.6, 0.4, 1e-3, 1e-6)[k % 5])
        if "cable" in kind:  # the law has a corner where it becomes slack
            d = screw_of(system, q)
            if abs(d[0] - system.arrays.load_data[0, 36 if system.dimension == 3 else 9]) < 0.1:
                continue
        found = system.tangents(0.0, q, v)
        K = np.array([derivative(lambda s, q=q, v=v, e=e: -system.terms(0.0, system.move(q, s * e), v)[1]) for e in unit]).T
        D = np.array([derivative(lambda s, q=q, v=v, e=e: -system.terms(0.0, q, v + s * e)[1]) for e in unit]).T
        worst = max(worst, np.abs(found.K - K).max() / np.abs(K).max(), np.abs(found.D - D).max() / max(1.0, np.abs(D).max()))
    assert worst < 2e-8


@pytest.mark.parametrize("kind", KINDS)
def test_tangents_by_hand_are_those_of_the_forces(kind: str) -> None:
    """What implicit steps take, against the derivatives of the forces by `mbsim.jit.forward`."""
    system, rng, c_q, c_v = system_of(kind), np.random.default_rng(5), 0.7, 1.3
    size = 3 if system.dimension == 2 else 6
    (_, i, j, law), numbers = system.arrays.loads[0], system.arrays.load_data[0]
    of_nodes = [*range(size * i, size * (i + 1)), *range(size * j, size * (j + 1))]
    found = np.full((2 * size, 2 * size), np.nan)
    for k in range(STATES // 2):
        q, v = random_state(system, rng, (2.8, 0.6, 0.4, 1e-3, 1e-6)[k % 5])
        expected = system.tangents(0.0, q, v)
        by_force = c_q * expected.K + c_v * expected.D
        for b in range(2 if size == 6 else 0):  # gyroscopic terms of the nodes
            inertia, w = system.arrays.masses[b, 1:].reshape(3, 3), v[6 * b + 3 : 6 * b + 6]
            by_force[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] -= c_v * (skew(w) @ inertia - skew(inertia @ w))
        system.terms(0.0, q, v)
        tangent = element.planar_tangent if size == 3 else element.spatial_tangent
        assert tangent(system.arrays, i, j, law, numbers, c_q, c_v, found)
        by_force = by_force[np.ix_(of_nodes, of_nodes)]
        assert np.abs(found - by_force).max() < 1e-13 * np.abs(by_force).max()


def skew(w: np.ndarray) -> np.ndarray:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def screw_of(system: Any, q: np.ndarray) -> np.ndarray:
    if system.dimension == 2:
        return screws.planar_log(q[3] - q[0], q[4] - q[1], q[5] - q[2], q[2])
    A, B = matrices(q[3:7]), matrices(q[10:])
    return screws.log(q[:3], A, q[7:10], B)


@pytest.mark.parametrize("kind", ["plane", "space", "cable", "cable in space"])
def test_forces_are_the_gradient_of_the_energy(kind: str) -> None:
    system, rng = system_of(kind, damping={"stiffness": 0}), np.random.default_rng(4)
    rest = np.zeros(system.n_v)
    for _ in range(40):
        q, _ = random_state(system, rng, 2.5)
        h = system.terms(0.0, q, rest)[1]
        slope = [derivative(lambda s, q=q, e=e: system.energy(0.0, system.move(q, s * e), rest)[1]) for e in np.eye(system.n_v)]
        np.testing.assert_allclose(h, -np.array(slope), atol=1e-8 * max(1.0, np.abs(h).max()))


@pytest.mark.parametrize("kind", ["plane", "space"])
def test_power_is_what_damping_takes(kind: str) -> None:
    """h . v is the rate of the energy, with the opposite sign, and the power that the element says damping has, which is never positive."""
    system, rng = system_of(kind), np.random.default_rng(5)
    for _ in range(40):
        q, v = random_state(system, rng, 2.5)
        _, h, *_, power = system.terms(0.0, q, v)
        rate = derivative(lambda s, q=q, v=v: system.energy(0.0, system.move(q, s * v), v)[1])
        assert power <= 0.0
        np.testing.assert_allclose(h @ v, power - rate, atol=1e-8 * max(1.0, abs(power), abs(rate)))


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_rigid_motion_leaves_no_strain(dimension: int) -> None:
    """A curved beam, turned by any angle and carried anywhere, has no stress resultants: to 1e-12 of those of a strain of one."""
    points = [[0, 0, 0], [1, 0.2, 0.3], [2, -0.3, 0.1], [2.5, 0.4, 0.9]]
    block = (SPATIAL if dimension == 3 else PLANAR) | {"points": [p[:dimension] for p in points], "elements": 6}
    block = {key: value for key, value in block.items() if key not in ("from", "to")}
    made = mbsim.assemble({"name": "b", "dimension": dimension, "beams": {"b": block}, "simulation": {"end": 1}})
    system, rng, observe = made.system, np.random.default_rng(6), Beams(made.system)
    size = float(np.abs(system.arrays.load_data[:, : (3 if dimension == 2 else 6) ** 2]).max())
    for _ in range(50):
        q = made.q.copy().reshape(7, -1)
        if dimension == 2:
            a = rng.uniform(-50, 50)
            R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            q[:, :2], q[:, 2] = q[:, :2] @ R.T + rng.normal(0, 1, 2), q[:, 2] + a
        else:
            R = special_ortho_group.rvs(3, random_state=rng)
            turned = quaternions(R @ matrices(q[:, 3:]))
            q[:, :3], q[:, 3:] = q[:, :3] @ R.T + rng.normal(0, 1, 3), turned * rng.choice([-1, 1], (7, 1))
        flat, rest = q.ravel(), np.zeros(system.n_v)
        assert np.abs(system.terms(0.0, flat, rest)[1]).max() < 1e-12 * size
        told = observe.chunk(poses(system, flat[None], rest[None]), q[None, :, 2] if dimension == 2 else None)
        assert max(np.abs(told["beam_strain"]).max(), np.abs(told["beam_curvature"]).max()) < 1e-12 * 10


def test_the_screw_is_the_logarithm() -> None:
    """exp of the screw carries the first frame into the second; J of the element is the inverse of the left tangent of exp."""
    rng = np.random.default_rng(7)
    for scale in (1e-9, 1e-3, 0.3, 0.49, 0.51, 1.0, 2.0, 2.9):
        d = rng.standard_normal(6)
        d[3:] *= scale / np.linalg.norm(d[3:])
        ad = np.array([screws.commutator(d, e) for e in np.eye(6)]).T
        J = np.linalg.inv(np.sum([np.linalg.matrix_power(ad, k) / float(np.prod(np.arange(1.0, k + 2))) for k in range(45)], axis=0))
        x, s = rng.standard_normal(6), float(d[3:] @ d[3:])
        np.testing.assert_allclose(element.rate_of.py_func(tuple(d), s, tuple(x)), J @ x, atol=4e-15 * np.abs(J).max() * 6)
        np.testing.assert_allclose(element.wrench_of.py_func(tuple(d), s, tuple(x)), J.T @ x, atol=4e-15 * np.abs(J).max() * 6)
        np.testing.assert_allclose(screws.rate(d, x), J @ x, atol=4e-15 * np.abs(J).max() * 6)
        cross = np.cross(d[3:], np.eye(3)).T
        H = expm(np.block([[cross, d[:3, None]], [np.zeros((1, 4))]]))
        found = screws.log(np.zeros(3), np.eye(3), H[:3, 3], H[:3, :3])
        np.testing.assert_allclose(found, d, atol=1e-14 * (1.0 + np.abs(d).max()) + (1e-13 if scale > 2.5 else 0.0))
