"""The orientation of a configuration, by which a step shows that left its branch of the motion.

Where branches of the motion meet, or nearly do, a step may go from one to the other although both states satisfy the constraints. Then
C comes out on the other side: with r independent rows picked and made orthonormal at one state, C_1 = G Q, the determinant of C_1 Q' is
positive there, and it changes its sign where C goes through a lower rank, or would: CROSSED. Which of the two it is takes more to find
out and is left to the driver (`mbsim.diagnosis.crossing`).

Orthonormal rows Q = G^-1 C_1 are not formed: B = G^-1 C_1 Q' is applied as G^-1 (C_1 C_1,last') G^-T, whose products are of rows with few
entries, and G is found by Cholesky's method without the zeros of both (`mbsim.kernels.envelope`): for m rows of which b share columns that
costs m b^2. Where rows depend on others, or nearly, they are picked as in `mbsim.kernels.schur`, which costs m^3 / 2.

While steps over a gap are refused (WATCH_RESOLVES), each is compared with the state that it begins at: seen from an earlier one, a motion
that has turned far since would be refused whatever its step.

Where C goes on to change as in the last hop, per way, the largest speed times time, the change that makes its rows dependent is foreseen,
and the orientation is looked at again at PART of it. It does not go on quite so: rows that turn by an angle x change by x^2 / 2 besides,
and that is kept below half as much of the smallest singular value.
"""

from math import sqrt

import numpy as np

from mbsim.contracts import (
    COARSE,
    CROSSED,
    OK,
    PROJECT,
    STATUS_PAUSE,
    WATCH_ASKED,
    WATCH_DUE,
    WATCH_FASTEST,
    WATCH_HARDEST,
    WATCH_KEPT,
    WATCH_LANDS,
    WATCH_LOW,
    WATCH_PASSES,
    WATCH_RANK,
    WATCH_RATE,
    WATCH_RESOLVES,
    WATCH_SIGMA,
    WATCH_SPAN,
    WATCH_SPEED,
    WATCH_SURE,
    WATCH_TIME,
    WATCH_TRIED,
    WATCH_WAY,
)
from mbsim.jit import helper, index, kernel
from mbsim.kernels.composite import mass_diagonal
from mbsim.kernels.envelope import backward, bounds, cholesky, forward, gram, lower_product, lu, number, products, sort, upper_product
from mbsim.kernels.linalg import clear, copy, divisor, eliminated_solve
from mbsim.kernels.ranks import LANDED
from mbsim.kernels.schur import factor

PART = 0.3  # of the change that makes rows dependent: that after which the orientation is due
LEFT_OUT, POWERS = 4, 8  # powers by which an eigenvalue comes to the fore, and of which the mean growth is the largest one
CERTAIN = 0.8  # of the smallest singular value, which is found from above: what C may change by without losing a row
STEADY = 0.01  # change of the growth from power to power, twice in succession, up to which it is that of one eigenvalue
SMALL, SHRUNK = 0.5, 0.06  # growth of powers in succession, and of these together, below which the spectral radius is less than 1
SOME = 0.1  # of any vector, beside the one that came to the fore last
FARTHER = 10.0  # times the last hop, where C is constant
FORGETS = 0.5  # of the rate found before: what it is at least taken to be
PLAIN, LESS_ONE, INVERSE = 0, 1, 2  # what `apply_factors` applies
STAYS = 2  # states of lower rank in succession after which the rank is lower from there on


@helper
def weigh(arrays, M, weights):
    """weights (n,) <- M_jj^-1/2, so that metres and radians compare. M is that of the last evaluation, or has no rows."""
    n, largest, masses, tree = weights.shape[0], 0.0, arrays.masses, arrays.tree
    if M.shape[0] == 0 and tree.shape[0] > 0:
        mass_diagonal(tree, arrays.tree_data, arrays.tree_work, weights)
    for j in range(n):
        if M.shape[0] > 0:
            weights[j] = M[j, j]
        elif tree.shape[0] == 0 and n == 3 * masses.shape[0]:
            weights[j] = masses[j // 3, 0 if j % 3 < 2 else 1]
        elif tree.shape[0] == 0:
            weights[j] = masses[j // 6, 0 if j % 6 < 3 else 1 + 4 * (j % 6 - 3)]
        largest = max(largest, weights[j])
    for j in range(n):
        weights[j] = 1.0 / sqrt(max(weights[j], 1e-12 * largest))


@helper
def least_singular(G, rank, low, x):
    """Return the smallest singular value of the rows picked, from their coefficients, by inverse powers. x (m,) is scratch."""
    least = 1.0
    for a in range(rank):
        x[a] = 1.0 + 0.1 * (a % 7)
    for _ in range(POWERS if rank > 0 else 0):
        size = 0.0
        for a in range(rank):
            size += x[a] * x[a]
        size = 1.0 / sqrt(size)
        for a in range(rank):
            x[a] *= size
        forward(G, rank, low, x)
        before, least = least, 0.0
        for a in range(rank):
            least += x[a] * x[a]
        least = 1.0 / sqrt(least)
        if abs(least - before) <= STEADY * least:  # from above, for G G' is symmetric: what is left is less still
            return least
        backward(G, rank, low, x)
    return least


@helper
def apply_factors(kind, own, rank, low, high, x):
    """x (rank,) <- D x for D = G^-1 X G^-T less I where `kind` is LESS_ONE, or the inverse less I, by the factors of X, for INVERSE.

    Rows of X are zero outside of the places low:high (rank,); own.z is scratch, and the last row of X.
    """
    X, G, z = own.X, own.G, own.z
    y = X[G.shape[0]]
    for a in range(rank if kind != PLAIN else 0):
        z[a] = x[a]
    if kind == INVERSE:
        lower_product(G, rank, own.low, x)
        for a in range(rank):
            y[a] = x[own.exchanged[a]]
        eliminated_solve(X, rank, y)
        copy(y[:rank], x, 0)
        upper_product(G, rank, own.low, x)
    else:
        backward(G, rank, own.low, x)
        for a in range(rank):
            s, row = 0.0, X[a]
            for b in range(index(low[a]), high[a]):
                s += row[b] * x[b]
            y[a] = s
        copy(y[:rank], x, 0)
        forward(G, rank, own.low, x)
    for a in range(rank if kind != PLAIN else 0):
        x[a] -= z[a]


@helper
def radius(kind, own, rank, low, high, least):
    """Return the spectral radius of what `apply_factors` applies, by powers; a number below `least` where it is less.

    own.x and own.z are scratch, and the last row of X. The powers begin with the vector that came to the fore last.
    """
    x, growth, before, steady, shrunk = own.x, 1.0, 0.0, 0, 1.0
    for a in range(rank):
        x[a] = own.foremost[a] + SOME * (1.0 + 0.1 * (a % 7))
    s = 0.0
    for a in range(rank):
        s += x[a] * x[a]
    for a in range(rank):
        x[a] /= sqrt(s)
    for k in range(LEFT_OUT + POWERS):
        apply_factors(kind, own, rank, low, high, x)
        s = 0.0
        for a in range(rank):
            s += x[a] * x[a]
        if not s > 0.0:
            return 0.0
        s = sqrt(s)
        for a in range(rank):
            x[a] /= s
        shrunk = shrunk * s / least if s < SMALL * least else 1.0
        steady = steady + 1 if abs(s - before) <= STEADY * s else 0
        if shrunk <= SHRUNK or steady > 1:
            break
        before = s
        if k >= LEFT_OUT:
            growth *= s
    copy(x[:rank], own.foremost, 0)
    return s if shrunk <= SHRUNK or steady > 1 else growth ** (1.0 / POWERS)


@helper
def arrange(system, arrays, own, t, q):
    """Find the columns in which rows of C are ever written, even as zero, and an order in which those of a row are close to each other."""
    C, columns, written = own.C, own.columns, own.written
    m, n = C.shape[0], C.shape[1]
    for i in range(m):
        for j in range(n):
            C[i, j] = np.nan
    system.constraints(arrays, t, q, C, own.x)
    for i in range(m):
        written[i], own.first[i], own.last[i] = 0, n, 0
        for j in range(n):
            if np.isnan(C[i, j]):
                C[i, j] = 0.0
            else:
                columns[i * n + written[i]] = j
                written[i] += 1
    outer = number(columns, written, n, 0, own.places, own.order, own.begin)
    number(columns, written, n, outer, own.places, own.order, own.begin)


@helper
def unit_rows(system, arrays, own, t, q):
    """own.rows (m, n) <- C(t, q) with weighted columns, its rows of unit length (shorter where they fade out)."""
    C, rows, first, last = own.C, own.rows, own.first, own.last
    m, n = C.shape[0], C.shape[1]
    system.constraints(arrays, t, q, C, own.x)
    for i in range(m):
        s, begin, end, x = 0.0, n, 0, rows[i]
        for k in range(i * n, i * n + own.written[i]):
            j = index(own.columns[k])
            p, u = index(own.places[j]), C[i, j] * own.weights[j]
            x[p] = u
            s += u * u
            if u != 0.0:
                begin, end = min(begin, p), max(end, p + 1)
        first[i], last[i] = min(first[i], begin), max(last[i], end)
        s = 1.0 / divisor(sqrt(s), arrays.row_shares[i])
        for p in range(begin, end):
            x[p] *= s


@helper
def change(own):
    """own.Y <- how much C has changed since the last look; returns the largest change of a row, squared, and a bound of the norm of all."""
    Y, y, first, last = own.Y, own.y, own.first, own.last
    clear(y)
    turned, rows, columns = 0.0, 0.0, 0.0
    for i in range(Y.shape[0]):
        squares, amounts = 0.0, 0.0
        for j in range(index(first[i]), last[i]):
            d = own.rows[i, j] - own.unit[i, j]
            Y[i, j] = d
            squares += d * d
            amounts += abs(d)
            y[j] += abs(d)
        turned, rows = max(turned, squares), max(rows, amounts)
    for j in range(y.shape[0]):
        columns = max(columns, y[j])
    return turned, sqrt(rows * columns)


@helper
def factor_picked(own, order, low):
    """The rank of own.rows; of those picked, which come first in `order`, C_1 C_1' = G G' with G in own.X.

    low (m,) <- the first places of the rows of G that are not zero. Where all rows are independent, they come in the order of their first
    columns, so that these are few. Else, or next to that, rows are picked by their remainders.
    """
    C, X, m = own.rows, own.X, own.rows.shape[0]
    for i in range(m):
        order[i] = i
    sort(order, m, own.first, own.last)
    bounds(order, m, own.first, own.last, own.begins, own.ends)
    gram(C, order, m, own.first, own.last, own.ends, X, low)
    if cholesky(X, m, low, LANDED):
        return m
    for i in range(m):
        copy(C[i], own.Y[i], 0)
        own.begins[i], own.ends[i] = min(own.first[i], own.last[i]), own.last[i]
        clear(X[i])
    rank = factor(own.Y, m, own.x[:0], -1, X, order, 0, own.begins, own.ends, own.x, own.y)
    for a in range(m):  # rows of X into the order in which they were picked
        i = order[a]
        while i < a:
            i = order[i]
        for b in range(m if i != a else 0):
            X[a, b], X[i, b] = X[i, b], X[a, b]
        low[a] = 0
        X[a, a] = 1.0 / X[a, a] if a < rank else 0.0
    return rank


@helper
def may_have_crossed(work, t, r):
    """Return whether C may be beyond a position where its rows are dependent, seen from the last look.

    It is not where C has changed by less than its smallest singular value. With B = G^-1 C_1 Q' the determinant tells an odd number of
    dependencies, the spectral radii of B - I and B^-1 - I an even one, too: eigenvalues of B that are negative make both more than 1,
    large ones the first only.
    """
    own = work.orientation
    X, low, high = own.X, own.begin, own.end
    if r <= 0 or t <= work.watch[WATCH_PASSES] or t <= work.watch[WATCH_SURE]:  # the driver has looked
        return False
    if change(own)[1] < CERTAIN * work.watch[WATCH_SIGMA]:
        return False
    bounds(own.picked, r, own.first, own.last, own.begins, own.ends)
    products(own.rows, own.unit, own.picked, r, own.first, own.last, own.begins, own.ends, X, low, high)
    far = radius(LESS_ONE, own, r, low, high, 1.0) >= 1.0
    odd = lu(X, r, low, high, own.exchanged) < 0
    if not odd and far:
        far = radius(INVERSE, own, r, low, high, 1.0) >= 1.0
    if not odd and not far:
        return False
    rank = factor_picked(own, own.order, low)
    return rank == r and least_singular(X, rank, low, own.x) >= LANDED


@helper
def look(work, t, q, r):
    """Take the orientation anew, C at (t, q), and foresee when it is due again."""
    watch, own = work.watch, work.orientation
    order, low = own.order, own.begin
    m, way = own.C.shape[0], watch[WATCH_WAY]
    rank = factor_picked(own, order, low)
    sigma = least_singular(own.X, rank, low, own.x)
    if rank < r:
        watch[WATCH_LOW] += 1.0
    if (rank < r and watch[WATCH_LOW] <= STAYS) or (rank == r and sigma < LANDED):  # look again after the next step
        watch[WATCH_DUE] = 0.0
        if way >= watch[WATCH_LANDS]:  # the driver may know whether the motion is lost here
            work.status[STATUS_PAUSE] = 0
        return
    for a in range(m):
        own.picked[a], own.low[a] = order[a], low[a]
    for a in range(rank):
        copy(own.X[a, low[a] : a + 1], own.G[a], low[a])
    rate = 0.0
    if r >= 0 and way > 0.0:
        turned, bound = change(own)
        rate = max(sqrt(turned / (PART * sigma)), FORGETS * watch[WATCH_RATE] * way)
        if bound > PART * rate * sigma:  # it may be the spectral radius that is due first
            bounds(own.picked, rank, own.first, own.last, own.begins, own.ends)
            products(own.Y, own.rows, own.picked, rank, own.first, own.last, own.begins, own.ends, own.X, own.begin, own.end)
            # of D = G^-1 (C_1 - unit_1) Q': if the change goes on as it was, C is G (1 + s D) Q after s times as much
            rate = max(rate, radius(PLAIN, own, rank, own.begin, own.end, PART * rate) / PART)
        rate /= way
    watch[WATCH_DUE] = 1.0 / rate if rate > 0.0 else FARTHER * way
    watch[WATCH_RANK], watch[WATCH_SIGMA], watch[WATCH_RATE], watch[WATCH_LOW], watch[WATCH_WAY] = rank, sigma, rate, 0.0, 0.0
    if watch[WATCH_LANDS] < np.inf:
        watch[WATCH_LANDS] = 0.0
    for i in range(m):
        for p in range(own.first[i], own.last[i]):
            own.unit[i, p] = own.rows[i, p]


@helper
def turned_over(system, arrays, work, t, q, r):
    """Whether the step to (t, q), whose rows are known, may have turned over: seen from the last look, and from where the step begins, too.

    Since a look of many steps ago rows may have turned far although nothing turned over. It foresaw nothing, where it was the first one,
    and nothing of a motion that begins later, as of a body that a driver turns from some time on. It is taken anew where the step begins.
    """
    watch, own = work.watch, work.orientation
    if not may_have_crossed(work, t, r):
        return False
    way, before, low = 0.5 * (watch[WATCH_SPEED] + watch[WATCH_TRIED]) * abs(watch[WATCH_SPAN]), watch[WATCH_TIME], watch[WATCH_LOW]
    if watch[WATCH_KEPT] != before or watch[WATCH_DUE] == 0.0 or not watch[WATCH_WAY] > way:  # unknown, or looked at after the last step
        return True
    unit_rows(system, arrays, own, before, own.q)
    watch[WATCH_WAY] -= way
    look(work, before, own.q, r)
    anew = watch[WATCH_WAY] == 0.0 and watch[WATCH_RANK] == r
    watch[WATCH_WAY] += way
    unit_rows(system, arrays, own, t, q)
    if not anew:
        watch[WATCH_LOW] = low
    return not anew or may_have_crossed(work, t, r)


@kernel(PROJECT)
def orientation(system, arrays, work, t, q, v):
    """Where the orientation is due: before a step to (t, q) is accepted (WATCH_ASKED), OK, or CROSSED or COARSE where it turned over;
    after that, take it anew."""
    watch, own, n = work.watch, work.orientation, v.shape[0]
    r = int(watch[WATCH_RANK])
    if watch[WATCH_ASKED] != 0.0:
        fastest = 0.0
        for j in range(n):
            fastest = max(fastest, abs(v[j]) / work.scales[j])
        before = watch[WATCH_SPEED] if watch[WATCH_SPEED] >= 0.0 else fastest  # NaN: not known yet
        watch[WATCH_WAY] += 0.5 * (before + fastest) * abs(watch[WATCH_SPAN])
        watch[WATCH_TRIED] = fastest
    else:
        fastest = watch[WATCH_TRIED]
        change = abs(fastest - watch[WATCH_SPEED])
        if change > watch[WATCH_HARDEST] * abs(watch[WATCH_SPAN]):
            watch[WATCH_HARDEST] = change / abs(watch[WATCH_SPAN])
        watch[WATCH_FASTEST], watch[WATCH_SPEED] = max(watch[WATCH_FASTEST], fastest), fastest
        watch[WATCH_KEPT] = t
        copy(q, own.q, 0)
    if watch[WATCH_WAY] < watch[WATCH_DUE] and t > watch[WATCH_RESOLVES]:
        return OK
    if r < 0:
        weigh(arrays, work.M, own.weights)
        arrange(system, arrays, own, t, q)
    unit_rows(system, arrays, own, t, q)
    if watch[WATCH_ASKED] == 0.0:
        look(work, t, q, r)
    elif turned_over(system, arrays, work, t, q, r):
        copy(q, work.row, 0)
        return COARSE if t <= watch[WATCH_RESOLVES] else CROSSED
    return OK
