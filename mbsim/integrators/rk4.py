"""The classical Runge-Kutta method of order 4 (Kutta 1901) on z' = f(t, z), fixed step. Independent of mechanics.

k1 = f(t, z), k2 = f(t + h/2, z + h/2 k1), k3 = f(t + h/2, z + h/2 k2), k4 = f(t + h, z + h k3)
z += h/6 (k1 + 2 k2 + 2 k3 + k4)
"""

from functools import partial

from mbsim.integrators import _fixed
from mbsim.jit import OK, STEP, kernel

ORDER = 4
SCRATCH = _fixed.SCRATCH + 5  # rows as long as z that a march needs


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
