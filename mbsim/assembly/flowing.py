"""What becomes of the units for model exchange of a model: events, and what runs them with a system (`fmu_flow`)."""

from dataclasses import replace
from typing import Any

from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.model.events import Action, Event
from mbsim.model.expressions.expression import parse
from mbsim.model.schema import Model
from mbsim.system.exchanged import time_event
from mbsim.system.system import System


def with_unit_events(model: Model, source: Bodies | Generalized) -> Model:
    """A model with the events of its units: one of each indicator, and one of each unit for those at times of its own."""
    if isinstance(source, Generalized) or not source.builder.flowing:
        return model
    events = dict(model.events)
    for one, unit in zip(source.builder.flowing, source.builder.laws.units, strict=True):
        controller = one.foreign.controller
        for name in unit.indicators:
            events[name] = Event(name, parse(name), "any", Action(unit=controller))
        events[time_event(controller)] = Event(time_event(controller), parse(-1), "any", Action(unit=controller))
    return replace(model, events=events)


def with_units(source: Bodies | Generalized, system: System, before: Any = None) -> System:
    """A system that was made of `source` with its units, which are those of `before` where a run goes on with it."""
    if isinstance(source, Generalized) or not source.builder.flowing:
        return system
    flowing, units = source.builder.flowing, source.builder.laws.units
    if before is None:
        from mbsim.assembly.fmu_flow import Units  # ctypes, which other models do not need

        made: Any = Units(flowing, units)
        made.bind(system)
    else:
        made = before.joined(flowing, units, system)
    made.plain = lambda: _plain(source, system)
    parameters = system.arrays.parameters
    return replace(system, units=made, failure=lambda: made.failure(parameters))


def _plain(source: Bodies, system: System) -> System:
    from mbsim.assembly.fmu_tangents import plain

    return plain(source, system)


def with_same_units(system: System) -> System:
    """A system that was made of another one with other parameters, so that its code calls the units, too."""
    if system.units is None:
        return system
    units, parameters = system.units, system.arrays.parameters
    units.bind(system)
    return replace(system, failure=lambda: system.failure() or units.failure(parameters))  # which keeps that one alive, as its code wants
