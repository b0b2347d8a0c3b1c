"""Shared by all integrators: acceptance of a step (the events, then the method's hook), and output between steps.

Events are looked at first, because a step over one is not taken, and the hook may renew the basis in which the state before the step is
expressed. The orientation (`singular/orientation.py`) is checked first for the same reason. A step is also not taken if an expression may
have crossed zero twice: if its values and rates at both ends show a turn near zero in between. Then the march looks more closely
(`_seek`); of solvers of libraries, the driver. A step that ends at events that were found is taken, and one that was looked at before.
"""

import numpy as np

from mbsim.contracts import (
    CHANGED,
    EVENT_ASKS,
    EVENT_RATE,
    EVENT_RATES,
    EVENT_TARGET,
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
from mbsim.integrators._efforts import look_at_efforts
from mbsim.integrators._pace import RESTLESS, is_new, keep_pace, restlessness
from mbsim.integrators._seek import evaluate, keep_values, seems_left
from mbsim.integrators._sides import may_happen
from mbsim.jit import helper
from mbsim.kernels.linalg import clear


@helper
def happened(system, arrays, work, t, z):
    """Whether an event may have happened in the step to t, with the velocity that z or the last evaluation has.

    The acceleration of the last evaluation, which may be that of a stage, is good enough to see a turn.
    """
    n, end = work.v.shape[0], z.shape[0] - 1
    q, v, v_dot, rates = z[n:end], work.v, work.a, work.event[EVENT_RATES:]
    if work.settings[SETTING_INDEPENDENT] == 0.0:
        v = z[:n]
    h, events = t - work.event[EVENT_TIME_LAST], work.events
    system.rates(arrays, t, q, v, rates)
    system.event(arrays, t, q, v, rates, v_dot, work.lam, events)
    look_at_efforts(work)
    work.event[EVENT_TIME_NEW] = t
    found = 0
    for k in range(events.shape[0]):
        found += may_happen(events, k, events[k, EVENT_VALUE], events[k, EVENT_RATE], h) or restlessness(events, k, h, True) > RESTLESS
    return found > 0 or is_new(events)


@helper
def finish(method, system, arrays, work, t, z):
    """Accept the step that led to z at t; returns OK or CHANGED, or why the step cannot be taken (then z must be restored)."""
    looks, event = work.settings[SETTING_EVENT] != 0.0, work.event
    if looks and t > event[EVENT_TIME_LAST] and t != event[EVENT_TARGET]:
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
    if looks and t != event[EVENT_TARGET]:
        event[EVENT_TARGET] = -np.inf
        if t > event[EVENT_TIME_LAST]:
            if seems_left(work.events) and method.expand(method.rhs, system, arrays, work, t, z, work.row) == OK:
                evaluate(system, arrays, work, t, work.row)
            h, event[EVENT_TIME_LAST] = t - event[EVENT_TIME_LAST], t
            for k in range(work.events.shape[0]):
                keep_pace(work.events, k, work.events[k, EVENT_VALUE], h)
                keep_values(work.events, k, work.events[k, EVENT_VALUE], work.events[k, EVENT_RATE])
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


@helper
def show(method, system, arrays, work, t, z):
    """Events at a state within a step that may be changed: Work.events, and Work.row."""
    code = place(method, system, arrays, work, t, z, work.row)
    if code == OK:
        evaluate(system, arrays, work, t, work.row)
    return code
