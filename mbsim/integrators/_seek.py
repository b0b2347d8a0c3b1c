"""Where events happen within a step: the step is asked again, shorter, from the state at which it begins.

A step over an event is not taken at once. `seek` looks at it: a look is a trial from the same start to a time within the step, whose state
is moved onto the constraints. The first crossing of all expressions is found by cubics through values and exact rates, each time between
two looks of different signs. Where the event only makes a note, its row is kept in Work.notes, the search goes on behind it, and the step
is taken as it is: such events change no number of a run. Where it acts, EVENT_TARGET is set: the next trial ends exactly there.

An expression that crosses zero twice is found by its turn, as before a step is taken (`_accept`). One that runs faster than the steps is
looked at several times within a step. Most of these looks only show that nothing is near: a glance at the step's interpolation is enough.

Round-off is no event. After an event the expression is zero but for round-off, and counts as on the side to which its rate leads. It
happens anew only once the expression was larger than NOISE of the largest size that it had: a rope that was locked taut stays taut.
"""

import numpy as np

from mbsim.contracts import (
    EVENT_ACTIVE,
    EVENT_ACTS,
    EVENT_END_RATE,
    EVENT_END_VALUE,
    EVENT_FASTEST,
    EVENT_GLANCED,
    EVENT_HAPPENS,
    EVENT_HIGH_RATE,
    EVENT_HIGH_VALUE,
    EVENT_LARGEST,
    EVENT_LAST_RATE,
    EVENT_LAST_VALUE,
    EVENT_LEFT,
    EVENT_NOTED,
    EVENT_ONCE,
    EVENT_RATE,
    EVENT_RATES,
    EVENT_SENSE,
    EVENT_SIDE,
    EVENT_TARGET,
    EVENT_TIME_LAST,
    EVENT_TIME_NEW,
    EVENT_VALUE,
    NOT_FINITE,
    NOTE_EVENT,
    NOTE_ROW,
    NOTE_TIME,
    NOTES,
    OK,
    STATUS_PAUSE,
)
from mbsim.integrators._corners import turn
from mbsim.integrators._efforts import look_at_efforts
from mbsim.integrators._pace import FINER, MOST_PARTS, NEW, is_new, keep_pace, next_look, parts_of
from mbsim.integrators._sides import (
    AGAIN,
    DONE,
    LOOKED,
    NEVER,
    NOISE,
    SIDE,
    TOGETHER,
    by_slopes,
    earliest,
    leaving,
    may_happen,
    root,
    side_before,
)
from mbsim.jit import helper

JUMPED = 1e-9  # of its last value: what an expression is at least that a sample has carried over zero, where it is held between samples
SPACING = 2.3e-16  # of the time, between two numbers
EXACT = 1.0  # such spacings: how closely a crossing is located
ROUND_OFF, LATER = 1e-16, 1e-14  # of the largest size of an expression: it is zero; where many looks have not come nearer
LOOKS, HALVING, HALVES = 100, 8, 40  # most for one crossing; from which on every other one halves; to see that zero was left
CLEAR = 1e-6  # of the largest size of an expression: nearer to zero a glance, which has the error of an interpolation, is not enough
STUCK = 3  # looks that have not come nearer to zero, from which on all halve
STAYS = 6  # looks that all were beyond zero: perhaps the start is, too, where a sample has carried the expression over zero


@helper
def keep_values(events, k, value, rate):
    """Keep what an expression is at the time up to which events were looked for."""
    size = abs(value)
    events[k, EVENT_LARGEST] = max(events[k, EVENT_LARGEST], size)
    if events[k, EVENT_LEFT] != 0.0 or size > NOISE * events[k, EVENT_LARGEST]:
        events[k, EVENT_LAST_VALUE], events[k, EVENT_LEFT] = value, 1.0
    events[k, EVENT_LAST_RATE] = rate
    if not np.isnan(rate):
        events[k, EVENT_FASTEST] = max(abs(rate), 0.5 * events[k, EVENT_FASTEST])


@helper
def seems_left(events):
    """Whether an expression has left zero since its event: at a state that was not moved onto the constraints yet, that may be drift."""
    found = 0
    for k in range(events.shape[0]):
        found += events[k, EVENT_LEFT] == 0.0 and abs(events[k, EVENT_VALUE]) > NOISE * events[k, EVENT_LARGEST]
    return found > 0


@helper
def keep_side(events, k):
    """Where an expression goes on after its event: on the side to which it leads, or where it is, if something has carried it away."""
    value, rate, side = events[k, EVENT_LAST_VALUE], events[k, EVENT_LAST_RATE], events[k, EVENT_SIDE]
    least = NOISE * events[k, EVENT_LARGEST]
    if abs(value) <= least or abs(value) <= TOGETHER * abs(rate):
        events[k, EVENT_LAST_VALUE] = SIDE * (side if rate == 0.0 or rate * side > 0.0 else -side)  # to the other one, if no rate is known
        events[k, EVENT_LEFT] = 0.0


@helper
def evaluate(system, arrays, work, t, row):
    """All expressions and their rates at an output row."""
    n, n_q = work.v.shape[0], work.beside_q.shape[0]
    q, v, v_dot, rates = row[:n_q], row[n_q : n_q + n], row[n_q + n : n_q + 2 * n], work.event[EVENT_RATES:]
    system.rates(arrays, t, q, v, rates)
    system.event(arrays, t, q, v, rates, v_dot, work.lam, work.events)
    look_at_efforts(work)
    work.event[EVENT_TIME_NEW] = t


@helper
def see(look, held, work, at):
    """Look at a time within the step, unless the last look was there. Returns OK, or why it cannot be."""
    events = work.events
    if work.event[EVENT_TIME_NEW] == at:
        return OK
    work.event[EVENT_TIME_NEW] = np.nan
    code = look(held, at)
    for k in range(events.shape[0]):
        if code == OK and events[k, EVENT_ACTIVE] != 0.0 and not np.isfinite(events[k, EVENT_VALUE]):
            code = NOT_FINITE
    return code


@helper
def find_turn(look, held, work, k, low, high, side):
    """A time in (low, high), at whose ends the expression has the same sign, at which it has crossed zero; NaN where it does not.

    The look there is the last one.
    """
    events = work.events
    a, ra = side * events[k, EVENT_LAST_VALUE], side * events[k, EVENT_LAST_RATE]
    b, rb = side * events[k, EVENT_HIGH_VALUE], side * events[k, EVENT_HIGH_RATE]
    for _ in range(LOOKS):
        h = high - low
        x = turn(a, b, h * ra, h * rb)
        if x < 0.0 or h <= EXACT * SPACING * max(abs(low), abs(high)):
            break
        at = low + min(max(x, 0.01), 0.99) * h
        code = see(look, held, work, at)
        if code != OK:
            return np.nan, code
        value, rate = side * events[k, EVENT_VALUE], side * events[k, EVENT_RATE]
        if value <= 0.0:
            return at, OK
        if rate < 0.0:
            low, a, ra = at, value, rate
        else:
            high, b, rb = at, value, rate
    return np.nan, OK


@helper
def find_zero(look, held, work, k, low, high, side, a, ra, b, rb):
    """The time at which an expression on a `side` of zero at `low` is zero, with values a >= 0 > b, times the side, and rates at both ends.

    Where it is zero at `low` and does not leave zero, that is the time.
    """
    events = work.events
    size = events[k, EVENT_LARGEST]
    start, leaves, stays, near = low, a > SIDE, 0, 0  # near: looks since it has left zero
    stuck = 0  # looks one after the other that have not come nearer to zero: the expression jumps over it
    weight, other, before = 1.0, 1.0, 0.0  # of the values at both ends where rates are not known: the Illinois variant of regula falsi
    falls, sinks, slope = np.nan, np.nan, np.nan  # likewise slopes before and behind zero, and that of the side of the last look
    for i in range(LOOKS):
        h, least = high - low, EXACT * SPACING * min(abs(low), abs(high))
        if h <= least:
            break
        if not leaves:
            x = 0.5 * leaving(b, h * ra, h * rb)  # half of the way back: it has left zero there
        elif stuck >= STUCK or (near > HALVING and i % 2 == 1):
            x = 0.5
        elif abs(ra) < np.inf and abs(rb) < np.inf:
            x = root(a, b, h * ra, h * rb)
        else:
            x = by_slopes(a, b, h * falls, h * sinks, weight * a / (weight * a - other * b))
        x = min(max(x, 0.5 * least / h), 1.0 - 0.5 * least / h)
        at = low + x * h
        code = see(look, held, work, at)
        if code != OK:
            return np.nan, code
        value, rate = side * events[k, EVENT_VALUE], side * events[k, EVENT_RATE]
        near += leaves
        stuck = stuck + 1 if abs(value) > 0.5 * (a if value > 0.0 else -b) else 0
        noise = (ROUND_OFF if near <= 2 * HALVING else LATER) * size
        if value > 0.0:
            slope = falls = (value - a) / (at - low) if at > low else falls
        else:
            slope = sinks = (b - value) / (high - at) if high > at else sinks
        known = slope if np.isnan(rate) else rate
        if leaves and not rate > 0.0 and (abs(value) <= noise or abs(value) <= 0.5 * EXACT * SPACING * abs(at * known)):
            return at, OK
        if value > 0.0:
            weight, other = 1.0, 0.5 * other if before > 0.0 else 1.0
            low, a, ra, leaves, before = at, value, rate, True, 1.0
        else:
            weight, other = 0.5 * weight if before < 0.0 else 1.0, 1.0
            high, b, rb, before = at, value, rate, -1.0
            stays += low == start
        if stays == STAYS and leaves and low == start:
            code = see(look, held, work, start)
            if code != OK:
                return np.nan, code
            if side * events[k, EVENT_VALUE] <= 0.0:
                return start, OK
        if not leaves and i == HALVES:
            return start, OK
    return high, OK


@helper
def cross(look, held, work, k, low, high):
    """The time of the first crossing of event k in (low, high] that counts, NaN where it turns before zero; and OK or why not."""
    events = work.events
    side, sense = side_before(events, k), events[k, EVENT_SENSE]
    a, ra = side * events[k, EVENT_LAST_VALUE], side * events[k, EVENT_LAST_RATE]
    b, rb = side * events[k, EVENT_HIGH_VALUE], side * events[k, EVENT_HIGH_RATE]
    if b <= 0.0:
        return find_zero(look, held, work, k, low, high, side, a, ra, b, rb)
    past, code = find_turn(look, held, work, k, low, high, side)
    if code != OK or np.isnan(past):
        return np.nan, code
    between, its_rate = side * events[k, EVENT_VALUE], side * events[k, EVENT_RATE]
    if sense * side <= 0.0:
        return find_zero(look, held, work, k, low, past, side, a, ra, between, its_rate)
    return find_zero(look, held, work, k, past, high, -side, -between, -its_rate, -b, -rb)


@helper
def find_first(look, held, work, low, end):
    """The time of the first events in (low, end], NaN where none happens; OK or why not; EVENT_HAPPENS says which. Last look: there."""
    events, high, first = work.events, end, -1
    for k in range(events.shape[0]):
        events[k, EVENT_HIGH_VALUE], events[k, EVENT_HIGH_RATE] = events[k, EVENT_END_VALUE], events[k, EVENT_END_RATE]
        events[k, EVENT_HAPPENS] = NEVER
    while True:
        k = earliest(events, high - low, first)
        if k < 0:
            break
        at, code = cross(look, held, work, k, low, high)
        if code == OK and not np.isnan(at):
            code = see(look, held, work, at)
        if code != OK:
            return np.nan, code
        events[k, EVENT_HAPPENS] = LOOKED if events[k, EVENT_HAPPENS] == NEVER else DONE
        if not np.isnan(at):
            high, first = at, k
            for j in range(events.shape[0]):
                events[j, EVENT_HIGH_VALUE], events[j, EVENT_HIGH_RATE] = events[j, EVENT_VALUE], events[j, EVENT_RATE]
                events[j, EVENT_HAPPENS] = AGAIN if events[j, EVENT_HAPPENS] == LOOKED else events[j, EVENT_HAPPENS]
    if first < 0:
        return np.nan, OK
    for k in range(events.shape[0]):
        value, rate, side = events[k, EVENT_HIGH_VALUE], events[k, EVENT_HIGH_RATE], side_before(events, k)
        events[k, EVENT_SIDE] = side
        near = abs(value) <= TOGETHER * abs(rate) and (side * value <= 0.0 or side * rate < 0.0) and rate * events[k, EVENT_SENSE] >= 0.0
        if near and not may_happen(events, k, events[k, EVENT_END_VALUE], events[k, EVENT_END_RATE], end - low):
            near = False
        events[k, EVENT_HAPPENS] = 1.0 if k == first or near else 0.0
    return high, see(look, held, work, high)


@helper
def note(work, at):
    """Keep the row of events that happen at a time and do not act, and go on behind them."""
    events, notes = work.events, work.notes
    for k in range(events.shape[0]):
        keep_values(events, k, events[k, EVENT_HIGH_VALUE], events[k, EVENT_HIGH_RATE])
        if events[k, EVENT_HAPPENS] == 0.0:
            continue
        i = int(work.event[EVENT_NOTED])
        notes[i, NOTE_TIME], notes[i, NOTE_EVENT] = at, k
        for j in range(work.row.shape[0]):
            notes[i, NOTE_ROW + j] = work.row[j]
        work.event[EVENT_NOTED] += 1.0
        keep_side(events, k)
        if events[k, EVENT_ONCE] != 0.0:
            events[k, EVENT_ACTIVE] = 0.0
    work.event[EVENT_TIME_LAST] = at


@helper
def is_clear(events, h):
    """Whether no event is near zero where a glance, a time h after the last values, was made, or may have happened before it."""
    for k in range(events.shape[0]):
        value = events[k, EVENT_VALUE]
        if events[k, EVENT_ACTIVE] == 0.0:
            continue
        if 0.0 < abs(value) <= CLEAR * events[k, EVENT_LARGEST] or may_happen(events, k, value, events[k, EVENT_RATE], h):
            return False
    return True


@helper
def search(look, glance, held, work, t, after):
    """What `seek` does."""
    event, events = work.event, work.events
    event[EVENT_TIME_NEW], event[EVENT_GLANCED], low = np.nan, 0.0, max(t, event[EVENT_TIME_LAST])
    code = see(look, held, work, after)
    if code != OK:
        return code
    parts, looks, least = parts_of(events, after - low, True), 0, NEW if is_new(events) else 1
    while low < after:
        end = next_look(low, after, max(parts, least) if looks < 2 * MOST_PARTS else 1, looks)
        code = see(glance, held, work, end)
        for _ in range(FINER):  # what changes faster than it did may have crossed zero and come back within this part
            finer = parts_of(events, end - low, True) if code == OK and looks < 2 * MOST_PARTS else 1
            if finer <= 1:  # as where an effort jumps at the end of the step: it changes as much in any part that ends there
                break
            end = next_look(low, end, finer, looks)
            code = see(glance, held, work, end)
        if code != OK or not is_clear(events, end - low):
            event[EVENT_TIME_NEW] = np.nan
            code = see(look, held, work, end)
        if code != OK:
            return code
        for k in range(events.shape[0]):
            events[k, EVENT_END_VALUE], events[k, EVENT_END_RATE] = events[k, EVENT_VALUE], events[k, EVENT_RATE]
        while True:
            if event[EVENT_NOTED] + work.notes.shape[0] // NOTES > work.notes.shape[0]:  # no room for all: Python takes them first
                work.status[STATUS_PAUSE] = 1
                return OK
            at, code = find_first(look, held, work, low, end)
            if code != OK:
                return code
            if np.isnan(at):
                break
            acts = 0
            for k in range(events.shape[0]):
                acts += events[k, EVENT_HAPPENS] != 0.0 and events[k, EVENT_ACTS] != 0.0
            if acts > 0:
                event[EVENT_TARGET] = at
                return OK
            note(work, at)
            low = at
        for k in range(events.shape[0]):
            if end > low:
                keep_pace(events, k, events[k, EVENT_END_VALUE], end - low)
            keep_values(events, k, events[k, EVENT_END_VALUE], events[k, EVENT_END_RATE])
        event[EVENT_TIME_LAST] = low = end
        parts, looks, least = max(parts - 1, parts_of(events, after - low, False)), looks + 1, least - 1
    return OK


@helper
def seek(look, glance, held, work, t, after):
    """Search a step from t to `after` for events: those that are only noted are, and EVENT_TARGET is set where others happen.

    `look(held, at)` fills Work.events and Work.row at a time from t to `after`; `glance(held, at)` does it faster, with the error of an
    interpolation. Returns OK, or why a look was not possible: then the driver searches.
    """
    code = search(look, glance, held, work, t, after)
    if code != OK:
        work.event[EVENT_TIME_NEW] = after
    return code


@helper
def ends_at_event(work, t, after):
    """Where a trial from t ends that would end at `after`: at events that act, where some happen before."""
    target = work.event[EVENT_TARGET]
    return target if t < target < after else after
