"""The orientation of a configuration, by which a step shows that left its branch of the motion.

Where branches of the motion meet, or nearly do, a step may go from one to the other although both states satisfy the constraints. Then
C comes out on the other side: with r independent rows picked and made orthonormal at one state, C_1 = G Q, the determinant of C_1 Q' is
positive there, and it changes its sign where C goes through a lower rank, or would: CROSSED. Which of the two it is takes more to find
out and is left to the driver (`mbsim.analysis.crossing`).

The rows do not become dependent before C has turned by as much as its smallest singular value. Per way, the largest speed times time,
that is foreseen from the last hop, and the orientation is looked at again before: a plain motion some ten times per radian.
"""

from math import sqrt

from mbsim.jit import (
    COARSE,
    CROSSED,
    OK,
    PROJECT,
    WATCH_DUE,
    WATCH_LOW,
    WATCH_PASSES,
    WATCH_RANK,
    WATCH_RATE,
    WATCH_RESOLVES,
    WATCH_SIGMA,
    WATCH_SPAN,
    WATCH_TAKEN,
    WATCH_WAY,
    WATCHES,
    helper,
    kernel,
)
from mbsim.kernels.linalg import RANK_TOLERANCE, copy, orthogonalise

PART = 0.8  # of the smallest singular value: its change after which the orientation is due
TURNS, TREND = 1.0, 2.0  # of how far the rows turned in the last hop, of how much the singular value changed in it: what may be in the next
FORGETS = 0.5  # of the rate found before: what it is at least taken to be
LANDED = 1e-5  # smallest singular value at a state on a singular position: there is no orientation to take
STAYS = 2  # such states in succession after which the rank is lower from there on


@helper
def weigh(masses, M, weights):
    """weights (n,) <- M_jj^-1/2, so that metres and radians compare."""
    n, largest = weights.shape[0], 0.0
    for j in range(n):
        if M.shape[0] > 0:
            weights[j] = M[j, j]
        elif n == 3 * masses.shape[0]:
            weights[j] = masses[j // 3, 0 if j % 3 < 2 else 1]
        else:
            weights[j] = masses[j // 6, 0 if j % 6 < 3 else 1 + 4 * (j % 6 - 3)]
        largest = max(largest, weights[j])
    for j in range(n):
        weights[j] = 1.0 / sqrt(max(weights[j], 1e-12 * largest))


@helper
def negative(X, r):
    """Whether the determinant of X (r, r) is negative; X is overwritten."""
    sign = False
    for k in range(r):
        best = k
        for i in range(k + 1, r):
            if abs(X[i, k]) > abs(X[best, k]):
                best = i
        if X[best, k] == 0.0:
            return False
        if best != k:
            sign = not sign
            for j in range(k, r):
                X[k, j], X[best, j] = X[best, j], X[k, j]
        if X[k, k] < 0.0:
            sign = not sign
        for i in range(k + 1, r):
            f = X[i, k] / X[k, k]
            for j in range(k + 1, r):
                X[i, j] -= f * X[k, j]
    return sign


@helper
def least_singular(G, rank, order, x):
    """A lower bound of the smallest singular value of the rows picked, 1 / |G^-1|, from their coefficients. x (m,) is scratch."""
    s = 0.0
    for c in range(rank):
        for a in range(c, rank):
            i = order[a]
            y = 1.0 if a == c else 0.0
            for b in range(c, a):
                y -= G[i, b] * x[b]
            x[a] = y / G[i, a]
            s += x[a] * x[a]
    return 1.0 / sqrt(s) if s > 0.0 else 1.0


@kernel(PROJECT)
def orientation(system, arrays, work, t, q, v):
    """Before the step to (t, q) is accepted: OK, with the orientation taken anew where it is due; CROSSED or COARSE where it turned over.

    The reference may be at a step that is refused afterwards for another reason: it is on the same side.
    """
    watch, picked, order = work.watch, work.picked[0], work.picked[1]
    C, unit, Q, Y, X = work.normals
    m, n = C.shape
    r, turned, fastest = int(watch[WATCH_RANK]), 0.0, 0.0
    for j in range(n):
        fastest = max(fastest, abs(v[j]))
    way = watch[WATCH_WAY] + fastest * abs(watch[WATCH_SPAN])
    watch[WATCH_WAY] = way
    if way < watch[WATCH_DUE]:
        return OK
    weights, x = watch[WATCHES : WATCHES + n], watch[WATCHES + n + q.shape[0] :]
    if r < 0:
        weigh(arrays.masses, work.M, weights)
    system.constraints(arrays, t, q, C, x)
    for i in range(m):
        s, change = 0.0, 0.0
        for j in range(n):
            u = C[i, j] * weights[j]
            C[i, j] = u
            s += u * u
        s = 1.0 / sqrt(s) if s > 0.0 else 0.0
        for j in range(n):
            u = s * C[i, j]
            C[i, j] = u
            Y[i, j] = u
            change += (u - unit[i, j]) ** 2
        turned = max(turned, change)
    for a in range(r):
        for b in range(r):
            s = 0.0
            for j in range(n):
                s += Y[picked[a], j] * Q[picked[b], j]
            X[a, b] = s
    if r > 0 and negative(X, r) and t > watch[WATCH_PASSES]:
        copy(q, work.row, 0)
        return COARSE if t <= watch[WATCH_RESOLVES] else CROSSED
    rank = orthogonalise(Y, m, n, -1, RANK_TOLERANCE, X, order)
    sigma = least_singular(X, rank, order, x)
    if (rank < r or sigma < LANDED) and watch[WATCH_LOW] < STAYS:  # on a singular position: look again after the next step
        watch[WATCH_LOW] += 1.0
        watch[WATCH_DUE] = 0.0
        return OK
    rate = 0.0
    if r >= 0 and way > 0.0:
        rate = max(TURNS * sqrt(turned), TREND * abs(sigma - watch[WATCH_SIGMA])) / way
        rate = max(rate, FORGETS * watch[WATCH_RATE])
    watch[WATCH_DUE] = PART * sigma / rate if rate > 0.0 else 0.0
    watch[WATCH_RANK], watch[WATCH_SIGMA], watch[WATCH_RATE], watch[WATCH_LOW], watch[WATCH_WAY] = rank, sigma, rate, 0.0, 0.0
    watch[WATCH_TAKEN] = t
    copy(q, watch, WATCHES + n)
    for i in range(m):
        picked[i] = order[i]
        copy(Y[i], Q[i], 0)
        copy(C[i], unit[i], 0)
    return OK
