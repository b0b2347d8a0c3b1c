"""Shared by all integrators: acceptance of a step (the stop expression, then the method's hook), and output between steps.

The stop expression is checked first, because a step that crosses zero is not taken, and the hook may renew the basis in which the state
before the step is expressed. The orientation (`mbsim.methods._branch`) is checked first for the same reason. A step is also not taken if
the expression may have crossed zero twice: if its values and rates at both ends show a turn near zero in between. Then the driver looks
more closely.
"""

import numpy as np

from mbsim.integrators._corners import turn
from mbsim.jit import (
    CHANGED,
    EVENT_LAST,
    EVENT_LOOKED,
    EVENT_NEW,
    EVENT_RATE,
    EVENT_RATES,
    EVENT_SIZE,
    EVENT_TIME,
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
    helper,
)
from mbsim.kernels.linalg import clear, copy


@helper
def turns(last, new):
    """Whether the expression may have crossed zero twice between two states with the same sign; each is [value, rate, time].

    The cubic through both values and rates turns at a value that is past zero, or nearer to zero than to the values at the ends.
    """
    sign, h = 1.0 if new[EVENT_VALUE] > 0.0 else -1.0, new[EVENT_TIME] - last[EVENT_TIME]
    a, b = sign * last[EVENT_VALUE], sign * new[EVENT_VALUE]
    ra, rb = sign * h * last[EVENT_RATE], sign * h * new[EVENT_RATE]
    return rb > 0.0 and turn(a, b, ra, rb) >= 0.0


@helper
def finish(method, system, arrays, work, t, z):
    """Accept the step that led to z at t; returns OK or CHANGED, or why the step cannot be taken (then z must be restored)."""
    if work.settings[SETTING_EVENT] != 0.0:
        failed = method.expand(method.rhs, system, arrays, work, t, z, work.row)
        if failed != OK:
            return failed
        n, n_q = work.v.shape[0], z.shape[0] - 1 - work.v.shape[0]
        q, v, v_dot, rates = work.row[:n_q], work.row[n_q : n_q + n], work.row[n_q + n : n_q + 2 * n], work.event[EVENT_RATES:]
        last, new = work.event[EVENT_LAST : EVENT_LAST + EVENT_SIZE], work.event[EVENT_NEW : EVENT_NEW + EVENT_SIZE]
        system.rates(arrays, t, q, v, rates)
        system.event(arrays, t, q, v, rates, v_dot, new)
        new[EVENT_TIME] = t
        a, b = last[EVENT_VALUE], new[EVENT_VALUE]
        same = (b > 0.0 and a > 0.0) or (b < 0.0 and a < 0.0) or (a == 0.0 and not np.isnan(b))
        if not same:  # also if it is not a number; leaving a zero is not a crossing
            return STOPPED
        if 0.5 * (last[EVENT_TIME] + t) > work.event[EVENT_LOOKED] and turns(last, new):
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
        copy(work.event[EVENT_NEW : EVENT_NEW + EVENT_SIZE], work.event, EVENT_LAST)
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
