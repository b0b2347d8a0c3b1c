"""What the methods with a held null-space basis share: the decomposition, v from the held V2, when the decomposition is renewed.

    C = U [D 0] [V1 V2]'   held;   p = V2' v,   z = [p; q; W],   v = [C; V2']^-1 [-xi; p]   with the current C

[C; V2'] is solved by blocks. With the decomposition, r = rank C rows and r columns D of C are picked by pivoting and held too (the
other rows follow from them, the other columns are I), so that factoring needs no search:

    C = [C_D C_I],  G = C_D^-1 C_I,  N = [-G; I],  T = V2' N,  T v_I = p + V2_D' C_D^-1 xi

A new decomposition is taken when the null space has turned away from V2: the columns of B = N T^-1 are v2_i + n_i with n_i across V2,
and sum |n_i|^2 is the sum of the squared tangents of the angles between the held and the current null space, infinite where
[C; V2'] is singular. The option `hold_limit` bounds its root.

With `hold: false` C is decomposed and pivoted at every evaluation, and V2 of the current C is what is projected on. The basis in which the
state p is expressed has to last, and is renewed when it would be otherwise too: renewed after every step, integrators with a memory would
never get beyond their start.

Near a singular position the velocity cannot be found from p: the error of a Runge-Kutta stage off the constraints, over the weakest pivot,
would be in v. There STATUS_NEAR is 1 + the number of rows left out at the last evaluation, and the state is v itself with the acceleration
from pivots found anew, C v + xi = 0 is kept by the projection after each step, and a pivot below SINGULAR drops its row for that
evaluation. How near it is shows in the ratio of the smallest to the largest pivot, compared with the largest such ratio of the run.

Matrices: A = [C_D C_I xi] permuted, and its factors; V2' (k rows, columns permuted like A's); N' (k rows, columns in the order of v);
three that the method may use between; T and its factors. Indices: the columns D, then I; after them the rows of C as picked; after
them the rows of T as exchanged; last, whether the order of columns and rows together is odd, or UNKNOWN.
"""

import numpy as np

from mbsim.jit import (
    ACCEPT,
    CHANGED,
    COARSE,
    COUNT_FACTORISATIONS,
    COUNT_STEPS,
    COUNT_SVDS,
    DRIFT_FULL,
    OK,
    SETTING_DRIFT,
    SETTING_METHOD,
    START,
    STATUS_NEAR,
    STATUS_RANK,
    helper,
    kernel,
)
from mbsim.kernels.linalg import clear, copy, eliminate, eliminated_solve_transposed, pivot_order
from mbsim.methods._basis import UNKNOWN, blocks, fill, null_basis, permute, tangent, unpermute, velocity
from mbsim.methods._project import TOUCHING, step_beside

HOLD_LIMIT = 2.0  # default of `hold_limit`: tangent of the angle (63 degrees) between the held and the current null space at which the
# basis is renewed. Tried on the shipped models: 3 needs a third fewer decompositions of a fast four-bar and more than doubles its error;
# 1 takes ten on the rolling disk, where 2 takes one.
SETTING_HOLD, SETTING_LIMIT = SETTING_METHOD, SETTING_METHOD + 1  # the order of the methods' OPTIONS
NEAR = 0.03  # ratio of the pivots, of the largest one seen, below which a position counts as near a singular one
FAR = 0.06  # and above which it no longer does
APPROACHED = 0.25  # below which a ratio that falls quickly is that of a singular position, not of a fast motion
BETTER = 2.0  # new pivots whose ratio is so many times larger: the old ones were poor
SINGULAR = 1e-8  # of the largest pivot; below it a row is dependent at this evaluation


def space(n, m):
    """Shapes of the work matrices, lengths of the work vectors and index vectors for n speeds and m constraint rows."""
    larger = max(n, m)
    shapes = [(m, n + 1), (n, n), (n, n), (larger, n), (larger, larger), (n, n), (n, n)]
    return shapes, [n + 3, n, m, m, m, n], [2 * n + m + 1, m]  # behind the first n: the largest and the last ratio of the pivots, `side`


@helper
def folded(system, arrays, work, t, z, A, N, columns, rows):
    """Near a singular position: G, C_D^-1 xi and N with pivots found anew; returns the rank and where it was evaluated, (t, q, v).

    C is that of z. Where rows fall below SINGULAR it is evaluated beside, if such a state is there, else they are left out: at the
    start, as in a stage on a singular position what was found last is nearer (`open_stage`).
    """
    n, end = work.v.shape[0], z.shape[0] - 1
    at, q, v = t, z[n:end], z[:n]
    rank = work.status[STATUS_RANK]
    for attempt in range(2):
        if attempt == 1:
            at, q, v = work.beside[0], work.beside[2 : 2 + end - n], work.beside[2 + end - n :]
            system.constraints(arrays, at, q, work.C, work.xi)
            work.counts[COUNT_FACTORISATIONS] += 1
            rank = work.status[STATUS_RANK]
        fill(work.C, work.xi, A, rank, rows, columns)
        pivot_order(A, rank, rank, n, rows, columns)
        work.indices[0][2 * n + work.C.shape[0]] = UNKNOWN
        while rank > 0 and not abs(A[rank - 1, rank - 1]) > SINGULAR * abs(A[0, 0]):
            rank -= 1
        if rank == work.status[STATUS_RANK] or np.isnan(work.beside[0]):
            break
    fill(work.C, work.xi, A, rank, rows, columns)
    eliminate(A, rank, n + 1)
    tangent(A, N, rank, columns)
    work.status[STATUS_NEAR] = 1 + work.status[STATUS_RANK] - rank
    return rank, at, q, v


@helper
def open_stage(work):
    """Whether the evaluation is of a stage on a singular position, with no state beside it."""
    return work.status[STATUS_NEAR] > 1 and np.isnan(work.beside[0]) and work.counts[COUNT_STEPS] > 0


@helper
def closeness(A, rank, dropped, seen):
    """The ratio of the smallest to the largest pivot that `eliminate` left, and whether a singular position is near: in the ratio or,
    as it has changed in the last step, within the next two."""
    small, large = 0.0, 1e300  # of the inverted pivots
    for i in range(rank):
        d = abs(A[i, i])
        small, large = max(small, d), min(large, d)
    ratio = 1.0 if rank == 0 else 0.0 if dropped or not 0.0 < small < 1e300 else large / small
    last = seen[1]
    seen[0], seen[1] = max(seen[0], ratio), ratio
    return ratio, ratio < NEAR * seen[0] or ratio < 2.0 * (last - ratio)


@helper
def odd(order, seen):
    """Whether a permutation (n,) is odd. seen (n,) or longer is scratch."""
    n, result = order.shape[0], False
    clear(seen[:n])
    for i in range(n):
        j, length = i, 0
        while seen[j] == 0.0:
            seen[j] = 1.0
            j = order[j]
            length += 1
        if length > 0 and length % 2 == 0:
            result = not result
    return result


@helper
def side(A, T, rank, order, x):
    """The sign of the determinant of [C; V2'], from the factors of the last evaluation. order: Work.indices[0]; x (n,) is scratch.

    0 where rows depend on each other, as other rows may be picked another time: then the sign is not comparable.
    """
    n, known = T.shape[0], order[order.shape[0] - 1 :]
    if rank < A.shape[0]:
        return 0.0
    if known[0] == UNKNOWN:
        known[0] = 1 if odd(order[:n], x) != odd(order[n : n + rank], x) else 0
    negative = (known[0] == 1) != odd(order[n + rank : 2 * n], x)
    for i in range(rank):
        negative = negative != (A[i, i] < 0.0)
    for i in range(n - rank):
        negative = negative != (T[i, i] < 0.0)
    return -1.0 if negative else 1.0


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Take the decomposition at (t, q), pick rows and columns, and set z[:n] to p = V2' v."""
    _, V2, N, X, S, _, _ = work.matrices
    m, n = work.C.shape
    columns, rows = work.indices[0][:n], work.indices[0][n:]
    system.constraints(arrays, t, q, work.C, work.xi)
    # the rank that the singular values show; then as many rows and columns by pivoting
    rank = null_basis(work.C, -1, V2, X, S, work.vectors[2])
    work.status[STATUS_RANK] = rank
    work.status[STATUS_NEAR] = 0
    work.vectors[0][n + 1] = 0.0  # no ratio to compare with: the pivots are others
    work.vectors[0][n + 2] = 0.0
    for i in range(m):
        rows[i] = i
    for j in range(n):
        columns[j] = j
    pivot_order(X, m, rank, n, rows, columns)
    work.indices[0][2 * n + m] = UNKNOWN
    for i in range(n):
        s = 0.0
        if i < n - rank:
            for j in range(n):
                s += V2[i, j] * v[j]
        z[i] = s
    permute(V2, n - rank, columns, N)
    work.counts[COUNT_SVDS] += 1
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    A, V2, N, _, _, _, T = work.matrices
    x = work.vectors[5]
    rank = work.status[STATUS_RANK]
    n = work.v.shape[0]
    k = n - rank
    columns, rows, exchanged = work.indices[0][:n], work.indices[0][n : n + rank], work.indices[0][n + rank :]
    q = z[n : z.shape[0] - 1]
    near = work.status[STATUS_NEAR]
    work.counts[COUNT_STEPS] += 1
    if q.shape[0] != n:  # quaternions back to unit length
        clear(x)
        system.move(arrays, q, x)
    code = project(system, arrays, work, t, q, z[: n if near else 0])  # elsewhere velocities satisfy their constraints already
    if code != OK:
        return code
    work.beside[0] = np.nan
    ratio, close = closeness(A, rank, near > 1, work.vectors[0][n:])  # of the last stage: near enough to the end of the step
    if near:
        if near == 1 and not close and ratio > FAR * work.vectors[0][n]:
            copy(z[:n], work.v, 0)
            start(system, arrays, work, t, q, work.v, z)
            return CHANGED
        if ratio < TOUCHING * work.vectors[0][n]:
            step_beside(project, system, arrays, work, t, q, z[:n])
        return OK
    turned = -float(k)  # |B|^2 - k = |T'^-1 N'|^2 - k, likewise of the last stage
    for j in range(n):
        for i in range(k):
            x[i] = N[i, j]
        eliminated_solve_transposed(T, k, x)
        for i in range(k):
            turned += x[i] * x[i]
    now, last = side(A, T, rank, work.indices[0], x), work.vectors[0][n + 2]
    if now * last < 0.0:  # the step went through the singular position of the held basis, where p does not give v
        return COARSE
    work.vectors[0][n + 2] = now
    close = close and work.settings[SETTING_DRIFT] == DRIFT_FULL  # v itself needs the projection
    if close:  # held pivots that have become poor look the same: pick new ones
        X = work.matrices[3]
        system.constraints(arrays, t, q, work.C, work.xi)
        unpermute(V2, k, columns, X)
        fill(work.C, work.xi, A, rank, rows, columns)
        best = pivot_order(A, rank, rank, n, rows, columns)
        work.indices[0][2 * n + work.C.shape[0]] = UNKNOWN
        permute(V2, k, columns, X)
        close = best < BETTER * ratio and best < APPROACHED * max(work.vectors[0][n], best)
        ratio = best
        work.vectors[0][n] = max(work.vectors[0][n], best)
        work.vectors[0][n + 1] = best
    if not close and turned <= work.settings[SETTING_LIMIT] * work.settings[SETTING_LIMIT]:
        return OK
    system.constraints(arrays, t, q, work.C, work.xi)
    work.counts[COUNT_FACTORISATIONS] += 1
    fill(work.C, work.xi, A, rank, rows, columns)  # with the pivots of the last stage
    if eliminate(A, rank, n + 1) < 1e300:
        tangent(A, N, rank, columns)
        if blocks(A, V2, N, T, rank, exchanged) == OK:
            velocity(A, V2, T, rank, columns, exchanged, z[:k], x, work.v)
    if close:
        copy(work.v, z, 0)
        work.status[STATUS_NEAR] = 1
        if ratio < TOUCHING * work.vectors[0][n]:
            step_beside(project, system, arrays, work, t, q, z[:n])
        return CHANGED
    start(system, arrays, work, t, q, work.v, z)
    return CHANGED
