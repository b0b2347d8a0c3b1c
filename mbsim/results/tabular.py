"""A result as columns over time, for other programs: pandas, xarray, CSV, MATLAB, Parquet."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mbsim.results import outputs
from mbsim.results.schema import TIME_DIMENSION
from mbsim.results.variables import ResultError, Variables
from mbsim.version import __version__

if TYPE_CHECKING:
    import pandas
    import xarray

SUFFIXES = (".csv", ".mat", ".parquet")
BARE = ("q", "v", "states")  # their labels are names on their own
MATLAB_NAME = 63  # characters
MATLAB_HEADER = 116  # bytes of text at the beginning of a file


class ExportError(ValueError):
    """The result cannot be written in this way: a suffix that is not known, or a package that is missing."""


def columns(result: Variables, items: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Every number over time by its name, `time` first, each (time,).

    Names are those of `mbsim plot --what`: `crank.angle`, `joint_force:pin:y`, `energy_kinetic`. An item is such a name, or the beginning
    of some: `joint_force`, `joint_force:pin`, `pin`. Without items: all. Raises ResultError for an item that the result does not contain.
    """
    chosen = [result.resolve(*item.split(":")) for item in items] or [(name,) for name in result.names()]
    if wrong := [":".join(name) for name in chosen if items and result.dimensions(name[0])[:1] != (TIME_DIMENSION,)]:
        raise ResultError(f"no columns over time: {', '.join(wrong)}")
    found = {"time": result.time}
    for variable, *labels in chosen:
        dimensions = result.dimensions(variable)
        if dimensions[:1] != (TIME_DIMENSION,):
            continue
        values = result.select(variable, *labels)
        rest = [result.labels(dimension) for dimension in dimensions[1 + len(labels) :]]
        for index in np.ndindex(*values.shape[1:]):
            named = [*labels, *(names[i] for names, i in zip(rest, index, strict=True))]
            name = named[0] if variable in BARE else ":".join([variable, *named])
            found[name] = values[(slice(None), *index)]
    return found


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


def export(result: Variables, output: Path, items: Sequence[str] = (), force: bool = False) -> None:
    """Write the columns as .csv (one row of names), .mat (one vector each and `names`) or .parquet.

    Raises ExportError for another suffix or a missing package, ResultError for items, OutputError where something is that mbsim did not
    write (with `force` it is replaced), OSError.
    """
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise ExportError(f"cannot write {output}: the suffix says the format, one of {', '.join(SUFFIXES)}")
    found = columns(result, items)
    if suffix == ".parquet":
        try:
            import pandas  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError:
            raise ExportError("a .parquet file needs pandas and pyarrow: pip install pandas pyarrow") from None
        frame = to_pandas(result, items)
    with outputs.replacing(output, force) as part:
        if suffix == ".csv":
            with part.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(found)
                writer.writerows(zip(*(map(repr, values.tolist()) for values in found.values()), strict=True))
        elif suffix == ".mat":
            _matlab(part, found)
        else:
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
