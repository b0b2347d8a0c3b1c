"""Block elimination of the multipliers over bodies and joints, O(N) for trees: the constraint force algorithm in absolute coordinates.

    (C M^-1 C') lam = -(eta + C M^-1 h),   v_dot = M^-1 (h + C' lam),   z = [v; q; W]

The forces between the bodies come first and the motion from them, as in Liu, Hu & Zhang 2016. Joints that share a body are coupled, so
the matrix has the graph of the joints; it is factored in an order without fill for trees (`mbsim.saddle.joints`), and neither M nor C is
formed. Which rows are left out because they depend on others is chosen at the start, over all rows (`joints/independent.py`), and anew
where the choice has become poor. After each accepted step whose drift was corrected, a row that is left out must follow from the others:
the run ends where it does not and where no other choice helps, at a singular position.

Systems without bodies have no such graph; theirs are the dense equations of `lagrange`. docs/methods/cfa.md.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.contracts import (
    BESIDE_PIVOT,
    BESIDE_TIME,
    COUNT_CORRECTIONS,
    COUNT_FACTORISATIONS,
    DEPENDENT_CONSTRAINTS,
    DRIFT_FULL,
    DRIFT_NONE,
    DRIFT_REMAINS,
    EXPAND,
    NOT_FINITE,
    OK,
    PROJECT,
    RHS,
    SETTING_DRIFT,
    SETTING_RHEONOMIC,
    SETTING_TOLERANCE,
    SINGULAR_MASS,
    START,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_NEAR,
    STATUS_RANK,
    WATCH_ASKED,
    WATCH_SPAN,
)
from mbsim.jit import helper, kernel
from mbsim.kernels.iteration import largest_part
from mbsim.kernels.linalg import clear, copy, negate
from mbsim.kernels.ranks import CONSISTENT as OF_ROWS
from mbsim.methods import lagrange
from mbsim.methods._elimination import OPTIONS, refuse_parts
from mbsim.methods.papers.dissection import in_parts
from mbsim.saddle.evaluation import driving_power, evaluate, fail, fill_row
from mbsim.saddle.joints import choice as _choice  # `joints/choice.py` first: the longest to compile
from mbsim.saddle.joints.choice import (
    FIRST,
    LARGEST,
    RANK,
    WEAK,
    WEAKEST,
    WORKSPACE,
    chosen,
    dependency,
    factored,
    keep_all,
    nearest,
    solved,
    sweep,
    violated,
)
from mbsim.saddle.joints.columns import BODY_SPEEDS, EQUATIONS, ROOTS
from mbsim.saddle.joints.factor import forward
from mbsim.saddle.joints.factor import shortest as shortest_of_many
from mbsim.saddle.joints.independent import is_poor, shortest
from mbsim.saddle.joints.planar import CLOSE, WEAKER
from mbsim.saddle.joints.weighed_rows import (
    add_rates,
    inverse_roots,
    squared,
    subtract_rows,
    unweigh,
    weigh_forces,
)
from mbsim.saddle.order import leaves_first
from mbsim.singular import projection
from mbsim.singular.correction import LEAST, judge_correction
from mbsim.singular.passing import CLOSE_BY, STAYS, counts_again, damp, is_lower, keep, lands, note_rank, rank_within, restore_last
from mbsim.singular.projection import CORRECTIONS, ROUND_OFF, pace
from mbsim.system.structure import joint_table, loop_rows
from mbsim.system.system import System
from mbsim.system.work import Space, dense

CONSISTENT = 10.0 * OF_ROWS  # of the largest entry of the right side: by how much a dependent row may be missed. Redundant rows are
# missed by the drift that is left (1e-10), rows that contradict each other by about 1.
SPARE = 4_000_000  # numbers at most in the vectors of the rows that are put off; rows come in the order of the elimination beyond
PASSES = 2  # of the velocity projection, which is linear: the second takes off the round-off of the first

__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start"]

accept = lagrange.accept
_dense_rhs, _dense_project = lagrange.rhs, projection.project

CROSSES = True  # singular positions: reads Work.beside
SOURCE = {
    "paper": "Liu, Hu & Zhang 2016",
    "equations": "(22)-(29), eliminated from the leaves to the base",
    "by": {"elimination": {"dense": "(22)-(29), the general form", "odd_even": "(39)-(44), with both terms of D in (40)"}},
}
KERNELS = [("bare tree", "_cfa_trees"), ("no tree", "cfa")]


def plan(system: System, options: Mapping[str, Any]) -> Space:
    """Sizes of the work arrays and the table of the elimination. Raises ValueError where one body has too many joints."""
    word, asked = options.get("elimination", "leaf_to_root"), float(options.get("parts", 2))
    if system.in_joint_coordinates:
        raise ValueError(f"cfa: elimination '{word}' is for absolute coordinates; leave out `coordinates: joint`")
    if word not in ("leaf_to_root", "nested_dissection"):
        raise ValueError(f"cfa: elimination '{word}' is for trees in joint coordinates; add `coordinates: joint`")
    refuse_parts(options)
    if asked != int(asked):
        raise ValueError(f"cfa: parts: expected a whole number (got {asked:g})")
    n, m, n_b = system.n_v, system.n_rows, len(system.bodies)
    if system.dimension is None:
        return dense(lagrange.WORKSPACE)
    found = joint_table(system, leaves_first if word == "leaf_to_root" else in_parts(int(asked)))
    b, equations = int(found.table[0, BODY_SPEEDS]), int(found.table[0, EQUATIONS])
    planar = b == 3 and equations == 0
    loops = loop_rows(system)
    spare = min(m, loops + 6, SPARE // max(n + b, m, 1))
    sizes = {"b": b, "bodies": n_b, "roots": b if b == 3 else ROOTS, "places": found.places, "equations": equations}
    sizes |= {"planar": n_b + 1 if planar else 0, "spare": spare, "width": max(n + b, m)}
    sizes |= {"loops": min(loops, 1), "held": m if loops else 0}
    return Space(WORKSPACE, sizes, found.table, False, equations > 0)


@helper
def finish_rates(system, arrays, work, t, q, v, dz):
    """The places of dz that follow v_dot: q_dot and the power of the non-conservative and driving forces."""
    n, end = v.shape[0], dz.shape[0] - 1
    system.rates(arrays, t, q, v, dz[n:end])
    dz[end] = driving_power(work, work.lam) if work.settings[SETTING_RHEONOMIC] != 0.0 else work.power[0]


@helper
def solution(arrays, work, first, fresh, afresh, dz):
    """v_dot in dz, and work.lam, for what was evaluated last; returns OK or why there is none, and the weakest pivot as far as it is known.

    `fresh`: the state was accepted, so that the rank is found; `afresh`: with another choice of rows. `first` is the index of row 0.
    """
    plan, own = work.plan, WORKSPACE(work)
    Y, W, S, E, u = own.Y, own.W, own.S, own.E, own.u
    y, inverse, lengths, choice = own.y, own.inverse, own.lengths, own.choice
    lam, eta, dropped = work.lam, work.eta, own.dropped
    m, n_b, b = lam.shape[0], arrays.masses.shape[0], plan[0, BODY_SPEEDS]
    work.counts[COUNT_FACTORISATIONS] += 1
    anew = afresh or choice[FIRST] == 0.0 or counts_again(own)
    if anew or choice[RANK] == m:
        negate(eta, lam)
        shown = sweep(arrays, work, work.h, lam, dz)
        if shown != WEAKER:
            if anew:
                keep_all(choice, dropped, m)
            return OK, CLOSE_BY if shown == CLOSE else 1.0
    for _ in range(2):
        if anew:  # within a step, redundant rows look independent: not more rows than before
            held, limit = (0, -1) if fresh or choice[FIRST] == 0.0 else rank_within(own)
            rank = chosen(arrays, work, m, limit)
            if 0 <= rank < held and lands(own, rank, held):
                return STAYS, 0.0
            if rank < held:
                choice[FIRST] = 0.0
                return fail(work, NOT_FINITE if rank < 0 else DEPENDENT_CONSTRAINTS, first - (1 + rank if rank < 0 else 0)), 0.0
            choice[RANK] = float(rank)
        negate(eta, lam)
        weigh_forces(W, b, n_b, work.h, u)
        bad = factored(arrays, work, m, 0.0, dropped, lam)
        weakest, largest = choice[WEAKEST], max(1.0, choice[LARGEST])
        rank = int(choice[RANK])
        if anew:
            choice[FIRST] = max(weakest, _choice.TINY)
        if bad >= 0 and (anew or not lengths[bad] < 1e300):
            return fail(work, DEPENDENT_CONSTRAINTS if lengths[bad] < 1e300 else NOT_FINITE, first + bad), 0.0
        if not anew and (bad >= 0 or (fresh and is_poor(weakest, bad, rank, m, choice[FIRST]))):
            anew = True
            continue
        solved(work, lam, u)
        missed = -1
        if weakest < WEAK or (fresh and rank < m):
            negate(eta, y)
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
    unweigh(W, b, n_b, u, dz)
    return OK, weakest


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    n, end, status = work.v.shape[0], z.shape[0] - 1, work.status
    if work.plan[0, BODY_SPEEDS] == 0:
        return _dense_rhs(system, arrays, work, t, z, dz)
    own, fresh = WORKSPACE(work), status[STATUS_FRESH] == 1
    at, v, q = t, z[:n], z[n:end]
    for attempt in range(2):
        evaluate(system, arrays, work, at, q, v)
        code, weakest = solution(arrays, work, z.shape[0], fresh, attempt == 1, dz)
        beside = attempt == 0 and fresh and code in (OK, DEPENDENT_CONSTRAINTS) and is_lower(work, own)
        if attempt == 0 and (code in (OK, STAYS) or beside):
            note_rank(work, own, fresh, weakest, code == STAYS)
        elif code == OK:
            status[STATUS_RANK] = int(own.choice[RANK])
        if not beside:
            break
        at, q, v = work.beside[BESIDE_TIME], work.beside_q, work.beside_v
    if code == STAYS:
        restore_last(work, own, dz)
    elif code != OK:
        return code
    keep(work, own, fresh, dz)
    finish_rates(system, arrays, work, t, z[n:end], z[:n], dz)
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    n, m, plan = work.v.shape[0], work.lam.shape[0], work.plan
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code == OK and plan[0, BODY_SPEEDS] > 0 and work.status[STATUS_RANK] < m:
        own = WORKSPACE(work)
        S, y, inverse, spare = own.S, own.y, own.inverse, own.spare
        count = m - work.status[STATUS_RANK]
        if count <= spare.shape[0]:
            count = 0
            for i in range(m):
                if own.dropped[i] == 1:
                    dependency(work, i, y, own.u)
                    copy(y, spare[count], 0)
                    count += 1
            shortest(spare, count, work.lam)
        else:
            shortest_of_many(plan, S, inverse, work.lam, own.asked, own.d, y)
    copy(z[:n], work.v, 0)
    copy(row[:n], work.a, 0)
    fill_row(z, work, row)
    return code


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    copy(v, z, 0)
    work.status[STATUS_FRESH] = 1
    b = work.plan[0, BODY_SPEEDS]
    if b == 0:
        return OK
    own = WORKSPACE(work)
    clear(own.choice)  # no rows are chosen yet
    clear(own.choice_phi)
    clear(own.before)
    bad = inverse_roots(arrays.masses, b, own.W)
    work.status[STATUS_INDEX] = bad
    return OK if bad < 0 else SINGULAR_MASS


@helper
def restore(system, arrays, work, t, q, v):
    """Like `projection.restore`, by blocks."""
    plan = work.plan
    own = WORKSPACE(work)
    y, d, J = own.y, own.d, arrays.jacobian
    tolerance = work.settings[SETTING_TOLERANCE]
    rows, m, n, n_b = work.phi.shape[0], work.lam.shape[0], work.v.shape[0], arrays.masses.shape[0]
    moved = 0.0
    if work.settings[SETTING_DRIFT] == DRIFT_NONE:
        return OK, moved
    near, sigma = work.status[STATUS_NEAR] != 0, work.beside[BESIDE_PIVOT]
    goal, least = tolerance, 0.0
    if near:  # a residual c lets the motion turn off where sigma < sqrt(c), see `projection`: c / sigma^2 is held to the tolerance
        goal, least = min(tolerance, max(ROUND_OFF, tolerance * sigma * sigma)), _choice.FOLDED
    iteration, before = 0 if rows > 0 else CORRECTIONS + 1, np.inf
    while iteration <= CORRECTIONS:
        system.residual(arrays, t, q, work.phi)
        worst, at = largest_part(work.phi, work.row_scales)
        if worst <= goal or (worst <= tolerance and (worst > 0.5 * before or iteration == CORRECTIONS)):
            break
        if not np.isfinite(worst):
            return fail(work, NOT_FINITE, q.shape[0] + n + 1 + at), moved
        work.status[STATUS_INDEX] = at
        if iteration == CORRECTIONS:
            return DRIFT_REMAINS, moved
        system.constraints(arrays, t, q, work.C, work.xi)
        clear(y)
        negate(work.phi, y)
        stuck = worst > 0.5 * before  # a row that is left out may be independent after all
        before = worst
        least = 0.0 if stuck else least
        bad = nearest(arrays, work, rows, 1 if stuck else 0, least)
        if bad >= 0:
            return fail(work, NOT_FINITE, q.shape[0] + n + 1 + bad), moved
        moved += squared(arrays.masses, d)
        system.move(arrays, q, d)
        work.counts[COUNT_CORRECTIONS] += 1
        iteration += 1
    if work.settings[SETTING_DRIFT] < DRIFT_FULL or v.shape[0] == 0 or m == 0:
        return OK, moved
    system.constraints(arrays, t, q, work.C, work.xi)
    if near:  # it is an error of the velocity of c / sigma
        goal = min(tolerance, max(ROUND_OFF, tolerance * sigma))
    for _ in range(PASSES):
        copy(work.xi, y, 0)
        add_rates(plan, J, work.C, n_b, v, y)
        negate(y, y)
        if largest_part(y, work.row_scales)[0] <= goal * pace(work, v):
            break
        bad = nearest(arrays, work, m, 0, _choice.FOLDED if near else 0.0)
        if bad >= 0:
            return fail(work, NOT_FINITE, q.shape[0] + n + 1 + bad), moved
        for j in range(n):
            v[j] += d[j]
    return OK, moved


@kernel(PROJECT)
def project(system, arrays, work, t, q, v):
    """Move q onto phi(t, q) = 0 and, unless v is empty, v onto C v + xi = 0, like `projection.project`, by blocks."""
    if work.plan[0, BODY_SPEEDS] == 0:
        return _dense_project(system, arrays, work, t, q, v)
    asked = work.watch[WATCH_ASKED]
    work.watch[WATCH_ASKED] = 0.0
    code, moved = restore(system, arrays, work, t, q, v)
    if code == OK and asked != 0.0 and moved > 0.0:
        d = work.displacement
        for j in range(d.shape[0]):
            d[j] = LEAST * work.settings[SETTING_TOLERANCE] * work.scales[j]
        code = judge_correction(work, t, work.watch[WATCH_SPAN], squared(arrays.masses, v), squared(arrays.masses, d), moved)
    return code


# What the assembly and the rank of large systems ask for, from Python (mbsim.diagnosis.blocks).


@kernel(START)
def displacement(system, arrays, work, t, q, b, d):
    """d (n,) <- the smallest displacement in the M norm with C d = b on the first rows, as many as b has; dependent rows left out."""
    own = WORKSPACE(work)
    system.constraints(arrays, t, q, work.C, work.xi)
    clear(own.y)
    copy(b, own.y, 0)
    bad = nearest(arrays, work, b.shape[0], 1, 0.0)
    copy(own.d, d, 0)
    work.status[STATUS_INDEX] = bad
    return OK if bad < 0 else NOT_FINITE


@kernel(START)
def velocity_residual(system, arrays, work, t, q, v, out):
    """out (m,) <- C v + xi."""
    system.constraints(arrays, t, q, work.C, work.xi)
    copy(work.xi, out, 0)
    add_rates(work.plan, arrays.jacobian, work.C, arrays.masses.shape[0], v, out)
    return OK


@kernel(PROJECT)
def combination(system, arrays, work, t, q, x):
    """x (m,), 1 in one of the rows that `displacement` of all rows left out, becomes the combination of rows of C that is zero."""
    own = WORKSPACE(work)
    for i in range(x.shape[0]):
        if x[i] != 0.0:
            dependency(work, i, own.y, own.u)
            copy(own.y, x, 0)
            break
    return OK
