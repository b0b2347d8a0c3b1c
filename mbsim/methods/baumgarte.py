"""Stabilisation of the constraints: their violations decay like damped oscillators. Baumgarte 1972; Yang, Duan & Di 2006, eq. 28.

    eta* = eta + 2 alpha (C v + xi) + beta^2 phi,   [[M, -C'], [C, 0]] [v_dot; lam] = [h; -eta*],   z = [v; q; W]

so that phi_ddot + 2 alpha phi_dot + beta^2 phi = 0 for a holonomic row and, without phi, psi_dot + 2 alpha psi = 0 for a nonholonomic
row psi = C v + xi. By default alpha = 1 / h and beta = sqrt(2) / h with h the step, the paper's choice: an explicit integrator of
order 4 is stable with it. It changes the motion wherever the constraints are violated and is not a projection: violations stay of the
size of an integrator's error. The accelerations and multipliers reported are those of the plain equations at the state, without the
terms added here. docs/methods.md, section baumgarte.
"""

from math import sqrt

import numpy as np

from mbsim.jit import (
    ACCEPT,
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_STEPS,
    DRIFT_NONE,
    EXPAND,
    NOT_FINITE,
    OK,
    RHS,
    SETTING_DRIFT,
    SETTING_METHOD,
    SETTING_STEP,
    SINGULAR_MASS,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_RANK,
    kernel,
)
from mbsim.kernels.gauss import gauss_factor, gauss_multipliers, gauss_solve
from mbsim.kernels.linalg import clear, copy
from mbsim.methods._augmented import space, start
from mbsim.methods._iteration import largest

DRIFT = "none"
OPTIONS = {
    "alpha": {"help": "decay rate of a constraint violation, 1/s; 1 / step when not given", "default": None, "above": 0.0},
    "beta": {"help": "frequency of a position violation, rad/s; sqrt(2) / step when not given", "default": None, "above": 0.0},
}


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    S, _, _, Q, G, L, _ = work.matrices
    _, _, scale, w, b, _ = work.vectors
    order = work.indices[1]
    m, n = work.C.shape
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    alpha, beta = work.settings[SETTING_METHOD], work.settings[SETTING_METHOD + 1]
    if np.isnan(alpha):
        alpha = 1.0 / work.settings[SETTING_STEP]
    if np.isnan(beta):
        beta = sqrt(2.0) / work.settings[SETTING_STEP]
    system.residual(arrays, t, q, work.phi)
    system.constraints(arrays, t, q, work.C, work.xi)
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    limit = -1 if work.status[STATUS_FRESH] else work.status[STATUS_RANK]
    rank, bad = gauss_factor(work.M, work.C, m, work.skyline, limit, L, Q, G, scale, order)
    if rank == -2:
        work.status[STATUS_INDEX] = z.shape[0] + bad
        return NOT_FINITE
    if rank < 0:
        work.status[STATUS_INDEX] = bad
        return SINGULAR_MASS
    work.status[STATUS_RANK] = rank
    work.status[STATUS_FRESH] = 0
    for i in range(m):
        violation = work.xi[i]
        for j in range(n):
            violation += work.C[i, j] * v[j]
        b[i] = -work.eta[i] - 2.0 * alpha * violation
        if i < work.phi.shape[0]:
            b[i] -= beta * beta * work.phi[i]
    copy(work.h, work.a, 0)
    gauss_solve(rank, work.skyline, L, Q, G, scale, order, b, work.a, w)
    gauss_multipliers(m, rank, G, scale, order, w, work.lam, S, work.dense)
    copy(v, work.v, 0)
    copy(work.a, dz, 0)
    system.rates(arrays, q, v, dz[n:end])
    power = work.power[0]
    for i in range(m):
        power -= work.lam[i] * work.xi[i]
    dz[end] = power
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    n = work.v.shape[0]
    q = z[n : z.shape[0] - 1]
    work.counts[COUNT_STEPS] += 1
    if q.shape[0] != n:  # quaternions back to unit length
        clear(work.vectors[5])
        system.move(arrays, q, work.vectors[5])
    if work.settings[SETTING_DRIFT] != DRIFT_NONE:
        work.status[STATUS_FRESH] = 1
        return project(system, arrays, work, t, q, z[:n])
    system.residual(arrays, t, q, work.phi)
    worst, at = largest(work.phi)
    if np.isfinite(worst):
        return OK
    work.status[STATUS_INDEX] = z.shape[0] + at  # no projection looks at phi
    return NOT_FINITE


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    options = work.settings[SETTING_METHOD : SETTING_METHOD + 2]
    alpha, beta = options[0], options[1]
    options[0], options[1] = 0.0, 0.0  # the plain equations
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    options[0], options[1] = alpha, beta
    n = work.v.shape[0]
    n_q = z.shape[0] - 1 - n
    copy(z[n : n + n_q], row, 0)
    copy(work.v, row, n_q)
    copy(work.a, row, n_q + n)
    copy(work.lam, row, n_q + 2 * n)
    row[row.shape[0] - 1] = z[n + n_q]
    return code


__all__ = ["accept", "expand", "rhs", "space", "start"]
