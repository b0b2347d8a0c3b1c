"""Adams-Bashforth-Moulton of order 4, fixed step, as PECE (Hairer, Norsett & Wanner 1993, section III.1).

    P  y = z + h/24 (55 f_0 - 59 f_1 + 37 f_2 - 9 f_3)          f_i = f(t - i h, z_-i), the last four accepted states
    E  f(t + h, y)
    C  z <- z + h/24 (9 f(t + h, y) + 19 f_0 - 5 f_1 + f_2)
    E  f_0 of the next step

The last evaluation is made at the beginning of the next step, at the accepted state after the projection on the constraints. So the
history holds derivatives at points of the recorded motion, a method that checks its rank after a step finds it there, and a step costs two
evaluations. The first three steps are those of `rk4`, which has the same order. The same happens after a basis was renewed (z has a new
meaning) and after a change of the step size.
"""

from functools import partial

import numpy as np

from mbsim.contracts import OK, STATUS_CHANGED, STEP
from mbsim.integrators import _fixed, rk4
from mbsim.integrators._history import EQUAL_STEPS, NUMBER, SPACING
from mbsim.jit import kernel
from mbsim.kernels.linalg import copy

ORDER = 4
FORMULA = True  # methods that search for their multipliers take it (`searcher`)
SCRATCH = _fixed.SCRATCH + 12  # rows as long as z that a march needs: what is known, f_0 ... f_3, y; 5 for rk4
A = np.array([[0, 0], [55 / 24, 0], [19 / 24, 9 / 24]])  # the weights of the step's own rates; the last row is that of the end
C = np.array([0.0, 1.0])


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    known, f0, f1, f2, f3, y = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5]
    if work.status[STATUS_CHANGED] != 0 or abs(dt - known[SPACING]) > EQUAL_STEPS * dt:
        known[NUMBER], known[SPACING] = 0.0, dt
    copy(f2, f3, 0)
    copy(f1, f2, 0)
    copy(f0, f1, 0)
    code = method.rhs(system, arrays, work, t, z, f0)
    if code != OK:
        return code
    known[NUMBER] += 1.0
    if known[NUMBER] < 4.0:
        return rk4.step(method, system, arrays, work, t, dt, z, scratch[6:])
    n = z.shape[0]
    for j in range(n):
        y[j] = z[j] + dt / 24.0 * (55.0 * f0[j] - 59.0 * f1[j] + 37.0 * f2[j] - 9.0 * f3[j])
    code = method.rhs(system, arrays, work, t + dt, y, scratch[6])
    if code == OK:
        for j in range(n):
            z[j] += dt / 24.0 * (9.0 * scratch[6, j] + 19.0 * f0[j] - 5.0 * f1[j] + f2[j])
    return code


def marcher():
    """A march from one state on, of the contract MARCH."""
    return partial(_fixed.march, step)


def searcher(search):
    """The same, by steps of a method that searches for its multipliers."""
    from mbsim.integrators import _searching_pece  # compiled where it is needed only

    return partial(_searching_pece.march, rk4.A, rk4.C, A, C, search)
