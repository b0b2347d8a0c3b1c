"""The constraint force algorithm: its work arrays, its solutions for all rows, which rows it leaves out, the smallest correction."""

from math import sqrt

from mbsim.contracts import CHOOSE, FACTOR, IN_ORDER, NEAREST, SOLVE, SWEEP
from mbsim.jit import Workspace, helper, indices, kernel, matrix, vector
from mbsim.kernels.gauss import FADES, MOST
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.ranks import FOLDED as FOLDED_PIVOT
from mbsim.kernels.ranks import NEAR, TOUCHING
from mbsim.saddle.joints.factor import PIVOT_TOLERANCE, backward, factor_forward, forward, leave_out
from mbsim.saddle.joints.independent import PUT_OFF, independent, is_poor, leave_out_strongest
from mbsim.saddle.joints.planar import WEAKER, accelerate, solve_independent, velocities
from mbsim.saddle.joints.weighed_rows import add_reactions, meet, subtract_rows, unweigh, weigh_rows
from mbsim.saddle.lines import speeds_of_body

# Squares of pivots: below the first the solution is refined once, because Cholesky loses as many digits; below the second, of a system
# with loops, a singular position is near, and residuals are reduced to round-off
WEAK, NEAR_SQUARED = TOUCHING * TOUCHING, NEAR * NEAR
DAMPED = (FADES * MOST) ** 2  # likewise, below which a weak direction may be damped (`mbsim.kernels.gauss.damping`)
FOLDED = FOLDED_PIVOT * FOLDED_PIVOT  # likewise, below which a direction is not corrected close to a singular position
# times its part in a dependency: a velocity row is left out rather than a position row (`held_rows`), if it is more than round-off
RATHER = 1e6
TINY = 1e-300  # for a weakest pivot of zero
# of own.before, see `passing`: the rank of accepted states; the one to regain, else 0; whether the last accepted state had a lower one;
# the highest so far
RANK_BEFORE, FELL, LOWERED, HIGHEST, BEFORE = 0, 1, 2, 3, 4
FIRST, RANK = 0, 1  # of each choice of rows: its weakest pivot, 0 where none is made yet; its rank
WEAKEST, LARGEST, CHOICE = 2, 3, 4  # of the last factorisation, in own.choice: its weakest pivot, its largest right side; numbers in all

WORKSPACE = Workspace(
    "cfa",
    sizes=("b", "bodies", "roots", "places", "equations", "planar", "spare", "width", "loops", "held"),
    Y=matrix("m", "2 * b"),  # C W, the two body blocks of each row
    W=matrix("bodies + 1", "roots"),  # M^-1 = W W'
    S=vector("places"),  # the blocks of C M^-1 C' and their factors
    E=matrix("equations", "n + b"),  # rows of the user's equations times W
    u=vector("n + b"),  # speeds times W^-1
    bodies=matrix("planar", "6"),  # what `planar.py` knows of the bodies
    spare=matrix("spare", "width"),  # rows that are put off
    put_off=indices("spare"),  # which these are
    y=vector("m"),  # right side and solution
    inverse=vector("m"),  # pivots
    lengths=vector("m"),  # of the rows of C W, squared
    asked=vector("m"),  # the right side, kept; scratch
    choice=vector(f"{CHOICE}"),  # of the rows left out of all, and of the rows of phi
    choice_phi=vector(f"{CHOICE}"),
    dropped=indices("m"),  # 1 where a row is left out, of all
    dropped_phi=indices("m"),  # and of the rows of phi
    weak=indices("m"),  # and where its pivot is weak, close to a singular position
    d=vector("n"),  # displacement
    before=vector(f"{BEFORE} * loops"),  # where there are loops: what `singular/passing.py` keeps
    kept=vector("held"),  # and the multipliers of the evaluation before
)


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
    return NEAR_SQUARED if own.before.shape[0] > 0 else 0.0


@helper
def weak_pivot(own):
    """Below which a pivot is left to the elimination with rank decisions, which damps weak directions where there are loops."""
    return DAMPED if own.before.shape[0] > 0 else WEAK


# Kernels, because they are long and called from several places: each is compiled once.


@helper
def sweep(arrays, work, h, y, out):
    """out (n,) <- M^-1 (h + C' y) with C out = y before, of planar bodies whose rows are independent; returns what the pivots show.

    y (m,) becomes the multipliers. Where it returns WEAKER, nothing of what it left counts.
    """
    own = WORKSPACE(work)
    if own.bodies.shape[0] == 0:
        return WEAKER
    accelerate(own.W, h, own.bodies)
    shown = solve_independent(work.plan, arrays.jacobian, weak_pivot(own), close_pivot(own), own.S, own.bodies, y)
    if shown != WEAKER:
        velocities(own.bodies, out)
    return shown


@kernel(SWEEP)
def swept(arrays, work, h, y, out):
    """`sweep` as a kernel: evaluations contain it, corrections call it."""
    return sweep(arrays, work, h, y, out)


@kernel(FACTOR)
def factored(arrays, work, rows, tolerance, dropped, y):
    """The factors of the first `rows` rows of C W; y (m,) <- L^-1 of y less C W own.u. Returns -1 or a bad row, as `factor_forward`.

    Rows that are left out, as `pivot_inverse` says, are marked in dropped (m,). The weakest pivot is in own.choice[WEAKEST], the largest
    entry of the right side in own.choice[LARGEST].
    """
    own, plan = WORKSPACE(work), work.plan
    weigh_rows(plan, arrays.jacobian, work.C, own.W, arrays.masses.shape[0], own.u, own.Y, own.E, own.S, own.lengths, y)
    meet(plan, own.Y, own.E, own.S)
    largest = 0.0
    for i in range(y.shape[0]):
        largest = max(largest, abs(y[i]))
    own.choice[LARGEST] = largest
    own.choice[WEAKEST], bad = factor_forward(plan, own.S, own.lengths, rows, tolerance, dropped, own.inverse, y)
    return bad


@kernel(SOLVE)
def solved(work, y, u):
    """u (n + b,) += W' C' S^-1 y for y (m,) after the forward substitution; y becomes the multipliers."""
    own = WORKSPACE(work)
    leave_out(own.inverse, y)
    backward(work.plan, own.S, own.inverse, y)
    add_reactions(work.plan, own.Y, own.E, y, u)


@kernel(SOLVE)
def take_off(work, y, u):
    """u (n + b,) less its part along the rows that stay; y (m,) <- minus what that is made of."""
    own, plan = WORKSPACE(work), work.plan
    clear(y)
    subtract_rows(plan, own.Y, own.E, u, y)
    forward(plan, own.S, own.inverse, y)
    solved(work, y, u)


@helper
def dependency(work, row, y, u):
    """y (m,) <- 1 in a row that is left out and minus what it is made of in the others; u (n + b,) what these leave of it."""
    own = WORKSPACE(work)
    clear(u)
    clear(y)
    y[row] = 1.0
    add_reactions(work.plan, own.Y, own.E, y, u)
    take_off(work, y, u)
    y[row] = 1.0


@helper
def refactored(arrays, work, rows, tolerance):
    """`factored` with a right side of zeros."""
    own = WORKSPACE(work)
    clear(own.u)
    clear(own.y)
    dropped = own.dropped if rows == own.y.shape[0] else own.dropped_phi
    return factored(arrays, work, rows, tolerance, dropped, own.y)


@kernel(IN_ORDER)
def in_order(arrays, work, rows):
    """The choice that the order of the elimination makes by itself; returns as `chosen`."""
    own = WORKSPACE(work)
    dropped = own.dropped if rows == own.y.shape[0] else own.dropped_phi
    bad = refactored(arrays, work, rows, PIVOT_TOLERANCE)
    rank = rows
    for i in range(rows):
        rank -= dropped[i]
    return rank if bad < 0 else -1 - bad


@kernel(CHOOSE)
def chosen(arrays, work, rows, limit):
    """Mark which of the first `rows` rows depend on the others; returns the rank, or -1 - i where row i is not finite.

    Of rows of two levels that depend on each other those of positions stay.
    `limit` is the rank to use at most, -1 to find it. own.put_off (k,) and own.spare (k, ...) are for as many rows as may be put off.
    The marks are in own.dropped where all rows are asked for, else in own.dropped_phi. How it is done: `mbsim.saddle.joints.independent`.
    """
    own = WORKSPACE(work)
    u, spare, put_off, y, lengths = own.u, own.spare, own.put_off, own.y, own.lengths
    size, m = u.shape[0], y.shape[0]
    dropped = own.dropped if rows == m else own.dropped_phi
    for i in range(m):
        dropped[i] = 0
    bad = refactored(arrays, work, rows, PUT_OFF)
    if bad >= 0:
        return -1 - bad
    count = 0
    for i in range(rows):
        if dropped[i] == 1:
            if count < put_off.shape[0]:
                put_off[count] = i
            count += 1
    if count == 0:
        return rows
    if count > put_off.shape[0]:
        return in_order(arrays, work, rows)
    for c in range(count):
        i = put_off[c]
        x = spare[c, :size]
        dependency(work, i, y, x)
        take_off(work, y, x)  # what cancellation left along the rows that stay
        scale = 1.0 / sqrt(lengths[i]) if lengths[i] > 0.0 else 0.0
        for j in range(size):
            x[j] *= scale
    rank = rows - count + independent(spare, count, size, count if limit < 0 else limit - rows + count, dropped, put_off)
    if rank == rows:
        return rank
    if rank > rows - count and refactored(arrays, work, rows, 0.0) >= 0:
        return in_order(arrays, work, rows)
    count = 0
    for i in range(rows):
        if dropped[i] == 1:
            dependency(work, i, y, u)
            for j in range(m):
                spare[count, j] = y[j] * sqrt(lengths[j]) if lengths[j] > 0.0 else y[j]
                if j >= work.phi.shape[0]:
                    spare[count, j] *= RATHER
            count += 1
    leave_out_strongest(spare, count, rows, dropped)
    return rank


@helper
def nearest_of_strong(arrays, work, rows, least):
    """As `nearest`, without the rows whose pivot (a squared length) is below `least`; the choice of rows is not touched."""
    own = WORKSPACE(work)
    clear(own.u)
    bad = factored(arrays, work, rows, least, own.weak, own.y)
    solved(work, own.y, own.u)
    unweigh(own.W, speeds_of_body(work.plan), arrays.masses.shape[0], own.u, own.d)
    return bad


@kernel(NEAREST)
def nearest(arrays, work, rows, afresh, least):
    """own.d (n,) <- the smallest displacement d in the M norm with C d = own.y on the first `rows` rows; -1, or a bad row.

    Rows that depend on others are left out; they are chosen at the first call, with `afresh` = 1, and where the choice has become poor
    (`chosen`). With `least` above 0 those are left out whose pivot is below it, and the choice stays.
    """
    if least > 0.0:
        return nearest_of_strong(arrays, work, rows, least)
    own, plan, anew = WORKSPACE(work), work.plan, afresh == 1
    y, inverse, lengths, asked, d = own.y, own.inverse, own.lengths, own.asked, own.d
    m = y.shape[0]
    if rows == m:
        choice, dropped = own.choice, own.dropped
    else:
        choice, dropped = own.choice_phi, own.dropped_phi
    copy(y, asked, 0)
    known = choice[FIRST] != 0.0
    if rows == m and (anew or not known or choice[RANK] == m):
        clear(d)
        if swept(arrays, work, d, y, d) != WEAKER:
            if anew or not known:
                keep_all(choice, dropped, m)
            return -1
    limit = int(choice[RANK]) if known and not anew else -1  # before a correction, redundant rows look independent
    anew = anew or not known
    weakest, bad = 1.0, -1
    for _ in range(2):
        if anew:
            rank = chosen(arrays, work, rows, limit)
            if rank < 0:
                return -1 - rank
            choice[RANK] = float(rank)
        copy(asked, y, 0)
        clear(own.u)
        bad = factored(arrays, work, rows, 0.0, dropped, y)
        weakest = own.choice[WEAKEST]
        if anew:
            choice[FIRST] = max(weakest, TINY)
        if anew or not is_poor(weakest, bad, int(choice[RANK]), rows, choice[FIRST]):
            break
        anew = True
    if bad >= 0 and lengths[bad] < 1e300:  # so close to a singular position that no choice holds
        choice[RANK] = float(in_order(arrays, work, rows))
        choice[FIRST] = 0.0
        copy(asked, y, 0)
        forward(plan, own.S, inverse, y)
        bad = -1
    solved(work, y, own.u)
    unweigh(own.W, speeds_of_body(plan), arrays.masses.shape[0], own.u, d)
    return bad
