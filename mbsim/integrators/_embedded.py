"""Marching with an embedded pair of explicit Runge-Kutta formulas and error control, shared by rk45 and dop853.

The tableau has s stages, the derivative at the end of the step as stage s (B is row s of A) and, where the interpolant needs them, further
ones. The estimated error e of a step is measured against w_j = atol s_j + rtol max(|z_j|, |z_j at the end|):

    err = |h| e5^2 / sqrt((e5^2 + 0.01 e3^2) n),   e5 = norm of (K' E_0) / w, e3 = norm of (K' E_1) / w

which is the root mean square of h K' E_0 / w if E_1 = 0. A step with err > 1 is repeated. The next step is 0.9 err^(-1/q) times as long,
within bounds (Hairer, Norsett & Wanner 1993, sections II.4 and II.10). A trial that cannot be evaluated, or cannot be moved back onto the
constraints, is rejected like an inaccurate one: a long step may leave the domain of the equations.

Output does not shorten the steps: rows inside a step are interpolated by the weights sum_k P_ik x^k, x = (t - t_n) / h, and moved onto the
position constraints, and onto the velocity constraints where the method integrates v. A step ends on the last output time of a call; the
length it would have had is remembered.

Small steps cannot pass a position where branches of the motion meet: the nearer a stage comes to it, the worse the equations are
conditioned, and the error of ever shorter steps grows. A step goes over it with its stages apart from it (`_leaps`). Where the position is
not found and steps shrink below LEAP of path, one step of that length is tried. If it ends on the other side (`singular/orientation.py`)
and the driver finds that branches meet there, it is taken whatever its estimated error.

The last stage is the first of the next step, unless the state was moved meanwhile or the method checks its rank, which must be found with q
on the constraints.
"""

from math import sqrt

import numpy as np

from mbsim.contracts import (
    CLOCK_BLAMED,
    CLOCK_REASON,
    CLOCK_REJECTED,
    CLOCK_ROWS,
    CLOCK_TIME,
    COUNT_EVALUATIONS,
    COUNT_REJECTED,
    COUNT_STEPS,
    CROSSED,
    EVENT_NONE,
    EVENT_TARGET,
    LOCATE_TARGET,
    LOCATE_TIME,
    MARCH_TABLEAU,
    NOT_FINITE,
    OK,
    PAUSED,
    SETTING_EVENT,
    SETTING_INDEPENDENT,
    STATUS_CHANGED,
    STATUS_CODE,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_PAUSE,
    STEP_TOO_SMALL,
    STOPPED,
    WATCH_ASKED,
    WATCH_DUE,
    WATCH_LEAPS,
    WATCH_MEETS,
    WATCH_PASSES,
    WATCH_SPAN,
    WATCH_TIME,
    WATCH_WAY,
    integrator_settings,
)
from mbsim.integrators._accept import finish, place, show
from mbsim.integrators._corners import NONE, PASSES, TURNS, begin, evaluate, is_narrow, keep, seen
from mbsim.integrators._leaps import asks, length, lets_pass, waits
from mbsim.integrators._seek import ends_at_event, seek
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.kernels.linalg import copy

SCRATCH = 4  # rows as long as z that `march` needs: what is known (see NEXT), start, end, between; the stages follow
NEXT, EVALUATED, USUAL = 0, 1, 2  # the next step; whether the first stage is known; the usual step
OPTIONS = {
    "rtol": {"help": "relative tolerance of the error of a step", "default": 1e-6, "above": 1e-14},
    "atol": {
        "help": "absolute tolerance of the error of a step: rad, links of the mechanism, and these per s",
        "default": 1e-8,
        "above": 0.0,
    },
    "max_step": {"help": "longest step in s; no limit when not given", "default": None, "above": 0.0},
    "first_step": {"help": "first step in s; chosen from the tolerance when not given", "default": None, "above": 0.0},
}
RTOL, ATOL, MAX_STEP, FIRST_STEP = integrator_settings(OPTIONS, "rtol", "atol", "max_step", "first_step")
SAFETY, SHORTEST, LONGEST = 0.9, 0.2, 10.0  # as in Hairer's codes: the next step aims at 0.9^q of the tolerance, within these factors
# rad, arms of the mechanism: way of a step through a singular position; how far from the last such trial, of it, the next one is
LEAP, APART = 1e-3, 0.25
FADES = 0.7  # of the usual step, where steps are shorter
TINY = 1e-15  # of the time: steps below it no longer change t


@helper
def stages(first, last, A, c, method, system, arrays, work, t, h, start, y, K):
    """K[first] ... K[last - 1] of the step h from `start` at t. y holds the argument of the last stage. Returns OK or why one failed."""
    for i in range(first, last):
        for j in range(y.shape[0]):
            s = 0.0
            for k in range(i):
                s += A[i, k] * K[k, j]
            y[j] = start[j] + h * s
        code = method.rhs(system, arrays, work, t + c[i] * h, y, K[i])
        if code != OK:
            return code
    return OK


@helper
def error(E, h, rtol, atol, independent, start, end, K, work):
    """The estimated error of the step over the tolerance; STATUS_INDEX becomes the component with the largest share.

    If the method integrates its own speeds, these have no names, and a coordinate is named.
    """
    n, first = start.shape[0], work.v.shape[0] if independent else 0
    e5, e3, largest = 0.0, 0.0, -1.0
    for j in range(n):
        a, b = 0.0, 0.0
        for i in range(E.shape[1]):
            a += E[0, i] * K[i, j]
            b += E[1, i] * K[i, j]
        w = atol * work.state_scales[j] + rtol * max(abs(start[j]), abs(end[j]))
        a, b = abs(a) / w, b / w
        e5 += a * a
        e3 += b * b
        if j >= first and a > largest:
            largest = a
            work.status[STATUS_INDEX] = j
    if e5 == 0.0:
        return 0.0
    return abs(h) * e5 / sqrt((e5 + 0.01 * e3) * n)


@helper
def not_finite(z, work):
    """Whether an entry of z is not finite. STATUS_INDEX becomes the first such entry."""
    for j in range(z.shape[0]):
        if not np.isfinite(z[j]):
            work.status[STATUS_INDEX] = j
            return True
    return False


@helper
def first_step(exponent, rtol, atol, span, method, system, arrays, work, t, z, f, y, g):
    """A first step such that an explicit Euler step is about a hundredth of the tolerance (HNW 1993, II.4). f = f(t, z); y, g: scratch."""
    n = z.shape[0]
    d0, d1, d2 = 0.0, 0.0, 0.0
    for j in range(n):
        w = atol * work.state_scales[j] + rtol * abs(z[j])
        d0 += (z[j] / w) ** 2
        d1 += (f[j] / w) ** 2
    d0, d1 = sqrt(d0 / n), sqrt(d1 / n)
    still = d0 < 1e-5 or span * d1 < 1e-5
    unit = span if still else d0 / d1  # of time: rates are compared with their states in it
    h = min(1e-6 * span if still else 0.01 * unit, span)
    for j in range(n):
        y[j] = z[j] + h * f[j]
    if method.rhs(system, arrays, work, t + h, y, g) != OK:
        return h
    for j in range(n):
        d2 += ((g[j] - f[j]) / (atol * work.state_scales[j] + rtol * abs(z[j]))) ** 2
    d2 = sqrt(d2 / n) / h
    most = max(unit * d1, unit * unit * d2)
    if not most < 1e300:
        return h
    then = max(1e-6 * span, h * 1e-3) if most <= 1e-15 else unit * (0.01 / most) ** exponent
    return min(100.0 * h, then, span)


@helper
def leap(s, A, c, method, system, arrays, work, t, least, usual, start, end, K):
    """The length of a step from `start` at t that ends beyond a position where rows are dependent; 0 if none does.

    It is tried if it is longer than `least`, the step that the error requires, and shorter than the `usual` step. If it ends beyond, the
    state there is in work.row, and work.watch[WATCH_LEAPS] is t.
    """
    watch, n = work.watch, work.v.shape[0]
    if work.orientation.unit.shape[0] == 0 or t <= watch[WATCH_PASSES]:
        return 0.0
    v, fastest = work.v if work.settings[SETTING_INDEPENDENT] != 0.0 else start[:n], 0.0
    for j in range(n):
        fastest = max(fastest, abs(v[j]) / work.scales[j])
    h = LEAP / fastest if fastest > 0.0 else np.inf
    if not least < h < usual or t - watch[WATCH_LEAPS] < APART * h:
        return 0.0
    watch[WATCH_LEAPS] = t
    if stages(1, s + 1, A, c, method, system, arrays, work, t, h, start, end, K) != OK:
        return 0.0
    way, due = watch[WATCH_WAY], watch[WATCH_DUE]
    watch[WATCH_TIME], watch[WATCH_SPAN], watch[WATCH_ASKED], watch[WATCH_DUE] = t, h, 1.0, 0.0
    code = method.watch(system, arrays, work, t + h, end[n : end.shape[0] - 1], v)
    watch[WATCH_ASKED], watch[WATCH_WAY], watch[WATCH_DUE] = 0.0, way, due
    return h if code == CROSSED else 0.0


@helper
def plain(take, formula, nodes, A, c, s, method, system, arrays, work, t, h, start, end, K):
    """The stages of a step, whose first is known, by the rates of the method."""
    return stages(1, s + 1, A, c, method, system, arrays, work, t, h, start, end, K)


@helper
def look(held, at):
    """Look for events at a time within a step, by a shorter one (`_seek`)."""
    method, advance, take, formula, nodes, A, c, s, system, arrays, work, t, start, end, K = held
    code = OK
    if at > t:
        code = advance(take, formula, nodes, A, c, s, method, system, arrays, work, t, at - t, start, end, K)
    else:
        copy(start, end, 0)
    if code == OK:
        code = show(method, system, arrays, work, at, end)
    return code


@helper
def fill(advance, take, formula, nodes, A, c, E, P, exponent, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """The work of `march`, with steps by `advance`, which is `plain` or has its arguments."""
    rhs, expand = method.rhs, method.expand
    known, start, end, between, K = scratch[0], scratch[1], scratch[2], scratch[3], scratch[SCRATCH:]
    rtol, atol, longest = work.settings[RTOL], work.settings[ATOL], work.settings[MAX_STEP]
    independent = work.settings[SETTING_INDEPENDENT] != 0.0
    s, count = E.shape[1] - 1, rows.shape[0]
    row, t = int(clock[CLOCK_ROWS]), clock[CLOCK_TIME]
    anew = known[EVALUATED] == 0.0
    if anew:
        code = rhs(system, arrays, work, t, z, K[0])
        if code != OK:
            work.status[STATUS_CODE] = code
            return row
        known[EVALUATED] = 1.0
    locates, n = work.corners.shape[0] > 0, work.v.shape[0]
    q_end = n + work.beside_q.shape[0]  # where the coordinates and states in z end
    if locates and work.locating[LOCATE_TIME] != t:
        code = OK if anew else rhs(system, arrays, work, t, z, K[0])
        if code != OK:
            work.status[STATUS_CODE] = code
            return row
        begin(system, arrays, work, t, z[n:q_end], K[0, n:q_end])
    if known[NEXT] == 0.0:
        known[NEXT] = work.settings[FIRST_STEP]
        if np.isnan(known[NEXT]):
            known[NEXT] = first_step(exponent, rtol, atol, times[count] - t, method, system, arrays, work, t, z, K[0], end, K[1])
    copy(z, start, 0)
    # why the last trial of this step could not be evaluated
    reason, blamed, rejected = int(clock[CLOCK_REASON]), int(clock[CLOCK_BLAMED]), clock[CLOCK_REJECTED] != 0.0
    watches = work.settings[SETTING_EVENT] != EVENT_NONE
    while row < count:
        if work.counts[COUNT_EVALUATIONS] >= work.status[STATUS_PAUSE]:
            clock[CLOCK_REASON], clock[CLOCK_BLAMED], clock[CLOCK_REJECTED] = reason, blamed, 1.0 if rejected else 0.0
            work.status[STATUS_CODE] = PAUSED
            return row
        if waits(work, t):
            known[EVALUATED], work.status[STATUS_CODE] = 0.0, CROSSED
            return row
        h = known[NEXT]
        if work.watch[WATCH_MEETS] > t:
            h = length(c, s, work, t, h, min(known[USUAL], longest) if longest > 0.0 else known[USUAL])
        h = min(h, longest) if longest > 0.0 else h  # NaN: no limit
        over = t < work.watch[WATCH_MEETS] < t + h
        clipped = t + 1.01 * h >= times[count]
        h = times[count] - t if clipped else h
        after = times[count] if clipped else t + h
        target = work.locating[LOCATE_TARGET] if locates else t
        if t < target < after:
            h, after, clipped = target - t, target, False
        ends = False  # at events
        if watches:
            after = ends_at_event(work, t, after)
            ends = after == work.event[EVENT_TARGET]
            if ends:
                h, clipped = after - t, True
        leaps = over and not clipped and after > work.watch[WATCH_MEETS]
        code = advance(take, formula, nodes, A, c, s, method, system, arrays, work, t, h, start, end, K)
        if code == OK and (not_finite(end, work) or not_finite(K[s], work)):
            code = NOT_FINITE
        err = 0.0
        if code == OK:
            err = error(E, h, rtol, atol, independent, start, end, K, work)
            if t == work.watch[WATCH_LEAPS] and after <= work.watch[WATCH_PASSES]:
                err = min(err, 1.0)
            if leaps:
                err = lets_pass(work, after, err, rtol)
            if ends:  # a part of a step that was within the tolerance
                err = min(err, 1.0)
        found = NONE
        if locates and code == OK:
            evaluate(system, arrays, work, after, end[n:q_end], K[s, n:q_end])
            found = seen(work, after, known[NEXT])
            narrow = is_narrow(work, after, h)
            if found == PASSES and narrow:
                err = min(err, 1.0)
            elif found == PASSES or (found == TURNS and err <= 1.0):
                work.counts[COUNT_REJECTED] += 1
                continue
        reached = row  # rows that the step fills
        if code == OK and err <= 1.0:
            if row < count and times[row + 1] < after:
                code = stages(s + 1, c.shape[0], A, c, method, system, arrays, work, t, h, start, between, K)
            while code == OK and reached < count and times[reached + 1] < after:
                at = times[reached + 1]
                x = (at - t) / h
                copy(start, between, 0)
                for i in range(P.shape[0]):
                    b = 0.0
                    for k in range(P.shape[1] - 1, -1, -1):
                        b = (b + P[i, k]) * x
                    for j in range(z.shape[0]):
                        between[j] += h * b * K[i, j]
                code = place(method, system, arrays, work, at, between, rows[reached])
                reached += 1
            if code == OK and reached > row:  # the method's hook must find the state that a step without output leaves
                code = rhs(system, arrays, work, after, end, K[s])
            if code == OK:
                steps = work.counts[COUNT_STEPS]
                copy(end, z, 0)
                code = finish(method, system, arrays, work, after, z)
                if code > OK:
                    work.counts[COUNT_STEPS] = steps
                    copy(start, z, 0)
                    if code == STOPPED:
                        held = method, advance, take, formula, nodes, A, c, s, system, arrays, work, t, start, end, K
                        if seek(look, held, work, t, after) == OK and work.event[EVENT_TARGET] != t:
                            continue
                    if code in (STOPPED, CROSSED):
                        work.status[STATUS_CODE] = code
                        known[EVALUATED] = 1.0 if code == STOPPED else 0.0  # the driver may move z
                        return row
                    # an evaluation where it is known to be possible undoes what the hook has begun
                    bad = work.status[STATUS_INDEX]
                    rhs(system, arrays, work, t, start, K[0])
                    work.status[STATUS_INDEX] = bad
        if code > OK or err > 1.0:
            work.counts[COUNT_REJECTED] += 1
            rejected = True
            if code > OK:
                reason, blamed = code, work.status[STATUS_INDEX]
            known[NEXT] = h * (SHORTEST if code > OK else max(SHORTEST, SAFETY * err**-exponent))
            if over:
                work.watch[WATCH_MEETS] = -np.inf
            if known[NEXT] < TINY * max(abs(t), abs(times[count])):
                work.status[STATUS_CODE] = STEP_TOO_SMALL
                if reason != OK:
                    work.status[STATUS_CODE] = reason
                    work.status[STATUS_INDEX] = blamed
                return row
            if asks(work, t, h, known[NEXT], known[USUAL]):
                known[EVALUATED], work.status[STATUS_CODE] = 0.0, CROSSED
                return row
            hop = leap(s, A, c, method, system, arrays, work, t, known[NEXT], known[USUAL], start, end, K)
            if hop > 0.0:
                known[NEXT] = hop
                work.status[STATUS_CODE] = CROSSED
                return row
            continue
        longer = LONGEST if err == 0.0 else min(LONGEST, SAFETY * err**-exponent)
        if rejected:
            longer = min(longer, 1.0)
        fades = 1.0 if work.watch[WATCH_MEETS] > t else FADES
        known[NEXT], known[USUAL] = max(h * longer, known[NEXT]) if clipped else h * longer, max(h, fades * known[USUAL])
        t = after
        clock[CLOCK_TIME] = t
        if locates:
            usual = keep(work, t, found)
            if usual > 0.0:
                known[NEXT] = usual
        moved = work.status[STATUS_CHANGED] != 0 or work.status[STATUS_FRESH] != 0
        for j in range(z.shape[0]):
            moved = moved or z[j] != end[j]
        copy(z, start, 0)
        copy(K[s], K[0], 0)
        if moved:
            code = rhs(system, arrays, work, t, z, K[0])
        row = reached
        if code <= OK and row < count and times[row + 1] <= t:
            code = expand(rhs, system, arrays, work, t, z, rows[row])
            row += 1 if code == OK else 0
        if code > OK:
            work.status[STATUS_CODE] = code
            return row
        if ends:
            code = expand(rhs, system, arrays, work, t, z, work.row)
            work.status[STATUS_CODE] = STOPPED if code == OK else code
            return row
        reason, rejected = OK, False
    return count


@kernel(MARCH_TABLEAU)
def march(A, c, E, P, exponent, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """Fill rows[i] at times[i + 1] from z at clock[0]; z and the clock end at the last accepted step. Returns the rows filled."""
    kept = flush_subnormals()
    filled = fill(plain, 0, 0, 0, A, c, E, P, exponent, method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled
