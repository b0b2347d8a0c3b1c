"""Pictures of modes, root loci and frequency responses, and what of them may be asked for."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from mbsim.model.file.errors import did_you_mean
from mbsim.plots.figure import missing_characters, save
from mbsim.plots.fonts import give_fonts
from mbsim.plots.mode_shapes import shape
from mbsim.plots.panels import PlotError
from mbsim.plots.response import bode
from mbsim.plots.roots import PARTS, locus, plane
from mbsim.plots.shown import ShownFigure
from mbsim.plots.style import STYLE, literal
from mbsim.results import outputs
from mbsim.results.linear import Saved, SavedLocus, SavedModes, SavedResponse, choose_modes

SUFFIXES = (".png", ".pdf", ".svg")
EIGENVALUES = "eigenvalues"
FIRST = 23  # modes that are drawn where none is named
FEW, COLUMNS, MANY = 6, 3, 4  # more pictures than a few stand in more columns


def draw(saved: Saved, what: list[str] | None, path: Path, force: bool = False) -> None:
    """Draw the items of `what`, or all that matters, into a .png, .pdf or .svg file.

    Items of modes: `eigenvalues`, `mode:K` (the K-th as `mbsim modes` lists them); of a locus: `growth`, `frequency`, `plane`; of a
    response: its outputs. Raises PlotError for other items and another suffix, OutputError where a foreign file is in the way, OSError.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise PlotError(f"cannot write {path}: the suffix says the format, one of {', '.join(SUFFIXES)}")
    with mpl.rc_context(STYLE), missing_characters(suffix), outputs.replacing(path, force) as part:
        save(_title(saved, what), part, suffix)


def figure(saved: Saved, what: list[str] | None) -> Figure:
    """The same as a figure of matplotlib, which notebooks show. Raises PlotError."""
    with mpl.rc_context(STYLE):
        made = _title(saved, what)
    give_fonts(made)
    return made


def _title(saved: Saved, what: list[str] | None) -> Figure:
    made = _figure(saved, what)
    made.suptitle(literal(saved.title), x=0.012, ha="left", fontsize=11, fontweight="bold")
    return made


def _figure(saved: Saved, what: list[str] | None) -> Figure:
    if isinstance(saved, SavedModes):
        return _modes(saved, what)
    if isinstance(saved, SavedLocus):
        parts = tuple(dict.fromkeys(_choose(what, PARTS))) or PARTS
        rows = max(1, len(set(parts) - {"plane"}))
        figure = ShownFigure(figsize=(9.5 if len(parts) > 1 and "plane" in parts else 6.5, 2.6 * rows + 0.9), layout="constrained")
        locus(figure, saved, parts)
        return figure
    return _response(saved, what)


def _modes(saved: SavedModes, what: list[str] | None) -> Figure:
    modes = choose_modes(saved)
    words = [EIGENVALUES, *(f"mode:{k + 1}" for k in range(len(modes)))]
    items = _choose(what, words) or words[: FIRST + 1]
    columns = min(COLUMNS if len(items) <= FEW else MANY, len(items))
    rows = -(-len(items) // columns)
    figure = ShownFigure(figsize=(3.6 * columns + 0.4, 3.1 * rows + 0.6), layout="constrained")
    for index, item in enumerate(items):
        axes = figure.add_subplot(rows, columns, index + 1)
        if item == EIGENVALUES:
            plane(axes, saved.values)
        else:
            number = words.index(item)
            shape(axes, saved, number, modes[number - 1])
    return figure


def _response(saved: SavedResponse, what: list[str] | None) -> Figure:
    picked = [saved.outputs.index(name) for name in dict.fromkeys(_choose(what, saved.outputs))] or list(range(len(saved.outputs)))
    figure = ShownFigure(figsize=(4.6 * len(picked) + 0.6, 5.6), layout="constrained")
    bode(figure, saved, picked)
    return figure


def _choose(what: list[str] | None, words: "list[str] | tuple[str, ...]") -> list[str]:
    """The items that were asked for. Raises PlotError for one that is not there."""
    for item in what or []:
        if item not in words:
            raise PlotError(f"the file has no '{item}'{did_you_mean(item, words)}")
    return list(what or [])
