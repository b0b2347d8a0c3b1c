"""The events of a run as its march sees them. Compiled marches find where they happen themselves (`integrators._seek`).

For a solver of a library, and where such a search fails, they are found here: the march is asked again with shorter steps. An expression
that crosses zero twice in a step is found too: between two states with the same sign it turns where its rate is zero. After an event, and
where one begins, an expression counts as on the side to which its rate leads, or on which it was where that leads nowhere.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from mbsim import contracts, registry
from mbsim.assembly.assembled import Planned
from mbsim.integrators._efforts import left_of_effort
from mbsim.integrators._pace import FINER, MOST_PARTS, NEW, is_new, keep_pace, next_look, parts_of
from mbsim.integrators._seek import JUMPED
from mbsim.integrators._sides import NOISE, SIDE, TOGETHER, may_happen
from mbsim.jit import GIVEN, bound
from mbsim.march.crossing import Ends, crossing
from mbsim.march.ending import Stopped
from mbsim.march.event_lines import TOLD, keep_all, sizes_of, told_of
from mbsim.march.formulation import Formulation
from mbsim.march.output_times import SAME_TIME
from mbsim.march.pieces import March
from mbsim.march.settings import Settings
from mbsim.march.snapshots import Snapshot
from mbsim.march.wrong_settings import OWN
from mbsim.system.switches import LawText
from mbsim.system.system import Floats, System
from mbsim.system.tables import complaint, forget

EXCEEDS = 1e-9  # of the largest multiplier: an effort beyond its bound by less is round-off
STILL = 1e-9  # of the size of a gap: one that was zero, and that goes no farther against its side, has not left zero


class Found(NamedTuple):
    """Events that happened at one time: the last of `times`."""

    times: Floats  # (k,) the output times up to there that were not reached yet, and that of the events
    rows: Floats  # (k, width)
    which: list[int]  # places in Work.events
    sides: Floats  # of all expressions before: 1 or -1, 0 where none is known


class Noted(NamedTuple):
    """An event that acts on nothing."""

    time: float  # s
    which: int  # its place in Work.events
    row: Floats  # (width,)


class Just(NamedTuple):
    """Events that have just happened, from which a march goes on: where nothing moved it, an expression is zero but for round-off."""

    which: Sequence[int]
    sides: Floats  # as of Found
    sizes: Floats  # of all expressions at the event


def with_events(system: System, settings: Settings, parameters: Mapping[str, float], planned: Planned | None) -> tuple[System, float]:
    """The system with the stop expression of a run and events compiled in, and how its steps look at them: an EVENT constant.

    Raises ValueError for an expression that cannot be read.
    """
    stop = settings.stop
    if stop is None and planned is None:
        return system, contracts.EVENT_NONE
    from mbsim.system.event import event_code, stop_expression, stop_text

    names = list(parameters)
    ends = None if stop is None else stop_expression(system, stop, names)
    key: list[object] = [] if ends is None else [names, system.coordinates, system.speeds, ends.key]
    key += [] if system.units is None else [sorted(system.units.told)]
    key += [] if planned is None else planned.key

    def texts() -> list[LawText]:
        first = [] if ends is None else [stop_text(system, ends, names)]
        return first if planned is None else [*first, *planned.texts()]

    measure, reactions = ("", ()) if planned is None else (planned.measure, planned.reactions)
    code = event_code(key, texts, measure, reactions, system.dimension == 2)
    own = settings.integrator == OWN
    known = not own and registry.declaration("integrators", settings.integrator, "LOCATES", False)  # at the end of each step
    independent = registry.declaration("methods", settings.method, "INDEPENDENT_SPEEDS", False)
    asks = code.reads_speeds and not known and (own or independent)
    asks |= planned is not None and (any(planned.solved) or planned.has_unilaterals)  # which watch multipliers
    count = (ends is not None) + (0 if planned is None else len(planned.events))
    noted = 0 if planned is None else int(np.sum(told_of(planned)[:, TOLD.index(contracts.EVENT_ACTS)] == 0.0))
    functions, arrays = system.functions._replace(event=code.function), system.arrays._replace(**code.arrays)
    made = replace(system, functions=functions, arrays=arrays, n_events=count, n_noted=noted)
    return made, contracts.EVENT_ASKS if asks else contracts.EVENT_LOOKS


class Events:
    """The events of a run as a march sees them; of a run without any none happen."""

    def __init__(
        self, formulation: Formulation, new_march: Callable[[], March], looking: float, stop: str | None, planned: Planned | None
    ) -> None:
        """`looking` as of `with_events`; `new_march` makes a march like the run's, by which a crossing is located."""
        self._formulation, self._system, self._work = formulation, formulation.system, formulation.work
        self._solves = planned is not None and any(planned.solved)
        self._width, self._new_march = formulation.width, new_march
        events = [] if planned is None else list(planned.events)
        self.stop_expression = stop is not None
        self._planned = events
        self._quick = planned is not None and planned.has_unilaterals  # kernels look at states: events follow each other quickly
        lines, first = self._work.events, int(self.stop_expression)
        lines[:first, TOLD], lines[:first, contracts.EVENT_ACTS] = 0.0, 1.0
        if planned is not None:
            lines[first:, TOLD] = told_of(planned)
        self._still = np.concatenate([np.zeros(first), STILL * (np.zeros(0) if planned is None else sizes_of(planned))])
        self._notes: list[Noted] = []
        self._looking = self._work.settings[contracts.SETTING_EVENT] = looking
        self.goes_on: Callable[[float, Floats], bool] = lambda at, z: False  # whether a march does from z after a step that it refused

    def __len__(self) -> int:
        return self.stop_expression + len(self._planned)

    def _name(self, k: int) -> str:
        """What messages call it."""
        return "the stop expression" if k < self.stop_expression else f"the event '{self._planned[k - self.stop_expression].name}'"

    def begin(self, at: float, row: Floats, just: Just | None = None) -> None:
        """Evaluate all at the output row of a state from which a march goes on. Raises Stopped where one is not a number."""
        if not len(self):
            return
        work = self._work
        forget(self._system)
        work.settings[contracts.SETTING_EVENT] = self._looking
        if self._quick:
            self._begin_at(at, row, just)
            return
        self.evaluate(at, row, work.events)
        before, holds = work.events[:, contracts.EVENT_LAST_VALUE].copy(), self._system.samples is not None
        values, rates = work.events[:, contracts.EVENT_VALUE], work.events[:, contracts.EVENT_RATE]
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise Stopped(self._because(int(bad[0]), "is not finite"))
        work.events[:, contracts.EVENT_LEFT] = 1.0
        zero = np.abs(values) <= NOISE * work.events[:, contracts.EVENT_LARGEST]  # but for round-off, as of what is locked: on its side
        work.events[zero, contracts.EVENT_LAST_VALUE], work.events[zero, contracts.EVENT_LEFT] = SIDE * np.sign(before[zero]), 0.0
        keep_all(work.events, values, rates)
        if just is not None:
            for k in just.which:
                if abs(values[k]) <= max(2.0 * just.sizes[k], TOGETHER * abs(rates[k])):
                    jumped = holds and rates[k] == 0.0 and abs(values[k]) > JUMPED * abs(before[k])
                    leads = values[k] if jumped else rates[k]
                    side = just.sides[k] if leads == 0.0 or leads * just.sides[k] > 0.0 else -just.sides[k]
                    work.events[k, contracts.EVENT_LAST_VALUE], work.events[k, contracts.EVENT_LEFT] = SIDE * side, 0.0
        work.event[contracts.EVENT_TARGET] = -np.inf
        work.event[contracts.EVENT_TIME_LAST] = at

    def _begin_at(self, at: float, row: Floats, just: Just | None) -> None:
        """What `begin` does, by a kernel."""
        looks = self._looks
        looks.row[:], looks.just[:] = row, 0
        if just is not None:
            looks.just[just.which], looks.sides[:], looks.sizes[:] = 1, just.sides, just.sizes
        if bad := int(looks.begin(at)):
            raise Stopped(self._because(bad - 1, "is not finite"))

    @cached_property
    def _looks(self) -> "_Looks":
        """The kernels, with their arrays."""
        return _Looks(self._system, self._work, len(self), self._width, self._solves)

    def evaluate(self, at: float, row: Floats, out: Floats) -> None:
        """Every expression and its rate at an output row, in the first two columns."""
        system = self._system
        n_q, n = system.n_q, system.n_v
        q, v, v_dot, lam = row[:n_q], row[n_q : n_q + n], row[n_q + n : n_q + 2 * n], row[n_q + 2 * n : -1]
        other = len(row) != self._width  # of another stretch, before an event that changes what holds
        if self._quick and not other:
            looks = self._looks
            looks.row[:], looks.out[:] = row, 0.0
            looks.look(at)
            out[:, : contracts.EVENTS] = looks.out
            return
        if self._solves and not other:
            system.functions.constraints(system.arrays, at, q, self._work.C, self._work.xi)  # the rows whose multipliers they are
        system.functions.event(system.arrays, at, q, v, system.rates(at, q, v), v_dot, np.zeros(system.n_rows) if other else lam, out)
        if other:
            return
        for k in np.flatnonzero(self._work.events[:, contracts.EVENT_ROW]):
            out[k, : contracts.EVENT_RATE + 1] = left_of_effort(self._work, int(k), lam), np.nan

    def broken(self, row: Floats, first: int) -> list[int]:
        """Those that tell of efforts which do not hold, as of redundant rows, which share them; counted from `first` on."""
        events, system = self._work.events, self._system
        told = (events[:, contracts.EVENT_ROW] * events[:, contracts.EVENT_ACTIVE]).nonzero()[0].tolist()
        if not told:
            return []
        least = EXCEEDS * float(np.abs(lam := row[system.n_q + 2 * system.n_v : -1]).max(initial=0.0))
        return [k - first for k in told if left_of_effort(self._work, k, lam) < -least]

    def located(self, at: float) -> Found | None:
        """What the march has found itself, and where it has ended; None where it has only seen that something may have happened."""
        work = self._work
        if work.event[contracts.EVENT_TARGET] != at:
            return None
        which = np.flatnonzero(work.events[:, contracts.EVENT_HAPPENS])
        return Found(np.array([at]), work.row[None].copy(), which.tolist(), work.events[:, contracts.EVENT_SIDE].copy())

    def noted(self, at: float) -> list[Noted]:
        """The events up to a time (s) that act on nothing, which the march has noted since it was asked last."""
        self.take_notes()
        if not self._notes:
            return []
        found, self._notes = self._notes, [one for one in self._notes if one.time > at]
        return [one for one in found if one.time <= at]

    def take_notes(self) -> None:
        """Take what the march has noted, so that it finds room for more. Some may be of a step that it has not taken yet."""
        count = int(self._work.event[contracts.EVENT_NOTED]) if len(self) else 0
        for line in self._work.notes[:count].copy():
            self._notes.append(Noted(float(line[contracts.NOTE_TIME]), int(line[contracts.NOTE_EVENT]), line[contracts.NOTE_ROW :]))
        self._work.event[contracts.EVENT_NOTED] = 0.0

    def forget_target(self) -> None:
        """Forget where events were found ahead: the march goes on in another way than it was looked at."""
        self._work.event[contracts.EVENT_TARGET] = -np.inf

    def forget_notes(self) -> None:
        """Forget what was noted and not taken."""
        self._notes, self._work.event[contracts.EVENT_NOTED] = [], 0.0

    def end(self, at: float, times: Floats, z: Floats) -> Found | None:
        """From the last accepted state z at `at` to the first event, where the march then is.

        None where one only came near: then the march goes on from z. `times` are the output times ahead. Raises Stopped where an
        expression is not a number.
        """
        forget(self._system)
        work, snapshot = self._work, Snapshot(self._work, z)
        lines, clock = work.events.copy(), work.event.copy()
        start, end = float(clock[contracts.EVENT_TIME_LAST]), float(clock[contracts.EVENT_TIME_NEW])

        def again(times: Floats) -> Floats:
            snapshot.restore()
            work.settings[contracts.SETTING_EVENT], work.status[contracts.STATUS_CHANGED] = contracts.EVENT_NONE, 1
            rows, march = np.zeros((len(times), self._width)), self._new_march()
            begun, filled = at, 0
            while True:
                filled += march(np.array([begun, *times[filled:]]), z, rows[filled:])
                if filled == len(rows):
                    return rows
                begun = march.at
                if march.error is not None or not self.goes_on(begun, z):
                    raise march.error or Stopped

        looked: dict[float, Floats] = {}

        def look(t: float) -> Floats:
            if t not in looked:
                looked[t] = np.zeros((len(self), contracts.EVENTS))
                self.evaluate(t, again(np.array([t]))[0], looked[t])
            return looked[t]

        def number(k: int, t: float) -> tuple[float, float]:
            line = look(t)[k]
            return float(line[contracts.EVENT_VALUE]), float(line[contracts.EVENT_RATE])

        found: list[tuple[float, int]] = []
        parts = max(parts_of(lines, end - start, True), NEW if is_new(lines) else 1)
        before, looks = start, 0
        while before < end:
            after = next_look(before, end, parts if looks < 2 * MOST_PARTS else 1, looks)
            for _ in range(FINER):  # as in `mbsim.integrators._seek.search`
                lines[:, contracts.EVENT_VALUE] = look(after)[:, contracts.EVENT_VALUE]
                finer = parts_of(lines, after - before, True)
                if finer <= 1:
                    break
                after = next_look(before, after, finer, looks)
            now, stays = look(after), list[tuple[int, float]]()
            for k, line in enumerate(lines):
                value, rate = float(now[k, contracts.EVENT_VALUE]), float(now[k, contracts.EVENT_RATE])
                if not may_happen(lines, k, value, rate, after - before):
                    continue
                ends = Ends(before, line[contracts.EVENT_LAST_VALUE], line[contracts.EVENT_LAST_RATE], after, value)
                try:
                    falls = rate * value > 0.0  # it is back from a flight that was too low to be seen, and goes deeper
                    still = 0.0 if line[contracts.EVENT_LEFT] or falls else self._still[k]
                    time = crossing(partial(number, k), ends, line[contracts.EVENT_SENSE], still)
                except ValueError as error:
                    raise Stopped(self._because(k, str(error))) from None
                if time is not None:
                    found.append((time, k))
                elif np.sign(ends.before) != np.sign(value) and abs(value) <= still:
                    stays.append((k, ends.before))
            if found:
                break
            for k in range(len(self)):
                if after > before:  # parts of a step may be less than the spacing of numbers
                    keep_pace(lines, k, now[k, contracts.EVENT_VALUE], after - before)
            keep_all(lines, now[:, contracts.EVENT_VALUE], now[:, contracts.EVENT_RATE])
            for k, side in stays:  # on which it goes on to count
                lines[k, contracts.EVENT_LAST_VALUE], lines[k, contracts.EVENT_LEFT] = side, 0.0
            before, parts, looks = after, max(parts - 1, parts_of(lines, end - after, False)), looks + 1
        if not found:
            snapshot.restore()
            work.events[:], work.event[contracts.EVENT_TIME_LAST], work.status[contracts.STATUS_CHANGED] = lines, end, 1
            return None
        first = min(found)[0]
        same = SAME_TIME * max(1.0, abs(first))
        which = [k for time, k in found if time - first <= max(same, TOGETHER)]
        sides = np.sign(lines[:, contracts.EVENT_LAST_VALUE])
        sides = np.where(sides == 0.0, np.sign(lines[:, contracts.EVENT_LAST_RATE]), sides)
        ahead = np.array([*(t for t in times if t < first - same), first])
        if first > at:
            return Found(ahead, again(ahead), which, sides)
        snapshot.restore()  # at the state itself
        row = np.zeros((1, self._width))
        self._formulation.expand(at, z, row[0])
        return Found(ahead[-1:], row, which, sides)

    def _because(self, k: int, reason: str) -> str:
        """The reason, with an angle that is not known there and the tables that were asked outside of their range."""
        from mbsim.march.failures import unknown_angle

        return ": ".join(filter(None, [f"{self._name(k)} {reason}", unknown_angle(self._system), complaint(self._system)]))


class _Looks:
    """What kernels look at an output row with, whose arrays are always the same ones: the calls take the time, s."""

    def __init__(self, system: System, work: contracts.Work, events: int, width: int, solves: bool) -> None:
        from mbsim.integrators._looks import begin_at_row, look_at_row  # compiles

        held, holds = (system.functions, system.arrays, work), system.samples is not None
        self.row, self.out = np.zeros(width), np.zeros((events, contracts.EVENTS))
        self.just, self.sides, self.sizes = np.zeros(events, np.int64), np.zeros(events), np.zeros(events)
        self.look = bound(look_at_row, *held, GIVEN, self.row, solves, self.out)
        self.begin = bound(begin_at_row, *held, GIVEN, self.row, self.just, self.sides, self.sizes, solves, holds)
