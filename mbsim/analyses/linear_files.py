"""Modes and root loci as HDF5 files, whose axes have names and labels."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mbsim.analyses.linear import Modes, body_shapes
from mbsim.analyses.root_locus import Locus
from mbsim.analyses.skeleton import skeleton
from mbsim.diagnosis.linearised import displacement_names
from mbsim.observe.pose import pose_at
from mbsim.results import outputs
from mbsim.results.axes import name_axes
from mbsim.results.linear import SavedLocus, SavedModes
from mbsim.version import __version__

if TYPE_CHECKING:
    import h5py

MODE_LABELS = {"coordinate": None, "variable": None, "cyclic": None}  # dimensions that are datasets of names
MODE_AXES = {
    "eigenvalue_real": ("eigenvalue",),
    "eigenvalue_imag": ("eigenvalue",),
    "frequency_hz": ("eigenvalue",),
    "shape_real": ("eigenvalue", "coordinate"),
    "shape_imag": ("eigenvalue", "coordinate"),
    "coordinate_units": ("coordinate",),
    "A": ("variable", "of_variable"),
    "variable_units": ("variable",),
}
BODY_LABELS = {
    "body": None,
    "motion": ["translation", "rotation"],
    "xyz": ["x", "y", "z"],
    "quaternion": ["w", "x", "y", "z"],
    "end": ["start", "end"],
}
BODY_AXES = {
    "body_shape_real": ("eigenvalue", "body", "motion", "xyz"),
    "body_shape_imag": ("eigenvalue", "body", "motion", "xyz"),
    "body_position": ("body", "xyz"),
    "body_orientation": ("body", "quaternion"),
    "line": ("segment", "end", "xyz"),
    "line_body": ("segment",),
}
LOCUS_AXES = {
    "stable": ("value",),
    "eigenvalue_real": ("value", "branch"),
    "eigenvalue_imag": ("value", "branch"),
    "crossing_frequency_hz": ("crossing",),
    "crossing_becomes": ("crossing",),
}


def as_saved(found: Modes, scene: str = "") -> SavedModes:
    """Modes as a file holds them; `scene` is that of the model."""
    system, n = found.system, found.system.n_v
    whole = found.linear.basis @ found.spectrum.vectors
    shapes = np.vstack([whole[:n], whole[2 * n :]]).T
    names = [*displacement_names(system)[0], *system.states]
    values, none = found.spectrum.values, np.zeros((0, 3))
    if not system.bodies:
        moved = np.zeros((len(values), 0, 2, 3), complex)
        return SavedModes(system.name, None, values, names, shapes, none, moved, np.zeros((0, 2, 3)), np.zeros(0, int), np.zeros((0, 4)))
    drawn = skeleton(system, found.state.t, found.state.q)
    turned = pose_at(system, found.state.t, found.state.q)[1]
    return SavedModes(
        system.name, system.dimension, values, names, shapes, drawn.places, body_shapes(found), drawn.lines, drawn.owners, turned, scene
    )


def locus_as_saved(found: Locus, title: str) -> SavedLocus:
    """A root locus as a file holds it."""
    crossings = [(c.value, c.frequency_hz, c.becomes) for c in found.crossings]
    return SavedLocus(title, found.parameter, found.values, found.eigenvalues, found.stable, crossings)


def save_modes(found: Modes, path: Path, force: bool = False, scene: str = "") -> None:
    """Modes into an HDF5 file, with the `scene` of the model. Raises OSError."""
    system, saved = found.system, as_saved(found, scene)
    units = [*displacement_names(system)[1], *system.coordinate_units[system.n_c :]]
    with outputs.replacing(path, force) as part:
        import h5py

        with h5py.File(part, "w") as file:
            text = h5py.string_dtype()
            file.attrs.update({"source": f"mbsim {__version__}", "kind": "modes", "title": saved.title})
            file.attrs.update({"at": found.state.kind, "time": found.state.t, "stable": found.stable, "stationary": found.stationary})
            _complex(file, "eigenvalue", saved.values, "s-1")
            file["frequency_hz"] = np.abs(saved.values) / (2.0 * np.pi)
            _complex(file, "shape", saved.shapes, "")
            file.create_dataset("coordinate", data=saved.names, dtype=text)
            file.create_dataset("coordinate_units", data=units, dtype=text)
            file.create_dataset("cyclic", data=[found.linear.names[k] for k in found.spectrum.free], dtype=text)
            file["A"] = found.linear.A
            file.create_dataset("variable", data=found.linear.names, dtype=text)
            file.create_dataset("variable_units", data=found.linear.units, dtype=text)
            if saved.dimension is not None:
                file.attrs["dimension"] = saved.dimension
                _complex(file, "body_shape", saved.moved, "")
                file.create_dataset("body", data=system.bodies, dtype=text)
                file["body_position"], file["line"], file["line_body"] = saved.places, saved.lines, saved.owners
                file["body_orientation"] = saved.orientations
                file.create_dataset("scene", data=saved.scene, dtype=text)
                file["body_position"].attrs["units"] = file["line"].attrs["units"] = "m"
            name_axes(file, {**MODE_LABELS, "eigenvalue": _numbers(len(saved.values)), "of_variable": found.linear.names}, MODE_AXES)
            if saved.dimension is not None:
                name_axes(file, {**BODY_LABELS, "segment": _numbers(len(saved.lines))}, BODY_AXES)


def save_locus(found: Locus, path: Path, title: str, force: bool = False) -> None:
    """A root locus into an HDF5 file. Raises OSError."""
    with outputs.replacing(path, force) as part:
        import h5py

        with h5py.File(part, "w") as file:
            file.attrs.update({"source": f"mbsim {__version__}", "kind": "locus", "title": title, "parameter": found.parameter})
            file["value"], file["stable"] = found.values, found.stable
            _complex(file, "eigenvalue", found.eigenvalues, "s-1")
            file["crossing"] = [c.value for c in found.crossings]
            file["crossing_frequency_hz"] = [c.frequency_hz for c in found.crossings]
            file.create_dataset("crossing_becomes", data=[c.becomes for c in found.crossings], dtype=h5py.string_dtype())
            name_axes(file, {"value": None, "crossing": None, "branch": _numbers(found.eigenvalues.shape[1])}, LOCUS_AXES)


def _numbers(count: int) -> np.ndarray:
    """1 to `count`, as labels of an axis without names."""
    return np.arange(1, count + 1)


def _complex(file: "h5py.File", name: str, values: np.ndarray, units: str) -> None:
    for part, numbers in (("real", values.real), ("imag", values.imag)):
        file[f"{name}_{part}"] = numbers
        if units:
            file[f"{name}_{part}"].attrs["units"] = units
