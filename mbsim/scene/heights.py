"""The surface that something rolls on, given by its height over x and y, in the plane over x: kept as it was written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mbsim.model.expressions.evaluation import evaluate
from mbsim.model.expressions.expression import parse
from mbsim.model.expressions.parsed import Expression
from mbsim.model.expressions.tables import Table
from mbsim.model.file.errors import ExpressionError
from mbsim.model.file.plain import Mapped

if TYPE_CHECKING:
    from mbsim.model.schema import Model

Floats = np.ndarray


@dataclass(frozen=True, eq=False)
class Height:
    """A height (m) and the numbers that stand in it."""

    expression: Expression
    values: Mapping[str, float]
    planar: bool  # a line over x

    def at(self, x: Floats, y: Floats) -> Floats:
        """The height over each place; NaN where it has none."""
        found = np.full(np.shape(x), np.nan)
        for k in np.ndindex(found.shape):
            try:
                found[k] = evaluate(self.expression, {**self.values, "x": float(x[k]), "y": float(y[k])})
            except ExpressionError:
                continue
        return found


def describe(height: Expression, model: "Model", planar: bool) -> Mapped:
    """What the scene keeps of it: at the start of the run, if it moves."""
    named = {name: value for name, value in model.parameters.items() if name in height.names}
    called = {call.table.name: call.table for call in height.lookups}
    return {
        "text": height.text,
        "flat": planar,
        "values": {**named, "t": model.simulation.start},
        "tables": {name: {**table.block(), "index": table.index} for name, table in called.items()},
    }


def read_height(given: dict[str, Any]) -> Height:
    """The same of the scene of a result. Raises ValueError (TypeError, KeyError) for what is none."""
    tables = {str(name): _table(str(name), one) for name, one in given["tables"].items()}
    values = {str(name): float(value) for name, value in given["values"].items()}
    return Height(parse(given["text"], tables=tables), values, given["flat"] is True)


def _table(name: str, given: dict[str, Any]) -> Table:
    points = tuple((float(x), float(y)) for x, y in given["points"])
    return Table(name, int(given["index"]), points, str(given.get("interpolation", "cubic")), given.get("periodic", False) is True)
