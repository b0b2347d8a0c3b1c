"""A result as columns over time, for other programs: pandas, xarray, CSV, MATLAB, Parquet."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mbsim.results import outputs
from mbsim.results.items import evaluate_item, find_recorded, split
from mbsim.results.schema import TIME_DIMENSION
from mbsim.results.sheet import SUFFIXES as OF_SHEETS
from mbsim.results.sheet import ExportError, Sheet
from mbsim.results.units import factor
from mbsim.results.variables import ResultError, Variables
from mbsim.version import __version__

if TYPE_CHECKING:
    import pandas
    import xarray

SUFFIXES = (*OF_SHEETS, ".mat", ".parquet")
BARE = ("q", "v", "states")  # their labels are names on their own
MATLAB_NAME = 63  # characters
MATLAB_HEADER = 116  # bytes of text at the beginning of a file


def columns(result: Variables, items: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Every number over time by its name, `time` first, each (time,).

    Names are those of `mbsim plot --what`: `crank.angle`, `joint_force:pin:y`, `energy_kinetic`. An item is such a name, the beginning
    of some (`joint_force`, `joint_force:pin`, `pin`), or an expression, and may name a unit: the column of `crank.angle in deg` is
    `crank.angle (deg)`. Without items: all. Raises ResultError for an item that the result does not contain, ItemError for an expression
    and UnitError for a unit that cannot be used.
    """
    return {name: np.asarray(values) for name, values in sheet(result, items).columns.items()}


def sheet(result: Variables, items: Sequence[str] = ()) -> Sheet:
    """The columns with their units."""
    found, units = {"time": result.time}, {"time": result.units("time")}
    wrong = []
    for item in items or result.names():
        what, unit = split(item)
        chosen = find_recorded(result, what)
        if chosen is not None and result.dimensions(chosen[0])[:1] != (TIME_DIMENSION,):
            wrong += [":".join(chosen)] if items else []
            continue
        for name, values, given in _expression(result, what) if chosen is None else _variable(result, *chosen):
            if unit is None:
                found[name], units[name] = values, given
            else:
                found[f"{name} ({unit})"] = values * factor(given, unit)
    if wrong:
        raise ResultError(f"no columns over time: {', '.join(wrong)}")
    return Sheet(str(result.attributes.get("title", "")), found, units)


def _variable(result: Variables, variable: str, *labels: str) -> Iterator[tuple[str, np.ndarray, str]]:
    """The columns of a variable under labels, with their names and units."""
    dimensions = result.dimensions(variable)
    values = result.select(variable, *labels)
    rest = [result.labels(dimension) for dimension in dimensions[1 + len(labels) :]]
    for index in np.ndindex(*values.shape[1:]):
        named = [*labels, *(names[i] for names, i in zip(rest, index, strict=True))]
        name = named[0] if variable in BARE else ":".join([variable, *named])
        yield name, values[(slice(None), *index)], result.units(variable, *named[:1])


def _expression(result: Variables, item: str) -> Iterator[tuple[str, np.ndarray, str]]:
    values, units = evaluate_item(result, item)
    if values.ndim == 1:
        yield item, values, units
    else:
        for axis, column in zip("xyz", values.T, strict=True):
            yield f"{item}:{axis}", column, units


def to_pandas(result: Variables, items: Sequence[str] = ()) -> "pandas.DataFrame":
    """A DataFrame with the columns of `columns` over the time. Raises ResultError, and ExportError without pandas."""
    try:
        import pandas
    except ImportError:
        raise ExportError("a DataFrame needs pandas: pip install pandas") from None
    found = columns(result, items)
    return pandas.DataFrame(
        {name: values for name, values in found.items() if name != "time"}, index=pandas.Index(found["time"], name="time")
    )


def to_xarray(result: Variables) -> "xarray.Dataset":
    """A Dataset of all variables with dimensions, labels and units, as xarray would open the file. Raises ExportError without xarray."""
    try:
        import xarray
    except ImportError:
        raise ExportError("a Dataset needs xarray: pip install xarray") from None
    variables: dict[str, Any] = {}
    for name in result.names():
        facts = {"long_name": result.long_name(name), "units": result.units(name)}
        variables[name] = (result.dimensions(name), result[name], facts)
    used = {dimension for dimensions, _, _ in variables.values() for dimension in dimensions} - {TIME_DIMENSION}
    labels = {dimension: result.labels(dimension) for dimension in sorted(used)}
    return xarray.Dataset(variables, coords=labels, attrs=dict(result.attributes))


def export(
    result: Variables, output: Path, items: Sequence[str] = (), force: bool = False, with_units: bool = False, comma: bool = False
) -> None:
    """Write the columns as .csv, .xlsx, .md, .tex (one row of names), .mat (one vector each and `names`) or .parquet.

    `with_units`: names have their units, `crank.angle (rad)`. `comma`: decimal commas in a .csv, .md or .tex. Raises ExportError for
    another suffix or a missing package, ResultError, ItemError and UnitError for items, OutputError where something is that mbsim did
    not write (with `force` it is replaced), OSError.
    """
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise ExportError(f"cannot write {output}: the suffix says the format, one of {', '.join(SUFFIXES)}")
    if suffix not in OF_SHEETS and (with_units or comma):
        raise ExportError(f"a {suffix} file has bare names and numbers: no units behind names, no decimal commas")
    if suffix in OF_SHEETS:
        sheet(result, items).write(output, force, with_units, comma)
    elif suffix == ".mat":
        with outputs.replacing(output, force) as part:
            _matlab(part, columns(result, items))
    else:
        try:
            import pandas  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError:
            raise ExportError("a .parquet file needs pandas and pyarrow: pip install pandas pyarrow") from None
        frame = to_pandas(result, items)
        with outputs.replacing(output, force) as part:
            frame.to_parquet(part)


def _matlab(part: Path, found: dict[str, np.ndarray]) -> None:
    """Each column under a name that MATLAB allows, and `names`: a struct from these to ours."""
    from scipy.io import savemat

    names: dict[str, str] = {}
    for name in found:
        plain = re.sub(r"\W+", "_", name.replace("der(", "d_"), flags=re.ASCII).strip("_")
        plain = (plain if plain[:1].isalpha() else f"n_{plain}")[: MATLAB_NAME - 4]
        unique, k = plain, 2
        while unique in names or unique == "names":
            unique, k = f"{plain}_{k}", k + 1
        names[unique] = name
    data: dict[str, Any] = {plain: found[name][:, None] for plain, name in names.items()}
    with part.open("wb") as file:
        savemat(file, {**data, "names": names}, long_field_names=True)
        file.seek(0)
        file.write(f"MATLAB 5.0 MAT-file, written by mbsim {__version__}".ljust(MATLAB_HEADER).encode())
