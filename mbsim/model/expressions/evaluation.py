"""Evaluates an expression: a tree interpreter over a table of functions. Slow and simple; laws are compiled elsewhere."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from mbsim.model.expressions.functions import FUNCTIONS
from mbsim.model.expressions.parsed import CONDITIONS, Call, Expression, Lookup, Name, Node, Number, walk
from mbsim.model.file.errors import ExpressionError


def _divide(a: float, b: float) -> float:
    if b == 0.0:
        raise ZeroDivisionError
    return a / b


def _power(base: float, exponent: float) -> float:
    if base < 0.0 and exponent != int(exponent):  # Python would return a complex number
        raise ValueError
    return float(base**exponent)


def _product(*factors: float) -> float:
    result = factors[0]
    for factor in factors[1:]:
        result *= factor
    return result


def _sum(*terms: float) -> float:
    result = terms[0]
    for term in terms[1:]:
        result += term  # in the order written, as compiled code does; sum() compensates since Python 3.12
    return result


VALUES: dict[str, Callable[..., float]] = {
    "+": _sum,
    "*": _product,
    "/": _divide,
    "^": _power,
    "neg": lambda x: -x,
    **{name: function.value for name, function in FUNCTIONS.items() if function.value is not None},
}

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}

_DESCRIPTION = {"+": "sum", "*": "product", "/": "quotient", "^": "power"}


def evaluate(expression: Expression, values: Mapping[str, float]) -> float:
    """The value of `expression` with `values` for its names (canonical: `crank.x`, `der(theta)`); always finite.

    Raises ExpressionError at the faulty part for unknown names, division by zero, overflow and arguments outside a function's domain
    or a table's range.
    """
    return _value(expression.tree, values)


def constant(node: Node) -> float:
    """The value of a subtree without names; raises like `evaluate`."""
    return _value(node, {})


def check_constants(tree: Node, parameters: Mapping[str, float] | None = None) -> None:
    """Raise ExpressionError for a part that has no value in any state, such as 1/0 or (-1)^x; `parameters` do not vary.

    The branches of if_else may never be taken and are not checked.
    """
    values = parameters or {}
    for check in constant_checks(tree, values.keys()):
        check(values)


class ConstantCheck(NamedTuple):
    """A part of an expression that is to have a value, or whose constant parts are to have fitting ones."""

    of: Call
    parts: Sequence[Node]  # itself where all of it is constant

    def __call__(self, parameters: Mapping[str, float]) -> None:
        """Raises ExpressionError."""
        if self.is_whole:
            _value(self.of, parameters)
        else:
            _PARTLY_CONSTANT[self.of.function][0](self.of, self.parts, parameters)

    @property
    def is_whole(self) -> bool:
        """Whether all of it is constant."""
        return self.parts[0] is self.of


def constant_checks(tree: Node, parameters: Collection[str], varied: Collection[str] | None = None) -> Iterator[ConstantCheck]:
    """What `check_constants` does with the values of parameters of these names, one by one.

    With `varied` only those that read one of these names: for values that differ in them alone.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Call):
            continue
        if node.function not in CONDITIONS and _is_constant(node, parameters):
            if _reads(node, varied):
                yield ConstantCheck(node, [node])
            continue
        if node.function in _PARTLY_CONSTANT:
            parts = node.arguments[_PARTLY_CONSTANT[node.function][1]]
            constants = [part for part in parts if _is_constant(part, parameters)]
            if any(_reads(part, varied) for part in constants):
                yield ConstantCheck(node, constants)
        waiting.extend(node.arguments[:1] if node.function == "if_else" else node.arguments)


def _is_constant(node: Node, parameters: Collection[str]) -> bool:
    return all(part.name in parameters for part in walk(node) if isinstance(part, Name))


def _reads(node: Node, varied: Collection[str] | None) -> bool:
    """Whether a part has one of these names; without them in any case."""
    return varied is None or any(part.name in varied for part in walk(node) if isinstance(part, Name))


def _check_quotient(node: Call, constants: Sequence[Node], parameters: Mapping[str, float]) -> None:
    if _value(constants[0], parameters) == 0.0:
        raise ExpressionError("division by zero", node.offset)


def _check_power(node: Call, constants: Sequence[Node], parameters: Mapping[str, float]) -> None:
    if (value := _value(constants[0], parameters)) <= 0.0:
        raise ExpressionError(f"the power of a base that is not greater than 0 (it is {value:g}) needs a constant exponent", node.offset)


def _check_product(node: Call, constants: Sequence[Node], parameters: Mapping[str, float]) -> None:
    """Check the constant factors, which are multiplied with each other first."""
    product = 1.0
    for factor in constants:
        product *= _value(factor, parameters)
    if not math.isfinite(product):
        raise ExpressionError("the product of the constant factors is too large for a number", node.offset)


# Of a function what checks it, and those of its arguments that it looks at where they are constant
_PARTLY_CONSTANT: dict[str, tuple[Callable[[Call, Sequence[Node], Mapping[str, float]], None], slice]] = {
    "/": (_check_quotient, slice(1, None)),
    "^": (_check_power, slice(1)),
    "*": (_check_product, slice(None)),
}


def _value(node: Node, values: Mapping[str, float]) -> float:
    # The recursion is bounded: no tree is deeper than tree.MAX_DEPTH.
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        if node.name not in values:
            raise ExpressionError(f"unknown name '{node.name[:60]}'", node.offset)
        return float(values[node.name])
    if node.function == "if_else":
        condition, then, otherwise = node.arguments
        return _value(then if _truth(condition, values) else otherwise, values)
    arguments = [_value(argument, values) for argument in node.arguments]
    if isinstance(node, Lookup):
        return node.table.value(arguments[0], node.offset)
    try:
        result = float(VALUES[node.function](*arguments))
    except ZeroDivisionError:
        raise ExpressionError("division by zero", node.offset) from None
    except OverflowError:
        raise ExpressionError(f"the {_describe(node)} is too large for a number", node.offset) from None
    except ValueError:
        inner = ", ".join(f"{argument:g}" for argument in arguments)
        raise ExpressionError(f"the {_describe(node)} of ({inner}) is not defined", node.offset) from None
    if not math.isfinite(result):
        raise ExpressionError(f"the {_describe(node)} is too large for a number", node.offset)
    return result


def _truth(node: Node, values: Mapping[str, float]) -> bool:
    if not isinstance(node, Call):
        raise ExpressionError("expected a comparison", node.offset)
    if node.function == "not":
        return not _truth(node.arguments[0], values)
    if node.function == "and":
        return all(_truth(argument, values) for argument in node.arguments)
    if node.function == "or":
        return any(_truth(argument, values) for argument in node.arguments)
    return _COMPARISONS[node.function](_value(node.arguments[0], values), _value(node.arguments[1], values))


def _describe(node: Call) -> str:
    return _DESCRIPTION.get(node.function, node.function)
