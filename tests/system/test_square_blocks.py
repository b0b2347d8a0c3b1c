"""Square blocks in registers give what the plain ways of the elimination give."""

import numpy as np
import pytest

from mbsim.saddle.bodies import factor, squares

WAYS = {
    squares.PLANAR: (squares.solve_three, squares.subtract_three),
    squares.SPATIAL: (squares.solve_six, squares.subtract_six),
}


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("size", WAYS)
def test_they_are_those_of_any_size(size: int, kind: type) -> None:
    rng, count, stride = np.random.default_rng(size), size * size, size + 2
    solve, subtract = WAYS[size]
    for _ in range(20):
        A, B, C = (rng.standard_normal((size, size)) + (1j * rng.standard_normal((size, size)) if kind is complex else 0) for _ in range(3))
        S = np.concatenate([A.ravel(), B.ravel(), C.ravel(), np.zeros(size * stride)]).astype(kind)
        order = np.zeros(size, np.int64)
        assert factor.factor_block(S, 0, size, order)
        plain, target = S.copy(), 3 * count
        factor.solve_columns(plain, 0, size, order, count, size)
        factor.subtract_product(plain, 2 * count, size, size, count, size, target, stride)
        solve(S, 0, order, count)
        subtract(S, 2 * count, count, target, stride)
        X = np.linalg.solve(A, B)
        assert np.abs(S[count : 2 * count].reshape(size, size) - X).max() < 1e-12 * np.abs(X).max() * np.linalg.cond(A)
        assert np.abs(S - plain).max() < 1e-12 * np.abs(plain).max()
