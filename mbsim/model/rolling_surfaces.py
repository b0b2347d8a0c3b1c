"""Surfaces z = f(x, y, t), in the plane lines y = f(x, t), that something round rolls on: what equations say of them."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema

from mbsim.model.expressions.evaluation import check_constants
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.expressions.functions import SWITCHES
from mbsim.model.expressions.parsed import Call, walk
from mbsim.model.fields import Point, context_of, run_expression, smooth
from mbsim.model.file.errors import ExpressionError
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import Block
from mbsim.model.schemas import NUMBER

AXES = "xyz"


def _height(value: Plain, info: ValidationInfo) -> Expression:
    """An expression over the axes along the ground, t and parameters; its second derivatives must be continuous where it is rolled on."""
    context = context_of(info)
    own = AXES[: (context.dimension or 3) - 1]
    for name in own:
        if name in context.parameters or name in context.unusable:
            raise ValueError(f"'{name}' is a name of this law's own and a parameter of the model; rename the parameter")
    found = run_expression(value, info, tuple(own), ("t",))
    for node in walk(found.tree):
        if isinstance(node, Call) and node.function in SWITCHES:
            raise ExpressionError(f"a surface has one formula everywhere, without `{node.function}`; a table is smooth too", node.offset)
    check_constants(found.tree, context.parameters)
    return smooth(found)


Height = Annotated[Expression, PlainValidator(_height), WithJsonSchema(NUMBER)]
"""The height of a surface of the ground in m: an Expression over x and y (in the plane x), `t` and parameters, without cases."""


class GivenSurface(Block):
    """A surface of the ground over its plane x, y. Where it depends on `t`, its points move up and down."""

    z: Height = Field(description="its height over x and y, m; also of `t`, then its points move up and down")

    @property
    def height(self) -> Expression:
        return self.z


class GivenLine(Block):
    """A line of the ground over its axis x. Where it depends on `t`, its points move up and down."""

    y: Height = Field(description="its height over x, m; also of `t`, then its points move up and down")

    @property
    def height(self) -> Expression:
        return self.y


@dataclass(frozen=True)
class RollingSurface:
    """What a constraint rolls on: the height over the first axes, and where the centre is along each axis."""

    height: Expression
    centre: tuple[Expression, ...]  # (2,) or (3,)

    @property
    def key(self) -> list[str]:
        """What code depends on."""
        return [self.height.key, *(e.key for e in self.centre)]


def centre_of(point: Point, dimension: int) -> tuple[Expression, ...]:
    """Where a point of a body is, by the names of its coordinates."""
    return tuple(parse(f"{_named(point)}.{axis}") for axis in AXES[:dimension])


def _named(point: Point) -> str:
    return point.body if point.point is None else f"{point.body}.{point.point}"
