"""Which lines of Work.events tell of stops, contacts and frictions, and on which side of zero they are: for units."""

from mbsim.contracts import (
    ARRAYS,
    EVENT_ACTIVE,
    EVENT_FACTOR,
    EVENT_LARGEST,
    EVENT_LAST_VALUE,
    EVENT_LEFT,
    EVENT_OFFSET,
    EVENT_ROW,
    EVENT_ROWS,
    EVENT_UNKNOWN_RATE,
    EVENT_VALUE,
    EVENT_WIDTH,
    WORK,
)
from mbsim.integrators._settling_arrays import AT_REST, CLOSED, OPEN, SETTLING, SLIPS, STICKS, TOUCHES
from mbsim.integrators._sides import NOISE, set_side
from mbsim.jit import I1, helper, kernel, void


@helper
def clear_line(events, line):
    """Do not look at a line; nothing where there is none."""
    if line >= 0:
        events[line, EVENT_ACTIVE] = 0.0
        for k in range(EVENT_UNKNOWN_RATE, EVENT_WIDTH):
            events[line, k] = 0.0


@helper
def watch_line(events, line, row, factor, offset):
    """Look at an effort, of the multiplier of a row; nothing where there is no such line or row."""
    if line >= 0 and row >= 0:
        events[line, EVENT_ACTIVE] = events[line, EVENT_UNKNOWN_RATE] = events[line, EVENT_ROWS] = 1.0
        events[line, EVENT_ROW], events[line, EVENT_FACTOR], events[line, EVENT_OFFSET] = row + 1.0, factor, offset


@helper
def set_gap_side(events, line, near, unseen):
    """What is open and looked at is open where it is zero; where it is behind zero by `unseen` it does not close before twice as deep."""
    if line >= 0 and events[line, EVENT_ACTIVE] != 0.0:
        set_side(events, line, 1.0, TOUCHES * near, near)
        if events[line, EVENT_LEFT] == 0.0 and events[line, EVENT_WIDTH] > 0.0 and unseen > 0.0:
            events[line, EVENT_LARGEST] = max(events[line, EVENT_LARGEST], 2.0 / NOISE * unseen)


@kernel(void(ARRAYS, WORK, I1, SETTLING))
def tell_modes(arrays, work, rows, s):
    """Fill the lines of Work.events of what is watched, and the efforts of what slips; rows (n,): of multipliers, -1 where none holds."""
    events, largest = work.events, 0.0
    for i in range(s.speeds.shape[0]):
        gap, speed, effort = s.gaps[i], s.speeds[i], s.efforts_left[i]
        largest = max(largest, events[effort, EVENT_LARGEST])
        for line in (speed, effort, gap):
            clear_line(events, line)
        arrays.parameters[s.places[i]] = -s.slip[i] * s.bound[i] if s.mode[i] == SLIPS else 0.0
        kept = s.brake[i] >= 0 and s.mode[s.brake[i]] == STICKS
        if s.rubs[i] == 0 and s.mode[i] == OPEN and s.absent[i] == 0 and not kept:
            events[gap, EVENT_ACTIVE] = 1.0
        if s.mode[i] == SLIPS:
            events[speed, EVENT_ACTIVE] = 1.0
        if s.mode[i] in (CLOSED, STICKS):
            watch_line(events, effort, rows[i], 0.0 if s.rubs[i] else s.signs[i], s.static[i] if s.rubs[i] else 0.0)
    s.watched[0] = largest


@kernel(void(WORK, SETTLING))
def set_sides(work, s):
    """After the march has begun to look at its events: those of stops are on the sides of their modes (`mbsim.march.contact_telling`)."""
    events, largest = work.events, 0.0
    for i in range(s.speeds.shape[0]):
        largest = max(largest, abs(events[s.efforts_left[i], EVENT_LAST_VALUE]))
    unit = min(largest, 1.0) if largest > 0.0 else 1.0
    for i in range(s.speeds.shape[0]):
        gap, speed, effort = s.gaps[i], s.speeds[i], s.efforts_left[i]
        set_gap_side(events, gap, s.near[i], -events[gap, EVENT_VALUE])
        if events[speed, EVENT_ACTIVE] != 0.0:
            set_side(events, speed, s.slip[i], AT_REST, 1.0)
        if events[effort, EVENT_ACTIVE] != 0.0:
            set_side(events, effort, 1.0, 0.0, unit)
