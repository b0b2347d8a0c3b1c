"""Null-space projection from a held singular value decomposition of C. Shui & Zhang 1996, eqs. 2.5-3.10, corrected.

    C = U [D 0] [V1 V2]'   held;   p = V2' v,   z = [p; q; W]
    v      = [C; V2']^-1 [-xi; p]                    (2.10), with the current C
    v_dot  = a_p + N y,  C N = 0,  C a_p = -eta,  (N' M N) y = N' (h - M a_p)        any basis N of the current null space serves
    p_dot  = V2' v_dot,   C' lam = M v_dot - h

The paper's eqs. 3.6-3.7 hold only with V2 of the current C and its eq. 4.2 for lam is wrong in general: docs/errata.md.
Velocity constraints hold to round-off at every evaluation.

[C; V2'] is solved by blocks. With the decomposition, r = rank C rows and r columns D of C are picked by pivoting and held too (the
other rows follow from them, the other columns are I), so that factoring needs no search:

    C = [C_D C_I],  G = C_D^-1 C_I,  N = [-G; I],  T = V2' N,  T v_I = p + V2_D' C_D^-1 xi

A new decomposition is taken when the null space has turned away from V2: the columns of B = N T^-1 are v2_i + n_i with n_i across V2,
and sum |n_i|^2 is the sum of the squared tangents of the angles between the held and the current null space, infinite where
[C; V2'] is singular. HOLD_LIMIT bounds its root.
"""

from math import sqrt

from mbsim.jit import (
    ACCEPT,
    CHANGED,
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_STEPS,
    COUNT_SVDS,
    DEPENDENT_CONSTRAINTS,
    EXPAND,
    OK,
    RHS,
    SETTING_RHEONOMIC,
    SINGULAR_MASS,
    START,
    STATUS_INDEX,
    STATUS_RANK,
    helper,
    kernel,
)
from mbsim.kernels.linalg import (
    RANK_TOLERANCE,
    back_substitute,
    cholesky,
    clear,
    copy,
    eliminate,
    eliminated_solve,
    eliminated_solve_transposed,
    lu,
    minimum_norm,
    multiply_mass,
    orthogonalise,
    pivot_order,
    solve_lower,
    solve_upper,
)
from mbsim.kernels.svd import null_space

INDEPENDENT_SPEEDS = True  # z begins with p, not with v

HOLD_LIMIT = 2.0  # tangent of the angle (63 degrees) between the held and the current null space at which the basis is renewed.
# Tried on the shipped models: 3 needs a third fewer decompositions of a fast four-bar and more than doubles its error; 1 takes ten on
# the rolling disk, where 2 takes one.
GROWTH_LIMIT = 1e4  # multiplier above which the held pivots are replaced: four digits lost of sixteen


def space(n, m):
    """Shapes of the work matrices, lengths of the work vectors and index vectors for n speeds and m constraint rows.

    Matrices: A = [C_D C_I xi] permuted, and its factors; V2' (k rows, columns permuted like A's); N' (k rows, columns in the order of
    v); X and S scratch; (free); T and its factors. Vectors: h - M a_p; y and M v_dot - h; scratch.
    Indices: the columns D, then I; after them the rows of T as exchanged; rows of C as picked, or scratch.
    """
    larger = max(n, m)
    shapes = [(m, n + 1), (n, n), (n, n), (larger, n), (larger, larger), (n, n), (n, n)]
    return shapes, [n, n, m, m, m, n], [2 * n + m, m]


@helper
def fill(C, xi, A, rank, rows, columns):
    """A = [C_D C_I xi] of the picked rows."""
    n = C.shape[1]
    for i in range(rank):
        source = rows[i]
        for j in range(n):
            A[i, j] = C[source, columns[j]]
        A[i, n] = xi[source]


@helper
def factor(C, xi, A, V2, N, T, rank, columns, rows, exchanged):
    """G and C_D^-1 xi in the right columns of A, N, and T with its factors; returns OK or DEPENDENT_CONSTRAINTS.

    When the held pivots have become poor, new ones are found.
    """
    n = C.shape[1]
    k = n - rank
    fill(C, xi, A, rank, rows, columns)
    if not eliminate(A, rank, n + 1) <= GROWTH_LIMIT:
        unpermute(V2, k, columns, N)
        fill(C, xi, A, rank, rows, columns)
        pivot_order(A, rank, n, rows, columns)
        permute(V2, k, columns, N)
        fill(C, xi, A, rank, rows, columns)
        if not eliminate(A, rank, n + 1) < 1e300:
            return DEPENDENT_CONSTRAINTS
    back_substitute(A, rank, n + 1)
    for i in range(k):
        for j in range(n):
            N[i, columns[j]] = -A[j, rank + i] if j < rank else 0.0
        N[i, columns[rank + i]] = 1.0
        for b in range(k):
            s = V2[b, rank + i]
            for j in range(rank):
                s -= V2[b, j] * A[j, rank + i]
            T[b, i] = s
    if not lu(T, k, exchanged):
        return DEPENDENT_CONSTRAINTS
    return OK


@helper
def permute(V2, k, columns, scratch):
    """Columns of V2' from the order of v to that of A."""
    n = V2.shape[1]
    for i in range(k):
        for j in range(n):
            scratch[i, j] = V2[i, columns[j]]
        for j in range(n):
            V2[i, j] = scratch[i, j]


@helper
def unpermute(V2, k, columns, scratch):
    """Columns of V2' from the order of A to that of v."""
    n = V2.shape[1]
    for i in range(k):
        for j in range(n):
            scratch[i, columns[j]] = V2[i, j]
        for j in range(n):
            V2[i, j] = scratch[i, j]


@helper
def velocity(A, V2, T, rank, columns, exchanged, p, x, v):
    """v = [C; V2']^-1 [-xi; p]; x (n,) is scratch."""
    n = v.shape[0]
    k = n - rank
    for i in range(k):
        b = exchanged[i]
        s = p[b]
        for j in range(rank):
            s += V2[b, j] * A[j, n]
        x[i] = s
    eliminated_solve(T, k, x)
    for j in range(rank):
        s = -A[j, n]
        for i in range(k):
            s -= A[j, rank + i] * x[i]
        v[columns[j]] = s
    for i in range(k):
        v[columns[rank + i]] = x[i]


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
    A, V2, N, X, S, _, T = work.matrices
    force, x, y = work.vectors[0], work.vectors[1], work.vectors[5]
    rank = work.status[STATUS_RANK]
    n, end = work.v.shape[0], z.shape[0] - 1
    k = n - rank
    columns, rows, exchanged = work.indices[0][:n], work.indices[0][n : n + rank], work.indices[0][n + rank :]
    v, a, q, p = work.v, work.a, z[n:end], z[:k]
    work.counts[COUNT_EVALUATIONS] += 1
    system[0](arrays, t, q, work.C, work.xi)
    work.counts[COUNT_FACTORISATIONS] += 1
    code = factor(work.C, work.xi, A, V2, N, T, rank, columns, rows, exchanged)
    if code != OK:
        return code
    velocity(A, V2, T, rank, columns, exchanged, p, x, v)
    system[1](arrays, t, q, v, work.M, work.h, work.eta, work.power)
    for i in range(rank):
        x[i] = -work.eta[rows[i]]
    eliminated_solve(A, rank, x)
    for j in range(n):
        a[columns[j]] = x[j] if j < rank else 0.0
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
    for i in range(n):
        s = 0.0
        if i < k:
            for j in range(n):
                s += V2[i, j] * a[columns[j]]
        dz[i] = s
    system[3](arrays, q, v, dz[n:end])
    power = work.power[0]
    if work.settings[SETTING_RHEONOMIC] != 0.0:
        multipliers(A, rank, columns, rows, x, y, work.lam)
        for i in range(work.lam.shape[0]):
            power -= work.lam[i] * work.xi[i]
    dz[end] = power
    return OK


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Take the decomposition at (t, q), pick rows and columns, and set z[:n] to p = V2' v."""
    _, V2, N, X, S, W, _ = work.matrices
    sigma, picked = work.vectors[2], work.indices[1]
    columns, rows = work.indices[0][: work.v.shape[0]], work.indices[0][work.v.shape[0] :]
    m, n = work.C.shape
    system[0](arrays, t, q, work.C, work.xi)
    for i in range(m):
        s = 0.0
        for j in range(n):
            s += work.C[i, j] * work.C[i, j]
        s = 1.0 / sqrt(s) if s > 0.0 else 0.0
        for j in range(n):
            X[i, j] = s * work.C[i, j]
        for j in range(m):
            S[i, j] = 0.0
    # the rank that the singular values show; then as many rows by pivoting
    rank = null_space(X, m, RANK_TOLERANCE, S, V2, sigma)
    for i in range(m):
        for j in range(m):
            S[i, j] = 0.0
    rank = orthogonalise(X, m, n, rank, RANK_TOLERANCE, S, picked)
    work.status[STATUS_RANK] = rank
    for i in range(rank):
        rows[i] = picked[i]
        for j in range(n):
            W[i, j] = work.C[picked[i], j]
    for j in range(n):
        columns[j] = j
    pivot_order(W, rank, n, rows, columns)
    for i in range(n):
        s = 0.0
        if i < n - rank:
            for j in range(n):
                s += V2[i, j] * v[j]
        z[i] = s
    permute(V2, n - rank, columns, N)
    work.counts[COUNT_SVDS] += 1
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    A, V2, N, _, _, _, T = work.matrices
    x = work.vectors[5]
    rank = work.status[STATUS_RANK]
    n = work.v.shape[0]
    k = n - rank
    columns, rows, exchanged = work.indices[0][:n], work.indices[0][n : n + rank], work.indices[0][n + rank :]
    q = z[n : z.shape[0] - 1]
    work.counts[COUNT_STEPS] += 1
    if q.shape[0] != n:  # quaternions back to unit length
        clear(x)
        system[4](arrays, q, x)
    code = project(system, arrays, work, t, q, z[:0])  # velocities satisfy their constraints already
    if code != OK:
        return code
    turned = 0.0  # |B|^2 = |T'^-1 N'|^2 of the last stage: near enough to the end of the step
    for j in range(n):
        for i in range(k):
            x[i] = N[i, j]
        eliminated_solve_transposed(T, k, x)
        for i in range(k):
            turned += x[i] * x[i]
    if turned - k <= HOLD_LIMIT * HOLD_LIMIT:
        return OK
    system[0](arrays, t, q, work.C, work.xi)
    work.counts[COUNT_FACTORISATIONS] += 1
    if factor(work.C, work.xi, A, V2, N, T, rank, columns, rows, exchanged) == OK:
        velocity(A, V2, T, rank, columns, exchanged, z[:k], x, work.v)
    start(system, arrays, work, t, q, work.v, z)
    return CHANGED


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    A, _, _, X, S, W, _ = work.matrices
    w, picked = work.vectors[3], work.indices[1]
    m, n = work.C.shape
    n_q = z.shape[0] - 1 - n
    rank = work.status[STATUS_RANK]
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    if work.settings[SETTING_RHEONOMIC] == 0.0:
        multipliers(A, rank, work.indices[0][:n], work.indices[0][n : n + rank], work.vectors[1], work.vectors[5], work.lam)
    if rank < m:
        for i in range(m):
            for j in range(n):
                X[i, j] = work.C[i, j]
            for j in range(m):
                S[i, j] = 0.0
        orthogonalise(X, m, n, rank, 0.0, S, picked)
        minimum_norm(S, m, rank, work.lam, W, w, work.dense)
    copy(z[n : n + n_q], row, 0)
    copy(work.v, row, n_q)
    copy(work.a, row, n_q + n)
    copy(work.lam, row, n_q + 2 * n)
    row[row.shape[0] - 1] = z[n + n_q]
    return OK
