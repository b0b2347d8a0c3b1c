"""How the constraint force algorithm passes the singular positions of systems with loops; the dense methods do so in `_augmented`.

A rank that is lower at one accepted state is that of a position on the way: the equations are evaluated at a state beside it on the
constraints, and the rows count again from the next evaluation on. Only when the next accepted state shows it too is it the rank from there
on. A stage of a step that lands on such a position keeps the acceleration of the evaluation before. Weak directions are damped close to it.
docs/methods/singular_positions.md.
"""

from math import sqrt

import numpy as np

from mbsim.contracts import BESIDE_ACCEPTED, BESIDE_PIVOT, BESIDE_TIME, SETTING_CONTROLLED, STATUS_FRESH, STATUS_NEAR, STATUS_RANK
from mbsim.jit import helper
from mbsim.kernels.gauss import FADES, damping
from mbsim.kernels.linalg import clear, copy
from mbsim.saddle.columns import GROUPS
from mbsim.saddle.joints.choice import DAMPED, FELL, HIGHEST, LOWERED, NEAR_SQUARED, RANK, RANK_BEFORE, solved
from mbsim.saddle.joints.factor import forward, node_of
from mbsim.saddle.joints.weighed_rows import add_rates, subtract_rows
from mbsim.saddle.lines import lines_of

CLOSE_BY = DAMPED  # stands for a pivot between DAMPED and NEAR_SQUARED of which no more is known
STAYS = -1  # of a stage on a singular position: what the evaluation before found stays; no code of an integrator


@helper
def counts_again(own):
    """Return whether rows that were lost may count again."""
    before = own.before
    return before.shape[0] > 0 and (before[FELL] > 0.0 or own.choice[RANK] < before[HIGHEST])


@helper
def rank_within(own):
    """Return the rank that a stage of a step has, and the one up to which lost rows may count again."""
    rank = int(own.choice[RANK])
    if own.before.shape[0] == 0:
        return rank, rank
    rank = max(rank, int(own.before[FELL]))
    return rank, max(rank, int(own.before[HIGHEST]))


@helper
def lands(own, rank, held):
    """Note that a stage has `rank` where the rows have `held`; returns whether the system has loops, which may pass such a position."""
    if own.before.shape[0] == 0:
        return False
    own.before[FELL], own.choice[RANK] = float(held), float(rank)
    return True


@helper
def is_lower(work, own):
    """Return whether the rank of the accepted state evaluated last is lower than before and a state beside it is known."""
    before = own.before
    if before.shape[0] == 0 or np.isnan(work.beside[BESIDE_TIME]):
        return False
    return own.choice[RANK] < max(before[RANK_BEFORE], float(work.status[STATUS_RANK]))


@helper
def note_rank(work, own, fresh, weakest, stays):
    """Note the rank of the choice of rows, and how close a singular position is: `weakest` is the weakest pivot, a square."""
    status, before, beside, rank = work.status, own.before, work.beside, own.choice[RANK]
    status[STATUS_FRESH] = 0
    if before.shape[0] == 0:
        status[STATUS_RANK] = int(rank)
        return
    if stays:
        status[STATUS_NEAR], beside[BESIDE_PIVOT] = 1, 0.0
        return
    lower = rank < before[RANK_BEFORE]
    if fresh:
        before[FELL] = before[RANK_BEFORE] if lower and before[LOWERED] == 0.0 else 0.0
        before[LOWERED] = 1.0 if before[FELL] > 0.0 else 0.0
        before[RANK_BEFORE] = max(rank, before[FELL])
        before[HIGHEST] = max(before[HIGHEST], rank, float(status[STATUS_RANK]))  # a start on such a position says what it is beside it
    elif rank >= before[FELL]:
        before[FELL] = 0.0
    pivot = 0.0 if lower else sqrt(max(weakest, 0.0))
    beside[BESIDE_PIVOT] = pivot
    if fresh:
        beside[BESIDE_ACCEPTED] = pivot
    status[STATUS_NEAR] = 1 if before[FELL] > 0.0 or weakest < NEAR_SQUARED else 0
    status[STATUS_RANK] = int(rank)


@helper
def keep(work, own, fresh, dz):
    """Keep what an evaluation found: the acceleration in dz, and the multipliers.

    With error control those of accepted states only: stages of a step that is too long may be anything.
    """
    if own.before.shape[0] > 0 and (fresh or work.settings[SETTING_CONTROLLED] == 0.0):
        copy(dz[: work.a.shape[0]], work.a, 0)
        copy(work.lam, own.kept, 0)


@helper
def restore_last(work, own, dz):
    """Bring back the acceleration, in dz, and the multipliers of the evaluation before."""
    copy(work.a, dz, 0)
    copy(own.kept, work.lam, 0)


@helper
def damp(arrays, work, own, weakest):
    """Take own.u = W^-1 v_dot, in the directions of weak pivots, towards the acceleration before; work.lam follows.

    The direction that a row adds to those eliminated before it gets the part size^2 / (pivot^2 + size^2) of what it had more, or less,
    before (`mbsim.kernels.gauss.damp_one`). The rows after it keep what they ask for.
    """
    size = 0.0
    if own.before.shape[0] > 0 and work.settings[SETTING_CONTROLLED] == 0.0:
        size = damping(sqrt(max(weakest, 0.0)), work.beside[BESIDE_ACCEPTED])
    if size <= 0.0:
        return
    plan, y, u, inverse = work.plan, own.y, own.u, own.inverse
    for e in range(lines_of(plan, GROUPS)):
        first, count, _, _, _ = node_of(plan, e)
        for i in range(first, first + count):
            pivot = 1.0 / (inverse[i] * sqrt(own.lengths[i])) if inverse[i] > 0.0 else 1.0
            if pivot > FADES * size:
                continue
            clear(y)
            add_rates(plan, arrays.jacobian, work.C, arrays.masses.shape[0], work.a, y)
            subtract_rows(plan, own.Y, own.E, u, y)
            forward(plan, own.S, inverse, y)
            change = size * size / (pivot * pivot + size * size) * y[i]
            clear(y)
            y[i] = change / inverse[i]
            forward(plan, own.S, inverse, y)
            solved(work, y, u)
            for k in range(y.shape[0]):
                work.lam[k] += y[k]
