"""What events do to a motion whose derivatives are taken: they set the state and switch parameters, at a time that depends on what varies.

With z+ = R(t*, z-, p) the derivatives behind an event are those of R along the motion, less the way that the motion makes meanwhile:

    s+ = d/dp R(t*(p), z-(t*(p), p), p) - f+ dt*/dp        z-(t*(p), p) moves by s- + f- dt*/dp

d/dp R is a central difference of order 4 of R, which is evaluated as a run does it: values by the measures, then a consistent state. A
parameter that is switched depends on p from then on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from mbsim.assembly.assembled import value_name
from mbsim.diagnosis.consistent import StartError
from mbsim.march.actions import AT_ONCE, assign, balanced_energy, meet, speed_of_each
from mbsim.model.events import Action, Event
from mbsim.model.schema import Model
from mbsim.observe.measures import Given, Measures, Term
from mbsim.observe.observer import Observer
from mbsim.studies.runner.trajectory import Trajectory
from mbsim.system.system import Floats, System

DIFFERENCE = 1e-3  # of the size of what varies, or of the state
WEIGHTS = ((1, 8.0 / 12.0), (2, -1.0 / 12.0))  # of central differences of order 4
FOLLOWED = frozenset({"stops", "set", "switch"})  # of what an event may do


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
    order: list[int]  # of the events, those among them that others carried over zero
    switched: dict[int, float]  # place in `Arrays.parameters` -> value


@dataclass
class _Now:
    """Where one motion is."""

    deaf: set[int] = field(default_factory=set)  # events that happen no more
    due: list[_Due] = field(default_factory=list)
    table: list[Happening] = field(default_factory=list)
    switched: dict[int, tuple[float, Floats]] = field(default_factory=dict)  # place -> value and derivatives (n_p,)


class Resets:
    """The events of one system, whose arrays may change in place."""

    def __init__(
        self,
        events: tuple[Event, ...],
        system: System,
        model: Callable[[int, float], Model],
        observer: Callable[[], Observer],
        watched: Callable[[Floats, Floats], Floats],
    ) -> None:
        """`model` gives that with number k changed by so much; `watched` what events watch (k, n) at times (k,) and rows.

        Raises ResetError for what is not followed.
        """
        self.events, self._system, self._model, self._observer, self._watched = events, system, model, observer, watched
        for event in events:
            if any(getattr(event.do, one.name) for one in fields(Action) if one.name not in FOLLOWED):
                raise ResetError(f"the event '{event.name}' does more than set, switch, stop and record, and that has no derivatives here")
        self._speed_of = speed_of_each(system)
        self.now = _Now()

    def begin(self, march: Trajectory, n_p: int) -> None:
        """Begin a motion as before its first event, of which `march` makes states."""
        self._march, self._n_p, self.now = march, n_p, _Now()
        self._base = self._model(0, 0.0) if self.events else None

    # which events happen

    def counts(self, k: int, side: float) -> bool:
        """Whether event k happens where it leaves a side, 0 below zero and 1 above."""
        return self.events[k].direction == "any" or (self.events[k].direction == "up") == (side == 0.0)

    def changes(self, k: int) -> bool:
        """Whether event k changes the motion."""
        return bool(self.events[k].do.set or self.events[k].do.switch)

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
            raise ResetError(f"{names} are due together at t = {at:.9g} s: derivatives depend on which goes first")
        self.now.due = [one for one in self.now.due if one not in found]
        for one in found:
            self.now.table.append(Happening(self.events[one.which].name, at, one.moved))
        return [one.which for one in found], found[0].moved

    # what they do

    def run(self, acting: list[int], t: float, z: Floats, model: Model | None = None, fixed: bool = False) -> After:
        """Let events act at a state z, and with them those that they carry over zero, if the order is not `fixed`.

        Parameters are switched in the arrays, and stay so. Raises ResetError and MarchError.
        """
        model = self._base if model is None else model
        assert model is not None
        waiting, order, switched = list(acting), list[int](), dict[int, float]()
        while waiting:
            k = waiting.pop(0)
            order.append(k)
            if len(order) > AT_ONCE:
                raise ResetError(f"more than {AT_ONCE} events at t = {t:.9g} s")
            before, z = z, self._changed(k, t, z, model, switched)
            if not fixed and self.changes(k):
                waiting += [j for j in self._carried(t, before, z, k) if j not in waiting]
        return After(z, order, switched)

    def _carried(self, t: float, before: Floats, after: Floats, by: int) -> list[int]:
        rows = np.stack([self._row(t, before), self._row(t, after)])
        values, found = self._watched(np.array([t, t]), rows), []
        for j, event in enumerate(self.events):
            a, b = values[:, j]
            if j == by or j in self.now.deaf or not a * b < 0.0 or not self.counts(j, float(a > 0.0)):
                continue
            if event.after or event.do.stops or event.once:
                raise ResetError(f"'{event.name}' is carried over zero by '{self.events[by].name}' at t = {t:.9g} s, which is not followed")
            found.append(j)
        return found

    def through(
        self, acting: list[int], t: float, z: Floats, arriving: tuple[Floats, Floats], rates: Callable[[After], Floats],
        sizes: Floats, shift: Callable[[int, float], None],
    ) -> tuple[Floats, dict[int, tuple[float, Floats]]]:  # fmt: skip
        """s (n_s, n_p) behind events in this order, and what they switch: value and derivatives (n_p,). The arrays are then as before.

        `arriving`: d/dp of the state where it arrives, z- + f- dt*, and dt*/dp; `rates` gives f+ of what events have made.
        """
        total, moved = arriving
        after = self.run(acting, t, z, fixed=True)
        leaving = rates(after)
        by, of = np.zeros_like(total), {place: np.zeros(len(sizes)) for place in after.switched}
        size = max(1.0, float(np.abs(z[:-1]).max(initial=0.0)))
        for j in range(len(sizes)):
            step = DIFFERENCE / max(float(np.abs(total[:, j]).max()) / size, 1.0 / sizes[j], abs(moved[j]))
            for place, weight in WEIGHTS:
                for sign in (1.0, -1.0):
                    h = sign * place * step
                    shift(j, h)
                    found = self.run(after.order, t + h * moved[j], z + h * total[:, j], self._model(j, h), True)
                    by[:, j] += sign * weight / step * found.z
                    for parameter, value in found.switched.items():
                        of[parameter][j] += sign * weight / step * value
        shift(0, 0.0)
        return by - np.outer(leaving, moved), {place: (value, of[place]) for place, value in after.switched.items()}

    def commit(self, switched: Mapping[int, tuple[float, Floats]]) -> None:
        """Parameters have other values from now on."""
        self.now.switched |= switched
        self.put(0, 0.0)

    def put(self, j: int, by: float) -> None:
        """Put what was switched so far into the arrays, as it is when number j changes by so much."""
        for place, (value, derivatives) in self.now.switched.items():
            self._system.arrays.parameters[place] = value + by * derivatives[j]

    def _changed(self, k: int, t: float, z: Floats, model: Model, switched: dict[int, float]) -> Floats:
        """The state after what event k sets and switches; its parameters are in the arrays then."""
        system, event = self._system, model.events[self.events[k].name]
        if not self.changes(k):
            return z
        row = self._row(t, z)
        q, v = z[: system.n_q], z[system.n_q : -1]
        values, energy = self._values(event, t, row, model), balanced_energy(system, t, q, v)
        for name in event.do.switch:
            place = list(model.parameters).index(name)
            switched[place] = system.arrays.parameters[place] = values["switch", name]
        try:
            q, v = meet(system, t, assign(system, self._speed_of, event.do.set, values, q, v), bool(event.do.switch))
        except StartError as error:
            raise ResetError(f"what the event '{event.name}' sets contradicts constraints: {error}") from None
        return np.concatenate([q, v, [z[-1] + balanced_energy(system, t, q, v) - energy]])

    def _values(self, event: Event, t: float, row: Floats, model: Model) -> dict[tuple[str, str], float]:
        given, terms = Given.of(model), []
        for kind, expressions in (("set", event.do.set), ("switch", event.do.switch)):
            terms += [Term(value_name(event.name, kind, name), e.text, e.tree, "1") for name, e in expressions.items()]
        measures = Measures(given._replace(measures=[*given.measures, *terms]), self._system).with_values(self._system.arrays.parameters)
        found = measures.chunk(self._observer().chunk(np.array([t]), row[None]), {})
        values = {}
        for kind, expressions in (("set", event.do.set), ("switch", event.do.switch)):
            for name in expressions:
                values[kind, name] = float(found[value_name(event.name, kind, name)][0])
                if not np.isfinite(values[kind, name]):
                    raise ResetError(f"what the event '{event.name}' gives {name} is not finite at t = {t:.9g} s")
        return values

    def _row(self, t: float, z: Floats) -> Floats:
        n_q = self._system.n_q
        return self._march.state(t, z[:n_q], z[n_q:-1], float(z[-1]))
