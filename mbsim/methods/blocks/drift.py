"""The projection of bodies in absolute coordinates onto their constraints, like `_project`, by blocks of joints."""

import numpy as np

from mbsim.contracts import (
    BESIDE_PIVOT,
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
    WATCH_ASKED,
    WATCH_SPAN,
)
from mbsim.jit import helper, kernel
from mbsim.kernels.iteration import largest_part
from mbsim.kernels.linalg import clear, copy, negate
from mbsim.saddle.evaluation import fail
from mbsim.saddle.joints.choice import FOLDED, WORKSPACE, nearest
from mbsim.saddle.joints.weighed_rows import add_rates, squared
from mbsim.saddle.lines import speeds_of_body
from mbsim.singular import projection as _project
from mbsim.singular.correction import NEVER_COUNTS, judge_correction
from mbsim.singular.projection import CORRECTIONS, EXACT, find_goal, pace

_dense_project = _project.project
PASSES = 2  # of the velocity projection, which is linear: the second takes off the round-off of the first


@helper
def restore(system, arrays, work, t, q, v):
    """Like `_project.restore`, by blocks."""
    plan = work.plan
    own = WORKSPACE(work)
    y, d, J = own.y, own.d, arrays.jacobian
    tolerance = work.settings[SETTING_TOLERANCE]
    rows, m, n, n_b = work.phi.shape[0], work.lam.shape[0], work.v.shape[0], arrays.masses.shape[0]
    moved = 0.0
    if work.settings[SETTING_DRIFT] == DRIFT_NONE:
        return OK, moved
    near, sigma = work.status[STATUS_NEAR] != 0, work.beside[BESIDE_PIVOT]
    goal, least = find_goal(work), 0.0
    if near:  # a residual c lets the motion turn off where sigma < sqrt(c), see `_project`: c / sigma^2 is held to the tolerance
        goal, least = min(tolerance, max(EXACT, tolerance * sigma * sigma)), FOLDED
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
        goal = min(tolerance, max(EXACT, tolerance * sigma))
    for _ in range(PASSES):
        copy(work.xi, y, 0)
        add_rates(plan, J, work.C, n_b, v, y)
        negate(y, y)
        if largest_part(y, work.row_scales)[0] <= goal * pace(work, v):
            break
        bad = nearest(arrays, work, m, 0, FOLDED if near else 0.0)
        if bad >= 0:
            return fail(work, NOT_FINITE, q.shape[0] + n + 1 + bad), moved
        for j in range(n):
            v[j] += d[j]
    return OK, moved


@kernel(PROJECT)
def project(system, arrays, work, t, q, v):
    """Move q onto phi(t, q) = 0 and, unless v is empty, v onto C v + xi = 0, like `_project.project`, by blocks."""
    if speeds_of_body(work.plan) == 0:
        return _dense_project(system, arrays, work, t, q, v)
    asked = work.watch[WATCH_ASKED]
    work.watch[WATCH_ASKED] = 0.0
    code, moved = restore(system, arrays, work, t, q, v)
    if code == OK and asked != 0.0 and moved > 0.0:
        d = work.displacement
        for j in range(d.shape[0]):
            d[j] = NEVER_COUNTS * work.settings[SETTING_TOLERANCE] * work.scales[j]
        code = judge_correction(work, t, work.watch[WATCH_SPAN], squared(arrays.masses, v), squared(arrays.masses, d), moved)
    return code
