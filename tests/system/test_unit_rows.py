"""What is compiled for looks at ranks and for states between two is what NumPy finds."""

import numpy as np
import pytest
from mechanisms import MODELS

import mbsim
from mbsim.diagnosis import redundancy as ranks
from mbsim.diagnosis.consistent import Positions, Units, assemble_position
from mbsim.diagnosis.extent import extent, positions
from mbsim.diagnosis.redundancy import redundancy, unit_rows
from mbsim.system.unit_rows import UnitRows

NAMES = ("four_bar", "n_four_bar_2", "bricard", "spatial_slider_crank", "andrews_squeezer")


@pytest.fixture(params=NAMES)
def made(request):
    return mbsim.assemble(mbsim.load_model(MODELS / f"{request.param}.yaml"))


def moved(made, size, seed):
    """A configuration beside the start."""
    d = np.random.default_rng(seed).uniform(-size, size, made.system.n_v)
    return made.system.move(made.q, d)


def test_rows_are_unit_with_their_columns_scaled(made):
    system, scales = made.system, np.random.default_rng(1).uniform(0.5, 2.0, made.system.n_v)
    rows = UnitRows(system, scales)
    for seed in range(3):
        q = moved(made, 0.1, seed)
        rows.look(0.0, q)
        C = system.C(0.0, q)
        np.testing.assert_array_equal(rows.C, C)
        np.testing.assert_allclose(rows.unit, unit_rows(C * scales, system.arrays.row_shares)[0], rtol=1e-14, atol=1e-15)


def test_states_are_moved_onto_the_constraints_as_by_singular_values(made):
    system, found = made.system, Positions(made.system)
    for seed in range(3):
        q = moved(made, 1e-3, seed)
        there = found.consistent(0.0, q)
        units = Units.of(system, 0.0, there)
        residual = system.phi(0.0, there) / units.rows[: system.n_holonomic]
        assert np.abs(system.phi(0.0, q)).max() > 1e-6  # it was not there
        assert np.abs(residual).max() <= units.accepted
        other = assemble_position(system, 0.0, q, np.zeros(system.n_v, bool))
        depend = redundancy(system, 0.0, there).rank < system.n_rows  # round-off over small pivots moves along the motion
        np.testing.assert_allclose(there, other, rtol=0.0, atol=1e-7 if depend else 1e-9)


def test_the_extent_reaches_over_bodies_and_joints(made):
    system = made.system
    points = [*positions(system, made.start, made.q)]
    for joint in system.joints:
        f = system.arrays.frames[joint.second]
        R = f[3:12].reshape(3, 3) if system.dimension == 3 else np.array([[f[2], -f[3], 0.0], [f[3], f[2], 0.0], [0.0, 0.0, 1.0]])
        points.append(joint.second_point if joint.second < 0 else points[joint.second] + R @ joint.second_point)
    assert extent(system, made.start, made.q) == pytest.approx(float(np.linalg.norm(np.ptp(points, axis=0))), rel=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_rows_depend_on_those_of_their_block_and_on_no_others(seed: int) -> None:
    """Blocks of random rows of a rank below their number: each depends on all others of its block. A block of full rank depends on none."""
    rng = np.random.default_rng(seed)
    sizes = [(int(rng.integers(2, 7)), int(rng.integers(2, 6))) for _ in range(4)]
    C, groups, row, column = np.zeros((sum(m for m, _ in sizes), sum(n for _, n in sizes))), [], 0, 0
    for k, (m, n) in enumerate(sizes):
        rank = min(m, n) if k == 0 else int(rng.integers(1, min(m, n) + 1))
        C[row : row + m, column : column + n] = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
        groups += [list(range(row, row + m))] * (rank < m)
        row, column = row + m, column + n
    order = rng.permutation(len(C))
    unit, _ = unit_rows(C[order])
    U, sigma, _ = np.linalg.svd(unit, full_matrices=False)
    unique, found = ranks._dependencies(U[:, : ranks.count_rank(sigma)])
    assert sorted(sorted(int(order[i]) for i in group) for group in found) == groups
    assert {int(order[i]) for i in np.flatnonzero(~unique)} == {i for group in groups for i in group}


def test_a_large_system_that_blocks_do_not_take_is_looked_at_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a heap, where all contacts of a body meet in it."""
    made = mbsim.assemble(mbsim.load_model(MODELS / "bricard.yaml"))
    monkeypatch.setattr(ranks, "is_large", lambda system: True)
    expected = ranks.redundancy(made.system, made.start, made.q)

    def refuse(system: object) -> None:
        raise ValueError("too many block products")

    monkeypatch.setattr(ranks, "Blocks", refuse)
    found = ranks.redundancy(made.system, made.start, made.q)
    assert found.rank == expected.rank and found.groups == expected.groups
    np.testing.assert_array_equal(found.unique, expected.unique)


@pytest.mark.parametrize("turn", [1.0, 1e-2, 1e-6, 1e-12, 0.0])
def test_ranks_are_told_without_singular_values_where_these_are_far_from_zero(made, turn, monkeypatch):
    """Also of rows that are nearly parallel, where only singular values can tell."""
    system, rng = made.system, np.random.default_rng(7)
    for seed in range(3):
        q = moved(made, 0.1, seed)
        whole, quick = redundancy(system, 0.0, q), redundancy(system, 0.0, q, shown=False)
        assert quick.rank == whole.rank == ranks.find_rank(system, 0.0, q) and quick.groups == whole.groups
        np.testing.assert_array_equal(quick.unique, whole.unique)
        assert not len(quick.singular_values) or np.array_equal(quick.singular_values, whole.singular_values)
    rows = rng.normal(size=(5, 9))
    rows[4] = rows[0] + turn * rows[4]
    unit, _ = unit_rows(rows)
    sigma = np.linalg.svd(unit, compute_uv=False)
    assert ranks._surely_independent(unit) == (sigma[-1] > 0.0 and float(np.sum(1.0 / sigma**2)) * ranks.SURELY < 1.0) == (turn > 1e-3)
