"""The classical Runge-Kutta method of order 4 (Kutta 1901) on z' = f(t, z), fixed step. Independent of mechanics.

k1 = f(t, z), k2 = f(t + h/2, z + h/2 k1), k3 = f(t + h/2, z + h/2 k2), k4 = f(t + h, z + h k3)
z += h/6 (k1 + 2 k2 + 2 k3 + k4)
"""

from functools import partial

import numpy as np

from mbsim.contracts import OK, STEP
from mbsim.integrators import _fixed
from mbsim.jit import kernel

ORDER = 4
FORMULA = True  # methods that search for their multipliers take it (`searcher`)
SCRATCH = _fixed.SCRATCH + 6  # rows as long as z that a march needs
A = np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]])  # the last row is that of the end
C = np.array([0, 0.5, 0.5, 1])


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    rhs = method.rhs
    n = z.shape[0]
    k1, k2, k3, k4, y = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    code = rhs(system, arrays, work, t, z, k1)
    if code == OK:
        for j in range(n):
            y[j] = z[j] + 0.5 * dt * k1[j]
        code = rhs(system, arrays, work, t + 0.5 * dt, y, k2)
    if code == OK:
        for j in range(n):
            y[j] = z[j] + 0.5 * dt * k2[j]
        code = rhs(system, arrays, work, t + 0.5 * dt, y, k3)
    if code == OK:
        for j in range(n):
            y[j] = z[j] + dt * k3[j]
        code = rhs(system, arrays, work, t + dt, y, k4)
    if code == OK:
        for j in range(n):
            z[j] += dt / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j])
    return code


def marcher():
    """A march from one state on, of the contract MARCH."""
    return partial(_fixed.march, step)


def searcher(search):
    """The same, by steps of a method that searches for its multipliers."""
    from mbsim.integrators import _searching  # compiled where it is needed only

    return partial(_searching.march_equal, A, C, search)
