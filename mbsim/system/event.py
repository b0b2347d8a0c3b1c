"""The stop expression of a run, g(t, q, v), and its rate along the motion, compiled; a run ends where it crosses zero."""

import json
from collections.abc import Sequence
from typing import Any

from mbsim.jit import Compiled
from mbsim.model.expressions.expression import Expression, parse, unknown_name
from mbsim.system.codegen import HEADER, cached_module, function
from mbsim.system.equations import Symbols
from mbsim.system.system import System


def stop_expression(system: System, text: str, parameters: Sequence[str]) -> Expression:
    """The expression of a `stop` setting over t, the parameters, and the system's coordinates and speeds. Raises ValueError."""
    try:
        expression = parse(text, tables=system.tables, states=system.states)
    except ValueError as error:
        raise ValueError(f"stop: {error}") from None
    fault = unknown_name(expression, ["t"], parameters, system.coordinates, system.speeds)
    if fault is not None:
        raise ValueError(f"stop: {fault}")
    return expression


def event_function(expression: Expression, parameters: Sequence[str], coordinates: Sequence[str], speeds: Sequence[str]) -> Compiled:
    """The kernel (contract EVENT) of an expression over t, parameters, coordinates and speeds."""
    names = [list(parameters), list(coordinates), list(speeds)]

    def derive() -> str:
        import sympy

        symbols = Symbols(*names)
        g = symbols.read(expression)
        rate = g.diff(symbols.t)
        for letter, states in (("d", symbols.q), ("a", symbols.v)):
            rate += sum(g.diff(x) * sympy.Symbol(f"{letter}{i}", real=True) for i, x in enumerate(states))
        header = f"{HEADER}\nfrom mbsim.contracts import EVENT\n"
        return header + function("event", "EVENT", "t, q, v, q_dot, v_dot, out", [("out[0]", g), ("out[1]", rate)])

    module: Any = cached_module(json.dumps(["event and rate", *names, expression.key]), derive)
    return module.event
