"""What is left of efforts that hold stops, contacts and frictions: events that multipliers tell, not an expression."""

from math import nan, sqrt

from mbsim.contracts import (
    EVENT_FACTOR,
    EVENT_GROUP,
    EVENT_GROUPS,
    EVENT_OFFSET,
    EVENT_RATE,
    EVENT_ROW,
    EVENT_ROWS,
    EVENT_VALUE,
)
from mbsim.jit import helper
from mbsim.kernels.slipping import bound_of_groups


@helper
def left_of_effort(work, k, lam):
    """What is left of the effort that line k of Work.events tells of, with these multipliers."""
    events = work.events
    row, square, factor = int(events[k, EVENT_ROW]) - 1, 0.0, events[k, EVENT_FACTOR]
    for i in range(row, row + int(events[k, EVENT_ROWS])):
        square += lam[i] * lam[i]
    left = -sqrt(square) if factor == 0.0 else factor * lam[row]
    first = int(events[k, EVENT_GROUP])
    return events[k, EVENT_OFFSET] + bound_of_groups(work, lam, first, first + int(events[k, EVENT_GROUPS])) + left


@helper
def look_at_efforts(work):
    """Fill the lines of Work.events that tell it, from the multipliers of the last evaluation. Their rates are not known."""
    events = work.events
    for k in range(events.shape[0]):
        if events[k, EVENT_ROW] > 0.0:
            events[k, EVENT_VALUE], events[k, EVENT_RATE] = left_of_effort(work, k, work.lam), nan
