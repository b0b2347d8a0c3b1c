"""QR factorisation of C' by Householder reflections with column pivoting (Businger & Golub 1965), on the rows of C.

C and x here have slides in their scales: C S and S^-1 x of the caller's, S = diag(scales).

    scaled C = R' Q',   Q = H_0 H_1 ... H_{r-1},   H_s = I - w_s w_s',  |w_s|^2 = 2

The first r columns of Q span the rows of C, the others are an orthonormal basis of its null space. Row order[s] of Y keeps row s of R'
left of column s, w_s from there on, and its diagonal entry in `diagonal`.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.gauss import FADES, damp_one
from mbsim.kernels.linalg import divisor, preference
from mbsim.kernels.ranks import RANK_TOLERANCE


@helper
def qr_factor(C, scales, m, shares, limit, Y, scale, diagonal, order, kept):
    """Factor the first m rows of C; returns (rank, -1), or (-2, i) when row i is not finite.

    `scales` (n,) are those of x, `shares` (m,) those of the rows (Arrays.row_shares); `limit` is the rank to use, -1 to find it.
    Y (m, n), scale (m,) by what the rows were divided, diagonal (m,) and order (m,), the rows as picked, are written. The first `kept`
    rows of `order` are picked before others.
    """
    n = C.shape[1]
    for i in range(m):
        order[i] = i if kept == 0 else order[i]
        s = 0.0
        for j in range(n):
            Y[i, j] = C[i, j] * scales[j]
            s += Y[i, j] * Y[i, j]
        if not s < 1e300:
            return -2, i
        scale[i] = divisor(sqrt(s), shares[i])
        for j in range(n):
            Y[i, j] /= scale[i]
    most = min(m, n) if limit < 0 else min(limit, m, n)
    for step in range(most):
        best, longest, preferred = step, -1.0, -1.0
        for k in range(step, kept if step < kept else m):
            i = order[k]
            s = 0.0
            for j in range(step, n):
                s += Y[i, j] * Y[i, j]
            if preference(s, shares, i) > preferred:
                best, longest, preferred = k, s, preference(s, shares, i)
        if (limit < 0 and not longest > RANK_TOLERANCE * RANK_TOLERANCE) or not longest > 0.0:
            return step, -1
        order[step], order[best] = order[best], order[step]
        p = order[step]
        length = sqrt(longest)
        d = -length if Y[p, step] > 0.0 else length  # the sign that does not cancel
        diagonal[step] = d
        Y[p, step] -= d
        s = 1.0 / sqrt(abs(d) * abs(Y[p, step]))
        for j in range(step, n):
            Y[p, j] *= s
        for k in range(step + 1, m):
            reflect(Y[p], step, Y[order[k]])
    return most, -1


@helper
def reflect(w, first, x):
    """x = H x in place; H leaves what is left of column `first`."""
    s = 0.0
    for j in range(first, x.shape[0]):
        s += w[j] * x[j]
    if s != 0.0:
        for j in range(first, x.shape[0]):
            x[j] -= s * w[j]


@helper
def qr_apply(rank, Y, order, x):
    """x = Q x in place."""
    for s in range(rank - 1, -1, -1):
        reflect(Y[order[s]], s, x)


@helper
def qr_apply_transposed(rank, Y, order, x):
    """x = Q' x in place."""
    for s in range(rank):
        reflect(Y[order[s]], s, x)


@helper
def qr_particular(rank, Y, scale, diagonal, order, b, size, before, x):
    """x (n,) = the shortest solution of C x = b; b (m,) is in the order of the rows.

    With a `size` above 0, weak directions keep a part of what `before` (n,) had (`gauss.damping`); `before` is overwritten.
    """
    if size > 0.0:
        qr_apply_transposed(rank, Y, order, before)
    for s in range(rank):
        i = order[s]
        c = b[i] / scale[i]
        for k in range(s):
            c -= Y[i, k] * x[k]
        x[s] = damp_one(diagonal[s], c, before[s], size) if abs(diagonal[s]) <= FADES * size else c / diagonal[s]
    for j in range(rank, x.shape[0]):
        x[j] = 0.0
    qr_apply(rank, Y, order, x)


@helper
def qr_multipliers(rank, Y, scale, diagonal, order, x, lam):
    """lam (m,) of the rows picked from C' lam = x, the others zero; x (n,) is overwritten."""
    qr_apply_transposed(rank, Y, order, x)
    for i in range(lam.shape[0]):
        lam[i] = 0.0
    for s in range(rank - 1, -1, -1):
        i = order[s]
        c = x[s] / diagonal[s]
        lam[i] = c / scale[i]
        for k in range(s):
            x[k] -= Y[i, k] * c


@helper
def qr_coefficients(m, rank, Y, scale, diagonal, order, G):
    """G (m, rank): the rows of C in terms of the first columns of Q, what `minimum_norm` needs."""
    for s in range(m):
        i = order[s]
        for k in range(rank):
            if k < s:
                G[i, k] = scale[i] * Y[i, k]
            else:
                G[i, k] = scale[i] * diagonal[s] if k == s else 0.0
