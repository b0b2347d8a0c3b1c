"""`Work.settings`: how a run is solved; and the clock of a march.

The options of the method and of the integrator stand behind the common settings, in the order of their OPTIONS. Kernels name them by
`method_settings` and `integrator_settings`.
"""

from collections.abc import Mapping
from typing import Any

SETTING_DRIFT = 0  # one of the three below
SETTING_TOLERANCE = 1  # of constraints and iterations
SETTING_RHEONOMIC = 2  # whether constraints or loads depend on time
SETTING_STEP = 3  # s
SETTING_EVENT = 4  # how events are looked at, an EVENT constant
SETTING_INDEPENDENT = 5  # whether z holds other speeds than v (INDEPENDENT_SPEEDS of the method)
SETTING_CONTROLLED = 6  # whether the error of steps is controlled
SETTING_ORDER = 7  # of the steps; 0: not known
SETTING_STEP_ERROR = 8  # of a step, that is allowed, over its way
SETTING_VIBRATES = 9  # whether beams or elastic parts do, whose fastest motions no step resolves
SETTING_METHOD, SETTING_INTEGRATOR, SETTINGS = 10, 18, 26  # where the options begin, and the end
DRIFT_NONE, DRIFT_POSITION, DRIFT_FULL = 0.0, 1.0, 2.0

# The clock of a march. A new march starts at times[0] and zeros; one that goes on after a pause finds its own.
CLOCK_TIME = 0  # of the last accepted step
CLOCK_ROWS = 1  # the rows filled
CLOCK_STEPS = 2  # since the last row
CLOCK_REASON, CLOCK_BLAMED, CLOCK_REJECTED = 3, 4, 5  # with error control: why the trials of the next step failed
CLOCK_PARTS, CLOCK_PART = 6, 7  # with equal steps: into how many parts the step is cut, and how many of these are taken
CLOCK_NARROW = 8  # with equal steps: whether the step goes over one row only
# of a march that stops at samples (`integrators._sampled`): one of parts, each with a clock of its own, which stands behind these
CLOCK_OPEN = 9  # whether a part has begun and not ended
CLOCK_FROM = 10  # when it began
CLOCK_FIRST = 11  # the row that it begins with
CLOCK_KEPT = 12  # two output times in whose places those of the part are while it goes on
CLOCK_INNER = 14
CLOCK = CLOCK_INNER + CLOCK_OPEN


def _places(first: int, size: int, options: Mapping[str, object], names: tuple[str, ...]) -> tuple[int, ...]:
    if len(options) > size:
        raise ValueError(f"there is room for {size} options (got {len(options)})")
    return tuple(first + list(options).index(name) for name in names)


def method_settings(options: Mapping[str, object], *names: str) -> tuple[int, ...]:
    """Where in Work.settings a method's options are, of its OPTIONS. Raises ValueError for one that is not declared."""
    return _places(SETTING_METHOD, SETTING_INTEGRATOR - SETTING_METHOD, options, names)


def integrator_settings(options: Mapping[str, object], *names: str) -> tuple[int, ...]:
    """The same of an integrator's."""
    return _places(SETTING_INTEGRATOR, SETTINGS - SETTING_INTEGRATOR, options, names)


def choices(options: Mapping[str, Any], option: str, *words: str) -> tuple[float, ...]:
    """What stands in Work.settings for each of these words of an option. Raises ValueError for one that is no choice of it."""
    return tuple(float(options[option]["choices"].index(word)) for word in words)
