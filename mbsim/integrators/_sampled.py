"""Marching in parts that end at samples, where states that are held between samples take new values. No integrator knows of this.

A march of a run is asked for one part after the other: up to the next sample, with the output times before it. Between samples nothing
changes, so every integrator keeps its order. At a sample the kernel of the system (contract SAMPLE) finds the values of the states that are
due from the state there, and the march begins anew from the state with them; steps have the size that they had.

What is watched for an event may jump over zero at a sample and come back before a long step ends: a force that a controller lets jump
beyond what friction holds. Such a sample is followed by a part of next to no length, at whose end the event is seen.

When samples are taken follows from the time alone: at the time from which a march goes on they have been taken. So a march that is repeated
from a state, to locate an event or to estimate an error, takes the same ones. An output time at a sample has the row after it.
"""

from collections.abc import Callable
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from mbsim.contracts import (
    CLOCK_FIRST,
    CLOCK_FROM,
    CLOCK_INNER,
    CLOCK_KEPT,
    CLOCK_OPEN,
    CLOCK_ROWS,
    CLOCK_TIME,
    EVENT_ACTIVE,
    EVENT_LARGEST,
    EVENT_LAST_RATE,
    EVENT_LAST_VALUE,
    EVENT_RATE,
    EVENT_RATES,
    EVENT_TARGET,
    EVENT_VALUE,
    LOCATE_TIME,
    MARCH_SAMPLED_STAGES,
    MARCH_SAMPLED_STEPS,
    MARCH_SAMPLED_TABLEAU,
    NOT_FINITE,
    OK,
    PAUSED,
    SAMPLE_DUE,
    SAMPLE_FIRST,
    SAMPLE_IS_DUE,
    SAMPLE_IS_FIRST,
    SAMPLE_PERIOD,
    SETTING_EVENT,
    STATUS_CHANGED,
    STATUS_CODE,
    STATUS_INDEX,
    STOPPED,
    Arrays,
    MethodFunctions,
    Stages,
    SystemFunctions,
    Work,
)
from mbsim.integrators import _controlled, _embedded, _fixed
from mbsim.integrators._efforts import look_at_efforts
from mbsim.integrators._sides import NOISE
from mbsim.jit import Compiled, Kernel, helper, kernel
from mbsim.system.system import Floats

AT_THE_TIME = 2e-12  # of 1 s, or of the time: a sample that is nearer to a time than that is at this time
SHORTLY, AWAY = 1e-6, 10.0  # of the time between samples, and of what is near: how long the part after a jump is


@helper
def near(t):
    """How near (s) to t a time is the same."""
    return AT_THE_TIME * max(1.0, abs(t))


@helper
def next_sample(table, t):
    """The time of the first sample after t."""
    found = inf
    for k in range(table.shape[0]):
        first, period = table[k, SAMPLE_FIRST], table[k, SAMPLE_PERIOD]
        i = max(0.0, np.floor((t - first) / period) - 1.0)
        while first + i * period - t <= near(t):
            i += 1.0
        found = min(found, first + i * period)
    return found


@helper
def mark_due(table, t):
    """Mark the samples that are taken at t; whether there are any."""
    found = 0
    for k in range(table.shape[0]):
        first, period = table[k, SAMPLE_FIRST], table[k, SAMPLE_PERIOD]
        i = max(0.0, np.floor((t - first) / period + 0.5))
        is_due = abs(first + i * period - t) <= near(t)
        table[k, SAMPLE_DUE] = (SAMPLE_IS_FIRST if i == 0.0 else SAMPLE_IS_DUE) if is_due else 0.0
        found += is_due
    return found > 0


@helper
def has_jumped(work):
    """Whether what is watched for an event is on the other side of zero than before the sample at which a part begins."""
    if work.settings[SETTING_EVENT] == 0.0:
        return False
    found = 0
    for k in range(work.events.shape[0]):
        before, value, noise = work.events[k, EVENT_LAST_VALUE], work.events[k, EVENT_VALUE], NOISE * work.events[k, EVENT_LARGEST]
        found += work.events[k, EVENT_ACTIVE] != 0.0 and before * value < 0.0 and min(abs(before), abs(value)) > noise
    return found > 0


@helper
def open_part(table, work, times, count, clock):
    """Begin the part that comes next, or go on with one that was interrupted; returns the first row of it and the row behind it.

    The times of the part stand in the places of output times, which `close_part` puts back.
    """
    jumped = clock[CLOCK_OPEN] == 0.0 and has_jumped(work)
    if clock[CLOCK_OPEN] == 0.0:
        clock[CLOCK_FROM], clock[CLOCK_FIRST] = clock[CLOCK_TIME], clock[CLOCK_ROWS]
        clock[CLOCK_INNER:] = 0.0
        clock[CLOCK_INNER + CLOCK_TIME] = clock[CLOCK_TIME]
    start, first = clock[CLOCK_FROM], int(clock[CLOCK_FIRST])
    at, ends = next_sample(table, start), first + 1
    if jumped:
        at = min(at, start + max(SHORTLY * (at - start), AWAY * near(start)))
    while ends < count and at - times[ends] > near(times[ends]):
        ends += 1
    clock[CLOCK_KEPT], clock[CLOCK_KEPT + 1] = times[first], times[ends]
    times[first] = start
    if times[ends] - at > near(at):
        times[ends] = at
    return first, ends


@helper
def close_part(sample, table, filled, first, ends, method, system, arrays, work, times, z, rows, clock, scratch):
    """End a part of which so many rows are `filled`, with what is due at its end; whether the march goes on."""
    target, wanted = times[ends], clock[CLOCK_KEPT + 1]
    times[first], times[ends] = clock[CLOCK_KEPT], wanted
    clock[CLOCK_TIME], clock[CLOCK_OPEN] = clock[CLOCK_INNER + CLOCK_TIME], 0.0
    if filled < ends - first:
        clock[CLOCK_OPEN] = 1.0 if work.status[STATUS_CODE] == PAUSED else 0.0
        clock[CLOCK_ROWS] = first + filled
        at = clock[CLOCK_TIME]
        events = work.status[STATUS_CODE] == STOPPED and work.event[EVENT_TARGET] == at
        if events and at - clock[CLOCK_FROM] > near(at):  # perhaps at a sample, which is not taken yet
            code = take(sample, table, method, system, arrays, work, at, z, work.row, True)
            work.status[STATUS_CODE] = code if code > OK else STOPPED
        return False
    code = take(sample, table, method, system, arrays, work, target, z, rows[ends - 1], target == wanted)
    if code != NONE_DUE:  # the laws are others than before
        work.status[STATUS_CHANGED], work.locating[LOCATE_TIME] = 1, nan
        scratch[1:] = 0.0  # slices: loops would take as long as the steps where Python samples
        scratch[:1, 1:2] = 0.0  # the first number may be the step that comes next, which is kept
    clock[CLOCK_TIME] = target
    if code > OK:
        work.status[STATUS_CODE] = code
        clock[CLOCK_ROWS] = ends - 1
        return False
    clock[CLOCK_ROWS] = ends if target == wanted else ends - 1
    return True


NONE_DUE = -2  # what `take` returns where no sample is taken


@helper
def take(sample, table, method, system, arrays, work, t, z, row, again):
    """Take the samples that are due at the state z at t, whose output row is `row`; returns NONE_DUE, OK or what is wrong.

    The row is found `again` with the new values where it is recorded. Events go on with the rates that these give.
    """
    if not mark_due(table, t):
        return NONE_DUE
    n, n_q = work.v.shape[0], work.beside_q.shape[0]
    for j in range(n_q + n):
        work.row[j] = row[j]
    held = z[n : n + n_q]
    sample(arrays, t, work.row[:n_q], work.row[n_q : n_q + n], table, held)
    if not np.isfinite(np.sum(held)):
        for i in range(n_q):
            if not np.isfinite(held[i]):
                work.status[STATUS_INDEX] = n + i
                return NOT_FINITE
    watches = work.events.shape[0] > 0 and work.settings[SETTING_EVENT] != 0.0
    code = OK
    if again:
        code = method.expand(method.rhs, system, arrays, work, t, z, row)
    elif watches:
        code = method.expand(method.rhs, system, arrays, work, t, z, work.row)
    if code == OK and watches:
        found = row if again else work.row
        rates, q, v, v_dot = work.event[EVENT_RATES:], found[:n_q], found[n_q : n_q + n], found[n_q + n : n_q + 2 * n]
        system.rates(arrays, t, q, v, rates)
        system.event(arrays, t, q, v, rates, v_dot, work.lam, work.events)
        look_at_efforts(work)
        for k in range(work.events.shape[0]):  # one that the new values carry over zero is seen in the next step
            if work.events[k, EVENT_VALUE] * work.events[k, EVENT_LAST_VALUE] >= 0.0:
                work.events[k, EVENT_LAST_RATE] = work.events[k, EVENT_RATE]
    return code


@kernel(MARCH_SAMPLED_STEPS)
def march_steps(inner, step_by, sample, table, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """Fill rows[i] at times[i + 1] from z at clock[0] by a march of steps of equal size; returns the rows filled."""
    goes_on = True
    while goes_on and clock[CLOCK_ROWS] < rows.shape[0]:
        first, ends = open_part(table, work, times, rows.shape[0], clock)
        part, its_rows, its_clock = times[first : ends + 1], rows[first:ends], clock[CLOCK_INNER:]
        filled = inner(step_by, method, system, arrays, work, part, step, z, its_rows, its_clock, scratch)
        goes_on = close_part(sample, table, filled, first, ends, method, system, arrays, work, times, z, rows, clock, scratch)
    return int(clock[CLOCK_ROWS])


@kernel(MARCH_SAMPLED_TABLEAU)
def march_tableau(inner, A, c, E, P, exponent, sample, table, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """The same by a march with an embedded pair."""
    goes_on = True
    while goes_on and clock[CLOCK_ROWS] < rows.shape[0]:
        first, ends = open_part(table, work, times, rows.shape[0], clock)
        part, its_rows, its_clock = times[first : ends + 1], rows[first:ends], clock[CLOCK_INNER:]
        filled = inner(A, c, E, P, exponent, method, system, arrays, work, part, step, z, its_rows, its_clock, scratch)
        goes_on = close_part(sample, table, filled, first, ends, method, system, arrays, work, times, z, rows, clock, scratch)
    return int(clock[CLOCK_ROWS])


@kernel(MARCH_SAMPLED_STAGES)
def march_staged(inner, own, sample, table, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """The same by a march with coupled stages."""
    goes_on = True
    while goes_on and clock[CLOCK_ROWS] < rows.shape[0]:
        first, ends = open_part(table, work, times, rows.shape[0], clock)
        part, its_rows, its_clock = times[first : ends + 1], rows[first:ends], clock[CLOCK_INNER:]
        filled = inner(own, method, system, arrays, work, part, step, z, its_rows, its_clock, scratch)
        goes_on = close_part(sample, table, filled, first, ends, method, system, arrays, work, times, z, rows, clock, scratch)
    return int(clock[CLOCK_ROWS])


class SampledMarch:
    """The same in Python: of a solver of a library, which begins anew at each sample, and with samples that call Python."""

    def __init__(self, make: Callable[[], Compiled], sample: Compiled, table: np.ndarray) -> None:
        """`make` gives a march from one state on."""
        self._make, self._sample, self._table = make, sample, table
        self._march = make()

    def __call__(
        self, method: MethodFunctions, system: SystemFunctions, arrays: Arrays, work: Work, times: Floats, step: float, z: Floats,
        rows: Floats, clock: Floats, scratch: Floats,
    ) -> int:  # fmt: skip
        """March; see the contract MARCH."""
        goes_on, count = True, rows.shape[0]
        while goes_on and clock[CLOCK_ROWS] < count:
            first, ends = open_part(self._table, work, times, count, clock)
            held = method, system, arrays, work
            filled = self._march(*held, times[first : ends + 1], step, z, rows[first:ends], clock[CLOCK_INNER:], scratch)
            at = times[ends]
            goes_on = close_part(self._sample, self._table, filled, first, ends, *held, times, z, rows, clock, scratch)
            if goes_on and mark_due(self._table, at) and not isinstance(self._march, partial):
                self._march = self._make()
        return int(clock[CLOCK_ROWS])

    def __getattr__(self, name: str) -> object:
        return getattr(self._march, name)


def sampled(make: Callable[[], Any], sample: Compiled, table: np.ndarray) -> Callable[[], Compiled]:
    """What gives a march from one state on that stops at samples; `sample` is of contract SAMPLE, or Python."""
    if not isinstance(sample, Kernel) or not isinstance(probe := make(), partial):
        return partial(SampledMarch, make, sample, table)
    if probe.func in (_fixed.march, _controlled.march):
        return lambda: partial(march_steps, probe.func, *probe.args, sample, table)
    if probe.func is _embedded.march:
        return lambda: partial(march_tableau, probe.func, *probe.args, sample, table)
    if probe.args and isinstance(probe.args[0], Stages):
        return lambda: partial(march_staged, probe.func, make().args[0], sample, table)
    return partial(SampledMarch, make, sample, table)
