"""Stops and dry friction of joints, as a run needs them: what holds a coordinate, what pushes along it, what tells when that changes.

Each is a row that comes and goes, like a driver that an event locks; an effort along the coordinate; and expressions that are watched. They
are added to a model before a system is made of it, under names made of the joint's: `knee_lower`, `knee_upper`, `knee_friction`.
`mbsim.march.unilateral` says when which of them holds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from typing import NamedTuple

from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.forces._push import Push, push_name
from mbsim.joints._table import TableJoint
from mbsim.model.drivers import Driver
from mbsim.model.events import Action, Event
from mbsim.model.expressions.expression import parse
from mbsim.model.file.errors import ModelError
from mbsim.model.schema import Model


class Look(StrEnum):
    """What an expression tells of a stop or a friction."""

    GAP = "gap"  # how far a stop is from closed
    SPEED = "speed"  # the rate of the gap, or of a coordinate that a friction slips along
    EFFORT = "effort"  # what is left of the effort that holds: of a stop until it opens, of a friction until it slips


class Unilateral(NamedTuple):
    """A stop or a dry friction of a joint. Efforts in N or N m."""

    name: str  # of its row and of its push
    joint: str
    coordinate: str
    sign: float  # of a stop: 1 where its gap grows with the coordinate; of a friction 1
    bound: float  # of a stop: the value of the coordinate that it keeps, rad or m
    restitution: float
    closing_speed: float  # rad/s or m/s
    static: float  # the largest effort that a friction holds; inf: a stop
    kinetic: float  # the effort of a friction that slips

    @property
    def is_stop(self) -> bool:
        """Whether it is a stop and not a friction."""
        return self.static == inf

    @property
    def looks(self) -> tuple[Look, ...]:
        """What is watched of it, in the order of its events."""
        return (Look.GAP, Look.SPEED, Look.EFFORT) if self.is_stop else (Look.SPEED, Look.EFFORT)

    @property
    def variable(self) -> str:
        """What expressions call its coordinate."""
        return f"{self.joint}.{self.coordinate}"


@dataclass(frozen=True)
class Unilaterals:
    """Those of a model, and where the numbers of their pushes are."""

    each: tuple[Unilateral, ...]
    places: tuple[int, ...]  # of each push in Arrays.parameters
    first: int  # the event of the model that their first one is; all of them follow each other


def unilaterals(model: Model) -> tuple[Unilateral, ...]:
    """The stops and frictions of a model's joints. Raises ModelError for names that are taken."""
    found: list[Unilateral] = []
    problems = []
    taken = {*model.joints, *model.couplings, *model.drivers, *model.constraints, *model.acting(), *model.events}
    for joint, block in model.joints.items():
        for path, one in _of_joint(joint, block, model.dimension or 3) if isinstance(block, TableJoint) else ():
            found.append(one)
            if one.name in taken:
                problems.append(model.problem(path, f"its row would be called '{one.name}', a name that is taken; rename that"))
    if problems:
        raise ModelError(problems)
    return tuple(found)


def _of_joint(joint: str, block: TableJoint, dimension: int) -> Iterator[tuple[tuple[str, ...], Unilateral]]:
    choices = block.bounded(dimension)
    for stops in block.stops:
        coordinate = stops.coordinate_of(block.type, choices)
        prefix = joint if len(choices) == 1 else f"{joint}_{coordinate}"
        for word, sign, bound in (("lower", 1.0, stops.lower), ("upper", -1.0, stops.upper)):
            if bound is not None:
                rest = (stops.restitution, stops.closing_speed, inf, 0.0)
                yield ("joints", joint, "stops"), Unilateral(f"{prefix}_{word}", joint, coordinate, sign, bound, *rest)
    for friction in block.friction:
        coordinate = friction.coordinate_of(block.type, choices)
        prefix = joint if len(choices) == 1 else f"{joint}_{coordinate}"
        rest = (0.0, 0.0, friction.holds, friction.kinetic)
        yield ("joints", joint, "friction"), Unilateral(f"{prefix}_friction", joint, coordinate, 1.0, 0.0, *rest)


def with_unilaterals(model: Model) -> tuple[Model, tuple[Unilateral, ...]]:
    """A model with the rows, pushes and events of its stops and frictions; and these. Raises ModelError."""
    found = unilaterals(model)
    if not found:
        return model, ()
    drivers = {one.name: _row(one) for one in found}
    pushes = {one.name: Push(type="push", joint=one.joint, coordinate=one.coordinate) for one in found}
    events = {event.name: event for one in found for event in _watched(one)}
    made = replace(
        model,
        drivers={**model.drivers, **drivers},
        forces={**model.forces, **pushes},
        events={**model.events, **events},
    )
    return made, found


def _row(one: Unilateral) -> Driver:
    """What keeps the coordinate: at the bound of a stop, or where it is then."""
    law = parse(one.bound)
    if one.coordinate in ("angle", "displacement"):
        laws = {"angle": law if one.coordinate == "angle" else None, "displacement": law if one.coordinate == "displacement" else None}
        return Driver.model_construct(joint=one.joint, locked=False, **laws)
    return Driver.model_construct(joint=one.joint, coordinate=one.coordinate, value=law, locked=False)


def _watched(one: Unilateral) -> Iterator[Event]:
    """Its expressions, in the order of `looks`. Those of efforts are filled in by the march, which knows the multipliers."""
    x, sign = one.variable, "" if one.sign > 0.0 else "-"
    texts = {
        Look.GAP: (f"{sign}({x} - ({one.bound!r}))", "down"),
        Look.SPEED: (f"{sign}der({x})", "any"),
        Look.EFFORT: ("1", "down"),
    }
    for look in one.looks:
        text, direction = texts[look]
        yield Event(f"{one.name}.{look}", parse(text), direction, Action(unilateral=one.name))


def placed(model: Model, source: Bodies | Generalized, found: tuple[Unilateral, ...]) -> Unilaterals | None:
    """Those of a model that has been made to a source; None where there are none."""
    if not found or isinstance(source, Generalized):
        return None
    names = source.builder.laws.parameters
    places = tuple(names.index(push_name(one.name)) for one in found)
    return Unilaterals(found, places, list(model.events).index(f"{found[0].name}.{found[0].looks[0]}"))
