"""Expressions -> SymPy, in a form whose first and second derivatives are plain Piecewise expressions."""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from mbsim.model.errors import ExpressionError
from mbsim.model.evaluation import constant
from mbsim.model.tables import HIGHEST
from mbsim.model.tree import MAX_EXPONENT, Call, Expression, Lookup, Name, Node, Number, walk

if TYPE_CHECKING:
    import sympy

_LARGEST_INTEGER = 1e9  # a larger whole number is a measurement, not a count; exact arithmetic with it only costs time


def to_sympy(expression: Expression, symbols: "Mapping[str, sympy.Symbol]") -> "sympy.Expr":
    """The expression over `symbols` (canonical name -> real symbol).

    Constant parts are folded in floating point first, exactly as `evaluate` does it. abs, sign, min, max, step, ramp, pulse and if_else
    become Piecewise: SymPy's own Abs and sign have derivatives with DiracDelta in them. A call of a table stays a call: `lookup_function`.

    Raises ExpressionError for names without a symbol, undefined constant parts, and expressions that are real nowhere.
    """
    import sympy

    return _Translator(sympy, symbols).translate(expression.tree)


@cache
def lookup_function() -> Any:
    """The SymPy function lookup(index, order, x): derivative `order` of a table at x, opaque. Its own derivative is the next order."""
    import sympy

    class lookup(sympy.Function):  # type: ignore[misc]  # noqa: N801  (the name it is printed by)
        nargs = 3
        is_real = True
        is_number = False  # also at a constant: its value is not known here

        def fdiff(self, argindex: int = 3) -> Any:
            index, order, x = self.args
            return lookup(index, order + 1, x) if order < HIGHEST else sympy.S.Zero

    return lookup


def _varies(node: Node) -> bool:
    """Whether the value of a node depends on a name or on the data of a table, which are not part of the derived code."""
    return any(isinstance(part, (Name, Lookup)) for part in walk(node))


class _Translator:
    """One translation. It holds the SymPy module, because the import takes 0.2 s and most commands do not need it."""

    def __init__(self, sympy_module: Any, symbols: Mapping[str, Any]) -> None:
        self.sympy = sympy_module
        self.symbols = symbols
        self._tables()

    def translate(self, node: Node) -> Any:
        if not _varies(node):
            return self.number(constant(node))
        if isinstance(node, Name):
            if node.name not in self.symbols:
                raise ExpressionError(f"unknown name '{node.name[:60]}'", node.offset)
            return self.symbols[node.name]
        assert isinstance(node, Call)
        if isinstance(node, Lookup):
            result = lookup_function()(node.table.index, 0, self.translate(node.arguments[0]))
        elif node.function == "^":
            result = self.power(node)
        elif node.function == "if_else":
            result = self.choice(*node.arguments)
        else:
            result = self.functions[node.function](*map(self.translate, node.arguments))
        # SymPy turns sqrt(x^2) into Abs(x), whose second derivative is a DiracDelta.
        result = result.replace(self.sympy.Abs, self.absolute) if result.has(self.sympy.Abs) else result
        if result.has(self.sympy.I, self.sympy.zoo, self.sympy.nan, self.sympy.oo, self.sympy.S.NegativeInfinity):
            raise ExpressionError("this part has no real, finite value", node.offset)
        return result

    def number(self, value: float) -> Any:
        if math.isfinite(value) and value == int(value) and abs(value) < _LARGEST_INTEGER:
            return self.sympy.Integer(int(value))
        return self.sympy.Float(value, 17)  # 60 bits: float() of it is `value` again

    def power(self, node: Call) -> Any:
        base, exponent = map(self.translate, node.arguments)
        if exponent.is_number:
            value = float(exponent)
            if abs(value) > MAX_EXPONENT:
                raise ExpressionError(f"the exponent is larger than {MAX_EXPONENT:g}", node.offset)
            if 4 * value == int(4 * value):  # x^0.5 and x^1.25 as roots: their derivatives keep exact exponents
                exponent = self.sympy.Rational(int(4 * value), 4)
        return base**exponent

    def cases(self, *pairs: tuple[Any, Any]) -> Any:
        return self.sympy.Piecewise(*pairs)

    def choice(self, condition: Node, then: Node, otherwise: Node) -> Any:
        holds = self.condition(condition)
        if holds in (self.sympy.true, self.sympy.false):  # the other branch may have no value
            return self.translate(then if holds else otherwise)
        return self.cases((self.translate(then), holds), (self.translate(otherwise), True))

    def condition(self, node: Node) -> Any:
        if not _varies(node):
            return self.sympy.true if constant(_indicator(node)) else self.sympy.false
        assert isinstance(node, Call)
        if node.function in ("and", "or", "not"):
            return self.logic[node.function](*map(self.condition, node.arguments))
        return self.relations[node.function](*map(self.translate, node.arguments))

    def absolute(self, x: Any) -> Any:
        return self.cases((x, x >= 0), (-x, True))

    def _extreme(self, relation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def extreme(*values: Any) -> Any:
            # The k-th value is chosen if it beats all later ones and the earlier ones have lost: no cases inside conditions.
            pairs = []
            for index, value in enumerate(values):
                later = values[index + 1 :]
                pairs.append((value, self.sympy.And(*(relation(value, other) for other in later)) if later else True))
            return self.cases(*pairs)

        return extreme

    def _step(self, x: Any, *shape: Any) -> Any:
        if not shape:
            return self.cases((self.sympy.S.Zero, x < 0), (self.sympy.S.One, True))
        x0, h0, x1, h1 = shape
        s = (x - x0) / (x1 - x0)
        return self.cases((h0, x <= x0), (h1, x >= x1), (h0 + (h1 - h0) * s**2 * (3 - 2 * s), True))

    def _tables(self) -> None:
        s = self.sympy
        zero, one = s.S.Zero, s.S.One
        names = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log")
        self.functions: dict[str, Callable[..., Any]] = {
            **{name: getattr(s, name) for name in names},
            "+": s.Add,
            "*": s.Mul,
            "/": lambda a, b: a / b,
            "neg": lambda a: -a,
            "sqrt": lambda x: x ** s.Rational(1, 2),
            "abs": self.absolute,
            "sign": lambda x: self.cases((-one, x < 0), (one, x > 0), (zero, True)),
            "min": self._extreme(lambda a, b: a <= b),
            "max": self._extreme(lambda a, b: a >= b),
            "step": self._step,
            "ramp": lambda x: self.cases((x, x > 0), (zero, True)),
            "pulse": lambda x, width: self.cases((one, s.And(x >= 0, x < width)), (zero, True)),
            "deg": lambda x: x * s.Float(math.pi / 180.0, 17),
        }
        self.relations: dict[str, Callable[[Any, Any], Any]] = {
            "<": s.Lt,
            "<=": s.Le,
            ">": s.Gt,
            ">=": s.Ge,
            "==": s.Eq,
            "!=": s.Ne,
        }
        self.logic: dict[str, Callable[..., Any]] = {"and": s.And, "or": s.Or, "not": s.Not}


def _indicator(condition: Node) -> Node:
    """1 where the condition holds, else 0."""
    return Call("if_else", (condition, Number(1.0), Number(0.0)), condition.offset, condition.depth + 1, condition.switches)
