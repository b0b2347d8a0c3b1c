"""Exact derivatives of numbers of a graph, forward: one operation after the other, along several directions, of which each has its column.

A derivative that is a structural zero has no entry. Choices keep the choice: the derivative is that of what is chosen. Rounded numbers have
none. Where an operation has no derivative, as the root of zero, it is no number, as processors have it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mbsim.jit.straight.graph import CONSTANT, INPUT, LIST, Graph, Traced, apply, compare, select

Entries = dict[int, Any]  # column -> derivative along it, without zeros


def differentiate(outputs: Sequence[Any], seeds: Mapping[int, Mapping[int, Any]]) -> list[Entries]:
    """The derivatives of numbers, as entries by columns. `seeds`: of places of their graph, which count as independent."""
    traced = [x for x in outputs if isinstance(x, Traced)]
    if not traced:
        return [{} for _ in outputs]
    graph, found = traced[0].graph, dict[int, Entries]()
    for at in graph.live([x.at for x in traced]):
        given = seeds.get(at)
        made = _without_zeros(graph, given) if given is not None else _of_operation(graph, at, found)
        if made:
            found[at] = made
    return [found.get(x.at, {}) if isinstance(x, Traced) else {} for x in outputs]


def is_zero(x: object) -> bool:
    """Whether a number is a structural zero."""
    return x.graph.constant(x.at) == 0.0 if isinstance(x, Traced) else bool(x == 0.0)


def _without_zeros(graph: Graph, entries: Mapping[int, Any]) -> Entries:
    return {column: x for column, x in entries.items() if not is_zero(x)}


def _of_operation(graph: Graph, at: int, found: Mapping[int, Entries]) -> Entries:
    name, *operands = graph.operations[at]
    if name in (INPUT, CONSTANT, LIST):
        return {}
    if at in graph.slopes:
        argument, slope = graph.slopes[at]
        return _scaled(graph, found.get(argument, {}), Traced(graph, slope))
    if name == "select":
        return _chosen(graph, operands, found)
    by = [found.get(x, {}) for x in operands]
    if not any(by):
        return {}
    rule = _PARTIAL.get(name)
    if rule is None:  # rounded numbers, comparisons and lists
        return {}
    total: Entries = {}
    numbers = [Traced(graph, x) for x in operands]
    for entries, partial in zip(by, rule(Traced(graph, at), *numbers), strict=True):
        for column, x in _scaled(graph, entries, partial).items() if entries else ():
            total[column] = total[column] + x if column in total else x
    return _without_zeros(graph, total)


def _scaled(graph: Graph, entries: Mapping[int, Any], factor: object) -> Entries:
    factor = factor() if callable(factor) else factor
    return _without_zeros(graph, {column: x * factor for column, x in entries.items()})


def _chosen(graph: Graph, operands: list[int], found: Mapping[int, Entries]) -> Entries:
    chosen, first, second = Traced(graph, operands[0]), found.get(operands[1], {}), found.get(operands[2], {})
    return {column: select(chosen, first.get(column, 0.0), second.get(column, 0.0)) for column in sorted({*first, *second})}


def _sign(x: object) -> Any:
    return select(compare("<", x, 0.0), -1.0, 1.0)


# The derivative of y by each operand; what is written as a function is made only where it is asked for.
_PARTIAL: dict[str, Callable[..., Sequence[Any]]] = {
    "add": lambda y, a, b: (1.0, 1.0),
    "sub": lambda y, a, b: (1.0, -1.0),
    "mul": lambda y, a, b: (b, a),
    "div": lambda y, a, b: (lambda: 1.0 / b, lambda: -(y * (1.0 / b))),
    "neg": lambda y, a: (-1.0,),
    "abs": lambda y, a: (_sign(a),),
    "sqrt": lambda y, a: (0.5 / y,),
    "tan": lambda y, a: (1.0 + y * y,),
    "asin": lambda y, a: (1.0 / apply("sqrt", 1.0 - a * a),),
    "acos": lambda y, a: (-1.0 / apply("sqrt", 1.0 - a * a),),
    "atan": lambda y, a: (1.0 / (1.0 + a * a),),
    "sinh": lambda y, a: (apply("cosh", a),),
    "cosh": lambda y, a: (apply("sinh", a),),
    "tanh": lambda y, a: (1.0 - y * y,),
    "exp": lambda y, a: (y,),
    "log": lambda y, a: (1.0 / a,),
    "atan2": lambda y, a, b: (b / (a * a + b * b), -a / (a * a + b * b)),
    "pow": lambda y, a, b: (lambda: b * apply("pow", a, b - 1.0), lambda: y * apply("log", a)),
}
