"""What events of a run do: they set coordinates, speeds and states, switch parameters of laws, end the run; and the table of all of them.

What is set stays as it is given. The rest moves least, in the metric of M, onto the constraints. What the energy changes by goes into the
work W, so the balance of energy stays a check.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from mbsim import contracts
from mbsim.assembly.assembled import Planned
from mbsim.march.actions import AT_ONCE, assign, impulses, speed_of_each
from mbsim.march.deciding import Deciding
from mbsim.march.ending import Crowd, Stopped, join_names
from mbsim.march.event_lines import over_zero
from mbsim.march.events import Events, Found, Just, Noted
from mbsim.march.formulation import Formulation
from mbsim.march.happened import Doors, Happened, Last, Memory, same
from mbsim.march.placing import Placing
from mbsim.march.together import cause, tell, together, told, values_of
from mbsim.march.unit_events import UnitEvents, put_back
from mbsim.observe.measures import Measures
from mbsim.observe.observer import Observer
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.march.unilateral import Modes
    from mbsim.model.events import Event

IMPACTS = "impacts"  # what the table calls a change between events and steps


class Happenings(Deciding):
    """The events of one run, and what they do to its state."""

    def __init__(
        self,
        formulation: Formulation,
        events: Events,
        planned: Planned | None,
        observers: tuple[Observer, Observer],
        doors: Doors,
        stop: str | None,
        span: float,
    ) -> None:
        """`observers`: one that no one else uses, and that of the run; `stop` is the stop expression, `span` (s) the length of the run."""
        self._formulation, self._events, self._span = formulation, events, span
        self._observer, self._recorded = observers
        self._stop, self._doors = stop, doors
        self._planned: tuple[Event, ...] = () if planned is None else planned.events
        self._first = len(events) - len(self._planned)  # place of their first one among all events: behind the stop expression
        self._is_of_contacts = not self._first and all(event.do.unilateral for event in self._planned)
        self._measures = None if planned is None else Measures(planned.values, observers[0].whole)
        self._last = Last()
        self._due: list[tuple[float, int]] = []  # of delayed actions: when, and of which event
        self._units = UnitEvents(self._planned, self._first)
        system = formulation.system
        self._placing = Placing(formulation)
        self._own, self._parameters = system.arrays.parameters, system.arrays.parameters.copy()
        self._speed_of = speed_of_each(system)
        self._ended, self.through = "", False  # the latter: whether steps go through contacts
        self._given, self._may_break = False, True
        self.table: list[dict[str, object]] = []

    @property
    def _modes(self) -> "Modes | None":
        """What decides of stops and contacts at events; None where steps go through them."""
        return None if self.through else self._doors.modes

    def __bool__(self) -> bool:
        return bool(self._planned)

    @property
    def waits(self) -> bool:
        """Whether an action is due later."""
        return bool(self._due)

    @property
    def begun(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Arrays of the march, and what they hold before it begins."""
        return self._placing.begun

    def go_to(self, formulation: Formulation, events: Events) -> None:
        """Go on in another stretch of the run."""
        self._formulation, self._events, self._given = formulation, events, False
        self._placing.go_to(formulation)

    def begin(self) -> None:
        """Begin as before the first event."""
        put_back(self._formulation.system, self._parameters)
        self._last, self._due, self._ended, self.table, self._given = Last(), [], "", [], False

    def remembered(self) -> Memory:
        """What has happened, a copy."""
        last, modes = replace(self._last, names=list(self._last.names)), self._modes
        kept = None if modes is None else modes.decided.copy()
        return Memory(last, list(self._due), self._ended, [dict(line) for line in self.table], kept)

    def take_over(self, other: Memory) -> None:
        """Know what has happened in another run of the same model."""
        self._last, self._due, self._ended = replace(other.last, names=list(other.last.names)), list(other.due), other.ended
        self.table, self._given = [dict(line) for line in other.table], False
        if self._modes is not None and other.modes is not None:
            self._modes.decided = other.modes.copy()

    def close(self) -> None:
        """Put the parameters back, which other runs of the same system read."""
        if self._planned:
            self._own[:] = self._parameters
            put_back(self._formulation.system, None)

    def until(self, at: float) -> list[dict[str, object]]:
        """The events up to a time (s): rows may tell later that the run ended before."""
        return [line for line in self.table if cast(float, line["time"]) <= at]

    def reason(self) -> str:
        """What ended the run."""
        return self._ended

    def are_of_contacts(self, found: Found) -> bool:
        """Whether all events of one time are of stops, contacts and dry friction."""
        return all(place >= self._first and bool(self._planned[place - self._first].do.unilateral) for place in found.which)

    def go_through(self, formulation: Formulation, events: Events, at: float, why: str, step: float) -> None:
        """Steps go through contacts from here on."""
        self.through = True
        self.go_to(formulation, events)
        self._last = Last()
        self.table.append({"time": at, "event": IMPACTS, "do": "steps", "why": why, "step": step})

    def put(self, at: float, z: Floats, q: Floats, v: Floats, work: float) -> Floats:
        """Put a state into the march, and look at its events; returns its output row. Raises Stopped."""
        z[-1] = work
        row = self._placing.place(at, z, q, v, self._placing.energy(at, np.concatenate([q, v])), "a step through contacts")
        self._events.begin(at, row)
        return row

    def come_back(
        self, formulation: Formulation, events: Events, at: float, z: Floats, q: Floats, v: Floats, work: float, before: Floats
    ) -> Floats:
        """Events are located again, from a state that was moved away from `before`; returns its output row. Raises Stopped."""
        self.go_to(formulation, events)
        energy, z[-1] = self._placing.energy(at, before), work
        row = self._placing.place(at, z, q, v, energy, "a step through contacts")
        self.through = False
        row = self.at_start(at, z, row)
        self.table.append({"time": at, "event": IMPACTS, "do": "events"})
        return row

    # what is due

    def cut(self, times: Floats) -> Floats:
        """Output times up to the next delayed action, at which they end; `times` begin with the time of the march."""
        if not self._due:
            return times
        due = min(self._due)[0]
        if due >= times[-1] - same(due):
            return times
        return np.array([times[0], *(t for t in times[1:] if t < due - same(due)), max(due, times[0])])

    def due(self, at: float) -> list[int]:
        """The events whose actions are due at a time; they are taken."""
        found = [k for time, k in sorted(self._due) if time <= at + same(at)]
        self._due = [(time, k) for time, k in self._due if time > at + same(at)]
        return found

    # what happens

    def crossed(self, found: Found, z: Floats) -> Happened:
        """After expressions have crossed zero, at the state z."""
        at, row = float(found.times[-1]), found.rows[-1]
        if self._first and 0 in found.which:
            self._ended = f"{self._stop} crossed zero"
            return Happened(True, False, row)
        acting = self._due_now(at, [place - self._first for place in found.which])
        return self._act(at, z, row, acting, found.which, found.sides)

    def noted(self, found: Sequence[Noted]) -> None:
        """After events that act on nothing, which the march has noted. Raises Stopped."""
        for one in found:
            k = one.which - self._first
            self._look_for_crowds(one.time, [k])
            self.table.append({"time": one.time, "event": self._planned[k].name, "do": self._planned[k].do.word})

    def _due_now(self, at: float, which: list[int]) -> list[int]:
        """Of events that have happened those that act at once; the others wait, and what happens once is not looked at any more."""
        active = self._formulation.work.events[self._first :, contracts.EVENT_ACTIVE]
        for k in which:
            active[k] = active[k] and not self._planned[k].once
        self._due += [(at + self._planned[k].after, k) for k in which if self._planned[k].after]
        return [k for k in which if not self._planned[k].after]

    def delayed(self, at: float, z: Floats, row: Floats, which: list[int]) -> Happened:
        """The delayed actions of some events."""
        return self._act(at, z, row, which, [], np.zeros(len(self._events)))

    def _act(self, at: float, z: Floats, row: Floats, acting: list[int], just: list[int], sides: Floats) -> Happened:
        self._look_for_crowds(at, acting)
        self._units.begin(sides)
        stops, moved, count = False, False, 0
        near = np.zeros((len(self._events), contracts.EVENTS))
        self._events.evaluate(at, row, near)
        waiting = [k for k in acting if not self._planned[k].do.unilateral]
        unsettled, fired = len(waiting) < len(acting), [k for k in acting if self._planned[k].do.unilateral]
        while waiting or (unsettled and not stops):
            before = row
            count += 1
            if count > AT_ONCE:
                names = sorted({str(line["event"]) for line in self.table[-AT_ONCE:]})
                raise Crowd(f"more than {AT_ONCE} events at one time: {join_names(names)} make each other happen", at)
            if waiting:
                group = self._units.next_of(waiting)
                now = [self._planned[k] for k in group]
                changing = [event for event in now if event.do.changes and not self._is_idle(event)]
                lines: dict[str, dict[str, object]] = {e.name: {"time": at, "event": e.name, "do": e.do.word} for e in now}
                if changes := bool(changing):
                    row = self._changed(changing, at, z, row, lines)
                    unsettled = self._modes is not None
                self.table += lines.values()
                for event in now:
                    if event.do.stops or event.do.unit in self._units.ended:
                        stops, self._ended = True, f"the event '{event.name}'"
            else:
                row = self._settled(at, z, row, fired)
                group, changes, fired = [], True, self._broken(row)
                unsettled = bool(fired)
            moved |= changes
            if changes and not stops:  # what it has changed may carry others beyond zero
                carried = self._carried(at, before, row)
                if -1 in carried:
                    stops, self._ended = True, f"{self._stop} crossed zero"
                carried = self._units.others(carried, group)
                new = self._due_now(at, [j for j in carried if j >= 0 and j not in waiting and j not in group])
                waiting += [j for j in new if not self._planned[j].do.unilateral]
        if not stops:
            self._events.begin(at, row, Just(just, sides, np.abs(near[:, contracts.EVENT_VALUE])))
            self._units.set_sides(self._formulation, at, row)
            if self._modes is not None:
                self._modes.set_sides(self._formulation.work)
            self._formulation.work.status[contracts.STATUS_CHANGED] = 1
        return Happened(stops, moved, row)

    def at_start(self, at: float, z: Floats, row: Floats) -> Floats:
        """The output row of the start of a run, after stops and dry friction have been decided. Raises Stopped."""
        self._due += self._units.due(self._formulation)
        if self._modes is not None:
            self._modes.begin()
            row = self._settled(at, z, row, [])
        return self.turned(at, z, row)

    def turned(self, at: float, z: Floats, row: Floats) -> Floats:
        """The output row of a state from which a run goes on with other laws, after what these break has been decided. Raises Stopped."""
        modes = self._modes
        for _ in range(AT_ONCE if modes is not None else 0):
            if not (fired := self._broken(row)):
                break
            row = self._settled(at, z, row, fired)
        self._events.begin(at, row)
        if modes is not None:
            modes.set_sides(self._formulation.work)
            self._formulation.work.status[contracts.STATUS_CHANGED] = 1
        return row

    def _broken(self, row: Floats) -> list[int]:
        """The events that tell of efforts which do not hold in a row."""
        found = self._events.broken(row, self._first) if self._may_break else []
        self._may_break = True
        return found

    def _carried(self, at: float, before: Floats, after: Floats) -> list[int]:
        """The events whose expressions a change of state carries over zero; -1: the stop expression."""
        if self._is_of_contacts:
            return []  # nothing else is looked at
        lines = np.zeros((2, len(self._events), contracts.EVENTS))
        for line, row in zip(lines, (before, after), strict=True):
            self._events.evaluate(at, row, line)
        found: list[int] = []
        values = lines[:, :, contracts.EVENT_VALUE]
        if self._first and values[0, 0] * values[1, 0] < 0.0:
            found.append(-1)
        which = over_zero(self._formulation.work.events, values[0], values[1]) - self._first
        return [*found, *which[which >= 0].tolist()]

    def _changed(self, events: "Sequence[Event]", at: float, z: Floats, row: Floats, lines: Mapping[str, dict[str, object]]) -> Floats:
        """The row after what events set and switch together, with z and the parameters changed. Raises Stopped."""
        first = lines[events[0].name]
        if events[0].do.unit:
            self._doors.settle()
            after = self._units.updated(self._formulation, self._placing, events[0], at, z, row)
            self._due = self._units.due(self._formulation, events[0].do.unit, self._due)
            first["changes"] = self._placing.changes(row, after)
            return after
        system, n_q, n = self._formulation.system, self._formulation.system.n_q, self._formulation.system.n_v
        try:
            do, values = together(events), self._values(events, at, row)
        except ValueError as error:
            raise Stopped(str(error), at) from None
        energy = self._placing.energy(at, row)
        tell(events, lines, {} if self._measures is None else self._measures.given.facts.parameters, values)
        if do.switch:
            self._switch({name: values["switch", name] for name in do.switch})
        if do.set or do.lock:
            self._release(events, at, row[:n_q])
            system = self._formulation.system
        placed = assign(system, self._speed_of, do.set, values, row[:n_q], row[n_q : n_q + n])
        if do.lock:  # what holds is met to round-off first: else rows that say the same would contradict each other
            placed = placed._replace(q=self._met(cause(events), at, placed, positions=True)[0])
        if do.lock or do.unlock:
            self._go_on(told(events), do.lock, do.unlock, at, placed.q)
        q, v = self._met(cause(events), at, placed, positions=bool(do.switch or do.lock))
        after = self._placing.place(at, z, q, v, energy, told(events))
        changes = self._placing.changes(row, after)
        for event in events:
            if event.do.lock and (found := impulses(self._formulation.system, at, q, v - placed.v, event.do.lock)):
                lines[event.name]["impulses"] = found
            lines[event.name]["changes"] = changes
        if system.has_energy:
            first["energy"] = float(after[-1] - row[-1])
        return after

    def _values(self, events: "Sequence[Event]", at: float, row: Floats) -> dict[tuple[str, str], float]:
        """What events set, by kind and name, from the row before all of them. Raises ValueError."""
        assert self._measures is not None
        self._measures = self._measures.with_values(self._formulation.system.arrays.parameters)
        found = self._measures.chunk(self._observer.chunk(np.array([at]), row[None]), {})
        return values_of(events, lambda name: float(found[name][0]))

    def _switch(self, values: Mapping[str, float]) -> None:
        """Give parameters other values, in the arrays and in what is recorded."""
        assert self._measures is not None
        self._doors.settle()
        parameters = self._measures.given.facts.parameters
        for name, value in values.items():
            self._formulation.system.arrays.parameters[list(parameters).index(name)] = value
        self._measures = self._measures.with_parameters({**parameters, **values})
        self._recorded.switch({**parameters, **values})

    def _is_idle(self, event: "Event") -> bool:
        """Whether an event would only lock what holds and unlock what does not: it changes nothing."""
        open_now = self._doors.open_now()
        return not (event.do.set or event.do.switch or event.do.unit or open_now & {*event.do.lock} or {*event.do.unlock} - open_now)

    def _look_for_crowds(self, at: float, acting: list[int]) -> None:
        """Raise Crowd where events follow each other in ever shorter times."""
        if acting:
            bounded = all(self._planned[k].do.unilateral for k in acting)  # by `closing_speed`
            self._last.add(at, [self._planned[k].name for k in acting], self._span, bounded)
