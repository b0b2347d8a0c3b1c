"""The algebra of a held null-space basis: G, N and T of C and V2, and what they give. The notation is that of `_held.py`."""

from math import sqrt

from mbsim.jit import DEPENDENT_CONSTRAINTS, OK, helper
from mbsim.kernels.linalg import (
    RANK_TOLERANCE,
    back_substitute,
    copy,
    eliminate,
    eliminated_solve,
    lu,
    minimum_norm,
    orthogonalise,
    pivot_order,
)
from mbsim.kernels.svd import null_space

GROWTH_LIMIT = 1e4  # multiplier, or square of an entry of G, as in N' M N, above which the held pivots are replaced: four digits lost
# of sixteen
UNKNOWN = -1  # whether the order of columns and rows is odd, since it was changed
ALWAYS = -1.0  # in its place: the pivots are replaced in any case


@helper
def null_basis(C, limit, V2, X, S, sigma):
    """V2' (k rows) of C by singular values; returns the rank. `limit` is the rank to use, -1 to find it. X, S and sigma are scratch.

    The rows of C are made unit first, so that metres and radians compare. They stay in X.
    """
    m, n = C.shape
    for i in range(m):
        s = 0.0
        for j in range(n):
            s += C[i, j] * C[i, j]
        s = 1.0 / sqrt(s) if s > 0.0 else 0.0
        for j in range(n):
            X[i, j] = s * C[i, j]
    return null_space(X, m, limit, RANK_TOLERANCE, S, V2, sigma)


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
def factor(C, xi, A, V2, N, T, rank, order, limit):
    """G and C_D^-1 xi in the right columns of A, N, and T with its factors; returns OK or DEPENDENT_CONSTRAINTS.

    When a multiplier with the held pivots, or the square of an entry of G, exceeds `limit`, new ones are found. No multiplier shows that
    the last pivot vanishes: no row is below it. G shows it, and any other C_D that is poor. With new pivots G is never large, not even
    near a singular position. order: Work.indices[0].
    """
    n = C.shape[1]
    columns, rows, exchanged = order[:n], order[n : n + rank], order[n + rank :]
    for attempt in range(2):
        if attempt == 1:
            unpermute(V2, n - rank, columns, N)
            fill(C, xi, A, rank, rows, columns)
            pivot_order(A, rank, rank, n, rows, columns)
            order[order.shape[0] - 1] = UNKNOWN
            permute(V2, n - rank, columns, N)
        fill(C, xi, A, rank, rows, columns)
        growth = eliminate(A, rank, n + 1)
        if attempt == 0 and not growth <= limit:
            continue
        if not growth < 1e300:
            return DEPENDENT_CONSTRAINTS
        steepest = tangent(A, N, rank, columns)
        if steepest * steepest <= limit:
            break
    return blocks(A, V2, N, T, rank, exchanged)


@helper
def blocks(A, V2, N, T, rank, exchanged):
    """T with its factors, from the G in A."""
    n = V2.shape[1]
    k = n - rank
    for i in range(k):
        for b in range(k):
            s = V2[b, rank + i]
            for j in range(rank):
                s -= V2[b, j] * A[j, rank + i]
            T[b, i] = s
    return OK if lu(T, k, exchanged) else DEPENDENT_CONSTRAINTS


@helper
def tangent(A, N, rank, columns):
    """N' from the eliminated A, whose right columns become G and C_D^-1 xi; returns the largest entry of G."""
    n, largest = N.shape[1], 0.0
    back_substitute(A, rank, n + 1)
    for i in range(n - rank):
        for j in range(rank):
            g = A[j, rank + i]
            N[i, columns[j]] = -g
            largest = max(largest, abs(g))
        for j in range(rank, n):
            N[i, columns[j]] = 0.0
        N[i, columns[rank + i]] = 1.0
    return largest


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
def particular(A, rank, columns, rows, eta, x, a):
    """A solution of C a = -eta: a_D = -C_D^-1 eta, a_I = 0; x (n,) is scratch."""
    for i in range(rank):
        x[i] = -eta[rows[i]]
    eliminated_solve(A, rank, x)
    for j in range(a.shape[0]):
        a[columns[j]] = x[j] if j < rank else 0.0


@helper
def independent(V2, k, columns, a, out):
    """out = V2' a, and zeros in the places that the independent speeds leave free."""
    n = a.shape[0]
    for i in range(n):
        s = 0.0
        if i < k:
            for j in range(n):
                s += V2[i, j] * a[columns[j]]
        out[i] = s


@helper
def shortest(C, rank, lam, X, S, W, w, picked, dense):
    """The shortest lam with the same C' lam, where rows depend on each other. X, S, W, w and picked are scratch."""
    m, n = C.shape
    if rank == m:
        return
    for i in range(m):
        for j in range(n):
            X[i, j] = C[i, j]
        for j in range(m):
            S[i, j] = 0.0
    orthogonalise(X, m, n, rank, 0.0, S, picked)
    minimum_norm(S, m, rank, lam, W, w, dense)


@helper
def fill_row(z, v, a, lam, row):
    """The output row [q; v; v_dot; lam; W]."""
    n = v.shape[0]
    n_q = z.shape[0] - 1 - n
    copy(z[n : n + n_q], row, 0)
    copy(v, row, n_q)
    copy(a, row, n_q + n)
    copy(lam, row, n_q + 2 * n)
    row[row.shape[0] - 1] = z[n + n_q]
