"""Heun's method of order 2 with equal steps: k1 = f(t, z), k2 = f(t + h, z + h k1), z += h/2 (k1 + k2)."""

from functools import partial

from mbsim.contracts import OK, STEP
from mbsim.integrators import _fixed
from mbsim.jit import kernel

ORDER = 2
SCRATCH = _fixed.SCRATCH + 3  # rows as long as z


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    rhs, n = method.rhs, z.shape[0]
    k1, k2, y = scratch[0], scratch[1], scratch[2]
    code = rhs(system, arrays, work, t, z, k1)
    if code == OK:
        for j in range(n):
            y[j] = z[j] + dt * k1[j]
        code = rhs(system, arrays, work, t + dt, y, k2)
    if code == OK:
        for j in range(n):
            z[j] += 0.5 * dt * (k1[j] + k2[j])
    return code


def marcher():
    return partial(_fixed.march, step)
