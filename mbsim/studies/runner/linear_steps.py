"""Steps of s_dot = A(t) s + b(t) over rows of a march: Lobatto's IIIA formula of order 4, stable for stiff motions.

Hairer & Wanner, Solving ODE II, IV.5. A step is taken in one and in two halves; the difference is its error, and the two are extrapolated.
"""

from typing import NamedTuple

import numpy as np

from mbsim.system.system import Floats

QUARTERS = 4  # rows of the march in a step
MOST_PARTS = 16  # into which a step is divided at once
SAFETY = 1.1
FLOOR = 1e-9  # of the largest one: smaller components of s count as round-off
OF_RATES = 1e-6  # of the largest one, likewise: accelerations are sums of forces
OF_STATE = 1e-3  # of the state, for a change by the size of what varies: no derivative is followed more closely


class Steps(NamedTuple):
    """s at the end of a step is E s + r, with the error F s + f; the last axis of r and f: by t, then by each number that varies."""

    E: Floats  # (k, n_s, n_s)
    r: Floats  # (k, n_s, 1 + n_p)
    F: Floats  # (k, n_s, n_s)
    f: Floats  # (k, n_s, 1 + n_p)


def steps(grid: Floats, A: Floats, b: Floats) -> Steps:
    """The steps over rows at the times `grid` (4 k + 1,), where A is (4 k + 1, n_s, n_s) and b (4 k + 1, n_s, 1 + n_p)."""
    h = np.diff(grid[::QUARTERS])
    E_1, r_1 = _lobatto(A, b, 0.5 * h, 0, 1)
    E_2, r_2 = _lobatto(A, b, 0.5 * h, 2, 1)
    E, r = _lobatto(A, b, h, 0, 2)
    halves, r_halves = E_2 @ E_1, E_2 @ r_1 + r_2
    F, f = (halves - E) / 15.0, (r_halves - r) / 15.0
    return Steps(halves + F, r_halves + f, F, f)


def _lobatto(A: Floats, b: Floats, h: Floats, first: int, apart: int) -> tuple[Floats, Floats]:
    """The steps of lengths h (k,) from row `first` of each four, over rows that are `apart`."""
    last = len(A) - QUARTERS
    (A0, A1, A2), (b0, b1, b2) = ([x[first + i * apart : last + first + i * apart : QUARTERS] for i in range(3)] for x in (A, b))
    k, n = len(h), A.shape[1]
    c = h[:, None, None]
    matrix = np.zeros((k, 2 * n, 2 * n))
    matrix[:] = np.eye(2 * n)
    matrix[:, :n, :n] -= c / 3.0 * A1
    matrix[:, :n, n:] += c / 24.0 * A2
    matrix[:, n:, :n] -= 2.0 * c / 3.0 * A1
    matrix[:, n:, n:] -= c / 6.0 * A2
    one = np.eye(n)
    of_s = np.concatenate([one + c * 5.0 / 24.0 * A0, one + c / 6.0 * A0], axis=1)
    of_b = np.concatenate([c * (5.0 * b0 + 8.0 * b1 - b2) / 24.0, c * (b0 + 4.0 * b1 + b2) / 6.0], axis=1)
    found = np.linalg.solve(matrix, np.concatenate([of_s, of_b], axis=2))[:, n:]
    return found[:, :, :n], found[:, :, n:]


class Scales:
    """The sizes of z and of s so far, which errors of steps are compared with."""

    def __init__(self, sizes: Floats, n_s: int, span: float) -> None:
        """`sizes` (n_p,) of what varies; `span` of the run, s."""
        self._sizes, self._span = sizes, span
        self._z, self._s = np.zeros(n_s), np.zeros((n_s, len(sizes)))

    def look(self, z: Floats, s: Floats) -> None:
        """See states (k, n_s) and their derivatives (k, n_s, n_p)."""
        self._z, self._s = np.maximum(self._z, np.abs(z).max(axis=0)), np.maximum(self._s, np.abs(s).max(axis=0))

    def of_s(self) -> Floats:
        """(n_s, n_p)"""
        scale = self._s + OF_STATE * self._z[:, None] / self._sizes
        return np.asarray(scale + FLOOR * scale.max(axis=0, initial=1e-300))

    def of_rates(self, rates: Floats) -> Floats:
        """(n_s,) of z_dot, of which (k, n_s) are seen."""
        scale = np.abs(rates).max(axis=0) + OF_STATE * self._z / self._span
        return np.asarray(scale + OF_RATES * scale.max(initial=1e-300))


def parts(error: Floats, tolerance: float) -> np.ndarray:
    """Into how many parts each step is to be divided whose error (k,) is above the tolerance; 1 where it is not."""
    wanted = np.ceil(SAFETY * np.maximum(error / tolerance, 1e-30) ** 0.2)
    return np.where(error > tolerance, np.clip(wanted, 2.0, MOST_PARTS), 1.0).astype(int)
