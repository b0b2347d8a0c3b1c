"""Reading a result back: from a file, lazily, or from memory."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from mbsim.results.schema import LABEL_UNITS, LABELLED, MEASURES_ATTRIBUTE, SERIES, TIME_DIMENSION, Layout, Series, measure

JSON_ATTRIBUTES = ("counts", "options", "versions")  # dictionaries; HDF5 attributes hold none
# Attributes that may exceed what HDF5 allows one; read back as attributes.
JSON_DATASETS = ("rank_changes", "notes", "warnings", "certificates")
MAX_CHOICES = 8  # listed in an error message


class ResultError(ValueError):
    """The file is not a result of mbsim, or the result does not hold what was asked for."""


class Result:
    """Read access to a run: `result["q"]` is an array with the dimensions of `SERIES["q"]`.

    Arrays of a file are read when asked for, each time anew. A result of a file is closed by `close` or a `with` block.
    Names and labels that the result does not hold raise ResultError, which says what is close.
    """

    def __init__(
        self,
        read: Callable[[str], np.ndarray],
        names: Iterable[str],
        labels: dict[str, list[str]],
        label_units: dict[str, list[str]],
        attributes: dict[str, Any],
        model_yaml: str,
        parameters: dict[str, float],
        close: Callable[[], None] = lambda: None,
        measures: "Mapping[str, Series] | None" = None,
        tables: dict[str, Any] | None = None,
    ) -> None:
        self._read = read
        self._measures = dict(measures or {})
        self._series = {**SERIES, **self._measures}
        self._names = [name for name in self._series if name in set(names)]
        self._labels = labels
        self._label_units = label_units
        self._close = close
        self.attributes = attributes
        self.model_yaml = model_yaml
        self.parameters = parameters
        self.tables = tables or {}  # blocks of `tables` with the points that the run used

    def names(self) -> list[str]:
        """The variables of this result, in the order of `SERIES`, then the measures."""
        return list(self._names)

    def measures(self) -> list[str]:
        """The user's own variables."""
        return [name for name in self._measures if name in self._names]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> np.ndarray:
        self._require(name)
        return self._read(name)

    @property
    def time(self) -> np.ndarray:
        """(time,) in s."""
        return self["time"]

    def dimensions(self, name: str) -> tuple[str, ...]:
        """The names of the axes of a variable."""
        self._require(name)
        return self._series[name].dimensions

    def long_name(self, name: str) -> str:
        """What a variable is; of a measure its expression."""
        self._require(name)
        return self._series[name].long_name

    def labels(self, dimension: str) -> list[str]:
        """The labels of `coordinate`, `speed`, `constraint`, `body`, `joint`, `driver`, `xyz`, `quaternion`; none if the model has none."""
        return list(self._labels.get(dimension, []))

    def units(self, name: str, label: str | None = None) -> str:
        """UDUNITS spelling. For `q`, `v`, `acceleration`, `driver_effort` the units of one label; "1" without it if they differ."""
        self._require(name)
        labels_units = self._label_units.get(LABEL_UNITS.get(name, ""), [])
        if label is not None and labels_units:
            return labels_units[self._index(SERIES[name].dimensions[1], label)]
        return labels_units[0] if len(set(labels_units)) == 1 else self._series[name].units

    def select(self, name: str, *labels: str) -> np.ndarray:
        """`select("q", "theta")`, `select("body_position", "slider", "x")`, or a bare label, `select("theta")`.

        A bare label is looked for among coordinates, speeds, drivers, constraints, joints and bodies, in that order, and
        stands for `q`, `v`, `driver_effort`, `multiplier`, `joint_force` and `body_position`. The first axis is the time.
        """
        variable, *chosen = self.resolve(name, *labels)
        every = self._series[variable].dimensions
        dimensions = every[1:]
        if len(chosen) > len(dimensions):
            raise ResultError(f"{variable} has the dimensions {', '.join(every)}; too many labels: {', '.join(chosen)}")
        index = tuple(self._index(dimension, label) for dimension, label in zip(dimensions, chosen, strict=False))
        selected: np.ndarray = self[variable][(slice(None), *index)]  # type: ignore[arg-type]
        return selected

    def resolve(self, name: str, *labels: str) -> tuple[str, ...]:
        """The variable and the labels that a bare label stands for: `("theta",)` -> `("q", "theta")`."""
        if name in self:
            return (name, *labels)
        for dimension, variable in LABELLED.items():
            if name in self.labels(dimension) and variable in self:
                return (variable, name, *labels)
        every = [*self._names, *(label for dimension in LABELLED for label in self.labels(dimension))]
        raise ResultError(f"the result has no variable or label {name!r}{_did_you_mean(name, every)}")

    def _require(self, name: str) -> None:
        if name not in self._names:
            raise ResultError(f"the result has no variable {name!r}{_did_you_mean(name, self._names)}")

    def _index(self, dimension: str, label: str) -> int:
        labels = self.labels(dimension)
        if label not in labels:
            raise ResultError(f"the result has no {dimension} {label!r}{_did_you_mean(label, labels)}")
        return labels.index(label)

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled result holds its arrays; it comes back as one in memory."""
        arrays = {name: self[name] for name in self._names}
        held = (self._labels, self._label_units, self.attributes, self.model_yaml, self.parameters, self._measures, self.tables)
        return in_memory, (arrays, *held)

    def layout(self) -> Layout:
        """The labels and units, as a recorder takes them."""
        return Layout(
            title=str(self.attributes.get("title", "")),
            coordinates=self.labels("coordinate"),
            coordinate_units=self._label_units.get("coordinate_units", []),
            speeds=self.labels("speed"),
            speed_units=self._label_units.get("speed_units", []),
            constraints=self.labels("constraint"),
            bodies=self.labels("body"),
            joints=self.labels("joint"),
            drivers=self.labels("driver"),
            driver_units=self._label_units.get("driver_units", []),
            measures=self._measures,
        )

    def close(self) -> None:
        """Close the file; reading is an error from then on."""
        self._close()

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_memory(
    arrays: dict[str, np.ndarray],
    labels: dict[str, list[str]],
    label_units: dict[str, list[str]],
    attributes: dict[str, Any],
    model_yaml: str,
    parameters: dict[str, float],
    measures: Mapping[str, Series] | None = None,
    tables: dict[str, Any] | None = None,
) -> Result:
    """A result of these arrays, each with the dimensions that `SERIES` or `measures` says."""
    read = arrays.__getitem__
    return Result(read, list(arrays), labels, label_units, attributes, model_yaml, parameters, measures=measures, tables=tables)


def _did_you_mean(name: str, choices: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, choices, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    more = f" and {len(choices) - MAX_CHOICES} more" if len(choices) > MAX_CHOICES else ""
    return f"; it has {', '.join(choices[:MAX_CHOICES]) or 'none'}{more}"


def open_result(path: str | Path) -> Result:
    """Open a result file, also the `.part` file of a run that is running or was killed.

    Raises FileNotFoundError, or ResultError for a file that is not a result of mbsim.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no result file {path}")
    try:
        file = _opened(path)
        try:
            return _result(path, file)
        except BaseException:
            file.close()
            raise
    except (OSError, RuntimeError, KeyError) as error:
        reason = f"it is damaged or cut off ({error})" if h5py.is_hdf5(path) else "it is not an HDF5 file"
        raise ResultError(f"{path} is not a result of mbsim: {reason}") from error


def written(
    path: Path,
    rows: int,
    names: Iterable[str],
    labels: dict[str, list[str]],
    label_units: dict[str, list[str]],
    attributes: dict[str, Any],
    model_yaml: str,
    parameters: dict[str, float],
    measures: Mapping[str, Series],
    tables: dict[str, Any],
) -> Result:
    """The result in a file that was written just now, of which all but the arrays is known."""
    file = _opened(path)
    read = _reader(path, file, rows, {**SERIES, **measures})
    return Result(read, names, labels, label_units, attributes, model_yaml, parameters, file.close, measures, tables)


def _reader(path: Path, file: h5py.File, rows: int, series: Mapping[str, Series]) -> Callable[[str], np.ndarray]:
    """What reads a variable of an open file, the first `rows` of it."""

    def read(name: str) -> np.ndarray:
        if not file:
            raise ResultError(f"the result {path} is closed")
        values: np.ndarray = file[name][:rows] if series[name].dimensions[0] == TIME_DIMENSION else file[name][()]
        return values

    return read


def _result(path: Path, file: h5py.File) -> Result:
    if not {"model_yaml", "parameters", TIME_DIMENSION} <= set(file):
        raise ResultError(f"{path} is not a result of mbsim: it has no time, model_yaml and parameters")
    # A run that was killed between two flushes may have left variables of unequal length.
    measures = {name: _measure(file[name]) for name in file.attrs.get(MEASURES_ATTRIBUTE, ()) if name in file}
    series = {**SERIES, **measures}
    rows = min(len(file[name]) for name in series if name in file and series[name].dimensions[0] == TIME_DIMENSION)

    dimensions = {dimension for series in SERIES.values() for dimension in series.dimensions} - {TIME_DIMENSION}
    return Result(
        _reader(path, file, rows, series),
        list(file),
        {dimension: list(file[dimension].asstr()) for dimension in dimensions if dimension in file},
        {name: list(file[name].asstr()) for name in LABEL_UNITS.values() if name in file},
        {name: _attribute(name, value) for name, value in file.attrs.items() if name != MEASURES_ATTRIBUTE}
        | {name: json.loads(file[name].asstr()[()]) for name in JSON_DATASETS if name in file},
        file["model_yaml"].asstr()[()],
        json.loads(file["parameters"].asstr()[()]),
        file.close,
        measures,
        json.loads(file["tables"].asstr()[()]) if "tables" in file else {},
    )


def _measure(dataset: h5py.Dataset) -> Series:
    return measure(str(dataset.attrs["units"]), str(dataset.attrs["long_name"]))


def _opened(path: Path) -> h5py.File:
    """A reader takes no lock, so that it can look at a run that still writes. In the process that writes, it has to share the lock."""
    try:
        return h5py.File(path, "r", locking=False)
    except OSError:
        return h5py.File(path, "r", locking="best-effort")


def _attribute(name: str, value: Any) -> Any:
    if name in JSON_ATTRIBUTES:
        return json.loads(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value
