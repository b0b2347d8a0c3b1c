"""The orientation of a configuration, by which a step shows that left its branch of the motion.

Where branches of the motion meet, or nearly do, a step may go from one to the other although both states satisfy the constraints. Then
C comes out on the other side: with r independent rows picked and made orthonormal at one state, C_1 = G Q, the determinant of C_1 Q' is
positive there, and it changes its sign where C goes through a lower rank, or would: CROSSED. Which of the two it is takes more to find
out and is left to the driver (`mbsim.diagnosis.crossing`).

Orthonormal rows Q = G^-1 C_1 are not formed: B = G^-1 C_1 Q' is applied as G^-1 (C_1 C_1,last') G^-T, whose products are of rows with few
entries, and G is found by Cholesky's method where that is safe (`mbsim.kernels.schur`). For m rows that costs m^3 / 2, and not m^2 n.

While steps over a gap are refused (WATCH_RESOLVES), each is compared with the state that it begins at: seen from an earlier one, a motion
that has turned far since would be refused whatever its step.

Where C goes on to change as in the last hop, per way, the largest speed times time, the change that makes its rows dependent is foreseen,
and the orientation is looked at again at PART of it. It does not go on quite so: rows that turn by an angle x change by x^2 / 2 besides,
and that is kept below half as much of the smallest singular value.
"""

from math import sqrt

import numpy as np

from mbsim.jit import (
    COARSE,
    CROSSED,
    OK,
    PROJECT,
    STATUS_PAUSE,
    WATCH_ASKED,
    WATCH_DUE,
    WATCH_FASTEST,
    WATCH_HARDEST,
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
    WATCH_TAKEN,
    WATCH_TRIED,
    WATCH_WAY,
    helper,
    kernel,
)
from mbsim.kernels.composite import mass_diagonal
from mbsim.kernels.linalg import copy, divisor, eliminated_solve, lu
from mbsim.kernels.ranks import LANDED
from mbsim.kernels.schur import factor

PART = 0.3  # of the change that makes rows dependent: that after which the orientation is due
LEFT_OUT, POWERS = 4, 8  # powers by which an eigenvalue comes to the fore, and of which the mean growth is the largest one
STEADY = 0.01  # change of the growth from power to power, twice in succession, up to which it is that of one eigenvalue
SMALL = 0.5  # growth of SEVERAL powers in succession below which the spectral radius is less than 1
SEVERAL = 4
FARTHER = 10.0  # times the last hop, where C is constant
FORGETS = 0.5  # of the rate found before: what it is at least taken to be
PLAIN, LESS_ONE, INVERSE = 0, 1, 2  # what `applied` applies
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
def negative(X, r, order):
    """Whether the determinant of X (r, r) is negative; X and order (r,) become its factors."""
    if not lu(X, r, order):
        return False
    sign = False
    for a in range(r):
        sign = sign != (X[a, a] < 0.0)
        for b in range(a):
            sign = sign != (order[b] > order[a])
    return sign


@helper
def least_singular(G, rank, order, x):
    """The smallest singular value of the rows picked, from their coefficients, by inverse powers. x (m,) is scratch."""
    least = 1.0
    for a in range(rank):
        x[a] = 1.0 + 0.1 * (a % 7)
    for _ in range(POWERS if rank > 0 else 0):
        size = 0.0
        for a in range(rank):
            size += x[a] * x[a]
        size = 1.0 / sqrt(size)
        for a in range(rank):
            y = x[a] * size
            for b in range(a):
                y -= G[order[a], b] * x[b]
            x[a] = y / G[order[a], a]
        before, least = least, 0.0
        for a in range(rank):
            least += x[a] * x[a]
        least = 1.0 / sqrt(least)
        if abs(least - before) <= STEADY * least:  # from above, for G G' is symmetric: what is left is less still
            return least
        for a in range(rank - 1, -1, -1):
            y = x[a]
            for b in range(a + 1, rank):
                y -= G[order[b], a] * x[b]
            x[a] = y / G[order[a], a]
    return least


@helper
def applied(kind, X, G, order, rank, exchanged, x, z):
    """x (rank,) <- D x for D = G^-1 X G^-T less I where `kind` is LESS_ONE, or the inverse less I, by the factors of X, for INVERSE.

    z (rank,) is scratch.
    """
    for a in range(rank):
        z[a] = x[a]
    if kind == INVERSE:
        for a in range(rank - 1, -1, -1):
            y = 0.0
            for b in range(a + 1):
                y += G[order[a], b] * x[b]
            x[a] = y
        for a in range(rank):
            X[rank, a] = x[exchanged[a]]
        eliminated_solve(X, rank, X[rank])
        for a in range(rank):
            y = 0.0
            for b in range(a, rank):
                y += G[order[b], a] * X[rank, b]
            x[a] = y - z[a]
        return
    for a in range(rank - 1, -1, -1):
        y = x[a]
        for b in range(a + 1, rank):
            y -= G[order[b], a] * x[b]
        x[a] = y / G[order[a], a]
    for a in range(rank):
        y = 0.0
        for b in range(rank):
            y += X[a, b] * x[b]
        X[rank, a] = y
    for a in range(rank):
        y = X[rank, a]
        for b in range(a):
            y -= G[order[a], b] * x[b]
        x[a] = y / G[order[a], a]
    for a in range(rank if kind == LESS_ONE else 0):
        x[a] -= z[a]


@helper
def radius(kind, X, G, order, rank, exchanged, x, z, least):
    """The spectral radius of what `applied` applies, by powers, or a number below `least` where it is less than that.

    x, z (rank,) are scratch, and row `rank` of X.
    """
    growth, before, steady, small = 1.0, 0.0, 0, 0
    for a in range(rank):
        x[a] = 1.0 + 0.1 * (a % 7)
    for k in range(LEFT_OUT + POWERS):
        applied(kind, X, G, order, rank, exchanged, x, z)
        s = 0.0
        for a in range(rank):
            s += x[a] * x[a]
        if not s > 0.0:
            return 0.0
        s = sqrt(s)
        for a in range(rank):
            x[a] /= s
        small = small + 1 if s < SMALL * least else 0
        steady = steady + 1 if abs(s - before) <= STEADY * s else 0
        if small >= SEVERAL or steady > 1:
            return s
        before = s
        if k >= LEFT_OUT:
            growth *= s
    return growth ** (1.0 / POWERS)


@helper
def products(A, first, last, B, begin, end, picked, rank, sign, X):
    """X (rank, rank) += sign A_1 B_1' of the rows picked, of which only the columns first:last and begin:end are not zero."""
    for a in range(rank):
        i = picked[a]
        for b in range(rank):
            j, s = picked[b], 0.0
            for c in range(max(first[i], begin[j]), min(last[i], end[j])):
                s += A[i, c] * B[j, c]
            X[a, b] += sign * s


@helper
def unit_rows(system, arrays, t, q, weights, C, x, first, last):
    """C (m, n) <- C(t, q) with weighted columns, its rows of unit length (shorter where they fade out). x (m,) is scratch.

    All that is not zero of a row stands in the columns first:last (m,).
    """
    system.constraints(arrays, t, q, C, x)
    for i in range(C.shape[0]):
        s, first[i], last[i] = 0.0, C.shape[1], 0
        for j in range(C.shape[1]):
            u = C[i, j] * weights[j]
            C[i, j] = u
            s += u * u
            if u != 0.0:
                first[i], last[i] = min(first[i], j), j + 1
        first[i] = min(first[i], last[i])
        s = 1.0 / divisor(sqrt(s), arrays.row_shares[i])
        for j in range(first[i], last[i]):
            C[i, j] *= s


@helper
def factored(own, G, order):
    """The rank of the rows in own.C, and G with C_1 C_1' = G G' of the rows picked, which come first in `order`."""
    m = own.C.shape[0]
    for i in range(m):
        copy(own.C[i], own.Y[i], 0)
        own.begin[i], own.end[i] = own.first[i], own.last[i]
        for k in range(m):
            G[i, k] = 0.0
    return factor(own.Y, m, -1, G, order, 0, own.begin, own.end, own.x, own.y)


@helper
def crossed(work, t, r):
    """Whether C may be beyond a position where its rows are dependent, seen from the last look.

    With B = G^-1 C_1 Q' the determinant tells an odd number of dependencies, the spectral radii of B - I and B^-1 - I an even one, too:
    eigenvalues of B that are negative make both more than 1, large ones the first only.
    """
    own = work.orientation
    X, order, x = own.X, own.order, own.x
    if r <= 0 or t <= work.watch[WATCH_PASSES] or t <= work.watch[WATCH_SURE]:  # the driver has looked
        return False
    for a in range(r):
        for b in range(r):
            X[a, b] = 0.0
    products(own.C, own.first, own.last, own.unit, own.unit_first, own.unit_last, own.picked, r, 1.0, X)
    far = radius(LESS_ONE, X, own.G, own.picked, r, order, x, own.z, 1.0) >= 1.0
    odd = negative(X, r, order)
    if not odd and far:
        far = radius(INVERSE, X, own.G, own.picked, r, order, x, own.z, 1.0) >= 1.0
    if not odd and not far:
        return False
    rank = factored(own, X, order)
    return rank == r and least_singular(X, rank, order, x) >= LANDED


@helper
def look(work, t, q, r):
    """Take the orientation anew, C at (t, q), and foresee when it is due again."""
    watch, own = work.watch, work.orientation
    C, unit, X, order, x = own.C, own.unit, own.X, own.order, own.x
    m = C.shape[0]
    way, turned = watch[WATCH_WAY], 0.0
    for i in range(m):
        s = 0.0
        for j in range(min(own.first[i], own.unit_first[i]), max(own.last[i], own.unit_last[i])):
            s += (C[i, j] - unit[i, j]) ** 2
        turned = max(turned, s)
    rank = factored(own, X, order)
    sigma = least_singular(X, rank, order, x)
    if rank < r:
        watch[WATCH_LOW] += 1.0
    if (rank < r and watch[WATCH_LOW] <= STAYS) or (rank == r and sigma < LANDED):  # look again after the next step
        watch[WATCH_DUE] = 0.0
        if way >= watch[WATCH_LANDS]:  # the driver may know whether the motion is lost here
            work.status[STATUS_PAUSE] = 0
        return
    for i in range(m):
        own.picked[i] = order[i]
        copy(X[i], own.G[i], 0)
    rate = 0.0
    if r >= 0 and way > 0.0:
        for a in range(rank):
            for b in range(rank):
                X[a, b] = 0.0
        products(C, own.first, own.last, C, own.first, own.last, own.picked, rank, 1.0, X)
        products(unit, own.unit_first, own.unit_last, C, own.first, own.last, own.picked, rank, -1.0, X)
        # of D = G^-1 (C_1 - unit_1) Q': if the change goes on as it was, C is G (1 + s D) Q after s times as much
        rate = max(radius(PLAIN, X, own.G, own.picked, rank, order, x, own.z, 0.0) / PART, sqrt(turned / (PART * sigma))) / way
        rate = max(rate, FORGETS * watch[WATCH_RATE])
    watch[WATCH_DUE] = 1.0 / rate if rate > 0.0 else FARTHER * way
    watch[WATCH_RANK], watch[WATCH_SIGMA], watch[WATCH_RATE], watch[WATCH_LOW], watch[WATCH_WAY] = rank, sigma, rate, 0.0, 0.0
    if watch[WATCH_LANDS] < np.inf:
        watch[WATCH_LANDS] = 0.0
    watch[WATCH_TAKEN] = t
    copy(q, own.q, 0)
    for i in range(m):
        copy(C[i], unit[i], 0)
        own.unit_first[i], own.unit_last[i] = own.first[i], own.last[i]


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
    if watch[WATCH_WAY] < watch[WATCH_DUE] and t > watch[WATCH_RESOLVES]:
        return OK
    if r < 0:
        weigh(arrays, work.M, own.weights)
    unit_rows(system, arrays, t, q, own.weights, own.C, own.x, own.first, own.last)
    if watch[WATCH_ASKED] == 0.0:
        look(work, t, q, r)
    elif crossed(work, t, r):
        copy(q, work.row, 0)
        return COARSE if t <= watch[WATCH_RESOLVES] else CROSSED
    return OK
