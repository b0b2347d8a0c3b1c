"""How fast watched expressions change, and how often a step looks at them: between two looks a crossing and back would not be seen."""

import numpy as np

from mbsim.contracts import (
    EVENT_ACTIVE,
    EVENT_FASTEST,
    EVENT_LARGEST,
    EVENT_LAST_RATE,
    EVENT_LAST_VALUE,
    EVENT_RATE,
    EVENT_UNKNOWN_RATE,
    EVENT_VALUE,
    EVENT_WIDTH,
)
from mbsim.jit import helper

UNKNOWN_RATE = 8.0  # what changes of an effort count: half its largest size in a step is RESTLESS
RESTLESS, MOST_PARTS = 4.0, 64  # times its largest size that an expression may run through in a step without looks in between; parts
NEW = 8  # parts, at least, of a step at whose start an effort is watched for the first time
FINER = 4  # times that a part may be cut anew
UNEVEN = 0.6180339887498949  # parts are longer and shorter by the multiples of this less whole numbers, less a half
KNOWN = 1e-300  # the pace of an effort that has not changed yet


@helper
def restlessness(events, k, h, seen):
    """How many times its largest size an expression may run through in h, by its rate in the last steps, and where its end is `seen` there.

    The rate of an effort is not known, and what it holds at rest leaves steps as long as they like: so its changes count several times.
    A gap may run through something thin and be open again, however large it was: RESTLESS is then to where that ends.
    """
    value, rate = (events[k, EVENT_VALUE], events[k, EVENT_RATE]) if seen else (events[k, EVENT_LAST_VALUE], events[k, EVENT_LAST_RATE])
    if events[k, EVENT_UNKNOWN_RATE] != 0.0 and h > 0.0:
        rate = UNKNOWN_RATE * max(events[k, EVENT_FASTEST], abs(value - events[k, EVENT_LAST_VALUE]) / h)
    else:
        rate = max(events[k, EVENT_FASTEST], abs(rate))
    size = max(events[k, EVENT_LARGEST], abs(value))
    if events[k, EVENT_WIDTH] > 0.0:
        size = min(size, (abs(events[k, EVENT_LAST_VALUE]) + events[k, EVENT_WIDTH]) / RESTLESS)
    return rate * h / size if events[k, EVENT_ACTIVE] != 0.0 and size > 0.0 and rate < np.inf else 0.0


@helper
def is_new(events):
    """Whether the pace of an effort is not known."""
    found = 0
    for k in range(events.shape[0]):
        found += events[k, EVENT_UNKNOWN_RATE] != 0.0 and events[k, EVENT_ACTIVE] != 0.0 and events[k, EVENT_FASTEST] == 0.0
    return found > 0


@helper
def parts_of(events, h, seen):
    """Into how many parts a step of length h is cut, at whose ends events are looked at."""
    most = 0.0
    for k in range(events.shape[0]):
        most = max(most, restlessness(events, k, h, seen))
    return 1 if most <= RESTLESS else min(MOST_PARTS, int(most) + 1)


@helper
def next_look(low, after, parts, looks):
    """When to look next in the part of a step from `low` to `after` that is cut into so many `parts`, after so many `looks` in the step.

    The parts are uneven: a load that swings in step with even ones would always look the same, as sin(4 pi t) does at each 1/4 s.
    """
    if parts <= 1:
        return after
    uneven = UNEVEN * (looks + 1)
    return low + (after - low) / parts * (0.5 + uneven - np.floor(uneven))


@helper
def keep_pace(events, k, value, h):
    """Keep how fast an effort, whose rate is not known, has changed in h."""
    if events[k, EVENT_UNKNOWN_RATE] != 0.0:
        events[k, EVENT_FASTEST] = max(abs(value - events[k, EVENT_LAST_VALUE]) / h, 0.5 * events[k, EVENT_FASTEST], KNOWN)
