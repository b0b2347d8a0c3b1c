"""Where a stop expression crosses zero within one step of the march: the integrator itself is asked again with shorter steps."""

from collections.abc import Callable

import numpy as np

from mbsim import jit
from mbsim.system.system import Floats

PRECISION = 1e-10  # s; the crossing is promised to 1e-9


def locate(value: Callable[[float], float], before: float, after: float, at_start: float) -> float:
    """The time in [before, after] at which `value(t)` is zero; `at_start` is its value at `before`, not zero.

    Raises ValueError when the expression is not a number there.
    """
    from scipy.optimize import brentq  # a fifth of a second to import, and few runs need it

    at_end = value(after)
    if not np.isfinite(at_end):
        raise ValueError("the stop expression is not finite")
    if at_start * at_end > 0.0:  # a step of another size than the one that crossed, so close that it does not
        return after

    def known(t: float) -> float:
        return at_start if t == before else at_end if t == after else value(t)

    return float(brentq(known, before, after, xtol=PRECISION, rtol=4 * np.finfo(float).eps))


class Snapshot:
    """A copy of what a march changes, to march again from the same state."""

    def __init__(self, work: jit.Work, z: Floats) -> None:
        self._arrays = [*_flat(work), z]
        self._copies = [x.copy() for x in self._arrays]
        self._counts = work.counts

    def restore(self) -> None:
        """Put everything back but the counts: what locating costs is counted."""
        for array, copy in zip(self._arrays, self._copies, strict=True):
            if array is not self._counts:
                array[...] = copy


def _flat(work: jit.Work) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    for x in work:
        found += x if isinstance(x, tuple) else [x]
    return found
