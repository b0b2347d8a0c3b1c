"""On which side of zero the expressions of events are, and which of them may have crossed it first: by values and rates alone.

An expression of an event is known at the last time up to which events were looked for, and at a later one, its high end: values and rates.
The cubic through both foresees where it is zero between them, or where it turns. A look between them (`_seek`) costs a trial of a step. So
those events are looked at first that the cubics have first: a box that falls flat has eight corners beyond zero at the end of a step, and
where one of them has met the floor, the others have not.
"""

from math import inf

import numpy as np

from mbsim.contracts import (
    EVENT_ACTIVE,
    EVENT_FASTEST,
    EVENT_HAPPENS,
    EVENT_HIGH_RATE,
    EVENT_HIGH_VALUE,
    EVENT_LARGEST,
    EVENT_LAST_RATE,
    EVENT_LAST_VALUE,
    EVENT_LEFT,
    EVENT_SENSE,
)
from mbsim.integrators._corners import passage, turn
from mbsim.jit import helper

NOISE = 1e-11  # of the largest size of an expression: what it must have left zero by, to be zero anew
TOGETHER = 1e-10  # s: events that are located so near to each other happen at one time
SIDE = 1e-300  # an expression that is zero, with the side on which it counts
SIZE = 1e-3  # of what a gap is measured by, or of the largest effort up to 1: what is watched counts as at least so large
# What EVENT_HAPPENS holds during a search: not looked at; up to this high end; up to one that was later; and twice, which is enough.
NEVER, LOOKED, AGAIN, DONE = 0.0, 1.0, 2.0, 3.0


@helper
def turns(a, b, ra, rb, h):
    """Whether an expression may have crossed zero twice between two states with values a, b of the same sign and rates ra, rb, h apart.

    The cubic through both values and rates turns at a value that is past zero, or nearer to zero than to the values at the ends.
    """
    sign = 1.0 if b > 0.0 else -1.0
    return sign * rb > 0.0 and turn(sign * a, sign * b, sign * h * ra, sign * h * rb) >= 0.0


@helper
def side_before(events, k):
    """On which side of zero an expression was: 1, -1, or 0 where it was zero and leads nowhere."""
    a = events[k, EVENT_LAST_VALUE]
    a = a if a != 0.0 else events[k, EVENT_LAST_RATE]
    return 1.0 if a > 0.0 else -1.0 if a < 0.0 else 0.0


@helper
def may_happen(events, k, b, rb, h):
    """Whether event k may have happened between the last values and b, rb, a time h later.

    An expression that was zero at the start or after an event has the sign to which it leads: coming back is a crossing, leaving is none.
    """
    a = events[k, EVENT_LAST_VALUE]
    if a * b > 0.0 and b * rb <= 0.0:  # most events, at most steps
        return False
    if events[k, EVENT_ACTIVE] == 0.0:
        return False
    if np.isnan(b):
        return True
    if events[k, EVENT_LEFT] == 0.0 and abs(b) <= NOISE * events[k, EVENT_LARGEST]:
        return False
    side = side_before(events, k)
    if side * b < 0.0 or (b == 0.0 and a != 0.0):
        return side * events[k, EVENT_SENSE] <= 0.0
    return a * b > 0.0 and turns(a, b, events[k, EVENT_LAST_RATE], rb, h)


@helper
def root(a, b, ra, rb):
    """Where in (0, 1) the cubic with these values and rates at its ends, a >= 0 > b, is zero, to round-off."""
    x = passage(a, b, ra, rb)
    second, third = 3.0 * (b - a) - 2.0 * ra - rb, 2.0 * (a - b) + ra + rb
    slope = ra + x * (2.0 * second + 3.0 * x * third)
    next = x - (a + x * (ra + x * (second + x * third))) / slope if slope < 0.0 else x
    return next if 0.0 < next < 1.0 else x


@helper
def by_slopes(a, b, falls, sinks, otherwise):
    """Where in (0, 1) an expression with values a > 0 >= b at the ends is zero, by the slope on that side from which it is less far.

    The efforts of what slips have another slope behind zero than before it: a line through both sides would come nearer by a part only.
    """
    ahead = -a / falls if falls < 0.0 else inf
    back = b / sinks if sinks < 0.0 else inf
    if ahead < 1.0 and ahead <= back:
        return ahead
    return 1.0 - back if 0.0 < back < 1.0 else otherwise


@helper
def leaving(b, ra, rb):
    """Where in (0, 1) the cubic that begins at zero with a rate ra is zero again, before its value b <= 0 with rate rb; 1 if not known."""
    if not (0.0 < ra < inf and abs(rb) < inf):
        return 1.0
    second, third = 3.0 * b - 2.0 * ra - rb, ra + rb - 2.0 * b  # ra + second x + third x^2, which is b at 1
    return min(1.0, 2.0 * ra / (np.sqrt(max(0.0, second * second - 4.0 * third * ra)) - second))


@helper
def foreseen(events, k, h):
    """Where in [0, 1] of a time h the cubic has an event that may have happened."""
    side = side_before(events, k)
    a, ra = side * events[k, EVENT_LAST_VALUE], side * h * events[k, EVENT_LAST_RATE]
    b, rb = side * events[k, EVENT_HIGH_VALUE], side * h * events[k, EVENT_HIGH_RATE]
    if b > 0.0:
        return max(0.0, turn(a, b, ra, rb))
    if a <= SIDE:
        return leaving(b, ra, rb) if ra > 0.0 else 0.0
    return root(a, b, ra, rb) if abs(ra) < inf and abs(rb) < inf else a / (a - b)


@helper
def earliest(events, h, first):
    """The event to look at next: that which may have happened first within a time h; -1 for none. `first` happens at its end, or is -1."""
    found, soonest = -1, inf
    for k in range(events.shape[0]):
        value, rate, looked = events[k, EVENT_HIGH_VALUE], events[k, EVENT_HIGH_RATE], events[k, EVENT_HAPPENS]
        if k == first or looked in (LOOKED, DONE) or not may_happen(events, k, value, rate, h):
            continue
        if looked == AGAIN and (abs(value) <= NOISE * events[k, EVENT_LARGEST] or abs(value) <= TOGETHER * abs(rate)):
            continue
        at = foreseen(events, k, h)
        if not at >= soonest:
            found, soonest = k, at
    return found


@helper
def set_side(events, line, side, near, unit):
    """Where an expression is zero but for round-off its side is that of the mode."""
    value, rate = side * events[line, EVENT_LAST_VALUE], side * events[line, EVENT_LAST_RATE]
    events[line, EVENT_FASTEST] = 0.0
    events[line, EVENT_LARGEST] = max(events[line, EVENT_LARGEST], SIZE * unit)
    if value <= near:
        events[line, EVENT_LAST_VALUE], events[line, EVENT_LEFT] = side * max(SIDE, value), 0.0
        if near > 0.0:  # a gap that opens, a slip that begins: a rate against it is round-off
            events[line, EVENT_LAST_RATE] = side * max(0.0, rate)
