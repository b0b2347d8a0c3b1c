"""Writes a study, run by run, into an HDF5 file whose memory does not grow.

The file is laid out as netCDF 4 does, with the dimensions run, time and label, so that xarray opens it. What varies and every output are
variables over the runs, under their own names. It is written as `<name>.part`, in transactions (`dataset.py`), always a beginning of the
runs in their order. A study that is killed goes on from its part file: that becomes `<name>.before`, of which a new part file is made, and
is removed when this has all of its runs.
"""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.results import outputs
from mbsim.results.dataset import Dataset, part_of, uninterrupted
from mbsim.results.study_read import FAILED, KIND, REASON, REASON_BYTES, SavedStudy, read_study_file
from mbsim.results.write import keep_text, say
from mbsim.version import __version__

ROWS = 4096  # runs of an HDF5 chunk, at most
CHUNK_BYTES = 1 << 18  # of an HDF5 chunk of histories
CACHE_BYTES = 1 << 20
EVERY = 1.0  # s between two commits
COPIED = 10_000  # runs that are read at once from the part file of a study that goes on
Known = Callable[[np.ndarray, list[str]], None]  # whether runs failed (k,) bool, and why


@dataclass(frozen=True)
class StudyHead:
    """What a study file begins with."""

    title: str
    identity: Mapping[str, Any]  # what decides every number, as JSON types
    runs: int  # planned
    varied: Sequence[str]
    units: Mapping[str, str]  # of the outputs, in their order
    labels: Mapping[str, str]  # of the histories, with their units
    times: np.ndarray  # (k,) of the histories, s
    study_yaml: str = ""
    model_yaml: str = ""
    model: str = ""  # name of its file
    axes: Mapping[str, Sequence[float]] = field(default_factory=dict)  # of the grid


class UnfinishedError(FileExistsError):
    """There is a part file of an earlier study, which would be lost."""


class OtherStudyError(ValueError):
    """What is to go on is another study."""


class StudyWriter:
    """See the module. Raises OutputError, UnfinishedError, OtherStudyError, OSError."""

    def __init__(self, path: Path, head: StudyHead, force: bool = False, resume: bool = False, known: Known = lambda *_: None) -> None:
        """`known` is told of the runs that an earlier study has, some at a time."""
        self.path, self._head, self._force, self._known = path, head, force, known
        self.part, self._before = part_of(path), path.with_name(path.name + ".before")
        outputs.check_suffix(path, outputs.RESULT_SUFFIXES)
        outputs.require(path, force)
        self.runs = 0  # written
        self.complete = False  # whether an earlier study has all of it
        self._committed_at = time.monotonic()
        source = self._source(resume)
        if self.complete:
            return
        self._dataset = Dataset(path, "study", force, CACHE_BYTES)
        self._file = self._dataset.file
        try:
            with uninterrupted():
                self._create()
                self._commit()
            if source is not None:
                self._copy(source)
        except BaseException:
            self._release()
            raise

    def _source(self, resume: bool) -> Path | None:
        """The file of the study that goes on, None where there is none."""
        unfinished = [path for path in (self._before, self.part) if path.is_file()]
        if not resume:
            if unfinished and not self._force:
                raise UnfinishedError(
                    f"cannot write {self.path}: an unfinished study is in {unfinished[0]}; go on with --resume, or discard it with --force"
                )
            for path in unfinished[:1]:
                if path == self._before:
                    path.unlink()
            return None
        if self.path.is_file() and not unfinished:
            self._check(self.path)
            self.complete = True
            with read_study_file(self.path) as saved:
                for rows in _slices(saved.count):
                    self._known(*saved.outcomes(rows))
            return None
        if not unfinished:
            return None
        if not self._before.is_file():
            self._check(self.part)
            os.replace(self.part, self._before)
        self._check(self._before)
        return self._before

    def _check(self, path: Path) -> None:
        """Raise OtherStudyError for a file that is not of this study."""
        with read_study_file(path) as saved:
            if saved.identity != json.loads(json.dumps(self._head.identity)):
                raise OtherStudyError(
                    f"{path} is of another study: the model, what varies, samples or outputs are others; --force discards it"
                )

    def _create(self) -> None:
        head, file = self._head, self._file
        now = {"Conventions": "CF-1.11", "title": head.title, "source": f"mbsim {__version__}", "kind": KIND, "status": "running"}
        for name, value in {**now, "runs": head.runs, "model": head.model}.items():
            say(file, name, value)
        for name, texts in (("varied", list(head.varied)), ("outputs", list(head.units))):
            if texts:
                say(file, name, texts)
        for name, text in (("study_yaml", head.study_yaml), ("model_yaml", head.model_yaml), ("identity", json.dumps(head.identity))):
            keep_text(file, name, text)
        keep_text(file, "axes", json.dumps({name: list(values) for name, values in head.axes.items()}))
        self._data = {"run": self._growing("run", "i8")}
        self._data["run"].make_scale("run")
        for name in (*head.varied, *head.units):
            self._data[name] = self._growing(name, "f8")
            say(self._data[name], "units", head.units.get(name, "1"))
        self._data[FAILED] = self._growing(FAILED, "i1")
        self._data[REASON] = self._growing(REASON, f"S{REASON_BYTES}")
        say(self._data[REASON], "_Encoding", "utf-8")
        if head.labels:
            times = file.create_dataset("time", data=head.times)
            times.make_scale("time")
            say(times, "units", "s")
            labels = keep_text(file, "label", list(head.labels))
            labels.make_scale("label")
            units = keep_text(file, "history_units", list(head.labels.values()))
            units.dims[0].attach_scale(labels)
            shape = (len(head.times), len(head.labels))
            chunk = max(1, min(ROWS, CHUNK_BYTES // (8 * shape[0] * shape[1])))
            self._data["history"] = file.create_dataset(
                "history", (0, *shape), "f8", maxshape=(None, *shape), chunks=(chunk, *shape), fletcher32=True, fillvalue=np.nan
            )
            for axis, scale in ((1, times), (2, labels)):
                self._data["history"].dims[axis].attach_scale(scale)
        for name, dataset in self._data.items():
            if name != "run":
                dataset.dims[0].attach_scale(self._data["run"])

    def _growing(self, name: str, kind: str) -> Any:
        packed = {"compression": "gzip", "compression_opts": 1} if kind.startswith("S") else {}
        chunk = (min(ROWS, max(64, self._head.runs)),)
        return self._file.create_dataset(name, (0,), kind, maxshape=(None,), chunks=chunk, fletcher32=True, **packed)

    def _copy(self, source: Path) -> None:
        """Take over the runs of the study that goes on."""
        with read_study_file(source) as saved:
            for rows in _slices(saved.count):
                self.append(*saved.rows(rows), commit=False)
                self._known(*saved.outcomes(rows))
        self._commit_now()
        self._before.unlink()

    def append(
        self,
        values: np.ndarray,
        found: np.ndarray,
        failed: np.ndarray,
        reasons: Sequence[str],
        history: np.ndarray | None = None,
        commit: bool = True,
    ) -> None:
        """Runs: values (k, n_varied), outputs (k, n_outputs), failed (k,), reasons, history (k, times, labels). Raises OSError."""
        first, last = self.runs, self.runs + len(values)
        with uninterrupted():
            self._commit(lambda: self._write(slice(first, last), values, found, failed, reasons, history), flush=False)
            self.runs = last
            if commit and time.monotonic() - self._committed_at >= EVERY:
                self._commit_now()

    def _write(
        self, rows: slice, values: np.ndarray, found: np.ndarray, failed: np.ndarray, reasons: Sequence[str], history: np.ndarray | None
    ) -> None:
        for dataset in self._data.values():
            dataset.resize(rows.stop, axis=0)
        self._data["run"][rows] = np.arange(rows.start, rows.stop)
        for k, name in enumerate(self._head.varied):
            self._data[name][rows] = values[:, k]
        for k, name in enumerate(self._head.units):
            self._data[name][rows] = found[:, k]
        self._data[FAILED][rows] = failed
        self._data[REASON][rows] = np.array([_cut(reason) for reason in reasons], f"S{REASON_BYTES}")
        if history is not None:
            self._data["history"][rows] = history

    def _commit_now(self) -> None:
        with uninterrupted():
            self._commit()
        self._committed_at = time.monotonic()

    def _commit(self, write: Callable[[], None] = lambda: None, flush: bool = True) -> None:
        self._dataset.commit(write, flush, self._kept)

    def _kept(self) -> str:
        """Where runs are, when writing fails."""
        kept = self._before if self._before.is_file() else self.part if self.runs else None  # a part file without runs is removed
        return f"; what was written is in {kept}" if kept else ""

    def close(self, status: str, findings: Mapping[str, object] | None = None) -> Path:
        """End the file: under its name where all runs are there, else as the part file, from which the study can go on."""
        try:
            with uninterrupted():
                if self._dataset.has_failed:
                    return self.part
                say(self._file, "status", status)
                if findings:
                    keep_text(self._file, "findings", json.dumps(findings))
                if status != "complete":
                    self._commit()
                    return self.part
                self._dataset.finish()
                return self.path
        finally:
            self._dataset.release(keep=True)

    def _release(self) -> None:
        """Close everything; a part file without runs is useless, but where an earlier study goes on."""
        self._dataset.release(keep=bool(self.runs) or self._before.is_file())


def _slices(count: int) -> list[slice]:
    """Slices of `count` runs, each of as many as are read at once."""
    return [slice(first, min(first + COPIED, count)) for first in range(0, count, COPIED)]


def _cut(reason: str) -> bytes:
    data = reason.encode()
    return data if len(data) <= REASON_BYTES else data[: REASON_BYTES - 3].decode(errors="ignore").encode() + b"..."


__all__ = ["OtherStudyError", "SavedStudy", "StudyHead", "StudyWriter", "UnfinishedError"]
