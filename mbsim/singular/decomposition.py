"""A null-space basis that is held over many steps: how v follows from it, and when C is decomposed anew.

    C = U [D 0] [V1 V2]'   held;   p = V2' v,   z = [p; q; W],   v = [C; V2']^-1 [-xi; p]   with the current C

[C; V2'] is solved by blocks. With the decomposition, r = rank C rows and r columns D of C are picked by pivoting and held too (the
other rows follow from them, the other columns are I), so that factoring needs no search. All of this is of C and v with slides measured
in arms of the mechanism (`singular/basis.py`), so that nothing depends on the unit of length:

    C = [C_D C_I],  G = C_D^-1 C_I,  N = [-G; I],  T = V2' N,  T v_I = p + V2_D' C_D^-1 xi

A new decomposition is taken when the null space has turned away from V2: the columns of B = N T^-1 are v2_i + n_i with n_i across V2,
and sum |n_i|^2 is the sum of the squared tangents of the angles between the held and the current null space, infinite where
[C; V2'] is singular. The option `hold_limit` bounds its root, and what a step may err bounds it further (`singular/turning.py`).

With `hold: false` C is decomposed and pivoted at every evaluation, and the equations are projected on the current V2. The state p is still
expressed in a basis that lasts, which is renewed by the same rule. A basis that changed after every step would keep integrators with a
memory at their start.

Near a singular position v cannot be found from p. A Runge-Kutta stage is off the constraints by its error, and v would have that error over
the weakest pivot. So the state is v itself there:

- STATUS_NEAR is 1 + the number of rows left out at the last evaluation.
- Each evaluation finds pivots anew. A pivot below RANK_TOLERANCE of the largest drops its row for that evaluation.
- The projection after each step keeps C v + xi = 0.

The ratio of the smallest pivot to the largest tells how near the position is. It is compared with the largest such ratio of the run.
"""

from typing import Any, NamedTuple

import numpy as np

from mbsim.contracts import (
    ACCEPT,
    BESIDE_TIME,
    CHANGED,
    COARSE,
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_STEPS,
    COUNT_SVDS,
    DEPENDENT_CONSTRAINTS,
    DRIFT_FULL,
    OK,
    SETTING_DRIFT,
    START,
    STATUS_NEAR,
    STATUS_RANK,
    choices,
    method_settings,
)
from mbsim.jit import Workspace, helper, indices, kernel, matrix, vector
from mbsim.kernels.linalg import clear, copy, eliminate, pivot_order
from mbsim.kernels.ranks import RANK_TOLERANCE, TOUCHING
from mbsim.saddle.evaluation import driving_power, taken
from mbsim.singular.basis import (
    ALWAYS,
    GROWTH_LIMIT,
    SHARE,
    UNKNOWN,
    blocks,
    factor,
    fill,
    independent,
    least_share,
    null_basis,
    permute,
    pick,
    pick_rows,
    prefer,
    tangent,
    velocity,
)
from mbsim.singular.held_rows import WORN
from mbsim.singular.near import step_beside
from mbsim.singular.projection import PROJECTION
from mbsim.singular.turning import KNOWN, resolved_tangent, turns

HELD = Workspace(  # of `svd` and `riemann`
    "held",
    PROJECTION,
    A=matrix("m", "n + 1"),  # [C_D C_I xi], rows and columns permuted, and its factors
    V2=matrix("n", "n"),  # V2' in its first k rows, columns permuted like A's
    N=matrix("n", "n"),  # N' in its first k rows, columns in the order of v
    T=matrix("n", "n"),  # and its factors
    B=matrix("n", "n"),  # [C; V2']^-1 [0; I] of the last accepted state, transposed: k rows, columns in the order of v
    columns=indices("n"),  # those of D, then those of I
    rows=indices("m"),  # of C as picked
    exchanged=indices("n"),  # rows of T
    tried=indices("n"),  # columns of other rows that are picked: scratch
    odd=indices("1"),  # whether the order of columns and rows together is, or UNKNOWN
    pivots=vector("5"),  # see LARGEST, LAST, SIDE, turning.KNOWN and basis.SHARE
    x=vector("n"),  # scratch, like all that follow
    X=matrix("larger", "n"),
    S=matrix("larger", "larger"),
    W=matrix("n", "n"),
    sigma=vector("m"),
    picked=indices("m"),
)
LARGEST, LAST, SIDE = 0, 1, 2  # the largest and the last ratio of the pivots; the sign of the determinant of [C; V2'] at the last state
OPTIONS = {  # of the methods that hold a basis
    "hold": {"default": True, "help": "false: decompose C at every evaluation, to show what holding the decomposition saves"},
    "hold_limit": {
        "default": 2.0,
        "above": 0.0,
        "most": 10.0,
        "help": "tangent of the angle between the held and the current null space at which V2 is renewed",
    },
    "renew": {
        "default": "tangent",
        "choices": ("tangent", "paper"),
        "help": "paper: only where [C; V2'] is singular to round-off (Shui & Zhang), which may end in a wrong motion: to show that it does",
    },
    "equations": {
        "default": "corrected",
        "choices": ("corrected", "paper"),
        "help": "paper: the accelerations as the paper prints them, which with a held V2 give a wrong motion: to show that they do",
    },
}
HOLD, LIMIT, RENEW = method_settings(OPTIONS, "hold", "hold_limit", "renew")
(PAPER,) = choices(OPTIONS, "renew", "paper")
PAPER_LIMIT = 1e8  # tangent above which [C; V2'] passes for singular with `renew: paper`: half of the digits are lost
_LIMIT: Any = OPTIONS["hold_limit"]
HOLD_LIMIT = _LIMIT["default"]  # 63 degrees. Tried on the shipped models: 3 needs a third fewer decompositions of a fast
# four-bar and more than doubles its error; 1 takes ten on the rolling disk, where 2 takes one.
NEAR_RATIO = 0.03  # ratio of the pivots, of the largest one seen, below which a position counts as near a singular one
FAR_RATIO = 0.06  # and above which it no longer does
APPROACHED = 0.25  # below which a ratio that falls quickly is that of a singular position, not of a fast motion
BETTER = 2.0  # new pivots whose ratio is so many times larger: the old ones were poor


class Place(NamedTuple):
    """Where an evaluation takes its terms, and of which rank C is there."""

    code: int  # OK, or why there is none
    rank: int
    is_near: bool  # a singular position: the state is v itself, and v is in the work
    is_open: bool  # the stage is on it and no state beside it is known: what was found last stays
    t: float
    q: np.ndarray  # (n_q,)


@helper
def find_folded(system, arrays, work, t, z):
    """Find v, G, C_D^-1 xi and N near a singular position, with pivots found anew.

    C is that of z. Where rows fall below RANK_TOLERANCE it is evaluated beside, if such a state is there, else they are left out: at the
    start, as in a stage on a singular position what was found last is nearer.
    """
    held, n, end = HELD(work), work.v.shape[0], z.shape[0] - 1
    A = held.A
    at, q, v = t, z[n:end], z[:n]
    rank = work.status[STATUS_RANK]
    for attempt in range(2):
        if attempt == 1:
            at, q, v = work.beside[BESIDE_TIME], work.beside_q, work.beside_v
            system.constraints(arrays, at, q, work.C, work.xi)
            work.counts[COUNT_FACTORISATIONS] += 1
            rank = work.status[STATUS_RANK]
        fill(work, held, rank)
        pivot_order(A, rank, rank, n, held.rows, held.columns)
        held.odd[0] = UNKNOWN
        while rank > 0 and not abs(A[rank - 1, rank - 1]) > RANK_TOLERANCE * abs(A[0, 0]):
            rank -= 1
        if rank == work.status[STATUS_RANK] or np.isnan(work.beside[BESIDE_TIME]):
            break
    fill(work, held, rank)
    eliminate(A, rank, n + 1)
    tangent(work, held, rank)
    left_out = work.status[STATUS_RANK] - rank
    work.status[STATUS_NEAR] = 1 + left_out
    copy(v, work.v, 0)
    return Place(OK, rank, True, left_out > 0 and np.isnan(work.beside[BESIDE_TIME]) and work.counts[COUNT_STEPS] > 0, at, q)


@helper
def reached_rank(work):
    """Return the rank of the last evaluation, without the rows that were left out near a singular position."""
    return work.status[STATUS_RANK] - max(work.status[STATUS_NEAR] - 1, 0)


@helper
def closeness(A, rank, dropped, pivots):
    """The ratio of the smallest to the largest pivot that `eliminate` left, and whether a singular position is near: in the ratio or,
    as it has changed in the last step, within the next two."""
    small, large = 0.0, 1e300  # of the inverted pivots
    for i in range(rank):
        d = abs(A[i, i])
        small, large = max(small, d), min(large, d)
    ratio = 1.0 if rank == 0 else 0.0 if dropped or not 0.0 < small < 1e300 else large / small
    last = pivots[LAST]
    pivots[LARGEST], pivots[LAST] = max(pivots[LARGEST], ratio), ratio
    return ratio, ratio < NEAR_RATIO * pivots[LARGEST] or ratio < 2.0 * (last - ratio)


@helper
def is_odd(order, seen):
    """Return whether a permutation (n,) is odd. seen (n,) or longer is scratch."""
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
def side(held, rank):
    """Return the sign of the determinant of [C; V2'], from the factors of the last evaluation.

    0 where rows depend on each other, as other rows may be picked another time: then the sign is not comparable.
    """
    A, T, x = held.A, held.T, held.x
    k = T.shape[0] - rank
    if rank < A.shape[0]:
        return 0.0
    if held.odd[0] == UNKNOWN:
        held.odd[0] = 1 if is_odd(held.columns, x) != is_odd(held.rows[:rank], x) else 0
    negative = (held.odd[0] == 1) != is_odd(held.exchanged[:k], x)
    for i in range(rank):
        negative = negative != (A[i, i] < 0.0)
    for i in range(k):
        negative = negative != (T[i, i] < 0.0)
    return -1.0 if negative else 1.0


@helper
def locate(system, arrays, work, t, z):
    """Return the Place of an evaluation at (t, z), with C and xi there, and C solved by blocks (`factor`, `find_folded`).

    With `hold: false` V2 of this C is in held.W.
    """
    held, rank, q = HELD(work), work.status[STATUS_RANK], z[work.v.shape[0] : z.shape[0] - 1]
    work.counts[COUNT_EVALUATIONS] += 1
    system.constraints(arrays, t, q, work.C, work.xi)
    work.counts[COUNT_FACTORISATIONS] += 1
    if work.status[STATUS_NEAR] != 0:
        return find_folded(system, arrays, work, t, z)
    code, limit = OK, GROWTH_LIMIT
    if work.settings[HOLD] == 0.0:
        code, limit = decompose(arrays, work, rank), ALWAYS
    if code == OK:
        code = factor(work, held, rank, limit)
    return Place(code, rank, False, False, t, q)


@helper
def decompose(arrays, work, rank):
    """Put V2 of this C into held.W; return OK, or DEPENDENT_CONSTRAINTS where C has not the rank."""
    work.counts[COUNT_SVDS] += 1
    return OK if null_basis(work, arrays.row_shares, rank, HELD(work).W, HELD(work)) == rank else DEPENDENT_CONSTRAINTS


@helper
def keep_last(system, arrays, work, t, z, dz):
    """Fill dz of a stage that is open with v_dot and lam of the evaluation before."""
    n, end = work.v.shape[0], z.shape[0] - 1
    copy(work.a, dz, 0)
    system.rates(arrays, t, z[n:end], work.v, dz[n:end])
    dz[end] = driving_power(work, work.lam)


@helper
def speeds(system, arrays, work, t, k, z, dz):
    """dz but for W_dot: p_dot = V2' v_dot or, near a singular position, where the state is v itself, v_dot; then q_dot."""
    n, end = work.v.shape[0], z.shape[0] - 1
    if work.status[STATUS_NEAR] != 0:
        copy(z[:n], work.v, 0)
        copy(work.a, dz, 0)
    else:
        independent(work, HELD(work), k, work.a, dz)
    system.rates(arrays, t, z[n:end], work.v, dz[n:end])


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Take the decomposition at (t, q), pick rows and columns, and set z[:n] to p = V2' v."""
    held = HELD(work)
    m, n = work.C.shape
    system.constraints(arrays, t, q, work.C, work.xi)
    # the rank that the singular values show; then as many rows and columns by pivoting
    rank = null_basis(work, arrays.row_shares, -1, held.V2, held)
    work.status[STATUS_RANK] = rank
    work.status[STATUS_NEAR] = 0
    held.pivots[LAST] = 0.0  # no ratio to compare with: the pivots are others
    held.pivots[SIDE] = 0.0
    held.pivots[KNOWN] = 0.0
    for i in range(m):
        held.rows[i] = i
    for j in range(n):
        held.columns[j] = j
    if rank < m:
        prefer(held.X, arrays.row_shares)
    pivot_order(held.X, m, rank, n, held.rows, held.columns)
    held.pivots[SHARE] = least_share(arrays.row_shares, held.rows, rank)
    held.odd[0] = UNKNOWN
    for i in range(n):
        s = 0.0
        if i < n - rank:
            for j in range(n):
                s += held.V2[i, j] * (v[j] / work.scales[j])
        z[i] = s
    permute(held.V2, n - rank, held.columns, held.N, False)
    work.counts[COUNT_SVDS] += 1
    return OK


@helper
def pick_anew(system, arrays, work, t, q, rank, ratio):
    """The ratio of the pivots at (t, q) with rows and columns picked anew, among all rows where those picked do not give a larger one."""
    held, pivots = HELD(work), HELD(work).pivots
    system.constraints(arrays, t, q, work.C, work.xi)
    best = 0.0
    for attempt in range(2):
        best = pick(work, held, rank, held.X)
        if attempt == 1 or rank == work.C.shape[0] or best >= BETTER * ratio:
            break
        pick_rows(work, arrays.row_shares, held, rank)
    pivots[LARGEST] = max(pivots[LARGEST], best)
    pivots[LAST] = best
    return best


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    """Correct the accepted z and decompose anew where the held basis has turned too far or become poor. Returns the status code."""
    held, pivots, rank, n = HELD(work), HELD(work).pivots, work.status[STATUS_RANK], work.v.shape[0]
    k = n - rank
    near = work.status[STATUS_NEAR]
    q = z[n : z.shape[0] - 1]
    taken(system, arrays, work, q)
    code = project(system, arrays, work, t, q, z[: n if near else 0])  # elsewhere velocities satisfy their constraints already
    if code != OK:
        return code
    work.beside[BESIDE_TIME] = np.nan
    ratio, close = closeness(held.A, rank, near > 1, pivots)  # of the last stage: near enough to the end of the step
    if near:
        if near == 1 and rank < work.C.shape[0] and ratio <= FAR_RATIO * pivots[LARGEST]:
            ratio = pick_anew(system, arrays, work, t, q, rank, ratio)
            close = ratio < NEAR_RATIO * pivots[LARGEST]
        if near == 1 and not close and ratio > FAR_RATIO * pivots[LARGEST]:
            copy(z[:n], work.v, 0)
            start(system, arrays, work, t, q, work.v, z)
            return CHANGED
        if ratio < TOUCHING * pivots[LARGEST]:
            step_beside(project, system, arrays, work, t, q, z[:n])
        return OK
    turned, moved = turns(work, held, k, work.settings[LIMIT])  # likewise of the last stage
    now, last = side(held, rank), pivots[SIDE]
    papers = work.settings[RENEW] == PAPER
    if now * last < 0.0 and not papers:  # the step went through the singular position of the held basis, where p does not give v
        return COARSE
    pivots[SIDE] = now
    close = close and work.settings[SETTING_DRIFT] == DRIFT_FULL  # v itself needs the projection
    if close:  # held pivots that have become poor look the same: pick new ones
        best = pick_anew(system, arrays, work, t, q, rank, ratio)
        close = best < BETTER * ratio and best < APPROACHED * pivots[LARGEST]
        ratio = best
    limit = work.settings[LIMIT]
    most = PAPER_LIMIT * PAPER_LIMIT if papers else min(limit * limit, resolved_tangent(work, moved))
    if not close and turned <= most:
        if rank < work.C.shape[0] and least_share(arrays.row_shares, held.rows, rank) < WORN * pivots[SHARE]:
            pick_rows(work, arrays.row_shares, held, rank)
        return OK
    system.constraints(arrays, t, q, work.C, work.xi)
    work.counts[COUNT_FACTORISATIONS] += 1
    fill(work, held, rank)  # with the pivots of the last stage
    if eliminate(held.A, rank, n + 1) < 1e300:
        tangent(work, held, rank)
        if blocks(held, rank) == OK:
            velocity(work, held, rank, z[:k], work.v)
    if close:
        copy(work.v, z, 0)
        work.status[STATUS_NEAR] = 1
        if ratio < TOUCHING * pivots[LARGEST]:
            step_beside(project, system, arrays, work, t, q, z[:n])
        return CHANGED
    start(system, arrays, work, t, q, work.v, z)
    return CHANGED
