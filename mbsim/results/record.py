"""Recorders: a run writes into a file or keeps its rows in memory. Both recorders have the same interface.

A file is written in transactions (`dataset.py`), one for each append: a run that is killed leaves every row that was appended.
"""

import logging
import platform
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from mbsim.results import outputs
from mbsim.results.dataset import Dataset, part_of, uninterrupted
from mbsim.results.hdf5 import build_result
from mbsim.results.read import Result, in_memory
from mbsim.results.schema import SERIES, TIME_DIMENSION, Layout
from mbsim.results.write import CHUNK_BYTES, GroupWriter, check, plain, present
from mbsim.version import __version__, commit

LARGE = 1e9  # bytes of a result above which a warning is given before the run
SPARE_BYTES = 1 << 20  # in addition to the rows: headers, indices, chunks that are not full
log = logging.getLogger("mbsim")


class NoRoomError(OSError):
    """The disk cannot hold the rows of the run."""


@lru_cache(4)
def _digest(model_yaml: str) -> str:
    """The hash of a model's text; the runs of a study have the same one."""
    return outputs.digest(model_yaml.encode())


def _start_attributes(layout: Layout, model_yaml: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Root attributes at the start of a run. Those of the caller take precedence."""
    source = f"mbsim {__version__}"
    versions = {"python": platform.python_version(), "numpy": np.__version__, "h5py": h5py.__version__}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    standard = {"Conventions": "CF-1.11", "title": layout.title, "history": f"{now} {source} run", "source": source, "status": "running"}
    standard |= {"platform": f"{platform.system()} {platform.machine()}", "model_sha256": _digest(model_yaml)}
    if found := commit():
        standard["commit"] = found
    return {**standard, **plain(given), "versions": {**versions, **given.get("versions", {})}}


def row_bytes(layout: Layout) -> int:
    """Bytes of a row of every variable that a model with these labels may have."""
    labels = layout.labels()
    over_time = [s for s in layout.series().values() if s.dimensions[0] == TIME_DIMENSION and present(s, labels)]
    return 8 * sum(int(np.prod([len(labels[d]) for d in s.dimensions[1:]], dtype=int)) for s in over_time)


def _require_room(path: Path, rows: int, layout: Layout) -> None:
    """Warn of a large result. Raise NoRoomError if the disk cannot hold it."""
    size = min(rows, sys.maxsize) * row_bytes(layout)
    if size > LARGE:
        log.warning("%s will hold %d rows, %.3g GB; output_step thins them", path, rows, size / 1e9)
    import shutil

    try:
        free = shutil.disk_usage(path.absolute().parent).free
    except OSError:  # a file system that does not tell
        return
    if size + SPARE_BYTES > free:
        raise NoRoomError(
            f"cannot write {path}: {rows} rows of {row_bytes(layout)} bytes take {size / 1e9:.3g} GB and the disk has "
            f"{free / 1e9:.3g} GB free; output_step thins the rows"
        )


class FileRecorder:
    """Writes a run to `path`, chunk of rows by chunk of rows; memory does not grow with the number of rows.

    `static` holds `joint_reaction_unique` (joint,) and `multiplier_unique` (constraint,), as booleans. `attributes` become root attributes.
    `tables` are the blocks of the model's tables with their points, `scene` is the text of mbsim.scene.describe. The first chunk decides
    which variables the file has. `rows` is the largest number of rows, if known: the disk space is checked first. Raises ValueError for a
    path without a suffix of HDF5, OutputError if the path holds something other than a result of mbsim (with `force` it is replaced),
    BlockingIOError while another run writes it, NoRoomError if the disk cannot hold the rows, OSError if the file cannot be written.
    """

    def __init__(
        self,
        path: str | Path,
        layout: Layout,
        model_yaml: str,
        parameters: Mapping[str, float],
        attributes: Mapping[str, object],
        static: Mapping[str, np.ndarray],
        tables: Mapping[str, object] | None = None,
        rows: int | None = None,
        force: bool = False,
        scene: str = "",
        home: str | None = None,
    ) -> None:
        self.path = Path(path)
        self.part = part_of(self.path)
        self._rows = 0  # appended
        self._kept = 0  # committed rows
        self._started = False
        self._model_yaml, self._parameters, self._tables = model_yaml, dict(parameters), dict(tables or {})
        self._scene, self._home = scene, home
        self._attributes = _start_attributes(layout, model_yaml, attributes)
        self._static = [name for name in static if present(SERIES[name], layout.labels())]
        outputs.check_suffix(self.path, outputs.RESULT_SUFFIXES)
        outputs.require(self.path, force)
        _require_room(self.path, rows or 0, layout)
        self._dataset = Dataset(self.path, "result", force, 4 * CHUNK_BYTES)
        try:
            with uninterrupted():
                self._writer = GroupWriter(
                    self._dataset.file, layout, model_yaml, parameters, self._attributes, static, self._tables, rows, scene
                )
                self._commit()
        except BaseException:
            self._dataset.release(keep=False)
            raise

    def append(self, chunk: Mapping[str, np.ndarray]) -> None:
        """Write rows. After the return a kill does not lose them. The first axis of every array is the rows of this chunk, the others as
        in `SERIES`. Raises OSError if they cannot be written; the rows before them are then in the `.part` file, which `close` leaves.

        A first row on its own, the start of a run, is held back until the next rows: a chunk of one row would be written twice.
        """
        arrays = check(chunk, self._writer.series if self._started else (), self._writer.layout)
        count = len(arrays[TIME_DIMENSION])
        with uninterrupted():
            flush = self._started or count > 1
            self._commit(lambda: self._writer.rows(self._rows, arrays), flush)
            self._rows += count
            self._kept = self._rows if flush else 0
            self._started = True

    def _commit(self, write: Callable[[], None] = lambda: None, flush: bool = True) -> None:
        self._dataset.commit(write, flush, lambda: f"; the {self._kept} rows before are in {self.part}" if self._kept else "")

    def close(self, status: str, attributes: Mapping[str, object]) -> Path:
        """Write the final attributes (`status`: complete, failed or interrupted), close, and give the file its name. Returns its path.

        After a failed write, the `.part` file stays with the written rows, and an older result stays in its place. The same holds if this
        raises OSError because it fails itself, or OutputError because a file that mbsim did not write has taken the name meanwhile.
        """
        with uninterrupted():
            try:
                if self._dataset.has_failed:
                    return self.part
                self._writer.attributes({**attributes, "status": status})
                self._attributes |= {**plain(attributes), "status": status}
                self._dataset.finish()
                return self.path
            finally:
                self._dataset.release(keep=bool(self._kept))  # a part file without rows is useless

    def result(self) -> Result:
        """The result just written; call after `close`."""
        writer, layout = self._writer, self._writer.layout
        units = {name: units for name, (_, units) in layout.label_units().items()}
        names = [*writer.series, *self._static]
        labels = {dimension: list(found) for dimension, found in writer.labels.items()}
        return build_result(
            self.path, self._rows, names, labels, units, dict(self._attributes), self._model_yaml, dict(self._parameters),
            layout.measures, dict(self._tables), self._scene, self._home,
        )  # fmt: skip


class MemoryRecorder:
    """Keeps a run in memory. Arguments and methods are those of `FileRecorder`, except the path."""

    def __init__(
        self,
        layout: Layout,
        model_yaml: str,
        parameters: Mapping[str, float],
        attributes: Mapping[str, object],
        static: Mapping[str, np.ndarray],
        tables: Mapping[str, object] | None = None,
        scene: str | Callable[[], str] = "",
        home: str | None = None,
    ) -> None:
        self._layout, self._labels, self._tables = layout, layout.labels(), dict(tables or {})
        self._label_units = {name: units for name, (_, units) in layout.label_units().items()}
        self._model_yaml, self._scene, self._home = model_yaml, scene, home
        self._parameters = dict(parameters)
        self._attributes = _start_attributes(layout, model_yaml, attributes)
        kept = [name for name in static if present(SERIES[name], self._labels)]
        self._static = {name: np.asarray(static[name], dtype=np.int8) for name in kept}
        self._chunks: dict[str, list[np.ndarray]] = {}
        self._names, self._shapes = frozenset[str](), dict[str, tuple[int, ...]]()  # of the first chunk; of what is kept of one row

    def append(self, chunk: Mapping[str, np.ndarray]) -> None:
        """Keep a copy of the rows. The first axis of every array is the rows of this chunk; the others are as in `SERIES`."""
        if not self._is_like_the_first(chunk):
            chunk = check(chunk, self._chunks, self._layout)
            self._shapes = {name: values.shape[1:] for name, values in chunk.items()}
        for name in self._shapes:
            self._chunks.setdefault(name, []).append(np.array(chunk[name], np.float64, order="C"))  # the caller may fill its buffers again

    def _is_like_the_first(self, chunk: Mapping[str, np.ndarray]) -> bool:
        """Whether a chunk has the variables of those before, in the same shapes: then it need not be looked through."""
        rows = len(chunk.get(TIME_DIMENSION, ()))
        alike = bool(self._shapes) and self._names == chunk.keys()
        self._names = self._names or frozenset(chunk)
        return alike and all(np.shape(chunk[name]) == (rows, *shape) for name, shape in self._shapes.items())

    def close(self, status: str, attributes: Mapping[str, object]) -> None:
        """Keep the final attributes; `status` is complete, failed or interrupted."""
        self._attributes |= {**plain(attributes), "status": status}

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
            self._scene,
            self._home,
        )
