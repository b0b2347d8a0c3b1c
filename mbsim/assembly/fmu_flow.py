"""Units for model exchange in runs: an instance of each, whose functions compiled code calls by their addresses (`kernels/exchange`).

The addresses stand in `Arrays.parameters`, so that no compiled code depends on them. Before a run begins they are zero: then nothing of a
unit runs, its outputs are what they were and its rates zero.
"""

import ctypes as c
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbsim.assembly.fmu_instances import Instance, Loaded
from mbsim.assembly.fmu_tangents import UnitTangents, tangents
from mbsim.kernels import exchange
from mbsim.model.sampling import Flowing
from mbsim.system.exchanged import At, Exchanged
from mbsim.system.native import require_allowed
from mbsim.system.sample_error import SampleError
from mbsim.system.system import Floats, System

MOST_UPDATES = 100  # of discrete states at the start
_WORDS = {  # functions by their places: FMI 2.0, FMI 3.0
    exchange.SET_TIME: ("SetTime", "SetTime"),
    exchange.SET_STATES: ("SetContinuousStates", "SetContinuousStates"),
    exchange.GET_STATES: ("GetContinuousStates", "GetContinuousStates"),
    exchange.GET_RATES: ("GetDerivatives", "GetContinuousStateDerivatives"),
    exchange.SET_NUMBERS: ("SetReal", "SetFloat64"),
    exchange.GET_NUMBERS: ("GetReal", "GetFloat64"),
    exchange.COMPLETED: ("CompletedIntegratorStep", "CompletedIntegratorStep"),
    exchange.ENTER_EVENTS: ("EnterEventMode", "EnterEventMode"),
    exchange.UPDATE: ("NewDiscreteStates", "UpdateDiscreteStates"),
    exchange.LEAVE_EVENTS: ("EnterContinuousTimeMode", "EnterContinuousTimeMode"),
    exchange.GET_INDICATORS: ("GetEventIndicators", "GetEventIndicators"),
}
_RINGS = "has run an event after a step that changes the time of its next event, or whole numbers: mbsim asks for these at events only"
NEVER = np.inf  # s: the next event of a unit that has none
SHIFTS = 30  # doublings of the spacing of numbers: how far beyond a crossing is looked, 1e-7 of the time at most


class _EventInfo2(c.Structure):
    _fields_ = [
        *((name, c.c_int) for name in ("again", "ends", "nominals", "values", "rings")), ("next", c.c_double),
    ]  # fmt: skip


@dataclass
class _Running:
    """What the systems of a run share: instances, and the parameters of these systems."""

    loaded: list[Loaded]
    instances: list[Instance] = field(default_factory=list)
    blocks: list[Floats] = field(default_factory=list)  # (COLUMNS,) of each unit
    notes: list[Any] = field(default_factory=list)  # memory that they write to
    next: list[float] = field(default_factory=list)  # s: of each its next event
    parameters: list[Any] = field(default_factory=list)  # weak references to Arrays.parameters
    tolerance: float | None = None  # relative, of a run that controls its error


class Units:
    """Those of a system, and of the others that a run goes through where joints come and go."""

    def __init__(self, flowing: Sequence[Flowing], units: Sequence[Exchanged], running: _Running | None = None) -> None:
        self._flowing, self._units = flowing, units
        self._running = running or _Running([Loaded(one.foreign, exchange=True) for one in flowing])
        self.plain: Callable[[], System] | None = None  # what makes the system of `fmu_tangents.plain`
        self._known: System | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The units."""
        return tuple(one.foreign.file for one in self._flowing)

    @property
    def controllers(self) -> tuple[str, ...]:
        """Their names in the model."""
        return tuple(one.foreign.controller for one in self._flowing)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all their states."""
        return tuple(name for unit in self._units for name in unit.names)

    @property
    def told(self) -> frozenset[str]:
        """Of those that are no unknowns: inputs and outputs."""
        return frozenset(name for unit in self._units for name in unit.told)

    def indicators(self, controller: str) -> tuple[str, ...]:
        """What the events of the indicators of a unit are called."""
        return self._units[self.controllers.index(controller)].indicators

    @property
    def without_derivatives(self) -> list[str]:
        """The controllers whose units give no directional derivatives."""
        return [one.foreign.controller for one in self._flowing if not one.differentiates]

    @property
    def run(self) -> bool:
        """Whether there are instances."""
        return len(self._running.instances) == len(self._flowing)

    def tangents(self, system: System, t: float, q: Floats, v: Floats, a: Floats | None = None, lam: Floats | None = None) -> UnitTangents:
        """The tangents of a system with the units, which run. Raises SampleError where one fails."""
        if self._known is None:
            assert self.plain is not None
            self._known = self.plain()
        return tangents(self._known, system, self._flowing, self._units, self._running.instances, t, q, v, a, lam)

    @property
    def completes(self) -> bool:
        """Whether one is told of completed steps."""
        return any(unit.completes for unit in self._units)

    def joined(self, flowing: Sequence[Flowing], units: Sequence[Exchanged], system: System) -> "Units":
        """The same instances in another system."""
        made = Units(flowing, units, self._running)
        made.bind(system)
        return made

    def bind(self, system: System) -> None:
        """Let the code of a system call the instances, those of now and those of later runs."""
        self._running.parameters.append(weakref.ref(system.arrays.parameters))
        self._write(system.arrays.parameters)

    def _write(self, parameters: Floats) -> None:
        for unit, block in zip(self._units, self._running.blocks, strict=False):
            parameters[unit.place : unit.place + exchange.COLUMNS] = block

    def require_allowed(self) -> None:
        """Raises NativeCodeError where no native code may run."""
        require_allowed(self.files)

    def tell(self, tolerance: float | None) -> None:
        """The relative tolerance of the runs to come; None of those with equal steps."""
        self._running.tolerance = tolerance

    def begin(self, system: System, t: float, q: Floats, v: Floats) -> Floats:
        """q (n_q,) of a run that begins at t, with new instances.

        Raises SampleError where one fails, NativeCodeError where none may run.
        """
        self.require_allowed()
        running, q = self._running, q.copy()
        running.instances.clear()
        running.blocks[:] = [np.zeros(exchange.COLUMNS) for _ in self._units]
        running.notes.clear()
        running.next.clear()
        self.write()
        for k, (loaded, one, unit) in enumerate(zip(running.loaded, self._flowing, self._units, strict=True)):
            system.terms(t, q, v)  # what the inputs are
            first = system.coordinates.index(unit.names[0])
            instance = loaded.instance()
            at = _started(instance, one, t, running.tolerance, q[first : first + len(unit.inputs)].tolist())
            q[first + len(unit.told) : first + len(unit.names)] = _states(instance, len(one.states))
            q[_counted(system, unit)] = instance.count(one.counted)
            running.instances.append(instance)
            running.next.append(at)
            running.blocks[k][:] = self._block(instance, one)
            self.write()
        system.terms(t, q, v)
        return q

    def write(self) -> None:
        """Give all systems the addresses of the instances of now."""
        running = self._running
        running.parameters[:] = [one for one in running.parameters if one() is not None]
        for one in running.parameters:
            if (parameters := one()) is not None:
                self._write(parameters)

    def _block(self, instance: Instance, one: Flowing) -> Floats:
        block, notes = np.zeros(exchange.COLUMNS), (c.c_int64 * 8)()
        self._running.notes.append(notes)
        for place, words in _WORDS.items():
            if place != exchange.GET_INDICATORS or one.indicators:
                block[place] = instance.address(words[one.version - 2])
        block[exchange.INSTANCE], block[exchange.NOTES] = instance.itself, c.addressof(notes)
        block[exchange.INPUTS] = instance.references(one.foreign.inputs)
        block[exchange.OUTPUTS] = instance.references(one.foreign.outputs)
        return block

    def failure(self, parameters: Floats) -> SampleError | None:
        """What a unit has not found at the last evaluation, in its words."""
        for one, unit, instance in zip(self._flowing, self._units, self._running.instances, strict=False):
            failed, status = (int(parameters[unit.place + place]) for place in (exchange.FAILED, exchange.STATUS))
            if failed == exchange.ENDS:
                return SampleError(f"{one.foreign.controller}: {instance.description.path.name} ends its simulation")
            if failed == exchange.RINGS:
                return SampleError(f"{one.foreign.controller}: {instance.description.path.name} {_RINGS}")
            if failed:
                return SampleError(instance.why(_WORDS[failed][one.version - 2], status))
        return None

    def last_words(self, parameters: Floats) -> str:
        """What a unit has said of the last call that it could not answer; empty where they answered all."""
        for one, unit, instance in zip(self._flowing, self._units, self._running.instances, strict=False):
            last, status = (int(parameters[unit.place + place]) for place in (exchange.LAST, exchange.STATUS))
            if last in _WORDS:
                return instance.why(_WORDS[last][one.version - 2], status)
        return ""

    def due(self) -> list[tuple[float, str]]:
        """The next events of units at times (s) of their own, with the controller."""
        return [(t, one.foreign.controller) for t, one in zip(self._running.next, self._flowing, strict=False) if t < NEVER]

    def update(self, controller: str, system: System, at: At, beyond: Mapping[int, float]) -> tuple[Floats, bool]:
        """q (n_q,) after the event mode of a unit, and whether the unit ends the run. Raises SampleError where it fails.

        `beyond`: of indicators that have crossed zero, by their index, on which side of zero they were.
        """
        k = self.controllers.index(controller)
        one, unit, instance = self._flowing[k], self._units[k], self._running.instances[k]
        self._look_beyond(unit, system, at, beyond)
        instance.call("EnterEventMode")
        moved, ends, self._running.next[k] = _settled(instance, one.version)
        instance.call("EnterContinuousTimeMode")
        q = at.q.copy()
        if moved and one.states:
            first = system.coordinates.index(unit.names[0]) + len(unit.told)
            q[first : first + len(unit.states)] = _states(instance, len(one.states))
        q[_counted(system, unit)] = instance.count(one.counted)
        return q, ends

    def _look_beyond(self, unit: Exchanged, system: System, at: At, beyond: Mapping[int, float]) -> Floats:
        """Be at a state just behind a crossing, where all indicators have another side than `beyond` says: (n,) the indicators there.

        A run ends at a crossing to the last digits, on either side. What is zero counts as below zero, as in FMI.
        """
        q_dot, spacing = system.rates(at.t, at.q, at.v), float(np.spacing(max(1.0, abs(at.t))))
        p = system.arrays.parameters
        for shift in [0.0, *(spacing * 2.0**n for n in range(SHIFTS))]:
            q, v = at.q + shift * q_dot, at.v + shift * at.v_dot
            system.terms(at.t, q, v)
            system.rates(at.t, q, v)
            found: Floats = p[unit.indicated : unit.indicated + len(unit.indicators)].copy()
            if all((found[i] > 0.0) != (side > 0.0) for i, side in beyond.items()):
                return found
        system.terms(at.t, at.q, at.v)
        return found

    def sides(self, controller: str, system: System, at: At) -> dict[str, float]:
        """The sides of zero on which the indicators of a unit go on from a state, by the names of their events."""
        unit = self._units[self.controllers.index(controller)]
        system.terms(at.t, at.q, at.v)
        shift = 4.0 * float(np.spacing(max(1.0, abs(at.t))))
        ahead = At(at.t, at.q + shift * system.rates(at.t, at.q, at.v), at.v + shift * at.v_dot, at.v_dot)
        found = self._look_beyond(unit, system, ahead, {})
        return {name: 1.0 if z > 0.0 else -1.0 for name, z in zip(unit.indicators, found, strict=True)}


def _started(instance: Instance, one: Flowing, t: float, tolerance: float | None, inputs: list[float]) -> float:
    """Bring a new instance to continuous-time mode: when its next event is. Raises SampleError."""
    of = one.foreign
    if of.parameters:
        instance.put(tuple(of.parameters), list(of.parameters.values()))
    instance.begin(t, tolerance)
    if of.inputs:
        instance.put(of.inputs, inputs)
    instance.end_initialisation()
    _, ends, later = _settled(instance, one.version)
    if ends:
        raise SampleError(f"{of.controller}: {instance.description.path.name} ends its simulation at its start")
    instance.call("EnterContinuousTimeMode")
    return later


def _counted(system: System, unit: Exchanged) -> slice:
    """Places of the outputs of a unit that change at events only, in q."""
    end = system.coordinates.index(unit.names[0]) + len(unit.told)
    return slice(end - len(unit.counted), end)


def _states(instance: Instance, count: int) -> list[float]:
    """The continuous states of an instance."""
    states = (c.c_double * count)()
    if count:
        instance.call("GetContinuousStates", states, c.c_size_t(count))
    return list(states)


def _settled(instance: Instance, version: int) -> tuple[bool, bool, float]:
    """Update the discrete states until they stay: whether continuous ones have changed, whether the unit ends, when its next event is."""
    moved = False
    for _ in range(MOST_UPDATES):
        again, ends, values, rings, later = _updated(instance, version)
        moved |= values
        if ends or not again:
            return moved, ends, later if rings else NEVER
    raise SampleError(f"{instance.description.path.name} changes its discrete states {MOST_UPDATES} times at one time")


def _updated(instance: Instance, version: int) -> tuple[bool, bool, bool, bool, float]:
    """Update the discrete states: whether that goes on, the unit ends, continuous states have changed, an event is to come, and when."""
    if version == 2:
        info = _EventInfo2()
        instance.call("NewDiscreteStates", c.byref(info))
        return bool(info.again), bool(info.ends), bool(info.values), bool(info.rings), info.next
    again, ends, _, values, rings = flags = [c.c_bool() for _ in range(5)]
    later = c.c_double()
    instance.call("UpdateDiscreteStates", *map(c.byref, flags), c.byref(later))
    return again.value, ends.value, values.value, rings.value, later.value
