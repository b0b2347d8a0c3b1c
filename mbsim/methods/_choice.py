"""Which rows the constraint force algorithm leaves out, and the smallest displacement that corrects the others."""

from mbsim.jit import STATUS_FRESH, STATUS_NEAR, STATUS_RANK, helper
from mbsim.kernels.block_columns import BODY_SPEEDS
from mbsim.kernels.block_rows import meet, unweigh, weigh_rows
from mbsim.kernels.blocks import factor_forward, forward
from mbsim.kernels.dissected import solve_dissected
from mbsim.kernels.independent import choose, in_order, is_poor, solve
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.planar_blocks import CLOSE, WEAKER, accelerate, solve_independent, velocities

WEAK = 1e-6  # pivot (a squared length) below which the solution is refined once, because Cholesky loses as many digits
NEAR = 2.5e-3  # likewise, of a system with loops: it is close to a singular position, and residuals are reduced to round-off
FOLDED = 1e-8  # likewise, below which a direction is not corrected close to a singular position: the error of the step decides it
TINY = 1e-300  # for a weakest pivot of zero
RANK_BEFORE, FELL, BEFORE = 0, 1, 2  # of own.before: the rank of the evaluation before; from which it fell at an accepted state, else 0
FIRST, RANK, CHOICE = 0, 1, 2  # of each choice of rows: its weakest pivot, 0 where none is made yet; its rank; numbers in all


@helper
def keep_all(choice, dropped, rows):
    """The choice of a system whose rows are independent."""
    for i in range(rows):
        dropped[i] = 0
    choice[FIRST], choice[RANK] = 1.0, float(rows)


@helper
def violated(dropped, y, limit):
    """The first row left out that y (m,) is more than `limit` in, or not a number; -1 where there is none."""
    for i in range(y.shape[0]):
        if dropped[i] == 1 and not abs(y[i]) <= limit:
            return i
    return -1


@helper
def close_pivot(own):
    """Below which a pivot shows a singular position close by: trees have none."""
    return NEAR if own.before.shape[0] > 0 else 0.0


@helper
def note_rank(own, status, shown):
    """Note the rank that the choice of all rows has, and whether the pivots show a singular position close by (CLOSE).

    A rank that is lower at one accepted state is that of a singular position on the way: the rows count again from the next evaluation on.
    Only when the next accepted state shows it too is it the rank from there on. So it is with `_augmented.held_rank`.
    """
    rank, before, fresh = own.choice[RANK], own.before, status[STATUS_FRESH] == 1
    if before.shape[0] > 0:
        if before[FELL] > 0.0 and (fresh or rank >= before[FELL]):
            before[FELL] = 0.0
        elif fresh and rank < before[RANK_BEFORE]:
            before[FELL] = before[RANK_BEFORE]
        before[RANK_BEFORE] = rank
        status[STATUS_NEAR] = 1 if before[FELL] > 0.0 or shown == CLOSE else 0
    status[STATUS_RANK], status[STATUS_FRESH] = int(rank), 0


@helper
def solved_in_parts(plan, J, h, own, out):
    """`dissected.solve_dissected` of rows that are independent; returns WEAKER where they may not be, and then nothing of it counts."""
    choice, dropped = own.choice, own.dropped
    known = choice[FIRST] != 0.0
    if not known:
        keep_all(choice, dropped, dropped.shape[0])
    shown = solve_dissected(plan, J, WEAK, close_pivot(own), h, own, out)
    if shown == WEAKER and not known:
        choice[FIRST] = 0.0
    return shown


@helper
def nearest_of_strong(plan, J, C, n_b, rows, least, own):
    """As `nearest`, without the rows whose pivot (a squared length) is below `least`; the choice of rows is not touched."""
    clear(own.u)
    weigh_rows(plan, J, C, own.W, n_b, own.u, own.Y, own.E, own.S, own.lengths, own.y)
    meet(plan, own.Y, own.E, own.S)
    bad = factor_forward(plan, own.S, own.lengths, rows, least, own.weak, own.inverse, own.y)[1]
    solve(plan, own.Y, own.E, own.S, own.inverse, own.y, own.u)
    unweigh(own.W, plan[0, BODY_SPEEDS], n_b, own.u, own.d)
    return bad


@helper
def nearest(plan, J, C, n_b, rows, anew, least, own):
    """own.d (n,) <- the smallest displacement d in the M norm with C d = own.y on the first `rows` rows; -1, or a bad row.

    J is arrays.jacobian; `own` the workspace of `cfa`. Rows that depend on others are left out; they are chosen at the first call, with
    `anew`, and where the choice has become poor. Which they are is in own.dropped where all rows are asked for, else in own.dropped_phi.
    With `least` above 0 those are left out whose pivot is below it, and the choice stays.
    """
    if least > 0.0:
        return nearest_of_strong(plan, J, C, n_b, rows, least, own)
    Y, W, S, E, u, bodies = own.Y, own.W, own.S, own.E, own.u, own.bodies
    y, inverse, lengths, asked, d = own.y, own.inverse, own.lengths, own.asked, own.d
    m = y.shape[0]
    if rows == m:
        choice, dropped = own.choice, own.dropped
    else:
        choice, dropped = own.choice_phi, own.dropped_phi
    copy(y, asked, 0)
    known = choice[FIRST] != 0.0
    if own.crew.shape[0] > 0 and rows == m and (anew or not known or choice[RANK] == m):
        clear(d)
        if solved_in_parts(plan, J, d, own, d) != WEAKER:
            return -1
    elif bodies.shape[0] > 0 and rows == m and (anew or not known or choice[RANK] == m):
        clear(d)
        accelerate(W, d, bodies)
        if solve_independent(plan, J, WEAK, 0.0, S, bodies, y) != WEAKER:
            velocities(bodies, d)
            if anew or not known:
                keep_all(choice, dropped, m)
            return -1
    limit = int(choice[RANK]) if known and not anew else -1  # before a correction, redundant rows look independent
    anew = anew or not known
    weakest, bad = 1.0, -1
    for _ in range(2):
        if anew:
            rank = choose(plan, J, C, n_b, rows, limit, own, dropped)
            if rank < 0:
                return -1 - rank
            choice[RANK] = float(rank)
        copy(asked, y, 0)
        clear(u)
        weigh_rows(plan, J, C, W, n_b, u, Y, E, S, lengths, y)
        meet(plan, Y, E, S)
        weakest, bad = factor_forward(plan, S, lengths, rows, 0.0, dropped, inverse, y)
        if anew:
            choice[FIRST] = max(weakest, TINY)
        if anew or not is_poor(weakest, bad, int(choice[RANK]), rows, choice[FIRST]):
            break
        anew = True
    if bad >= 0 and lengths[bad] < 1e300:  # so close to a singular position that no choice holds
        choice[RANK] = float(in_order(plan, J, C, n_b, rows, own, dropped))
        choice[FIRST] = 0.0
        copy(asked, y, 0)
        forward(plan, S, inverse, y)
        bad = -1
    solve(plan, Y, E, S, inverse, y, u)
    unweigh(W, plan[0, BODY_SPEEDS], n_b, u, d)
    return bad
