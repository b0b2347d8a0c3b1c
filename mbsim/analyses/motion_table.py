"""A motion given as a CSV file, or as arrays: a column `time`, and a column for each coordinate that is prescribed."""

import csv
from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mbsim.analyses.cycle import coordinates
from mbsim.assembly import Assembly
from mbsim.model.file.csv_points import DECIMAL_COMMA, MAX_MISTAKES, Decimal
from mbsim.model.file.errors import ModelError, Problem
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.model.schema import Model

OF_SPEEDS = ("der(", "velocity", "omega")  # in names of what `initial` gives

Table = str | Path | Mapping[str, ArrayLike]  # a CSV file, or its columns by name


def columns_of(table: Table, decimal: Decimal = "point") -> Mapping[str, Floats]:
    """Columns by name; `decimal` is the sign of a file.

    Raises ModelError for what is wrong in a file, ValueError for columns that are no lists of as many finite numbers, OSError.
    """
    if not isinstance(table, Mapping):
        return read_table(Path(table), decimal)
    columns = {name: np.array(values, float) for name, values in table.items()}
    lengths = {values.shape for values in columns.values()}
    wrong = [name for name, values in columns.items() if values.ndim != 1 or not np.isfinite(values).all()]
    if wrong or len(lengths) > 1:
        what = f"{wrong[0]}: expected finite numbers" if wrong else "expected columns of the same length"
        raise ValueError(f"the table: {what} (got shapes {', '.join(f'{name} {x.shape}' for name, x in columns.items())})")
    return columns


def read_table(path: Path, decimal: Decimal = "point") -> dict[str, Floats]:
    """Columns by name; with decimal commas there are semicolons between cells. Raises ModelError with every mistake, OSError."""
    rows = _rows(path, ";" if decimal == "comma" else ",")
    if not rows:
        raise ModelError([Problem(str(path), 0, 0, "", "the table is empty")])
    (first, header), *rows = rows
    names = [cell.strip() for cell in header]
    if decimal == "comma" and len(names) == 1:
        said = f"with decimal commas there are semicolons between cells (got '{names[0][:60]}')"
        raise ModelError([Problem(str(path), first, 1, "", said)])
    mistakes = [(first, k, f"the column '{name[:60]}' is there twice") for k, name in enumerate(names) if name in names[:k]]
    values: list[list[float]] = []
    for n, row in rows:
        if len(mistakes) >= MAX_MISTAKES:
            break
        if len(row) != len(names):
            mistakes.append(
                (n, 0, f"expected {len(names)} cells (got {len(row)}: '{_shown(row, decimal)}'){_decimals(row) * (decimal == 'point')}")
            )
            continue
        values.append([_number(cell, decimal) for cell in row])
        for k, value in enumerate(values[-1]):
            if not isfinite(value):
                hint = _decimals(row) if decimal == "point" else ""
                mistakes.append((n, k, f"expected a finite number (got '{row[k].strip()[:60]}'){hint}"))
    if mistakes:
        lines = {first: header, **dict(rows)}
        columns = [1 + sum(len(cell) + 1 for cell in lines[n][:k]) for n, k, _ in mistakes]
        raise ModelError(Problem(str(path), n, column, "", said) for (n, _, said), column in zip(mistakes, columns, strict=True))
    return dict(zip(names, np.array(values).reshape(-1, len(names)).T, strict=True))


def _rows(path: Path, separator: str) -> list[tuple[int, list[str]]]:
    """The lines that are not empty: their numbers and cells. Raises ModelError, OSError."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = raw.count(b"\n", 0, error.start) + 1, error.start - raw.rfind(b"\n", 0, error.start)
        raise ModelError([Problem(str(path), line, column, "", "the file is not UTF-8 text")]) from None
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    try:
        return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ModelError([Problem(str(path), reader.line_num, 1, "", f"the file is no CSV file: {error}")]) from None


def _number(cell: str, decimal: Decimal) -> float:
    """NaN for what is no number."""
    try:
        return float(cell.replace(",", ".") if decimal == "comma" else cell)
    except ValueError:
        return nan


def _shown(row: list[str], decimal: Decimal) -> str:
    return (";" if decimal == "comma" else ",").join(row)[:60]


def _decimals(row: list[str]) -> str:
    """What is wrong with a row as programs in German write it: semicolons between numbers with a decimal comma."""
    text = ",".join(row)
    cells = text.split(";") if ";" in text else row
    comma = any(DECIMAL_COMMA.fullmatch(cell.strip()) for cell in cells)
    wrong = ["decimals have a point, not a comma"] * comma + ["commas are between numbers, not semicolons"] * (";" in text)
    return "".join(f"; {what}" for what in wrong) + " (--decimal comma reads such tables)" * bool(wrong)


def times_of(table: Mapping[str, Floats], fewest: int) -> Floats:
    """The column `time` (k,). Raises ValueError for one that is missing, has less than `fewest` rows, or does not increase."""
    if "time" not in table:
        raise ValueError(f"the table lacks time (it has {', '.join(table)[:100]})")
    times = np.ascontiguousarray(table["time"])
    if len(times) < fewest:
        raise ValueError(f"the table needs at least {fewest} rows (got {len(times)})")
    if not (increases := np.diff(times) > 0).all():
        k = int(np.argmin(increases))
        raise ValueError(f"the table needs increasing times (got {times[k + 1]:.9g} s after {times[k]:.9g} s)")
    return times


def by_drivers(model: "Model", table: Mapping[str, Floats], fewest: int) -> tuple[Assembly, list[str]]:
    """The model with a driver for each column, along cubic splines, at the first time; and the names of all its drivers' coordinates.

    Raises ValueError for a wrong table, ModelError where the mechanism cannot be assembled.
    """
    from mbsim.assembly import assemble
    from mbsim.model.drivers import Driver
    from mbsim.model.expressions.expression import parse
    from mbsim.model.expressions.tables import Table
    from mbsim.model.file.errors import did_you_mean

    times, choices = times_of(table, fewest), coordinates(model)
    columns = [name for name in table if name != "time"]
    for name in columns:
        if name not in choices:
            raise ValueError(f"the table has unknown columns {name}{did_you_mean(name, choices)}")
    tables, drivers, labels = dict(model.tables), dict(model.drivers), list(model.drivers)
    for name in columns:
        key = next(
            k for n in range(99) if (k := name.replace(".", "_") + "_" * n) not in {*tables, *drivers, *model.parameters, *model.bodies}
        )
        points = tuple((float(t), float(y)) for t, y in zip(times, table[name], strict=True))
        tables[key] = Table(key, len(tables), points)
        drivers[key] = Driver.model_construct(coordinate=name, value=parse(f"{key}(t)", tables=tables))
        labels.append(name)
    span = model.simulation.model_copy(update={"start": float(times[0]), "end": float(times[-1])})
    places = {name: value for name, value in model.initial.values.items() if not any(word in name for word in OF_SPEEDS)}
    initial = replace(model.initial, values=places, fix=[])  # the table says how it begins
    made = assemble(replace(model, tables=tables, drivers=drivers, simulation=span, initial=initial))
    named = dict(zip(drivers, labels, strict=True))
    return made, [named.get(record.name, record.name) for record in made.system.drivers]
