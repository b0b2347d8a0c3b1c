"""The `parameters` block: numbers and expressions over each other, in any order."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mbsim.model.errors import shown
from mbsim.model.expressions import Expression, ExpressionError, evaluate, parse, unknown_name
from mbsim.model.rephrase import Fault
from mbsim.model.tables import Table
from mbsim.model.tree import FUNCTIONS


def solve(raw: Mapping[str, Any], tables: Iterable[str] = ()) -> tuple[dict[str, float], list[Fault]]:
    """Values of all parameters that have one, in the file's order, and what is wrong with the others.

    A parameter that depends on a wrong one is neither in the values nor reported. `tables`: names of tables, whose points may depend on
    parameters, so that parameters cannot depend on them.
    """
    unknown = {table: Table(table, 0) for table in tables if table not in FUNCTIONS}
    expressions: dict[str, Expression] = {}
    found: list[Fault] = []
    for name, value in raw.items():
        try:
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                raise ExpressionError(f"expected a number or an expression (got {shown(value)})")
            expression = parse(value, tables=unknown)
            if expression.lookups:
                call = expression.lookups[0]
                raise ExpressionError(f"a parameter cannot call a table ('{call.function}')", call.offset)
            fault = unknown_name(expression, raw)
            if fault is not None:
                raise fault
            expressions[name] = expression
        except ExpressionError as error:
            found.append(Fault((name,), error.message, "value", error.offset))
    values: dict[str, float] = {}
    wrong = set(raw) - set(expressions)
    for name in _in_order(expressions):
        if expressions[name].names & wrong:
            wrong.add(name)
        elif missing := expressions[name].names - values.keys():
            if cycle := _cycle(name, expressions, values):
                found.append(Fault((name,), f"these parameters depend on each other: {' -> '.join(cycle)}"))
            wrong |= {name, *missing}
        else:
            try:
                values[name] = evaluate(expressions[name], values)
            except ExpressionError as error:
                found.append(Fault((name,), error.message, "value", error.offset))
                wrong.add(name)
    return {name: values[name] for name in raw if name in values}, found


def _in_order(expressions: Mapping[str, Expression]) -> Iterator[str]:
    """Every name, those it depends on before it as far as there is no cycle. Depth first without recursion."""
    done: set[str] = set()
    entered: set[str] = set()
    for start in expressions:
        waiting = [start]
        while waiting:
            name = waiting[-1]
            if name in entered:
                waiting.pop()
                if name not in done:
                    done.add(name)
                    yield name
            else:
                entered.add(name)
                waiting += sorted(other for other in expressions[name].names if other in expressions and other not in entered)


def _cycle(name: str, expressions: Mapping[str, Expression], values: Mapping[str, float]) -> list[str]:
    """The first cycle met from `name`, as `a, b, a`; empty when `name` is not part of it."""
    way = [name]
    while True:
        following = sorted(other for other in expressions[way[-1]].names if other in expressions and other not in values)
        if not following:
            return []
        if following[0] in way:
            way = [*way[way.index(following[0]) :], following[0]]
            return way
        way.append(following[0])
