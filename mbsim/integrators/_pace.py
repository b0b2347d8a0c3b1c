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
)
from mbsim.jit import helper

UNKNOWN_RATE = 8.0  # what changes of an effort count: half its largest size in a step is RESTLESS
RESTLESS, MOST_PARTS = 4.0, 64  # times its largest size that an expression may run through in a step without looks in between; parts
NEW = 8  # parts of a step at whose start an effort is watched for the first time, until its pace is known
KNOWN = 1e-300  # the pace of an effort that has not changed yet


@helper
def restlessness(events, k, h, seen):
    """How many times its largest size an expression may run through in h, by its rate in the last steps, and where its end is `seen` there.

    The rate of an effort is not known, and what it holds at rest leaves steps as long as they like: so its changes count several times.
    """
    value, rate = (events[k, EVENT_VALUE], events[k, EVENT_RATE]) if seen else (events[k, EVENT_LAST_VALUE], events[k, EVENT_LAST_RATE])
    if events[k, EVENT_UNKNOWN_RATE] != 0.0 and h > 0.0:
        rate = UNKNOWN_RATE * max(events[k, EVENT_FASTEST], abs(value - events[k, EVENT_LAST_VALUE]) / h)
    else:
        rate = max(events[k, EVENT_FASTEST], abs(rate))
    size = max(events[k, EVENT_LARGEST], abs(value))
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
def keep_pace(events, k, value, h):
    """Keep how fast an effort, whose rate is not known, has changed in h."""
    if events[k, EVENT_UNKNOWN_RATE] != 0.0:
        events[k, EVENT_FASTEST] = max(abs(value - events[k, EVENT_LAST_VALUE]) / h, 0.5 * events[k, EVENT_FASTEST], KNOWN)
