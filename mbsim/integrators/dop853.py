"""The Runge-Kutta formula of order 8 of Prince & Dormand with Hairer's error control (DOP853); twelve evaluations a step.

Two estimates, of orders 5 and 3, are combined so that the error is of order 8 in the step. The interpolant of order 7 needs three
more evaluations, made only if an output time lies inside the step. Hairer, Norsett & Wanner 1993, section II.10; coefficients in
`_dop853`, marching in `_embedded`.
"""

from functools import partial

import numpy as np

from mbsim.integrators import _dop853 as table
from mbsim.integrators import _embedded
from mbsim.integrators._embedded import OPTIONS

__all__ = ["OPTIONS", "marcher"]

ORDER = 8
LOCATES = True  # ends steps where laws change (`_corners`)
FORMULA = True  # methods that search for their multipliers take it (`searcher`)
SCRATCH = _embedded.SCRATCH + 16  # rows as long as z that a march needs


def dense(rows, width):
    """The matrix of rows {column: entry}."""
    out = np.zeros((len(rows), width))
    for i, row in enumerate(rows):
        for j, x in row.items():
            out[i, j] = x
    return out


def interpolant(B, D):
    """P (16, 7) of the nested form x (F_0 + (1 - x)(F_1 + x (F_2 + (1 - x)(F_3 + ...)))), in powers of x.

    F_0 = B' K, F_1 = K_0 - F_0, F_2 = 2 F_0 - K_0 - K_12, F_3 ... F_6 = D K.
    """
    first, last = np.eye(16)[0], np.eye(16)[12]
    P = np.zeros((16, 8))
    polynomial = np.array([1.0])
    for i, F in enumerate([B, first - B, 2 * B - first - last, *D]):
        polynomial = np.convolve(polynomial, [1.0, -1.0] if i % 2 else [0.0, 1.0])
        P[:, : polynomial.size] += np.outer(F, polynomial)
    return np.ascontiguousarray(P[:, 1:])


C = np.array(table.C)
A = dense(table.A, 16)
E = dense(table.E, 13)
P = interpolant(A[12], dense(table.D, 16))


def marcher():
    """A march from one state on, of the contract MARCH."""
    return partial(_embedded.march, A, C, E, P, 1 / 8)


def searcher(search):
    """The same, by steps of a method that searches for its multipliers."""
    from mbsim.integrators import _searching  # compiled where it is needed only

    return partial(_searching.march_controlled, A, C, E, P, 1 / 8, np.ascontiguousarray(A[:13, :12]), C[:12].copy(), search)
