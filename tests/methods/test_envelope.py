"""Products and factors of rows that touch few columns (mbsim.kernels.envelope) against NumPy, and the watch that stands on them."""

from pathlib import Path

import numpy as np
import pytest

import mbsim
from mbsim.kernels import envelope

ROOT = Path(__file__).parents[2]
SHAPES = ["chain", "comb", "ring", "full", "apart"]  # which columns the rows share


def shape(kind: str, m: int, rng: np.random.Generator) -> np.ndarray:
    """Which entries (m, n) of rows are written, with rows and columns in random order."""
    n = m + 3
    written = np.zeros((m, n), bool)
    for i in range(m):
        columns = {
            "chain": [i, i + 1, i + 2],
            "comb": [i, i + 1, (m if i % 3 else m + 1)],
            "ring": [i, (i + 1) % m],
            "full": list(range(n)),
            "apart": [i],
        }[kind]
        written[i, columns] = True
    return written[rng.permutation(m)][:, rng.permutation(n)]


class Rows:
    """Random unit rows of a shape, arranged as the watch arranges them, with the indices of all kernels."""

    def __init__(self, kind: str, m: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        written = shape(kind, m, rng)
        n = written.shape[1]
        columns, counts = np.zeros(m * n, np.int64), written.sum(axis=1)
        for i in range(m):
            columns[i * n : i * n + counts[i]] = np.flatnonzero(written[i])
        self.places = np.zeros(n, np.int64)
        scratch = np.zeros((2, m), np.int64)
        outer = envelope.number(columns, counts, n, 0, self.places, scratch[0], scratch[1])
        envelope.number(columns, counts, n, outer, self.places, scratch[0], scratch[1])
        placed = np.zeros((m, n), bool)
        placed[:, self.places] = written
        self.first, self.last = np.argmax(placed, axis=1), n - np.argmax(placed[:, ::-1], axis=1)
        self.A, self.B = (self._unit(np.where(placed, rng.normal(size=(m, n)), 0.0)) for _ in range(2))
        self.order = np.arange(m)
        envelope.sort(self.order, m, self.first, self.last)
        self.begins, self.ends, self.low, self.high = (np.zeros(m, np.int64) for _ in range(4))
        envelope.bounds(self.order, m, self.first, self.last, self.begins, self.ends)
        self.X = np.full((m, m), np.nan)

    @staticmethod
    def _unit(A: np.ndarray) -> np.ndarray:
        return A / np.linalg.norm(A, axis=1)[:, None]

    def product(self) -> np.ndarray:
        """A B' of the rows in their order, dense."""
        return self.A[self.order] @ self.B[self.order].T

    def fill(self) -> None:
        """X <- A B' by the kernel."""
        m = len(self.A)
        envelope.products(self.A, self.B, self.order, m, self.first, self.last, self.begins, self.ends, self.X, self.low, self.high)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_products_and_their_factors_are_those_of_dense_matrices(kind: str, seed: int) -> None:
    rows = Rows(kind, 11 + seed, seed)
    m, rng = len(rows.A), np.random.default_rng(100 + seed)
    assert sorted(rows.places) == list(range(m + 3))
    rows.fill()
    dense = rows.product()
    np.testing.assert_allclose(rows.X, dense, atol=1e-14)
    order, b = np.zeros(m, np.int64), rng.normal(size=m)
    sign = envelope.lu(rows.X, m, rows.low, rows.high, order)
    assert sign == np.linalg.slogdet(dense)[0]
    L, U = np.tril(rows.X, -1) + np.eye(m), np.triu(rows.X, 1) + np.diag(1.0 / np.diag(rows.X))
    np.testing.assert_allclose(L @ U, dense[order], atol=1e-10)

    rows.X[:] = np.nan
    envelope.gram(rows.A, rows.order, m, rows.first, rows.last, rows.ends, rows.X, rows.low)
    assert envelope.cholesky(rows.X, m, rows.low, 1e-5)
    G = np.linalg.cholesky(rows.A[rows.order] @ rows.A[rows.order].T)
    for kernel, expected in (
        (envelope.forward, np.linalg.solve(G, b)),
        (envelope.backward, np.linalg.solve(G.T, b)),
        (envelope.lower_product, G @ b),
        (envelope.upper_product, G.T @ b),
    ):
        x = b.copy()
        kernel(rows.X, m, rows.low, x)
        np.testing.assert_allclose(x, expected, rtol=1e-7, atol=1e-9)


def test_the_rows_of_a_chain_touch_their_neighbours_only_whatever_their_order() -> None:
    rows = Rows("chain", 60, 7)
    rows.fill()
    assert (rows.high - rows.low).max() <= 5
    assert (np.abs(rows.product()) > 0.0).sum() == (rows.high - rows.low).sum()


def test_a_row_that_depends_on_others_has_no_factor() -> None:
    rows = Rows("chain", 12, 3)
    m = len(rows.A)
    rows.A[rows.order[-1]] = -rows.A[rows.order[0]]
    rows.first[rows.order[-1]], rows.last[rows.order[-1]] = rows.first[rows.order[0]], rows.last[rows.order[0]]
    envelope.bounds(rows.order, m, rows.first, rows.last, rows.begins, rows.ends)
    envelope.gram(rows.A, rows.order, m, rows.first, rows.last, rows.ends, rows.X, rows.low)
    assert not envelope.cholesky(rows.X, m, rows.low, 1e-5)


def test_the_sign_of_a_singular_matrix_is_neither() -> None:
    X, order = np.diag([1.0, 0.0, -1.0]), np.zeros(3, np.int64)
    assert envelope.lu(X, 3, np.arange(3), np.arange(1, 4), order) == 0


@pytest.mark.parametrize("windows", [1, 2])
def test_each_flat_position_of_four_bars_in_parallel_is_passed(windows: int) -> None:
    """One for each half turn of the cranks, where as many rows depend on others as there are windows; and the motion is that before."""
    model = mbsim.load_model(ROOT / "models" / f"n_four_bar_{windows}.yaml")
    result = mbsim.simulate(model, end=10.0, step=0.02, method="cfa", integrator="rk4")
    turned = abs(result["q"][-1, 2] - result["q"][0, 2])
    changes = result.attributes["rank_changes"]
    assert len(changes) == int((turned + 0.5 * np.pi) / np.pi) > 5
    assert all(change["before"] == change["after"] == change["rank"] + windows for change in changes)
    angles = result["q"][:, [2 + 3 * k for k in range(windows + 1)]]
    np.testing.assert_allclose(angles, angles[:, :1] @ np.ones((1, windows + 1)), atol=1e-6)
