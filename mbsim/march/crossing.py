"""Where within a step the expression of an event crosses zero, by values and rates that a march is asked for."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mbsim.integrators._sides import SIDE

HALVES = 40  # of a step, after which an expression that was zero has not shown that it left zero
SHORTEST = 1e-10  # s, or of the time: so soon after a restart nothing is looked at, as solvers of libraries take no shorter steps
PARTS = 4  # halvings of a step after which an expression that was zero, and is so at its end, has not been away

Look = Callable[[float], tuple[float, float]]  # t -> an expression and its rate, marched to from the last accepted state


class Ends(NamedTuple):
    """An expression at both ends of a step."""

    start: float  # s
    before: float
    rate: float
    end: float  # s
    after: float


class _Past(Exception):
    """A time at which the expression has crossed zero."""

    def __init__(self, time: float) -> None:
        super().__init__()
        self.time = time


def crossing(look: Look, ends: Ends, sense: float, still: float = 0.0) -> float | None:
    """The time of the first crossing in a step that counts; None where there is none: the expression turns before it reaches zero, or it
    was zero and goes no farther than `still` beyond, as a gap does that opens slowly and whose row has drifted.

    `sense` as in Work.events. Raises ValueError when the expression is not a number there.
    """
    side = np.sign(ends.before) or np.sign(ends.rate)
    start, past = ends.start, ends.end
    if side * ends.after > 0.0:
        found = _find_turn(look, ends, side)
        if found is None:
            return None
        past = found
    if past == ends.end and abs(ends.after) <= still and not _left(look, ends, side, still):
        return None
    if sense in (0.0, -side):
        return _located(look, start, past, side, abs(ends.before) > SIDE)
    return None if past == ends.end else _located(look, past, ends.end, -side, True)


def _left(look: Look, ends: Ends, side: float, still: float) -> bool:
    """Whether an expression that was zero has been farther than `still` on its side, and come back."""
    return any(side * look(ends.start + (ends.end - ends.start) * 0.5**k)[0] > still for k in range(1, PARTS))


def _located(look: Look, before: float, after: float, side: float, leaves: bool) -> float:
    """The time at which an expression on a `side` of zero at `before` is zero; where it does not `leave` from zero, `before` itself."""
    if leaves:
        return locate(lambda t: look(t)[0], before, after, side)
    span = after - before
    for k in range(1, HALVES):
        t = before + span * 0.5**k
        if t - before < SHORTEST * max(1.0, abs(before)):
            break
        if side * look(t)[0] > 0.0:
            return locate(lambda t: look(t)[0], t, after, side)
    return before


def _find_turn(look: Look, ends: Ends, side: float) -> float | None:
    """A time between two states with the same sign at which the expression has crossed zero, if it has at its turn."""
    from scipy.optimize import brentq  # a fifth of a second to import, and few runs need it

    start, end = ends.start, ends.end

    def rate(t: float) -> float:
        if t == start:
            return ends.rate
        value, rate = look(t)
        if not side * value > 0.0:
            raise _Past(t)
        return rate

    try:
        if ends.rate * rate(end) < 0.0:
            rate(float(brentq(rate, start, end, xtol=_precision(start, end), rtol=4 * np.finfo(float).eps)))
    except _Past as past:
        return past.time
    return None


def locate(value: Callable[[float], float], before: float, after: float, at_start: float) -> float:
    """The time in [before, after] at which `value(t)` is zero; `at_start` has its sign at `before`.

    Of one that jumps over zero, as friction that holds where a load begins at once, the first time after the jump: what happens is decided
    by what is there then. Raises ValueError when the expression is not a number there.
    """
    from scipy.optimize import brentq  # a fifth of a second to import, and few runs need it

    at_end = value(after)
    if not np.isfinite(at_end):
        raise ValueError("is not finite")
    if at_start * at_end > 0.0:  # a step of another size than the one that crossed, so close that it does not
        return after

    values, first = {before: at_start, after: at_end}, before + SHORTEST * max(1.0, abs(before))

    def known(t: float) -> float:
        if t not in values:
            values[t] = value(t) if t >= first else at_start
        return values[t]

    at = float(brentq(known, before, after, xtol=_precision(before, after), rtol=4 * np.finfo(float).eps))
    return min(t for t, found in values.items() if at_start * found <= 0.0) if at_start * known(at) > 0.0 else at


def _precision(before: float, after: float) -> float:
    """How closely (s) a crossing within a step is located: to the spacing of numbers, which the last iterations reach at once."""
    return 4.0 * float(np.spacing(max(abs(before), abs(after))))
