"""The stop expression of a run, g(t, q, v), compiled; a run ends where it crosses zero."""

import json
from collections.abc import Sequence
from typing import Any

from mbsim.model.expressions import Expression
from mbsim.system.codegen import HEADER, cached_module, function
from mbsim.system.equations import Symbols


def event_function(expression: Expression, parameters: Sequence[str], coordinates: Sequence[str], speeds: Sequence[str]) -> Any:
    """The kernel (contract EVENT) of an expression over t, parameters, coordinates and speeds."""
    names = [list(parameters), list(coordinates), list(speeds)]

    def derive() -> str:
        symbols = Symbols(*names)
        return HEADER + function("event", "ENERGY", "t, q, v, out", [("out[0]", symbols.read(expression))])

    module: Any = cached_module(json.dumps(["event", *names, expression.key]), derive)
    return module.event
