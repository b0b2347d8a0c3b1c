"""Events of a run at single states, compiled: what programs without Python look at where `mbsim.march.events` does it otherwise."""

from math import nan

import numpy as np

from mbsim.contracts import (
    ARRAYS,
    EVENT_LARGEST,
    EVENT_LAST_VALUE,
    EVENT_LEFT,
    EVENT_RATE,
    EVENT_RATES,
    EVENT_ROW,
    EVENT_TARGET,
    EVENT_TIME_LAST,
    EVENT_VALUE,
    SYSTEM,
    WORK,
)
from mbsim.integrators._efforts import left_of_effort
from mbsim.integrators._seek import JUMPED, keep_values
from mbsim.integrators._sides import NOISE, SIDE, TOGETHER
from mbsim.jit import A1, A2, I1, f8, helper, i8, kernel, void


@helper
def look(system, arrays, work, t, row, solves, out):
    """Every expression and its rate at an output row, in the first two columns; `solves`: one reads reactions."""
    n, n_q, m = work.v.shape[0], work.beside_q.shape[0], work.lam.shape[0]
    q, v, v_dot, lam = row[:n_q], row[n_q : n_q + n], row[n_q + n : n_q + 2 * n], row[n_q + 2 * n : n_q + 2 * n + m]
    rates = work.event[EVENT_RATES:]
    if solves != 0:
        system.constraints(arrays, t, q, work.C, work.xi)
    system.rates(arrays, t, q, v, rates)
    system.event(arrays, t, q, v, rates, v_dot, lam, out)
    for k in range(out.shape[0]):
        if work.events[k, EVENT_ROW] > 0.0:  # the effort of what holds
            out[k, EVENT_VALUE], out[k, EVENT_RATE] = left_of_effort(work, k, lam), nan


@kernel(void(SYSTEM, ARRAYS, WORK, f8, A1, i8, A2))
def look_at_row(system, arrays, work, t, row, solves, out):
    """The same as a kernel."""
    look(system, arrays, work, t, row, solves, out)


@kernel(void(SYSTEM, ARRAYS, WORK, f8, A1, A2))
def look_at_state(system, arrays, work, t, z, out):
    """Every expression at a state of a method that keeps the speeds themselves, where none reads what the equations are solved for.

    The rates are NaN.
    """
    n, n_q = work.v.shape[0], work.beside_q.shape[0]
    system.event(arrays, t, z[n : n + n_q], z[:n], work.event[EVENT_RATES:], work.a, work.lam, out)
    for k in range(out.shape[0]):
        out[k, EVENT_RATE] = nan


@kernel(i8(SYSTEM, ARRAYS, WORK, f8, A1, I1, A1, A1, i8, i8))
def begin_at_row(system, arrays, work, t, row, just, sides, sizes, solves, holds):
    """Look for events from an output row on; returns 0, or 1 + the place of an expression that is not finite.

    `just`: which of them have just happened, other than 0; `sides` of zero on which they were before, and their `sizes` at the event.
    `holds`: whether states are held between samples.
    """
    events = work.events
    look(system, arrays, work, t, row, solves, events)
    for k in range(events.shape[0]):
        before, value, rate = events[k, EVENT_LAST_VALUE], events[k, EVENT_VALUE], events[k, EVENT_RATE]
        if not np.isfinite(value):
            return 1 + k
        events[k, EVENT_LEFT] = 1.0
        if abs(value) <= NOISE * events[k, EVENT_LARGEST]:  # zero but for round-off, as of what is locked: it counts as on its side
            events[k, EVENT_LAST_VALUE], events[k, EVENT_LEFT] = SIDE * np.sign(before), 0.0
        keep_values(events, k, value, rate)
        if just[k] != 0 and abs(value) <= max(2.0 * sizes[k], TOGETHER * abs(rate)):
            jumped = holds != 0 and rate == 0.0 and abs(value) > JUMPED * abs(before)
            leads = value if jumped else rate
            side = sides[k] if leads == 0.0 or leads * sides[k] > 0.0 else -sides[k]
            events[k, EVENT_LAST_VALUE], events[k, EVENT_LEFT] = SIDE * side, 0.0
    work.event[EVENT_TARGET] = -np.inf
    work.event[EVENT_TIME_LAST] = t
    return 0
