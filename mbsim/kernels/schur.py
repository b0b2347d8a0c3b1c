"""C M^-1 C' of rows that are given as Y = C R', M^-1 = R' R: its factors by pivoting, and what is solved with them.

    Y = D U,   U U' = G G'   (U: unit rows),   (C M^-1 C') lam = b:   G w = D^-1 b,   lam = D^-1 G'^-1 w,   R M^-1 C' lam = U' G'^-1 w

G is found by Cholesky's method with the largest remainder next, in the order and with the numbers of `mbsim.kernels.gauss`, for a part of
its time. But a remainder is then the difference of numbers near 1, and counts only where it is above SAFE^2. Where rows remain below that,
the remainder is computed anew from the rows themselves. If it is above RANK_TOLERANCE all the same, as near a singular position, the rows
are made orthonormal, U = G Q, which loses no digits.
"""

from math import sqrt

from mbsim.jit import helper, summed
from mbsim.kernels.linalg import clear, divisor, orthogonalise, preference
from mbsim.kernels.ranks import NEAR, RANK_TOLERANCE

SAFE = NEAR  # pivot of rows made unit above which the factors of U U' lose less than three digits
ORTHONORMAL = -1  # in place of the first nonzero column of row 0: the rows are those of Q


@summed
def dot(x, y):
    """x' y."""
    s = 0.0
    for k in range(x.shape[0]):
        s += x[k] * y[k]
    return s


@helper
def add_scaled(x, c, y):
    """y += c x."""
    for k in range(x.shape[0]):
        y[k] += c * x[k]


@helper
def make_unit(Y, i, m, share, G, scale, first, last):
    """Row i of Y made unit, what it was divided by in `scale` (`divisor`), row i of G (m, m) cleared; False where it is not finite.

    `share` is the row's (Arrays.row_shares). All that is not zero of the row stands in the columns first[i]:last[i].
    """
    x = Y[i]
    begin, end = 0, x.shape[0]
    while begin < end and x[begin] == 0.0:
        begin += 1
    while end > begin and x[end - 1] == 0.0:
        end -= 1
    first[i], last[i] = begin, end
    s = dot(x, x)
    if not s < 1e300:
        return False
    scale[i] = divisor(sqrt(s), share)
    for j in range(x.shape[0]):
        x[j] /= scale[i]
    clear(G[i, :m])
    return True


@helper
def pick(Y, m, shares, limit, G, order, kept, first, last, left):
    """As many rows as there are with a pivot above SAFE, `limit` at most; returns their number. left (m,): the squares of what remains."""
    for i in range(m):
        order[i] = i if kept == 0 else order[i]
        left[i] = dot(Y[i, first[i] : last[i]], Y[i, first[i] : last[i]])
    for step in range(limit):
        best = step
        for k in range(step + 1, kept if step < kept else m):
            if preference(left[order[k]], shares, order[k]) > preference(left[order[best]], shares, order[best]):
                best = k
        p = order[best]
        if not left[p] > SAFE * SAFE:
            return step
        order[step], order[best] = p, order[step]
        d = sqrt(left[p])
        G[p, step] = d
        for k in range(step + 1, m):
            i = order[k]
            begin, end = max(first[i], first[p]), min(last[i], last[p])
            s = dot(Y[i, begin:end], Y[p, begin:end]) if begin < end else 0.0
            s = (s - dot(G[i, :step], G[p, :step])) / d
            G[i, step] = s
            left[i] -= s * s
    return limit


@helper
def back(G, order, rank, w, x):
    """x = G_1'^-1 w of the rows picked."""
    for a in range(rank - 1, -1, -1):
        s = w[a]
        for k in range(a + 1, rank):
            s -= G[order[k], a] * x[k]
        x[a] = s / G[order[a], a]


@helper
def depend(Y, m, rank, G, order, x, y):
    """Whether the rows that are not picked are combinations of those that are, but for RANK_TOLERANCE. x (m,), y (n,) are scratch."""
    for k in range(rank, m):
        i = order[k]
        back(G, order, rank, G[i], x)
        for j in range(y.shape[0]):
            y[j] = Y[i, j]
        for a in range(rank):
            add_scaled(Y[order[a]], -x[a], y)
        if not dot(y, y) <= RANK_TOLERANCE * RANK_TOLERANCE:
            return False
    return True


@helper
def factor(Y, m, shares, limit, G, order, kept, first, last, x, y):
    """Factor the m unit rows of Y; returns the rank. `limit` is the rank to use, -1 to find it. The first `kept` rows of `order` are
    picked before others. `shares` (m,): Arrays.row_shares, or empty; x (m,), y (n,) are scratch."""
    n = Y.shape[1]
    most = min(m if limit < 0 else limit, m, n)
    rank = pick(Y, m, shares, most, G, order, kept, first, last, x)
    if rank == most and (limit >= 0 or rank == m):
        return rank
    if limit < 0 and depend(Y, m, rank, G, order, x, y):
        return rank
    for i in range(m):
        clear(G[i, :m])
    first[0] = ORTHONORMAL
    return orthogonalise(Y, m, n, shares, limit, RANK_TOLERANCE, G, order, kept)


@helper
def respond(rank, Y, G, scale, order, first, last, b, x, w, y):
    """w (m,) = G_1^-1 D_1^-1 b_1 on the rows picked, and y (n,) = U' G_1'^-1 w. x (m,) is scratch; b (m,) is in the order of the rows."""
    clear(y)
    for a in range(rank):
        i = order[a]
        w[a] = (b[i] / scale[i] - dot(G[i, :a], w[:a])) / G[i, a]
    if first[0] == ORTHONORMAL:
        for a in range(rank):
            add_scaled(Y[order[a]], w[a], y)
        return
    back(G, order, rank, w, x)
    for a in range(rank):
        i = order[a]
        add_scaled(Y[i, first[i] : last[i]], x[a], y[first[i] : last[i]])
