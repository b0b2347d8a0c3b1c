"""The Runge-Kutta pair 5(4) of Dormand & Prince (1980) with error control; six evaluations a step, interpolant of order 4.

The solution of order 5 is propagated; the one of order 4 only estimates the error. Not to be confused with Fehlberg's pair of the same
orders. Interpolant: Shampine 1986, Math. Comp. 46, with his c_6. Marching: `_embedded`.
"""

from functools import partial

import numpy as np

from mbsim.integrators import _embedded
from mbsim.integrators._embedded import OPTIONS

__all__ = ["OPTIONS", "marcher"]

ORDER = 5
LOCATES = True  # ends steps where laws change (`_corners`)
FORMULA = True  # methods that search for their multipliers take it (`searcher`)
SCRATCH = _embedded.SCRATCH + 7  # rows as long as z that a march needs
C = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
A = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0],  # B
    ]
)
E = np.array([[-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40], [0] * 7])
P = np.array(
    [
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
)


def marcher():
    """A march from one state on, of the contract MARCH."""
    return partial(_embedded.march, A, C, E, P, 1 / 5)


def searcher(search):
    """The same, by steps of a method that searches for its multipliers."""
    from mbsim.integrators import _searching  # compiled where it is needed only

    return partial(_searching.march_controlled, A, C, E, P, 1 / 5, np.ascontiguousarray(A[:7, :6]), C[:6].copy(), search)
