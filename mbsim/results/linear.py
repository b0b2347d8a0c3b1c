"""Reads the files that `mbsim modes -o` and `mbsim linearize -o` write."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mbsim.results.read import ResultError

if TYPE_CHECKING:
    import h5py

Floats = NDArray[np.float64]
_DAMAGED = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError)  # raised by h5py for damaged files


@dataclass(frozen=True)
class SavedModes:
    """Modes of a file. N eigenvalues, n_b bodies."""

    title: str
    dimension: int | None  # None: no bodies
    values: np.ndarray  # (N,) complex, 1/s
    names: list[str]  # (n,) of displacements and states
    shapes: np.ndarray  # (N, n) complex
    places: Floats  # (n_b, 3) centres of mass, m
    moved: np.ndarray  # (N, n_b, 2, 3) complex: their translation and rotation
    lines: Floats  # (k, 2, 3) ends of lines, m
    owners: np.ndarray  # (k,) their bodies
    orientations: Floats  # (n_b, 4) w, x, y, z: body to global
    scene: str = ""  # JSON: what the bodies look like (mbsim.scene)


@dataclass(frozen=True)
class SavedLocus:
    """A root locus of a file."""

    title: str
    parameter: str
    values: Floats  # (k,)
    eigenvalues: np.ndarray  # (k, N) complex, 1/s
    stable: np.ndarray  # (k,) bool
    crossings: list[tuple[float, float, str]]  # value, Hz, what it becomes


@dataclass(frozen=True)
class SavedResponse:
    """The frequency response of a file."""

    title: str
    frequencies: Floats  # (k,) Hz
    response: np.ndarray  # (k, outputs, inputs) complex
    inputs: list[str]
    outputs: list[str]
    input_units: list[str]
    output_units: list[str]


Saved = SavedModes | SavedLocus | SavedResponse

NAMES = {"modes": "modes", "locus": "a root locus", "state space": "a state space"}  # what a file holds, in words


def tell_eigenvalue(value: complex) -> str:
    """Frequency and damping of an eigenvalue."""
    if value.imag:
        size = abs(value)
        return f"{size / (2.0 * np.pi):.4g} Hz, damping {-value.real / size + 0.0:.3g}"
    return f"{'grows' if value.real > 0.0 else 'decays'} with {abs(value.real):.4g} 1/s"


def choose_modes(saved: SavedModes) -> list[int]:
    """The places of the modes that are drawn: no zeros, one of each pair; the slowest first."""
    return [k for k, value in enumerate(saved.values) if value != 0.0 and value.imag >= 0.0]


def read_kind(path: Path) -> str:
    """What the file holds by what it says itself: "modes", "locus" or "state space"; empty where it is none of these files."""
    import h5py

    if not path.is_file():
        return ""
    try:
        with h5py.File(path, "r", locking=False) as file:
            kind = file.attrs.get("kind", "")
            return str(kind) if kind in _READERS else ""
    except _DAMAGED:
        return ""


def read(path: Path) -> Saved | None:
    """What the file holds; None where it is none of these files. Raises ResultError where one of them is damaged."""
    import h5py

    kind = read_kind(path)
    if not kind:
        return None
    try:
        with h5py.File(path, "r", locking=False) as file:
            return _READERS[kind](file)
    except _DAMAGED as error:
        raise ResultError(f"{path} is damaged: {error}") from error


def _modes(file: "h5py.File") -> SavedModes:
    values = _complex(file, "eigenvalue")
    shapes = _complex(file, "shape").reshape(len(values), -1)
    known = (_title(file), int(file.attrs["dimension"]) if "body" in file else None, values, _texts(file, "coordinate"), shapes)
    if "body" not in file:
        none = np.zeros((0, 3)), np.zeros((len(values), 0, 2, 3), complex), np.zeros((0, 2, 3)), np.zeros(0, int), np.zeros((0, 4))
        return SavedModes(*known, *none)
    places, moved = file["body_position"][:], _complex(file, "body_shape")
    n = len(places)
    turned = file["body_orientation"][:] if "body_orientation" in file else np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    for name, array, shape in (
        ("body_position", places, (n, 3)),
        ("body_shape", moved, (len(values), n, 2, 3)),
        ("body_orientation", turned, (n, 4)),
    ):
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{name} has the shape {array.shape} or numbers that are not finite")
    scene = str(np.ravel(file["scene"].asstr()[()])[0]) if "scene" in file else ""  # earlier versions wrote a list of one
    return SavedModes(*known, places, moved, file["line"][:], file["line_body"][:], turned, scene)


def _locus(file: "h5py.File") -> SavedLocus:
    crossings = list(
        zip(file["crossing"][:].tolist(), file["crossing_frequency_hz"][:].tolist(), _texts(file, "crossing_becomes"), strict=True)
    )
    return SavedLocus(
        _title(file), str(file.attrs["parameter"]), file["value"][:], _complex(file, "eigenvalue"), file["stable"][:], crossings
    )


def _response(file: "h5py.File") -> SavedResponse:
    texts = [_texts(file, name) for name in ("inputs", "outputs", "input_units", "output_units")]
    return SavedResponse(_title(file), file["frequency_hz"][:], _complex(file, "response"), *texts)


_READERS: "dict[str, Callable[[h5py.File], Saved]]" = {"modes": _modes, "locus": _locus, "state space": _response}


def _title(file: "h5py.File") -> str:
    return str(file.attrs["title"])


def _complex(file: "h5py.File", name: str) -> np.ndarray:
    return np.asarray(file[f"{name}_real"][:] + 1j * file[f"{name}_imag"][:])


def _texts(file: "h5py.File", name: str) -> list[str]:
    return [str(text) for text in file[name].asstr()[:]]
