"""Small dense algebra on preallocated arrays: quicker to compile than LAPACK calls and, below about n = 30, faster to run.

All functions are helpers, compiled into the kernels that use them. Matrices are row-major and rows are what loops run along.
"""

from math import sqrt

from mbsim.jit import helper

RANK_TOLERANCE = 1e-8  # of rows made unit in the metric used; below it a row is dependent. Positions are corrected to about 1e-10,
# so a row that is redundant on the constraint manifold shows a remainder of that size, not of round-off.


@helper
def copy(x, out, at):
    """out[at:at + len(x)] = x. Slice assignment would do, but each costs Numba half a second of compiling."""
    for i in range(x.shape[0]):
        out[at + i] = x[i]


@helper
def clear(x):
    """x = 0, likewise."""
    for i in range(x.shape[0]):
        x[i] = 0.0


@helper
def multiply_mass(M, block, x, out):
    """out = M x for a mass matrix of diagonal blocks of size `block` (the last may be shorter; `block` = n: dense)."""
    n = x.shape[0]
    start = 0
    while start < n:
        stop = min(start + block, n)
        for i in range(start, stop):
            s = 0.0
            for j in range(start, stop):
                s += M[i, j] * x[j]
            out[i] = s
        start = stop


@helper
def cholesky(A, n, block):
    """A = L L' in place (lower triangle) for diagonal blocks of size `block`; returns -1, or the row at which A is not positive."""
    for j in range(n):
        first = j // block * block
        last = min(first + block, n)
        s = A[j, j]
        scale = s
        for k in range(first, j):
            s -= A[j, k] * A[j, k]
        if not s > 1e-14 * scale:  # also catches NaN; a pivot that cancels to round-off is singular
            return j
        d = sqrt(s)
        A[j, j] = d
        for i in range(j + 1, last):
            s = A[i, j]
            for k in range(first, j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s / d
    return -1


@helper
def solve_lower(L, n, block, x):
    """x = L^-1 x in place."""
    for i in range(n):
        s = x[i]
        for k in range(i // block * block, i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]


@helper
def solve_upper(L, n, block, x):
    """x = L'^-1 x in place."""
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, min(i // block * block + block, n)):
            s -= L[k, i] * x[k]
        x[i] = s / L[i, i]


@helper
def orthogonalise(Y, m, n, limit, tolerance, G, order):
    """Y = G Q: modified Gram-Schmidt on the m rows of Y with pivoting and re-orthogonalisation; returns the rank r.

    Y (m, n) becomes Q in its rows order[:r]; G (m, m) holds the coefficients in columns :r; order (m,) the rows as picked.
    Stops at `limit` rows (-1: none) or when no remaining row is longer than `tolerance` (rows are expected to have unit length).
    """
    for i in range(m):
        order[i] = i
    rank = m if limit < 0 else min(limit, m)
    for step in range(min(rank, n)):
        best, longest = step, -1.0
        for k in range(step, m):
            i = order[k]
            s = 0.0
            for j in range(n):
                s += Y[i, j] * Y[i, j]
            if s > longest:
                best, longest = k, s
        if limit < 0 and not longest > tolerance * tolerance or not longest > 0.0:
            return step
        order[step], order[best] = order[best], order[step]
        p = order[step]
        for k in range(step):  # what cancellation left along the rows already picked
            i = order[k]
            s = 0.0
            for j in range(n):
                s += Y[i, j] * Y[p, j]
            G[p, k] += s
            for j in range(n):
                Y[p, j] -= s * Y[i, j]
        s = 0.0
        for j in range(n):
            s += Y[p, j] * Y[p, j]
        d = sqrt(s)
        G[p, step] = d
        for j in range(n):
            Y[p, j] /= d
        for k in range(step + 1, m):
            i = order[k]
            s = 0.0
            for j in range(n):
                s += Y[i, j] * Y[p, j]
            G[i, step] = s
            if s != 0.0:
                for j in range(n):
                    Y[i, j] -= s * Y[p, j]
    return min(rank, n)


@helper
def minimum_norm(G, m, rank, lam, S, w):
    """Project lam (m,) on the range of G (m, rank): among all multipliers with the same reaction G' lam, the shortest.

    S (rank, rank) and w (rank,) are scratch.
    """
    for a in range(rank):
        s = 0.0
        for i in range(m):
            s += G[i, a] * lam[i]
        w[a] = s
        for b in range(a + 1):
            s = 0.0
            for i in range(m):
                s += G[i, a] * G[i, b]
            S[a, b] = s
    if cholesky(S, rank, max(rank, 1)) >= 0:
        return
    solve_lower(S, rank, max(rank, 1), w)
    solve_upper(S, rank, max(rank, 1), w)
    for i in range(m):
        s = 0.0
        for a in range(rank):
            s += G[i, a] * w[a]
        lam[i] = s


@helper
def lu_held(A, n):
    """LU in place without row exchanges (the rows come in a held pivot order); returns the largest multiplier, 1e300 when singular.

    The diagonal is left inverted, because several right-hand sides follow.
    """
    growth = 0.0
    for k in range(n):
        d = A[k, k]
        if d == 0.0:
            return 1e300
        inverse = 1.0 / d
        A[k, k] = inverse
        for i in range(k + 1, n):
            f = A[i, k]
            if f != 0.0:
                f *= inverse
                growth = max(growth, abs(f))
                A[i, k] = f
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return growth


@helper
def lu_order(A, n, order):
    """LU with row exchanges, only to find the pivot order: order (n,) is permuted along; returns smallest over largest pivot."""
    small, large = 1e300, 0.0
    for k in range(n):
        r = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[r, k]):
                r = i
        if r != k:
            order[k], order[r] = order[r], order[k]
            for j in range(n):
                A[k, j], A[r, j] = A[r, j], A[k, j]
        d = abs(A[k, k])
        small, large = min(small, d), max(large, d)
        if d == 0.0:
            return 0.0
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return small / large if n > 0 else 1.0


@helper
def lu_solve(A, n, x, first):
    """x = A^-1 x in place from `lu_held`'s factors; entries of x before `first` are zero."""
    for i in range(first + 1, n):
        s = x[i]
        for k in range(first, i):
            s -= A[i, k] * x[k]
        x[i] = s
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, n):
            s -= A[i, k] * x[k]
        x[i] = s * A[i, i]


@helper
def lu_solve_transposed(A, n, x):
    """x = A'^-1 x in place from `lu_held`'s factors."""
    for i in range(n):
        s = x[i] * A[i, i]
        x[i] = s
        for k in range(i + 1, n):
            x[k] -= A[i, k] * s
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i):
            x[k] -= A[i, k] * s
