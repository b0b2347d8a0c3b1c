"""Small dense algebra on preallocated arrays: quicker to compile than LAPACK calls and, below about n = 30, faster to run.

All functions are helpers, compiled into the kernels that use them. Matrices are row-major and rows are what loops run along.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.ranks import RANK_TOLERANCE, ROUND_OFF

ORDINARY = 0.1  # share of a row in joint coordinates above which it counts fully


@helper
def copy(x, out, at):
    """out[at:at + len(x)] = x. Slice assignment would do, but each costs Numba half a second of compiling."""
    for i in range(x.shape[0]):
        out[at + i] = x[i]


@helper
def negate(x, out):
    """The first places of out = -x."""
    for i in range(x.shape[0]):
        out[i] = -x[i]


@helper
def clear(x):
    """x = 0, likewise."""
    for i in range(x.shape[0]):
        x[i] = 0.0


@helper
def multiply_rows(C, x, out):
    """out (m,) = C x."""
    for i in range(C.shape[0]):
        s = 0.0
        for j in range(C.shape[1]):
            s += C[i, j] * x[j]
        out[i] = s


@helper
def divisor(length, share):
    """What a row of `length` is divided by to be compared with others: its length, and more where hardly a `share` of it is left.

    The share (Arrays.row_shares) is 1 but in joint coordinates, where a row is a sum over the joints of a loop: there it fades out as its
    terms cancel, at a singular position where the loop folds. 1 for a row of zeros.
    """
    if not length > 0.0:
        return 1.0
    return length * max(1.0, ORDINARY / max(share, RANK_TOLERANCE))


@helper
def preference(square, shares, i):
    """By what row i competes to be picked: the square of its pivot and, of rows that hold the same, its share (Arrays.row_shares).

    A row of which little has not cancelled is short. Made unit, it magnifies what a stage is off the constraints. Parallel rows have equal
    pivots, and round-off would choose between them. A share counts twice at most, so pivots come in their order but for that. `shares`
    may be empty.
    """
    share = shares[i] if shares.shape[0] > 0 else 1.0
    return square * (1.0 + share) * (1.0 + share)


@helper
def multiply_mass(M, first, x, out):
    """out = M x for a symmetric matrix whose row i is zero left of column first[i] (its skyline)."""
    for i in range(x.shape[0]):
        xi, s = x[i], M[i, i] * x[i]
        for j in range(first[i], i):
            s += M[i, j] * x[j]
            out[j] += M[i, j] * xi
        out[i] = s


@helper
def cholesky(A, n, first):
    """A = L L' in place (lower triangle) within the skyline; returns -1, or the row at which A is not positive definite."""
    for i in range(n):
        for j in range(first[i], i):
            s = A[i, j]
            for k in range(max(first[i], first[j]), j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s / A[j, j]
        s = A[i, i]
        scale = s
        for k in range(first[i], i):
            s -= A[i, k] * A[i, k]
        if not s > ROUND_OFF * scale:  # also catches NaN; a pivot that cancels to round-off is singular
            return i
        A[i, i] = sqrt(s)
    return -1


@helper
def solve_lower(L, n, first, x):
    """x = L^-1 x in place."""
    for i in range(n):
        s = x[i]
        for k in range(first[i], i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]


@helper
def solve_upper(L, n, first, x):
    """x = L'^-1 x in place."""
    for i in range(n - 1, -1, -1):
        s = x[i] / L[i, i]
        x[i] = s
        for k in range(first[i], i):
            x[k] -= L[i, k] * s


@helper
def orthogonalise(Y, m, n, shares, limit, tolerance, G, order, kept):
    """Y = G Q: modified Gram-Schmidt on the m rows of Y with pivoting and re-orthogonalisation; returns the rank r.

    Y (m, n) becomes Q in its rows order[:r]; G (m, m) holds the coefficients in columns :r; order (m,) the rows as picked.
    Stops at `limit` rows (-1: none) or when no remaining row is longer than `tolerance` (rows are expected to have unit length).
    `shares` (m,): Arrays.row_shares, of which the choice takes account (`preference`); or empty.
    The first `kept` rows of `order`, then all m of them, are picked before others; with 0 there need be nothing in it.
    """
    for i in range(m if kept == 0 else 0):
        order[i] = i
    rank = m if limit < 0 else min(limit, m)
    for step in range(min(rank, n)):
        best, longest, most = step, -1.0, -1.0
        for k in range(step, kept if step < kept else m):
            i = order[k]
            s = 0.0
            for j in range(n):
                s += Y[i, j] * Y[i, j]
            preferred = preference(s, shares, i)
            if preferred > most:
                best, longest, most = k, s, preferred
        if (limit < 0 and not longest > tolerance * tolerance) or not longest > 0.0:
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
def gram_schmidt(Q, i, n, G):
    """Make row i of Q orthogonal to the rows above it, which are orthonormal, and unit; False when nothing remains of it.

    Modified Gram-Schmidt, a second time where more than half of the length cancelled ("twice is enough", Kahan in Parlett, The
    Symmetric Eigenvalue Problem, 6.9). Row i of G: what it was in terms of the rows :i + 1 of Q.
    """
    s = 0.0
    for j in range(n):
        s += Q[i, j] * Q[i, j]
    for k in range(i):
        G[i, k] = 0.0
    for _ in range(2):
        before = s
        for k in range(i):
            c = 0.0
            for j in range(n):
                c += Q[k, j] * Q[i, j]
            if c != 0.0:
                G[i, k] += c
                for j in range(n):
                    Q[i, j] -= c * Q[k, j]
        s = 0.0
        for j in range(n):
            s += Q[i, j] * Q[i, j]
        if s > 0.25 * before:
            break
    if not s > 0.0:
        return False
    d = sqrt(s)
    G[i, i] = d
    for j in range(n):
        Q[i, j] /= d
    return True


@helper
def minimum_norm(G, m, rank, lam, levers, S, w, dense):
    """Among all multipliers lam (m,) with the same reaction G' lam, G (m, rank), the shortest, each over its lever (m,).

    S (rank, rank) and w (rank,) are scratch; dense (rank,) are zeros, the skyline of a full matrix.
    """
    for a in range(rank):
        s = 0.0
        for i in range(m):
            s += G[i, a] * lam[i]
        w[a] = s
        for b in range(a + 1):
            s = 0.0
            for i in range(m):
                s += levers[i] * levers[i] * G[i, a] * G[i, b]
            S[a, b] = s
    if cholesky(S, rank, dense) >= 0:
        return
    solve_lower(S, rank, dense, w)
    solve_upper(S, rank, dense, w)
    for i in range(m):
        s = 0.0
        for a in range(rank):
            s += G[i, a] * w[a]
        lam[i] = levers[i] * levers[i] * s


@helper
def pivot_order(A, m, steps, n, rows, columns):
    """Complete pivoting on the first m rows of A (destroyed), only to find the order: rows (m,) and columns (n,) are permuted along.

    After `steps` pivots the first `steps` rows and columns are those picked.
    Returns the smallest over the largest pivot.
    """
    small, large = 1e300, 0.0
    for k in range(steps):
        r, c = k, k
        for i in range(k, m):
            for j in range(k, n):
                if abs(A[i, j]) > abs(A[r, c]):
                    r, c = i, j
        if r != k:
            rows[k], rows[r] = rows[r], rows[k]
            for j in range(n):
                A[k, j], A[r, j] = A[r, j], A[k, j]
        if c != k:
            columns[k], columns[c] = columns[c], columns[k]
            for i in range(m):
                A[i, k], A[i, c] = A[i, c], A[i, k]
        d = abs(A[k, k])
        small, large = min(small, d), max(large, d)
        if d == 0.0:
            return 0.0
        for i in range(k + 1, m):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return small / large if steps > 0 else 1.0


@helper
def eliminate(A, m, width):
    """Gaussian elimination of the m rows of A in the order they have; L and the inverted pivots stay in the left m columns.

    The columns from m to `width` become L^-1 of what they were. Returns the largest multiplier, 1e300 when a pivot is zero.
    """
    growth = 0.0
    for k in range(m):
        d = A[k, k]
        if d == 0.0:
            return 1e300
        inverse = 1.0 / d
        A[k, k] = inverse
        for i in range(k + 1, m):
            f = A[i, k]
            if f != 0.0:
                f *= inverse
                growth = max(growth, abs(f))
                A[i, k] = f
                for j in range(k + 1, width):
                    A[i, j] -= f * A[k, j]
    return growth


@helper
def back_substitute(A, m, width):
    """U^-1 on the columns from m to `width` of A, in place, after `eliminate`."""
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            f = A[i, k]
            if f != 0.0:
                for j in range(m, width):
                    A[i, j] -= f * A[k, j]
        d = A[i, i]
        for j in range(m, width):
            A[i, j] *= d


@helper
def eliminated_solve(A, m, x):
    """x = (L U)^-1 x in place, after `eliminate`."""
    for i in range(1, m):
        s = x[i]
        for k in range(i):
            s -= A[i, k] * x[k]
        x[i] = s
    for i in range(m - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, m):
            s -= A[i, k] * x[k]
        x[i] = s * A[i, i]


@helper
def eliminated_solve_transposed(A, m, x):
    """x = (L U)'^-1 x in place, after `eliminate`."""
    for i in range(m):
        s = x[i] * A[i, i]
        x[i] = s
        for k in range(i + 1, m):
            x[k] -= A[i, k] * s
    for i in range(m - 1, -1, -1):
        s = x[i]
        for k in range(i):
            x[k] -= A[i, k] * s


@helper
def lu(A, n, order):
    """LU with row exchanges in place, order (n,) the rows as exchanged, pivots left inverted; False when singular."""
    for k in range(n):
        order[k] = k
    for k in range(n):
        r = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[r, k]):
                r = i
        if r != k:
            order[k], order[r] = order[r], order[k]
            for j in range(n):
                A[k, j], A[r, j] = A[r, j], A[k, j]
        if A[k, k] == 0.0:
            return False
        inverse = 1.0 / A[k, k]
        A[k, k] = inverse
        for i in range(k + 1, n):
            f = A[i, k] * inverse
            A[i, k] = f
            for j in range(k + 1, n):
                A[i, j] -= f * A[k, j]
    return True
