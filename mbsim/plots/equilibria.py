"""The picture of equilibria over a parameter: what is stable, where the curve turns back and where others cross it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mbsim.plots.figure import missing_characters, save
from mbsim.plots.shown import ShownFigure
from mbsim.plots.style import COLOURS, GREY, STYLE, literal
from mbsim.results import outputs

Floats = NDArray[np.float64]
MARKS = {"limit point": "o", "bifurcation": "D"}
UNSTABLE = (0.0, (4.0, 2.0))  # dashes


class Curve(NamedTuple):
    """What is drawn: a parameter (k,) over a coordinate (k,), both with their labels."""

    title: str
    parameter: tuple[str, Floats]
    coordinate: tuple[str, Floats]
    stable: Sequence[bool]
    critical: Sequence[tuple[str, float, float]]  # kind, coordinate, parameter


def draw(curve: Curve, path: Path, force: bool = False) -> None:
    """Draw a curve into a .png, .pdf or .svg file. Raises OutputError where a foreign file is in the way, OSError."""
    suffix = path.suffix.lower()
    with mpl.rc_context(STYLE), missing_characters(suffix), outputs.replacing(path, force) as part:
        save(figure(curve), part, suffix)


def figure(curve: Curve) -> Figure:
    """The same as a figure of matplotlib."""
    title, parameter, coordinate, stable, critical = curve
    made = ShownFigure(figsize=(6.5, 4.2), layout="constrained")
    axes = made.add_subplot()
    axes.margins(0.04)
    is_stable = np.asarray(stable, bool)
    both = is_stable[1:] & is_stable[:-1]  # a line between two points is as stable as both of them
    for chosen, label, colour, dashes in ((both, "stable", COLOURS[0], "-"), (~both, "unstable", COLOURS[1], UNSTABLE)):
        if not chosen.any():
            continue
        x, y = (_pieces(values, chosen) for values in (coordinate[1], parameter[1]))
        axes.plot(x, y, color=colour, linestyle=dashes, label=label)
    for kind, mark in MARKS.items():
        at = [(x, y) for one, x, y in critical if one == kind]
        if at:
            axes.plot(*zip(*at, strict=True), mark, color=COLOURS[6], markersize=4.5, markerfacecolor="white", label=kind, zorder=3)
        for place in at:
            axes.annotate(f"{place[1]:.6g}", place, (5, 3), textcoords="offset points", fontsize=7, color=GREY)
    axes.set_xlabel(literal(coordinate[0]))
    axes.set_ylabel(literal(parameter[0]))
    axes.legend(loc="best")
    made.suptitle(literal(title), x=0.012, ha="left", fontsize=11, fontweight="bold")
    return made


def _pieces(values: Floats, chosen: np.ndarray) -> Floats:
    """The ends of the chosen lines between neighbours, with gaps between them."""
    lines = np.stack([values[:-1], values[1:], np.full(len(values) - 1, np.nan)], axis=1)
    return np.asarray(lines[chosen].ravel())
