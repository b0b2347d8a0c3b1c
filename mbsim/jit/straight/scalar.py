"""Straight-line code as a function of Python over the slots of one run: a compiler of Python for other machines takes it, as of CUDA.

The names of functions are looked up in what is handed over with the code: those of the machine's library. Nothing that a user wrote is in
the text; it has numbers, names that are made here, and operators.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mbsim.jit.straight.emission import OTHER_CASE, OUT_OF_RANGE, Straight
from mbsim.jit.straight.graph import CALLED, COMPARED, CONSTANT, INPUT, LIST

FUNCTIONS = ("sqrt", "rint", "floor", *CALLED)  # whose names have to be known
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", **{name: name for name in COMPARED}, "and": "and", "or": "or"}


class Lists:
    """The numbers of all lists that code picks from, one behind the other."""

    def __init__(self) -> None:
        self.numbers: list[float] = []
        self._first: dict[tuple[float, ...], int] = {}

    def place(self, values: tuple[float, ...]) -> int:
        """Where a list begins."""
        if values not in self._first:
            self._first[values] = len(self.numbers)
            self.numbers += values
        return self._first[values]


def function_of(code: Straight, name: str, functions: Mapping[str, Any], lists: Lists) -> Callable[[Any, Any], None]:
    """`name(s, lists)`: reads and writes the slots s (count,); the slot of guards becomes what `emission` says. `functions`: FUNCTIONS."""
    space = {**{f"{function}_of": of for function, of in functions.items()}, "__name__": __name__}
    exec(compile(text_of(code, name, lists), f"<{name}>", "exec"), space)
    found: Callable[[Any, Any], None] = space[name]
    return found


def text_of(code: Straight, name: str, lists: Lists) -> str:
    """The text of the function."""
    graph, lines, found = code.graph, list[str](), dict[int, str]()
    for at in code.places:
        operation, *operands = graph.operations[at]
        if operation == CONSTANT:
            found[at] = _number(operands[0])
        elif operation == LIST:
            found[at] = str(lists.place(operands[0]))
        else:
            given = [f"s[{operands[0]}]"] if operation == INPUT else [found[x] for x in operands]
            found[at] = f"x{at}"
            lines.append(f"    x{at} = {_expression(operation, given)}")
    lines += [f"    s[{slot}] = {found[at]}" for slot, at in code.outputs]
    for mark, decides in ((OTHER_CASE, True), (OUT_OF_RANGE, False)):
        guards = sorted((at, outcome) for at, outcome in graph.guards.items() if (at in graph.decided) == decides)
        lines += _marked(code.guards, mark, [f"not {found[at]}" if outcome else found[at] for at, outcome in guards])
    return "\n".join([f"def {name}(s, lists):", *(lines or ["    pass"]), ""])


def _marked(slot: int, mark: float, broken: Sequence[str]) -> list[str]:
    """The slot of guards gets its mark where a comparison came out otherwise and it has none yet."""
    return [f"    if s[{slot}] == 0.0 and ({' or '.join(broken)}):\n        s[{slot}] = {mark!r}"] if broken else []


def _number(value: float) -> str:
    """A number as Python has it, to the last bit."""
    if math.isfinite(value):
        return f"({float(value)!r})"
    return "(0.0 * 1e400)" if math.isnan(value) else "(1e400)" if value > 0.0 else "(-1e400)"


def _expression(operation: str, given: list[str]) -> str:
    if operation == INPUT:
        return given[0]
    if operation in _OPERATORS:
        return f"{given[0]} {_OPERATORS[operation]} {given[1]}"
    if operation in FUNCTIONS:
        return f"{operation}_of({', '.join(given)})"
    if operation == "abs":
        return f"abs({given[0]})"
    if operation == "neg":
        return f"-{given[0]}"
    if operation == "pick":
        return f"lists[{given[0]} + int({given[1]})]"
    assert operation == "select", operation
    return f"{given[1]} if {given[0]} else {given[2]}"
