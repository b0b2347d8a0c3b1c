"""Marching with error control by trials of steps, whatever the formula: a `Way` tries, measures and interpolates them.

A step with an estimated error above 1 is repeated. The next step is as long as the formula says, by its order and the error, within bounds
(Hairer, Norsett & Wanner 1993, II.4). A trial that cannot be evaluated, or cannot be moved back onto the constraints, is rejected like an
inaccurate one: a long step may leave the domain of the equations.

Output does not shorten the steps: rows inside a step are interpolated, and moved onto the position constraints, and onto the velocity
constraints where the method integrates v. A step ends on the last output time of a call; the length it would have had is remembered.
"""

from math import sqrt
from typing import NamedTuple

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
    EVENT_GLANCED,
    EVENT_NONE,
    EVENT_TARGET,
    LOCATE_TARGET,
    LOCATE_TIME,
    NO_CONVERGENCE,
    NOT_FINITE,
    OK,
    PAUSED,
    SETTING_EVENT,
    STATUS_CHANGED,
    STATUS_CODE,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_PAUSE,
    STEP_TOO_SMALL,
    STOPPED,
    WATCH_LEAPS,
    WATCH_MEETS,
    WATCH_PASSES,
    integrator_settings,
)
from mbsim.integrators._accept import finish, show
from mbsim.integrators._corners import NONE, PASSES, TURNS, begin, evaluate, is_narrow, keep, seen
from mbsim.integrators._leaps import asks, length, lets_pass, waits
from mbsim.integrators._seek import ends_at_event, seek
from mbsim.integrators._seek import evaluate as see_events
from mbsim.jit import Compiled, helper
from mbsim.kernels.linalg import copy

SCRATCH = 4  # rows as long as z that `fill` needs: what is known (see NEXT), start, end, between; those of z_dot follow
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
FADES = 0.7  # of the usual step, where steps are shorter
TINY = 1e-15  # of the time: steps below it no longer change t


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


class Way(NamedTuple):
    """How steps are tried, measured and interpolated. K holds z_dot: its first row at the start of a step, the row `last` at its end.

    Corners and events are looked at with what the last evaluation has left. So after `measure` this is the one at `end`.
    """

    advance: Compiled  # (formula, method, system, arrays, work, t, h, start, end, K): `end`; a code
    measure: Compiled  # the same arguments: a code, and the estimated error over the tolerance; K[last] is then known, too
    prepare: Compiled  # likewise, with a row of scratch for `end`: what interpolation needs; a code
    interpolate: Compiled  # (formula, work, x, h, start, K, between): z at the part x of the step
    lengthen: Compiled  # (formula, h, err, exponent): how many times as long the step after one that is taken is
    shorten: Compiled  # (formula, err, exponent): likewise after one that is not
    forget: Compiled  # (formula): what is kept of the last steps, whose laws were others
    place: Compiled  # (formula, method, system, arrays, work, at, t, h, start, between, row): an interpolated z to its output row; a code
    refine: Compiled  # (formula, method, system, arrays, work, t, h, z, row): the accelerations of the row at the end of a step
    settle: Compiled  # (formula, method, system, arrays, work, t, h, start, end, z): z, moved from `end`; whether it was changed
    leap: Compiled  # (formula, method, system, arrays, work, t, least, usual, start, end, K): see `leap`
    arrives: Compiled  # (formula): whether the last trial has found its end; else `end` is its start, and its error no number to go by


@helper
def look(held, at):
    """Look for events at a time within a step, by a shorter one (`_seek`)."""
    method, way, formula, system, arrays, work, t, _, start, end, _, K = held
    work.event[EVENT_GLANCED] = 0.0
    code = OK
    if at > t:
        code = way.advance(formula, method, system, arrays, work, t, at - t, start, end, K)
    else:
        copy(start, end, 0)
    if code == OK and at > t and not way.arrives(formula):
        code = NO_CONVERGENCE  # then the driver searches, by marches that may take several steps
    if code == OK:
        code = show(method, system, arrays, work, at, end)
    return code


@helper
def glance(held, at):
    """Look for events at a time within a step by what interpolates it: one evaluation, where a shorter step takes as many as stages."""
    method, way, formula, system, arrays, work, t, h, start, end, between, K = held
    if work.event[EVENT_GLANCED] == 0.0:
        code, err = way.advance(formula, method, system, arrays, work, t, h, start, end, K), 0.0
        if code == OK:
            code, err = way.measure(formula, method, system, arrays, work, t, h, start, end, K)
        if code == OK and not (err <= 1.0 and way.arrives(formula)):
            code = NO_CONVERGENCE
        if code == OK:
            code = way.prepare(formula, method, system, arrays, work, t, h, start, between, K)
        if code != OK:
            return code
        work.event[EVENT_GLANCED] = 1.0
    way.interpolate(formula, work, (at - t) / h, h, start, K, between)
    code = way.place(formula, method, system, arrays, work, at, t, h, start, between, work.row)
    if code == OK:
        see_events(system, arrays, work, at, work.row)
    return code


@helper
def ahead(way, formula, method, system, arrays, work, t, after, whole, start, end, between, K, times, row, rows):
    """Fill rows before events at `after` from the trial over `whole` within which these were found; returns how many.

    Near the end of a slip its direction is round-off, and so is z_dot at the end of a step that ends there: rows between would show it.
    Beyond, the direction is known again (`forces/_push.py`).
    """
    count, filled = rows.shape[0], 0
    if not (row < count and times[row + 1] < after < t + whole):
        return 0
    code, err = way.advance(formula, method, system, arrays, work, t, whole, start, end, K), 0.0
    if code == OK and not not_finite(end, work):
        code, err = way.measure(formula, method, system, arrays, work, t, whole, start, end, K)
        if code == OK and err <= 1.0 and way.arrives(formula):
            code = way.prepare(formula, method, system, arrays, work, t, whole, start, between, K)
            while code == OK and row + filled < count and times[row + filled + 1] < after:
                at = times[row + filled + 1]
                way.interpolate(formula, work, (at - t) / whole, whole, start, K, between)
                code = way.place(formula, method, system, arrays, work, at, t, whole, start, between, rows[row + filled])
                filled += 1 if code == OK else 0
    return filled


@helper
def fill(way, formula, c, last, exponent, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """The work of `march`, with steps of a way. c (s,): the places of the stages."""
    rhs, expand = method.rhs, method.expand
    known, start, end, between, K = scratch[0], scratch[1], scratch[2], scratch[3], scratch[SCRATCH:]
    rtol, atol, longest = work.settings[RTOL], work.settings[ATOL], work.settings[MAX_STEP]
    s, count = last, rows.shape[0]
    row, t = int(clock[CLOCK_ROWS]), clock[CLOCK_TIME]
    anew = known[EVALUATED] == 0.0
    if anew:
        way.forget(formula)
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
            h = length(c, c.shape[0] - 1, work, t, h, min(known[USUAL], longest) if longest > 0.0 else known[USUAL])
        h = min(h, longest) if longest > 0.0 else h  # NaN: no limit
        over = t < work.watch[WATCH_MEETS] < t + h
        clipped = t + 1.01 * h >= times[count]
        h = times[count] - t if clipped else h
        after = times[count] if clipped else t + h
        target = work.locating[LOCATE_TARGET] if locates else t
        if t < target < after:
            h, after, clipped = target - t, target, False
        ends, early = False, 0  # at events; rows that are known before the trial
        if watches:
            whole, after = h, ends_at_event(work, t, after)
            ends = after == work.event[EVENT_TARGET]
            if ends:
                h, clipped = after - t, True
                early = ahead(way, formula, method, system, arrays, work, t, after, whole, start, end, between, K, times, row, rows)
        leaps = over and not clipped and after > work.watch[WATCH_MEETS]
        code = way.advance(formula, method, system, arrays, work, t, h, start, end, K)
        if code == OK and not_finite(end, work):
            code = NOT_FINITE
        err = 0.0
        if code == OK:
            code, err = way.measure(formula, method, system, arrays, work, t, h, start, end, K)
        if code == OK and not_finite(K[s], work):
            code = NOT_FINITE
        arrives = code == OK and way.arrives(formula)
        if arrives:
            if t == work.watch[WATCH_LEAPS] and after <= work.watch[WATCH_PASSES]:
                err = min(err, 1.0)
            if leaps:
                err = lets_pass(work, after, err, rtol)
            if ends:  # a part of a step that was within the tolerance
                err = min(err, 1.0)
        found = NONE
        if locates and arrives:
            evaluate(system, arrays, work, after, end[n:q_end], K[s, n:q_end])
            found = seen(work, after, known[NEXT])
            narrow = is_narrow(work, after, h)
            if found == PASSES and narrow:
                err = min(err, 1.0)
            elif found == PASSES or (found == TURNS and err <= 1.0):
                work.counts[COUNT_REJECTED] += 1
                continue
        reached = row + early  # rows that the step fills
        if code == OK and err <= 1.0:
            if reached < count and times[reached + 1] < after:
                code = way.prepare(formula, method, system, arrays, work, t, h, start, between, K)
            while code == OK and reached < count and times[reached + 1] < after:
                at = times[reached + 1]
                way.interpolate(formula, work, (at - t) / h, h, start, K, between)
                code = way.place(formula, method, system, arrays, work, at, t, h, start, between, rows[reached])
                reached += 1
            if code == OK and reached > row:  # the method's hook must find the state that a step without output leaves
                code = rhs(system, arrays, work, after, end, K[s])
                if locates and code == OK:
                    evaluate(system, arrays, work, after, end[n:q_end], K[s, n:q_end])
            if code == OK:
                steps = work.counts[COUNT_STEPS]
                copy(end, z, 0)
                code = finish(method, system, arrays, work, after, z)
                if code > OK:
                    work.counts[COUNT_STEPS] = steps
                    copy(start, z, 0)
                    if code == STOPPED:
                        held = method, way, formula, system, arrays, work, t, h, start, end, between, K
                        if seek(look, glance, held, work, t, after) == OK and work.event[EVENT_TARGET] != t:
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
            known[NEXT] = h * (SHORTEST if code > OK else way.shorten(formula, err, exponent))
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
            hop = way.leap(formula, method, system, arrays, work, t, known[NEXT], known[USUAL], start, end, K)
            if hop > 0.0:
                known[NEXT] = hop
                work.status[STATUS_CODE] = CROSSED
                return row
            continue
        longer = way.lengthen(formula, h, err, exponent)
        if rejected:
            longer = min(longer, 1.0)
        fades = 1.0 if work.watch[WATCH_MEETS] > t else FADES
        known[NEXT], known[USUAL] = max(h * longer, known[NEXT]) if clipped else h * longer, max(h, fades * known[USUAL])
        usual = keep(work, after, found) if locates else 0.0  # before the end is settled, which asks for the cases there
        if code == OK:
            way.settle(formula, method, system, arrays, work, t, h, start, end, z)
        t = after
        clock[CLOCK_TIME] = t
        if locates:
            if usual > 0.0:
                known[NEXT] = usual
            if found == PASSES:
                way.forget(formula)
        moved = work.status[STATUS_CHANGED] != 0 or work.status[STATUS_FRESH] != 0
        if work.status[STATUS_CHANGED] != 0:
            way.forget(formula)
        for j in range(z.shape[0]):
            moved = moved or z[j] != end[j]
        copy(z, start, 0)
        copy(K[s], K[0], 0)
        if moved:
            code = rhs(system, arrays, work, t, z, K[0])
        row = reached
        if code <= OK and row < count and times[row + 1] <= t:
            code = expand(rhs, system, arrays, work, t, z, rows[row])
            if code == OK:
                way.refine(formula, method, system, arrays, work, t, h, z, rows[row])
                row += 1
        if code > OK:
            work.status[STATUS_CODE] = code
            return row
        if ends:
            code = expand(rhs, system, arrays, work, t, z, work.row)
            work.status[STATUS_CODE] = STOPPED if code == OK else code
            return row
        reason, rejected = OK, False
    return count
