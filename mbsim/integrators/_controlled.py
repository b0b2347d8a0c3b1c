"""Marching with error control by methods that make their own steps and estimate their error (`rtol` in their OPTIONS).

A method's `step` leaves its estimated error over the tolerance in the first place of scratch[1], and takes no step (COARSE) where that is
above 1. The next step is 0.9 err^(-1/3) times as long, for methods of order 2, within bounds; it is kept where that hardly changes it,
since a method with a memory likes equal steps. A step that does not converge, or cannot be evaluated or projected, is tried shorter.

Steps end on output times: an interpolant of the accelerations of stiff motions would show what the method has damped.
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
    MARCH_STEPS,
    NOT_FINITE,
    OK,
    PAUSED,
    STATUS_CHANGED,
    STATUS_CODE,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_PAUSE,
    STEP_TOO_SMALL,
    STOPPED,
)
from mbsim.integrators._accept import finish
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.kernels.linalg import copy

SCRATCH = 2  # rows as long as z that `march` needs: the next step, the start of a step; those of the method's step follow
FIRST = 1e-3  # of the time between output rows: the first step
SAFETY, SHORTEST, LONGEST, FAILED = 0.9, 0.2, 3.0, 0.25  # FAILED: after a step that could not be taken
KEPT_FROM, KEPT_TO = 1.0, 1.3  # factors that leave the step as it is
TINY = 1e-15  # of the time: steps below it no longer change t


@helper
def fill(take, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """What `march` does."""
    known, start, own = scratch[0], scratch[1], scratch[2:]
    count, row, t = rows.shape[0], int(clock[CLOCK_ROWS]), clock[CLOCK_TIME]
    reason, blamed = int(clock[CLOCK_REASON]), int(clock[CLOCK_BLAMED])  # why the last trial of this step failed
    if known[0] == 0.0:
        known[0] = FIRST * (times[count] - times[0]) / count
    while row < count:
        if work.counts[COUNT_EVALUATIONS] >= work.status[STATUS_PAUSE]:
            clock[CLOCK_REASON], clock[CLOCK_BLAMED] = reason, blamed
            work.status[STATUS_CODE] = PAUSED
            return row
        left = times[row + 1] - t
        parts = np.ceil(left / known[0] - 1e-9) if known[0] < left else 1.0
        h = left / parts
        after = times[row + 1] if parts == 1.0 else t + h
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
        if code == OK:
            code = finish(method, system, arrays, work, after, z)
            if code > OK:
                work.status[STATUS_CHANGED] = 1  # the memory of the method is that of the end of this step
        if code > OK:
            copy(start, z, 0)
            work.counts[COUNT_STEPS] = last
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
            known[0] = max(h * longer, known[0] if parts == 1.0 and longer > 1.0 else 0.0)
        reason = OK
        t = after
        clock[CLOCK_TIME] = t
        if parts == 1.0:
            code = method.expand(method.rhs, system, arrays, work, t, z, rows[row])
            if code != OK:
                work.status[STATUS_CODE] = code
                return row
            row += 1
    return count


@kernel(MARCH_STEPS)
def march(take, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """Fill rows[i] at times[i + 1] from z at clock[0]; z and the clock end at the last accepted step. Returns the rows filled."""
    kept = flush_subnormals()
    filled = fill(take, method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled
