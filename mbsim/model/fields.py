"""The kinds of values in a model file, as annotated types. A leaf is a class with fields of these types.

Validation depends on the model around a value (dimension, parameters, names). This arrives as `info.context`, a Context.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, PlainValidator, ValidationInfo, WithJsonSchema

from mbsim.model.expressions.expression import Expression, Vocabulary, check_constants, evaluate, parse, unknown_name
from mbsim.model.expressions.parsed import Name, walk
from mbsim.model.expressions.poses import is_speed
from mbsim.model.expressions.tables import Table
from mbsim.model.file.errors import ExpressionError, did_you_mean, shown
from mbsim.model.file.plain import Plain
from mbsim.model.names import GROUND
from mbsim.model.rotations import unit
from mbsim.model.schemas import NAME, NUMBER, NUMBER_OR_LIST, VECTOR, array

_TIME = frozenset({"t"})
STATES_FOR = "laws of forces, rates of states, measures and `stop` may read it, nothing else"
NOT_GIVEN: Any = ()  # the default of a field whose check must see that it is not given; YAML has no tuples
LARGEST = 1e50  # a number of a block; the universe is 1e27 m wide, and products of six such numbers are still finite


@dataclass(frozen=True, slots=True)
class Context:
    """The names and sizes that a value may refer to."""

    dimension: int | None = None  # None: the user's own coordinates
    parameters: Mapping[str, float] = field(default_factory=dict)
    unusable: Set[str] = frozenset()  # parameters with a wrong value; the error is reported at the parameter only
    state_names: frozenset[str] = frozenset()  # names allowed in laws besides t and the parameters
    body_states: frozenset[str] = frozenset()  # names of the states of bodies, whatever the coordinates
    relative_names: frozenset[str] = frozenset()  # further names in laws of forces: relative coordinates of joints, in absolute coordinates
    place_names: frozenset[str] = frozenset()  # likewise: places and velocities of points, in joint coordinates of centres of mass too
    bodies: Collection[str] = ()  # in the order of the file, as joints and couplings; dicts
    parts: int = 1  # into which each element of a beam that the file gives is cut
    points: Mapping[str, frozenset[str]] = field(default_factory=dict)  # body -> its named points
    joints: Collection[str] = ()
    couplings: Collection[str] = ()  # gears: listed among the joints; they couple the coordinates of two others
    coordinates: Sequence[str] = ()
    in_joint_coordinates: bool = False
    states: frozenset[str] = frozenset()  # of the user's and of forces; in state_names, too, of who may read them
    joint_states: Sequence[str] = ()  # coordinates and speeds that may exist in joint coordinates
    absent: frozenset[str] = frozenset()  # of these, those that do not exist: nothing suggests them
    tables: Mapping[str, Table] = field(default_factory=dict)
    named: Mapping[str, Expression] = field(default_factory=dict)  # the expressions of `let`
    folder: str = ""  # of the model file, at which relative paths in it begin
    solved: Set[str] = frozenset()  # names that events may watch besides those of laws: what the equations of motion are solved for
    measurable: Set[str] = frozenset()  # names allowed in measures besides t and the parameters
    lockable: Collection[str] = ()  # joints, drivers and constraints, which events may lock
    later: Set[str] = frozenset()  # the measure that is read and those below it
    methods: Sequence[str] = ()
    integrators: Sequence[str] = ()

    def words(self, measure: bool = False, second_rates: bool = False) -> Vocabulary:
        """What expressions may call, and name besides states and parameters."""
        return Vocabulary(self.tables, self.states, self.named, self.parameters.keys(), self.dimension == 2, measure, second_rates)


class AlreadyReportedError(ValueError):
    """A value cannot be checked because something it depends on is wrong. This is not an error of its own."""


class ItemError(ValueError):
    """An error in one item of a list that is read as a whole. `path` leads from the list to the item."""

    def __init__(self, path: tuple[int | str, ...], error: ValueError) -> None:
        super().__init__(str(error))
        self.path = path
        self.error = error


class Point(NamedTuple):
    """A point of a body; without a name, its centre of mass (for ground, the origin)."""

    body: str
    point: str | None


def context_of(info: ValidationInfo) -> Context:
    """The Context of a validation; an empty one if a block is built without a model."""
    return info.context if isinstance(info.context, Context) else Context()


def _expression(value: Plain, context: Context, *allowed: Collection[str], second_rates: bool = False) -> Expression:
    expression = parse(value, words=context.words(second_rates=second_rates))
    if any(name.removeprefix("der(").removesuffix(")") in context.unusable for name in expression.names):
        raise AlreadyReportedError
    fault = unknown_name(expression, *allowed, context.parameters, absent=context.absent)
    if fault is not None:
        if hidden := context.states.intersection(x.name for x in walk(expression.tree) if isinstance(x, Name) and x.offset == fault.offset):
            raise ExpressionError(f"'{min(hidden)}' is a state; {STATES_FOR}", fault.offset)
        raise fault
    if context.tables and any(not call.table.points for call in expression.lookups):
        raise AlreadyReportedError
    return expression


def number(value: Plain, info: ValidationInfo) -> float:
    """`number_in` the context of a validation; numbers as such, most of a file, need none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST:
        return float(value)
    return number_in(context_of(info), value)


def number_in(context: Context, value: Plain) -> float:
    """The value of a YAML number or of an expression over the parameters, at most LARGEST in size; raises ValueError."""
    found = evaluate(_expression(value, context), context.parameters)
    if abs(found) > LARGEST:
        raise ValueError(f"must not be greater than {LARGEST:g} in size, so that products of such numbers are known (got {found:g})")
    return found


def numbers(values: Sequence[Plain], info: ValidationInfo, *row: int) -> list[float]:
    """`number` of every item. Raises ItemError for the first item that is not a number (`row` leads to a list within a list)."""
    result = []
    for index, value in enumerate(values):
        try:
            result.append(number(value, info))
        except AlreadyReportedError:
            raise
        except ValueError as error:
            raise ItemError((*row, index), error) from None
    return result


def _positive(value: float) -> float:
    if not value > 0.0:
        raise ValueError(f"must be greater than 0 (got {value:g})")
    return value


def _not_negative(value: float) -> float:
    if value < 0.0:
        raise ValueError(f"must not be negative (got {value:g})")
    return value


def run_expression(value: Plain, info: ValidationInfo, *allowed: Collection[str], second_rates: bool = False) -> Expression:
    """An expression that is evaluated during the run. A constant expression, and parts without names, must have a value."""
    context = context_of(info)
    expression, parameters = _expression(value, context, *allowed, second_rates=second_rates), context.parameters
    if expression.names <= parameters.keys():
        evaluate(expression, parameters)
    check_constants(expression.tree, parameters)
    return expression


def _law(value: Plain, info: ValidationInfo) -> Expression:
    return run_expression(value, info, context_of(info).state_names, _TIME)


def _watched(value: Plain, info: ValidationInfo) -> Expression:
    context = context_of(info)
    return run_expression(value, info, context.state_names, context.solved, _TIME, second_rates=True)


def smooth(expression: Expression) -> Expression:
    for call in expression.lookups:
        if not call.table.smooth:
            raise ExpressionError(f"two derivatives are needed here, and '{call.function}' has one: make the table cubic", call.offset)
    return expression


def _smooth_law(value: Plain, info: ValidationInfo) -> Expression:
    return smooth(_law(value, info))


def _law_over(quantity: str) -> Callable[[Plain, ValidationInfo], Expression]:
    """A check of a law over t, states, and the `quantity` and `rate` of the force that has the law."""

    def check(value: Plain, info: ValidationInfo) -> Expression:
        context = context_of(info)
        expression = _expression(value, context, context.state_names, _TIME, (quantity, "rate"))
        own = (name for name in (quantity, "rate") if name in expression.names)
        for name in (name for name in own if name in context.parameters or name in context.unusable):
            raise ValueError(f"'{name}' is a name of this law's own and a parameter of the model; rename the parameter")
        check_constants(expression.tree, context.parameters)
        return expression

    return check


def _time_law(value: Plain, info: ValidationInfo) -> Expression:
    return smooth(run_expression(value, info, _TIME))


def _limit(value: Plain, info: ValidationInfo) -> list[float]:
    """A number, for both senses, or [lower, upper] -> [lower, upper]."""
    if not isinstance(value, list):
        largest = number(value, info)
        if not largest > 0.0:
            raise ValueError(f"must be greater than 0 (got {largest:g}); two different limits are [lower, upper]")
        return [-largest, largest]
    if len(value) != 2:
        raise ValueError(f"expected a number or [lower, upper] (got {shown(value)})")
    lower, upper = numbers(value, info)
    if not lower < upper:
        raise ValueError(f"the lower limit must be less than the upper one (got {lower:g} and {upper:g})")
    return [lower, upper]


def _items(noun: str) -> Callable[[Plain, ValidationInfo], list[Plain]]:
    """A check that a list has as many items as the model has dimensions. The items are checked afterwards, each at its place."""

    def check(value: Plain, info: ValidationInfo) -> list[Plain]:
        dimension = context_of(info).dimension
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"expected a list of {dimension or '2 or 3'} {noun} (got {shown(value)})")
        if len(value) != dimension if dimension else len(value) not in (2, 3):
            reason = f", one per dimension (dimension: {dimension})" if dimension else ""
            cut = any(isinstance(item, str) and item.count("(") != item.count(")") for item in value)
            hint = "; YAML cuts at the commas inside [ ]: put an expression that holds one in quotes" if cut else ""
            raise ValueError(f"expected {dimension or '2 or 3'} {noun}{reason} (got {len(value)}: {shown(list(value))}){hint}")
        return list(value)

    return check


def exactly(count: int, form: str = "") -> Callable[[Plain], list[Plain]]:
    """A check that there are `count` numbers. The items are checked afterwards, each at its place."""

    def check(value: Plain) -> list[Plain]:
        if not isinstance(value, list) or len(value) != count:
            raise ValueError(f"expected {count} numbers{form} (got {shown(value)})")
        return value

    return check


def known_name(value: Plain, what: str, choices: Collection[str]) -> str:
    """`value` when it is one of `choices`; raises ValueError `unknown joint 'O1'; did you mean 'O'?`."""
    if not isinstance(value, str):
        raise ValueError(f"expected the name of a {what} (got {shown(value)})")
    if value not in choices:
        raise ValueError(f"unknown {what} '{value[:60]}'{did_you_mean(value, choices)}")
    return value


def body_name(value: Plain, info: ValidationInfo) -> str:
    context = context_of(info)
    if isinstance(value, str) and value != GROUND and not context.bodies and context.dimension is not None:
        raise AlreadyReportedError  # a model of bodies without any is one problem, not one at every joint
    if isinstance(value, str) and value in context.bodies:
        return value
    if isinstance(value, str) and {f"{value}_start", f"{value}_end"} <= {*context.bodies}:
        nodes = ", ".join(f"{value}.{node}" for node in ("start", "end", "node(1)"))
        raise ValueError(f"the beam '{value[:60]}' is many bodies, its nodes: name one of them, as {nodes} or {value}.at(0.5)")
    return known_name(value, "body", [*context.bodies, GROUND])


def _joint(value: Plain, info: ValidationInfo) -> str:
    context = context_of(info)
    if isinstance(value, str) and value in context.couplings:
        raise ValueError(f"'{value}' ties the coordinates of two joints and has none of its own; it needs a joint with one")
    return known_name(value, "joint", context.joints)


def state_name(value: Plain) -> str:
    """`der( crank.x )` in its canonical spelling; raises ValueError if `value` is not a single name."""
    if not isinstance(value, str):
        raise ValueError(f"expected the name of a coordinate or speed (got {shown(value)})")
    tree = parse(value).tree
    if not isinstance(tree, Name):
        raise ValueError(f"expected the name of a coordinate or speed, not an expression (got {shown(value)})")
    return tree.name


def _speed_terms(value: Plain, info: ValidationInfo) -> dict[str, float]:
    """Names of speeds -> factors."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"expected speeds with their factors, such as {{left.omega.y: 1, right.omega.y: -1}} (got {shown(value)})")
    context, terms = context_of(info), dict[str, float]()
    known = context.state_names, context.relative_names
    for key, factor in value.items():
        try:
            name = state_name(key)
            if not is_speed(name) or not any(name in names for names in known):
                speeds = (x for names in known for x in names if is_speed(x) and x not in context.absent)
                raise ValueError(f"unknown speed '{name[:60]}'{did_you_mean(name, speeds)}")
            if name in terms:
                raise ValueError(f"the speed '{name}' is given twice")
            terms[name] = number(factor, info)
            if terms[name] == 0.0:
                raise ValueError("must not be 0")
        except AlreadyReportedError:
            raise
        except ValueError as error:
            raise ItemError((key,), error) from None
    return terms


def _one_of(what: str, choices: Callable[[Context], Collection[str]]) -> Callable[[Plain, ValidationInfo], str]:
    """A check that a value is one of the names that the model around it has."""
    return lambda value, info: known_name(value, what, choices(context_of(info)))


def _point(value: "Plain | Point", info: ValidationInfo) -> Point:
    """`crank.A`, `slider` or `ground` as a Point; raises ValueError for an unknown body or point, with the name that is nearest."""
    if isinstance(value, Point):
        return value
    if not isinstance(value, str):
        raise ValueError(f"expected a point, written body.point or body (got {shown(value)})")
    body, dot, point = value.partition(".")
    body_name(body, info)
    if not dot:
        return Point(body, None)
    points = context_of(info).points.get(body, frozenset())
    if point not in points:
        none = f"; {body} has no named points" + "; give them as `ground: {points: {name: [..]}}`" * (body == GROUND)
        hint = did_you_mean(point, points) or none * (not points)
        raise ValueError(f"unknown point '{point[:60]}' of {body}{hint}")
    return Point(body, point)


def _angular_velocity(value: Plain, info: ValidationInfo) -> list[float]:
    """A number (planar) or 3 numbers -> a 3-vector in the global frame."""
    if context_of(info).dimension == 2:
        if isinstance(value, list):
            raise ValueError(f"expected one number for a planar body (got {shown(value)})")
        return [0.0, 0.0, number(value, info)]
    return numbers(exactly(3)(value), info)


Number = Annotated[float, PlainValidator(number), WithJsonSchema(NUMBER)]
"""A YAML number or an expression over the parameters; a finite float after validation."""

PositiveNumber = Annotated[float, PlainValidator(number), AfterValidator(_positive), WithJsonSchema(NUMBER)]
"""A Number greater than zero."""

NonNegativeNumber = Annotated[float, PlainValidator(number), AfterValidator(_not_negative), WithJsonSchema(NUMBER)]
"""A Number not below zero."""

Vector = Annotated[list[Number], BeforeValidator(_items("numbers")), WithJsonSchema(VECTOR)]
"""As many Numbers as the model has dimensions."""

Direction = Annotated[list[Number], BeforeValidator(_items("numbers")), AfterValidator(unit), WithJsonSchema(VECTOR)]
"""A Vector that is not zero; of length 1 after validation."""

Quaternion = Annotated[list[Number], BeforeValidator(exactly(4, " [w, x, y, z]")), AfterValidator(unit), WithJsonSchema(array(NUMBER, 4))]
"""Four Numbers [w, x, y, z]; of length 1 after validation."""

Law = Annotated[Expression, PlainValidator(_law), WithJsonSchema(NUMBER)]
"""An Expression over parameters, `t` and the states of bodies or coordinates."""

Watched = Annotated[Expression, PlainValidator(_watched), WithJsonSchema(NUMBER)]
"""A Law that may also read what the equations of motion are solved for: accelerations, multipliers, reactions, efforts of drivers."""

SmoothLaw = Annotated[Expression, PlainValidator(_smooth_law), WithJsonSchema(NUMBER)]
"""A Law that is differentiated twice."""

TimeLaw = Annotated[Expression, PlainValidator(_time_law), WithJsonSchema(NUMBER)]
"""An Expression over parameters and `t` that is differentiated twice."""

LengthLaw = Annotated[Expression, PlainValidator(_law_over("length")), WithJsonSchema(NUMBER)]
"""A Law that may contain `length` and `rate` of the force it belongs to."""

AngleLaw = Annotated[Expression, PlainValidator(_law_over("angle")), WithJsonSchema(NUMBER)]
"""A Law that may contain `angle` and `rate` of the force it belongs to."""

DisplacementLaw = Annotated[Expression, PlainValidator(_law_over("displacement")), WithJsonSchema(NUMBER)]
"""A Law that may contain `displacement` and `rate` of the force it belongs to."""

Limit = Annotated[list[float], PlainValidator(_limit), WithJsonSchema(NUMBER_OR_LIST)]
"""A Number greater than zero, for both senses, or two: [lower, upper] in either case."""

VectorTimeLaw = Annotated[list[TimeLaw], BeforeValidator(_items("expressions")), WithJsonSchema(VECTOR)]
"""As many TimeLaws as the model has dimensions."""

SpeedTerms = Annotated[dict[str, float], PlainValidator(_speed_terms), WithJsonSchema({"type": "object", "additionalProperties": NUMBER})]
"""Speeds of bodies, joints or coordinates -> Numbers that are not zero."""

VectorLaw = Annotated[list[Law], BeforeValidator(_items("expressions")), WithJsonSchema(VECTOR)]
"""As many Laws as the model has dimensions."""

BodyName = Annotated[str, PlainValidator(body_name), WithJsonSchema(NAME)]
"""A body of the model, or `ground`."""

PointRef = Annotated[Point, PlainValidator(_point), WithJsonSchema(NAME)]
"""`crank.A` (a named point), `slider` (its centre of mass) or `ground` (the origin)."""

JointName = Annotated[str, PlainValidator(_joint), WithJsonSchema(NAME)]
CoordinateName = Annotated[str, PlainValidator(_one_of("coordinate", lambda context: context.coordinates)), WithJsonSchema(NAME)]
MethodName = Annotated[str, PlainValidator(_one_of("method", lambda context: context.methods)), WithJsonSchema(NAME)]
IntegratorName = Annotated[str, PlainValidator(_one_of("integrator", lambda context: context.integrators)), WithJsonSchema(NAME)]

AngularVelocity = Annotated[list[float], PlainValidator(_angular_velocity), WithJsonSchema(NUMBER_OR_LIST)]
"""rad/s, a number of a planar body; a vector (3,) in the global frame after validation."""
