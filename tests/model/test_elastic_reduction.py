"""The reduction of an elastic part: mean axes, frequencies as a cantilever, and what is wrong with matrices."""

from typing import Any

import numpy as np
import pytest
from elastic_matrices import beam
from scipy.linalg import eigvalsh, null_space
from scipy.sparse import csc_array

from mbsim.model.elastic_files import made
from mbsim.model.elastic_reduction import Frame, PartError, Reduced, reduce, rigid_motions

# A cantilever from a beam with interfaces at both ends and 0 to 5 modes in its plane: design of this project, case 8.
FIRST = (3.53273154, 3.51723541, 3.51622052, 3.51606979, 3.51603429, 3.51602322)
SECOND = (34.80689311, 22.12648131, 22.05853013, 22.04234787, 22.03757784, 22.03588381)
STIFF = {"EA": 4e5, "GJ": 1e3}  # so that the lowest modes bend the beam


def part(nodes: np.ndarray, M: np.ndarray, K: np.ndarray, **more: Any) -> Any:
    return made(nodes, csc_array(M), csc_array(K), more.get("dofs"), None)


def ends(nodes: np.ndarray) -> dict[str, Frame]:
    return {"hub": Frame(np.array([0]), nodes[0]), "tip": Frame(np.array([len(nodes) - 1]), nodes[-1])}


def as_cantilever(found: Reduced, places: list[np.ndarray]) -> np.ndarray:
    """Frequencies of the part with its first interface held, from its linear equations."""
    n = len(found.omegas)
    M, K, ties = np.zeros((6 + n, 6 + n)), np.diag([0.0] * 6 + list(found.total * found.omegas**2)), []
    M[:3, :3], M[3:6, 3:6], M[6:, 6:] = found.mass * np.eye(3), found.inertia, found.total * np.eye(n)
    for k, place in enumerate(places):
        motions = rigid_motions(place[None], np.array([(0, c) for c in range(6)]), found.centre)
        ties.append(np.hstack([motions, found.shapes[k]]))
        M += ties[k].T @ np.diag([found.interface_masses[k]] * 3 + [found.interface_inertias[k]] * 3) @ ties[k]
    free = null_space(ties[0])
    return np.sqrt(eigvalsh(free.T @ K @ free, free.T @ M @ free))


@pytest.mark.parametrize("modes", range(6))
def test_a_cantilever_of_a_reduced_beam(modes: int) -> None:
    nodes, M, K = beam(**STIFF)
    found = reduce(part(nodes, M, K), ends(nodes), 2 * modes)  # in two planes
    frequencies = as_cantilever(found, [nodes[0], nodes[-1]])
    np.testing.assert_allclose(frequencies[:2], FIRST[modes], rtol=3e-8)
    np.testing.assert_allclose(frequencies[2:4], SECOND[modes], rtol=3e-8)


def test_mean_axes() -> None:
    """Modes have neither momentum nor moment of momentum; all of the mass is there; a rigid motion of the nodes is one of the part."""
    nodes, M, K = beam(3, 3)
    nodes = nodes + [0.3, -0.2, 0.1]
    found = reduce(part(nodes, M, K), ends(nodes), 4)
    assert len(found.omegas) == 12 + 4 - 6 and found.omegas[0] > 1.0
    assert found.total == pytest.approx(1.0) and found.mass + found.interface_masses.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found.centre, [0.8, -0.2, 0.1], atol=1e-12)  # the interfaces take as much of both ends
    across = found.mass * found.centre + found.interface_masses @ nodes[[0, -1]]
    np.testing.assert_allclose(across, [0.8, -0.2, 0.1], atol=1e-12)
    arms = nodes[[0, -1]] - found.centre
    J = found.inertia[2, 2] + (found.interface_inertias + found.interface_masses * (arms**2).sum(axis=1)).sum()
    assert pytest.approx(1.0 / 12.0) == J
    np.testing.assert_allclose(found.node_shapes[[0, -1]], found.shapes[:, :3], atol=1e-10 * np.abs(found.shapes).max())


def test_many_unknowns_are_reduced_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """By an iteration on sparse matrices, and by dense ones."""
    nodes, M, K = beam(6, 3)
    dense = reduce(part(nodes, M, K), ends(nodes), 5)
    monkeypatch.setattr("mbsim.model.elastic_reduction.DENSE", 0)
    sparse = reduce(part(nodes, M, K), ends(nodes), 5)
    np.testing.assert_allclose(sparse.omegas, dense.omegas, rtol=1e-9)


def _held(nodes: np.ndarray, M: np.ndarray, K: np.ndarray) -> Any:
    K[:6, :6] += 10.0 * np.eye(6)
    return part(nodes, M, K)


def _hinged(nodes: np.ndarray, M: np.ndarray, K: np.ndarray) -> Any:
    """Two beams, one after the other, whose ends do not know of each other."""
    joined = [np.block([[A, 0.0 * A], [0.0 * A, A]]) for A in (M, K)]
    return part(np.concatenate([nodes, nodes + [1.5, 0.0, 0.0]]), *joined)


def _negative(nodes: np.ndarray, M: np.ndarray, K: np.ndarray) -> Any:
    return part(nodes, M, -K)


def _no_inertia(nodes: np.ndarray, M: np.ndarray, K: np.ndarray) -> Any:
    turns = np.arange(len(M)) % 6 == 3
    M[turns] = M[:, turns] = 0.0
    return part(nodes, M, K)


def _uneven(nodes: np.ndarray, M: np.ndarray, K: np.ndarray) -> Any:
    along = np.arange(len(M)) % 6 == 0
    M[along] *= 2.0
    return part(nodes, M, K)


def _skewed(nodes: np.ndarray, M: np.ndarray, K: np.ndarray) -> Any:
    K[0, 6] *= 1.1
    return part(nodes, M, K)


WRONG = {
    _held: r"0 free motions in place of 6: its stiffness matrix holds it",
    _hinged: r"(12 free motions in place of 6|still free|held, or a piece is free)",
    _negative: r"negative eigenvalue",
    _no_inertia: r"the mass matrix gives no mass to a motion of the interface",
    _uneven: r"none of a body",
    _skewed: r"the stiffness matrix is not symmetric",
}


@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_matrices_that_are_wrong(make: Any) -> None:
    wrong = make(*beam(2, 3))
    with pytest.raises(PartError, match=WRONG[make]):
        reduce(wrong, ends(wrong.nodes), 2)


def test_interfaces_that_are_wrong() -> None:
    nodes, M, K = beam(2, 3)
    whole = part(nodes, M, K)
    with pytest.raises(PartError, match="the node 0 is in two interfaces, hub and tip"):
        reduce(whole, {"hub": Frame(np.array([0]), nodes[0]), "tip": Frame(np.array([0]), nodes[0])}, 0)
    with pytest.raises(PartError, match="there are 18 degrees of freedom inside of the interfaces"):
        reduce(whole, ends(nodes), 19)
    with pytest.raises(PartError, match="the part would be rigid"):
        reduce(whole, {"hub": Frame(np.array([0]), nodes[0])}, 0)
    along = np.array([(k, c) for k in range(5) for c in range(3)])
    kept = np.ravel([[6 * k + c for c in range(3)] for k in range(5)])
    solid = part(nodes, M[np.ix_(kept, kept)], K[np.ix_(kept, kept)], dofs=along)
    with pytest.raises(PartError, match="the interface hub could turn without its nodes"):
        reduce(solid, ends(nodes), 0)
