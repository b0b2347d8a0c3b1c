"""Direct elimination: a null-space basis of the current C from QR at every evaluation. Yang, Duan & Di 2006, eq. 12.

    C' = Q R,  Q = [Q1 B],  C B = 0;   z = [v; q; W]
    [B' M; C] v_dot = [B' h; -eta]                                   eq. 12
    C' lam = M v_dot - h

The n x n matrix is not formed. The same factors solve it by blocks:

    v_dot = a_p + B y,   a_p = -Q1 R'^-1 eta,   (B' M B) y = B' (h - M a_p),   R lam = Q1' (M v_dot - h)

QR is Householder's with column pivoting, which shows the rank. As with `lagrange` the rank is found at the start and after each
accepted step, where q lies on the constraints, and held over the stages between; v is projected after each step. The basis may turn
or jump between two evaluations without harm, because the state is v itself. docs/methods.md, section nullspace.
"""

from mbsim.jit import (
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    EXPAND,
    NOT_FINITE,
    OK,
    RHS,
    SINGULAR_MASS,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_RANK,
    kernel,
)
from mbsim.kernels.linalg import RANK_TOLERANCE, cholesky, clear, copy, minimum_norm, multiply_mass, solve_lower, solve_upper
from mbsim.kernels.qr import qr_apply, qr_coefficients, qr_factor, qr_multipliers, qr_particular
from mbsim.methods._augmented import accept, held_rank, start

__all__ = ["accept", "expand", "rhs", "space", "start"]


def space(n, m):
    """Shapes of the work matrices, lengths of the work vectors and index vectors for n speeds and m constraint rows.

    Matrices: M B and, after the evaluation, the coefficients of the rows; B' M B; (none); factors of C; scratch; B'. Vectors:
    h - M a_p and M v_dot - h; y; scale, diagonal and -eta of the rows; scratch.
    """
    larger = max(n, m)
    return [(larger, larger), (n, n), (0, 0), (larger, n), (larger, larger), (n, n), (0, 0)], [n, n, m, m, m, n], [0, m]


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    X, S, _, Y, _, B, _ = work.matrices
    force, y, scale, diagonal, b, _ = work.vectors
    order = work.indices[1]
    m, n = work.C.shape
    end = z.shape[0] - 1
    a, v, q = work.a, z[:n], z[n:end]
    system.constraints(arrays, t, q, work.C, work.xi)
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    fresh = work.status[STATUS_FRESH] != 0
    limit = -1 if fresh else work.status[STATUS_RANK]
    rank, bad = qr_factor(work.C, limit, Y, scale, diagonal, order)
    if rank < 0:
        work.status[STATUS_INDEX] = z.shape[0] + bad
        return NOT_FINITE
    while rank > 0 and abs(diagonal[rank - 1]) < RANK_TOLERANCE:
        rank -= 1
    held_rank(rank, fresh, abs(diagonal[rank - 1]) if rank > 0 else 1.0, work.status)
    k = n - rank
    for i in range(m):
        b[i] = -work.eta[i]
    qr_particular(rank, Y, scale, diagonal, order, b, a)
    multiply_mass(work.M, work.skyline, a, force)
    for j in range(n):
        force[j] = work.h[j] - force[j]
    for i in range(k):
        clear(B[i])
        B[i, rank + i] = 1.0
        qr_apply(rank, Y, order, B[i])
        multiply_mass(work.M, work.skyline, B[i], X[i])
        s = 0.0
        for j in range(n):
            s += B[i, j] * force[j]
        y[i] = s
        for l in range(i + 1):
            s = 0.0
            for j in range(n):
                s += X[i, j] * B[l, j]
            S[i, l] = s
    bad = cholesky(S, k, work.dense)
    if bad >= 0:
        at = 0
        for j in range(n):
            if abs(B[bad, j]) > abs(B[bad, at]):
                at = j
        work.status[STATUS_INDEX] = at
        return SINGULAR_MASS
    solve_lower(S, k, work.dense, y)
    solve_upper(S, k, work.dense, y)
    for j in range(n):
        force[j] = -force[j]
    for i in range(k):
        s = y[i]
        for j in range(n):
            a[j] += s * B[i, j]
            force[j] += s * X[i, j]  # M v_dot - h
    qr_multipliers(rank, Y, scale, diagonal, order, force, work.lam)
    copy(v, work.v, 0)
    copy(a, dz, 0)
    system.rates(arrays, q, v, dz[n:end])
    power = work.power[0]
    for i in range(m):
        power -= work.lam[i] * work.xi[i]
    dz[end] = power
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    X, S, _, Y, _, _, _ = work.matrices
    _, y, scale, diagonal, _, _ = work.vectors
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    m, n = work.C.shape
    n_q = z.shape[0] - 1 - n
    rank = work.status[STATUS_RANK]
    if rank < m:  # of all lam with this C' lam the shortest
        qr_coefficients(m, rank, Y, scale, diagonal, work.indices[1], X)
        minimum_norm(X, m, rank, work.lam, S, y, work.dense)
    copy(z[n : n + n_q], row, 0)
    copy(work.v, row, n_q)
    copy(work.a, row, n_q + n)
    copy(work.lam, row, n_q + 2 * n)
    row[row.shape[0] - 1] = z[n + n_q]
    return OK
