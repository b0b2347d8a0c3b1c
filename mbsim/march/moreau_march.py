"""A march of the contract MARCH by steps of Moreau and Jean, in Python, and what it leaves beside its output rows.

Steps are of equal size between two output times and no longer than the one that is asked for. A step whose impulses or constraints cannot
be found is taken in halves. Events of the user and the stop expression are located by shorter steps from the same state; the march ends
there as a compiled one does.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from mbsim import contracts
from mbsim.assembly.unilaterals import Look, Unilaterals
from mbsim.integrators._seek import keep_values
from mbsim.integrators._sides import TOGETHER
from mbsim.march.blas_threads import Unthreaded
from mbsim.march.contact_modes import Mode
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.moreau import Moreau, Step
from mbsim.march.moreau_problems import State
from mbsim.march.through import Through
from mbsim.system.system import Floats, System
from mbsim.unilateral.problem import GOOD

HALVINGS = 6  # of a step that cannot be taken
THINNEST = 14  # halvings of a step that would lead through what is thin
STILL = 1e-9  # of the largest coordinate or speed: the march goes on from the state that it has reached
KEPT = 4  # times: a search for an event goes back to the step before
QUIET = 20  # steps without a change of what holds, after which a window ends
DEEP = 1e-6  # m or rad, or of the bound: bodies that are deeper inside of each other at the start are refused
MOST_ROWS = 20_000  # whose forces wait to be recorded
MOST_LINES = 5000  # of the table of events that are written


@dataclass
class Memory:
    """What marches of one stretch share: what they know of the last states, and what the rows do not hold."""

    known: dict[float, State] = field(default_factory=dict)  # s
    modes: list[Mode] = field(default_factory=list)  # after the last step
    forces: dict[float, Floats] = field(default_factory=dict)  # by output time: (N,) along the directions of contacts
    lines: list[dict[str, object]] = field(default_factory=list)  # of the table of events, not taken yet
    written: int = 0  # lines so far
    untold: int = 0  # that were too many
    calm: int = 0  # steps since something has changed
    steps: int = 0
    halved: int = 0  # steps that were taken in halves, because their impulses were not found
    shortened: int = 0  # likewise, because they would have led through something


class Steps:
    """Steps through the contacts of one stretch: what makes its marches."""

    def __init__(self, base: Formulation, full: System, found: Unilaterals, first: int, through: Through, open_now: frozenset[str]) -> None:
        """`first`: the line of Work.events where those of contacts begin."""
        self._line: dict[tuple[int, Look], int] = {}
        for i, one in enumerate(found.each):
            for look in one.looks:
                self._line[i, look] = first + len(self._line)
        self._open = open_now
        absent = frozenset(i for i, one in enumerate(found.each) if one.joint in open_now)
        self.moreau = Moreau(base, full, found, self._line, absent, through.law)
        self.base, self.found, self.through = base, found, through
        self.memory = Memory()
        self._efforts = [place for places in found.places for place in places]  # in Arrays.parameters
        self._whole: NDArray[np.int64] | None = None  # the rows of contacts in results
        own = set(self._line.values())
        self.events = [k for k in range(base.system.n_events) if k not in own]  # the user's, and the stop expression

    def begin(self) -> None:
        """Forget all, and look at no events of contacts."""
        written, untold = self.memory.written, self.memory.untold
        self.memory = Memory(written=written, untold=untold)
        self.hush(self.through)

    def hush(self, through: Through) -> None:
        """Go on by such steps, and look at no events of contacts."""
        self.through = through
        self.base.work.events[list(self._line.values()), contracts.EVENT_ACTIVE] = 0.0

    def require_apart(self, t: float, q: Floats, v: Floats) -> None:
        """Raise Stopped where bodies are inside each other."""
        gap = self.moreau.begin(t, q, v, 0.0).gap
        for i, one in enumerate(self.found.each):
            if gap[i] < -DEEP * one.near and one.joint not in self._open:
                raise Stopped(f"the bodies of '{one.name}' are inside each other, or beyond the stop, by {-gap[i]:.3g}", t)

    def march(self) -> Unthreaded:
        """A march from one state on."""
        return Unthreaded(MoreauMarch(self))

    @property
    def is_quiet(self) -> bool:
        """Whether a window may end: nothing has changed for a while."""
        return self.through.window and self.memory.calm >= QUIET

    def take_lines(self) -> list[dict[str, object]]:
        """Lines for the table of events since they were taken last."""
        found, self.memory.lines = self.memory.lines, []
        return found

    def notes(self) -> list[str]:
        """What is to be said of them at the end of a run."""
        memory, found = self.memory, list[str]()
        if not self.through.window:
            found.append(f"steps of {self.through.step:g} s went through stops, contacts and dry friction: the order is one there")
        if memory.halved:
            found.append(f"{memory.halved} steps through contacts were taken in halves, because their impulses were not found")
        if memory.shortened:
            found.append(f"{memory.shortened} steps through contacts were taken in halves, because they would have led through something")
        if self.moreau.coarse:
            found.append(f"in {self.moreau.coarse} steps impulses of contacts are known to {GOOD:g} of the largest one, not to round-off")
        if memory.untold:
            found.append(f"the table of events has the first {MOST_LINES} lines of contacts; {memory.untold} more are left out")
        return found

    # what observers of output rows ask

    def multipliers(self, times: Floats, lam: Floats, whole: System) -> Floats:
        """Multipliers (k, m) of the whole system with those of contacts, the mean of the last step; they are forgotten."""
        if self._whole is None:
            rows = {name: k for k, name in enumerate(whole.rows)}
            self._whole = np.array([rows[self.moreau.full.rows[place]] for place in self.moreau.places], np.int64)
        found = lam.copy()
        for k, t in enumerate(times):
            if (force := self.memory.forces.pop(float(t), None)) is not None:
                found[k, self._whole] = self.moreau.signs * force
        return found

    @contextmanager
    def acting(self, t: float) -> Iterator[None]:
        """Meanwhile the forces of contacts act as loads, as in the output row at t."""
        numbers = self.base.system.arrays.parameters
        if (force := self.memory.forces.get(t)) is not None:
            numbers[self._efforts] = self.moreau.signs * force
        try:
            yield
        finally:
            numbers[self._efforts] = 0.0

    def clear_gaps(self, t: float, q: Floats, v: Floats) -> Floats:
        """q without what is inside of each other."""
        return self.moreau.cleared(t, q, v)


class MoreauMarch:
    """See above."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def __call__(
        self, method: contracts.MethodFunctions, system: contracts.SystemFunctions, arrays: contracts.Arrays, work: contracts.Work,
        times: Floats, step: float, z: Floats, rows: Floats, clock: Floats, scratch: Floats,
    ) -> int:  # fmt: skip
        """Fill rows[i] at times[i + 1] from z at clock[0]; z and the clock end at the last step. Returns the rows filled.

        Raises Stopped where it cannot go on.
        """
        looks = work.settings[contracts.SETTING_EVENT] != contracts.EVENT_NONE
        row, i, t = int(clock[contracts.CLOCK_ROWS]), int(clock[contracts.CLOCK_STEPS]), float(clock[contracts.CLOCK_TIME])
        state = self._state(t, z)
        code = contracts.OK
        try:
            while row < len(rows) and code == contracts.OK:
                span = float(times[row + 1] - times[row])
                count = max(1, ceil(span / self._steps.through.step - 1e-9))
                if work.counts[contracts.COUNT_EVALUATIONS] >= work.status[contracts.STATUS_PAUSE]:
                    code = contracts.PAUSED
                    break
                end = float(times[row] + (i + 1) * (span / count)) if i + 1 < count else float(times[row + 1])
                taken = self._taken(t, end - t, state)
                if looks and self._steps.events and (found := self._crossed(work, t, end, state, taken)) is not None:
                    (t, state), code = found, contracts.STOPPED
                    break
                if looks:
                    self._note(end, state, taken)
                state, t, i = taken.after, end, i + 1
                work.counts[contracts.COUNT_STEPS] += 1
                if i == count:
                    self._fill(t, taken, rows[row])
                    i, row = 0, row + 1
                if looks and self._steps.is_quiet and row < len(rows):
                    code = contracts.STOPPED
        finally:
            self._put(t, state, z)
            clock[contracts.CLOCK_TIME], clock[contracts.CLOCK_ROWS], clock[contracts.CLOCK_STEPS] = t, row, i
            work.status[contracts.STATUS_CODE] = code
        return row

    def _state(self, t: float, z: Floats) -> State:
        """What is known of z at t. Raises Stopped."""
        base, n = self._steps.base, self._steps.base.system.n_v
        row = np.zeros(base.width)
        if not base.expands(t, z, row):
            raise Stopped("the mechanism cannot be evaluated without what its contacts hold", t)
        n_q = base.system.n_q
        q, v = row[:n_q].copy(), row[n_q : n_q + n].copy()
        known = self._steps.memory.known.get(t)
        if known is not None and _same(known.q, q) and _same(known.v, v):
            return known._replace(work=float(z[-1]))
        return self._steps.moreau.begin(t, q, v, float(z[-1]))

    def _put(self, t: float, state: State, z: Floats) -> None:
        """z <- the state."""
        base, known = self._steps.base, self._steps.memory.known
        base.configuration(z)[:] = state.q
        base.start(t, state.q, state.v.copy(), z)
        z[-1] = state.work
        known[t] = state
        while len(known) > KEPT:
            del known[min(known)]

    def _taken(self, t: float, h: float, state: State, left: int = HALVINGS, thin: int = THINNEST) -> Step:
        """A step, or its halves. Raises Stopped."""
        through = self._steps.moreau.passing(h, state)
        if through >= 0:
            if not thin:
                one = self._steps.found.each[through]
                raise Stopped(f"steps lead through what is solid of '{one.name}' ({one.width:.3g} m): take a shorter `step`", t)
            self._steps.memory.shortened += 1
            return self._halves(t, h, state, left, thin - 1)
        try:
            taken = self._steps.moreau.step(t, h, state, patient=not left)
            if np.isfinite(taken.after.v).all() and np.isfinite(taken.after.q).all():
                return taken
            fault = Stopped("a step leads to numbers that are not finite: take a shorter `step`", t)
        except Stopped as stop:
            fault = stop
        if not left:
            raise fault
        self._steps.memory.halved += 1
        return self._halves(t, h, state, left - 1, thin)

    def _halves(self, t: float, h: float, state: State, left: int, thin: int) -> Step:
        first = self._taken(t, 0.5 * h, state, left, thin)
        second = self._taken(t + 0.5 * h, 0.5 * h, first.after, left, thin)
        v_dot, lam = 0.5 * (first.v_dot + second.v_dot), 0.5 * (first.lam + second.lam)
        force, hits = 0.5 * (first.force + second.force), first.hits | second.hits
        return Step(second.after, v_dot, lam, force, second.modes, hits, first.gained + second.gained)

    def _fill(self, t: float, taken: Step, row: Floats) -> None:
        """An output row."""
        after = taken.after
        row[:] = np.concatenate([after.q, after.v, taken.v_dot, taken.lam, [after.work]])
        forces = self._steps.memory.forces
        if len(forces) >= MOST_ROWS:  # of a run whose rows are not recorded
            forces.clear()
        forces[t] = taken.force

    def _note(self, end: float, before: State, taken: Step) -> None:
        """Lines of what has changed in a step, and for how long nothing has."""
        memory, moreau = self._steps.memory, self._steps.moreau
        memory.steps += 1
        old = memory.modes or [Mode.OPEN if one.normal else Mode.IDLE for one in moreau.each]
        changed = [i for i, (a, b) in enumerate(zip(old, taken.modes, strict=True)) if a != b]
        hits = np.flatnonzero(taken.hits)
        memory.modes = taken.modes
        memory.calm = 0 if changed or len(hits) else memory.calm + 1
        lines: list[dict[str, object]] = []
        for i in hits.tolist():
            rows, name = slice(*moreau.first[i : i + 2]), moreau.each[i].name
            impulses = {name: float(taken.after.impulse[rows][0])}
            impulses |= {f"{name}_stick{k}": float(x) for k, x in enumerate(taken.after.impulse[rows][1:])}
            speeds = [float(before.speed[rows][0]), float(taken.after.speed[rows][0])]
            lines.append({"time": end, "event": name, "do": "impact", "impulses": impulses, "gap_speed": speeds})
            lines[-1] |= {"gains": True} if taken.gained > 0.0 else {}
        if lines and taken.gained > 0.0:
            lines[0]["energy"] = taken.gained
        lines += [{"time": end, "event": moreau.each[i].name, "do": str(taken.modes[i])} for i in changed]
        room = max(0, MOST_LINES - memory.written)
        memory.lines += lines[:room]
        memory.written += min(len(lines), room)
        memory.untold += max(0, len(lines) - room)

    # events of the user

    def _crossed(self, work: contracts.Work, t: float, end: float, state: State, taken: Step) -> tuple[float, State] | None:
        """The first event in a step, whose lines of Work.events tell of it; else its values are kept."""
        events, places, h = work.events, self._steps.events, end - t
        values = self._values(end, taken.after)
        which = [k for k in places if _crosses(events[k], values[k, contracts.EVENT_VALUE])]
        if not which:
            for k in places:
                keep_values(events, k, values[k, contracts.EVENT_VALUE], values[k, contracts.EVENT_RATE])
            work.event[contracts.EVENT_TIME_LAST] = end
            return None
        states: dict[float, State] = {0.0: state, h: taken.after}

        def value(k: int, tau: float) -> float:
            if tau == 0.0:
                return float(events[k, contracts.EVENT_LAST_VALUE])
            if tau not in states:
                states[tau] = self._taken(t, tau, state).after
            return float(self._values(t + tau, states[tau])[k, contracts.EVENT_VALUE])

        found = {k: _located(partial(value, k), h) for k in which}
        first = min(found.values())
        if first not in states:
            states[first] = self._taken(t, first, state).after
        at = t + first
        work.event[contracts.EVENT_TARGET] = work.event[contracts.EVENT_TIME_LAST] = at
        events[:, contracts.EVENT_HAPPENS] = 0.0
        for k in which:
            events[k, contracts.EVENT_HAPPENS] = float(found[k] - first <= TOGETHER)
            events[k, contracts.EVENT_SIDE] = np.sign(events[k, contracts.EVENT_LAST_VALUE])
        after = self._taken(t, first, state) if first > 0.0 else taken
        self._fill(at, after if first > 0.0 else after._replace(after=state), work.row)
        return at, states[first]

    def _values(self, t: float, state: State) -> Floats:
        """All events at a state, as lines of Work.events."""
        return self._steps.moreau.watched(t, state)


def _crosses(line: Floats, after: float) -> bool:
    """Whether an event happens on the way to a value."""
    before = line[contracts.EVENT_LAST_VALUE]
    if line[contracts.EVENT_ACTIVE] == 0.0 or (line[contracts.EVENT_LEFT] == 0.0 and abs(after) <= STILL * line[contracts.EVENT_LARGEST]):
        return False
    crosses = before * after < 0.0 or (after == 0.0 and before != 0.0)
    return bool(crosses and np.sign(before) * line[contracts.EVENT_SENSE] <= 0.0)


def _located(value: Callable[[float], float], h: float) -> float:
    """Where in a step (0, h] an expression is zero, to the last digits."""
    if value(h) == 0.0:
        return h
    return float(brentq(value, 0.0, h, xtol=1e-13 * h, rtol=4 * np.finfo(float).eps))


def _same(a: Floats, b: Floats) -> bool:
    return bool(np.abs(a - b).max(initial=0.0) <= STILL * max(1.0, float(np.abs(b).max(initial=0.0))))
