"""Where a stop expression crosses zero within one step of the march: the integrator itself is asked again with shorter steps.

Where it crosses twice, the first crossing is found too: between two states with the same sign it turns where its rate is zero.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from mbsim import contracts
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.pieces import March
from mbsim.system.system import Floats, System
from mbsim.system.tables import complaint, forget

PRECISION, PART = 1e-10, 1e-8  # s, and of the step: the smaller one; the crossing is promised to 1e-9


Look = Callable[[float], tuple[float, float]]  # t -> the expression and its rate, marched to from the last accepted state


class _Past(Exception):
    """A time at which the expression has crossed zero."""

    def __init__(self, time: float) -> None:
        super().__init__()
        self.time = time


def crossing(look: Look, last: Floats, new: Floats) -> float | None:
    """The time of the first crossing after the last accepted step; None where the expression turns before it reaches zero.

    `last` and `new` are the expression, its rate and the time before and after a step over a crossing or a turn. Raises ValueError when the
    expression is not a number there.
    """
    after: float | None = float(new[contracts.EVENT_TIME])
    before = float(last[contracts.EVENT_VALUE])
    if before * new[contracts.EVENT_VALUE] > 0.0:
        after = _find_turn(look, last, new)
    return None if after is None else locate(lambda t: look(t)[0], float(last[contracts.EVENT_TIME]), after, before)


def _find_turn(look: Look, last: Floats, new: Floats) -> float | None:
    """A time between two states with the same sign at which the expression has crossed zero, if it has at its turn."""
    from scipy.optimize import brentq  # a fifth of a second to import, and few runs need it

    start, end, at_start = float(last[contracts.EVENT_TIME]), float(new[contracts.EVENT_TIME]), float(last[contracts.EVENT_RATE])

    def rate(t: float) -> float:
        if t == start:
            return at_start
        value, rate = look(t)
        if not last[contracts.EVENT_VALUE] * value > 0.0:
            raise _Past(t)
        return rate

    try:
        if at_start * rate(end) < 0.0:
            rate(float(brentq(rate, start, end, xtol=_precision(start, end), rtol=4 * np.finfo(float).eps)))
    except _Past as past:
        return past.time
    return None


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

    return float(brentq(known, before, after, xtol=_precision(before, after), rtol=4 * np.finfo(float).eps))


def _precision(before: float, after: float) -> float:
    """How closely (s) a crossing within a step is located."""
    return min(PRECISION, PART * abs(after - before)) or PRECISION


def with_stop(system: System, stop: str | None, parameters: Mapping[str, float]) -> System:
    """The system with a stop expression compiled in. Raises ValueError for one that cannot be read."""
    if stop is None:
        return system
    from mbsim.system.event import event_function, stop_expression

    names = list(parameters)
    event = event_function(stop_expression(system, stop, names), names, system.coordinates, system.speeds)
    return replace(system, functions=system.functions._replace(event=event))


class StopExpression:
    """The stop expression of a run; of a run without one a constant."""

    def __init__(self, formulation: Formulation, new_march: Callable[[], March]) -> None:
        """`new_march` makes a march like the run's, by which a crossing is located."""
        self._system, self._work, self._width, self._new_march = formulation.system, formulation.work, formulation.width, new_march

    def begin(self, at: float, row: Floats) -> None:
        """Evaluate it at the start, whose output row is given. Raises Stopped where it is not a number."""
        event = self._work.event
        forget(self._system)
        event[contracts.EVENT_LAST : contracts.EVENT_LAST + contracts.EVENT_SIZE] = *self._value(at, row), at
        event[contracts.EVENT_LOOKED] = -np.inf
        if not np.isfinite(event[contracts.EVENT_LAST]):
            raise Stopped(self._because("the stop expression is not finite"))

    def end(self, at: float, times: Floats, z: Floats) -> tuple[Floats, Floats] | None:
        """Output times and rows from the last accepted state z at `at` to where the expression crosses zero, the last row.

        None where it only came near: then the march goes on from z. `times` are the output times ahead. Raises Stopped where the
        expression is not a number.
        """
        forget(self._system)
        try:
            return self._located(at, times, z)
        except ValueError as error:
            raise Stopped(self._because(str(error))) from None

    def _located(self, at: float, times: Floats, z: Floats) -> tuple[Floats, Floats] | None:
        work, snapshot = self._work, Snapshot(self._work, z)
        last, new = (work.event[i : i + contracts.EVENT_SIZE].copy() for i in (contracts.EVENT_LAST, contracts.EVENT_NEW))

        def again(times: Floats) -> Floats:
            snapshot.restore()
            work.settings[contracts.SETTING_EVENT], work.status[contracts.STATUS_CHANGED] = 0.0, 1
            rows, march = np.zeros((len(times), self._width)), self._new_march()
            if march(np.array([at, *times]), z, rows) < len(rows):
                raise march.error or Stopped
            return rows

        end = crossing(lambda t: self._value(t, again(np.array([t]))[0]), last, new)
        if end is None:
            snapshot.restore()
            work.event[contracts.EVENT_LOOKED], work.status[contracts.STATUS_CHANGED] = new[contracts.EVENT_TIME], 1
            return None
        found = np.array([*(t for t in times if t < end - 1e-12 * max(1.0, abs(end))), end])
        return found, again(found)

    def _value(self, at: float, row: Floats) -> tuple[float, float]:
        """The expression and its rate at an output row."""
        system, out = self._system, np.zeros(2)
        q, v, v_dot = np.split(row, np.cumsum([system.n_q, system.n_v, system.n_v]))[:3]
        system.functions.event(system.arrays, at, q, v, system.rates(at, q, v), v_dot, out)
        return float(out[0]), float(out[1])

    def _because(self, reason: str) -> str:
        """The reason, with the tables that were asked outside of their range."""
        return ": ".join(filter(None, [reason, complaint(self._system)]))


class Snapshot:
    """A copy of what a march changes, to march again from the same state."""

    def __init__(self, work: contracts.Work, z: Floats) -> None:
        self._arrays = [*_flat(work), z]
        self._copies = [x.copy() for x in self._arrays]
        self._counts = work.counts

    def restore(self) -> None:
        """Put everything back but the counts: what locating costs is counted."""
        for array, copy in zip(self._arrays, self._copies, strict=True):
            if array is not self._counts:
                array[...] = copy


def _flat(work: contracts.Work) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    for x in work:
        found += [x] if isinstance(x, np.ndarray) else x
    return found
