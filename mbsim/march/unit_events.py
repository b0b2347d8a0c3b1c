"""Events of units for model exchange in a run: their event mode is run where an indicator crosses zero, and at times of their own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mbsim import contracts
from mbsim.integrators._sides import SIDE
from mbsim.march.asked import find_all
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.placing import Placing
from mbsim.system.exchanged import At, time_event
from mbsim.system.sample_error import SampleError
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.model.events import Event

Due = list[tuple[float, int]]  # when, and the place of an event among those of the model


class UnitEvents:
    """Those of the units of a model, among its `planned` events."""

    def __init__(self, planned: "Sequence[Event]", first: int) -> None:
        """`first`: the place of the first planned event among all events of the run."""
        self._planned, self._first = planned, first
        self._places = {event.name: k for k, event in enumerate(planned) if event.do.unit}
        self._sides: Floats = np.zeros(0)
        self._acted: list[str] = []  # units, at this time
        self.ended: set[str] = set()  # units that have ended the run

    def begin(self, sides: Floats) -> None:
        """Begin with the events of one time; `sides` as of `mbsim.march.events.Found`."""
        self._sides, self._acted = sides, []

    def due(self, formulation: Formulation, unit: str = "", before: Due | None = None) -> Due:
        """When events are due after the start of a run; after an event of a `unit`, of those that were due before that of the unit anew."""
        if not self._places:
            return before or []
        if not unit:
            self.ended = set()
        told = [(t, self._places[time_event(name)]) for t, name in formulation.system.units.due() if unit in ("", name)]
        return [*((t, k) for t, k in before or [] if k != self._places[time_event(unit)]), *told]

    def updated(self, formulation: Formulation, placing: Placing, event: "Event", at: float, z: Floats, row: Floats) -> Floats:
        """The row after an event of a unit, with z changed. Raises Stopped."""
        units, unit = formulation.system.units, event.do.unit
        names, side = units.indicators(unit), self._sides[self._first + self._places[event.name]]
        beyond = {names.index(event.name): float(side)} if side and event.name in names else {}
        energy = placing.energy(at, row)
        here = _at(formulation, at, row)
        try:
            q, ends = units.update(unit, formulation.system, here, beyond)
        except SampleError as error:
            raise Stopped(str(error), at) from error
        self._acted.append(unit)
        if ends:
            self.ended.add(unit)
        return placing.place(at, z, q, here.v, energy, f"the event '{event.name}'")

    def next_of(self, waiting: list[int]) -> list[int]:
        """Of events that wait those that act next, which are taken: all together, then those of units one after the other."""
        group = [k for k in waiting if not self._planned[k].do.unit] or waiting[:1]
        waiting[:] = [k for k in waiting if k not in group]
        return group

    def others(self, carried: list[int], group: Sequence[int]) -> list[int]:
        """Of events that those of a group have carried over zero the ones that are not of the unit that acted, which knows of it."""
        unit = self._planned[group[0]].do.unit if group else ""
        return [j for j in carried if j < 0 or not unit or self._planned[j].do.unit != unit]

    def set_sides(self, formulation: Formulation, at: float, row: Floats) -> None:
        """Let the indicators of units that have acted count as on the side of zero to which they lead from the state after that."""
        system, lines = formulation.system, formulation.work.events
        for unit in dict.fromkeys(self._acted):
            for name, side in system.units.sides(unit, system, _at(formulation, at, row)).items():
                line = lines[self._first + self._places[name]]
                line[contracts.EVENT_LAST_VALUE], line[contracts.EVENT_LEFT] = SIDE * side, 0.0


def put_back(system: System, parameters: Floats | None) -> None:
    """Put the parameters of laws back as they were; what code knows of units stays, and all relative coordinates are found."""
    find_all(system)
    if parameters is not None:
        system.arrays.parameters[:] = parameters
    if system.units is not None:
        system.units.write()


def _at(formulation: Formulation, at: float, row: Floats) -> At:
    """The state of an output row."""
    n_q, n = formulation.system.n_q, formulation.system.n_v
    return At(at, row[:n_q].copy(), row[n_q : n_q + n].copy(), row[n_q + n : n_q + 2 * n].copy())
