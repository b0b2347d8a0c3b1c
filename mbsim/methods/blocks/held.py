"""Which rows the constraint force algorithm solves for: the choice is held, and renewed where it has become poor.

Which rows are left out because they depend on others is chosen at the start, over all rows (`mbsim.saddle.joints.independent`), and anew
where the choice has become poor. After each accepted step whose drift was corrected, a row that is left out must follow from the others:
the run ends where it does not and where no other choice helps, at a singular position.
"""

from typing import NamedTuple

import numpy as np

from mbsim.contracts import (
    BESIDE_TIME,
    COUNT_FACTORISATIONS,
    DEPENDENT_CONSTRAINTS,
    NOT_FINITE,
    OK,
    SETTING_TOLERANCE,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_RANK,
)
from mbsim.jit import Compiled, helper
from mbsim.kernels.linalg import copy, negate
from mbsim.kernels.ranks import CONSISTENT as OF_ROWS
from mbsim.saddle.evaluation import fail
from mbsim.saddle.joints import choice as _choice  # `joints/choice.py` first: the longest to compile
from mbsim.saddle.joints.choice import FIRST, LARGEST, RANK, WEAK, WEAKEST, WORKSPACE, chosen, dependency, keep_all, solved, violated
from mbsim.saddle.joints.factor import forward
from mbsim.saddle.joints.factor import shortest as shortest_of_many
from mbsim.saddle.joints.independent import is_poor, shortest
from mbsim.saddle.joints.planar import CLOSE, WEAKER
from mbsim.saddle.joints.weighed_rows import subtract_rows
from mbsim.singular.passing import CLOSE_BY, STAYS, counts_again, damp, is_lower, keep, lands, note_rank, rank_within, restore_last

CONSISTENT = 10.0 * OF_ROWS  # of the largest entry of the right side: by how much a dependent row may be missed. Redundant rows are
# missed by the drift that is left (1e-10), rows that contradict each other by about 1.


class Equations(NamedTuple):
    """The equations of the method, as helpers; what was evaluated last is in `work`."""

    sweep: Compiled  # (arrays, work, dz): all of them at once, of planar bodies and independent rows; what the pivots show
    eliminate: Compiled  # (arrays, work): S and its factors, work.lam = L^-1 of the right side; -1, or a bad row
    find_forces: Compiled  # (work): work.lam and own.u = W^-1 v_dot
    find_accelerations: Compiled  # (arrays, work, dz): v_dot


class Place(NamedTuple):
    """The state at which the equations are evaluated."""

    t: float
    q: np.ndarray  # (n_q,)
    v: np.ndarray  # (n,)
    attempt: int  # 0: the state itself; 1: one beside it, or none where `is_open` is False
    is_open: bool


@helper
def first_place(work, t, z):
    """The state itself."""
    n = work.v.shape[0]
    return Place(t, z[n : z.shape[0] - 1], z[:n], 0, True)


@helper
def next_place(work, place, fresh, code, weakest):
    """Note what a solution shows; the state beside it where its rank is lower than before, else none."""
    own = WORKSPACE(work)
    first = place.attempt == 0
    beside = first and fresh and code in (OK, DEPENDENT_CONSTRAINTS) and is_lower(work, own)
    if first and (code in (OK, STAYS) or beside):
        note_rank(work, own, fresh, weakest, code == STAYS)
    elif code == OK:
        work.status[STATUS_RANK] = int(own.choice[RANK])
    if not beside:
        return Place(place.t, place.q, place.v, 1, False)
    return Place(work.beside[BESIDE_TIME], work.beside_q, work.beside_v, 1, True)


@helper
def keep_found(work, fresh, code, dz):
    """Keep v_dot in dz and work.lam, or bring the last ones back where a stage lands on a singular position; OK, or why there are none."""
    own = WORKSPACE(work)
    if code == STAYS:
        restore_last(work, own, dz)
    elif code != OK:
        return code
    keep(work, own, fresh, dz)
    return OK


@helper
def is_fresh(work):
    """Whether the state was accepted, so that the rank is found."""
    return work.status[STATUS_FRESH] == 1


@helper
def choose(arrays, work, first, fresh):
    """Choose the rows that are left out: OK, STAYS, or why not. Within a step redundant rows look independent: not more than before."""
    own, m = WORKSPACE(work), work.lam.shape[0]
    choice = own.choice
    held, limit = (0, -1) if fresh or choice[FIRST] == 0.0 else rank_within(own)
    rank = chosen(arrays, work, m, limit)
    if 0 <= rank < held and lands(own, rank, held):
        return STAYS
    if rank < held:
        choice[FIRST] = 0.0
        return fail(work, NOT_FINITE if rank < 0 else DEPENDENT_CONSTRAINTS, first - (1 + rank if rank < 0 else 0))
    choice[RANK] = float(rank)
    return OK


@helper
def solve_held(equations, arrays, work, first, fresh, afresh, dz):
    """v_dot in dz, and work.lam, for what was evaluated last; returns OK or why there is none, and the weakest pivot as far as it is known.

    `fresh`: the state was accepted, so that the rank is found; `afresh`: with another choice of rows. `first` is the index of row 0.
    """
    plan, own = work.plan, WORKSPACE(work)
    Y, S, E, u = own.Y, own.S, own.E, own.u
    y, inverse, lengths, choice = own.y, own.inverse, own.lengths, own.choice
    lam, dropped = work.lam, own.dropped
    m = lam.shape[0]
    work.counts[COUNT_FACTORISATIONS] += 1
    anew = afresh or choice[FIRST] == 0.0 or counts_again(own)
    if anew or choice[RANK] == m:
        shown = equations.sweep(arrays, work, dz)
        if shown != WEAKER:
            if anew:
                keep_all(choice, dropped, m)
            return OK, CLOSE_BY if shown == CLOSE else 1.0
    for _ in range(2):
        if anew:
            code = choose(arrays, work, first, fresh)
            if code != OK:
                return code, 0.0
        bad = equations.eliminate(arrays, work)
        weakest, largest = choice[WEAKEST], max(1.0, choice[LARGEST])
        rank = int(choice[RANK])
        if anew:
            choice[FIRST] = max(weakest, _choice.TINY)
        if bad >= 0 and (anew or not lengths[bad] < 1e300):
            return fail(work, DEPENDENT_CONSTRAINTS if lengths[bad] < 1e300 else NOT_FINITE, first + bad), 0.0
        if not anew and (bad >= 0 or (fresh and is_poor(weakest, bad, rank, m, choice[FIRST]))):
            anew = True
            continue
        equations.find_forces(work)
        missed = -1
        if weakest < WEAK or (fresh and rank < m):
            negate(work.eta, y)
            subtract_rows(plan, Y, E, u, y)
            if fresh and rank < m:  # what is left out has to follow from the others
                missed = violated(dropped, y, max(CONSISTENT, 100.0 * work.settings[SETTING_TOLERANCE]) * largest)
            if weakest < WEAK:
                forward(plan, S, inverse, y)
                solved(work, y, u)
                for i in range(m):
                    lam[i] += y[i]
        if missed < 0:
            break
        if anew:
            work.status[STATUS_INDEX] = missed if lengths[missed] < 1e300 else first + missed
            return DEPENDENT_CONSTRAINTS if lengths[missed] < 1e300 else NOT_FINITE, weakest
        anew = True
    damp(arrays, work, own, weakest)
    equations.find_accelerations(arrays, work, dz)
    return OK, weakest


@helper
def shorten(work):
    """work.lam <- the shortest multipliers with the same C' lam, where rows are left out."""
    own, m = WORKSPACE(work), work.lam.shape[0]
    if work.status[STATUS_RANK] == m:
        return
    y, spare = own.y, own.spare
    if m - work.status[STATUS_RANK] > spare.shape[0]:
        shortest_of_many(work.plan, own.S, own.inverse, work.lam, work.levers, own.asked, own.d, y)
        return
    count = 0
    for i in range(m):
        if own.dropped[i] == 1:
            dependency(work, i, y, own.u)
            copy(y, spare[count], 0)
            count += 1
    shortest(spare, count, work.lam, work.levers)
