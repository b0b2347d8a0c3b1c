"""Null-space projection from a held singular value decomposition of C. Shui & Zhang 1996, eqs. 2.5-3.10, corrected.

    C = U [D 0] [V1 V2]'   held;   p = V2' v,   z = [p; q; W]
    v      = [C; V2']^-1 [-xi; p]                    (2.10), with the current C
    v_dot  = a_p + N y,  C N = 0,  C a_p = -eta,  (N' M N) y = N' (h - M a_p)        any basis N of the current null space serves
    p_dot  = V2' v_dot,   C' lam = M v_dot - h

The paper's eqs. 3.6-3.7 hold only with V2 of the current C and its eq. 4.2 for lam is wrong in general: docs/errata.md.
Velocity constraints hold to round-off at every evaluation. How v is found and when the decomposition is renewed: `_held.py`.
"""

from mbsim.jit import (
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_SVDS,
    DEPENDENT_CONSTRAINTS,
    EXPAND,
    OK,
    RHS,
    SETTING_RHEONOMIC,
    SINGULAR_MASS,
    STATUS_INDEX,
    STATUS_NEAR,
    STATUS_RANK,
    helper,
    kernel,
)
from mbsim.kernels.linalg import cholesky, clear, copy, eliminated_solve_transposed, multiply_mass, solve_lower, solve_upper
from mbsim.methods._basis import (
    ALWAYS,
    GROWTH_LIMIT,
    factor,
    fill_row,
    independent,
    null_basis,
    particular,
    shortest,
    velocity,
)
from mbsim.methods._held import SETTING_HOLD, accept, folded, open_stage, space, start

__all__ = ["OPTIONS", "accept", "expand", "rhs", "space", "start"]

CROSSES = True  # singular positions: reads Work.beside
INDEPENDENT_SPEEDS = True  # z begins with p, not with v
OPTIONS = {
    "hold": {"default": True, "help": "false: decompose C at every evaluation, to show what holding the decomposition saves"},
    "hold_limit": {
        "default": 2.0,
        "above": 0.0,
        "most": 10.0,
        "help": "tangent of the angle between the held and the current null space at which V2 is renewed",
    },
}


@helper
def multipliers(A, rank, columns, rows, force, x, lam):
    """lam of the picked rows from C_D' lam = (M v_dot - h)_D = force_D; the dependent rows carry nothing yet. x (n,) is scratch."""
    clear(lam)
    for i in range(rank):
        x[i] = force[columns[i]]
    eliminated_solve_transposed(A, rank, x)
    for i in range(rank):
        lam[rows[i]] = x[i]


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    A, V2, N, X, S, W, T = work.matrices
    force, x, y = work.vectors[0], work.vectors[1], work.vectors[5]
    rank = work.status[STATUS_RANK]
    n, end = work.v.shape[0], z.shape[0] - 1
    k = n - rank
    columns, rows, exchanged = work.indices[0][:n], work.indices[0][n : n + rank], work.indices[0][n + rank :]
    v, a, q, p = work.v, work.a, z[n:end], z[:k]
    near, at, near_q = work.status[STATUS_NEAR] != 0, t, q
    work.counts[COUNT_EVALUATIONS] += 1
    system.constraints(arrays, t, q, work.C, work.xi)
    work.counts[COUNT_FACTORISATIONS] += 1
    anew = work.settings[SETTING_HOLD] == 0.0 and not near
    if anew:
        work.counts[COUNT_SVDS] += 1
        if null_basis(work.C, rank, W, X, S, work.vectors[2]) != rank:
            return DEPENDENT_CONSTRAINTS
    if near:
        rank, at, near_q, near_v = folded(system, arrays, work, t, z, A, N, columns, rows)
        k = n - rank
        copy(near_v, v, 0)
        if open_stage(work):
            copy(a, dz, 0)
            system.rates(arrays, q, v, dz[n:end])
            dz[end] = work.power[0]
            for i in range(work.lam.shape[0]):
                dz[end] -= work.lam[i] * work.xi[i]
            return OK
    else:
        code = factor(work.C, work.xi, A, V2, N, T, rank, work.indices[0], ALWAYS if anew else GROWTH_LIMIT)
        if code != OK:
            return code
        velocity(A, V2, T, rank, columns, exchanged, p, x, v)
    if anew:
        for i in range(k):
            copy(W[i], N[i], 0)
    system.dynamics(arrays, at, near_q, v, work.M, work.h, work.eta, work.power)
    particular(A, rank, columns, rows, work.eta, x, a)
    multiply_mass(work.M, work.skyline, a, force)
    for i in range(n):
        force[i] = work.h[i] - force[i]
    for i in range(k):
        multiply_mass(work.M, work.skyline, N[i], X[i])
        s = 0.0
        for j in range(n):
            s += N[i, j] * force[j]
        y[i] = s
        for b in range(i + 1):
            s = 0.0
            for j in range(n):
                s += X[i, j] * N[b, j]
            S[i, b] = s
    bad = cholesky(S, k, work.dense)
    if bad >= 0:
        at = 0
        for j in range(n):
            if abs(N[bad, j]) > abs(N[bad, at]):
                at = j
        work.status[STATUS_INDEX] = at
        return SINGULAR_MASS
    solve_lower(S, k, work.dense, y)
    solve_upper(S, k, work.dense, y)
    for j in range(n):
        s, f = a[j], -force[j]
        for i in range(k):
            s += N[i, j] * y[i]
            f += X[i, j] * y[i]
        a[j], x[j] = s, f  # x = M v_dot - h = M N y - (h - M a_p)
    if near:
        copy(z[:n], v, 0)
        copy(a, dz, 0)
    else:
        independent(V2, k, columns, a, dz)
    system.rates(arrays, q, v, dz[n:end])
    power = work.power[0]
    if work.settings[SETTING_RHEONOMIC] != 0.0:
        multipliers(A, rank, columns, rows, x, y, work.lam)
        for i in range(work.lam.shape[0]):
            power -= work.lam[i] * work.xi[i]
    dz[end] = power
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    A, _, _, X, S, W, _ = work.matrices
    n = work.v.shape[0]
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    rank = work.status[STATUS_RANK] - max(work.status[STATUS_NEAR] - 1, 0)
    if work.settings[SETTING_RHEONOMIC] == 0.0:
        multipliers(A, rank, work.indices[0][:n], work.indices[0][n : n + rank], work.vectors[1], work.vectors[5], work.lam)
    shortest(work.C, rank, work.lam, X, S, W, work.vectors[3], work.indices[1], work.dense)
    fill_row(z, work.v, work.a, work.lam, row)
    return OK
