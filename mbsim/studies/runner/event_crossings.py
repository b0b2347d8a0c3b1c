"""Where events happen in a motion whose derivatives are taken: their expressions are watched like switching functions (`crossings`).

What an event does to the state and to its derivatives is in `resets`. One that only records, waits or stops leaves the motion as it is.
"""

from dataclasses import replace

import numpy as np

from mbsim.studies.runner.crossings import STILL, WIDER, WIDTHS, Crossings, Cut, Flags, FlowError, Varied, bracket
from mbsim.studies.runner.phases import Ahead, Phase, moved
from mbsim.studies.runner.resets import ResetError, Resets, Switched, Through
from mbsim.system.system import Floats
from mbsim.system.tangents import CONSTANTS
from mbsim.system.variations import change_arrays


class EventCrossings(Crossings):
    """The crossings of one motion while it has one system, and its events."""

    def __init__(self, phase: Phase, resets: Resets, step: float = 0.0) -> None:
        super().__init__(phase, step)
        self.resets, self._first = resets, phase.switches.events.start

    def go_on(self, ahead: Ahead, varied: Varied) -> tuple["EventCrossings", Varied]:
        """Those of the system behind an event, and how its arrays vary."""
        phase, arrays = ahead.phase, ahead.phase.system.arrays
        self.resets.go_on(ahead)

        def shift(k: int, by: float) -> None:
            phase.put(moved(ahead.numbers, ahead.by_numbers[k], by))
            self.resets.put(k, by)

        changes = [change_arrays(arrays, {name: by[name] for name in CONSTANTS}) for by in ahead.by_numbers]
        return EventCrossings(phase, self.resets, self._step), replace(varied, changes=changes, shift=shift)

    def ends(self, cut: Cut, sides: Floats) -> bool:
        """Whether the run ends at a crossing, before which the sides are these."""
        if not cut.which:  # delayed actions
            return any(self.resets.events[k].do.stops for k in cut.acting)
        now = [self.resets.events[k] for k in self.happening(cut, sides)]
        return super().ends(cut, sides) or any(event.do.stops and not event.after for event in now)

    def name(self, which: list[int]) -> str:
        """For messages."""
        return super().name(which) or "a delayed event"

    def happening(self, cut: Cut, sides: Floats) -> list[int]:
        """The events that happen at a crossing, before which the sides are these."""
        found = [(k, k - self._first) for k in cut.which if k in self._switches.events]
        return [event for k, event in found if self.resets.counts(event, float(sides[k]))]

    def values(self, times: Floats, rows: Floats) -> Floats:
        """The numbers of all switches at rows, NaN of events that happen no more."""
        found = super().values(times, rows)
        found[:, [k + self._first for k in self.resets.now.deaf]] = np.nan
        return found

    def begin(self, t: float, row: Floats, s: Floats, h: float, end: float, varied: Varied) -> tuple[float, Floats, Floats]:
        """See `Crossings.begin`. Raises FlowError, too, where an event might happen at once."""
        found = super().begin(t, row, s, h, end, varied)
        on = self._on(self.values(np.array([t]), row[None]))[0]
        for k in np.flatnonzero(on):
            self._require_no_start(int(k), t, row, s, varied)
        return found

    def sides(self, before: Floats, times: Floats, rows: Floats) -> tuple[Floats, Floats, Flags]:
        """See `Crossings.sides`. Raises FlowError for an event that is at zero at a row, and on the same side before and after it."""
        sides, values, on = super().sides(before, times, rows)
        for k in self._switches.events:
            touched = ~on[:-2, k] & on[1:-1, k] & ~on[2:, k] & (sides[2:, k] == sides[1:-1, k])
            if touched.any():
                at = times[1 + int(np.flatnonzero(touched)[0])]
                raise FlowError(f"{self.name([k])} is touched and not crossed at t = {at:.9g} s: no derivative exists")
        return sides, values, on

    def states(self, cut: Cut, sides: Floats) -> tuple[Cut, float, Floats, float, Floats, Floats]:
        """See `Crossings.states`; where events change the motion, what is after the crossing is after them."""
        now = [k for k in self.happening(cut, sides) if not self.resets.events[k].after and self.resets.changes(k)]
        if now and not self.ends(cut, sides):
            return self._reset(cut._replace(acting=now), sides)
        return super().states(cut, sides)

    def due(self, at: float, row: Floats, before: float, quarter: float, sides: Floats) -> tuple[Cut, tuple[float, Floats, Floats] | None]:
        """The delayed actions that are due at a time, and what is after them: None where nothing changes. Raises FlowError and MarchError.

        `row` is that shortly before.
        """
        try:
            acting, moved = self.resets.take_due()
        except ResetError as error:
            raise FlowError(str(error)) from None
        cut = Cut(at, before, row, quarter, [], acting, moved)
        if any(self.resets.events[k].do.stops for k in acting):
            return cut, None
        cut = cut._replace(acting=[k for k in acting if self.resets.changes(k)])
        if not cut.acting:
            return cut, None
        cut, _, _, after, past, reached = self._reset(cut, sides)
        self.resets.note(cut.carried, at, moved)
        return cut, (after, past, reached)

    def _reset(self, cut: Cut, sides: Floats) -> tuple[Cut, float, Floats, float, Floats, Floats]:
        """The same as `states` of a crossing at which events change the motion. Parameters are switched for as long as it looks."""
        resets = self.resets
        width = bracket(cut.at, cut.quarter)
        own = [k - self._first for k in cut.which if k in self._switches.events]
        silent = [k + self._first for k in own if resets.events[k].once]
        for _ in range(WIDTHS):
            before, after = max(cut.at - width, cut.before), cut.at + width
            row = cut.row
            if cut.which and before > cut.before:
                row = self._march.march(np.array([cut.before, before]), cut.row)[1]
            before = before if cut.which else cut.before
            reached = self._switches.sides(self.values(np.array([before]), row[None]))
            kept = self._system.arrays.parameters.copy()
            try:
                found = resets.run(cut.acting, cut.at, self._arriving(cut.at, before, row))
                phase = found.phases[-1]
                past = phase.row(after, found.z + width * phase.z_dot(cut.at, phase.row(cut.at, found.z)))
                behind = EventCrossings(phase, resets, self._step)
                values = behind.values(np.array([after]), past[None])
                values[0, [k - self._first + behind._first for k in silent]] = np.nan
                on, there = behind._on(values).any(), phase.switches.sides(values)[0]
            except ResetError as error:
                raise FlowError(str(error)) from None
            finally:
                self._system.arrays.parameters[:] = kept
            if all(reached[0, k] == sides[k] for k in cut.which) and not on:
                return cut._replace(carried=[k for group in found.order[1:] for k in group]), before, row, after, past, there
            width *= WIDER
        raise FlowError(f"the motion is on a law or on an event after {self.name(cut.which)} at t = {cut.at:.9g} s: no derivative exists")

    def _arriving(self, at: float, before: float, row: Floats) -> Floats:
        """z (n_s,) at a crossing, from a row shortly before."""
        n_q, n = self._system.n_q, self._system.n_v
        return np.asarray(np.append(row[: n_q + n], row[-1]) + (at - before) * self.phase.z_dot(before, row))

    def reset(self, cut: Cut, t: float, row: Floats, s: Floats, varied: Varied) -> tuple[Through, Floats]:
        """What is behind events that change the motion, and dt*/dp (n_p,), from a row shortly before. Raises FlowError."""
        f = self.phase.z_dot(t, row)
        moved = self.moved(cut, t, row, f, s, varied) if cut.moved is None else cut.moved
        kept = self._system.arrays.parameters.copy()
        try:
            arriving = s + np.outer(f, moved), moved
            found = self.resets.through(cut.acting, cut.at, self._arriving(cut.at, t, row), arriving, varied.sizes, varied.shift)
        except ResetError as error:
            raise FlowError(str(error)) from None
        finally:
            self._system.arrays.parameters[:] = kept
        return found, moved

    def note(self, cut: Cut, sides: Floats, moved: Floats | None) -> None:
        """Keep the events of a crossing, before which the sides are these. Raises FlowError for one whose time has no derivative."""
        happening = self.happening(cut, sides)
        if happening and moved is None:
            raise FlowError(f"{self.name(cut.which)} is crossed without speed at t = {cut.at:.9g} s: no derivative exists")
        if happening and moved is not None:
            self.resets.note([*happening, *(k for k in cut.carried if k not in happening)], cut.at, moved)

    def commit(self, switched: Switched, varied: Varied) -> None:
        """Parameters have other values from now on, which depend on what varies."""
        self.resets.commit(switched)
        for place, (_, derivatives) in switched.items():
            for change, derivative in zip(varied.changes, derivatives, strict=True):
                change.parameters[place] = derivative

    def _require_no_start(self, k: int, t: float, row: Floats, s: Floats, varied: Varied) -> None:
        """Raise FlowError where an event is at zero at the start, p moves it, and with some p it would happen at once."""
        if k not in self._switches.events:
            return
        side = float(self._along(k, t, row, self.phase.z_dot(t, row)) < 0.0)
        if not self.resets.counts(k - self._first, side):
            return
        if any(abs(self._by(k, t, row, s[:, j], j, varied)) * varied.sizes[j] > STILL for j in range(len(varied.sizes))):
            raise FlowError(f"the run begins at {self.name([k])}: derivatives are of one side only")
