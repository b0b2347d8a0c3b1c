"""Expressions over the rows of a run: measures, targets of controllers, laws of forces on the user's own coordinates."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.model.expressions.functions import MEASURING
from mbsim.model.expressions.parsed import Call, Lookup, Name, Node, Number
from mbsim.results.columns import COLUMNS
from mbsim.system.system import Floats


def key(node: Node) -> Any:
    """What the values of a name, or of a function of bodies, are found by; None for other nodes."""
    if isinstance(node, Call) and node.function in MEASURING:
        return (node.function, *names(node))
    return node.name if isinstance(node, Name) else None


def names(node: Call) -> list[str]:
    """The arguments of a function of bodies."""
    return [argument.name for argument in node.arguments if isinstance(argument, Name)]


def value(node: Node, values: Mapping[Any, Floats]) -> Any:
    """An expression over columns: of its names, and of the functions of bodies in it."""
    # The recursion is bounded: no tree is deeper than tree.MAX_DEPTH.
    if isinstance(node, Number):
        return np.array(node.value)
    if isinstance(node, Name):
        return values[node.name]
    if isinstance(node, Lookup):
        return node.table.values(value(node.arguments[0], values), node.order)
    if node.function in MEASURING:
        return values[key(node)]
    return COLUMNS[node.function](*(value(argument, values) for argument in node.arguments))
