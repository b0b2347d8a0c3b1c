"""Straight-line code (`mbsim.jit.straight`) as a function of C99 over an array of slots: one statement for each operation."""

import math

from mbsim.jit.straight.emission import Straight
from mbsim.jit.straight.graph import CALLED, COMPARED, CONSTANT, INPUT, LIST

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&&", "or": "||", **{name: name for name in COMPARED}}
_FUNCTIONS = {"abs": "fabs", "sqrt": "sqrt", "rint": "rint", "floor": "floor", **{name: name for name in CALLED}}
_TRUTH = {"and", "or", *COMPARED}


def function_text(name: str, code: Straight, prefix: str = "") -> str:
    """`static prefix void name(double *s)`: reads and writes the slots s[...]; the slot of guards becomes 1 as `Straight` says it."""
    graph, lines, found = code.graph, list[str](), dict[int, str]()
    for at in code.places:
        operation, *operands = graph.operations[at]
        if operation == CONSTANT:
            found[at] = number_text(operands[0])
            continue
        if operation == LIST:
            found[at] = f"x{at}"
            numbers = ", ".join(number_text(x) for x in operands[0])
            lines.append(f"    static const double x{at}[] = {{{numbers}}};")
            continue
        kind = "int" if operation in _TRUTH else "double"
        given = [f"s[{operands[0]}]"] if operation == INPUT else [found[x] for x in operands]
        found[at] = f"x{at}"
        lines.append(f"    const {kind} x{at} = {_expression(operation, given)};")
    lines += [f"    s[{slot}] = {found[at]};" for slot, at in code.outputs]
    broken = [f"{'!' if outcome else ''}{found[at]}" for at, outcome in sorted(graph.guards.items())]
    lines += [f"    if ({' || '.join(broken[k : k + 8])}) s[{code.guards}] = 1.0;" for k in range(0, len(broken), 8)]
    return "\n".join([f"static {prefix} void {name}(double *s)", "{", *lines, "}"])


def number_text(value: float) -> str:
    """A number as C has it, to the last bit."""
    if math.isfinite(value):
        return repr(float(value)) if math.copysign(1.0, value) > 0.0 else f"({float(value)!r})"
    return "NAN" if math.isnan(value) else "INFINITY" if value > 0.0 else "(-INFINITY)"


def _expression(operation: str, given: list[str]) -> str:
    if operation == INPUT:
        return given[0]
    if operation in _OPERATORS:
        return f"{given[0]} {_OPERATORS[operation]} {given[1]}"
    if operation in _FUNCTIONS:
        return f"{_FUNCTIONS[operation]}({', '.join(given)})"
    if operation == "neg":
        return f"-{given[0]}"
    if operation == "pick":
        return f"{given[0]}[(int){given[1]}]"
    assert operation == "select", operation
    return f"{given[0]} ? {given[1]} : {given[2]}"
