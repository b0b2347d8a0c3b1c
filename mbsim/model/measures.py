"""The `measures` block: named expressions over everything that a run records.

Measures may use all names of laws, and also accelerations, velocities and points of bodies, relative coordinates of joints, reactions,
energies, the functions of bodies (`mbsim.model.expressions.functions.MEASURING`) and the measures above them. Names are checked at their
place.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema

from mbsim.model.expressions.expression import Expression, ExpressionError, check_constants, parse
from mbsim.model.expressions.functions import MEASURING, MECHANISM
from mbsim.model.expressions.parsed import Call, Name
from mbsim.model.expressions.usual_words import spelled
from mbsim.model.fields import AlreadyReportedError, Context, context_of
from mbsim.model.file.errors import did_you_mean
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.given_units import Unit
from mbsim.model.leaves import Block, Joint
from mbsim.model.names import GROUND, RESULT_NAMES, der, own_name_fault
from mbsim.model.recorded import (
    BEAM_ENERGY,
    BEAM_VECTORS,
    CONTROLLERS,
    FORCE_VECTORS,
    FORCES,
    acceleration_names,
    body_names,
    point_names,
    terms,
)
from mbsim.model.reference import value_names
from mbsim.model.rephrase import Fault
from mbsim.model.report import Report
from mbsim.model.schemas import NUMBER

_ELEMENT = re.compile(rf"\b(?:(?:{'|'.join(BEAM_VECTORS)})\.[A-Za-z]\w*\.e\d+\.[xyz]|{BEAM_ENERGY}\.[A-Za-z]\w*\.e\d+)\b")
_ROW = re.compile(r"\bmultiplier\.([A-Za-z]\w*(?:\.[A-Za-z]\w*)?)")


@dataclass(frozen=True)
class Measure:
    """A recorded expression. `unit` None: the unit of the quantity that it names, `1` if it is composed."""

    name: str
    value: Expression
    unit: str | None = None


def read_recorded(value: Plain, context: Context) -> Expression:
    """An expression over everything that a run records. Raises ExpressionError, or AlreadyReportedError."""
    expression = parse(value, words=context.words(measure=True, second_rates=True))
    known = context.measurable, context.parameters, context.unusable, ("t",)
    for node in terms(expression.tree):
        if isinstance(node, Call):
            _check_arguments(node, context)
        elif not any(node.name in names for names in known):
            if node.name in context.later:
                raise ExpressionError(f"the measure '{node.name}' is not above this one", node.offset)
            choices = [spelled(name) for names in known for name in names if name not in context.absent]
            written = spelled(node.name)
            raise ExpressionError(f"unknown name '{written[:60]}'{did_you_mean(written, choices)}", node.offset)
        elif node.name in context.unusable:
            raise AlreadyReportedError
    if any(not call.table.points for call in expression.lookups):
        raise AlreadyReportedError
    check_constants(expression.tree, context.parameters)
    return expression


def _recorded(value: Plain, info: ValidationInfo) -> Expression:
    return read_recorded(value, context_of(info))


def _check_arguments(node: Call, context: Context) -> None:
    """Raise ExpressionError for a name that is not that of a body, or of a point where a point is needed."""
    if context.dimension is None:
        raise ExpressionError(f"{node.function} is of bodies; this model has none", node.offset)
    names = [argument for argument in node.arguments if isinstance(argument, Name)]  # the parser accepts nothing else
    vector = MEASURING[node.function].vector
    for k, argument in enumerate(names[:-1] if vector else names):
        about_points = k > 0 if vector else node.function == "distance" or len(names) == 3
        what, with_ground = ("point", True) if about_points else ("body", node.function == "angle")
        body, dot, point = argument.name.partition(".")
        if vector and argument.name == MECHANISM and not about_points:
            continue
        known = body in context.bodies or (with_ground and body == GROUND)
        if not known or (dot and not (about_points and point in context.points.get(body, ()))):
            whole = [MECHANISM] if vector and not about_points else []
            choices = [*_places(context, about_points, with_ground), *whole]
            raise ExpressionError(f"unknown {what} '{argument.name[:60]}'{did_you_mean(argument.name, choices)}", argument.offset)


def _places(context: Context, points: bool, ground: bool) -> Iterator[str]:
    """The names of bodies, and of `points` of them, that an argument may be."""
    yield from context.bodies
    if ground:
        yield GROUND
    if points:
        yield from (f"{body}.{point}" for body, inner in context.points.items() for point in inner)


class MeasureBlock(Block):
    """A named expression that is recorded as a time series."""

    value: Annotated[Expression, PlainValidator(lambda value, info: read_recorded(value, context_of(info))), WithJsonSchema(NUMBER)] = (
        Field(description="expression over everything that a run records")
    )
    unit: Unit | None = Field(
        default=None, description="UDUNITS spelling, such as m s-1; when not given, that of what the value names, 1 where it is composed"
    )


def measurable(
    context: Context,
    leaves: Mapping[str, type[Joint]],
    drivers: Iterable[str],
    constraints: Iterable[str],
    forces: Collection[str] = (),
    controllers: Collection[str] = (),
) -> frozenset[str]:
    """The names a measure may use besides t, the parameters and other measures; `leaves` are the classes of the joints."""
    dimension = context.dimension
    drivers = list(drivers)
    names = set(value_names(context.state_names, context.joints, drivers, [*constraints, *drivers]))
    of_ground = point_names(GROUND, dimension or 3, context.points.get(GROUND, ()))
    names |= of_ground | {der(name) for name in of_ground if name.startswith("der(")}
    names |= {f"{quantity}.{force}" for force in [*forces, *controllers] for quantity in FORCES}
    names |= {f"{quantity}.{controller}" for controller in controllers for quantity in CONTROLLERS}
    names |= {f"{vector}.{force}.{axis}" for force in forces for vector in FORCE_VECTORS for axis in "xyz"}
    for body in context.bodies:
        names |= body_names(body, dimension or 3, context.points.get(body, ()))
        names |= acceleration_names(body, dimension or 3, context.points.get(body, ()))
    for joint, leaf in leaves.items():
        names |= {name for motion in leaf.measured(dimension or 3) for name in (f"{joint}.{motion}", der(f"{joint}.{motion}"))}
    return frozenset(names)


def _rows_of_contacts(raw: Mapped, blocks: Collection[str]) -> Iterator[str]:
    """Multipliers that measures name of `blocks` whose rows come and go: contacts, and joints with stops, friction or play.

    How many rows they have shapes tell, which are not known yet: the assembly finds what is not there.
    """
    for label in _ROW.findall(" ".join(map(str, raw.values()))):
        if any(label == block or label.startswith((f"{block}_", f"{block}.")) for block in blocks):
            yield f"multiplier.{label}"


def read_measures(
    raw: Mapped, context: Context, taken: Mapping[str, Collection[str]], report: Report, contacts: Collection[str] = ()
) -> dict[str, Measure]:
    """The measures by name, in the order of the block. Problems go to `report`. `taken`: names used by other sections."""
    found: dict[str, Measure] = {}
    measurable, unusable, later = set(context.measurable), set(context.unusable), set(raw)
    measurable |= set(_rows_of_contacts(raw, [*contacts, *context.joints, *context.couplings]))
    measurable |= set(_ELEMENT.findall(" ".join(map(str, raw.values()))))  # the assembly finds which there are
    context = replace(context, measurable=measurable, unusable=unusable, later=later)  # they change measure by measure
    for name, data in raw.items():
        if fault := own_name_fault(name, {**taken, "the result file": RESULT_NAMES}):
            report.add(Fault((name,), fault, "key"), ("measures",))
        block = report.read(MeasureBlock, ("measures", name), data, context, "value")
        later.remove(name)
        if block is None or fault:
            unusable.add(name)
        else:
            measurable.add(name)
            found[name] = Measure(name, block.value, block.unit)
    return found
