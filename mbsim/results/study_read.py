"""Reads what `study_write` wrote: the file of a study, or the part file of one that runs, was killed or interrupted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from mbsim.results.dataset import open_to_read
from mbsim.results.outputs import HDF5_SIGNATURE
from mbsim.results.read import ResultError

KIND = "mbsim study"
FAILED, REASON = "failed", "reason"
REASON_BYTES = 240
_DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, OverflowError, MemoryError, SystemError)
Floats = NDArray[np.float64]


def is_study(path: Path) -> bool:
    """Whether the file is a study of mbsim."""
    if not path.is_file():  # reading a pipe would wait for what is written into it
        return False
    try:
        with path.open("rb") as raw:
            if raw.read(len(HDF5_SIGNATURE)) != HDF5_SIGNATURE:
                return False
        with read_study_file(path):
            return True
    except (OSError, ResultError):
        return False


def read_study_file(path: Path) -> "SavedStudy":
    """Open a study. Raises FileNotFoundError, ResultError for another file or a damaged one."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no study {path}")
    try:
        file, close = open_to_read(path)
    except _DAMAGE as error:
        raise ResultError(f"{path} is not a study of mbsim, or it is damaged ({' '.join(str(error).split())})") from error
    try:
        return SavedStudy(path, file, close)
    except ResultError:
        close()
        raise
    except _DAMAGE as error:
        close()
        raise ResultError(f"{path} is not a study of mbsim, or it is damaged ({' '.join(str(error).split())})") from error


class SavedStudy:
    """A study. Arrays are over the runs that it has, in their order; `close` or a `with` block closes the file."""

    def __init__(self, path: Path, file: h5py.File, close: Callable[[], None]) -> None:
        self.path, self._file, self.close = path, file, close
        if _text(file.attrs.get("kind", "")) != KIND:
            raise ResultError(f"{path} is not a study of mbsim")
        self.title, self.status = _text(file.attrs["title"]), _text(file.attrs["status"])
        self.model = _text(file.attrs["model"])
        self.planned = int(file.attrs["runs"])
        self.varied, self.outputs = (_texts(file.attrs.get(name, [])) for name in ("varied", "outputs"))
        self.identity = json.loads(self._stored("identity"))
        self.axes: dict[str, list[float]] = json.loads(self._stored("axes"))
        self.findings: dict[str, Any] = json.loads(self._stored("findings")) if "findings" in file else {}
        self.labels = _texts(file["label"][()]) if "label" in file else []
        self.label_units = _texts(file["history_units"][()]) if "label" in file else []
        names = ["run", *self.varied, *self.outputs, FAILED, REASON, *["history"] * bool(self.labels)]
        self.count = min(int(file[name].shape[0]) for name in names)

    def _stored(self, name: str) -> str:
        return bytes(self._file[name][()]).decode()

    @property
    def model_yaml(self) -> str:
        return self._stored("model_yaml")

    @property
    def study_yaml(self) -> str:
        return self._stored("study_yaml")

    def __getitem__(self, name: str) -> Floats:
        """What varies, or an output, (count,). Raises ResultError."""
        if name not in (*self.varied, *self.outputs):
            from mbsim.model.file.errors import did_you_mean

            raise ResultError(f"the study has no '{name[:60]}'{did_you_mean(name, [*self.varied, *self.outputs])}")
        return np.asarray(self._read(name, slice(0, self.count)), float)

    def units(self, name: str) -> str:
        """UDUNITS spelling."""
        return _text(self._file[name].attrs.get("units", "1"))

    @property
    def failed(self) -> np.ndarray:
        """(count,) bool."""
        return np.asarray(self._read(FAILED, slice(0, self.count)), bool)

    @property
    def reasons(self) -> list[str]:
        """Why a run failed or an output has no number; empty where all is well."""
        return [_text(text) for text in self._read(REASON, slice(0, self.count))]

    def reason(self, run: int) -> str:
        """That of one run."""
        return _text(self._read(REASON, slice(run, run + 1))[0])

    @property
    def time(self) -> Floats:
        """(k,) of the histories, s."""
        return self._read("time", slice(None)) if self.labels else np.zeros(0)

    def history(self, label: str) -> Floats:
        """(count, k) of one label. Raises ResultError."""
        if label not in self.labels:
            from mbsim.model.file.errors import did_you_mean

            raise ResultError(f"the study keeps no history '{label[:60]}'{did_you_mean(label, self.labels) if self.labels else ''}")
        return np.asarray(self._read("history", slice(0, self.count))[..., self.labels.index(label)])

    @property
    def best(self) -> int:
        """The run that is worth to be seen: the last one with the values that an optimisation or a fit found, or else the first."""
        values = self.findings.get("values", {})
        if set(values) != set(self.varied):
            return 0
        same = np.all([self[name] == value for name, value in values.items()], axis=0)
        return int(np.flatnonzero(same)[-1]) if np.any(same) else 0

    def rows(self, rows: slice) -> tuple[Floats, Floats, np.ndarray, list[str], Floats | None]:
        """What `StudyWriter.append` takes."""
        k = rows.stop - rows.start
        values, found = (np.array([self._read(name, rows) for name in names]).reshape(-1, k).T for names in (self.varied, self.outputs))
        reasons = [_text(text) for text in self._read(REASON, rows)]
        return values, found, self._read(FAILED, rows), reasons, self._read("history", rows) if self.labels else None

    def outcomes(self, rows: slice) -> tuple[np.ndarray, list[str]]:
        """Whether these runs failed (k,) bool, and why."""
        return np.asarray(self._read(FAILED, rows), bool), [_text(text) for text in self._read(REASON, rows)]

    def _read(self, name: str, rows: slice) -> Any:
        try:
            return self._file[name][rows]
        except _DAMAGE as error:
            raise ResultError(f"{self.path} is damaged: {name} cannot be read ({' '.join(str(error).split())})") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _texts(values: Any) -> list[str]:
    return [_text(value) for value in ([values] if isinstance(values, (str, bytes)) else list(values))]
