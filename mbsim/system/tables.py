"""A model's tables as the array that kernels read (`mbsim.kernels.tables`), and what they say of an argument outside."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mbsim.kernels.tables import ASKED, COLUMNS
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.model.expressions.tables import Table


class TableError(ValueError):
    """No spline goes through a table's points; `path` is its place in the model file."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.path = f"tables.{name}"


def table_rows(tables: "Mapping[str, Table]") -> Floats:
    """`Arrays.tables`. Raises TableError."""
    heads, pieces = np.zeros((len(tables), COLUMNS)), []
    first = len(tables)
    for head, table in zip(heads, tables.values(), strict=True):
        try:
            found = table.coefficients
        except ValueError as error:
            raise TableError(table.name, str(error)) from None
        period = table.high - table.low if table.periodic else 0.0
        head[:] = first, len(found), table.low - table.slack, table.high + table.slack, np.nan, period
        pieces.append(np.hstack([found, np.zeros((len(found), 1))]))
        first += len(found)
    return np.vstack([heads, *pieces])


def forget(system: System) -> None:
    """Forget which arguments were outside."""
    system.arrays.tables[: len(system.tables), ASKED] = np.nan


def complaint(system: System) -> str:
    """What to say of the tables that were asked outside of their range since they forgot; empty when none was."""
    asked = system.arrays.tables[: len(system.tables), ASKED]
    return "; ".join(table.outside(x) for table, x in zip(system.tables.values(), asked, strict=True) if not np.isnan(x))


def blocks(system: System) -> dict[str, dict[str, Any]]:
    """The tables as blocks of a model file, for the result."""
    return {name: table.block() for name, table in system.tables.items()}
