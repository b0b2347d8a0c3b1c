"""Projection on a dual basis, orthonormal in the metric of M. Shui, "Dynamic analysis of constrained multibody systems in Riemannian
configuration space", eqs. 13-28, corrected and extended to rheonomic, nonholonomic and redundant constraints.

    P = [M^-1 C', V2], V2 held      modified Gram-Schmidt in the metric of M, eqs. 16-19:  W = [W1 W2], W' M W = I
    v         = [C; V2']^-1 [-xi; u]                      u = V2' v, z = [u; q; W]
    v_dot     = a_p + W2 W2' (h - M a_p),  C a_p = -eta   in place of eqs. 22 and 28
    lam_bar   = -W1' (h - M a_p),  C' lam = M W1 lam_bar  eqs. 24 and 26
    u_dot     = V2' v_dot

W2 spans the tangent space of the current C exactly, although V2 is held. Eq. 28 is a particular solution a_p, not the acceleration
W2_dot u_bar at constant u_bar; read that way it integrates to a wrong motion: docs/errata.md.

In the coordinates L' v, M = L L', the metric is Euclid's: the rows of C L^-T and of V2' L are made orthonormal, Q = W' L.
How v is found and when V2 is renewed: `_held.py`, as for `svd`. docs/methods.md, section riemann.
"""

from mbsim.jit import (
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_SVDS,
    DEPENDENT_CONSTRAINTS,
    EXPAND,
    OK,
    RHS,
    SINGULAR_MASS,
    STATUS_INDEX,
    STATUS_NEAR,
    STATUS_RANK,
    helper,
    kernel,
)
from mbsim.kernels.linalg import cholesky, clear, copy, gram_schmidt, multiply_mass, solve_lower, solve_upper
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
INDEPENDENT_SPEEDS = True  # z begins with u, not with v
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
def dual_basis(C, skyline, L, rank, rows, Q, G):
    """Q = W' L: rows :rank from the picked rows of C, the others from V2', which they hold on entry; G their coefficients.

    The rows of C are in the order of the pivots, the strongest first. False when a row depends on others.
    """
    n = C.shape[1]
    for i in range(n):
        if i < rank:
            copy(C[rows[i]], Q[i], 0)
            solve_lower(L, n, skyline, Q[i])
        else:
            for k in range(n):  # L' v2
                s = Q[i, k]
                Q[i, k] = 0.0
                for j in range(skyline[k], k + 1):
                    Q[i, j] += L[k, j] * s
        if not gram_schmidt(Q, i, n, G):
            return False
    return True


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    A, V2, N, Q, G, L, T = work.matrices
    force, x, c, y = work.vectors[0], work.vectors[1], work.vectors[2], work.vectors[5]
    rank = work.status[STATUS_RANK]
    n, end = work.v.shape[0], z.shape[0] - 1
    k = n - rank
    columns, rows, exchanged = work.indices[0][:n], work.indices[0][n : n + rank], work.indices[0][n + rank :]
    v, a, q, u = work.v, work.a, z[n:end], z[:k]
    work.counts[COUNT_EVALUATIONS] += 1
    system.constraints(arrays, t, q, work.C, work.xi)
    work.counts[COUNT_FACTORISATIONS] += 1
    near, at, near_q = work.status[STATUS_NEAR] != 0, t, q
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
    anew = near or work.settings[SETTING_HOLD] == 0.0
    if anew:
        work.counts[COUNT_SVDS] += 1
        if null_basis(work.C, rank, L, Q, G, c) != rank:
            return DEPENDENT_CONSTRAINTS
    if not near:
        code = factor(work.C, work.xi, A, V2, N, T, rank, work.indices[0], ALWAYS if anew else GROWTH_LIMIT)
        if code != OK:
            return code
        velocity(A, V2, T, rank, columns, exchanged, u, x, v)
    for i in range(k):
        for j in range(n):
            if anew:
                Q[rank + i, j] = L[i, j]  # V2 of this C
            else:
                Q[rank + i, columns[j]] = V2[i, j]
    system.dynamics(arrays, at, near_q, v, work.M, work.h, work.eta, work.power)
    particular(A, rank, columns, rows, work.eta, x, a)
    for i in range(n):
        for j in range(work.skyline[i], i + 1):
            L[i, j] = work.M[i, j]
    bad = cholesky(L, n, work.skyline)
    if bad >= 0:
        work.status[STATUS_INDEX] = bad
        return SINGULAR_MASS
    if not dual_basis(work.C, work.skyline, L, rank, rows, Q, G):
        return DEPENDENT_CONSTRAINTS
    multiply_mass(work.M, work.skyline, a, force)
    for i in range(n):
        force[i] = work.h[i] - force[i]
    solve_lower(L, n, work.skyline, force)
    clear(y)
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += Q[i, j] * force[j]
        if i < rank:
            c[i] = -s  # lam_bar
        else:
            for j in range(n):
                y[j] += s * Q[i, j]
    solve_upper(L, n, work.skyline, y)
    for j in range(n):
        a[j] += y[j]
    clear(work.lam)
    for i in range(rank - 1, -1, -1):  # C' = L Q1' G' on the rows picked: G' lam = lam_bar
        s = c[i] / G[i, i]
        work.lam[rows[i]] = s
        for j in range(i):
            c[j] -= G[i, j] * s
    if near:
        copy(z[:n], v, 0)
        copy(a, dz, 0)
    else:
        independent(V2, k, columns, a, dz)
    system.rates(arrays, q, v, dz[n:end])
    power = work.power[0]
    for i in range(work.lam.shape[0]):
        power -= work.lam[i] * work.xi[i]
    dz[end] = power
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    _, _, _, X, S, W, _ = work.matrices
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    rank = work.status[STATUS_RANK] - max(work.status[STATUS_NEAR] - 1, 0)
    shortest(work.C, rank, work.lam, X, S, W, work.vectors[3], work.indices[1], work.dense)
    fill_row(z, work.v, work.a, work.lam, row)
    return OK
