"""The layout of a result in a file or in a group of one: labels, dimension scales, units, attributes, rows.

Rows have Fletcher-32 checksums. Texts have fixed lengths: texts of variable length lie in a heap of HDF5 without a checksum, and a reader
can loop for ever in a damaged heap. xarray decodes the texts by their attribute `_Encoding`. Short texts are kept in the headers, which
have checksums.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import h5py
import numpy as np

from mbsim.results import event_table
from mbsim.results.read import Result
from mbsim.results.schema import EVENT_DIMENSION, JSON_ATTRIBUTES, JSON_DATASETS, MEASURES_ATTRIBUTE, SERIES, TIME_DIMENSION, Layout, Series

CHUNK_BYTES = 65536  # of one dataset's HDF5 chunk: 64 rows of a wide variable, 1024 of a narrow one
HEADER_BYTES = 60_000  # largest text that is kept in the header of its dataset, which holds less than 65536


def plain(attributes: Mapping[str, object]) -> dict[str, Any]:
    """Attributes as text, int, float, list or dictionary, without None: netCDF has neither booleans nor None."""
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        if isinstance(value, np.generic):
            value = value.item()
        if name in JSON_ATTRIBUTES and isinstance(value, str):
            value = json.loads(value)
        if value is not None:
            found[name] = int(value) if isinstance(value, bool) else list(value) if isinstance(value, tuple) else value
    return found


def present(series: Series, labels: Mapping[str, list[str]]) -> bool:
    """Whether a model with these labels has the variable."""
    return all(dimension in labels for dimension in series.dimensions if dimension != TIME_DIMENSION)


def check(chunk: Mapping[str, np.ndarray], expected: Iterable[str], layout: Layout) -> dict[str, np.ndarray]:
    """The chunk as float64 arrays, without the variables that the model lacks.

    `expected` are the names of the first chunk, empty before it. Raises ValueError for other names or other shapes.
    """
    series, labels = layout.series(), layout.labels()
    if unknown := set(chunk) - set(series):
        raise ValueError(f"unknown variables {sorted(unknown)}; known are {sorted(series)}")
    arrays = {name: np.ascontiguousarray(values, dtype=np.float64) for name, values in chunk.items() if present(series[name], labels)}
    wanted = set(expected) or {TIME_DIMENSION, *arrays}
    if set(arrays) != wanted:
        raise ValueError(f"a chunk holds {sorted(arrays)}; expected {sorted(wanted)}")
    for name, values in arrays.items():
        dimensions = series[name].dimensions
        shape = (len(arrays[TIME_DIMENSION]), *(len(labels[dimension]) for dimension in dimensions[1:]))
        if values.shape != shape:
            raise ValueError(f"{name} has shape {values.shape}; expected {shape} for {dimensions}")
    return arrays


class GroupWriter:
    """The layout of a result in a file or in a group of one: labels, dimension scales, units, attributes, rows."""

    def __init__(
        self,
        group: h5py.Group,
        layout: Layout,
        model_yaml: str,
        parameters: Mapping[str, float],
        attributes: Mapping[str, object],
        static: Mapping[str, np.ndarray],
        tables: Mapping[str, object],
        rows: int | None = None,
        scene: str = "",
    ) -> None:
        """`rows` is the largest number of rows, if known."""
        self._rows = max(1, rows) if rows is not None else None
        self._group, self.layout, self.labels, self._known = group, layout, layout.labels(), layout.series()
        self._scales: dict[str, h5py.Dataset] = {}
        self.series: dict[str, h5py.Dataset] = {}
        self.attributes({**attributes, **({MEASURES_ATTRIBUTE: list(layout.measures)} if layout.measures else {})})
        self._create_series(TIME_DIMENSION)
        for dimension, labels in self.labels.items():
            self._scales[dimension] = keep_text(self._group, dimension, labels)
            self._scales[dimension].make_scale(dimension)
        for name, (dimension, units) in self.layout.label_units().items():
            keep_text(self._group, name, units).dims[0].attach_scale(self._scales[dimension])
        for name in sorted(name for name in static if present(SERIES[name], self.labels)):
            values = np.asarray(static[name], dtype=np.int8)
            if values.shape != (len(self.labels[SERIES[name].dimensions[0]]),):
                raise ValueError(f"{name} has shape {values.shape}; expected one for each {SERIES[name].dimensions[0]}")
            flags = _keep(self._group, name, values, h5py.h5t.STD_I8LE)
            flags.attrs["flag_values"] = np.array([0, 1], dtype=np.int8)
            say(flags, "flag_meanings", "not_unique unique")
            self._describe(name, flags)
        keep_text(self._group, "model_yaml", model_yaml)
        keep_text(self._group, "parameters", json.dumps(dict(parameters)))
        if tables:
            keep_text(self._group, "tables", json.dumps(dict(tables)))
        if scene:
            keep_text(self._group, "scene", scene)

    def _create_series(self, name: str) -> None:
        width = [len(self.labels[dimension]) for dimension in self._known[name].dimensions[1:]]
        rows = min(1024, max(64, CHUNK_BYTES // (8 * int(np.prod(width, dtype=int)))), self._rows or 1024)
        series = self.series[name] = _growing(self._group, name, (0, *width), (rows, *width))
        if name == TIME_DIMENSION:
            series.make_scale(TIME_DIMENSION)
            self._scales[TIME_DIMENSION] = series
        self._describe(name, series)

    def _describe(self, name: str, dataset: h5py.Dataset) -> None:
        say(dataset, "units", self._known[name].units)
        say(dataset, "long_name", self._known[name].long_name)
        if self._known[name].shape:
            say(dataset, "shape", self._known[name].shape)
        for axis, dimension in enumerate(self._known[name].dimensions):
            if name != dimension:
                dataset.dims[axis].attach_scale(self._scales[dimension])

    def attributes(self, attributes: Mapping[str, object]) -> None:
        """Write attributes, dictionaries as JSON. Attributes without a bound on their size become datasets of JSON."""
        for name, value in plain(attributes).items():
            if name in JSON_DATASETS:
                keep_text(self._group, name, json.dumps(value))
                if name == "events":
                    self._keep_events(value)
                continue
            if isinstance(value, dict):
                value = json.dumps(value)
            say(self._group, name, value)

    def _keep_events(self, events: Sequence[event_table.Event]) -> None:
        """Write the table of events: names, times, what was done, energies, speeds before and after."""
        if not events or EVENT_DIMENSION in self._group:
            return
        scale = keep_text(self._group, EVENT_DIMENSION, [str(event["event"]) for event in events])
        scale.make_scale(EVENT_DIMENSION)
        keep_text(self._group, event_table.DO, [str(event["do"]) for event in events]).dims[0].attach_scale(scale)
        for name, values in event_table.columns(events, self.labels.get("speed", [])).items():
            dataset = self._group.create_dataset(name, data=values)
            dataset.dims[0].attach_scale(scale)
            if values.ndim == 2:
                dataset.dims[1].attach_scale(self._scales["speed"])
            say(dataset, "units", event_table.ABOUT[name].units)
            say(dataset, "long_name", event_table.ABOUT[name].long_name)

    def rows(self, first: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Write checked rows, the first of them at `first`. New variables are created."""
        for name in arrays.keys() - self.series.keys():
            self._create_series(name)
        for name, values in arrays.items():
            _append(self.series[name], first, values)


# The next functions use h5py's low-level interface: it halves the time to write the result of a short run.


def _growing(group: h5py.Group, name: str, shape: tuple[int, ...], chunk: tuple[int, ...]) -> h5py.Dataset:
    """A new dataset of numbers whose first axis can grow; unwritten entries are NaN."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(chunk)
    properties.set_fill_value(np.array(np.nan))
    properties.set_obj_track_times(False)
    properties.set_fletcher32()
    space = h5py.h5s.create_simple(shape, (h5py.h5s.UNLIMITED, *shape[1:]))
    return h5py.Dataset(h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space, properties))


def _append(dataset: h5py.Dataset, first: int, values: np.ndarray) -> None:
    """Write rows of numbers, C-contiguous, from row `first` on, the end of the dataset."""
    dataset.id.set_extent((first + len(values), *values.shape[1:]))
    space = dataset.id.get_space()
    if values.size:
        space.select_hyperslab((first, *[0] * (values.ndim - 1)), values.shape)
        dataset.id.write(h5py.h5s.create_simple(values.shape), space, values)


def _texts(values: str | Sequence[str]) -> tuple[np.ndarray, Any]:
    """A text, or several, as an array of bytes of one length, and HDF5's type for it."""
    array = np.array(values.encode() if isinstance(values, str) else [value.encode() for value in values], dtype="S")
    if not array.itemsize:
        array = array.astype("S1")
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(array.itemsize)
    kind.set_cset(h5py.h5t.CSET_UTF8)
    kind.set_strpad(h5py.h5t.STR_NULLPAD)
    return array, kind


def keep_text(group: h5py.Group, name: str, values: str | Sequence[str]) -> h5py.Dataset:
    """A new dataset of texts."""
    dataset = _keep(group, name, *_texts(values))
    say(dataset, "_Encoding", "utf-8")
    return dataset


def _keep(group: h5py.Group, name: str, array: np.ndarray, kind: object) -> h5py.Dataset:
    """A new dataset that does not grow."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_obj_track_times(False)
    if array.nbytes <= HEADER_BYTES:
        properties.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple(array.shape) if array.ndim else h5py.h5s.create(h5py.h5s.SCALAR)
    dataset = h5py.Dataset(h5py.h5d.create(group.id, name.encode(), kind, space, properties))
    dataset.id.write(h5py.h5s.ALL, h5py.h5s.ALL, array, kind)
    return dataset


def say(thing: h5py.Group | h5py.Dataset, name: str, value: object) -> None:
    """Write an attribute, new or not: a text, texts, or numbers."""
    if not isinstance(value, str) and not (isinstance(value, list) and value and isinstance(value[0], str)):
        thing.attrs[name] = value
        return
    array, kind = _texts(value)
    if name in thing.attrs:
        del thing.attrs[name]
    space = h5py.h5s.create_simple(array.shape) if array.ndim else h5py.h5s.create(h5py.h5s.SCALAR)
    h5py.h5a.create(thing.id, name.encode(), kind, space).write(array, kind)


def write_group(group: h5py.Group, result: Result, attributes: Mapping[str, object]) -> None:
    """Write a result into a group, laid out as a result file; `attributes` are added to its own."""
    static = {name: result[name] for name in result.names() if result.dimensions(name)[0] != TIME_DIMENSION}
    attributes = {**result.attributes, **attributes}
    given = (result.layout(), result.model_yaml, result.parameters, attributes, static, result.tables, len(result.time), result.scene)
    writer = GroupWriter(group, *given)
    rows = {name: result[name] for name in result.names() if name not in static}
    writer.rows(0, check(rows, (), writer.layout))
