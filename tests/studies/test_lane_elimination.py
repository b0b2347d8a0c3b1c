"""The equations of implicit steps in lanes: solved as LAPACK does, in an order that keeps them sparse, with pivots that are looked at."""

import numpy as np
import pytest

from mbsim.jit.straight.graph import Graph, TraceError
from mbsim.straight.elimination import eliminate, entries


def chain(graph: Graph, links: int, seed: int) -> tuple[list[dict[int, object]], np.ndarray, list[object]]:
    """[A, -C'; C, 0] of links that springs couple, each of three speeds with two rows to the one before; and its mass matrix."""
    rng, n, m = np.random.default_rng(seed), 3 * links, 2 * links
    A, C = np.zeros((n, n)), np.zeros((m, n))
    for k in range(links):
        here = slice(3 * k, 3 * k + 3)
        A[here, here] += np.diag(rng.uniform(1.0, 2.0, 3))
        C[2 * k : 2 * k + 2, here] = rng.uniform(-1.0, 1.0, (2, 3))
        if k:
            both = slice(3 * k - 3, 3 * k + 3)
            A[both, both] += 0.1 * np.eye(6) + rng.uniform(-0.05, 0.05, (6, 6))
            C[2 * k : 2 * k + 2, both][:, :3] = rng.uniform(-1.0, 1.0, (2, 3))
    whole = np.block([[A, -C.T], [C, np.zeros((m, m))]])
    traced = [[graph.input(i * len(whole) + j, x) if x else 0.0 for j, x in enumerate(row)] for i, row in enumerate(whole)]
    return [entries(row) for row in traced], whole, [float(x) for x in np.diag(A)]


@pytest.mark.parametrize("links", [1, 2, 7])
def test_the_solution_is_that_of_lapack(links: int) -> None:
    graph = Graph()
    rows, whole, inertia = chain(graph, links, links)
    b = np.random.default_rng(3).uniform(-1.0, 1.0, len(whole))
    found = eliminate(rows, inertia, 1e-6).solve([graph.input(10**4 + i, x) for i, x in enumerate(b)])
    np.testing.assert_allclose([graph.values[x.at] for x in found], np.linalg.solve(whole, b), rtol=1e-11, atol=1e-12)
    assert all(graph.values[at] == holds for at, holds in graph.guards.items())


def test_operations_grow_with_the_number_of_links() -> None:
    counts = []
    for links in (10, 20):
        graph = Graph()
        rows, _, inertia = chain(graph, links, 1)
        eliminate(rows, inertia, 1e-6)
        counts.append(len(graph.operations) - sum(map(len, rows)))
    assert counts[1] < 2.5 * counts[0]


def test_dependent_rows_are_seen_by_their_pivots() -> None:
    """At another state a row may become another's: that is a comparison which comes out otherwise, and the lane is left."""
    graph = Graph()
    x, y = graph.input(0, 1.0), graph.input(1, 1.0)
    rows = [{0: 2.0, 2: -1.0, 3: -x}, {1: 2.0, 2: -1.0, 3: -y}, {0: 1.0, 1: 1.0}, {0: x, 1: y}]
    eliminate(rows, [2.0, 2.0], 1e-6)
    assert any(graph.values[at] != holds for at, holds in graph.guards.items())


def test_a_row_about_nothing_is_refused() -> None:
    with pytest.raises(TraceError, match="out of its range"):
        eliminate([{0: 2.0}, {}], [2.0], 1e-6)
