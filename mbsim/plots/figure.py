"""A picture of a result: panels drawn into one file."""

import logging
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from mbsim.plots.coincide import Style, styles
from mbsim.plots.fonts import give_fonts
from mbsim.plots.look import Look
from mbsim.plots.panels import MAX_LINES, TIME, Line, Panel, PlotError, with_units
from mbsim.plots.shown import ShownFigure
from mbsim.plots.style import COLOURS, DASHES, GREY, literal
from mbsim.plots.together import shared_title, together
from mbsim.results import outputs
from mbsim.results.read import Result
from mbsim.results.represent import accuracy, clock
from mbsim.version import __version__

log = logging.getLogger("mbsim")

SUFFIXES = (".png", ".pdf", ".svg")
AGAIN = (3.7, 1.6)  # dashes of lines that have the colour of an earlier one
MOST_MARKS = 40  # events that are marked
MAX_HEADER = 120  # characters of a failure in the header


def plot(
    results: Result | Sequence[Result],
    what: list[str] | None,
    output: Path,
    force: bool = False,
    look: Look | None = None,
    names: Sequence[str] = (),
) -> None:
    """Draw the items of `what`, or the overview if there are none, into a .png, .pdf or .svg file; of several results over each other.

    `names` tells several results apart; without them their titles do.
    Raises PlotError for an item that the result does not hold and for another suffix, OutputError where something is that is no picture of
    ours (with `force` it is replaced), OSError when the file cannot be written.
    """
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise PlotError(f"cannot write {output}: the suffix says the format, one of {', '.join(SUFFIXES)}")
    look = look or Look()
    every = [results] if isinstance(results, Result) else list(results)
    drawn = together(every, what, names)
    with matplotlib.rc_context(look.settings), missing_characters(suffix), outputs.replacing(output, force) as part:
        save(_figure(every, drawn, look), part, suffix)


def figure(results: Result | Sequence[Result], what: list[str] | None, look: Look | None = None, names: Sequence[str] = ()) -> Figure:
    """The same as a figure of matplotlib, which notebooks show. Raises PlotError."""
    look = look or Look()
    every = [results] if isinstance(results, Result) else list(results)
    drawn = together(every, what, names)
    with matplotlib.rc_context(look.settings):
        made = _figure(every, drawn, look)
    give_fonts(made)
    return made


def save(figure: Figure, part: Path, suffix: str) -> None:
    """Write a figure with the mark of mbsim."""
    give_fonts(figure)
    made_by = {"Software" if suffix == ".png" else "Creator": f"mbsim {__version__}"}
    figure.savefig(part, format=suffix[1:], dpi=160, metadata=made_by)
    if suffix == ".svg":
        part.write_text(outputs.mark_text(part.read_text(encoding="utf-8"), suffix), encoding="utf-8", newline="")


@contextmanager
def missing_characters(suffix: str) -> Iterator[None]:
    """Say once, in plain words, which characters no font has; matplotlib warns of each with a line of its source.

    The text of an .svg stays text, for which the fonts of the one who looks at it count.
    """
    finder = logging.getLogger("matplotlib.font_manager")  # says that a font has no bold letters
    level = finder.level
    finder.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        finder.setLevel(level)
    missing = sorted({found[1] for warning in caught if (found := re.match(r"Glyph \d+ \((.*)\) missing from", str(warning.message)))})
    if missing and suffix != ".svg":
        log.warning("no font here has the characters %s, which are drawn as boxes", ", ".join(missing[:8]))
    for warning in caught:
        if not str(warning.message).startswith("Glyph "):
            log.debug("%s", warning.message)


def _figure(results: Sequence[Result], panels: list[Panel], look: Look) -> Figure:
    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    width, height = look.inches(columns, rows)
    pads = (0.03, 0.03) if look.printed else (0.09, 0.07)
    figure = ShownFigure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=pads[0], h_pad=pads[1]))
    for index, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, index + 1)
        _draw(axes, panel, len(results), look)
        if panel.x_label == TIME and len(results) == 1:
            _mark_events(axes, results[0])
    title = look.title if look.title is not None else "" if look.printed else shared_title(results)
    details, failure = ("", "") if look.printed or len(results) > 1 else _header(results[0])
    if not title and not details and not failure:
        return figure
    # The empty lines below the title make the layout leave room for the details, which are set in another style.
    room = "\n" * ((1 if details else 0) + (1 if failure else 0))
    figure.suptitle(literal(title) + room, x=0.012, ha="left", fontsize=11, fontweight="bold", linespacing=1.35)
    for number, (text, colour) in enumerate([(details, GREY), (failure, COLOURS[1])]):
        figure.text(0.012, 1 - (0.31 + 0.19 * number) / height, literal(text), color=colour, va="top")
    return figure


def _mark_events(axes: Axes, result: Result) -> None:
    """Lines at the times of events, where there are few enough to tell them apart."""
    times = sorted({float(event["time"]) for event in result.events})
    for time in times if len(times) <= MOST_MARKS else []:
        axes.axvline(time, color=GREY, linewidth=0.6, linestyle=":", zorder=0)


def _header(result: Result) -> tuple[str, str]:
    """How the result was made, and what went wrong, empty for a complete run."""
    attributes = result.attributes
    parts = [f"{key} {attributes[key]}" for key in ("method", "integrator") if key in attributes]
    parts += [text] if (text := accuracy(attributes)) else []
    status = attributes.get("status", "complete")
    over, unit = clock(attributes)
    reason = str(attributes.get("failure", "")).partition("\n")[0] or f"the last row is {over} = {result.time[-1]:.6g} {unit}"
    failure = "" if status == "complete" else f"run {status}: {reason}"
    return "  ·  ".join(parts), failure if len(failure) <= MAX_HEADER else failure[: MAX_HEADER - 1] + "…"


def _draw(axes: Axes, panel: Panel, runs: int, look: Look) -> None:
    units = {line.units for line in panel.lines}
    shared = units.pop() if len(units) == 1 else "1"
    lines = panel.lines[:MAX_LINES]
    usual = _usual(lines, runs, look)
    for line, colour, style in zip(lines, _colours(lines, runs), styles(lines, panel.logarithmic, usual), strict=True):
        label = line.label if shared == line.units else with_units(line.label, line.units)
        axes.plot(line.x, line.y, linestyle=style, color=colour, label=literal(label))
    if not (look.printed and len(lines) == 1):  # its axis says what it is
        axes.set_title(literal(panel.title))
    axes.set_xlabel(literal(panel.x_label))
    axes.set_ylabel(literal(with_units(panel.quantity, shared)))
    if panel.logarithmic:
        axes.set_yscale("log")
    if panel.equal_scales:
        axes.set_aspect("equal", adjustable="datalim")
    if look.printed and len(lines) == 1 and not panel.notes:
        return
    if panel.lines:
        drawn = zip(axes.get_lines(), usual, strict=True)  # whole: a short line may show none of its dashes
        handles = [Line2D([], [], color=line.get_color(), linestyle=style, label=line.get_label()) for line, style in drawn]
        hidden = len(panel.lines) - MAX_LINES
        notes = [f"and {hidden} more"] * (hidden > 0) + panel.notes
        handles += [Line2D([], [], linestyle="none", label=note) for note in notes]
        place = {"loc": "best"} if look.printed else {"loc": "upper left", "bbox_to_anchor": (1.0, 1.02), "borderaxespad": 0.2}
        axes.legend(handles=handles, **place)


def _colours(lines: Sequence[Line], runs: int) -> list[str]:
    """A colour for each line; of several results the same for the same line, where each has more than one."""
    several = runs > 1 and len(lines) > runs
    seen: Counter[int] = Counter()
    found = []
    for number, line in enumerate(lines):
        found.append(COLOURS[(seen[line.run] if several else number) % len(COLOURS)])
        seen[line.run] += 1
    return found


def _usual(lines: Sequence[Line], runs: int, look: Look) -> list[Style]:
    """The dashes of each line where it coincides with no other: of several results by the result, in print by the line."""
    if runs > 1 and len(lines) > runs:
        return [DASHES[line.run % len(DASHES)] for line in lines]
    if look.printed:
        return [DASHES[number % len(DASHES)] for number in range(len(lines))]
    return ["-" if number < len(COLOURS) else (0.0, AGAIN) for number in range(len(lines))]
