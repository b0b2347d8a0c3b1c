"""The tables of files other than results of runs: studies, modes, root loci, frequency responses, comparisons."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.results.linear import Saved, SavedLocus, SavedModes, SavedResponse
from mbsim.results.outputs import HDF5_SIGNATURE
from mbsim.results.read import ResultError
from mbsim.results.sheet import Cell, Sheet
from mbsim.results.study_read import SavedStudy

COMPARISON = "comparison"  # the attribute of a file of `mbsim compare` with its facts
# Of a comparison's rows: what is a column, its unit, and whether it is in a table for readers. Units by label are m or rad.
COMPARED = {
    "model": ("", True), "method": ("", True), "integrator": ("", True), "step": ("s", True), "tolerance": ("", True),
    "effective_step": ("s", False), "steps_cut": ("", False), "verdict": ("", True), "end_error": ("m or rad", True),
    "rms_error": ("m or rad", True), "estimated_error": ("m or rad", False), "velocity_rms_error": ("m/s or rad/s", False),
    "velocity_estimated_error": ("m/s or rad/s", False), "reaction_disagreement": ("N or N m", False),
    "reaction_rms_disagreement": ("N or N m", False), "reaction_estimated_error": ("N or N m", False), "energy_rms_error": ("J", False),
    "energy_estimated_error": ("J", False), "order": ("", True), "order_points": ("", False), "velocity_order": ("", True),
    "velocity_order_points": ("", False), "max_phi": ("m or rad", True), "max_velocity_residual": ("m/s or rad/s", False),
    "max_acceleration_residual": ("m/s2 or rad/s2", False), "energy_balance": ("J", True), "steps": ("", False), "evaluations": ("", True),
    "factorisations": ("", False), "svds": ("", False), "iterations": ("", False), "corrections": ("", False), "wall_time": ("s", True),
    "source": ("", False), "wrong": ("", False), "reason": ("", False),
}  # fmt: skip


def of_study(saved: SavedStudy) -> Sheet:
    """A row for each run: what varies, its outputs, whether it failed and why."""
    columns: dict[str, Sequence[Cell]] = {"run": list(range(saved.count))}
    for name in [*saved.varied, *saved.outputs]:
        columns[name] = [float(x) for x in saved[name]]
    columns |= {"failed": [int(x) for x in saved.failed], "reason": list(saved.reasons)}
    units = {name: saved.units(name) for name in [*saved.varied, *saved.outputs]}
    return Sheet(saved.path.stem, columns, units)


def of_linear(saved: Saved) -> Sheet:
    """Modes: a row for each eigenvalue, with its shape. A locus: one for each value and eigenvalue. A response: one for each frequency."""
    if isinstance(saved, SavedModes):
        return _modes(saved)
    return _locus(saved) if isinstance(saved, SavedLocus) else _response(saved)


def _modes(saved: SavedModes) -> Sheet:
    size = np.abs(saved.values)
    with np.errstate(all="ignore"):
        columns: dict[str, Any] = {
            "real": saved.values.real, "imaginary": saved.values.imag, "frequency": size / (2.0 * np.pi),
            "damping_ratio": np.where(size > 0.0, -saved.values.real / size + 0.0, np.nan),
        }  # fmt: skip
        largest = saved.shapes[np.arange(len(size)), np.argmax(np.abs(saved.shapes), axis=1)] if saved.shapes.size else np.ones(len(size))
        shapes = saved.shapes / np.where(largest == 0.0, 1.0, largest)[:, None]
    for k, name in enumerate(saved.names):
        columns |= {f"{name}:amplitude": np.abs(shapes[:, k]), f"{name}:phase": np.angle(shapes[:, k])}
    units = {"real": "s-1", "imaginary": "s-1", "frequency": "Hz", **{f"{name}:phase": "rad" for name in saved.names}}
    return Sheet(saved.title, columns, units, short=["real", "imaginary", "frequency", "damping_ratio"])


def _locus(saved: SavedLocus) -> Sheet:
    k, n = saved.eigenvalues.shape
    flat = saved.eigenvalues.reshape(-1)
    columns: dict[str, Any] = {
        saved.parameter: np.repeat(saved.values, n), "eigenvalue": np.tile(np.arange(1, n + 1), k), "real": flat.real,
        "imaginary": flat.imag, "stable": np.repeat(saved.stable.astype(int), n),
    }  # fmt: skip
    return Sheet(saved.title, columns, {"real": "s-1", "imaginary": "s-1"})


def _response(saved: SavedResponse) -> Sheet:
    columns: dict[str, Any] = {"frequency": saved.frequencies}
    units = {"frequency": "Hz"}
    for j, out in enumerate(saved.outputs):
        for i, given in enumerate(saved.inputs):
            column = saved.response[:, j, i]
            pair = f"{out}/{given}"
            columns |= {f"{pair}:gain": np.abs(column), f"{pair}:phase": np.unwrap(np.angle(column))}
            units |= {f"{pair}:gain": _over(saved.output_units[j], saved.input_units[i]), f"{pair}:phase": "rad"}
    return Sheet(saved.title, columns, units)


def _over(units: str, other: str) -> str:
    return units if other == "1" else f"{units}/({other})" if " " in other else f"{units}/{other}"


def of_comparison(facts: Mapping[str, Any]) -> Sheet:
    """A row for each combination of all models. `facts` are those of `Comparison.facts()`, or of its file."""
    rows = [{"model": model["name"], **row} for model in facts["models"] for row in model["rows"]]
    columns = {name: [_cell(row.get(name)) for row in rows] for name in COMPARED}
    several = len(facts["models"]) > 1
    short = [name for name, (_, read) in COMPARED.items() if read and (several or name != "model")]
    return Sheet("comparison", columns, {name: unit or "1" for name, (unit, _) in COMPARED.items()}, short)


def _cell(value: Any) -> Cell:
    return int(value) if isinstance(value, bool) else value


def comparison_in(path: Path) -> dict[str, Any] | None:
    """The facts in a .h5 or .json file of `mbsim compare`; None for another file. Raises ResultError for a damaged one."""
    if not path.is_file():
        return None
    try:
        if path.suffix.lower() == ".json":
            found = json.loads(path.read_text(encoding="utf-8"))
            return found if isinstance(found, dict) and "models" in found and "command" in found else None
        with path.open("rb") as raw:
            if raw.read(len(HDF5_SIGNATURE)) != HDF5_SIGNATURE:
                return None
        import h5py

        with h5py.File(path, "r", locking=False) as file:
            text = file.attrs.get(COMPARISON)
        found = None if text is None else json.loads(str(text if isinstance(text, str) else text.decode()))
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError):  # raised by h5py for damaged files
        return None
    if found is not None and not _is_whole(found):
        raise ResultError(f"{path} is damaged: it has no models with rows")
    return found


def _is_whole(facts: object) -> bool:
    models = facts.get("models") if isinstance(facts, dict) else None
    return isinstance(models, list) and all(
        isinstance(model, dict) and isinstance(model.get("rows"), list) and all(isinstance(row, dict) for row in model["rows"])
        for model in models
    )
