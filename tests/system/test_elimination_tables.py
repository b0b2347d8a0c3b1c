"""The tables of eliminations: an elimination written plainly by one solves random systems, and no blocks overlap."""

import numpy as np
import pytest

from mbsim.saddle import columns as col
from mbsim.saddle.graph import coupled
from mbsim.saddle.layout import Blocks, stacked
from mbsim.saddle.lines import after, first_line, lines_of
from mbsim.saddle.order import minimum_degree

Matrix = np.ndarray


def eliminated(table: Matrix, S: Matrix, y: Matrix, symmetric: bool) -> Matrix:
    """The solution by the blocks S, as the table says; a block (group, later) of a symmetric matrix is not kept."""
    groups, entries, products = (table[first_line(table, part) : after(table, part)] for part in (col.GROUPS, col.ENTRIES, col.PRODUCTS))

    def part(at: int, rows: int, columns: int, stride: int) -> Matrix:
        return np.lib.stride_tricks.as_strided(S[at:], (rows, columns), (8 * stride, 8))

    entry = product = 0
    for first, size, at, below, updates, *_ in groups.tolist():
        inverse = np.linalg.inv(part(at, size, size, size))
        for k in range(entry, entry + below):
            later, count, left, right = entries[k, : col.RIGHT + 1].tolist()
            y[later : later + count] -= part(left, count, size, size) @ inverse @ y[first : first + size]
            if not symmetric:
                part(right, size, count, count)[:] = inverse @ part(right, size, count, count)
        for line in products[product : product + updates].tolist():
            left, rows, right, columns, target, last = line[: col.STRIDE + 1]
            if symmetric:
                removed = part(left, rows, size, size) @ inverse @ part(right, columns, size, size).T
                part(target, rows, columns, columns)[:] -= removed
                assert last == (left == right)
            else:
                part(target, rows, columns, last)[:] -= part(left, rows, size, size) @ part(right, size, columns, columns)
        entry, product = entry + below, product + updates
    for first, size, at, below, *_ in groups[::-1].tolist():
        entry -= below
        x = np.linalg.solve(part(at, size, size, size), y[first : first + size])
        for later, count, left, right in entries[entry : entry + below, : col.RIGHT + 1].tolist():
            back = part(right, size, count, count)
            if symmetric:
                back = np.linalg.solve(part(at, size, size, size), part(left, count, size, size).T)
            x = x - back @ y[later : later + count]
        y[first : first + size] = x
    return y


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_an_elimination_by_the_table_solves_a_random_system(seed: int, symmetric: bool) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 12))
    near: dict[int, set[int]] = {g: set() for g in range(count)}
    for g in range(1, count):
        for f in rng.choice(g, int(rng.integers(1, min(g, 3) + 1)), replace=False).tolist():
            near[g].add(f)
            near[f].add(g)
    order = minimum_degree(near)
    size = rng.integers(1, 5, count).tolist()
    blocks = Blocks(order, coupled(order, near), size, size, symmetric)
    first = dict(zip(order, np.cumsum([0, *(size[g] for g in order[:-1])]).tolist(), strict=True))
    A = np.zeros((sum(size), sum(size)))
    for g in range(count):
        for f in {g, *near[g]}:
            A[first[g] : first[g] + size[g], first[f] : first[f] + size[f]] = rng.normal(size=(size[g], size[f]))
    A = A + A.T if symmetric else A
    A += 20.0 * np.eye(len(A))
    S, taken = np.zeros(blocks.places), np.zeros(blocks.places, np.int64)
    for (g, f), at in (blocks.left | blocks.right | {(g, g): at for g, at in blocks.diagonal.items()}).items():
        there = slice(at, at + size[g] * size[f])
        S[there] = A[first[g] : first[g] + size[g], first[f] : first[f] + size[f]].ravel()
        taken[there] += 1
    assert (taken == 1).all()
    entries = {(f, g): (blocks.diagonal[f] if symmetric else blocks.right[g, f],) for f, g in blocks.left}
    table = stacked(blocks.sections(first, dict.fromkeys(order, ()), entries) | {col.SLOTS: [[7]]}, (3,))
    assert lines_of(table, col.GROUPS) == count
    assert table[first_line(table, col.SLOTS), 0] == 7
    assert table[col.FACTS, col.SPEEDS] == 3
    y = rng.normal(size=len(A))
    assert np.abs(eliminated(table, S, y.copy(), symmetric) - np.linalg.solve(A, y)).max() < 1e-12
