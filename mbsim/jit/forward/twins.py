"""The derivatives of expressions: the rules of calculus, as text."""

import ast
import builtins
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

TWIN = "__d"


class TransformError(TypeError):
    """A function holds something that has no derivative rule."""


class Fields(NamedTuple):
    """A block of arrays some of which are active."""

    active: frozenset[str]


# Of an argument: False, not active; True, active; the active fields of a block; or a function, which becomes part of what is made.
Pattern = bool | Fields | Callable[..., Any]

# Derivatives of functions of `math` and of Python: {0}, {1} are the arguments, {0d}, {1d} their twins ("0.0" if there is none).
# A helper may state its own in the same form, as its attribute `derivative`.
_RULES: dict[Any, str] = {
    math.sin: "(cos({0})*{0d})",
    math.cos: "(-sin({0})*{0d})",
    math.tan: "((1.0 + tan({0})*tan({0}))*{0d})",
    math.exp: "(exp({0})*{0d})",
    math.log: "({0d}/{0})",
    math.tanh: "((1.0 - tanh({0})*tanh({0}))*{0d})",
    math.sinh: "(cosh({0})*{0d})",
    math.cosh: "(sinh({0})*{0d})",
    math.atan: "({0d}/(1.0 + {0}*{0}))",
    math.asin: "({0d}/sqrt(1.0 - {0}*{0}))",
    math.acos: "(-{0d}/sqrt(1.0 - {0}*{0}))",
    math.sqrt: "({0d}/(2.0*sqrt({0})) if {0} > 0.0 else 0.0)",  # a length is not differentiable at zero
    math.atan2: "(({1}*{0d} - {0}*{1d})/({0}*{0} + {1}*{1}))",
    abs: "({0d} if {0} >= 0.0 else -({0d}))",
    max: "({0d} if {0} >= {1} else {1d})",
    min: "({0d} if {0} <= {1} else {1d})",
    float: "{0d}",
}
_FLAT = (int, len, range, bool, math.floor, math.ceil, math.isnan, math.isfinite)  # whose derivative is nothing


def _python(function: object) -> Any:
    return getattr(function, "py_func", function)


def _stated(function: object) -> str:
    """The rule that a helper states for itself: `helper.derivative = text`."""
    return str(getattr(function, "derivative", ""))


def _zeros(count: int) -> str:
    """A tuple of zeros."""
    return f"({'0.0, ' * count})"


class Twins:
    """What is known of the names of a function, and the twins of its expressions."""

    def __init__(self, name: str, names: Mapping[str, Any], patterns: Mapping[str, Pattern]) -> None:
        """`names` from outside, with their values; `patterns` of the arguments."""
        self.function, self.names, self.patterns = name, names, patterns
        self.active = {name for name, pattern in patterns.items() if pattern is True}
        self._tuples: dict[str, int] = {}  # lengths of temporaries that hold tuples

    def _fail(self, node: ast.AST, what: str) -> "TransformError":
        return TransformError(f"{self.function}, line {getattr(node, 'lineno', 0)}: {what}: {ast.unparse(node)[:100]}")

    def _resolved(self, node: ast.expr) -> Any:
        """What a name or `module.name` from outside stands for; None for local ones."""
        if isinstance(node, ast.Name):
            if callable(self.patterns.get(node.id, False)):
                return self.patterns[node.id]
            if node.id in self.patterns or node.id in self.active:
                return None
            return self.names.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            owner = self._resolved(node.value)
            return None if owner is None else getattr(owner, node.attr, None)
        return None

    def _known(self, test: ast.expr) -> bool | None:
        """A condition that is decided by constants from outside, as those of kernels for the plane or for space."""
        if isinstance(test, ast.Constant):
            return bool(test.value)
        if isinstance(test, ast.Name) and test.id not in self.patterns:
            value = self.names.get(test.id)
            return value if isinstance(value, bool) else None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._known(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            decisive = isinstance(test.op, ast.Or)
            parts = [self._known(part) for part in test.values]
            return decisive if decisive in parts else None if None in parts else not decisive
        return None

    def _length(self, value: ast.expr) -> int:
        """How many parts a tuple has, as far as it is known; 0 for what is none."""
        if isinstance(value, ast.Tuple):
            return len(value.elts)
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            first, second = self._length(value.left), self._length(value.right)
            return first + second if first and second else 0
        if isinstance(value, ast.IfExp):
            return self._length(value.body)
        if isinstance(value, ast.Name) and value.id in self._tuples:
            return self._tuples[value.id]
        outer = value.value if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice) else value
        known = self.names.get(outer.id) if isinstance(outer, ast.Name) and outer.id not in self.patterns else None
        if not isinstance(known, tuple):
            return 0
        return len(known if outer is value else known[self._slice(value)])

    def _slice(self, value: ast.expr) -> slice:
        """The slice of a subscript whose ends are numbers or constants from outside."""
        assert isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)
        ends = []
        for end in (value.slice.lower, value.slice.upper, value.slice.step):
            if isinstance(end, ast.Constant) or end is None:
                ends.append(None if end is None else end.value)
            else:
                ends.append(self._resolved(end))
                if not isinstance(ends[-1], int):
                    raise self._fail(value, "a slice whose ends are not known")
        return slice(*ends)

    def _zero(self, value: ast.expr) -> str:
        """The twin of what is not active."""
        return _zeros(self._length(value)) if self._length(value) else "0.0"

    def _twin(self, node: ast.expr) -> str | None:
        """The derivative of an expression without calls of active helpers, as text; None where it is not active."""
        if isinstance(node, ast.Name):
            return node.id + TWIN if node.id in self.active else None
        if isinstance(node, ast.Constant | ast.Compare | ast.BoolOp):
            return None
        if isinstance(node, ast.Attribute):
            pattern = self.patterns.get(node.value.id) if isinstance(node.value, ast.Name) else None
            fields = pattern.active if isinstance(pattern, Fields) else frozenset()
            return f"{ast.unparse(node.value)}{TWIN}.{node.attr}" if node.attr in fields else None
        if isinstance(node, ast.Subscript):
            base = self._twin(node.value)
            place = ast.unparse(ast.Subscript(ast.Name("x"), node.slice, ast.Load()))[1:]
            return None if base is None else base + place
        if isinstance(node, ast.Tuple):
            twins = [self._twin(part) for part in node.elts]
            return f"({', '.join(twin or '0.0' for twin in twins)},)" if any(twin is not None for twin in twins) else None
        if isinstance(node, ast.UnaryOp):
            twin = self._twin(node.operand)
            if twin is None or isinstance(node.op, ast.Not):
                return None
            return f"(-({twin}))" if isinstance(node.op, ast.USub) else twin
        if isinstance(node, ast.IfExp):
            a, b = self._twin(node.body), self._twin(node.orelse)
            if a is None and b is None:
                return None
            a, b = a or self._zero(node.body), b or self._zero(node.orelse)
            return f"({a} if ({ast.unparse(node.test)}) else {b})"
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Call):
            return self._ruled(node)
        raise self._fail(node, "no rule for this expression")

    def _operation(self, node: ast.BinOp) -> str | None:
        a, b = self._twin(node.left), self._twin(node.right)
        if a is None and b is None:
            return None
        x, y = f"({ast.unparse(node.left)})", f"({ast.unparse(node.right)})"
        if isinstance(node.op, ast.Add) and self._length(node.left) and self._length(node.right):  # tuples one after the other
            a, b = a or _zeros(self._length(node.left)), b or _zeros(self._length(node.right))
        if isinstance(node.op, ast.Add | ast.Sub):
            sign = "+" if isinstance(node.op, ast.Add) else "-"
            return f"({a} {sign} {b})" if a and b else a if a else b if sign == "+" else f"(-{b})"
        if isinstance(node.op, ast.Mult):
            return f"({a}*{y} + {x}*{b})" if a and b else f"({a}*{y})" if a else f"({x}*{b})"
        if isinstance(node.op, ast.Div):
            return f"(({a} - {x}/{y}*{b})/{y})" if a and b else f"({a}/{y})" if a else f"(-{x}/({y}*{y})*{b})"
        if isinstance(node.op, ast.Pow) and b is None:
            return f"({y}*{x}**({y} - 1)*{a})"
        if isinstance(node.op, ast.Pow):  # of a base that is not negative
            by_exponent = f"({x}**{y}*log({x})*{b} if {x} > 0.0 else 0.0)"
            return f"({y}*{x}**({y} - 1)*{a} + {by_exponent})" if a else by_exponent
        raise self._fail(node, "no rule for this operation")

    def _ruled(self, node: ast.Call) -> str | None:
        """The derivative of a function with a rule."""
        function = self._resolved(node.func)
        twins = [self._twin(argument) for argument in node.args]
        if function in _FLAT or all(twin is None for twin in twins):
            return None
        text = _stated(function) or _RULES.get(function)
        if text is None:
            raise self._fail(node, "no rule for this function")
        names: Mapping[str, str] = {str(k): f"({ast.unparse(argument)})" for k, argument in enumerate(node.args)}
        return text.format(*names.values(), **{f"{k}d": twin or "0.0" for k, twin in enumerate(twins)})
