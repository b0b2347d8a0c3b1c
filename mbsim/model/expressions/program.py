"""Many formulas as one Python function, which computes all of them in a few microseconds.

The parsed trees of expressions become the syntax tree of the function, node by node, with the arithmetic of
`mbsim.model.expressions.evaluation`. No text that a user wrote is compiled, and no name of the user is one of Python: values are `v0`, `v1`
..., and what is kept is `k0`, `k1` ...
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mbsim.model.expressions.evaluation import VALUES, ConstantCheck
from mbsim.model.expressions.parsed import Lookup, Name, Node, Number

INFINITE = float("inf")
GIVEN = "given"


class UnfitError(ValueError):
    """Something that no formula computes; it is read in full."""


def _fail() -> None:
    raise UnfitError("a number is out of its range")


class Program:
    """Formulas in the order in which they are computed; where one has no finite number, ArithmeticError or ValueError is raised."""

    def __init__(self, constants: Mapping[str, float]) -> None:
        """`constants`: names whose values do not vary."""
        self._constants = dict(constants)
        self.is_arithmetic = True  # whether there are but sums, products and quotients, and checks of ranges (`columns.py`)
        self._places: dict[str, str] = {}  # of names that vary
        self._body: list[ast.stmt] = []
        self._kept: dict[str, Any] = {}
        self._ranges: dict[str, tuple[float, float]] = {}  # of values, which are checked at the end

    def given(self, name: str, k: int) -> None:
        """A name stands for the k-th of the given values."""
        self._places[name] = self._assign(ast.Subscript(_load(GIVEN), ast.Constant(k), ast.Load())).id
        self._check(_load(self._places[name]), -INFINITE, INFINITE)

    def define(self, name: str, tree: Node) -> None:
        """A name stands for an expression. Raises UnfitError."""
        found = self.value(tree)
        if isinstance(found, ast.Name):
            self._check(found, -INFINITE, INFINITE)
        self._places[name] = found.id if isinstance(found, ast.Name) else self._assign(found).id

    def named(self, name: str) -> ast.expr:
        """What a name stands for. Raises UnfitError."""
        if name in self._places:
            return _load(self._places[name])
        if name not in self._constants:
            raise UnfitError(name)
        return ast.Constant(self._constants[name])

    def value(self, node: Node) -> ast.expr:
        """The value of an expression. Raises UnfitError."""
        # The recursion is bounded: no tree is deeper than tree.MAX_DEPTH.
        if isinstance(node, Number):
            return ast.Constant(node.value)
        if isinstance(node, Name):
            return self.named(node.name)
        if isinstance(node, Lookup) or node.function not in VALUES:
            raise UnfitError(node.function)
        arguments = [self.value(argument) for argument in node.arguments]
        if node.function == "neg":
            return self._assign(ast.UnaryOp(ast.USub(), arguments[0]))
        if node.function in ("+", "*"):
            operator = ast.Add if node.function == "+" else ast.Mult
            found = arguments[0]
            for argument in arguments[1:]:
                found = self._assign(ast.BinOp(found, operator(), argument))
            return found
        if node.function == "/":  # what is infinite or no number stays so in sums and products, but not as a divisor
            self._check(arguments[1], -INFINITE, INFINITE)
            return self._assign(ast.BinOp(arguments[0], ast.Div(), arguments[1]))
        for argument in arguments:
            self._check(argument, -INFINITE, INFINITE)
        self.is_arithmetic = False
        last = node.arguments[-1]
        if node.function == "^" and isinstance(last, Number) and last.value.is_integer():
            return self._assign(ast.BinOp(arguments[0], ast.Pow(), arguments[1]))
        return self._assign(ast.Call(self.keep(VALUES[node.function]), arguments, []))

    def sum(self, tree: Node, name: str) -> ast.expr:
        """An expression to which what a name stands for is added. Raises UnfitError."""
        return self._assign(ast.BinOp(self.value(tree), ast.Add(), self.named(name)))

    def within(self, found: ast.expr, low: float, high: float) -> ast.expr:
        """A value, for which the function raises UnfitError where it is not between two numbers."""
        self._check(found, low, high)
        return found

    def require(self, check: ConstantCheck) -> None:
        """What is checked fits: else the function raises ArithmeticError or UnfitError. Raises UnfitError where that is not told here."""
        found = [self.value(part) for part in check.parts]
        for value in found:
            self._check(value, -INFINITE, INFINITE)
        if check.is_whole:
            return
        if check.of.function == "/":
            self._assign(ast.BinOp(ast.Constant(1.0), ast.Div(), found[0]))
        elif check.of.function == "^":
            self._check(found[0], 0.0, INFINITE)
        else:
            product = found[0]
            for value in found[1:]:
                product = self._assign(ast.BinOp(product, ast.Mult(), value))
            self._check(product, -INFINITE, INFINITE)

    def keep(self, value: object) -> ast.expr:
        """Something that is the same at every call."""
        name = f"k{len(self._kept)}"
        self._kept[name] = value
        return _load(name)

    def function(self, result: ast.expr) -> Callable[[Sequence[float]], Any]:
        """What computes `result`, made of values and of what is kept, from the given values."""
        checks: list[ast.expr] = []
        for name, (low, high) in self._ranges.items():
            sides: list[ast.cmpop] = [ast.Lt(), ast.Lt()] if high == INFINITE else [ast.LtE(), ast.LtE()]
            checks.append(ast.Compare(ast.Constant(low), sides, [_load(name), ast.Constant(high)]))
        body = list(self._body)
        if checks:
            whole = checks[0] if len(checks) == 1 else ast.BoolOp(ast.And(), checks)
            body.append(ast.If(ast.UnaryOp(ast.Not(), whole), [ast.Expr(ast.Call(self.keep(_fail), [], []))], []))
        module = ast.parse(f"def made({GIVEN}): pass")
        made = module.body[0]
        assert isinstance(made, ast.FunctionDef)
        made.body = [*body, ast.Return(result)]
        space = dict(self._kept)
        exec(compile(ast.fix_missing_locations(module), "<formulas>", "exec"), space)
        found: Callable[[Sequence[float]], Any] = space["made"]
        return found

    def _assign(self, value: ast.expr) -> ast.Name:
        name = f"v{len(self._body)}"
        self._body.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return _load(name)

    def _check(self, value: ast.expr, low: float, high: float) -> None:
        if isinstance(value, ast.Name):
            before = self._ranges.get(value.id, (-INFINITE, INFINITE))
            self._ranges[value.id] = max(before[0], low), min(before[1], high)
        elif isinstance(value, ast.Constant) and isinstance(value.value, float) and not low <= value.value <= high:
            raise UnfitError("a number is out of its range")


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())
