"""The orientation of a configuration, by which a step shows that left its branch of the motion.

Where branches of the motion meet, or nearly do, a step may go from one to the other although both states satisfy the constraints. Then C comes out on the other side: with r independent rows picked and made orthonormal at one state, C_1 = G Q,
the determinant of C_1 Q' is positive there, and it changes its sign where C goes through a lower rank, or would: CROSSED. Which of
the two it is takes more to find out and is left to the driver (`mbsim.analysis.crossing`).

C turns by so much per way (largest speed times time), and its rows do not become dependent before that is as much as the weakest pivot:
the orientation is due again after a part of this way. A plain motion is looked at some ten times per radian.
"""

from math import sqrt

from mbsim.jit import (
    ASK_TAKE,
    COARSE,
    CROSSED,
    OK,
    PROJECT,
    WATCH_ASKED,
    WATCH_DUE,
    WATCH_LOW,
    WATCH_PASSES,
    WATCH_PIVOT,
    WATCH_RANK,
    WATCH_RATE,
    WATCH_RESOLVES,
    WATCH_SPAN,
    WATCH_TAKEN,
    WATCH_WAY,
    WATCHES,
    helper,
    kernel,
)
from mbsim.kernels.linalg import RANK_TOLERANCE, clear, copy, orthogonalise

HALF_WAY = 0.7  # of the weakest pivot: change of the unit rows after which the orientation is due
FORGETS = 0.5  # of the rate found before: how much less it is at least taken to be
LANDED = 1e-5  # weakest pivot at a state on a singular position: there is no orientation to take
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


@kernel(PROJECT)
def orientation(system, arrays, work, t, q, v):
    """Before the step to (t, q) is accepted (ASK_TEST): OK, or CROSSED or COARSE where the configuration has turned over since the orientation
    was taken. Afterwards (ASK_TAKE): take it anew, where that is due."""
    watch, picked, order = work.watch, work.picked[0], work.picked[1]
    C, unit, Q, Y, X = work.normals
    m, n = C.shape
    r, largest, fastest = int(watch[WATCH_RANK]), 0.0, 0.0
    for j in range(n):
        fastest = max(fastest, abs(v[j]))
    way = watch[WATCH_WAY] + fastest * abs(watch[WATCH_SPAN])
    taking = watch[WATCH_ASKED] == ASK_TAKE
    if way < watch[WATCH_DUE]:
        if taking:
            watch[WATCH_WAY] = way
        return OK
    weights = watch[WATCHES : WATCHES + n]
    if r < 0:
        weigh(arrays.masses, work.M, weights)
    system.constraints(arrays, t, q, C, work.vectors[4])
    for i in range(m):
        s, turned = 0.0, 0.0
        for j in range(n):
            u = C[i, j] * weights[j]
            Y[i, j] = u
            s += u * u
        s = 1.0 / sqrt(s) if s > 0.0 else 0.0
        for j in range(n):
            u = s * Y[i, j]
            Y[i, j] = u
            turned += (u - unit[i, j]) ** 2
        largest = max(largest, turned)
    if not taking:
        for a in range(r):
            for b in range(r):
                s = 0.0
                for j in range(n):
                    s += Y[picked[a], j] * Q[picked[b], j]
                X[a, b] = s
        if negative(X, r) and t > watch[WATCH_PASSES]:
            copy(q, work.row, 0)
            return COARSE if t <= watch[WATCH_RESOLVES] else CROSSED
        return OK
    for i in range(m):
        copy(Y[i], C[i], 0)
    rank = orthogonalise(Y, m, n, -1, RANK_TOLERANCE, X, order)
    pivot = X[order[rank - 1], rank - 1] if rank > 0 else 1.0
    if (rank < r or pivot < LANDED) and watch[WATCH_LOW] < STAYS:  # on a singular position: look again after the next step
        watch[WATCH_LOW] += 1.0
        watch[WATCH_WAY], watch[WATCH_DUE] = way, 0.0
    else:
        if r >= 0 and way > 0.0:
            watch[WATCH_RATE] = max(sqrt(largest) / way, FORGETS * watch[WATCH_RATE])
        watch[WATCH_DUE] = HALF_WAY * pivot / watch[WATCH_RATE] if watch[WATCH_RATE] > 0.0 else 0.0
        watch[WATCH_RANK], watch[WATCH_PIVOT], watch[WATCH_LOW], watch[WATCH_WAY], watch[WATCH_TAKEN] = rank, pivot, 0.0, 0.0, t
        copy(q, watch, WATCHES + n)
        for i in range(m):
            picked[i] = order[i]
            copy(Y[i], Q[i], 0)
            copy(C[i], unit[i], 0)
    for i in range(m):
        clear(C[i])  # structural zeros
    return OK
