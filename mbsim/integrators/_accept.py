"""What every integrator does when it has taken a step: a look at the stop expression, then the method's hook. And output between steps.

The look comes first, because a step that crosses is not taken: the hook may renew the basis that the state before the step is
expressed in. So does that at the orientation (`mbsim.methods._branch`).
"""

import numpy as np

from mbsim.jit import (
    CHANGED,
    OK,
    SETTING_EVENT,
    SETTING_INDEPENDENT,
    SETTING_STEP,
    STATUS_CHANGED,
    STOPPED,
    WATCH_ASKED,
    WATCH_SHARE,
    WATCH_SPAN,
    WATCH_TIME,
    helper,
)
from mbsim.kernels.linalg import clear


@helper
def finish(method, system, arrays, work, t, z):
    """Accept the step that led to z at t; returns OK or CHANGED, or why the step cannot be taken (then z must be put back)."""
    if work.settings[SETTING_EVENT] != 0.0:
        failed = method.expand(method.rhs, system, arrays, work, t, z, work.row)
        if failed != OK:
            return failed
        n, n_q = work.v.shape[0], z.shape[0] - 1 - work.v.shape[0]
        system.event(arrays, t, work.row[:n_q], work.row[n_q : n_q + n], work.event[1:2])
        value, last = work.event[1], work.event[0]
        same = (value > 0.0 and last > 0.0) or (value < 0.0 and last < 0.0) or (last == 0.0 and not np.isnan(value))
        if not same:  # also when it is not a number; leaving a zero is no crossing
            work.event[2] = t
            return STOPPED
    watch = work.watch
    if np.isnan(watch[WATCH_TIME]):
        watch[WATCH_TIME] = t - work.settings[SETTING_STEP]
    watch[WATCH_SPAN], watch[WATCH_ASKED], watch[WATCH_SHARE] = t - watch[WATCH_TIME], 1.0, 0.0
    if work.normals[0].shape[0] > 0:
        n = work.v.shape[0]
        code = method.watch(system, arrays, work, t, z[n : z.shape[0] - 1], work.v if work.settings[SETTING_INDEPENDENT] != 0.0 else z[:n])
        if code != OK:
            return code
    code = method.accept(method.project, method.start, system, arrays, work, t, z)
    if code <= OK:
        watch[WATCH_TIME] = t
    watch[WATCH_ASKED] = 0.0
    work.status[STATUS_CHANGED] = 1 if code == CHANGED else 0
    if code <= OK and work.settings[SETTING_EVENT] != 0.0:
        work.event[0] = work.event[1]
    return code


@helper
def place(method, system, arrays, work, t, z, row):
    """Move an interpolated z onto the constraints, v only where the method integrates it, and expand it to its output row."""
    n, last = work.v.shape[0], z.shape[0] - 1
    q = z[n:last]
    if q.shape[0] != n:  # quaternions back to unit length
        clear(work.vectors[5])
        system.move(arrays, q, work.vectors[5])
    code = method.project(system, arrays, work, t, q, z[: 0 if work.settings[SETTING_INDEPENDENT] != 0.0 else n])
    if code == OK:
        code = method.expand(method.rhs, system, arrays, work, t, z, row)
    return code
