"""What `mbsim info` says of the files of `mbsim modes` and `mbsim linearize`: modes, root loci, frequency responses."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mbsim import terminal
from mbsim.results.linear import Saved, SavedLocus, SavedModes, SavedResponse

ROUND_OFF = 1e-12  # of a shape's largest component: a smaller one is zero


def linear_facts(path: Path, saved: Saved) -> dict[str, Any]:
    """What the file holds as JSON types; of modes and loci with the keys of `mbsim modes --json`."""
    kind = {SavedModes: "modes", SavedLocus: "locus", SavedResponse: "state space"}[type(saved)]
    known: dict[str, Any] = {"file": str(path), "kind": kind, "title": saved.title}
    if isinstance(saved, SavedModes):
        rows = [_mode(saved, k) for k, value in enumerate(saved.values) if value.imag >= 0.0]
        return known | {"eigenvalues": _pairs(saved.values), "modes": rows}
    if isinstance(saved, SavedLocus):
        crossings = [{"value": value, "frequency_hz": hertz, "becomes": becomes} for value, hertz, becomes in saved.crossings]
        known |= {"parameter": saved.parameter, "values": saved.values.tolist(), "eigenvalues": [_pairs(x) for x in saved.eigenvalues]}
        return known | {"stable": [bool(x) for x in saved.stable], "crossings": crossings}
    known |= {"inputs": dict(zip(saved.inputs, saved.input_units, strict=True))}
    known |= {"outputs": dict(zip(saved.outputs, saved.output_units, strict=True))}
    span = [float(saved.frequencies[0]), float(saved.frequencies[-1])] if len(saved.frequencies) else []
    return known | {"frequencies": len(saved.frequencies), "span_hz": span, "largest": _peaks(saved)}


def _pairs(values: Any) -> list[list[float]]:
    return [[float(x.real), float(x.imag)] for x in values]


def _mode(saved: SavedModes, k: int) -> dict[str, Any]:
    """One mode; its shape with 1 at its largest component."""
    value, shape = saved.values[k], saved.shapes[k]
    size, largest = abs(value), shape[np.argmax(np.abs(shape))] if shape.size else 0.0
    shape = np.where(np.abs(shape) > ROUND_OFF * abs(largest), shape, 0.0)
    return {
        "frequency_hz": float(size / (2.0 * np.pi)),
        "damping_ratio": None if size == 0.0 else float(-value.real / size) + 0.0,
        "eigenvalue": [float(value.real), float(value.imag)],
        "shape": dict(zip(saved.names, _pairs(shape / largest if largest else shape), strict=True)),
    }


def _peaks(saved: SavedResponse) -> list[dict[str, Any]]:
    """Where each output answers most to each input."""
    found = []
    for j, out in enumerate(saved.outputs):
        for i, given in enumerate(saved.inputs):
            sizes = np.abs(saved.response[:, j, i])
            if sizes.size and np.isfinite(sizes).any():
                k = int(np.nanargmax(np.where(np.isfinite(sizes), sizes, np.nan)))
                found.append({"output": out, "input": given, "frequency_hz": float(saved.frequencies[k]), "gain": float(sizes[k])})
    return found


def linear_text(facts: dict[str, Any], limit: int | None) -> str:
    """The facts as lines of up to `limit` columns."""
    return "\n".join({"modes": _modes, "locus": locus_lines, "state space": _response}[facts["kind"]](facts, limit))


def _modes(facts: dict[str, Any], limit: int | None) -> list[str]:
    from mbsim.analyses.linear import mode_lines

    count = len(facts["eigenvalues"])
    zeros = sum(pair == [0.0, 0.0] for pair in facts["eigenvalues"])
    lines = [f"{facts['title']}: modes, {count} eigenvalues{f', {zeros} of them zero' if zeros else ''}"]
    return [*lines, *(mode_lines(facts, limit=limit) if count > zeros else [])]


def locus_lines(facts: Mapping[str, Any], limit: int | None) -> list[str]:
    """Of a root locus: where motions become stable or unstable, and what holds between."""
    name, values, stable = facts["parameter"], np.array(facts["values"]), np.array(facts["stable"], bool)
    ends = [float(values[0]), float(values[-1])] if len(values) else []
    lines = [f"{facts['title']}: small motions over {name}" + (f" = {ends[0]:g} to {ends[1]:g}, {len(values)} values" if ends else "")]
    for crossing in facts["crossings"]:
        how = f"oscillating at {crossing['frequency_hz']:.9g} Hz" if crossing["frequency_hz"] else "without oscillation"
        lines.append(f"  {name} = {crossing['value']:.15g}: a motion becomes {crossing['becomes']}, {how}")
    for low, high in pairwise([ends[0], *(x["value"] for x in facts["crossings"]), ends[1]] if ends else []):
        inside = stable[(values > low) & (values < high)]
        if len(inside):
            lines.append(f"  {low:.9g} < {name} < {high:.9g}: {'stable' if inside.all() else 'unstable'}")
    return [terminal.fold(line, limit) for line in lines]


def _response(facts: dict[str, Any], limit: int | None) -> list[str]:
    span = (
        f", {facts['frequencies']} frequencies from {facts['span_hz'][0]:.6g} to {facts['span_hz'][1]:.6g} Hz" if facts["span_hz"] else ""
    )
    rows = [["output", "input", "largest gain", "at Hz"]]
    for peak in facts["largest"]:
        units = f"{facts['outputs'][peak['output']]} / ({facts['inputs'][peak['input']]})"
        rows.append([peak["output"], peak["input"], f"{peak['gain']:.6g} {units}", f"{peak['frequency_hz']:.6g}"])
    return [f"{facts['title']}: state space and frequency response{span}", *terminal.table(rows, limit, indent="  ")]
