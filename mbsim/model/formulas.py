"""The numbers of checked blocks as formulas over what varies, so that they are computed again without reading the blocks again.

A field is taken where the checked value is the number that its expression gives, list by list; what a block makes of its numbers otherwise
(unit vectors, matrices, masses of shapes) is read again in full. So is everything where a number changes its sign, because the checks of
blocks are of signs, and of sizes.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence, Set
from copy import copy
from functools import cache
from typing import TypeVar, get_args

from pydantic import AfterValidator

from mbsim.model.expressions.expression import parse
from mbsim.model.expressions.parsed import Name, walk
from mbsim.model.expressions.program import Program, UnfitError
from mbsim.model.fields import LARGEST
from mbsim.model.file.errors import ExpressionError
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import Block
from mbsim.model.rotations import SMALLEST, unit

_Block = TypeVar("_Block", bound=Block)
MATRICES = ("inertia",)  # of a list the numbers are checked against each other
LISTS = ("position", "velocity", "points", "at")  # fields whose numbers may have any sign


class Formulas:
    """Puts raw values of a file into a program. `changed`: paths that vary -> the names of their values, and whether these are added."""

    def __init__(self, program: Program, affected: Set[str], changed: Mapping[tuple[str | int, ...], tuple[str, bool]]) -> None:
        """`affected` are the names of parameters that vary, or depend on what does."""
        self._program, self._affected, self._changed = program, affected, changed

    def of(self, raw: Plain, path: tuple[str | int, ...]) -> ast.expr | None:
        """The value of a number or expression; None where it does not vary. Raises UnfitError."""
        name, add = self._changed.get(path, ("", False))
        if name and not add:
            return self._program.named(name)
        try:
            tree = parse(raw).tree
        except ExpressionError as error:
            raise UnfitError(str(path)) from error
        if not name and not any(isinstance(node, Name) and node.name in self._affected for node in walk(tree)):
            return None
        return self._program.sum(tree, name) if add else self._program.value(tree)

    def build(self, raw: Plain, checked: object, path: tuple[str | int, ...], signed: bool) -> ast.expr | None:
        """The checked value of a field: a number, a list, a mapping of them; None where it does not vary. Raises UnfitError.

        `signed`: the program raises UnfitError for a number that has another sign than now.
        """
        if isinstance(checked, dict) and isinstance(raw, dict) and list(raw) == list(checked):
            parts = [self.build(raw[key], checked[key], (*path, key), signed) for key in raw]
            keys: list[ast.expr | None] = [ast.Constant(key) for key in raw]
            return None if all(part is None for part in parts) else ast.Dict(keys, self._kept(checked.values(), parts))
        if isinstance(checked, list) and isinstance(raw, list) and len(raw) == len(checked):
            parts = [self.build(a, b, (*path, k), signed) for k, (a, b) in enumerate(zip(raw, checked, strict=True))]
            return None if all(part is None for part in parts) else ast.List(self._kept(checked, parts), ast.Load())
        found = self.of(raw, path)
        if found is None:
            return None
        if isinstance(checked, list) and len(checked) == 3 and checked[:2] == [[0.0] * 3] * 2:  # a planar body's moment of inertia
            moment = self._number(found, checked[2][2], signed)
            rows = [[ast.Constant(0.0), ast.Constant(0.0), ast.Constant(0.0) if k < 2 else moment] for k in range(3)]
            return ast.List([ast.List(list[ast.expr](row), ast.Load()) for row in rows], ast.Load())
        return self._number(found, checked, signed)

    def _kept(self, checked: Iterable[object], parts: Sequence[ast.expr | None]) -> list[ast.expr]:
        return [self._program.keep(value) if part is None else part for value, part in zip(checked, parts, strict=True)]

    def _number(self, found: ast.expr, checked: object, signed: bool) -> ast.expr:
        if not isinstance(checked, float):
            raise UnfitError("the checked value is no number")
        low, high = -LARGEST, LARGEST
        if signed:
            low, high = (SMALLEST, LARGEST) if checked > 0.0 else (-LARGEST, -SMALLEST) if checked else (0.0, 0.0)
        return self._program.within(found, low, high)

    def fields(self, raw: Plain, checked: Block, path: tuple[str | int, ...]) -> dict[str, ast.expr]:
        """The fields of a checked block that vary. Raises UnfitError."""
        if not isinstance(raw, dict):
            raise UnfitError(str(path))
        fields: dict[str, ast.expr] = {}
        for key, value in raw.items():
            if not self.varies(value, (*path, key)):
                continue
            if (key in MATRICES and isinstance(value, list)) or _has_directions(type(checked), key):
                raise UnfitError(f"{key} is checked as a whole")
            found = self.build(value, getattr(checked, key), (*path, key), key not in LISTS)
            if found is not None:
                fields[key] = found
        return fields

    def varies(self, raw: Plain, path: tuple[str | int, ...]) -> bool:
        """Whether a value of the file, or one inside it, varies."""
        if any(changed[: len(path)] == path for changed in self._changed):
            return True
        if isinstance(raw, dict):
            return any(self.varies(value, (*path, key)) for key, value in raw.items())
        if isinstance(raw, list):
            return any(self.varies(value, (*path, k)) for k, value in enumerate(raw))
        if not isinstance(raw, str):
            return False
        try:
            return not self._affected.isdisjoint(parse(raw, measure=True).names)
        except ExpressionError:  # a word, or a law over a force's own names: it is not known
            return any(word in raw for word in self._affected)


@cache
def _has_directions(kind: type[Block], key: str) -> bool:
    """Whether a field has vectors that are made to be of length 1: they may be so in the file, and are what they are there only then."""
    field = kind.model_fields.get(key)
    return field is not None and (any(map(_makes_unit, field.metadata)) or _within(field.annotation))


def _within(annotation: object) -> bool:
    return any(map(_makes_unit, getattr(annotation, "__metadata__", ()))) or any(map(_within, get_args(annotation)))


def _makes_unit(validator: object) -> bool:
    return isinstance(validator, AfterValidator) and validator.func is unit


def with_fields(checked: _Block, fields: Mapping[str, object]) -> _Block:
    """A checked block with other values of fields."""
    other = copy(checked)
    other.__dict__.update(fields)
    return other
