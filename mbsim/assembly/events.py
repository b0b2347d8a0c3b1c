"""The events of the system that a model becomes: what they watch, as code, and what they set, checked against the system."""

from dataclasses import replace

import numpy as np

from mbsim.assembly.assembled import Planned, value_name
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.assembly.solved import solved_symbols
from mbsim.constraints.pulley_cable import PulleyCable
from mbsim.contracts import Arrays
from mbsim.model.events import switched
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load
from mbsim.model.names import der
from mbsim.model.schema import Model
from mbsim.observe.measures import Given, Term
from mbsim.system.bodies import prefix
from mbsim.system.equations import Symbols
from mbsim.system.switches import LawText
from mbsim.system.system import System

SHIFT = 1e-3  # of a parameter, or by this where it is 0: to see what it changes
FIXED = "it gives numbers that a run does not change (such as masses, lengths, stiffnesses), and other parameters; laws alone follow it"


def planned(model: Model, source: Bodies | Generalized, system: System) -> Planned | None:
    """The events of a model, whose system is made of `source`; None where it has none. Raises ModelError."""
    _check(model, system)
    return watched(model, source, system) if model.events else None


def watched(model: Model, source: Bodies | Generalized, system: System) -> Planned:
    """The events of a model as they are watched in a system that was made of `source`."""
    events = tuple(model.events.values())
    if isinstance(source, Generalized):
        parameters, relative = list(source.forces.parameters), dict[str, int]()
        coordinates, speeds = [*(model.coordinates or []), *source.forces.states.rates], [der(c) for c in model.coordinates or []]
    else:
        laws = source.builder.laws
        parameters, relative = laws.parameters, laws.relative
        coordinates, speeds = [*laws.coordinates, *laws.rates], laws.speeds
    told_by_units: frozenset[str] = frozenset() if isinstance(source, Generalized) else source.builder.laws.told
    reactions = {} if isinstance(source, Generalized) else {name: x for name, x in source.builder.reactions.items() if x is not None}
    known = {"t", *parameters, *coordinates, *speeds, *relative, *map(der, relative)}
    names = {name for event in events for name in event.when.names} - known
    solved = solved_symbols(sorted(names), system, reactions)
    measured = {*relative, *map(der, relative)} - {*coordinates, *speeds}
    measure = ""
    if any(event.when.names & measured for event in events):
        measure = f"{prefix(model.in_joint_coordinates, model.dimension or 3, False)}measure"

    def texts() -> list[LawText]:
        symbols = Symbols(parameters, coordinates, speeds).with_told(told_by_units).with_relative(relative).with_solved(solved)
        return [LawText(event.when, symbols) for event in events]

    given = Given.of(model)
    terms = [
        Term(value_name(event.name, kind, target), expression.text, expression.tree, "1")
        for event in events
        for kind, values in (("set", event.do.set), ("switch", event.do.switch))
        for target, expression in values.items()
    ]
    told: list[object] = [
        *[sorted(told_by_units)] * bool(told_by_units),
        parameters,
        coordinates,
        speeds,
        sorted(relative.items()),
        sorted(solved.items()),
    ]
    return Planned(
        events,
        [[event.when.key for event in events], *told],
        texts,
        measure,
        given._replace(measures=[*given.measures, *terms]),
        tuple(bool(event.when.names & (names | told_by_units)) for event in events),
        tuple(reactions.values()),
    )


def _check(model: Model, system: System) -> None:
    """Raise ModelError for what cannot be set, and for parameters that are to change in a run and that numbers are made of."""
    speeds, problems = set(system.speeds), []
    settable = {*speeds, *system.states, *(name for name in system.coordinates if der(name) in speeds)}
    for event in model.events.values():
        for name in event.do.set:
            if name not in settable:
                reason = (
                    "an orientation is not set by one of its four numbers"
                    if name in system.coordinates
                    else "these coordinates do not have it"
                )
                problems.append(model.problem(("events", event.name, "do", "set", name), f"'{name}' cannot be set: {reason}"))
    for name in sorted(switched(model.events)):
        if _is_fixed(model, name):
            events = [event.name for event in model.events.values() if name in event.do.switch]
            problems += [model.problem(("events", e, "do", "switch", name), f"'{name}' cannot be switched: {FIXED}") for e in events]
    for name in sorted(model.inputs):
        if _is_fixed(model, name):
            problems.append(model.problem(("parameters", name), f"'{name}' cannot be an input: {FIXED}"))
    if problems:
        raise ModelError(problems)


def _is_fixed(model: Model, name: str) -> bool:
    """Whether more than the parameter itself changes in the arrays of the system with it."""
    value = model.parameters[name]
    try:
        made = [_with(model, {name: x}) for x in (value, value * (1.0 + SHIFT) if value else SHIFT)]
        if _rigid(made[0]) != _rigid(made[1]):
            return True
        first, second = map(_arrays, made)
    except ModelError:  # a number that is not allowed
        return True
    place = list(model.parameters).index(name)
    for field, before, after in zip(first._fields, first, second, strict=True):
        if field == "parameters":
            before, after = np.delete(before, place), np.delete(after, place)
        if not np.array_equal(before, after, equal_nan=True):
            return True
    return False


def _rigid(model: Model) -> list[object]:
    """The numbers of stops, dry friction, contacts and cables that may go slack."""
    joints = [[getattr(block, key, None) for key in ("stops", "friction")] for block in model.joints.values()]
    cables = [(c.path, c.length) for c in model.constraints.values() if isinstance(c, PulleyCable) and c.slack]
    return [joints, dict(model.contacts), cables]


def _with(model: Model, parameters: dict[str, float]) -> Model:
    """A model with other numbers."""
    from mbsim import registry

    given = model.overrides.over(parameters, None, None)
    other = load(model.text, registry, given.parameters, given.simulation, model.file, given.tables)
    return replace(other, inputs=model.inputs)


def _arrays(other: Model) -> Arrays:
    """The arrays of the system of a model, before anything is evaluated."""
    made: Generalized | Bodies = Generalized(other) if other.coordinates else Bodies(other)
    return made.system().arrays
