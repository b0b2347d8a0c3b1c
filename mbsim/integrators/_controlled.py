"""Marching with error control by methods that make their own steps and estimate their error (`rtol` in their OPTIONS).

A method's `step` leaves the state that it led to in scratch[0] and its estimated error over the tolerance in the first place of scratch[1],
and takes no step (COARSE) where that is above 1. The next step is 0.9 err^(-1/3) times as long, for methods of order 2, within bounds; it
is kept where that hardly changes it, since a method with a memory likes equal steps. A step that does not converge, or cannot be evaluated
or projected, is tried shorter.

Steps end on output times: an interpolant of the accelerations of stiff motions would show what the method has damped. They end on corners
of laws, too (`_corners`); the accelerations jump there, so that a method with a memory begins anew behind one, by a short step.
"""

import numpy as np

from mbsim.contracts import (
    CLOCK_BLAMED,
    CLOCK_REASON,
    CLOCK_ROWS,
    CLOCK_TIME,
    COARSE,
    COUNT_EVALUATIONS,
    COUNT_REJECTED,
    COUNT_STEPS,
    CROSSED,
    EVENT_NONE,
    EVENT_TARGET,
    LOCATE_TARGET,
    LOCATE_TIME,
    MARCH_STEPS,
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
)
from mbsim.integrators._accept import finish, show
from mbsim.integrators._corners import NONE, PASSES, TURNS, begin, evaluate, is_narrow, keep, seen
from mbsim.integrators._seek import ends_at_event, seek
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.kernels.linalg import copy

SCRATCH = 2  # rows as long as z that `march` needs: the next step, the start of a step; those of the method's step follow
FIRST = 1e-3  # of the time between output rows: the first step
SAFETY, SHORTEST, LONGEST, FAILED = 0.9, 0.2, 3.0, 0.25  # FAILED: after a step that could not be taken
KEPT_FROM, KEPT_TO = 1.0, 1.3  # factors that leave the step as it is
RESTART = 0.05  # of the usual step: the first one behind a corner
TINY = 1e-15  # of the time: steps below it no longer change t


@helper
def look(held, at):
    """Look for events at a time within a step, by a shorter one (`_seek`). Its error is not looked at: it is a part of a step that was."""
    method, take, system, arrays, work, t, start, z, own = held
    copy(start, z, 0)
    work.status[STATUS_CHANGED], work.status[STATUS_FRESH] = 1, 0
    code = OK
    if at > t:
        code = take(method, system, arrays, work, t, at - t, z, own)
        if code == COARSE and own[1, 0] < np.inf:
            copy(own[0], z, 0)
            code = OK
    if code == OK:
        code = show(method, system, arrays, work, at, z)
    return code


@helper
def fill(take, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """What `march` does."""
    known, start, own = scratch[0], scratch[1], scratch[2:]
    count, row, t = rows.shape[0], int(clock[CLOCK_ROWS]), clock[CLOCK_TIME]
    reason, blamed = int(clock[CLOCK_REASON]), int(clock[CLOCK_BLAMED])  # why the last trial of this step failed
    if known[0] == 0.0:
        known[0] = FIRST * (times[count] - times[0]) / count
    locates, n = work.corners.shape[0] > 0, work.v.shape[0]
    q_end = n + work.beside_q.shape[0]  # where the coordinates and states in z end
    if locates and work.locating[LOCATE_TIME] != t:
        code = method.rhs(system, arrays, work, t, z, own[0])
        if code != OK:
            work.status[STATUS_CODE] = code
            return row
        begin(system, arrays, work, t, z[n:q_end], own[0, n:q_end])
    watches = work.settings[SETTING_EVENT] != EVENT_NONE
    while row < count:
        if work.counts[COUNT_EVALUATIONS] >= work.status[STATUS_PAUSE]:
            clock[CLOCK_REASON], clock[CLOCK_BLAMED] = reason, blamed
            work.status[STATUS_CODE] = PAUSED
            return row
        left = times[row + 1] - t
        parts = np.ceil(left / known[0] - 1e-9) if known[0] < left else 1.0
        h = left / parts
        after = times[row + 1] if parts == 1.0 else t + h
        if locates and t < work.locating[LOCATE_TARGET] < after:
            after = work.locating[LOCATE_TARGET]
            h = after - t
        ends = False  # at events
        if watches:
            after = ends_at_event(work, t, after)
            ends = after == work.event[EVENT_TARGET]
            h = after - t if ends else h
        reaches = after == times[row + 1]
        copy(z, start, 0)
        own[1, 0] = np.inf
        last = work.counts[COUNT_STEPS]
        code = take(method, system, arrays, work, t, h, z, own)
        error = own[1, 0]
        refused = code == COARSE
        if code == OK:
            for j in range(z.shape[0] - 1, -1, -1):
                if not np.isfinite(z[j]):
                    code, work.status[STATUS_INDEX] = NOT_FINITE, j
        found = NONE
        if locates and (code == OK or (refused and error < np.inf)):
            failed = method.rhs(system, arrays, work, after, own[0], own[1])
            if failed == OK:
                evaluate(system, arrays, work, after, own[0, n:q_end], own[1, n:q_end])
                found = seen(work, after, known[0])
                if (found == PASSES and not is_narrow(work, after, h)) or (found == TURNS and not refused):
                    copy(start, z, 0)
                    work.counts[COUNT_STEPS] = last
                    work.counts[COUNT_REJECTED] += 1
                    continue
            elif not refused:
                code = failed
        if code == OK:
            code = finish(method, system, arrays, work, after, z)
            if code > OK:
                work.status[STATUS_CHANGED] = 1  # the memory of the method is that of the end of this step
        if code > OK:
            copy(start, z, 0)
            work.counts[COUNT_STEPS] = last
            if code == STOPPED:
                failed = seek(look, look, (method, take, system, arrays, work, t, start, z, own), work, t, after)
                copy(start, z, 0)
                work.status[STATUS_CHANGED], work.status[STATUS_FRESH] = 1, 0
                if failed == OK and work.event[EVENT_TARGET] != t:
                    continue
            if code in (STOPPED, CROSSED):
                work.status[STATUS_CODE] = code
                return row
            work.counts[COUNT_REJECTED] += 1
            if not refused:
                reason, blamed = code, work.status[STATUS_INDEX]
                work.status[STATUS_CHANGED], work.status[STATUS_FRESH] = 1, 0
            known[0] = h * (max(SHORTEST, SAFETY * error ** (-1.0 / 3.0)) if refused else FAILED)
            if known[0] < TINY * max(abs(t), abs(times[count])):
                work.status[STATUS_CODE] = STEP_TOO_SMALL
                if reason != OK:
                    work.status[STATUS_CODE], work.status[STATUS_INDEX] = reason, blamed
                return row
            continue
        longer = LONGEST if error == 0.0 else min(LONGEST, SAFETY * error ** (-1.0 / 3.0))
        if not KEPT_FROM <= longer <= KEPT_TO:
            known[0] = max(h * longer, known[0] if (reaches or ends) and longer > 1.0 else 0.0)
        reason = OK
        t = after
        clock[CLOCK_TIME] = t
        if locates:
            usual = keep(work, t, found)
            if usual > 0.0:
                known[0] = usual
            if found == PASSES:
                known[0] *= RESTART
                work.status[STATUS_CHANGED] = 1
        if reaches:
            code = method.expand(method.rhs, system, arrays, work, t, z, rows[row])
            if code != OK:
                work.status[STATUS_CODE] = code
                return row
            row += 1
        if ends:
            code = method.expand(method.rhs, system, arrays, work, t, z, work.row)
            work.status[STATUS_CODE] = STOPPED if code == OK else code
            return row
    return count


@kernel(MARCH_STEPS)
def march(take, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """Fill rows[i] at times[i + 1] from z at clock[0]; z and the clock end at the last accepted step. Returns the rows filled."""
    kept = flush_subnormals()
    filled = fill(take, method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled
