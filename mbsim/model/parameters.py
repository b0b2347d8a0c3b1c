"""The `parameters` block: numbers and expressions over each other, in any order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mbsim.model.expressions.expression import Expression, ExpressionError, evaluate, parse, unknown_name
from mbsim.model.expressions.functions import FUNCTIONS
from mbsim.model.expressions.tables import Table
from mbsim.model.file.plain import Plain
from mbsim.model.rephrase import Fault

SHOWN = 12  # parameters of a cycle that are named; the rest is counted


def solve(raw: Mapping[str, Plain], tables: Iterable[str] = ()) -> tuple[dict[str, float], list[Fault]]:
    """Values of all parameters that have one, in the order of the file, and the problems of the others.

    A parameter that depends on a wrong one is neither in the values nor reported. `tables`: names of tables, whose points may depend on
    parameters, so that parameters cannot depend on them.
    """
    unknown = {table: Table(table, 0) for table in tables if table not in FUNCTIONS}
    expressions: dict[str, Expression] = {}
    found: list[Fault] = []
    for name, value in raw.items():
        try:
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
    place = {name: index for index, name in enumerate(raw)}
    for group in _groups(expressions):
        name = group[0]
        if len(group) > 1 or name in expressions[name].names:
            found.append(_circular(sorted(group, key=place.__getitem__), expressions))
        elif expressions[name].names <= values.keys():  # else one of them is wrong, which is reported there
            try:
                values[name] = evaluate(expressions[name], values)
            except ExpressionError as error:
                found.append(Fault((name,), error.message, "value", error.offset))
    return {name: values[name] for name in raw if name in values}, found


def _groups(expressions: Mapping[str, Expression]) -> Iterator[list[str]]:
    """The names in groups that depend on each other, every group after those it depends on. Tarjan 1972, without recursion."""
    order: dict[str, int] = {}  # when a name was met
    low: dict[str, int] = {}  # the earliest met name that is still open and can be reached from it
    open_names: list[str] = []
    is_open: set[str] = set()
    for start in expressions:
        if start in order:
            continue
        way: list[tuple[str, Iterator[str]]] = []
        following = start
        while True:
            if following:
                order[following] = low[following] = len(order)
                open_names.append(following)
                is_open.add(following)
                way.append((following, iter(sorted(expressions[following].names & expressions.keys()))))
                following = ""
            name, others = way[-1]
            for other in others:
                if other not in order:
                    following = other
                    break
                if other in is_open:
                    low[name] = min(low[name], order[other])
            if following:
                continue
            way.pop()
            if way:
                low[way[-1][0]] = min(low[way[-1][0]], low[name])
            if low[name] == order[name]:
                group = []
                while name in is_open:
                    group.append(open_names.pop())
                    is_open.remove(group[-1])
                yield group
            if not way:
                break


def _circular(group: Sequence[str], expressions: Mapping[str, Expression]) -> Fault:
    """The problem of a group of names that depend on each other: a shortest cycle from the first, and the other names."""
    cycle = _cycle(group[0], set(group), expressions)
    others = [name for name in group if name not in cycle]
    message = f"these parameters depend on each other: {_arrows(cycle)}"
    if others:
        message += f"; and so do {', '.join(others[:SHOWN])}" + f" and {len(others) - SHOWN} more" * (len(others) > SHOWN)
    named = [*cycle[1:-1][:SHOWN], *others[:SHOWN]]
    return Fault((group[0],), message, related=tuple((name,) for name in named))


def _arrows(cycle: Sequence[str]) -> str:
    if len(cycle) > SHOWN + 1:
        return f"{' -> '.join(cycle[:SHOWN])} -> ({len(cycle) - 1 - SHOWN} more) -> {cycle[-1]}"
    return " -> ".join(cycle)


def _cycle(name: str, group: set[str], expressions: Mapping[str, Expression]) -> list[str]:
    """A shortest way from `name` through its group back to it, as `a, b, a`."""
    before: dict[str, str] = {}
    reached = [name]
    for current in reached:
        for other in sorted(expressions[current].names & group):
            if other == name:
                way = [name, current]
                while way[-1] != name:
                    way.append(before[way[-1]])
                return way[::-1] if current != name else [name, name]
            if other not in before:
                before[other] = current
                reached.append(other)
    raise AssertionError(f"'{name}' is in no cycle")
