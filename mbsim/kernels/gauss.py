"""Gauss's principle of least constraint: among all y with C y = b, the one nearest to M^-1 h in the M norm.

One factorisation serves the accelerations (b = -eta), the velocity projection (h = 0, b = -(C v + xi)) and the mass-weighted
Newton correction of positions (h = 0, b = -phi; Shui & Zhang 1996, eq. 4.10). It reveals the rank: with M = L L', the rows of
C L^-T are made unit, then orthogonalised with pivoting,

    C L^-T = D G Q,   Q Q' = I   (Q: r orthonormal rows),

so that dependent rows cost nothing and harm nothing. y = L^-T (y0 + Q'(w - Q y0)), y0 = L^-1 h, G_1 w = D_1^-1 b_1 on the rows picked.
The multipliers of C' lam = M y - h follow from the same factors; with dependent rows they are the shortest ones.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.linalg import RANK_TOLERANCE, cholesky, minimum_norm, orthogonalise, solve_lower, solve_upper

NOT_POSITIVE, ROW_NOT_FINITE = -1, -2  # in place of a rank


@helper
def factor_mass(M, skyline, L):
    """L of M = L L' within the skyline; returns -1, or the speed at which M is not positive definite."""
    n = M.shape[0]
    for i in range(n):
        for j in range(skyline[i], i + 1):
            L[i, j] = M[i, j]
    return cholesky(L, n, skyline)


@helper
def gauss_factor(M, C, m, skyline, limit, L, Q, G, scale, order):
    """Factor the first `m` rows of C; returns (rank, -1), (NOT_POSITIVE, i) where M is not positive definite at speed i, or
    (ROW_NOT_FINITE, i): that row would pass for a dependent one.

    `limit` is the rank to use, -1 to find it; `skyline` (n,) that of M. L (n, n), Q (m, n), G (m, m),
    scale (m,) and order (m,) are written.
    """
    n = M.shape[0]
    bad = factor_mass(M, skyline, L)
    if bad >= 0:
        return NOT_POSITIVE, bad
    for i in range(m):
        for j in range(n):
            Q[i, j] = C[i, j]
        solve_lower(L, n, skyline, Q[i])
        s = 0.0
        for j in range(n):
            s += Q[i, j] * Q[i, j]
        if not s < 1e300:
            return ROW_NOT_FINITE, i
        s = sqrt(s)
        scale[i] = s if s > 0.0 else 1.0
        for j in range(n):
            Q[i, j] /= scale[i]
        for j in range(m):
            G[i, j] = 0.0
    rank = orthogonalise(Q, m, n, limit, RANK_TOLERANCE, G, order)
    return rank, -1


@helper
def gauss_solve(rank, skyline, L, Q, G, scale, order, b, y, w):
    """y (n,) holds h on entry and the solution on return; w (m,) holds w - Q y0 on return. b (m,) is in the order of the rows."""
    n = y.shape[0]
    solve_lower(L, n, skyline, y)
    for a in range(rank):
        i = order[a]
        s = b[i] / scale[i]
        for k in range(a):
            s -= G[i, k] * w[k]
        w[a] = s / G[i, a]
    for a in range(rank):
        i = order[a]
        s = w[a]
        for j in range(n):
            s -= Q[i, j] * y[j]
        w[a] = s
    for a in range(rank):
        i = order[a]
        for j in range(n):
            y[j] += Q[i, j] * w[a]
    solve_upper(L, n, skyline, y)


@helper
def gauss_basic_multipliers(m, rank, G, scale, order, w, lam):
    """lam (m,) from the w that `gauss_solve` left, with zeros at the rows that were not picked. The factors stay as they are."""
    for i in range(m):
        lam[i] = 0.0
    for a in range(rank - 1, -1, -1):
        i = order[a]
        s = w[a]
        for k in range(a + 1, rank):
            s -= G[order[k], a] * lam[order[k]]
        lam[i] = s / G[i, a]
    for i in range(m):
        lam[i] /= scale[i]


@helper
def gauss_multipliers(m, rank, G, scale, order, w, lam, S, dense):
    """lam (m,) from the w that `gauss_solve` left; the shortest one when rows are dependent. G is rescaled; S (rank, rank) scratch."""
    gauss_basic_multipliers(m, rank, G, scale, order, w, lam)
    if rank < m:
        for i in range(m):
            for a in range(rank):
                G[i, a] *= scale[i]
        minimum_norm(G, m, rank, lam, S, w, dense)
