"""Which lines of Work.events tell of stops and contacts without friction, and on which side of zero they are: for units."""

from mbsim.contracts import (
    EVENT_ACTIVE,
    EVENT_FACTOR,
    EVENT_FASTEST,
    EVENT_LARGEST,
    EVENT_LAST_RATE,
    EVENT_LAST_VALUE,
    EVENT_LEFT,
    EVENT_ROW,
    EVENT_ROWS,
    EVENT_UNKNOWN_RATE,
    EVENT_VALUE,
    EVENT_WIDTH,
    WORK,
)
from mbsim.integrators._settling_arrays import CLOSED, OPEN, SETTLING, TOUCHES
from mbsim.integrators._sides import NOISE, SIDE
from mbsim.jit import I1, helper, kernel, void

SIZE = 1e-3  # of what a gap is measured by, or of the largest effort up to 1: what is watched counts as at least so large


@kernel(void(WORK, I1, SETTLING))
def tell_modes(work, rows, s):
    """Fill the lines of Work.events of what is open and what is closed; rows (n,): of their multipliers, -1 where they do not hold."""
    events, largest = work.events, 0.0
    for i in range(s.gaps.shape[0]):
        press_line, holds = s.presses[i], s.mode[i] == CLOSED and rows[i] >= 0
        largest = max(largest, events[press_line, EVENT_LARGEST])
        for line in (s.gaps[i], s.speeds[i], press_line):
            events[line, EVENT_ACTIVE] = 0.0
            for k in range(EVENT_UNKNOWN_RATE, EVENT_WIDTH):
                events[line, k] = 0.0
        if s.mode[i] == OPEN and s.absent[i] == 0:
            events[s.gaps[i], EVENT_ACTIVE] = 1.0
        if holds:
            events[press_line, EVENT_ACTIVE] = events[press_line, EVENT_UNKNOWN_RATE] = 1.0
            events[press_line, EVENT_ROW], events[press_line, EVENT_ROWS] = rows[i] + 1.0, 1.0
            events[press_line, EVENT_FACTOR] = s.signs[i]
    s.watched[0] = largest


@helper
def set_side(events, line, near, unit):
    """Where an expression is zero but for round-off its side is that of the mode."""
    value, rate = events[line, EVENT_LAST_VALUE], events[line, EVENT_LAST_RATE]
    events[line, EVENT_FASTEST] = 0.0
    events[line, EVENT_LARGEST] = max(events[line, EVENT_LARGEST], SIZE * unit)
    if value <= near:
        events[line, EVENT_LAST_VALUE], events[line, EVENT_LEFT] = max(SIDE, value), 0.0
        if near > 0.0:  # a gap that opens: a rate against it is round-off
            events[line, EVENT_LAST_RATE] = max(0.0, rate)


@kernel(void(WORK, SETTLING))
def set_sides(work, s):
    """After the march has begun to look at its events: those of stops are on the sides of their modes (`mbsim.march.contact_telling`)."""
    events, largest = work.events, 0.0
    for i in range(s.gaps.shape[0]):
        largest = max(largest, abs(events[s.presses[i], EVENT_LAST_VALUE]))
    effort = min(largest, 1.0) if largest > 0.0 else 1.0
    for i in range(s.gaps.shape[0]):
        line = s.gaps[i]
        if events[line, EVENT_ACTIVE] != 0.0:
            set_side(events, line, TOUCHES * s.near[i], s.near[i])
            unseen = -events[line, EVENT_VALUE]
            if events[line, EVENT_LEFT] == 0.0 and events[line, EVENT_WIDTH] > 0.0 and unseen > 0.0:
                events[line, EVENT_LARGEST] = max(events[line, EVENT_LARGEST], 2.0 / NOISE * unseen)
        if events[s.presses[i], EVENT_ACTIVE] != 0.0:
            set_side(events, s.presses[i], 0.0, effort)
