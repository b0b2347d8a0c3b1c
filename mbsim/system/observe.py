"""Energies, residuals and generalised joint reactions of output rows, compiled. In joint coordinates: `observe_trees.py`."""

import numpy as np

from mbsim.contracts import OBSERVE
from mbsim.jit import helper, kernel
from mbsim.kernels import observed_columns as col
from mbsim.kernels.linalg import cholesky, clear


@helper
def largest(worst, x):
    """max(worst, |x|), but NaN when either is."""
    return abs(x) if abs(x) > worst or np.isnan(x) else worst


@helper
def parts(arrays, work, row):
    """q, v, v_dot and the multipliers of an output row."""
    n, m = work.v.shape[0], work.lam.shape[0]
    n_q = row.shape[0] - 1 - 2 * n - m
    return row[:n_q], row[n_q : n_q + n], row[n_q + n : n_q + 2 * n], row[n_q + 2 * n : n_q + 2 * n + m]


@helper
def mass_pivot(M, skyline):
    """The smallest pivot of M (n, n) over its diagonal, 0 where M is not positive definite. M is zeros afterwards."""
    n, least = M.shape[0], 1.0
    bad = cholesky(M, n, skyline)
    for i in range(n if bad < 0 else 0):
        s = 0.0
        for k in range(skyline[i], i + 1):
            s += M[i, k] * M[i, k]
        least = min(least, M[i, i] * M[i, i] / s)
    for i in range(n):
        clear(M[i])
    return least if bad < 0 else 0.0


@helper
def common(system, arrays, work, M, blocks, t, q, v, a, out):
    """The energies and residuals of a row; `blocks`: whether Arrays.jacobian is over v."""
    m, n, n_b = work.lam.shape[0], work.v.shape[0], arrays.frames.shape[0] - 1
    J, bodies = arrays.jacobian, arrays.row_bodies
    b = J.shape[1] // 2
    system.energy(arrays, t, q, v, out[col.KINETIC : col.POSITION_RESIDUAL])
    system.constraints(arrays, t, q, work.C, work.xi)
    system.dynamics(arrays, t, q, v, M, work.h, work.eta, work.power)
    system.residual(arrays, t, q, work.phi)
    worst = 0.0
    for r in range(work.phi.shape[0]):
        worst = largest(worst, work.phi[r])
    out[col.POSITION_RESIDUAL] = worst
    worst, worse = 0.0, 0.0
    for r in range(m):
        s, u = work.xi[r], work.eta[r]
        if blocks and n_b > 0 and bodies[r, 0] >= 0:
            for side in range(2):
                o = b * bodies[r, side]
                if bodies[r, side] < n_b:
                    for c in range(b):
                        s += J[r, b * side + c] * v[o + c]
                        u += J[r, b * side + c] * a[o + c]
        else:
            for j in range(n):
                s += work.C[r, j] * v[j]
                u += work.C[r, j] * a[j]
        worst, worse = largest(worst, s), largest(worse, u)
    out[col.VELOCITY_RESIDUAL], out[col.ACCELERATION_RESIDUAL] = worst, worse
    out[col.MASS_PIVOT] = 1.0 if n_b > 0 else mass_pivot(M, work.skyline)


@kernel(OBSERVE)
def observe(system, arrays, work, table, times, rows, out):
    """out[i] = energies, residuals and generalised reactions of rows[i]; `observed_columns` has the columns of table and out."""
    J = arrays.jacobian
    for i in range(rows.shape[0]):
        q, v, a, lam = parts(arrays, work, rows[i])
        common(system, arrays, work, work.M, True, times[i], q, v, a, out[i])
        for e in range(table.shape[0]):
            first, count, column, speeds = table[e]
            for c in range(speeds):
                s = 0.0
                for r in range(first, first + count):
                    s += J[r, column + c] * lam[r]
                out[i, col.REACTIONS + col.REACTION * e + c] = s
