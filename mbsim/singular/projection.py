"""Projection on the constraints after an accepted step, shared by the methods. Mass-weighted: the smallest change in the M norm.

Position: M d = -C_phi' (C_phi M^-1 C_phi')^-1 phi, Newton to a tolerance (Shui & Zhang 1996, eq. 4.10); velocity likewise with
C v + xi. The mass matrix is the one of the last evaluation: as a weight it need not be newer.

Where an integrator asks for it (WATCH_ASKED), the step that led to q is held against the correction: `singular/correction.py`.

Close to a singular position (STATUS_NEAR) a residual c of phi does not stand for a displacement c but for c / sigma, sigma the weakest
pivot, and the motion on phi = c turns off into another branch where sigma < sqrt(c). There both residuals are taken to round-off,
and directions weaker than FOLDED are left to the next step: they would be decided by the error of this one.
"""

import numpy as np

from mbsim.contracts import (
    COUNT_CORRECTIONS,
    DRIFT_FULL,
    DRIFT_NONE,
    DRIFT_REMAINS,
    NOT_FINITE,
    OK,
    PROJECT,
    SETTING_DRIFT,
    SETTING_TOLERANCE,
    STATUS_INDEX,
    STATUS_NEAR,
    STATUS_RANK,
    WATCH_ASKED,
    WATCH_SPAN,
)
from mbsim.jit import Workspace, helper, indices, kernel, matrix, vector
from mbsim.kernels.gauss import gauss_factor, gauss_solve
from mbsim.kernels.iteration import largest_part
from mbsim.kernels.linalg import clear, multiply_mass, negate
from mbsim.kernels.ranks import FOLDED, RANK_TOLERANCE
from mbsim.saddle.evaluation import blame, fail, violations
from mbsim.singular.correction import NEVER_COUNTS, judge_correction
from mbsim.singular.held_rows import held_positions

CORRECTIONS = 12  # Newton is quadratic: a step that needs more has lost the constraint
EXACT = 1e-15  # residual at which nothing is left to correct, links or rad
REDUNDANT = 0.01 * RANK_TOLERANCE  # likewise, the largest that is left where rows depend on others: farther off they count as others
PROJECTION = Workspace(  # the factors of C L^-T = D G Q (`mbsim.kernels.gauss`) and what is solved with them; nothing in it lasts
    "projection",
    L=matrix("n", "n"),  # of M = L L'
    Q=matrix("m", "n"),  # orthonormal rows
    G=matrix("m", "m"),  # coefficients
    scale=vector("m"),  # D: lengths of the rows
    order=indices("m"),  # the rows as picked
    b=vector("m"),  # right side, in the order of the rows
    w=vector("m"),  # what `gauss_multipliers` takes
    d=vector("n"),  # the correction
)


@helper
def factor(arrays, work, own, rows, limit, kept):
    """Factor M and the first `rows` rows of C in the work; returns as `gauss_factor`. `own` is a PROJECTION, or begins with one.

    The first `kept` of own.order are picked before others.
    """
    return gauss_factor(work.M, work.C, rows, arrays.row_shares, work.skyline, limit, own.L, own.Q, own.G, own.scale, own.order, kept)


@helper
def solve(work, own, rank, y):
    """y (n,) holds h on entry and on return what is nearest to M^-1 h with C y = b."""
    gauss_solve(rank, work.skyline, own.L, own.Q, own.G, own.scale, own.order, own.b, y, own.w)


@helper
def correction(arrays, work, own, rows, weakest, kept):
    """Find own.d, the smallest displacement with C d = b on the first rows, without pivots below `weakest`; return as `factor`.

    Where `kept` is not 0, on so many rows of own.order only.
    """
    clear(own.d)
    rank, bad = factor(arrays, work, own, rows, kept if kept > 0 else -1, kept)
    if rank >= 0:
        rank = trim_rank(rank, own.G, own.order, max(weakest, RANK_TOLERANCE))
        solve(work, own, rank, own.d)
    return rank, bad


@helper
def trim_rank(rank, G, order, weakest):
    """Return how many of the `rank` picked rows have a pivot of `weakest` or more; they come in the order of their pivots."""
    while rank > 0 and G[order[rank - 1], rank - 1] < weakest:
        rank -= 1
    return rank


@helper
def count_rank(work, own, rank, bad, first):
    """Return what `choose_rows` asks of a factorisation: the rank without dependent rows, the weakest pivot, a code.

    `rank` and `bad` as `factor` returns them; `first`: the index of row 0.
    """
    if rank < 0:
        return rank, 1.0, blame(work, rank, bad, first)
    rank = trim_rank(rank, own.G, own.order, RANK_TOLERANCE)
    return rank, own.G[own.order[rank - 1], rank - 1] if rank > 0 else 1.0, OK


@helper
def pace(work, v):
    """Return the largest speed in links and radians a second: residuals of velocities count in parts of it."""
    fastest = 0.0
    for j in range(v.shape[0]):
        fastest = max(fastest, abs(v[j]) / work.scales[j])
    return fastest


@helper
def find_goal(work):
    """Return the residual (links, rad) that positions are corrected to, far from singular positions."""
    tolerance = work.settings[SETTING_TOLERANCE]
    return min(tolerance, REDUNDANT) if work.status[STATUS_RANK] < work.lam.shape[0] else tolerance


@helper
def lengths(arrays, work, q, v, least):
    """Return the squares in the metric of M of v, and of the displacement that is `least` (links, rad) in every place."""
    x, fast, far = work.displacement, 0.0, 0.0
    multiply_mass(work.M, work.skyline, v, x)
    for j in range(x.shape[0]):
        fast += x[j] * v[j]
        far += work.M[j, j] * (least * work.scales[j]) ** 2
    return fast, far


@helper
def restore(system, arrays, work, own, t, q, v, correct):
    """Do to q and v what `project` does; return a code and the square in the metric of M of the correction of q.

    `correct` is `correction`, or does the same for a form of M of another kind; it uses b, d and w of `own`.
    """
    tolerance = work.settings[SETTING_TOLERANCE]
    rows = work.phi.shape[0]
    m, n = work.C.shape
    moved = 0.0
    if work.settings[SETTING_DRIFT] == DRIFT_NONE:
        return OK, moved
    near = work.status[STATUS_NEAR] != 0
    goal = min(EXACT, tolerance) if near else find_goal(work)
    weakest, before, anew = FOLDED if near else 0.0, np.inf, False
    iteration = 0 if rows > 0 else CORRECTIONS + 1
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
        if worst > 0.5 * before:  # the weak directions, or rows that are not held, are needed after all
            weakest, anew = 0.0, True
        before = worst
        system.constraints(arrays, t, q, work.C, work.xi)
        negate(work.phi, own.b)
        rank, bad = correct(arrays, work, own, rows, weakest, 0 if anew else held_positions(work, rows, own.order))
        if rank < 0:
            return blame(work, rank, bad, q.shape[0] + n + 1), moved
        for i in range(rank):
            moved += own.w[i] * own.w[i]
        system.move(arrays, q, own.d)
        work.counts[COUNT_CORRECTIONS] += 1
        iteration += 1
    if work.settings[SETTING_DRIFT] < DRIFT_FULL or v.shape[0] == 0 or m == 0:
        return OK, moved
    system.constraints(arrays, t, q, work.C, work.xi)
    violations(work, v, own.b)
    if largest_part(own.b, work.row_scales)[0] <= goal * pace(work, v):
        return OK, moved
    rank, bad = correct(arrays, work, own, m, FOLDED if near else 0.0, 0)
    if rank < 0:
        return blame(work, rank, bad, q.shape[0] + n + 1), moved
    for j in range(n):
        v[j] += own.d[j]
    return OK, moved


@helper
def project_with(system, arrays, work, own, t, q, v, correct, measure):
    """Do as `project` with the means of a form of M: `correct` as `correction`, `measure` as `lengths`."""
    asked = work.watch[WATCH_ASKED]
    work.watch[WATCH_ASKED] = 0.0
    code, moved = restore(system, arrays, work, own, t, q, v, correct)
    if code == OK and asked != 0.0 and moved > 0.0:
        speeds = v if v.shape[0] > 0 else work.v
        fast, far = measure(arrays, work, q, speeds, NEVER_COUNTS * work.settings[SETTING_TOLERANCE])
        code = judge_correction(work, t, work.watch[WATCH_SPAN], fast, far, moved)
    return code


@kernel(PROJECT)
def project(system, arrays, work, t, q, v):
    """Move q onto phi(t, q) = 0 and, unless v is empty, v onto C v + xi = 0; returns OK, or why not, with STATUS_INDEX set."""
    if work.xi.shape[0] == 0:  # a method that takes no rows has no arrays of a projection
        work.watch[WATCH_ASKED] = 0.0
        return OK
    return project_with(system, arrays, work, PROJECTION(work), t, q, v, correction, lengths)
