"""`mbsim draw`: the schematic of a mechanism in a file."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from mbsim.plots.figure import SUFFIXES, missing_characters, save
from mbsim.plots.panels import PlotError
from mbsim.plots.schematic import draw
from mbsim.plots.sheet import INK
from mbsim.plots.shown import ShownFigure
from mbsim.plots.style import GREY, STYLE, literal
from mbsim.results import outputs
from mbsim.scene.camera import camera
from mbsim.scene.motion import Motion
from mbsim.scene.read import Floats, Scene
from mbsim.scene.traces import Trace

WIDEST, HIGHEST = 7.2, 7.2  # inches
NARROWEST, LOWEST = 3.2, 2.2
BAND, FOOT = 0.34, 0.30  # inches for the title and for the scale
NAMED = 24  # joints; mechanisms with more have no names in the picture
MARGIN = 0.035  # of the larger side


def schematic(
    scene: Scene,
    poses: Motion,
    k: int,
    output: Path,
    title: str,
    view: str | None = None,
    names: bool | None = None,
    force: bool = False,
    folder: Path = Path(),
    traces: Sequence[Trace] = (),
) -> None:
    """Draw the pose `k` of a motion, with ways of points, into a .png, .pdf or .svg file. `folder` is where files of meshes are.

    Raises PlotError for another suffix and an unknown camera, OutputError and OSError where the file cannot be written.
    """
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise PlotError(f"cannot write {output}: the suffix says the format, one of {', '.join(SUFFIXES)}")
    with matplotlib.rc_context(STYLE), missing_characters(suffix), outputs.replacing(output, force) as part:
        save(draw_schematic(scene, poses, k, title, view, names, folder, traces), part, suffix)


def draw_schematic(
    scene: Scene,
    poses: Motion,
    k: int,
    title: str = "",
    view: str | None = None,
    names: bool | None = None,
    folder: Path = Path(),
    traces: Sequence[Trace] = (),
) -> Figure:
    """The schematic of the pose `k` as a figure, for a caller that has set the style. Raises PlotError for an unknown camera."""
    try:
        seen_from = camera(scene, view)
    except ValueError as error:
        raise PlotError(str(error)) from None
    figure = ShownFigure(figsize=(6.0, 4.0))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    made = draw(axes, scene, poses, k, seen_from, folder, traces)
    named = names if names is not None else len(scene.joints) <= NAMED
    for again in range(1 + named):  # a second time, because names need room of their own
        factor = _frame(figure, axes, np.concatenate(made.sheet.points))
        if named and not again:
            made.names(1.0 / 72.0 / factor)
    _words(figure, title, factor)
    return figure


def _frame(figure: Figure, axes: "matplotlib.axes.Axes", points: Floats) -> float:
    """The size of the picture, from what it shows, with a band above and below. Returns inches per metre."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = MARGIN * float(max(high - low))
    low, high = low - margin, high + margin
    wide, tall = (float(x) for x in high - low)
    factor = min(WIDEST / wide, HIGHEST / tall)
    width, height = max(wide * factor, NARROWEST), max(tall * factor, LOWEST)
    total = height + BAND + FOOT
    figure.set_size_inches(width, total)
    axes.set_position((0.0, FOOT / total, 1.0, height / total))
    middle = (low + high) / 2.0
    axes.set_xlim(middle[0] - width / factor / 2.0, middle[0] + width / factor / 2.0)
    axes.set_ylim(middle[1] - height / factor / 2.0, middle[1] + height / factor / 2.0)
    return float(factor)


def _words(figure: Figure, title: str, factor: float) -> None:
    """The title above and a scale below."""
    width, total = figure.get_size_inches()
    title = textwrap.shorten(title, max(int(width / 0.088), 12), placeholder=" …")
    figure.text(0.12 / width, 1.0 - 0.09 / total, literal(title), va="top", fontsize=9.5, fontweight="bold", color=INK)
    length = _round(0.22 * width / factor)
    x, y = 0.14 / width, 0.12 / total
    step = length * factor / width
    for points_of in (
        [(x, y), (x + step, y)],
        [(x, y - 0.035 / total), (x, y + 0.035 / total)],
        [(x + step, y - 0.035 / total), (x + step, y + 0.035 / total)],
    ):
        figure.add_artist(matplotlib.lines.Line2D(*zip(*points_of, strict=True), color=GREY, lw=1.0))
    figure.text(x + step + 0.06 / width, y, f"{length:g} m", va="center", fontsize=7.5, color=GREY)


def _round(length: float) -> float:
    """1, 2 or 5 times a power of ten, not above."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(max(k for k in (1.0, 2.0, 5.0) if k * power <= length * (1.0 + 1e-9)) * power)
