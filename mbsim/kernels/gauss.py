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
from mbsim.kernels.linalg import cholesky, divisor, minimum_norm, orthogonalise, solve_lower, solve_upper
from mbsim.kernels.ranks import RANK_TOLERANCE

NOT_POSITIVE, ROW_NOT_FINITE = -1, -2  # in place of a rank
DAMPED = 0.03  # of the change of the weakest pivot since the last accepted state: what `damping` is
MOST = 1e-3  # and at most
FADES = 4.0  # times it: pivots above that are not damped


@helper
def factor_mass(M, skyline, L):
    """L of M = L L' within the skyline; returns -1, or the speed at which M is not positive definite."""
    n = M.shape[0]
    for i in range(n):
        for j in range(skyline[i], i + 1):
            L[i, j] = M[i, j]
    return cholesky(L, n, skyline)


@helper
def gauss_factor(M, C, m, shares, skyline, limit, L, Q, G, scale, order, kept):
    """Factor the first `m` rows of C; returns (rank, -1), (NOT_POSITIVE, i) where M is not positive definite at speed i, or
    (ROW_NOT_FINITE, i): that row would pass for a dependent one.

    `shares` (m,) are those of the rows (Arrays.row_shares); `limit` is the rank to use, -1 to find it; `skyline` (n,) that of M.
    L (n, n), Q (m, n), G (m, m), scale (m,) and order (m,) are written. The first `kept` rows of `order` are picked before others.
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
        scale[i] = divisor(sqrt(s), shares[i])
        for j in range(n):
            Q[i, j] /= scale[i]
        for j in range(m):
            G[i, j] = 0.0
    rank = orthogonalise(Q, m, n, shares, limit, RANK_TOLERANCE, G, order, kept)
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
def damping(weakest, accepted):
    """The damping of weak directions where the weakest pivot of unit rows is this, and was `accepted` at the last accepted state; 0: none.

    Near a singular position what the rows ask for in a weak direction is the quotient of two small numbers, and a stage off the
    constraints gets the upper one wrong. It does so where the pivot changes by as much as itself within the step, as in a motion that
    passes. A motion that turns or creeps there resolves it, and is not damped.
    """
    change = abs(weakest - accepted)
    if not change >= 0.0:  # NaN: no accepted state yet
        return 0.0
    size = min(DAMPED * change, MOST)
    return size if weakest <= FADES * size else 0.0


@helper
def damp_one(pivot, known, before, size):
    """The x nearest to pivot x = known and size x = size before, in the sense of least squares; `before` is what x was."""
    return before + pivot / (pivot * pivot + size * size) * (known - pivot * before)


@helper
def damp(rank, G, scale, order, past, b, x, w, size):
    """b (m,) becomes the right side with which weak directions of the picked rows keep a part of what they had (`damp_one`).

    past (m,) = C a of the acceleration before, in the order of the rows like b; x (m,) and w (m,) are scratch.
    """
    for a in range(rank):
        i = order[a]
        s, r = b[i] / scale[i], past[i] / scale[i]
        taken = 0.0
        for k in range(a):
            s -= G[i, k] * w[k]
            r -= G[i, k] * x[k]
            taken += G[i, k] * w[k]
        x[a], w[a] = r / G[i, a], s / G[i, a]
        if G[i, a] <= FADES * size:
            w[a] = damp_one(G[i, a], s, x[a], size)
            b[i] = scale[i] * (taken + G[i, a] * w[a])


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
def gauss_multipliers(m, rank, G, scale, order, w, lam, levers, S, dense):
    """lam (m,) from the w that `gauss_solve` left; with dependent rows the shortest, each over its lever (m,).

    G is rescaled; S (rank, rank) is scratch.
    """
    gauss_basic_multipliers(m, rank, G, scale, order, w, lam)
    if rank < m:
        for i in range(m):
            for a in range(rank):
                G[i, a] *= scale[i]
        minimum_norm(G, m, rank, lam, levers, S, w, dense)
