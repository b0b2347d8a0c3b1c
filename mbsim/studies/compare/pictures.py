"""Pictures of the comparison of one model: the mechanism, work and precision, and the time histories of the finest runs."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from mbsim.plots.drawing import draw_schematic
from mbsim.plots.figure import SUFFIXES as FORMATS
from mbsim.plots.figure import missing_characters, save
from mbsim.plots.panels import PlotError
from mbsim.plots.style import COLOURS, RESIDUAL_FLOOR, STYLE
from mbsim.results import outputs
from mbsim.scene.motion import of_result
from mbsim.scene.read import scene_of
from mbsim.studies.compare.rows import Case, Row

# One for each method; colour-blind readers can distinguish them by lightness.
PALETTE = (*COLOURS, "#7F3C8D", "#9A9A9A", "#6B4E16")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", ":", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
GUIDE = "#999999"
BUCKETS = 120
LEGEND_CHARACTERS = 165  # that the width of a picture holds
SMALLEST = 1e-17  # drawn for an error of zero, which has no logarithm


def mechanism(case: Case) -> str:
    """The schematic of the model at its start; empty for a model without bodies and where no run has a row."""
    results = [case.reference.result, *(row.result for row in case.rows)]
    shown = next((result for result in results if result is not None and result.scene and len(result.time)), None)
    if shown is None:
        return ""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": case.name}), missing_characters(".svg"):
        return _svg(draw_schematic(scene_of(shown), of_result(shown), 0))


@dataclass
class Curve:
    """The runs of one method and integrator, coarse to fine: wall times (s), evaluations, errors of the positions (m or rad)."""

    method: str
    integrator: str
    times: list[float]
    evaluations: list[float]
    errors: list[float]

    @property
    def key(self) -> tuple[str, str]:
        return self.method, self.integrator


def work_precision(case: Case) -> str:
    """Error against wall time and against evaluations, log-log, a line per method and integrator."""
    curves = []
    for (method, integrator), rows in case.ladders().items():
        ran = [row for row in rows if row.against is not None]
        if ran:
            errors = [max(row.judgement.errors["position"], SMALLEST) for row in ran]
            curves.append(Curve(method, integrator, [row.wall_time for row in ran], [_evaluations(row) for row in ran], errors))
    known = case.scales.get("position")
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": case.name}):
        return _svg(_work_precision(list(case.ladders()), curves, 0.0 if known is None else known.reference))


def save_work_precision(facts: dict[str, Any], path: Path, force: bool = False) -> None:
    """The same of a comparison's facts, as its file has them, into a .png, .pdf or .svg file; of the first model where there are several.

    Raises PlotError where no row has an error, and for another suffix; OutputError, OSError.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise PlotError(f"cannot write {path}: the suffix says the format, one of {', '.join(FORMATS)}")
    model: dict[str, Any] = facts["models"][0] if facts["models"] else {"rows": []}
    every = list(dict.fromkeys((str(row.get("method")), str(row.get("integrator"))) for row in model["rows"]))
    curves = {key: Curve(*key, [], [], []) for key in every}
    for row in model["rows"]:
        numbers = [row.get(name) for name in ("wall_time", "evaluations", "rms_error")]
        if all(isinstance(x, (int, float)) for x in numbers):
            curve = curves[str(row.get("method")), str(row.get("integrator"))]
            for values, number in zip((curve.times, curve.evaluations, curve.errors), numbers, strict=True):
                values.append(max(float(number), SMALLEST))
    ran = [curve for curve in curves.values() if curve.errors]
    if not ran:
        raise PlotError("no row of the comparison has an error that is known")
    reference = (model.get("reference") or {}).get("errors", {}).get("position")
    with matplotlib.rc_context(STYLE), missing_characters(suffix), outputs.replacing(path, force) as part:
        save(_work_precision(every, ran, reference or 0.0), part, suffix)


def _work_precision(every: list[tuple[str, str]], curves: list[Curve], reference: float) -> Figure:
    """`every` is each method and integrator of the comparison, those that failed included; `reference` the error of the reference."""
    keys = [curve.key for curve in curves]
    figure = _figure(3.5, _legend(every, keys, [], markers=True))
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, name, work in ((left, "wall time (s)", "times"), (right, "evaluations of the equations", "evaluations")):
        for (colour, marker, line), curve in zip(_looks(every, keys), curves, strict=True):
            x = getattr(curve, work)
            axes.plot(
                x, curve.errors, linestyle=line, marker=marker, color=colour, markersize=5, markeredgecolor="white", markeredgewidth=0.6
            )
        _logarithmic(axes, name)
    left.set_ylabel("rms error of the positions (m, rad)")
    left.set_title("Work and precision: wall time")
    right.set_title("Evaluations")
    if reference > 0.0:
        low, high = left.get_ylim()
        if low / 30.0 < reference < high:
            for axes in (left, right):
                axes.axhline(reference, color=GUIDE, linewidth=0.9, linestyle=(0, (4, 3)))
            left.annotate(
                "error of the reference", (0.01, reference), xycoords=("axes fraction", "data"), xytext=(0, -3),
                textcoords="offset points", ha="left", va="top", color=GUIDE, fontsize=7,
            )  # fmt: skip
    return figure


def histories(case: Case) -> str:
    """Error, drift of positions and of velocities, and energy over time, for the finest run of each method and integrator that ran.

    Each point is the largest value in its BUCKETS-th of the time. Otherwise a repeatedly corrected drift would be a black band.
    """
    every = list(case.ladders())
    finest = {key: ran[-1] for key, rows in case.ladders().items() if (ran := [r for r in rows if r.result is not None])}
    panels: list[tuple[str, str, Callable[[Row], tuple[np.ndarray, np.ndarray] | None]]] = [
        ("Error of the positions", "largest error (m, rad)", _error),
        ("Drift: position constraints", "largest |phi| (m, rad)", lambda row: _series(row, "residual_position")),
        ("Drift: velocity constraints", "largest |C v + xi| (SI units)", lambda row: _series(row, "residual_velocity")),
        ("Energy balance", "|energy balance| (J)", lambda row: _series(row, "energy_balance")),
    ]
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": case.name}):
        figure = _figure(5.6, _legend(every, list(finest), [_level(row) for row in finest.values()], markers=False))
        for axes, (title, quantity, series) in zip(figure.subplots(2, 2).ravel(), panels, strict=True):
            drawn = False
            for (colour, _, line), row in zip(_looks(every, list(finest)), finest.values(), strict=True):
                found = series(row)
                if found is not None and np.isfinite(found[1]).any():
                    axes.plot(*_envelope(*found), linestyle=line, color=colour)
                    drawn = True
            axes.set_title(title)
            axes.set_ylabel(quantity)
            axes.set_xlabel("time (s)")
            if drawn:
                axes.set_yscale("log")
            else:
                axes.text(0.5, 0.5, "not known", ha="center", va="center", transform=axes.transAxes, color=GUIDE)
        return _svg(figure)


def _evaluations(row: Row) -> float:
    assert row.result is not None
    return float(row.result.attributes.get("counts", {}).get("evaluations", np.nan))


def _envelope(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest amount in each of BUCKETS parts of the rows, without the start, whose zero errors would stretch the axis."""
    parts = [part for part in np.array_split(np.arange(1, len(time)), BUCKETS) if len(part)]
    largest = np.array([np.abs(values[part]).max() for part in parts])
    return np.array([time[part[-1]] for part in parts]), np.maximum(largest, RESIDUAL_FLOOR)


def _error(row: Row) -> tuple[np.ndarray, np.ndarray] | None:
    return None if row.against is None else (row.against.time, row.against.position)


def _series(row: Row, name: str) -> tuple[np.ndarray, np.ndarray] | None:
    return None if row.result is None or name not in row.result else (row.result.time, row.result[name])


def _level(row: Row) -> str:
    return f"{'tolerance' if row.adaptive else 'step'} {row.level:g}"


def _looks(every: list[tuple[str, str]], keys: list[tuple[str, str]]) -> list[tuple[str, str, object]]:
    """Colour by method, marker and line by integrator, the same in every picture of the model."""
    methods = list(dict.fromkeys(method for method, _ in every))
    integrators = list(dict.fromkeys(integrator for _, integrator in every))
    colour = dict(zip(methods, cycle(PALETTE), strict=False))
    if len({*integrators} - {"own"}) < 2:  # then the marker shows the method too, so that overlapping lines can be distinguished
        marker, line = dict(zip(methods, cycle(MARKERS), strict=False)), dict(zip(methods, cycle(LINES), strict=False))
        return [(colour[method], marker[method], line[method]) for method, _ in keys]
    marks, lines = dict(zip(integrators, cycle(MARKERS), strict=False)), dict(zip(integrators, cycle(LINES), strict=False))
    return [(colour[method], marks[integrator], lines[integrator]) for method, integrator in keys]


def _logarithmic(axes: Axes, name: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.margins(x=0.06, y=0.1)
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 500.0 * low else (1.0,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(name)


def _legend(every: list[tuple[str, str]], keys: list[tuple[str, str]], levels: list[str], markers: bool) -> list[Line2D]:
    """An entry per method and integrator, with the level if there are any."""
    entries = []
    for i, ((method, integrator), (colour, marker, line)) in enumerate(zip(keys, _looks(every, keys), strict=True)):
        words = ", ".join([method, *([] if integrator == "own" else [integrator]), *levels[i : i + 1]])
        entries.append(
            Line2D(
                [], [], color=colour, linestyle=line, marker=marker if markers else "", markersize=5, markeredgecolor="white", label=words
            )
        )
    return entries


def _columns(entries: list[Line2D]) -> int:
    """As many columns of the legend as fit the width."""
    longest = max((len(str(entry.get_label())) for entry in entries), default=0)
    return max(1, min(4, len(entries), LEGEND_CHARACTERS // (longest + 8)))


def _figure(height: float, entries: list[Line2D]) -> Figure:
    """Empty, with room for the legend below `height` inches of panels."""
    columns = _columns(entries)
    figure = Figure(figsize=(9.4, height + 0.19 * -(-len(entries) // columns)), layout=ConstrainedLayoutEngine(w_pad=0.09, h_pad=0.07))
    if entries:
        figure.legend(handles=entries, loc="outside lower center", ncols=columns, handlelength=2.6)
    return figure


def _svg(figure: Figure) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
