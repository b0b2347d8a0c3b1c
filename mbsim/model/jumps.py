"""Checks that a body can follow a prescribed motion: its position and its speed do not jump.

A law can jump where a function with cases (`abs`, `step`, `if_else` ...) changes its case, or where an `atan2` passes half a turn. These
times are found exactly if the deciding expression is linear in t, and otherwise between the samples of a grid over the run. The law and
its rate are compared on both sides of each time. The rate is the exact one of each case.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from mbsim.model.drivers import Driver
from mbsim.model.expressions.functions import DECIDING
from mbsim.model.expressions.parsed import Call, Expression, walk
from mbsim.model.expressions.symbolic import explicit, passing, to_sympy
from mbsim.model.file.positions import Path
from mbsim.model.rephrase import Fault
from mbsim.model.schema import Model

if TYPE_CHECKING:
    import sympy

SAMPLES = 1000  # of a deciding expression, over the run
CONTINUOUS = 1e-6  # of the largest value seen: smaller differences are round-off of a continuous law
BESIDE = 16.0  # spacings of numbers at the end of the run: distance from a change of case at which the law is evaluated


class _Law(NamedTuple):
    path: Path
    expression: Expression
    at_speed: bool  # prescribes a speed, so only its value counts


def jumps(model: Model) -> Iterator[Fault]:
    """The laws of drivers, of lengths of joints and of speed couplings whose position or speed jumps within the run."""
    for law in _laws(model):
        if any(isinstance(node, Call) and node.function in DECIDING for node in walk(law.expression.tree)):
            yield from _jump(law, model.parameters, model.simulation.start, model.simulation.end)


def _laws(model: Model) -> Iterator[_Law]:
    for name, driver in model.drivers.items():
        for key, law in driver.laws():
            yield _Law(("drivers", name, key), law, _at_speed(driver, key))
    for section, blocks, key in (("joints", model.joints, "length"), ("constraints", model.constraints, "value")):
        for name, block in dict(blocks).items():
            given: object = getattr(block, key, None)
            if isinstance(given, Expression):
                yield _Law((section, name, key), given, section == "constraints")


def _at_speed(driver: Driver, key: str) -> bool:
    state = driver.coordinate or ""
    return key == "speed" or state.startswith("der(") or ".omega." in state


def _jump(law: _Law, parameters: Mapping[str, float], start: float, end: float) -> Iterator[Fault]:
    """The first jump of a law within the run, if there is one."""
    import sympy

    t = sympy.Symbol("t", real=True)
    symbols: dict[str, sympy.Expr] = {"t": t} | {name: sympy.Float(value, 17) for name, value in parameters.items()}
    try:
        value = to_sympy(law.expression, symbols)
        deciding = _deciding(law.expression, symbols)
    except ValueError:  # not a law: the derivation of its equations reports it
        return
    look = _function(law.expression, t, [value] if law.at_speed else [value, value.diff(t)])
    grid = [start + i * (end - start) / SAMPLES for i in range(SAMPLES)] + [end]
    changes = [(at, offset) for what, offset in deciding.items() for at in _changes(what, _function(law.expression, t, [what]), t, grid)]
    times = sorted({start, end, *(at for at, _ in changes)})
    within = [a + part * (b - a) for a, b in itertools.pairwise(times) for part in (0.1, 0.3, 0.5, 0.7, 0.9)]
    sizes = [max((abs(x) for x in column if math.isfinite(x)), default=0.0) for column in zip(*map(look, grid + within), strict=True)]
    beside = BESIDE * math.ulp(max(abs(start), abs(end)))
    found: list[tuple[float, int, str]] = []
    for at, offset in changes:
        sides = [look(x) for x in (at - beside, at, at + beside) if start <= x <= end]
        if what := _difference(sides, sizes, law.at_speed):
            found.append((at, offset, what))
    if found:
        at, offset, what = min(found)
        message = f"the {what} that is prescribed jumps at t = {at + 0.0:.9g} s, which no body can follow"
        hint = "; use a law with a continuous speed, such as the five-argument step" if not law.at_speed else "; use a continuous law"
        yield Fault(law.path, message + hint, "value", offset)


def _deciding(expression: Expression, symbols: "Mapping[str, sympy.Expr]") -> "dict[sympy.Expr, int]":
    """The expressions that are compared with zero to choose a case, each with the place of the innermost function that does so."""
    import sympy

    found: dict[sympy.Expr, int] = {}
    nodes = [node for node in walk(expression.tree) if isinstance(node, Call) and node.function in DECIDING]
    for node in sorted(nodes, key=lambda node: node.depth):
        part = to_sympy(Expression("", node, expression.names), symbols)
        for number in passing(part):
            found.setdefault(number, node.offset)
    return found


def _function(expression: Expression, t: "sympy.Symbol", values: "list[sympy.Expr]") -> Callable[[float], list[float]]:
    """A function of time that returns the values; NaN for a value that does not exist."""
    import sympy

    tables = {node.table.index: node.table for node in expression.lookups}

    def lookup(index: int, order: int, x: float) -> float:
        return tables[int(index)].derivative(x, int(order))

    given = [{"lookup": lookup, "raised": lambda *x: explicit(*map(sympy.sympify, x)), "floored": math.floor}, "math"]
    functions = [sympy.lambdify(t, value, modules=given) for value in values]

    def call(at: float) -> list[float]:
        out = []
        for function in functions:
            try:
                out.append(float(function(at)))
            except (ValueError, ArithmeticError, TypeError):  # TypeError: a complex number
                out.append(math.nan)
        return out

    return call


def _changes(deciding: "sympy.Expr", value: Callable[[float], list[float]], t: "sympy.Symbol", grid: list[float]) -> list[float]:
    """The times at which the expression changes its sign."""
    slope = deciding.diff(t)
    if not slope.has(t):
        root = -float(deciding.subs(t, 0)) / float(slope) if slope != 0 else math.inf
        return [root] if grid[0] <= root <= grid[-1] else []
    signs = [_sign(value(x)[0]) for x in grid]
    found = []
    for i in range(len(grid) - 1):
        if signs[i] == signs[i + 1]:
            continue
        low, high = grid[i], grid[i + 1]
        while low < (middle := 0.5 * (low + high)) < high:
            low, high = (middle, high) if _sign(value(middle)[0]) == signs[i] else (low, middle)
        found.append(high)
    return found


def _sign(x: float) -> int:
    return (x > 0.0) - (x < 0.0)


def _difference(sides: list[list[float]], sizes: list[float], at_speed: bool) -> str:
    """The quantity that jumps between neighbouring sides: position, speed or nothing. `sizes`: the largest values in the run."""
    for name, column, size in zip(["speed"] if at_speed else ["position", "speed"], zip(*sides, strict=True), sizes, strict=True):
        if any(abs(a - b) > CONTINUOUS * max(size, abs(a), abs(b)) for a, b in itertools.pairwise(column)):
            return name
    return ""
