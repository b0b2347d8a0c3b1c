"""The classical Runge-Kutta method of order 4 (Kutta 1901) on z' = f(t, z), fixed step. It knows nothing of mechanics.

Between two output times it takes equal steps no longer than `step`. A step that fails is not taken: z stays at the last accepted state.
"""

from math import ceil

import numpy as np

from mbsim.jit import MARCH, NOT_FINITE, OK, STATUS_CODE, STATUS_INDEX, kernel

ORDER = 4
SCRATCH = 6  # rows as long as z that `march` needs


@kernel(MARCH)
def march(method, system, arrays, work, times, step, z, rows, clock, scratch):
    """Fill rows[i] at times[i + 1] from z at times[0]; z and clock (1,) end at the last accepted step. Returns the rows filled."""
    rhs, accept, expand, project, renew = method
    n = z.shape[0]
    k1, k2, k3, k4, y, start = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5]
    status = work.status
    for row in range(rows.shape[0]):
        span = times[row + 1] - times[row]
        steps = max(1, ceil(span / step - 1e-9))
        dt = span / steps
        for i in range(steps):
            t = times[row] + i * dt
            for j in range(n):
                start[j] = z[j]
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
                total = 0.0
                for j in range(n):
                    z[j] += dt / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j])
                    total += z[j]
                if np.isfinite(total):
                    code = accept(project, renew, system, arrays, work, t + dt, z)
                else:
                    code = NOT_FINITE
                    for j in range(n - 1, -1, -1):
                        if not np.isfinite(z[j]):
                            status[STATUS_INDEX] = j
            if code > OK:
                for j in range(n):
                    z[j] = start[j]
                clock[0] = t
                status[STATUS_CODE] = code
                return row
            clock[0] = t + dt
        code = expand(rhs, system, arrays, work, times[row + 1], z, rows[row])
        if code != OK:
            status[STATUS_CODE] = code
            return row
    return rows.shape[0]
