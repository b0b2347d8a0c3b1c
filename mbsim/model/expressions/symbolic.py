"""Expressions -> SymPy, in a form whose first and second derivatives are plain Piecewise expressions."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING

from mbsim.model.expressions.evaluation import constant
from mbsim.model.expressions.functions import FUNCTIONS
from mbsim.model.expressions.parsed import MAX_EXPONENT, Call, Expression, Lookup, Name, Node, Number, walk
from mbsim.model.expressions.tables import HIGHEST
from mbsim.model.file.errors import ExpressionError

if TYPE_CHECKING:
    import sympy

_LARGEST_INTEGER = 1e9  # a larger whole number is a measurement, not a count; exact arithmetic with it only costs time


def to_sympy(expression: Expression, symbols: "Mapping[str, sympy.Symbol]") -> "sympy.Expr":
    """The expression over `symbols` (canonical name -> real symbol).

    Constant parts are folded in floating point first, exactly as `evaluate` does it. abs, sign, min, max, step, ramp, pulse and if_else
    become Piecewise: SymPy's own Abs and sign have derivatives with DiracDelta in them. A call of a table stays a call: `lookup_function`.

    Raises ExpressionError for names without a symbol, undefined constant parts, and expressions that are real nowhere.
    """
    return translate(expression.tree, symbols)


def translate(tree: Node, symbols: "Mapping[str, sympy.Symbol]") -> "sympy.Expr":
    """The same of the tree of an expression."""
    import sympy

    return _Translator(sympy, symbols).translate(tree)


@cache
def lookup_function() -> "type[sympy.Function]":
    """The SymPy function lookup(index, order, x): derivative `order` of a table at x, opaque. Its own derivative is the next order."""
    import sympy

    class lookup(sympy.Function):  # type: ignore[misc]  # noqa: N801  (the name it is printed by)
        nargs = 3
        is_real = True
        is_number = False  # also at a constant: its value is not known here

        def fdiff(self, argindex: int = 3) -> "sympy.Expr":
            index, order, x = self.args
            return lookup(index, order + 1, x) if order < HIGHEST else sympy.S.Zero

    return lookup


@cache
def raised_function() -> "type[sympy.Function]":
    """The SymPy function raised(x, n, k, j): x^n, derived k times by x and j times by n (`mbsim.kernels.powers`).

    As a power of SymPy's its slope would be n x^n / x, which is no number at x = 0.
    """
    import sympy

    class raised(sympy.Function):  # type: ignore[misc]  # noqa: N801  (the name it is printed by)
        nargs = 4
        is_real = True

        @classmethod
        def eval(cls, x: "sympy.Expr", n: "sympy.Expr", k: "sympy.Expr", j: "sympy.Expr") -> "sympy.Expr":
            if n.is_number and (j == 0 or x.is_number):
                return explicit(x, n, k, j)
            return None

        def fdiff(self, argindex: int = 1) -> "sympy.Expr":
            x, n, k, j = self.args
            return raised(x, n, k + 1, j) if argindex == 1 else raised(x, n, k, j + 1)

    return raised


@cache
def floored_function() -> "type[sympy.Function]":
    """The SymPy function floored(x): the largest whole number that is not greater (`mbsim.kernels.rounding`). It has the slope zero.

    The derivative of SymPy's own floor stays a derivative, and is no number in code.
    """
    import sympy

    class floored(sympy.Function):  # type: ignore[misc]  # noqa: N801  (the name it is printed by)
        nargs = 1
        is_real = True

        @classmethod
        def eval(cls, x: "sympy.Expr") -> "sympy.Expr":
            return sympy.floor(x) if x.is_number else None

        def fdiff(self, argindex: int = 1) -> "sympy.Expr":
            return sympy.S.Zero

    return floored


def passing(e: "sympy.Expr") -> "Iterator[sympy.Expr]":
    """The numbers whose sign decides the case of an expression, of tables but for their corners."""
    import sympy

    for relation in sorted(e.atoms(sympy.core.relational.Relational), key=str):
        yield relation.lhs - relation.rhs
    for angle in sorted(e.atoms(sympy.atan2), key=str):
        yield angle.args[0]
    for whole in sorted(e.atoms(floored_function()), key=str):
        yield sympy.sin(sympy.pi * whole.args[0])  # passes zero at each whole number


def explicit(x: "sympy.Expr", n: "sympy.Expr", k: "sympy.Expr", j: "sympy.Expr") -> "sympy.Expr":
    """raised(x, n, k, j) by SymPy's powers: not for x = 0 where n is not known."""
    import sympy

    exponent = sympy.Dummy(real=True)
    factor = sympy.ff(exponent, int(k))
    if j == 0:
        factor = factor.subs(exponent, n)
        return factor if factor == 0 else factor * x ** (n - k)
    return (factor * x ** (exponent - k)).diff(exponent, int(j)).subs(exponent, n)


def _varies(node: Node) -> bool:
    """Whether the value of a node depends on a name or on the data of a table, which are not part of the derived code."""
    return any(isinstance(part, (Name, Lookup)) for part in walk(node))


class _Translator:
    """One translation. It holds the SymPy module, because the import takes 0.2 s and most commands do not need it."""

    def __init__(self, sympy_module: ModuleType, symbols: "Mapping[str, sympy.Symbol]") -> None:
        self.sympy = sympy_module
        self.symbols = symbols
        self._tables()

    def translate(self, node: Node) -> "sympy.Expr":
        if not _varies(node):
            return self.number(constant(node))
        if isinstance(node, Name):
            if node.name not in self.symbols:
                raise ExpressionError(f"unknown name '{node.name[:60]}'", node.offset)
            return self.symbols[node.name]
        assert isinstance(node, Call)
        if isinstance(node, Lookup):
            result = lookup_function()(node.table.index, node.order, self.translate(node.arguments[0]))
        elif node.function == "^":
            result = self.power(node)
        elif node.function == "if_else":
            result = self.choice(*node.arguments)
        else:
            result = self.functions[node.function](*map(self.translate, node.arguments))
        # SymPy turns sqrt(x^2) into Abs(x), whose second derivative is a DiracDelta.
        result = result.replace(self.sympy.Abs, self.functions["abs"]) if result.has(self.sympy.Abs) else result
        if result.has(self.sympy.I, self.sympy.zoo, self.sympy.nan, self.sympy.oo, self.sympy.S.NegativeInfinity):
            raise ExpressionError("this part has no real, finite value", node.offset)
        return result

    def number(self, value: float) -> "sympy.Expr":
        """See `functions.Algebra`, like the next two."""
        if math.isfinite(value) and value == int(value) and abs(value) < _LARGEST_INTEGER:
            return self.sympy.Integer(int(value))
        return self.sympy.Float(value, 17)  # 60 bits: float() of it is `value` again

    def power(self, node: Call) -> "sympy.Expr":
        base, exponent = map(self.translate, node.arguments)
        if exponent.is_number:
            value = float(exponent)
            if abs(value) > MAX_EXPONENT:
                raise ExpressionError(f"the exponent is larger than {MAX_EXPONENT:g}", node.offset)
            if 4 * value == int(4 * value):  # x^0.5 and x^1.25 as roots: their derivatives keep exact exponents
                exponent = self.sympy.Rational(int(4 * value), 4)
        if exponent.is_number or base.is_number:
            return base**exponent
        return raised_function()(base, exponent, 0, 0)

    def floor(self, x: "sympy.Expr") -> "sympy.Expr":
        return floored_function()(x)

    def all(self, *conditions: "sympy.Basic") -> "sympy.Basic":
        return self.sympy.And(*conditions)

    def cases(self, *pairs: "tuple[sympy.Expr, sympy.Basic]") -> "sympy.Expr":
        return self.sympy.Piecewise(*((value, self.unfolded(condition)) for value, condition in pairs))

    def unfolded(self, condition: "sympy.Basic") -> "sympy.Basic":
        """The condition without cases inside its numbers: the cases of a number become an ITE of conditions.

        SymPy does this to a condition of a Piecewise by itself, and simplifies what it makes, which takes seconds for min(1, max(0, x)).
        """
        s = self.sympy
        if condition in (True, False) or not condition.has(s.Piecewise):
            return condition
        if not isinstance(condition, s.core.relational.Relational):
            return condition.func(*map(self.unfolded, condition.args))
        inner = next(part for part in s.preorder_traversal(condition) if isinstance(part, s.Piecewise))
        known: dict[sympy.Basic, sympy.Basic] = {}  # conditions that do not hold here, which other cases ask as well
        chosen = []
        for value, holds in inner.args:
            so = known if holds == s.true else known | {holds: s.true}
            chosen.append((holds, self.unfolded(condition.xreplace({inner: value}).xreplace(so))))
            known = known | {holds: s.false}
        found = s.false
        for holds, case in reversed(chosen):
            found = s.ITE(holds, case, found)
        return found

    def choice(self, condition: Node, then: Node, otherwise: Node) -> "sympy.Expr":
        holds = self.condition(condition)
        if holds in (self.sympy.true, self.sympy.false):  # the other branch may have no value
            return self.translate(then if holds else otherwise)
        return self.cases((self.translate(then), holds), (self.translate(otherwise), True))

    def condition(self, node: Node) -> "sympy.Basic":
        if not _varies(node):
            return self.sympy.true if constant(_indicator(node)) else self.sympy.false
        assert isinstance(node, Call)
        if node.function in ("and", "or", "not"):
            return self.logic[node.function](*map(self.condition, node.arguments))
        return self.relations[node.function](*map(self.translate, node.arguments))

    def _tables(self) -> None:
        s = self.sympy
        self.functions: dict[str, Callable[..., sympy.Expr]] = {
            "+": s.Add,
            "*": s.Mul,
            "/": lambda a, b: a / b,
            "neg": lambda a: -a,
        }
        for name, function in FUNCTIONS.items():
            if function.symbol:
                self.functions[name] = getattr(s, function.symbol)
            elif function.cases is not None:
                self.functions[name] = partial(function.cases, self)
        self.relations: dict[str, Callable[[sympy.Expr, sympy.Expr], sympy.Basic]] = {
            "<": s.Lt,
            "<=": s.Le,
            ">": s.Gt,
            ">=": s.Ge,
            "==": s.Eq,
            "!=": s.Ne,
        }
        self.logic: dict[str, Callable[..., sympy.Basic]] = {"and": s.And, "or": s.Or, "not": s.Not}


def _indicator(condition: Node) -> Node:
    """1 where the condition holds, else 0."""
    return Call("if_else", (condition, Number(1.0), Number(0.0)), condition.offset, condition.depth + 1, condition.switches)
