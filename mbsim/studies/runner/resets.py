"""What events do to a motion whose derivatives are taken: they set the state and switch parameters, at a time that depends on what varies.

With z+ = R(t*, z-, p) the derivatives behind an event are those of R along the motion, less the way that the motion makes meanwhile:

    s+ = d/dp R(t*(p), z-(t*(p), p), p) - f+ dt*/dp        z-(t*(p), p) moves by s- + f- dt*/dp

d/dp R is a central difference of order 4 of R, which is evaluated as a run does it: values by the measures, what is locked and unlocked,
then a consistent state. A parameter that is switched depends on p from then on, and so does what is locked (`phases`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mbsim.assembly.assembled import Locking, value_name
from mbsim.assembly.lock_records import Locks
from mbsim.diagnosis.consistent import StartError
from mbsim.diagnosis.redundancy import independent_rows
from mbsim.march.actions import AT_ONCE, assign, balanced_energy, meet, speed_of_each
from mbsim.march.ending import join_names
from mbsim.march.together import cause, together, told, values_of
from mbsim.model.events import KINDS, Event
from mbsim.model.schema import Model
from mbsim.observe.measures import Given, Measures, Term
from mbsim.observe.observer import Observer
from mbsim.studies.runner.phases import Ahead, Phase, Phases, moved_locks, slope, slope_of_locks
from mbsim.system.system import Floats

Switched = dict[int, tuple[float, Floats]]  # place in `Arrays.parameters` -> value and derivatives (n_p,)

DIFFERENCE = 1e-3  # of the size of what varies, or of the state
CLOSE = 2e-6  # likewise, where a system has redundant rows that were straightened (`phases`): farther away they contradict each other
WEIGHTS = ((1, 8.0 / 12.0), (2, -1.0 / 12.0))  # of central differences of order 4


class ResetError(ValueError):
    """An event that has no derivative, or whose derivative is not found."""


class Happening(NamedTuple):
    """An event of the motion, as the table of a run has it."""

    event: str
    time: float
    moved: Floats  # (n_p,) of its time by what varies


class _Due(NamedTuple):
    """A delayed action."""

    time: float
    which: int
    moved: Floats  # (n_p,)


class After(NamedTuple):
    """What events at one time have made of a state."""

    z: Floats  # (n_s,) [q; v; work]
    order: list[list[int]]  # of the events that act together, behind them those that they carried over zero
    switched: dict[int, float]  # place in `Arrays.parameters` -> value
    phases: list[Phase]  # the systems, one after the other, from that before on; the state is of the last one
    locks: Locks  # what is locked then


class Through(NamedTuple):
    """What is behind events."""

    s: Floats  # (n_s, n_p)
    switched: Switched
    ahead: Ahead | None  # the system, where it is another one


@dataclass
class _Acting:
    """Where events are that act at one time."""

    phases: list[Phase]  # that they have passed, the last of which is the system now
    locks: Locks
    planned: list[Phase]  # that they are to pass
    switched: dict[int, float] = field(default_factory=dict)

    @property
    def phase(self) -> Phase:
        return self.phases[-1]


@dataclass
class _Now:
    """Where one motion is."""

    deaf: set[int] = field(default_factory=set)  # events that happen no more
    due: list[_Due] = field(default_factory=list)
    table: list[Happening] = field(default_factory=list)
    switched: dict[int, tuple[float, Floats]] = field(default_factory=dict)  # place -> value and derivatives (n_p,)


class Resets:
    """The events of one motion, whose systems' arrays may change in place."""

    def __init__(self, events: tuple[Event, ...], model: Callable[[int, float], Model], observer: Callable[[Phase], Observer]) -> None:
        """`model` gives that with number k changed by so much, `observer` what looks at rows of a system."""
        self.events, self._model, self._observer = events, model, observer
        self.now = _Now()

    def begin(self, phases: Phases, n_p: int) -> None:
        """Begin a motion as before its first event."""
        self._phases, self._n_p, self.now = phases, n_p, _Now()
        self.ahead = phases.at_start(n_p)  # the system now
        self._speed_of = speed_of_each(phases.first.system)
        names = phases.first.system.coordinates
        self._attitudes = [slice(i, i + 4) for i, name in enumerate(names) if name.endswith(".qw")]
        self._base = self._model(0, 0.0) if self.events else None

    @property
    def phase(self) -> Phase:
        """The system now."""
        return self.ahead.phase

    # which events happen

    def counts(self, k: int, side: float) -> bool:
        """Whether event k happens where it leaves a side, 0 below zero and 1 above."""
        return self.events[k].direction == "any" or (self.events[k].direction == "up") == (side == 0.0)

    def changes(self, k: int) -> bool:
        """Whether event k changes the motion as it is now."""
        return _changes(self.events[k], self.ahead.locks)

    def note(self, which: list[int], at: float, moved: Floats) -> None:
        """Events have crossed zero: those that act at once happen, the others wait."""
        for k in which:
            event = self.events[k]
            if event.once:
                self.now.deaf.add(k)
            if event.after:
                self.now.due.append(_Due(at + event.after, k, moved + self._delays(k)))
            else:
                self.now.table.append(Happening(event.name, at, moved))

    def _delays(self, k: int) -> Floats:
        """(n_p,) how the delay of an event depends on what varies."""
        found, name = np.zeros(self._n_p), self.events[k].name
        for j in range(self._n_p):
            ends = [self._model(j, sign * DIFFERENCE).events[name].after for sign in (1.0, -1.0)]
            found[j] = (ends[0] - ends[1]) / (2.0 * DIFFERENCE)
        return found

    def next_due(self) -> float:
        """When the next delayed action is due; infinite where none is."""
        return min((one.time for one in self.now.due), default=np.inf)

    def take_due(self) -> tuple[list[int], Floats]:
        """The delayed actions that are due next, which are noted, and how their time moves. Raises ResetError."""
        at = self.next_due()
        found = [one for one in self.now.due if one.time - at <= 1e-12 * max(1.0, abs(at))]
        if any(np.abs(one.moved - found[0].moved).max(initial=0.0) > 1e-6 * (1.0 + np.abs(one.moved).max(initial=0.0)) for one in found):
            names = " and ".join(f"'{self.events[one.which].name}'" for one in found)
            raise ResetError(f"{names} are due together at t = {at:.9g} s, and part as values vary: there is no derivative")
        self.now.due = [one for one in self.now.due if one not in found]
        for one in found:
            self.now.table.append(Happening(self.events[one.which].name, at, one.moved))
        return [one.which for one in found], found[0].moved

    # what they do

    def run(self, acting: list[int], t: float, z: Floats) -> After:
        """Let events act at a state z, and with them those that they carry over zero.

        Parameters are switched in the arrays, and stay so. Raises ResetError and MarchError.
        """
        assert self._base is not None
        waiting, order, now = list(acting), list[list[int]](), _Acting([self.phase], self.ahead.locks, [])
        while waiting:
            group, waiting = waiting, list[int]()
            order.append(group)
            if len(order) > AT_ONCE:
                raise ResetError(f"more than {AT_ONCE} events at t = {t:.9g} s")
            before, phase = z, now.phase
            if changing := [k for k in group if _changes(self.events[k], now.locks)]:
                z = self._changed(changing, t, z, self._base, now)
                waiting = self._carried(t, (phase, before), (now.phase, z), group)
        return After(z, order, now.switched, now.phases, now.locks)

    def _run_again(self, after: After, t: float, z: Floats, model: Model, locks: Locks) -> After:
        """The same events in the same order, from what is beside: with the numbers of another model. Raises ResetError and MarchError."""
        now = _Acting([self.phase], locks, after.phases[1:])
        for group in after.order:
            if changing := [k for k in group if _changes(self.events[k], now.locks)]:
                z = self._changed(changing, t, z, model, now)
        return After(z, after.order, now.switched, now.phases, now.locks)

    def _carried(self, t: float, before: tuple[Phase, Floats], after: tuple[Phase, Floats], by: list[int]) -> list[int]:
        ends = [phase.switches.of_events(np.array([t]), phase.row(t, z)[None])[0] for phase, z in (before, after)]
        found = []
        for j, event in enumerate(self.events):
            a, b = (values[j] for values in ends)
            if j in by or j in self.now.deaf or not a * b < 0.0 or not self.counts(j, float(a > 0.0)):
                continue
            if event.after or event.do.stops or event.once:
                names = join_names([f"'{self.events[k].name}'" for k in by])
                raise ResetError(f"'{event.name}' is carried over zero by {names} at t = {t:.9g} s, which is not followed")
            found.append(j)
        return found

    def through(
        self, acting: list[int], t: float, z: Floats, arriving: tuple[Floats, Floats], sizes: Floats, shift: Callable[[int, float], None]
    ) -> Through:
        """What is behind events that act at a state z; the arrays are then as before.

        `arriving`: d/dp of the state where it arrives, z- + f- dt* (n_s, n_p), and dt*/dp (n_p,).
        """
        total, at = arriving
        after = self.run(acting, t, z)
        phase = after.phases[-1]
        leaving, base = phase.z_dot(t, phase.row(t, after.z)), phase.numbers()
        by, of = np.zeros_like(total), {place: np.zeros(len(sizes)) for place in after.switched}
        size = max(1.0, float(np.abs(z[:-1]).max(initial=0.0)))
        by_numbers, by_locks = [], []
        size_of_step = CLOSE if self.ahead.numbers and any(_is_redundant(one, t, after.z) for one in after.phases) else DIFFERENCE
        for j in range(len(sizes)):
            step = size_of_step / max(float(np.abs(total[:, j]).max()) / size, 1.0 / sizes[j], abs(at[j]))
            numbers, locked = [], []
            for place, weight in ((sign * place, sign * weight / step) for place, weight in WEIGHTS for sign in (1.0, -1.0)):
                h = place * step
                shift(j, h)
                locks = moved_locks(self.ahead.locks, self.ahead.by_locks[j], h)
                found = self._run_again(after, t + h * at[j], self._beside(z + h * total[:, j]), self._model(j, h), locks)
                by[:, j] += weight * found.z
                for parameter, value in found.switched.items():
                    of[parameter][j] += weight * value
                if len(after.phases) > 1:
                    numbers.append((weight, phase.numbers()))
                    locked.append((weight, found.locks))
            if numbers:
                by_numbers.append(slope(numbers))
                by_locks.append(slope_of_locks(locked))
        shift(0, 0.0)
        ahead = None
        if len(after.phases) > 1:
            phase.put(base)
            ahead = Ahead(phase, base, by_numbers, after.locks, by_locks)
        return Through(by - np.outer(leaving, at), {place: (value, of[place]) for place, value in after.switched.items()}, ahead)

    def go_on(self, ahead: Ahead) -> None:
        """The motion goes on in another system."""
        self.ahead = ahead

    def commit(self, switched: Mapping[int, tuple[float, Floats]]) -> None:
        """Parameters have other values from now on."""
        self.now.switched |= switched
        self.put(0, 0.0)

    def put(self, j: int, by: float) -> None:
        """Put what was switched so far into the arrays, as it is when number j changes by so much."""
        for place, (value, derivatives) in self.now.switched.items():
            self.phase.system.arrays.parameters[place] = value + by * derivatives[j]

    def _beside(self, z: Floats) -> Floats:
        """A state with unit quaternions: what they leave on a straight way is of second order, and constraints cannot be met with it."""
        z = z.copy()
        for at in self._attitudes:
            z[at] /= np.linalg.norm(z[at])
        return z

    def _changed(self, which: list[int], t: float, z: Floats, model: Model, now: _Acting) -> Floats:
        """The state after what events do together; their parameters are in the arrays then, and `now` has the system."""
        phase, events = now.phase, [model.events[self.events[k].name] for k in which]
        system = phase.system
        q, v = z[: system.n_q], z[system.n_q : -1]
        try:
            do, values = together(events), self._values(events, t, phase, z, model)
        except ValueError as error:
            raise ResetError(f"{error}, at t = {t:.9g} s") from None
        energy = balanced_energy(system, t, q, v)
        for name in do.switch:
            place = list(model.parameters).index(name)
            now.switched[place] = system.arrays.parameters[place] = values["switch", name]
        try:
            placed = assign(system, self._speed_of, do.set, values, q, v)
            if do.lock:
                placed = placed._replace(q=meet(system, t, placed, True)[0])
            again = bool(now.planned)
            if do.lock or do.unlock:
                planned, locking = now.planned.pop(0) if again else None, Locking(do.lock, do.unlock, t, placed.q.copy())
                found, now.locks = self._phases.change(model, phase, now.locks, locking, now.phases, planned)
                now.phases.append(found)
                system = found.system
            q, v = meet(system, t, placed, bool(do.switch or do.lock))
            if now.phase is not phase and not again:
                now.phase.march.hold(q)
        except StartError as error:
            raise ResetError(f"{cause(events)} contradicts constraints: {error}") from None
        except ValueError as error:
            raise ResetError(f"{told(events)}: {error}") from None
        return np.concatenate([q, v, [z[-1] + balanced_energy(system, t, q, v) - energy]])

    def _values(self, events: list[Event], t: float, phase: Phase, z: Floats, model: Model) -> dict[tuple[str, str], float]:
        given = Given.of(model)
        given_by = [(one, kind, name, e) for one in events for kind in KINDS for name, e in getattr(one.do, kind).items()]
        if not given_by:
            return {}
        terms = [Term(value_name(one.name, kind, name), e.text, e.tree, "1") for one, kind, name, e in given_by]
        measures = Measures(given._replace(measures=[*given.measures, *terms]), phase.made.whole)
        measures = measures.with_values(phase.system.arrays.parameters)
        found = measures.chunk(self._observer(phase).chunk(np.array([t]), phase.row(t, z)[None]), {})
        return values_of(events, lambda name: float(found[name][0]))


def _is_redundant(phase: Phase, t: float, z: Floats) -> bool:
    system = phase.system
    return len(independent_rows(system, t, z[: system.n_q])) < system.n_rows


def _changes(event: Event, locks: Locks) -> bool:
    """Whether an event changes a motion in which this is locked: not where it would lock what holds and unlock what does not."""
    do = event.do
    return bool(do.set or do.switch or locks.open & {*do.lock} or {*do.unlock} - locks.open)
