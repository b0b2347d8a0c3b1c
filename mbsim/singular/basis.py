"""The algebra of a null-space basis, held (the notation is that of `singular/decomposition.py`, whose arrays `held` are) or not.

V2 and the pivots belong to R^-1 C S and S^-1 v, S = diag(Work.scales), R = diag(Work.row_scales), in which metres and radians compare
whatever the size of the mechanism; C and v here are these. N' and all that leaves these functions is of v itself.
"""

from math import sqrt

from mbsim.contracts import DEPENDENT_CONSTRAINTS, OK, SINGULAR_MASS
from mbsim.jit import helper
from mbsim.kernels.linalg import (
    back_substitute,
    cholesky,
    copy,
    divisor,
    eliminate,
    eliminated_solve,
    lu,
    minimum_norm,
    multiply_mass,
    orthogonalise,
    pivot_order,
    preference,
    solve_lower,
    solve_upper,
)
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.kernels.svd import null_space
from mbsim.saddle.evaluation import fail

GROWTH_LIMIT = 1e4  # multiplier, or square of an entry of G, as in N' M N, above which the held pivots are replaced: four digits lost
# of sixteen
UNKNOWN = -1  # whether the order of columns and rows is odd, since it was changed
SHARE = 4  # of `held.pivots`: the smallest share (Arrays.row_shares) among the rows picked, when they were
ALWAYS = -1.0  # in its place: the pivots are replaced in any case


@helper
def null_basis(work, shares, limit, V2, held):
    """Find V2' (k rows) of C by singular values; return the rank. `limit` is the rank to use, -1 to find it.

    `shares` (m,): Arrays.row_shares. The rows of C are made unit first (`unit`).
    """
    unit(work, shares, held.X)
    return null_space(held.X, work.C.shape[0], limit, RANK_TOLERANCE, held.S, V2, held.sigma)


@helper
def unit(work, shares, X):
    """Fill X (m, n) with C, its rows of unit length, so that metres and radians compare."""
    C, scales = work.C, work.scales
    m, n = C.shape
    for i in range(m):
        s = 0.0
        for j in range(n):
            X[i, j] = C[i, j] * scales[j]
            s += X[i, j] * X[i, j]
        s = 1.0 / divisor(sqrt(s), shares[i])
        for j in range(n):
            X[i, j] *= s


@helper
def prefer(X, shares):
    """Scale the unit rows of X (m, n) as they compete to be picked (`kernels.linalg.preference`)."""
    for i in range(shares.shape[0]):
        for j in range(X.shape[1]):
            X[i, j] *= 0.5 * sqrt(preference(1.0, shares, i))


@helper
def least_share(shares, rows, rank):
    """Return the smallest of `shares` (m,) among the rows picked."""
    least = 1.0
    for a in range(rank):
        least = min(least, shares[rows[a]])
    return least


@helper
def pick_rows(work, shares, held, rank):
    """Pick others among all rows by pivoting, where some depend on others; columns and V2 stay."""
    m, n = work.C.shape
    if rank == m:
        return
    unit(work, shares, held.X)
    prefer(held.X, shares)
    for i in range(m):
        held.rows[i] = i
    for j in range(n):
        held.tried[j] = j
    pivot_order(held.X, m, rank, n, held.rows, held.tried)
    held.pivots[SHARE] = least_share(shares, held.rows, rank)
    held.odd[0] = UNKNOWN


@helper
def fill(work, held, rank):
    """Fill A = [C_D C_I xi] of the picked rows, in links and rad (Work.row_scales)."""
    A, C, rows, columns, scales = held.A, work.C, held.rows, held.columns, work.scales
    n = C.shape[1]
    for i in range(rank):
        source = rows[i]
        unit = 1.0 / work.row_scales[source]
        for j in range(n):
            A[i, j] = C[source, columns[j]] * (scales[columns[j]] * unit)
        A[i, n] = work.xi[source] * unit


@helper
def pick(work, held, rank, scratch):
    """Pick other rows and columns by pivoting on the rows picked, V2 with them; return the smallest over the largest pivot.

    A is destroyed; scratch (n, n).
    """
    n = held.V2.shape[1]
    permute(held.V2, n - rank, held.columns, scratch, True)
    fill(work, held, rank)
    ratio = pivot_order(held.A, rank, rank, n, held.rows, held.columns)
    held.odd[0] = UNKNOWN
    permute(held.V2, n - rank, held.columns, scratch, False)
    return ratio


@helper
def factor(work, held, rank, limit):
    """Find G and C_D^-1 xi, in the right columns of A, then N and the factors of T; return OK or DEPENDENT_CONSTRAINTS.

    When a multiplier with the held pivots, or the square of an entry of G, exceeds `limit`, new ones are found. No multiplier shows that
    the last pivot vanishes: no row is below it. G shows it, and any other C_D that is poor. With new pivots G is never large, not even
    near a singular position.
    """
    A, width = held.A, work.C.shape[1] + 1
    for attempt in range(2):
        if attempt == 1:
            pick(work, held, rank, held.N)
        fill(work, held, rank)
        growth = eliminate(A, rank, width)
        if attempt == 0 and not growth <= limit:
            continue
        if not growth < 1e300:
            return DEPENDENT_CONSTRAINTS
        steepest = tangent(work, held, rank)
        if steepest * steepest <= limit:
            break
    return blocks(held, rank)


@helper
def blocks(held, rank):
    """Find T and its factors from the G in A."""
    A, V2, T = held.A, held.V2, held.T
    k = V2.shape[1] - rank
    for i in range(k):
        for b in range(k):
            s = V2[b, rank + i]
            for j in range(rank):
                s -= V2[b, j] * A[j, rank + i]
            T[b, i] = s
    return OK if lu(T, k, held.exchanged) else DEPENDENT_CONSTRAINTS


@helper
def tangent(work, held, rank):
    """Find N' from the eliminated A, whose right columns become G and C_D^-1 xi; return the largest entry of G."""
    A, N, columns, scales = held.A, held.N, held.columns, work.scales
    n, largest = N.shape[1], 0.0
    back_substitute(A, rank, n + 1)
    for i in range(n - rank):
        for j in range(rank):
            g = A[j, rank + i]
            N[i, columns[j]] = -g * scales[columns[j]]
            largest = max(largest, abs(g))
        for j in range(rank, n):
            N[i, columns[j]] = 0.0
        N[i, columns[rank + i]] = scales[columns[rank + i]]
    return largest


@helper
def permute(V2, k, columns, scratch, back):
    """Bring the columns of V2' from the order of v to that of A, or back."""
    n = V2.shape[1]
    for i in range(k):
        for j in range(n):
            if back:
                scratch[i, columns[j]] = V2[i, j]
            else:
                scratch[i, j] = V2[i, columns[j]]
        copy(scratch[i], V2[i], 0)


@helper
def velocity(work, held, rank, p, v):
    """Solve v = [C; V2']^-1 [-xi; p]."""
    A, V2, columns, x, scales = held.A, held.V2, held.columns, held.x, work.scales
    n = v.shape[0]
    k = n - rank
    for i in range(k):
        b = held.exchanged[i]
        s = p[b]
        for j in range(rank):
            s += V2[b, j] * A[j, n]
        x[i] = s
    eliminated_solve(held.T, k, x)
    for j in range(rank):
        s = -A[j, n]
        for i in range(k):
            s -= A[j, rank + i] * x[i]
        v[columns[j]] = s * scales[columns[j]]
    for i in range(k):
        v[columns[rank + i]] = x[i] * scales[columns[rank + i]]


@helper
def particular(work, held, rank, eta, a):
    """Find a solution of C a = -eta: a_D = -C_D^-1 eta, a_I = 0."""
    A, x, rows, columns, scales = held.A, held.x, held.rows, held.columns, work.scales
    for i in range(rank):
        x[i] = -eta[rows[i]] / work.row_scales[rows[i]]
    eliminated_solve(A, rank, x)
    for j in range(a.shape[0]):
        a[columns[j]] = x[j] * scales[columns[j]] if j < rank else 0.0


@helper
def independent(work, held, k, a, out):
    """Fill out = V2' a, and zeros in the places that the independent speeds leave free."""
    n, V2, columns, scales = a.shape[0], held.V2, held.columns, work.scales
    for i in range(n):
        s = 0.0
        if i < k:
            for j in range(n):
                s += V2[i, j] * (a[columns[j]] / scales[columns[j]])
        out[i] = s


@helper
def reduced_solve(work, N, k, force, weighed, reduced, y):
    """Solve (N' M N) y = N' force for y (k,); leave weighed = N' M and the factors of `reduced` = N' M N. N' has k rows.

    Returns OK, or SINGULAR_MASS with STATUS_INDEX at the speed that has most part in the direction without inertia.
    """
    n = force.shape[0]
    for i in range(k):
        multiply_mass(work.M, work.skyline, N[i], weighed[i])
        s = 0.0
        for j in range(n):
            s += N[i, j] * force[j]
        y[i] = s
        for b in range(i + 1):
            s = 0.0
            for j in range(n):
                s += weighed[i, j] * N[b, j]
            reduced[i, b] = s
    bad = cholesky(reduced, k, work.dense)
    if bad >= 0:
        at = 0
        for j in range(n):
            if abs(N[bad, j]) > abs(N[bad, at]):
                at = j
        return fail(work, SINGULAR_MASS, at)
    solve_lower(reduced, k, work.dense, y)
    solve_upper(reduced, k, work.dense, y)
    return OK


@helper
def shortest(work, held, rank):
    """Make work.lam the shortest with the same C' lam, where rows depend on each other."""
    C, X, S = work.C, held.X, held.S
    m, n = C.shape
    if rank == m:
        return
    for i in range(m):
        for j in range(n):
            X[i, j] = C[i, j]
        for j in range(m):
            S[i, j] = 0.0
    orthogonalise(X, m, n, held.sigma[:0], rank, 0.0, S, held.picked, 0)
    minimum_norm(S, m, rank, work.lam, work.levers, held.W, held.sigma, work.dense)
