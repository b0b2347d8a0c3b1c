"""Units for model exchange in runs: an instance of each, whose functions compiled code calls by their addresses (`kernels/exchange`).

The addresses stand in `Arrays.parameters`, so that no compiled code depends on them. Before a run begins they are zero: then nothing of a
unit runs, its outputs are what they were and its rates zero.
"""

import ctypes as c
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mbsim.assembly.bodies import Bodies
from mbsim.assembly.fmu_instances import Instance, Loaded
from mbsim.assembly.generalized import Generalized
from mbsim.kernels import exchange
from mbsim.model.sampling import Flowing
from mbsim.system.exchanged import Exchanged
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
}
_RINGS = "wants an event at a time of its own: such events are located in no run; as a unit for co-simulation, with `sample`, it may run"


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
    parameters: list[Any] = field(default_factory=list)  # weak references to Arrays.parameters


class Units:
    """Those of a system, and of the others that a run goes through where joints come and go."""

    def __init__(self, flowing: Sequence[Flowing], units: Sequence[Exchanged], running: _Running | None = None) -> None:
        self._flowing, self._units = flowing, units
        self._running = running or _Running([Loaded(one.foreign, exchange=True) for one in flowing])

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

    def begin(self, system: System, t: float, q: Floats, v: Floats) -> Floats:
        """q (n_q,) of a run that begins at t, with new instances. Raises SampleError where one fails, NativeCodeError where none may run."""
        self.require_allowed()
        running, q = self._running, q.copy()
        running.instances.clear()
        running.blocks[:] = [np.zeros(exchange.COLUMNS) for _ in self._units]
        running.notes.clear()
        self._write_all()
        for k, (loaded, one, unit) in enumerate(zip(running.loaded, self._flowing, self._units, strict=True)):
            system.terms(t, q, v)  # what the inputs are
            first = system.coordinates.index(unit.names[0])
            instance = loaded.instance()
            states = _started(instance, one, t, q[first : first + len(unit.inputs)].tolist())
            q[first + len(unit.told) : first + len(unit.names)] = states
            running.instances.append(instance)
            running.blocks[k][:] = self._block(instance, one)
            self._write_all()
        system.terms(t, q, v)
        return q

    def _write_all(self) -> None:
        running = self._running
        running.parameters[:] = [one for one in running.parameters if one() is not None]
        for one in running.parameters:
            if (parameters := one()) is not None:
                self._write(parameters)

    def _block(self, instance: Instance, one: Flowing) -> Floats:
        block, notes = np.zeros(exchange.COLUMNS), (c.c_int64 * 8)()
        self._running.notes.append(notes)
        for place, words in _WORDS.items():
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


def with_units(source: Bodies | Generalized, system: System, before: Units | None = None) -> System:
    """A system that was made of `source` with its units, which are those of `before` where a run goes on with it."""
    if isinstance(source, Generalized) or not source.builder.flowing:
        return system
    flowing, units = source.builder.flowing, source.builder.laws.units
    if before is None:
        made = Units(flowing, units)
        made.bind(system)
    else:
        made = before.joined(flowing, units, system)
    parameters = system.arrays.parameters
    return replace(system, units=made, failure=lambda: made.failure(parameters))


def _started(instance: Instance, one: Flowing, t: float, inputs: list[float]) -> list[float]:
    """The continuous states of a new instance, which is then in continuous-time mode. Raises SampleError."""
    of = one.foreign
    if of.parameters:
        instance.put(tuple(of.parameters), list(of.parameters.values()))
    instance.begin(t)
    if of.inputs:
        instance.put(of.inputs, inputs)
    instance.end_initialisation()
    for _ in range(MOST_UPDATES):
        again, ends, rings = _updated(instance, one.version)
        if ends:
            raise SampleError(f"{of.controller}: {instance.description.path.name} ends its simulation at its start")
        if not again:
            break
    if rings:
        raise SampleError(f"{of.controller}: {instance.description.path.name} {_RINGS}")
    instance.call("EnterContinuousTimeMode")
    states = (c.c_double * len(one.states))()
    if one.states:
        instance.call("GetContinuousStates", states, c.c_size_t(len(states)))
    return list(states)


def _updated(instance: Instance, version: int) -> tuple[bool, bool, bool]:
    """Update the discrete states: whether that goes on, whether the unit ends, whether it wants an event at some time."""
    if version == 2:
        info = _EventInfo2()
        instance.call("NewDiscreteStates", c.byref(info))
        return bool(info.again), bool(info.ends), bool(info.rings)
    flags, later = [c.c_bool() for _ in range(5)], c.c_double()
    instance.call("UpdateDiscreteStates", *map(c.byref, flags), c.byref(later))
    return bool(flags[0]), bool(flags[1]), bool(flags[4])
