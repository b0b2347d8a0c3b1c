"""A named point of each of two bodies: where a joint or a force between them is.

It is written in one of three ways: `points: [crank.A, rod.A]`; `bodies: [crank, rod]` with `points: [A, A]`; or, with or without `bodies`,
`at: [crank.A, rod.A]`. All three give the block the same `points`. Numbers in `at` are a place of the drawing, and stay in `at`.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, ValidationInfo, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from mbsim.model.fields import AlreadyReportedError, ItemError, Point, PointRef, Vector, context_of
from mbsim.model.file.plain import Plain
from mbsim.model.names import GROUND
from mbsim.model.schemas import TWO_NAMES, VECTOR, array

_DOTTED = re.compile(r"\s*[A-Za-z_]\w*\.[A-Za-z_]\w*\s*")  # no number is written so


class NamedPoints(NamedTuple):
    """The points that an `at` names."""

    first: Point
    second: Point


def _what(value: Plain) -> str:
    """`names` of points, or `numbers`. Lists of numbers may hold texts, too: parameters and expressions."""
    texts = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
    named = texts == value and any(item == GROUND or _DOTTED.fullmatch(item) for item in texts)
    return "names" if named else "numbers"


def _one_of_each(value: list[Point], info: ValidationInfo) -> NamedPoints:
    for k, (item, body) in enumerate(zip(value, _bodies(info) or (), strict=False)):
        if item.body != body:
            raise ItemError((k,), ValueError(f"expected a point of {body}, as `bodies` says (got one of {item.body})"))
    return NamedPoints(*value)


def _bodies(info: ValidationInfo) -> Sequence[str] | None:
    """The bodies that the block gives, if it does."""
    if "bodies" not in info.data:
        raise AlreadyReportedError
    found: Sequence[str] | None = info.data["bodies"]
    return found


_Pair = Annotated[list[PointRef], Field(min_length=2, max_length=2)]


class _OrNames:
    """Marks a type of places in numbers in whose stead names of points may stand."""

    def __init__(self, numbers: object) -> None:
        self._numbers = numbers

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        names = core_schema.with_info_after_validator_function(_one_of_each, handler.generate_schema(_Pair))
        return core_schema.tagged_union_schema({"names": names, "numbers": handler.generate_schema(self._numbers)}, _what)


def _of_bodies(value: Plain, info: ValidationInfo) -> "Plain | list[Point]":
    """The points as `body.point`: those that `at` names where none are given, and of the block's bodies where these are given."""
    at = info.data.get("at")
    if "at" not in info.data:
        raise AlreadyReportedError
    if value is None:
        return list(at) if isinstance(at, NamedPoints) else None
    bodies = _bodies(info)
    if bodies is None or not isinstance(value, list) or len(value) != 2:
        return value
    return [_of_body(item, body, info) for item, body in zip(value, bodies, strict=True)]


def _of_body(item: Plain, body: str, info: ValidationInfo) -> Plain:
    if not isinstance(item, str) or (item.partition(".")[0] == body and "." in item):
        return item
    if item == body and item not in context_of(info).points.get(body, ()):
        return item  # its centre of mass
    return f"{body}.{item}"


Place = Annotated[list[float] | NamedPoints, _OrNames(Vector), WithJsonSchema({"anyOf": [VECTOR, TWO_NAMES]})]
"""A place of the drawing, global, m; or names of a point of each body."""

Places = Annotated[
    list[list[float]] | NamedPoints,
    _OrNames(Annotated[list[Vector], Field(min_length=2, max_length=2)]),
    WithJsonSchema({"anyOf": [array(VECTOR, 2), TWO_NAMES]}),
]
"""A place on each body in the drawing, global, m; or names of a point of each body."""

Points = Annotated[_Pair | None, BeforeValidator(_of_bodies), WithJsonSchema(TWO_NAMES)]
"""A point of each body, however written. The field needs the fields `bodies` and `at` before it, and `validate_default`."""


def check_given_once(block: Any) -> None:
    """Raise ValueError for a block with both `points` and `at`."""
    if "points" in block.model_fields_set and block.points is not None and block.at is not None:
        raise ValueError("give either 'points', or 'bodies' and 'at', not both")


def check_given(block: Any) -> None:
    """Raise ValueError for a block that does not say where it is, or says it twice, or is between a body and itself."""
    if block.points is None and (block.bodies is None or block.at is None):
        raise ValueError("give either 'points', or 'bodies' and 'at'")
    check_given_once(block)
    first, second = (p.body for p in block.points) if block.points is not None else block.bodies
    if first == second:
        raise ValueError(f"a {block.type} needs two different bodies (got '{first}' twice)")


def find_drawn(block: Any) -> list[tuple[str, list[float]]]:
    """The bodies of a block between two, and the places on them (global, m) that numbers in its `at` give; empty where there are none."""
    if not {"bodies", "at", "points"} <= type(block).model_fields.keys() or block.points is not None or block.at is None:
        return []
    places = block.at if isinstance(block.at[0], list) else [block.at, block.at]
    return list(zip(block.bodies, places, strict=True))


def where(block: object) -> list[tuple[Point, list[float] | None]]:
    """The two points of a block that `check_given` let pass, each with its place (global, m) where numbers in `at` give it."""
    return [(Point(body, None), at) for body, at in find_drawn(block)] or [(point, None) for point in ends(block)]


def ends(block: Any) -> tuple[Point, Point]:
    """The two points of a block that `check_given` let pass; those that numbers in `at` give are named by their body only."""
    first, second = block.points or (Point(body, None) for body in block.bodies)
    return first, second
