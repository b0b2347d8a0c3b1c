"""Shared by all integrators: acceptance of a step (the events, then the method's hook), and output between steps.

Events are looked at first, because a step over one is not taken, and the hook may renew the basis in which the state before the step is
expressed. The orientation (`singular/orientation.py`) is checked first for the same reason. A step is also not taken if an expression may
have crossed zero twice: if its values and rates at both ends show a turn near zero in between. Then the driver looks more closely.
"""

from math import sqrt

import numpy as np

from mbsim.contracts import (
    CHANGED,
    EVENT_ACTIVE,
    EVENT_ASKS,
    EVENT_FACTOR,
    EVENT_GROUP,
    EVENT_GROUPS,
    EVENT_LAST_RATE,
    EVENT_LAST_VALUE,
    EVENT_LOOKED,
    EVENT_OFFSET,
    EVENT_RATE,
    EVENT_RATES,
    EVENT_ROW,
    EVENT_ROWS,
    EVENT_SENSE,
    EVENT_TIME_LAST,
    EVENT_TIME_NEW,
    EVENT_VALUE,
    OK,
    SETTING_EVENT,
    SETTING_INDEPENDENT,
    SETTING_STEP,
    STATUS_CHANGED,
    STATUS_NEAR,
    STOPPED,
    WATCH_ASKED,
    WATCH_SHARE,
    WATCH_SPAN,
    WATCH_TIME,
    WATCH_WAY,
)
from mbsim.integrators._corners import turn
from mbsim.jit import helper
from mbsim.kernels.linalg import clear
from mbsim.kernels.slipping import bound_of_groups


@helper
def turns(a, b, ra, rb, h):
    """Whether an expression may have crossed zero twice between two states with values a, b of the same sign and rates ra, rb, h apart.

    The cubic through both values and rates turns at a value that is past zero, or nearer to zero than to the values at the ends.
    """
    sign = 1.0 if b > 0.0 else -1.0
    return sign * rb > 0.0 and turn(sign * a, sign * b, sign * h * ra, sign * h * rb) >= 0.0


@helper
def happens(events, k, h, middle):
    """Whether event k may have happened in a step of length h around a time: lines of Work.events.

    A turn near zero counts, where the driver has not looked yet.

    An expression that is zero after an event, or at the start, has the sign that its rate gives it: coming back is a crossing, leaving is
    none.
    """
    a, b, ra, rb = events[k, EVENT_LAST_VALUE], events[k, EVENT_VALUE], events[k, EVENT_LAST_RATE], events[k, EVENT_RATE]
    if a * b > 0.0 and b * rb <= 0.0:  # most events, at most steps
        return False
    if events[k, EVENT_ACTIVE] == 0.0:
        return False
    if np.isnan(b):
        return True
    side = a if a != 0.0 else ra
    if side > 0.0 and (b < 0.0 or (b == 0.0 and a != 0.0)):
        return events[k, EVENT_SENSE] <= 0.0
    if side < 0.0 and (b > 0.0 or (b == 0.0 and a != 0.0)):
        return events[k, EVENT_SENSE] >= 0.0
    return a * b > 0.0 and middle > events[k, EVENT_LOOKED] and turns(a, b, ra, rb, h)


@helper
def look_at_efforts(work):
    """What is left of efforts that hold, in the lines of Work.events that tell it. Their rates are not known."""
    events, lam = work.events, work.lam
    for k in range(events.shape[0]):
        row = int(events[k, EVENT_ROW]) - 1
        if row >= 0:
            square, factor = 0.0, events[k, EVENT_FACTOR]
            for i in range(row, row + int(events[k, EVENT_ROWS])):
                square += lam[i] * lam[i]
            left = -sqrt(square) if factor == 0.0 else factor * lam[row]
            first = int(events[k, EVENT_GROUP])
            loaded = bound_of_groups(work, lam, first, first + int(events[k, EVENT_GROUPS]))
            events[k, EVENT_VALUE], events[k, EVENT_RATE] = events[k, EVENT_OFFSET] + loaded + left, 0.0


@helper
def happened(system, arrays, work, t, z):
    """Whether an event may have happened in the step to t, with the velocity that z or the last evaluation has.

    The acceleration of the last evaluation, which may be that of a stage, is good enough to see a turn.
    """
    n, end = work.v.shape[0], z.shape[0] - 1
    q, v, v_dot, rates = z[n:end], work.v, work.a, work.event[EVENT_RATES:]
    if work.settings[SETTING_INDEPENDENT] == 0.0:
        v = z[:n]
    last = work.event[EVENT_TIME_LAST]
    system.rates(arrays, t, q, v, rates)
    system.event(arrays, t, q, v, rates, v_dot, work.events)
    look_at_efforts(work)
    work.event[EVENT_TIME_NEW] = t
    found = 0
    for k in range(work.events.shape[0]):
        found += happens(work.events, k, t - last, 0.5 * (last + t))
    return found > 0


@helper
def finish(method, system, arrays, work, t, z):
    """Accept the step that led to z at t; returns OK or CHANGED, or why the step cannot be taken (then z must be restored)."""
    if work.settings[SETTING_EVENT] != 0.0:
        if work.settings[SETTING_EVENT] == EVENT_ASKS:
            failed = method.expand(method.rhs, system, arrays, work, t, z, work.row)
            if failed != OK:
                return failed
        if happened(system, arrays, work, t, z):
            return STOPPED
    watch = work.watch
    if np.isnan(watch[WATCH_TIME]):
        watch[WATCH_TIME] = t - work.settings[SETTING_STEP]
    watch[WATCH_SPAN], watch[WATCH_ASKED], watch[WATCH_SHARE] = t - watch[WATCH_TIME], 1.0, 0.0
    watched, code, way, n = work.orientation.unit.shape[0] > 0, OK, watch[WATCH_WAY], work.v.shape[0]
    q = z[n : z.shape[0] - 1]
    if watched:
        code = method.watch(system, arrays, work, t, q, work.v if work.settings[SETTING_INDEPENDENT] != 0.0 else z[:n])
    if code == OK:
        code = method.accept(method.project, method.start, system, arrays, work, t, z)
    watch[WATCH_ASKED] = 0.0
    if code > OK:
        watch[WATCH_WAY] = way
        return code
    watch[WATCH_TIME] = t
    if watched:
        method.watch(system, arrays, work, t, q, work.v)
    work.status[STATUS_CHANGED] = 1 if code == CHANGED else 0
    if work.settings[SETTING_EVENT] != 0.0:
        work.event[EVENT_TIME_LAST] = work.event[EVENT_TIME_NEW]
        for k in range(work.events.shape[0]):
            work.events[k, EVENT_LAST_VALUE], work.events[k, EVENT_LAST_RATE] = work.events[k, EVENT_VALUE], work.events[k, EVENT_RATE]
    return code


@helper
def place(method, system, arrays, work, t, z, row):
    """Move an interpolated z onto the constraints, with v if z begins with v itself, and expand it to its output row."""
    n, last = work.v.shape[0], z.shape[0] - 1
    q = z[n:last]
    if q.shape[0] != n:  # quaternions back to unit length
        clear(work.displacement)
        system.move(arrays, q, work.displacement)
    own_speeds = work.settings[SETTING_INDEPENDENT] != 0.0 and work.status[STATUS_NEAR] == 0
    code = method.project(system, arrays, work, t, q, z[: 0 if own_speeds else n])
    if code == OK:
        code = method.expand(method.rhs, system, arrays, work, t, z, row)
    return code
