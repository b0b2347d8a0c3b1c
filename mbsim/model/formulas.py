"""The numbers of checked blocks as formulas over what varies, so that they are computed again without reading the blocks again.

A formula is an expression as nested Python functions, with the arithmetic of `mbsim.model.evaluation`. A field is taken where the checked
value is the number that its expression gives, list by list; what a block makes of its numbers otherwise (unit vectors, matrices, masses of
shapes) is read again in full. So is everything where a number changes its sign, because the checks of blocks are of signs, and of sizes.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from copy import copy
from operator import itemgetter
from typing import Any

from mbsim.model.errors import ExpressionError
from mbsim.model.evaluation import VALUES
from mbsim.model.expressions import parse
from mbsim.model.fields import LARGEST
from mbsim.model.leaves import Block
from mbsim.model.tree import Lookup, Name, Node, Number, walk

Values = Mapping[str, float]
Formula = Callable[[Values], float]
Build = Callable[[Values], Any]
SMALLEST = 5e-324  # the smallest number above zero
LISTS = ("position", "velocity", "points", "at")  # fields whose numbers may have any sign


class UnfitError(ValueError):
    """Something that no formula computes; it is read in full."""


def formula(node: Node) -> Formula:
    """The function of an expression's tree. It raises ArithmeticError, ValueError or UnfitError where there is no finite number."""
    if isinstance(node, Number):
        value = node.value
        return lambda values: value
    if isinstance(node, Name):
        return itemgetter(node.name)
    if isinstance(node, Lookup) or node.function not in VALUES:
        raise UnfitError(node.function)
    arguments = [formula(argument) for argument in node.arguments]
    function = VALUES[node.function]
    if len(arguments) == 1:
        only = arguments[0]
        return (lambda values: -only(values)) if node.function == "neg" else lambda values: _finite(function(only(values)))
    if len(arguments) == 2 and node.function in _PAIRS:
        last = node.arguments[1]
        if node.function == "/" and isinstance(last, Number) and last.value:
            return _share(arguments[0], last.value)
        return _PAIRS[node.function](*arguments)
    return lambda values: _finite(function(*[argument(values) for argument in arguments]))


def _finite(value: float) -> float:
    if value - value != 0.0:
        raise ArithmeticError
    return float(value)


# What most formulas are made of, without a call for the operation and one for its check.


def _sum(first: Formula, second: Formula) -> Formula:
    def found(values: Values) -> float:
        value = first(values) + second(values)
        if value - value != 0.0:
            raise ArithmeticError
        return value

    return found


def _product(first: Formula, second: Formula) -> Formula:
    def found(values: Values) -> float:
        value = first(values) * second(values)
        if value - value != 0.0:
            raise ArithmeticError
        return value

    return found


def _quotient(first: Formula, second: Formula) -> Formula:
    def found(values: Values) -> float:
        value = first(values) / second(values)
        if value - value != 0.0:
            raise ArithmeticError
        return value

    return found


def _share(first: Formula, divisor: float) -> Formula:
    def found(values: Values) -> float:
        value = first(values) / divisor
        if value - value != 0.0:
            raise ArithmeticError
        return value

    return found


def _power(first: Formula, second: Formula) -> Formula:
    def found(values: Values) -> float:
        base, exponent = first(values), second(values)
        if base < 0.0 and exponent != int(exponent):
            raise ValueError
        value = float(base**exponent)
        if value - value != 0.0:
            raise ArithmeticError
        return value

    return found


_PAIRS: dict[str, Callable[[Formula, Formula], Formula]] = {"+": _sum, "*": _product, "/": _quotient, "^": _power}


class Formulas:
    """Makes formulas of raw values of a file. `changed`: paths that vary -> the names of their values, and whether these are added."""

    def __init__(self, affected: Set[str], changed: Mapping[tuple[str | int, ...], tuple[str, bool]]) -> None:
        """`affected` are the names of parameters that vary, or depend on what does."""
        self._affected, self._changed = affected, changed

    def of(self, raw: Any, path: tuple[str | int, ...]) -> Formula | None:
        """That of a number or expression; None where it does not vary. Raises UnfitError."""
        name, add = self._changed.get(path, ("", False))
        if name and not add:
            return lambda values: values[name]
        if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
            raise UnfitError(str(path))
        try:
            tree = parse(raw).tree
        except ExpressionError as error:
            raise UnfitError(str(path)) from error
        if not name and not any(isinstance(node, Name) and node.name in self._affected for node in walk(tree)):
            return None
        found = formula(tree)
        return (lambda values: _finite(VALUES["+"](found(values), values[name]))) if add else found

    def build(self, raw: Any, checked: Any, path: tuple[str | int, ...], base: Values, signed: bool) -> Build | None:
        """What computes the checked value of a field: a number, a list, a mapping of them; None where it does not vary. Raises UnfitError.

        `signed`: a number that has another sign than now raises UnfitError.
        """
        if isinstance(checked, dict) and isinstance(raw, dict) and list(raw) == list(checked):
            return _together(checked, {key: self.build(raw[key], checked[key], (*path, key), base, signed) for key in raw})
        if isinstance(checked, list) and isinstance(raw, list) and len(raw) == len(checked):
            parts = [self.build(a, b, (*path, k), base, signed) for k, (a, b) in enumerate(zip(raw, checked, strict=True))]
            return _listed(checked, parts)
        found = self.of(raw, path)
        if found is None:
            return None
        if isinstance(checked, list) and len(checked) == 3 and checked[:2] == [[0.0] * 3] * 2:  # a planar body's moment of inertia
            inner = _number(found, checked[2][2], base, signed)
            return lambda values: [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, inner(values)]]
        return _number(found, checked, base, signed)

    def fields(self, raw: Any, checked: Block, path: tuple[str | int, ...], base: Values) -> dict[str, Build]:
        """What computes the fields of a checked block that vary. Raises UnfitError."""
        if not isinstance(raw, dict):
            raise UnfitError(str(path))
        fields: dict[str, Build] = {}
        for key, value in raw.items():
            if not self.varies(value, (*path, key)):
                continue
            found = self.build(value, getattr(checked, key), (*path, key), base, key not in LISTS)
            if found is not None:
                fields[key] = found
        return fields

    def varies(self, raw: Any, path: tuple[str | int, ...]) -> bool:
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


def with_fields(checked: Block, fields: Mapping[str, Any]) -> Block:
    """A checked block with other values of fields."""
    other = copy(checked)
    other.__dict__.update(fields)
    return other


def _number(found: Formula, checked: Any, base: Values, signed: bool) -> Formula:
    if not isinstance(checked, float) or found(base) != checked:
        raise UnfitError("the checked value is another one")
    low, high = -LARGEST, LARGEST
    if signed:
        low, high = (SMALLEST, LARGEST) if checked > 0.0 else (-LARGEST, -SMALLEST) if checked else (0.0, 0.0)

    def number(values: Values) -> float:
        value = found(values)
        if not low <= value <= high:
            raise UnfitError("another sign")
        return value

    return number


def _listed(checked: Sequence[Any], parts: Sequence[Build | None]) -> Build | None:
    if all(part is None for part in parts):
        return None
    if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
        first, second = parts[0], parts[1]
        return lambda values: [first(values), second(values)]
    pairs = list(zip(checked, parts, strict=True))
    return lambda values: [kept if part is None else part(values) for kept, part in pairs]


def _together(checked: Mapping[str, Any], parts: Mapping[str, Build | None]) -> Build | None:
    varying = {key: part for key, part in parts.items() if part is not None}
    return (lambda values: {**checked, **{key: part(values) for key, part in varying.items()}}) if varying else None
