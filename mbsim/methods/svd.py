"""Null-space projection from a held singular value decomposition of C. Shui & Zhang 1996, eqs. 2.5-3.10, corrected.

    C = U [D 0] [V1 V2]'   held;   p = V2' v,   z = [p; q; W]
    v     = [C; V2']^-1 [-xi; p]                                  (2.10), with the current C
    B     = [C; V2']^-1 [0; I],  a_p = [C; V2']^-1 [-eta; 0]      B spans the current null space of C
    p_dot = (B' M B)^-1 B' (h - M a_p),   v_dot = a_p + B p_dot   (V2' B = I, V2' a_p = 0)
    C' lam = M v_dot - h

The paper's eqs. 3.6-3.7 hold only with V2 of the current C and its eq. 4.2 for lam is wrong in general: docs/errata.md.
Velocity constraints hold to round-off at every evaluation. A new decomposition is taken when the null space has turned away from V2,
measured by B: its columns are b_i = v2_i + n_i with n_i across V2, and sum |n_i|^2 is the sum of the squared tangents of the angles
between the held and the current null space; it is infinite where [C; V2'] is singular. HOLD_LIMIT bounds its root.

Redundant rows: r = rank C rows are picked with pivoting when the decomposition is taken; the others follow from them. The pivot order
of [C; V2'] is held as well, so that factoring it needs no search.
"""

from math import sqrt

from mbsim.jit import ACCEPT, CHANGED, COUNT_EVALUATIONS, COUNT_FACTORISATIONS, COUNT_STEPS, COUNT_SVDS, DEPENDENT_CONSTRAINTS
from mbsim.jit import EXPAND, OK, RHS, SETTING_MASS_BLOCK, SETTING_RHEONOMIC, SINGULAR_MASS, START, STATUS_INDEX, STATUS_RANK, helper, kernel
from mbsim.kernels.linalg import RANK_TOLERANCE, cholesky, clear, copy, lu_held, lu_order, lu_solve, lu_solve_transposed, minimum_norm
from mbsim.kernels.linalg import multiply_mass, orthogonalise, solve_lower, solve_upper
from mbsim.kernels.svd import null_space

HOLD_LIMIT = 3.0  # tangent of the angle (71 degrees) between the held and the current null space at which the basis is renewed
GROWTH_LIMIT = 1e3  # LU multiplier above which the held pivot order is replaced: three digits lost of sixteen


def space(n, m):
    """Shapes of the work matrices, lengths of the work vectors and index vectors for n speeds and m constraint rows.

    Matrices: A = [C; V2'] and its factors; V2' in rows :k; B' in rows :k; X, S, W scratch. Vectors: h - M a_p; M v_dot - h; scratch.
    Indices: order of the rows of A (row i of C as i, row j of V2' as -1-j); rows of C as picked.
    """
    larger = max(n, m)
    return [(n, n), (n, n), (n, n), (larger, n), (larger, larger), (larger, n)], [n, n, m, m, m, n], [n, m]


@helper
def fill(work, A, V2, order):
    """A = [C; V2'], its rows in the given order."""
    n = A.shape[0]
    C = work.C
    for i in range(n):
        source = order[i]
        if source >= 0:
            for j in range(n):
                A[i, j] = C[source, j]
        else:
            for j in range(n):
                A[i, j] = V2[-1 - source, j]


@helper
def factor(work, A, V2, order):
    """LU of [C; V2'] in the held pivot order, in a new one when that has become poor; returns OK or DEPENDENT_CONSTRAINTS."""
    n = A.shape[0]
    fill(work, A, V2, order)
    work.counts[COUNT_FACTORISATIONS] += 1
    growth = lu_held(A, n)
    if growth <= GROWTH_LIMIT:
        return OK
    fill(work, A, V2, order)
    lu_order(A, n, order)
    fill(work, A, V2, order)
    growth = lu_held(A, n)
    return OK if growth < 1e300 else DEPENDENT_CONSTRAINTS


@helper
def velocity(work, A, order, p, v):
    """v = [C; V2']^-1 [-xi; p]."""
    n = A.shape[0]
    for i in range(n):
        source = order[i]
        v[i] = -work.xi[source] if source >= 0 else p[-1 - source]
    lu_solve(A, n, v, 0)


@helper
def accelerate(system, arrays, work, t, p, q, dp):
    """work.v, work.a and dp = p_dot at (t, p, q); leaves B' in matrices[2] and M v_dot - h in vectors[1]."""
    A, V2, B, X, S, _ = work.matrices
    force, x = work.vectors[0], work.vectors[1]
    order = work.indices[0]
    n, m = work.v.shape[0], work.C.shape[0]
    k = n - work.status[STATUS_RANK]
    block = int(work.settings[SETTING_MASS_BLOCK])
    v, a = work.v, work.a
    work.counts[COUNT_EVALUATIONS] += 1
    system[0](arrays, t, q, work.C, work.xi)
    code = factor(work, A, V2, order)
    if code != OK:
        return code
    velocity(work, A, order, p, v)
    system[1](arrays, t, q, v, work.M, work.h, work.eta, work.power)
    for i in range(n):
        source = order[i]
        if source >= 0:
            a[i] = -work.eta[source]
        else:
            a[i] = 0.0
            row = -1 - source
            for j in range(n):
                B[row, j] = 0.0
            B[row, i] = 1.0
            lu_solve(A, n, B[row], i)
    if m > 0:
        lu_solve(A, n, a, 0)
    multiply_mass(work.M, block, a, force)
    for i in range(n):
        force[i] = work.h[i] - force[i]
    for i in range(k):
        multiply_mass(work.M, block, B[i], X[i])
        s = 0.0
        for j in range(n):
            s += B[i, j] * force[j]
        dp[i] = s
        for l in range(i + 1):
            s = 0.0
            for j in range(n):
                s += X[i, j] * B[l, j]
            S[i, l] = s
    bad = cholesky(S, k, n)
    if bad >= 0:
        work.status[STATUS_INDEX] = 0
        for j in range(n):
            if abs(B[bad, j]) > abs(B[bad, work.status[STATUS_INDEX]]):
                work.status[STATUS_INDEX] = j
        return SINGULAR_MASS
    solve_lower(S, k, n, dp)
    solve_upper(S, k, n, dp)
    for j in range(n):
        s, f = a[j], force[j]
        for i in range(k):
            s += B[i, j] * dp[i]
            f -= X[i, j] * dp[i]
        a[j] = s
        x[j] = -f  # M v_dot - h = M B p_dot - (h - M a_p)
    return OK


@helper
def multipliers(work):
    """work.lam of the picked rows from C' lam = M v_dot - h; the dependent rows carry nothing yet."""
    A = work.matrices[0]
    x = work.vectors[1]
    order = work.indices[0]
    clear(work.lam)
    n = A.shape[0]
    lu_solve_transposed(A, n, x)
    for i in range(n):
        if order[i] >= 0:
            work.lam[order[i]] = x[i]


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    n = work.v.shape[0]
    end = z.shape[0] - 1
    k = n - work.status[STATUS_RANK]
    q = z[n:end]
    for i in range(k, n):
        dz[i] = 0.0
    code = accelerate(system, arrays, work, t, z[:k], q, dz[:k])
    if code != OK:
        return code
    system[3](arrays, q, work.v, dz[n:end])
    power = work.power[0]
    if work.settings[SETTING_RHEONOMIC] != 0.0:
        multipliers(work)
        for i in range(work.lam.shape[0]):
            power -= work.lam[i] * work.xi[i]
    dz[end] = power
    return OK


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Take the decomposition at (t, q), pick rows and pivot order, and set z[:n] to p = V2' v."""
    A, V2, _, X, S, W = work.matrices
    sigma = work.vectors[2]
    order, picked = work.indices
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
    rank = null_space(X, m, RANK_TOLERANCE, W, V2, sigma)
    work.status[STATUS_RANK] = orthogonalise(X, m, n, rank, RANK_TOLERANCE, S, picked)
    for i in range(n):
        order[i] = picked[i] if i < rank else rank - 1 - i
    fill(work, A, V2, order)
    lu_order(A, n, order)
    for i in range(n):
        s = 0.0
        if i < n - rank:
            for j in range(n):
                s += V2[i, j] * v[j]
        z[i] = s
    work.counts[COUNT_SVDS] += 1
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    A, V2, B, _, _, _ = work.matrices
    order = work.indices[0]
    n = work.v.shape[0]
    k = n - work.status[STATUS_RANK]
    q = z[n : z.shape[0] - 1]
    work.counts[COUNT_STEPS] += 1
    if q.shape[0] != n:  # quaternions back to unit length
        clear(work.vectors[5])
        system[4](arrays, q, work.vectors[5])
    code = project(system, arrays, work, t, q, z[:0])  # velocities satisfy their constraints already
    if code != OK:
        return code
    turned = 0.0  # B of the last stage: near enough to the end of the step
    for i in range(k):
        for j in range(n):
            turned += B[i, j] * B[i, j]
    if turned - k <= HOLD_LIMIT * HOLD_LIMIT:
        return OK
    system[0](arrays, t, q, work.C, work.xi)
    if factor(work, A, V2, order) == OK:
        velocity(work, A, order, z[:k], work.v)
    start(system, arrays, work, t, q, work.v, z)
    return CHANGED


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    _, _, _, X, S, W = work.matrices
    w, picked = work.vectors[3], work.indices[1]
    m, n = work.C.shape
    n_q = z.shape[0] - 1 - n
    rank = work.status[STATUS_RANK]
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    if work.settings[SETTING_RHEONOMIC] == 0.0:
        multipliers(work)
    if rank < m:
        for i in range(m):
            for j in range(n):
                X[i, j] = work.C[i, j]
            for j in range(m):
                S[i, j] = 0.0
        orthogonalise(X, m, n, rank, 0.0, S, picked)
        minimum_norm(S, m, rank, work.lam, W, w)
    copy(z[n : n + n_q], row, 0)
    copy(work.v, row, n_q)
    copy(work.a, row, n_q + n)
    copy(work.lam, row, n_q + 2 * n)
    row[row.shape[0] - 1] = z[n + n_q]
    return OK
