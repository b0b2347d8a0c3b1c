"""Recorders: a run writes into a file, or keeps its rows in memory; both are used alike.

A file is written as `<name>.part` and flushed after every append; `close` renames it. A run that is killed therefore leaves
every flushed row readable, and an older result of that name stays until the new one is complete. SWMR was tried instead and
rejected: a killed writer leaves a file that has to be repaired first.
"""

import errno
import json
import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from mbsim.results.read import JSON_ATTRIBUTES, JSON_DATASETS, Result, in_memory, written
from mbsim.results.schema import MEASURES_ATTRIBUTE, SERIES, TIME_DIMENSION, Layout, Series
from mbsim.version import __version__

CHUNK_BYTES = 65536  # of one dataset's HDF5 chunk: 64 rows of a wide variable, 1024 of a narrow one
SPARE_BYTES = 1 << 20  # for what HDF5 writes beside the rows: headers, indices
FINAL_BYTES = 1 << 16  # the same at the end


def _start_attributes(layout: Layout, given: Mapping[str, Any]) -> dict[str, Any]:
    """Root attributes at the start of a run; what the caller gives wins."""
    source = f"mbsim {__version__}"
    versions = {"python": platform.python_version(), "numpy": np.__version__, "h5py": h5py.__version__}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    standard = {"Conventions": "CF-1.11", "title": layout.title, "history": f"{now} {source} run", "source": source, "status": "running"}
    return {**standard, **_plain(given), "versions": {**versions, **given.get("versions", {})}}


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as text, int, float, list or dictionary, None left out: netCDF knows neither booleans nor None."""
    plain = {}
    for name, value in attributes.items():
        if isinstance(value, np.generic):
            value = value.item()
        if name in JSON_ATTRIBUTES and isinstance(value, str):
            value = json.loads(value)
        if value is not None:
            plain[name] = int(value) if isinstance(value, bool) else list(value) if isinstance(value, tuple) else value
    return plain


def _present(series: Series, labels: Mapping[str, list[str]]) -> bool:
    """Whether a model with these labels has the variable."""
    return all(dimension in labels for dimension in series.dimensions if dimension != TIME_DIMENSION)


def _checked(chunk: Mapping[str, np.ndarray], expected: Iterable[str], layout: Layout) -> dict[str, np.ndarray]:
    """The chunk as float64 arrays, without the variables that the model lacks.

    `expected` are the names of the first chunk, empty before it. Raises ValueError for other names or other shapes.
    """
    series, labels = layout.series(), layout.labels()
    if unknown := set(chunk) - set(series):
        raise ValueError(f"unknown variables {sorted(unknown)}; known are {sorted(series)}")
    arrays = {name: np.ascontiguousarray(values, dtype=np.float64) for name, values in chunk.items() if _present(series[name], labels)}
    wanted = set(expected) or {TIME_DIMENSION, *arrays}
    if set(arrays) != wanted:
        raise ValueError(f"a chunk holds {sorted(arrays)}; expected {sorted(wanted)}")
    for name, values in arrays.items():
        dimensions = series[name].dimensions
        shape = (len(arrays[TIME_DIMENSION]), *(len(labels[dimension]) for dimension in dimensions[1:]))
        if values.shape != shape:
            raise ValueError(f"{name} has shape {values.shape}; expected {shape} for {dimensions}")
    return arrays


def _take_over(part: Path) -> None:
    """Remove what a killed run left. Raises BlockingIOError while another run writes it: creating the file would destroy it first."""
    if not part.exists():
        return
    try:
        h5py.File(part, "r+", locking="best-effort").close()
    except BlockingIOError as error:
        raise BlockingIOError(f"cannot write the result {part}: another run is writing it") from error
    except OSError:
        pass  # no HDF5 file, or cut off
    try:
        part.unlink()
    except OSError as error:
        raise type(error)(f"cannot write the result {part}: {error.strerror}") from error


def _require_space(part: Path, size: int) -> None:
    """Raise OSError unless the file can grow by `size` bytes.

    HDF5 does not recover from a write that fails half way: the file is lost, and the process crashes when it ends. So the
    space is asked for before HDF5 writes. Allocating it and giving it back also notices quotas and limits.
    """
    try:
        if not hasattr(os, "posix_fallocate"):  # not on macOS and Windows
            import shutil

            free = shutil.disk_usage(part.parent).free
            if free < size:
                raise OSError(errno.ENOSPC, f"{free} bytes are free, {size} are needed")
            return
        handle = os.open(part, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            length = os.fstat(handle).st_size
            try:
                os.posix_fallocate(handle, length, size)
            finally:
                os.ftruncate(handle, length)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):  # a file system that cannot say
            return
        raise type(error)(error.errno, f"cannot write the result {part}: {error.strerror}") from error


class _Writer:
    """The layout of a result in a file or in a group of one: labels, dimension scales, units, attributes, rows."""

    def __init__(
        self,
        group: h5py.Group,
        layout: Layout,
        model_yaml: str,
        parameters: Mapping[str, float],
        attributes: Mapping[str, Any],
        static: Mapping[str, np.ndarray],
        tables: Mapping[str, Any],
    ) -> None:
        self._group, self.layout, self.labels, self._known = group, layout, layout.labels(), layout.series()
        self._scales: dict[str, h5py.Dataset] = {}
        self.series: dict[str, h5py.Dataset] = {}
        self.attributes({**attributes, **({MEASURES_ATTRIBUTE: list(layout.measures)} if layout.measures else {})})
        self._create_series(TIME_DIMENSION)
        for dimension, labels in self.labels.items():
            self._scales[dimension] = self._group.create_dataset(dimension, data=labels, dtype=h5py.string_dtype())
            self._scales[dimension].make_scale(dimension)
        for name, (dimension, units) in self.layout.label_units().items():
            self._group.create_dataset(name, data=units, dtype=h5py.string_dtype()).dims[0].attach_scale(self._scales[dimension])
        for name in sorted(name for name in static if _present(SERIES[name], self.labels)):
            flags = self._group.create_dataset(name, data=np.asarray(static[name], dtype=np.int8))
            flags.attrs["flag_values"] = np.array([0, 1], dtype=np.int8)
            flags.attrs["flag_meanings"] = "not_unique unique"
            self._describe(name, flags)
        self._group.create_dataset("model_yaml", data=model_yaml, dtype=h5py.string_dtype())
        self._group.create_dataset("parameters", data=json.dumps(dict(parameters)), dtype=h5py.string_dtype())
        if tables:
            self._group.create_dataset("tables", data=json.dumps(dict(tables)), dtype=h5py.string_dtype())

    def _create_series(self, name: str) -> None:
        width = [len(self.labels[dimension]) for dimension in self._known[name].dimensions[1:]]
        rows = min(1024, max(64, CHUNK_BYTES // (8 * int(np.prod(width, dtype=int)))))
        series = self.series[name] = _growing(self._group, name, (0, *width), (rows, *width))
        if name == TIME_DIMENSION:
            series.make_scale(TIME_DIMENSION)
            self._scales[TIME_DIMENSION] = series
        self._describe(name, series)

    def _describe(self, name: str, dataset: h5py.Dataset) -> None:
        _say(dataset, "units", self._known[name].units)
        _say(dataset, "long_name", self._known[name].long_name)
        for axis, dimension in enumerate(self._known[name].dimensions):
            if name != dimension:
                dataset.dims[axis].attach_scale(self._scales[dimension])

    def attributes(self, attributes: Mapping[str, Any]) -> None:
        """Write attributes, dictionaries as JSON; those without a bound on their size as datasets of it."""
        for name, value in _plain(attributes).items():
            if name in JSON_DATASETS:
                self._group.create_dataset(name, data=json.dumps(value), dtype=h5py.string_dtype())
                continue
            if isinstance(value, dict):
                value = json.dumps(value)
            if isinstance(value, str) and name not in self._group.attrs:
                _say(self._group, name, value)
            else:
                self._group.attrs[name] = value

    def rows(self, first: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Write checked rows, the first of them at `first`; variables that are new are created."""
        for name in arrays.keys() - self.series.keys():
            self._create_series(name)
        for name, values in arrays.items():
            _append(self.series[name], first, values)


# The next three are of h5py's lower level, which is what it is made of: a short run's result takes half as long to write.


def _growing(group: h5py.Group, name: str, shape: tuple[int, ...], chunk: tuple[int, ...]) -> h5py.Dataset:
    """A new dataset of numbers whose first axis can grow; NaN where nothing was written."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(chunk)
    properties.set_fill_value(np.array(np.nan))
    properties.set_obj_track_times(False)
    space = h5py.h5s.create_simple(shape, (h5py.h5s.UNLIMITED, *shape[1:]))
    return h5py.Dataset(h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space, properties))


def _append(dataset: h5py.Dataset, first: int, values: np.ndarray) -> None:
    """Write rows of numbers, C-contiguous, from row `first` on, which is where the dataset ends."""
    dataset.id.set_extent((first + len(values), *values.shape[1:]))
    space = dataset.id.get_space()
    if values.size:
        space.select_hyperslab((first, *[0] * (values.ndim - 1)), values.shape)
        dataset.id.write(h5py.h5s.create_simple(values.shape), space, values)


def _say(thing: h5py.Group | h5py.Dataset, name: str, text: str) -> None:
    """A new attribute that is text."""
    dtype = h5py.string_dtype()
    kind = h5py.h5t.py_create(dtype, logical=True)
    h5py.h5a.create(thing.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR)).write(np.array(text, dtype))


def write_group(group: h5py.Group, result: Result, attributes: Mapping[str, Any]) -> None:
    """Write a result into a group, laid out as a result file; `attributes` are added to its own."""
    static = {name: result[name] for name in result.names() if result.dimensions(name)[0] != TIME_DIMENSION}
    attributes = {**result.attributes, **attributes}
    writer = _Writer(group, result.layout(), result.model_yaml, result.parameters, attributes, static, result.tables)
    rows = {name: result[name] for name in result.names() if name not in static}
    writer.rows(0, _checked(rows, (), writer.layout))


class FileRecorder:
    """Writes a run to `path`, chunk of rows by chunk of rows; memory does not grow with the number of rows.

    `static` holds `joint_reaction_unique` (joint,) and `multiplier_unique` (constraint,), as booleans. `attributes` become root attributes.
    `tables` are the blocks of the model's tables with their points. Which variables the file has is settled by the first chunk.
    Raises OSError when the file cannot be written.
    """

    def __init__(
        self,
        path: str | Path,
        layout: Layout,
        model_yaml: str,
        parameters: Mapping[str, float],
        attributes: Mapping[str, Any],
        static: Mapping[str, np.ndarray],
        tables: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = Path(path)
        self.part = self.path.with_name(self.path.name + ".part")
        self._rows = 0
        self._started = False
        self._model_yaml, self._parameters, self._tables = model_yaml, dict(parameters), dict(tables or {})
        self._attributes = _start_attributes(layout, attributes)
        self._static = [name for name in static if _present(SERIES[name], layout.labels())]
        if self.path.is_dir():
            raise IsADirectoryError(f"cannot write the result {self.path}: it is a folder")
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"cannot write the result {self.path}: the folder {self.path.parent} does not exist")
        _take_over(self.part)
        _require_space(self.part, SPARE_BYTES)
        try:
            # Format of HDF5 1.8: from 1.10 on a file is marked as open for writing, and a killed run would have to be repaired.
            self._file = h5py.File(self.part, "w", libver=("v108", "v108"), locking="best-effort", rdcc_nbytes=4 * CHUNK_BYTES)
        except OSError as error:
            raise type(error)(f"cannot write the result {self.part}: {error.strerror or error}") from error
        self._writer = _Writer(self._file, layout, model_yaml, parameters, self._attributes, static, self._tables)
        self._file.flush()

    def append(self, chunk: Mapping[str, np.ndarray]) -> None:
        """Write rows and flush them to the file: every array's first axis is the rows of this chunk; the others as in `SERIES`."""
        arrays = _checked(chunk, self._writer.series if self._started else (), self._writer.layout)
        _require_space(self.part, sum(values.nbytes + CHUNK_BYTES for values in arrays.values()) + SPARE_BYTES)
        first, self._rows = self._rows, self._rows + len(arrays[TIME_DIMENSION])
        try:
            self._writer.rows(first, arrays)
            self._started = True
            self._file.flush()
        except (OSError, RuntimeError) as error:  # HDF5's failures arrive as either
            raise OSError(f"cannot write the result {self.part}: {error}") from error

    def close(self, status: str, attributes: Mapping[str, Any]) -> Path:
        """Write the final attributes (`status`: complete, failed or interrupted), close, and give the file its name.

        Raises OSError if that fails; the `.part` file then keeps the rows that were flushed.
        """
        try:
            _require_space(self.part, FINAL_BYTES)
            self._writer.attributes({**attributes, "status": status})
            self._attributes |= {**_plain(attributes), "status": status}
        finally:
            self._file.close()
        os.replace(self.part, self.path)
        return self.path

    def result(self) -> Result:
        """The result just written; call after `close`."""
        writer, layout = self._writer, self._writer.layout
        units = {name: units for name, (_, units) in layout.label_units().items()}
        names = [*writer.series, *self._static]
        labels = {dimension: list(found) for dimension, found in writer.labels.items()}
        return written(
            self.path, self._rows, names, labels, units, dict(self._attributes), self._model_yaml, dict(self._parameters),
            layout.measures, dict(self._tables),
        )  # fmt: skip


class MemoryRecorder:
    """Keeps a run in memory; the arguments and methods of `FileRecorder` but for the path."""

    def __init__(
        self,
        layout: Layout,
        model_yaml: str,
        parameters: Mapping[str, float],
        attributes: Mapping[str, Any],
        static: Mapping[str, np.ndarray],
        tables: Mapping[str, Any] | None = None,
    ) -> None:
        self._layout, self._labels, self._tables = layout, layout.labels(), dict(tables or {})
        self._label_units = {name: units for name, (_, units) in layout.label_units().items()}
        self._model_yaml = model_yaml
        self._parameters = dict(parameters)
        self._attributes = _start_attributes(layout, attributes)
        present = [name for name in static if _present(SERIES[name], self._labels)]
        self._static = {name: np.asarray(static[name], dtype=np.int8) for name in present}
        self._chunks: dict[str, list[np.ndarray]] = {}

    def append(self, chunk: Mapping[str, np.ndarray]) -> None:
        """Keep a copy of the rows: every array's first axis is the rows of this chunk; the others as in `SERIES`."""
        for name, values in _checked(chunk, self._chunks, self._layout).items():
            self._chunks.setdefault(name, []).append(values.copy())  # the caller may fill its buffers again

    def close(self, status: str, attributes: Mapping[str, Any]) -> None:
        """Keep the final attributes; `status` is complete, failed or interrupted."""
        self._attributes |= {**_plain(attributes), "status": status}

    def result(self) -> Result:
        """The run as recorded so far."""
        arrays = {name: np.concatenate(chunks) for name, chunks in self._chunks.items()} or {TIME_DIMENSION: np.empty(0)}
        arrays |= self._static
        return in_memory(
            arrays,
            {dimension: list(labels) for dimension, labels in self._labels.items()},
            self._label_units,
            dict(self._attributes),
            self._model_yaml,
            dict(self._parameters),
            self._layout.measures,
            dict(self._tables),
        )
