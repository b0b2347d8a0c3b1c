"""Marching by steps of equal size, shared by the integrators and methods that only define one step (`step`).

Between two output times the steps are equal and no longer than requested. If output times lie closer together than the step, one step
covers several of them: the rows in between are interpolated (cubic Hermite, of order 4 like the integrators) and moved onto the position
constraints, and onto the velocity constraints where the method integrates v itself. A step that fails is not taken: z stays at the last
accepted state. A step over an event is looked at (`_seek`), and ends there, the march with it, if the event acts. If the march pauses
between two steps, the clock stores its position.

A step after which the correction of the constraints is too large (COARSE), or fails, is taken in halves, and these in halves again if
needed, down to 1/FINEST of it. Each output time begins with whole steps: the numbers are the same whether a march is called for many
output times or for one after the other.
"""

from math import ceil

import numpy as np

from mbsim.contracts import (
    CLOCK_NARROW,
    CLOCK_PART,
    CLOCK_PARTS,
    CLOCK_ROWS,
    CLOCK_STEPS,
    CLOCK_TIME,
    COARSE,
    COUNT_EVALUATIONS,
    COUNT_REJECTED,
    COUNT_STEPS,
    DRIFT_REMAINS,
    EVENT_NONE,
    EVENT_TARGET,
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
    STOPPED,
    WATCH_SHARE,
)
from mbsim.integrators._accept import finish, place, show
from mbsim.integrators._seek import ends_at_event, seek
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.kernels.linalg import copy

FINEST = 2**16  # parts of a step
EASY = 1e-3  # of what the projection may correct, squared: a step of twice the length, of order 4, is within it too
SCRATCH = 4  # rows as long as z that `march` needs; those of the step follow


@helper
def plain(take, formula, nodes, method, system, arrays, work, t, dt, z, scratch):
    """A step by a kernel of contract STEP, which has no formula."""
    return take(method, system, arrays, work, t, dt, z, scratch)


@helper
def look(held, at):
    """Look for events at a time within a step, by a shorter one (`_seek`)."""
    method, advance, take, formula, nodes, system, arrays, work, t, start, z, scratch = held
    copy(start, z, 0)
    work.status[STATUS_CHANGED], work.status[STATUS_FRESH] = 1, 0  # the rank of this state is known
    code = OK
    if at > t:
        code = advance(take, formula, nodes, method, system, arrays, work, t, at - t, z, scratch)
    if code == OK:
        code = show(method, system, arrays, work, at, z)
    return code


@helper
def fill(advance, take, formula, nodes, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """What `march` does, with steps by `advance`, which is `plain` or has its arguments."""
    rhs, expand = method.rhs, method.expand
    start, before, end_rates, between = scratch[0], scratch[1], scratch[2], scratch[3]
    count, row, i, part = rows.shape[0], int(clock[CLOCK_ROWS]), int(clock[CLOCK_STEPS]), int(clock[CLOCK_PART])
    parts, narrow = max(1, int(clock[CLOCK_PARTS])), clock[CLOCK_NARROW] != 0.0  # of a step; whether it goes over one output time only
    watches = work.settings[SETTING_EVENT] != EVENT_NONE
    while row < count:
        narrow = narrow or parts > 1
        across = 1  # output times that the next step reaches
        while not narrow and row + across < count and times[row + across + 1] - times[row] <= step * (1.0 + 1e-9):
            across += 1
        span = times[row + across] - times[row]
        steps = max(1, ceil(span / step - 1e-9))
        refused = False
        while i < steps:
            if work.counts[COUNT_EVALUATIONS] >= work.status[STATUS_PAUSE]:
                clock[CLOCK_STEPS], clock[CLOCK_PARTS], clock[CLOCK_PART], clock[CLOCK_NARROW] = i, parts, part, 1.0 if narrow else 0.0
                work.status[STATUS_CODE] = PAUSED
                return row
            dt = span / steps / parts
            t = times[row] + (i + part / parts) * (span / steps)
            after = t + dt
            if watches:
                after = ends_at_event(work, t, after)
                dt = after - t if after < t + dt else dt
            last = work.counts[COUNT_STEPS]
            copy(z, start, 0)
            code, inner = OK, 0  # rows within the step
            if across > 1:
                code = rhs(system, arrays, work, t, z, before)
            if code == OK:
                code = advance(take, formula, nodes, method, system, arrays, work, t, dt, z, scratch[4:])
            if code == OK:
                infinite = 0
                for j in range(z.shape[0]):  # a count, unlike a sum of floats, is vectorised
                    infinite += not np.isfinite(z[j])
                if infinite > 0:
                    code = NOT_FINITE
                    for j in range(z.shape[0] - 1, -1, -1):
                        if not np.isfinite(z[j]):
                            work.status[STATUS_INDEX] = j
            if code == OK and across > 1:
                code = rhs(system, arrays, work, after, z, end_rates)
                for k in range(1, across):
                    if code == OK and times[row + k] < after:
                        inner = k
                        x = (times[row + k] - t) / dt
                        a, b, c = (1.0 + 2.0 * x) * (1.0 - x) ** 2, dt * x * (1.0 - x) ** 2, dt * x * x * (x - 1.0)
                        for j in range(z.shape[0]):
                            between[j] = a * start[j] + (1.0 - a) * z[j] + b * before[j] + c * end_rates[j]
                        code = place(method, system, arrays, work, times[row + k], between, rows[row + k - 1])
            if code == OK:
                code = finish(method, system, arrays, work, after, z)
            if code == STOPPED:
                work.counts[COUNT_STEPS] = last
                held = method, advance, take, formula, nodes, system, arrays, work, t, start, z, scratch[4:]
                found = seek(look, look, held, work, t, after)
                copy(start, z, 0)
                work.status[STATUS_CHANGED], work.status[STATUS_FRESH] = 1, 0
                if found == OK and work.event[EVENT_TARGET] != t:
                    continue
            if code in (COARSE, DRIFT_REMAINS) and parts < FINEST:
                copy(start, z, 0)
                work.counts[COUNT_STEPS] = last
                work.counts[COUNT_REJECTED] += 1
                work.status[STATUS_CHANGED], work.status[STATUS_FRESH] = 1, 0  # the rank of this state is known
                if across > 1:
                    narrow = refused = True
                    break
                parts, part = 2 * parts, 2 * part
                continue
            if code > OK:
                work.counts[COUNT_STEPS] = last
                copy(start, z, 0)
                clock[CLOCK_TIME] = t
                work.status[STATUS_CODE] = code
                return row
            clock[CLOCK_TIME] = after
            if watches and after == work.event[EVENT_TARGET]:
                code = expand(rhs, system, arrays, work, after, z, work.row)
                work.status[STATUS_CODE] = STOPPED if code == OK else code
                return row + inner
            part += 1
            if part % 2 == 0 and parts > 1 and work.watch[WATCH_SHARE] < EASY:
                parts, part = parts // 2, part // 2
            if part == parts:
                i, part = i + 1, 0
        i = part = 0
        if refused:
            continue
        parts, narrow = 1, False  # nothing of a step is remembered over an output time, so that a march may be called for any of them
        row += across
        code = expand(rhs, system, arrays, work, times[row], z, rows[row - 1])
        if code != OK:
            work.status[STATUS_CODE] = code
            return row - 1
    return count


@kernel(MARCH_STEPS)
def march(take, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """Fill rows[i] at times[i + 1] from z at clock[0]; z and the clock end at the last accepted step. Returns the rows filled."""
    kept = flush_subnormals()
    filled = fill(plain, take, 0, 0, method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled
