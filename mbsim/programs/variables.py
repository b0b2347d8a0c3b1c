"""The variables of a unit and their references: inputs and parameters, outputs, the time, then states and rates that are no outputs."""

from mbsim.programs.exchange import State
from mbsim.programs.unit import Unit


def local_variables(unit: Unit) -> list[tuple[State, bool]]:
    """The states and rates that no output shows, and whether each is a rate. The rate of a coordinate may be a speed, which is a state."""
    if unit.exchange is None:
        return []
    known = {output.name for output in unit.outputs.outputs}
    found = []
    for rate, each in ((False, unit.exchange.states), (True, unit.exchange.derivatives)):
        for one in each:
            if one.name not in known:
                known.add(one.name)
                found.append((one, rate))
    return found


def references(unit: Unit) -> dict[str, int]:
    """The reference of each variable by name, without the time."""
    first = len(unit.arguments) + len(unit.outputs.outputs)
    names = [*(argument.name for argument in unit.arguments), *(output.name for output in unit.outputs.outputs)]
    return {name: i for i, name in enumerate(names)} | {one.name: first + 1 + i for i, (one, _) in enumerate(local_variables(unit))}


def time_reference(unit: Unit) -> int:
    """That of the independent variable."""
    return len(unit.arguments) + len(unit.outputs.outputs)


def state_references(unit: Unit) -> list[int]:
    """Those of the continuous states."""
    found = references(unit)
    return [] if unit.exchange is None else [found[one.name] for one in unit.exchange.states]


def derivative_references(unit: Unit) -> list[int]:
    """Those of their rates, in the same order."""
    found = references(unit)
    return [] if unit.exchange is None else [found[one.name] for one in unit.exchange.derivatives]


def indicator_names(unit: Unit) -> list[str]:
    """Those of the event indicators of model exchange, which no output is called."""
    if unit.exchange is None or unit.events is None:
        return []
    stops = [] if unit.parts[0].stops is None else [f"{one.name}.{look}" for one in unit.parts[0].stops.each for look in one.looks]
    told = iter(stops)  # one after the other, as their events are
    return [f"indicator of {one.name if one.stop < 0 else next(told)}" for one in unit.events.each]


def indicator_references(unit: Unit) -> list[int]:
    """Their references, which are of FMI 3.0 alone."""
    first = time_reference(unit) + 1 + len(local_variables(unit))
    return [first + i for i in range(len(indicator_names(unit)))]


def place_in_row(unit: Unit, name: str, phase: int = 0) -> int | None:
    """Where an output stands in an output row of a phase; None where it is made of several numbers, or is a measure."""
    measures = unit.inside.made.measures
    if measures is not None and name in {term.name for term in measures.given.measures}:
        return None
    part = unit.parts[phase]
    if name == "energy_work":
        return part.inside.formulation.width - 1
    return part.shown.table.place_in_row(name)
