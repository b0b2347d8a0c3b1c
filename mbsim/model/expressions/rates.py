"""The derivative of a tree by time, from the rates of its names: exact, and part of the law itself, so that no SymPy is needed.

abs, min, if_else and the like have the derivative of the case that holds; where they jump, they have none that counts.
"""

from collections.abc import Callable, Mapping

from mbsim.model.expressions.parsed import Call, Lookup, Name, Node, Number, call
from mbsim.model.expressions.tables import HIGHEST

ZERO = Number(0.0)


def differentiate(tree: Node, rates: Mapping[str, Node]) -> Node:
    """The derivative by time of a tree whose names have these rates. Raises ExpressionError where it is nested too deeply."""
    made = _Derivative(rates)
    try:
        return made.of(tree)
    finally:
        vars(made).clear()  # its rules refer to it: so it is freed at once


def with_arguments(node: Call, arguments: tuple[Node, ...], order: int = 0) -> Call:
    """The same call of other arguments."""
    made = call(node.function, arguments, node.offset)
    if not isinstance(node, Lookup):
        return made
    return Lookup(made.function, made.arguments, made.offset, made.depth, made.switches, node.table, node.order + order)


def _is(node: Node, value: float) -> bool:
    """Whether a node is this number, wherever it was written."""
    return isinstance(node, Number) and node.value == value


def _sum(*terms: Node) -> Node:
    found = tuple(term for term in terms if not _is(term, 0.0))
    return call("+", found, 0) if len(found) > 1 else found[0] if found else ZERO


def _product(*factors: Node) -> Node:
    if any(_is(factor, 0.0) for factor in factors):
        return ZERO
    found = tuple(factor for factor in factors if not _is(factor, 1.0))
    return call("*", found, 0) if len(found) > 1 else found[0] if found else Number(1.0)


def _negative(node: Node) -> Node:
    return node if node == ZERO else call("neg", (node,), 0)


def _quotient(above: Node, below: Node) -> Node:
    return above if above == ZERO else call("/", (above, below), 0)


def _power(base: Node, exponent: float) -> Node:
    if exponent == 0.0:  # of x^1 the derivative is 1, at 0 too
        return Number(1.0)
    return base if exponent == 1.0 else call("^", (base, Number(exponent)), 0)


def _raise(base: Node, exponent: Node) -> Node:
    return _power(base, exponent.value) if isinstance(exponent, Number) else _call("^", base, exponent)


def _call(function: str, *arguments: Node) -> Node:
    return call(function, arguments, 0)


# The derivative of a function of one argument by it.
_SLOPES: dict[str, Callable[[Node], Node]] = {
    "sin": lambda x: _call("cos", x),
    "cos": lambda x: _negative(_call("sin", x)),
    "tan": lambda x: _quotient(Number(1.0), _power(_call("cos", x), 2.0)),
    "asin": lambda x: _quotient(Number(1.0), _call("sqrt", _sum(Number(1.0), _negative(_power(x, 2.0))))),
    "acos": lambda x: _quotient(Number(-1.0), _call("sqrt", _sum(Number(1.0), _negative(_power(x, 2.0))))),
    "atan": lambda x: _quotient(Number(1.0), _sum(Number(1.0), _power(x, 2.0))),
    "sinh": lambda x: _call("cosh", x),
    "cosh": lambda x: _call("sinh", x),
    "tanh": lambda x: _sum(Number(1.0), _negative(_power(_call("tanh", x), 2.0))),
    "exp": lambda x: _call("exp", x),
    "log": lambda x: _quotient(Number(1.0), x),
    "sqrt": lambda x: _quotient(Number(0.5), _call("sqrt", x)),
    "abs": lambda x: _call("sign", x),
    "ramp": lambda x: _call("step", x),
    "deg": lambda x: _call("deg", Number(1.0)),
    **dict.fromkeys(("sign", "floor", "ceil", "round"), lambda x: ZERO),
}


class _Derivative:
    """Differentiates an expression by the rates of its names. The recursion is bounded: no expression is deeper than parsed.MAX_DEPTH."""

    def __init__(self, rates: Mapping[str, Node]) -> None:
        self._rates = rates
        self._rules: dict[str, Callable[..., Node]] = {
            "+": lambda *x: _sum(*map(self.of, x)),
            "*": self._of_product,
            "/": lambda a, b: _sum(_quotient(self.of(a), b), _negative(_quotient(_product(a, self.of(b)), _power(b, 2.0)))),
            "neg": lambda a: _negative(self.of(a)),
            "^": self._of_power,
            "atan2": self._of_angle,
            "min": lambda *x: self._of_extreme("min", "<=", x),
            "max": lambda *x: self._of_extreme("max", ">=", x),
            "step": self._of_step,
            "pulse": lambda *x: ZERO,
            "if_else": lambda condition, then, otherwise: self._choice(condition, self.of(then), self.of(otherwise)),
        }

    def of(self, node: Node) -> Node:
        """The derivative by time."""
        if isinstance(node, Name):
            return self._rates[node.name]
        if not isinstance(node, Call):
            return ZERO
        if isinstance(node, Lookup):
            return _product(with_arguments(node, node.arguments, 1), self.of(node.arguments[0])) if node.order < HIGHEST else ZERO
        if node.function in _SLOPES:
            inner = self.of(node.arguments[0])
            return ZERO if inner == ZERO else _product(_SLOPES[node.function](node.arguments[0]), inner)
        return self._rules[node.function](*node.arguments)

    def _of_product(self, *factors: Node) -> Node:
        return _sum(*(_product(*factors[:k], self.of(x), *factors[k + 1 :]) for k, x in enumerate(factors)))

    def _of_power(self, base: Node, exponent: Node) -> Node:
        grown = self.of(exponent)
        if isinstance(exponent, Number):
            less: Node = Number(exponent.value - 1.0)
        elif grown != ZERO:
            less = _sum(exponent, Number(-1.0))
        else:  # a parameter, which may be 0: then 0, as the derivative is 0 x^0 and not 0 x^-1, which is no number at 0
            less = _sum(exponent, _negative(_power(_call("sign", exponent), 2.0)))
        by_base = self.of(base)
        of_base = ZERO if _is(exponent, 0.0) else _product(exponent, _raise(base, less), by_base)  # x^0 is 1 at 0, too
        if grown == ZERO:
            return of_base
        nothing = _call("and", _call("==", base, ZERO), _call(">", exponent, ZERO))  # x^n log(x) is 0 at 0, though log(x) is no number
        return _sum(of_base, self._choice(nothing, ZERO, _product(_call("^", base, exponent), _call("log", base), grown)))

    def _of_angle(self, y: Node, x: Node) -> Node:
        above = _sum(_product(x, self.of(y)), _negative(_product(y, self.of(x))))
        return _quotient(above, _sum(_power(x, 2.0), _power(y, 2.0)))

    def _of_extreme(self, function: str, better: str, values: tuple[Node, ...]) -> Node:
        first, *rest = values
        if not rest:
            return self.of(first)
        other = rest[0] if len(rest) == 1 else _call(function, *rest)
        return self._choice(_call(better, first, other), self.of(first), self._of_extreme(function, better, tuple(rest)))

    def _of_step(self, x: Node, *shape: Node) -> Node:
        if not shape:
            return ZERO
        x0, h0, x1, h1 = shape
        s = _quotient(_sum(x, _negative(x0)), _sum(x1, _negative(x0)))
        rise = _product(_sum(h1, _negative(h0)), _power(s, 2.0), _sum(Number(3.0), _product(Number(-2.0), s)))
        between = self.of(_sum(h0, rise))
        return self._choice(_call("<=", x, x0), self.of(h0), self._choice(_call(">=", x, x1), self.of(h1), between))

    def _choice(self, condition: Node, then: Node, otherwise: Node) -> Node:
        return then if then == otherwise else _call("if_else", condition, then, otherwise)
