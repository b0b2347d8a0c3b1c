"""All lines of Work.events at once, where Python looks at them: of a heap they are thousands."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.assembly.assembled import Planned
from mbsim.integrators._sides import NOISE
from mbsim.system.system import Floats

SENSES = {"down": -1.0, "any": 0.0, "up": 1.0}
# columns of what an event is, whatever it has been
TOLD = [contracts.EVENT_SENSE, contracts.EVENT_ACTS, contracts.EVENT_UNKNOWN_RATE, contracts.EVENT_WIDTH, contracts.EVENT_ONCE]


@lru_cache(16)
def told_of(planned: Planned) -> Floats:
    """The columns TOLD of the events of a model (n, 5). A run through contacts asks for those of one model again and again."""
    solved = planned.solved or (False,) * len(planned.events)
    lines = [(SENSES[e.direction], e.acts, x, e.width, e.once) for e, x in zip(planned.events, solved, strict=True)]
    return np.array(lines, float).reshape(-1, len(TOLD))


@lru_cache(16)
def sizes_of(planned: Planned) -> Floats:
    """The sizes of what the events of a model look at (n,), as of `told_of`."""
    return np.array([event.size for event in planned.events], float)


def keep_all(lines: Floats, values: Floats, rates: Floats) -> None:
    """What `integrators._seek.keep_values` does of each line."""
    size, largest = np.abs(values), lines[:, contracts.EVENT_LARGEST]
    np.maximum(largest, size, out=largest)
    left = (lines[:, contracts.EVENT_LEFT] != 0.0) | (size > NOISE * largest)
    lines[left, contracts.EVENT_LAST_VALUE], lines[left, contracts.EVENT_LEFT] = values[left], 1.0
    lines[:, contracts.EVENT_LAST_RATE] = rates
    known = ~np.isnan(rates)
    lines[known, contracts.EVENT_FASTEST] = np.maximum(np.abs(rates), 0.5 * lines[:, contracts.EVENT_FASTEST])[known]


def over_zero(lines: Floats, before: Floats, after: Floats) -> NDArray[np.int64]:
    """Which active lines a change of state carries over zero, from the values before to those after it, in their sense.

    Not by round-off: the gap of faces that touch and do not press is zero but for that.
    """
    beyond = np.abs(after) > NOISE * lines[:, contracts.EVENT_LARGEST]
    sense, active = lines[:, contracts.EVENT_SENSE], (lines[:, contracts.EVENT_ACTIVE] != 0.0) & beyond
    up, down = (before < 0.0) & (after > 0.0) & (sense >= 0.0), (before > 0.0) & (after < 0.0) & (sense <= 0.0)
    return np.flatnonzero(active & (up | down))
