"""Reads result files, which may be truncated, damaged or malicious.

Everything is checked before it is used. A dataset must be in this file (no link to another, no virtual or external data), must have the
type and the shape that its labels give, and must not have more numbers than the file has bytes. Every violation is a ResultError.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from mbsim.results import linear
from mbsim.results.dataset import open_to_read
from mbsim.results.outputs import HDF5_SIGNATURE
from mbsim.results.read import Result, ResultError
from mbsim.results.schema import (
    EQUATIONS,
    JSON_ATTRIBUTES,
    JSON_DATASETS,
    LABEL_UNITS,
    MEASURES_ATTRIBUTE,
    SERIES,
    TIME_DIMENSION,
    Series,
    measure,
)

# Exceptions of h5py, NumPy and json on damage; HDF5 itself has no classes of errors.
DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, OverflowError, MemoryError, SystemError)
COMPRESSION = 64  # a compressed result is accepted up to this ratio
REQUIRED = ("model_yaml", "parameters", TIME_DIMENSION)
NUMBERS = ("start", "end", "step", "output_step", "drift_tolerance", "wall_time", "march_time", "march_cpu_time")
MODEL_SUFFIXES = (".yaml", ".yml")
TEXTS = ("title", "source", "status", "failure", "method", "integrator", "stopped")
CHANGE = {"time": float, "before": int, "rank": int, "after": int, "singular_value": float, "constraints": list}  # of a change of the rank


def open_result(path: str | Path) -> Result:
    """Open a result file, or the `.part` file of a run that is running or was killed.

    Raises FileNotFoundError, or ResultError for a file that is not a result of mbsim or is damaged. Damage to the numbers of a variable is
    detected, and raised, when they are read.
    """
    path = Path(path)
    if not path.is_file():
        if path.exists():
            raise ResultError(f"{path} is no regular file")
        raise FileNotFoundError(f"there is no result file {path}")
    try:
        with path.open("rb") as raw:
            head = raw.read(len(HDF5_SIGNATURE))
    except OSError as error:
        raise ResultError(f"cannot read {path}: {error.strerror}") from error
    if head != HDF5_SIGNATURE:
        if path.suffix.lower() in MODEL_SUFFIXES:
            raise ResultError(f"{path} is not a result of mbsim: it is a YAML file; `mbsim run {path}` writes the result of a model")
        raise ResultError(f"{path} is not a result of mbsim: it is not an HDF5 file{' but empty' * (not head)}")
    try:
        file, close = open_to_read(path)
        try:
            return _File(path, file, close).result()
        except BaseException:
            close()
            raise
    except ResultError:
        raise
    except DAMAGE as error:
        raise _tell_damage(path, error) from error


def build_result(
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
    scene: str,
    home: str | None = None,
) -> Result:
    """The result in a file that was written just now. Everything but the arrays is known."""
    file, close = open_to_read(path)
    read = _reader(path, file, rows, {**SERIES, **EQUATIONS, **measures})
    return Result(
        read, names, labels, label_units, attributes, model_yaml, parameters, close, measures, tables, scene, str(path.parent), home
    )


def _tell_damage(path: Path, error: BaseException | str) -> ResultError:
    words = " ".join(str(error).split())
    return ResultError(f"{path} is not a result of mbsim, or it is damaged or cut off ({words or type(error).__name__})")


def _reader(path: Path, file: h5py.File, rows: int, series: Mapping[str, Series]) -> Callable[[str], np.ndarray]:
    """A function that reads the first `rows` rows of a variable of an open file."""

    def read(name: str) -> np.ndarray:
        if not file:
            raise ResultError(f"the result {path} is closed")
        try:
            values: np.ndarray = file[name][:rows] if series[name].dimensions[0] == TIME_DIMENSION else file[name][()]
        except DAMAGE as error:
            raise _tell_damage(path, error) from error
        if name == TIME_DIMENSION and not np.isfinite(values).all():
            raise _tell_damage(path, "a time is not a number")
        return values

    return read


class _File:
    """One file that is being opened."""

    def __init__(self, path: Path, file: h5py.File, close: Callable[[], None]) -> None:
        self.path, self.file, self.close = path, file, close
        self.size = path.stat().st_size

    def result(self) -> Result:
        """The checked result."""
        if missing := [name for name in REQUIRED if not self.has(name)]:
            kind = self.attribute(self.file, "kind") if "kind" in self._names(self.file) else None
            held = f"a {kind.removeprefix('mbsim ')}" if isinstance(kind, str) else linear.NAMES.get(linear.read_kind(self.path))
            if held is not None:
                raise ResultError(f"{self.path} is not the result of a run: it holds {held}")
            raise ResultError(f"{self.path} is not a result of mbsim: it has no {', '.join(missing)}")
        attributes = {name: value for name in self._names(self.file) if (value := self.attribute(self.file, name)) is not None}
        given = attributes.pop(MEASURES_ATTRIBUTE, [])
        listed = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        measures = {name: self._measure(name) for name in listed if isinstance(name, str) and self.has(name)}
        for name in JSON_ATTRIBUTES:
            if name in attributes:
                attributes[name] = self._json(attributes[name], dict)
        attributes |= {name: self._json(self.text(name), list) for name in JSON_DATASETS if self.has(name)}
        self._check(attributes)
        known = {**SERIES, **EQUATIONS}
        dimensions = {dimension for series in known.values() for dimension in series.dimensions} - {TIME_DIMENSION}
        labels = {dimension: self.texts(dimension) for dimension in dimensions if self.has(dimension)}
        units = {name: self.texts(name) for name in LABEL_UNITS.values() if self.has(name)}
        for name, texts in units.items():
            dimension = next(known[variable].dimensions[1] for variable, units_of in LABEL_UNITS.items() if units_of == name)
            if len(texts) != len(labels.get(dimension, ())):
                raise _tell_damage(self.path, f"{name} has {len(texts)} entries for {len(labels.get(dimension, ()))} labels")
        series = {**known, **measures}
        names = [name for name in series if self.has(name)]
        # A run of an earlier mbsim that was killed between two flushes may have left variables of unequal length.
        rows = min(self.variable(name, series[name], labels) for name in names if series[name].dimensions[0] == TIME_DIMENSION)
        for name in names:
            if series[name].dimensions[0] != TIME_DIMENSION:
                self.variable(name, series[name], labels)
        parameters = self._json(self.text("parameters"), dict)
        if not all(_is_number(value) for value in parameters.values()):
            raise _tell_damage(self.path, "a parameter is not a number")
        tables = self._json(self.text("tables"), dict) if self.has("tables") else {}
        scene = self.text("scene") if self.has("scene") else ""
        read = _reader(self.path, self.file, rows, series)
        text, folder = self.text("model_yaml"), str(self.path.parent)
        return Result(read, names, labels, units, attributes, text, parameters, self.close, measures, tables, scene, folder)

    def has(self, name: str) -> bool:
        """Whether the file itself contains that name; links to other files are not followed."""
        if "/" in name or name in ("", "."):
            return False
        links = self.file.id.links
        return bool(links.exists(name.encode()) and links.get_info(name.encode()).type == h5py.h5l.TYPE_HARD)

    def dataset(self, name: str) -> h5py.Dataset:
        """A dataset whose numbers are in this file; there are no more of them than it has bytes."""
        found = self.file[name]
        if not isinstance(found, h5py.Dataset) or found.is_virtual or found.external:
            raise _tell_damage(self.path, f"{name} is no dataset of this file")
        if found.shape is None:
            raise _tell_damage(self.path, f"{name} is empty")
        size = found.dtype.itemsize
        for length in found.shape:
            size *= int(length)
        held = min(self.size, found.id.get_storage_size()) * (COMPRESSION if found.compression else 1)
        if size > held:
            raise _tell_damage(self.path, f"{name} claims {size} bytes and has {held}")
        return found

    def variable(self, name: str, series: Series, labels: Mapping[str, list[str]]) -> int:
        """Check a variable's type and shape; the length of its first axis."""
        found = self.dataset(name)
        kinds = "f" if series.dimensions[0] == TIME_DIMENSION else "iu"
        expected = tuple(len(labels.get(dimension, ())) for dimension in series.dimensions if dimension != TIME_DIMENSION)
        shape = found.shape[1:] if series.dimensions[0] == TIME_DIMENSION else found.shape
        if found.dtype.kind not in kinds or found.ndim != len(series.dimensions) or shape != expected:
            raise _tell_damage(self.path, f"{name} has the type {found.dtype} and the shape {found.shape}")
        return int(found.shape[0])

    def text(self, name: str) -> str:
        """A dataset that is one text."""
        found = self._fixed(name)
        if found.shape != ():
            raise _tell_damage(self.path, f"{name} is no text")
        return bytes(found[()]).decode()

    def texts(self, name: str) -> list[str]:
        """A dataset that is a list of printable texts."""
        found = self._fixed(name)
        if found.ndim != 1:
            raise _tell_damage(self.path, f"{name} is no list of texts")
        texts = [bytes(value).decode() for value in found[()]]
        if not all(text.isprintable() for text in texts):
            raise _tell_damage(self.path, f"{name} has characters that cannot be printed")
        return texts

    def _fixed(self, name: str) -> h5py.Dataset:
        """A dataset of texts of fixed length. Other texts lie in a heap; HDF5 can loop for ever in a damaged heap."""
        found = self.dataset(name)
        if found.dtype.kind == "O":
            raise ResultError(f"{self.path}: {name} is of variable length, as earlier versions of mbsim wrote it; run the model again")
        if found.dtype.kind != "S":
            raise _tell_damage(self.path, f"{name} has the type {found.dtype}")
        return found

    def _names(self, thing: h5py.Group | h5py.Dataset) -> list[str]:
        return [h5py.h5a.open(thing.id, index=i).name.decode() for i in range(h5py.h5a.get_num_attrs(thing.id))]

    def attribute(self, thing: h5py.Group | h5py.Dataset, name: str) -> Any:
        """A text, a number or a list of either; None for anything else, such as data in a heap."""
        found = h5py.h5a.open(thing.id, name.encode())
        kind = found.get_type()
        if kind.get_class() not in (h5py.h5t.STRING, h5py.h5t.INTEGER, h5py.h5t.FLOAT) or found.get_storage_size() > self.size:
            return None
        if kind.get_class() == h5py.h5t.STRING and kind.is_variable_str():
            return None
        value = np.empty(found.shape, dtype=found.dtype)
        found.read(value)
        if value.dtype.kind != "S":
            return value.tolist()
        texts = [text.decode() for text in value.ravel().tolist()]
        return texts if value.ndim else texts[0]

    def _measure(self, name: str) -> Series:
        units, words = (self.attribute(self.dataset(name), key) for key in ("units", "long_name"))
        return measure(str(units), str(words))

    def _json(self, text: Any, kind: type) -> Any:
        found = json.loads(text)
        if not isinstance(found, kind):
            raise _tell_damage(self.path, f"expected a {kind.__name__}")
        return found

    def _check(self, attributes: Mapping[str, Any]) -> None:
        """Raise ResultError for an attribute of mbsim that does not have its type."""
        good = all(_is_number(attributes[name]) for name in NUMBERS if name in attributes)
        good &= all(isinstance(attributes[name], str) for name in TEXTS if name in attributes)
        good &= all(isinstance(count, int) for count in attributes.get("counts", {}).values())
        good &= all(isinstance(words, str) for name in ("notes", "warnings") for words in attributes.get(name, []))
        good &= all(isinstance(certificate, dict) for certificate in attributes.get("certificates", []))
        for change in attributes.get("rank_changes", []):
            good &= isinstance(change, dict) and all(isinstance(change.get(key), (kind, int)) for key, kind in CHANGE.items())
            good = good and isinstance(change["constraints"], list) and all(isinstance(row, str) for row in change["constraints"])
        for event in attributes.get("events", []):
            good &= isinstance(event, dict) and _is_number(event.get("time")) and isinstance(event.get("event"), str)
            good = good and isinstance(event.get("do"), str) and isinstance(event.get("changes", {}), dict)
        if not good:
            raise _tell_damage(self.path, "an attribute has the wrong type")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
