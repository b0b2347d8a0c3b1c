"""A model's measures, evaluated over a chunk of rows after the march, in plain NumPy.

Operators and functions give what the compiled laws give (`mbsim.model.symbolic`), NaN included: cases are looked at in the same order.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mbsim.analysis.quantities import Quantities, Quantity, Rows
from mbsim.model.errors import ModelError
from mbsim.model.measures import Measure, terms
from mbsim.model.schema import Model
from mbsim.model.tree import MEASURING, Call, Lookup, Name, Node, Number
from mbsim.results.schema import Series, measure
from mbsim.system.system import Floats, System


class Measures:
    """The measures of an assembled model. Raises ModelError for a name that the assembled system turned out not to have."""

    def __init__(self, model: Model, system: System) -> None:
        self._measures = list(model.measures.values())
        self._found = Quantities(model, system)
        self._quantities: dict[Any, Quantity] = {}
        self.series: dict[str, Series] = {}
        problems = []
        for item in self._measures:
            for node in terms(item.value.tree):
                if missing := self._resolve(node):
                    has = ", ".join(system.coordinates)
                    path = ("measures", item.name)
                    problems.append(model.problem(path, f"{missing} is not known of this model; its coordinates are {has}"))
            self.series[item.name] = measure(self._units(item), item.value.text)
        if problems:
            raise ModelError(problems)

    def _resolve(self, node: Name | Call) -> str:
        """Find what a node stands for; returns the name where there is no such thing."""
        if isinstance(node, Call):
            self._quantities[_key(node)] = self._found.function(node.function, _names(node))
        elif node.name not in self.series and node.name not in self._quantities:
            found = self._found.find(node.name)
            if found is None:
                return node.name
            self._quantities[node.name] = found
        return ""

    def _units(self, item: Measure) -> str:
        """Those given, else those of the one thing that it names."""
        tree = item.value.tree
        if item.unit is not None:
            return item.unit
        if isinstance(tree, Name) and tree.name in self.series:
            return self.series[tree.name].units
        found = self._quantities.get(_key(tree))
        return found.units if found is not None else "1"

    def chunk(self, variables: Mapping[str, Floats], memory: dict[str, tuple[float, float, float]]) -> dict[str, Floats]:
        """Every measure (k,) of a chunk of rows; `memory` is empty for the first chunk of a run, and the same dictionary for the next."""
        rows = Rows(variables, memory)
        values: dict[Any, Floats] = {}
        with np.errstate(all="ignore"):
            for key, quantity in self._quantities.items():
                values[key] = quantity.of(rows)
            for item in self._measures:
                values[item.name] = np.broadcast_to(_value(item.value.tree, values), rows.time.shape)
        return {item.name: values[item.name] for item in self._measures}


def _key(node: Node) -> Any:
    if isinstance(node, Call) and node.function in MEASURING:
        return (node.function, *_names(node))
    return node.name if isinstance(node, Name) else None


def _names(node: Call) -> list[str]:
    return [argument.name for argument in node.arguments if isinstance(argument, Name)]


def _value(node: Node, values: Mapping[Any, Floats]) -> Any:
    # The recursion is bounded: no tree is deeper than tree.MAX_DEPTH.
    if isinstance(node, Number):
        return np.array(node.value)
    if isinstance(node, Name):
        return values[node.name]
    if isinstance(node, Lookup):
        return node.table.values(_value(node.arguments[0], values))
    if node.function in MEASURING:
        return values[_key(node)]
    return _FUNCTIONS[node.function](*(_value(argument, values) for argument in node.arguments))


def _extreme(better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def extreme(*values: Any) -> Any:
        found = values[-1]
        for k in range(len(values) - 2, -1, -1):
            wins = np.logical_and.reduce(np.broadcast_arrays(*(better(values[k], other) for other in values[k + 1 :])))
            found = np.where(wins, values[k], found)
        return found

    return extreme


def _step(x: Any, *shape: Any) -> Any:
    if not shape:
        return np.where(x < 0.0, 0.0, 1.0)
    x0, h0, x1, h1 = shape
    s = (x - x0) / (x1 - x0)
    return np.where(x <= x0, h0, np.where(x >= x1, h1, h0 + (h1 - h0) * s * s * (3.0 - 2.0 * s)))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": lambda *terms: sum(terms[1:], terms[0]),
    "*": lambda *factors: math.prod(factors[1:], start=factors[0]),
    "/": np.divide,
    "^": np.power,
    "neg": np.negative,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sign": lambda x: np.where(x < 0.0, -1.0, np.where(x > 0.0, 1.0, 0.0)),
    "min": _extreme(np.less_equal),
    "max": _extreme(np.greater_equal),
    "step": _step,
    "ramp": lambda x: np.where(x > 0.0, x, 0.0),
    "pulse": lambda x, width: np.where((x >= 0.0) & (x < width), 1.0, 0.0),
    "deg": lambda x: x * (math.pi / 180.0),
    "if_else": np.where,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
}
