"""Notes on features of a model that are valid but rarely meant: angles of more than a turn, bodies without any connection."""

import math
from collections.abc import Iterator

from mbsim.model.events import switched
from mbsim.model.expressions.expression import CONSTANTS
from mbsim.model.expressions.parsed import Expression
from mbsim.model.fields import Point
from mbsim.model.file.positions import Path
from mbsim.model.leaves import Block
from mbsim.model.schema import Model
from mbsim.model.smoothing import noise_of

SHOWN = 6  # names or angles in a sentence
NOISY = 0.5  # of the second derivatives of a table: what noise makes of them
_SLACK = 1e-9  # a full turn, written as 2*pi or with nine digits, gives no note
_ANGLES = frozenset({"angle", "free_angle"})  # keys of blocks that hold an angle as a number


def notes(model: Model) -> tuple[str, ...]:
    """The notes, a sentence each, for the user of `run` and `check`."""
    return (*_constants(model), *_never_crossed(model), *_large_angles(model), *_find_untouched(model), *_noisy_tables(model))


def _constants(model: Model) -> Iterator[str]:
    for name in model.states.keys() & CONSTANTS.keys():
        yield f"in this model {name} is the state of that name, not the constant; only `parameters` still read the constant"


def _never_crossed(model: Model) -> Iterator[str]:
    """What is watched for a crossing and follows parameters alone, which no event switches."""
    changing = switched(model.events)
    of_file = {name: event for name, event in model.events.items() if not event.do.unilateral and not event.do.unit}
    watched = {f"events.{name}.when": event.when for name, event in of_file.items()}
    if model.simulation.stop is not None:
        watched["simulation.stop"] = model.simulation.stop
    for path, expression in watched.items():
        if expression.names <= model.parameters.keys() - changing:
            yield f"{path} never crosses zero: {expression} depends on parameters alone, which no event switches"


def _large_angles(model: Model) -> Iterator[str]:
    found = [(path, value) for path, value in _angles(model) if abs(value) > 2.0 * math.pi * (1.0 + _SLACK)]
    told = []
    for path, value in found[:SHOWN]:
        name = ".".join(map(str, path))
        told.append(f"{name} = {value:g}{model.document.line(path)}")
    if found:
        more = f" and {len(found) - SHOWN} more" * (len(found) > SHOWN)
        turn = "is more than a full turn" if len(found) == 1 else "are more than a full turn"
        yield f"{', '.join(told)}{more} {turn}: angles are in radians; {found[0][1]:g} degrees are written deg({found[0][1]:g})"


def _noisy_tables(model: Model) -> Iterator[str]:
    """Tables that drive and look measured: their second derivatives are mostly noise."""
    driving = {call.table.name: call.table for driver in model.drivers.values() for _, law in driver.laws() for call in law.lookups}
    for name, table in sorted(driving.items()):
        noise, made, whole = noise_of(table.points)
        if made > NOISY * whole > 0.0:
            yield (
                f"the table '{name}', which drives, has noise of about {noise:.2g}, which makes second derivatives of about {made:.2g} of "
                f"{whole:.2g} in all, and forces as noisy: `smooth: {noise:.1g}` in its block removes it"
            )


def _angles(model: Model) -> Iterator[tuple[Path, float]]:
    """The angles that the file gives as numbers. Those of nodes of beams follow from places: a ring goes around once and more."""
    nodes = {node for beam in model.beams.values() for node in beam.nodes}
    for section in ("bodies", "joints", "forces"):
        for name, block in getattr(model, section).items():
            if section == "bodies" and name in nodes:
                continue
            yield from _angles_of((section, name), block)
    for name, value in model.initial.values.items():
        if isinstance(value, float) and not name.startswith("der(") and name.rpartition(".")[2].startswith("angle"):
            yield ("initial", name), value


def _angles_of(path: Path, block: Block) -> Iterator[tuple[Path, float]]:
    for key in block.model_fields_set:
        value = getattr(block, key)
        if isinstance(value, Block):
            yield from _angles_of((*path, key), value)
        elif key in _ANGLES and isinstance(value, float):
            yield (*path, key), value


def _find_untouched(model: Model) -> Iterator[str]:
    """Bodies in no joint, driver, force, contact or constraint, if the model has some: without any, bodies are free on purpose."""
    touched: set[str] = set()
    for section in (model.joints, model.drivers, model.acting(), model.constraints, model.contacts):
        for block in section.values():
            touched |= _names(block)
    touched.update(node for beam in model.beams.values() for node in beam.nodes)
    touched.update(body for part in model.elastic.values() for body in part.bodies)
    alone = [name for name in model.bodies if name not in touched]
    if alone and len(alone) < len(model.bodies):
        more = f" and {len(alone) - SHOWN} more" * (len(alone) > SHOWN)
        them = "it" if len(alone) == 1 else "them"
        yield f"no joint, driver, force or constraint has to do with {', '.join(alone[:SHOWN])}{more}: nothing but gravity moves {them}"


def _names(block: object) -> set[str]:
    """All words that may be names of bodies."""
    found: set[str] = set()
    waiting = [block]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Block):
            waiting += [getattr(value, key) for key in type(value).model_fields]
        elif isinstance(value, Expression):
            found |= {name.removeprefix("der(").partition(".")[0] for name in value.names}
        elif isinstance(value, Point):
            found.add(value.body)
        elif isinstance(value, str):
            found.add(value.removeprefix("der(").partition(".")[0])
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
    return found
