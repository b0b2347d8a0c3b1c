"""Pictures from a result: the default 2x2 panel, single variables, labels, and paths `x~y`.

An item of `what` is a group (`energy`, `drift`), a variable (`joint_force`), a label (`theta`, `crank.x`), a variable with labels
(`joint_force:A`, `body_position:slider:x`), or two of the latter against each other (`crank.x~crank.y`).
"""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from mbsim import outputs
from mbsim.results import Result, ResultError
from mbsim.version import __version__

log = logging.getLogger("mbsim")

SUFFIXES = (".png", ".pdf", ".svg")
MAX_LINES = 10  # in one panel; more cannot be distinguished
RESIDUAL_FLOOR = 1e-18  # an exact zero has no logarithm
# Okabe and Ito's colours, which colour-blind readers can distinguish, without yellow, which is invisible on white paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
GREY = "#555555"
MAX_HEADER = 120  # characters of a failure in the header
STYLE = {
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": "#888888",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.xmargin": 0.0,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.color": "#888888",
    "ytick.color": "#888888",
    "xtick.labelcolor": "#333333",
    "ytick.labelcolor": "#333333",
    "lines.linewidth": 1.2,
    "lines.solid_joinstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "legend.handlelength": 1.4,
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,
}
# Vectors whose length is more informative than their components.
MAGNITUDES = (
    "joint_force",
    "joint_torque",
    "joint_force_local",
    "joint_torque_local",
    "body_velocity",
    "body_angular_velocity",
)


# Variables whose own name is not a word.
WORDS = {"q": "coordinates", "v": "speeds"}
# Labels of axes; other variables use their own name.
QUANTITIES = {
    "q": "coordinate",
    "v": "speed",
    "body_position": "position",
    "body_orientation": "quaternion",
    "body_velocity": "velocity",
    "body_angular_velocity": "angular velocity",
    "joint_force": "force",
    "joint_torque": "torque",
    "joint_force_local": "force",
    "joint_torque_local": "torque",
    "driver_effort": "effort",
}
UNIQUENESS = {"joint": "joint_reaction_unique", "constraint": "multiplier_unique"}  # by dimension


class PlotError(ValueError):
    """A requested item is not in the result, or cannot be drawn."""


@dataclass
class Line:
    """One curve; `units` "1" when it has none."""

    label: str
    x: np.ndarray  # (rows,)
    y: np.ndarray  # (rows,)
    units: str


@dataclass
class Panel:
    """One pair of axes. `quantity` names the common quantity of the lines."""

    title: str
    quantity: str
    lines: list[Line] = field(default_factory=list)
    logarithmic: bool = False
    x_label: str = "time (s)"
    equal_scales: bool = False


def plot(result: Result, what: list[str] | None, output: Path, force: bool = False) -> None:
    """Draw the items of `what`, or the 2x2 overview if there are none, into a .png, .pdf or .svg file.

    Raises PlotError for an item that the result does not contain and for another suffix, OutputError if the path holds something other than
    a picture of mbsim (with `force` it is replaced), OSError if the file cannot be written.
    """
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise PlotError(f"cannot write {output}: the suffix says the format, one of {', '.join(SUFFIXES)}")
    if not len(result.time):
        raise PlotError("the result holds no rows: the run ended before its first output")
    panels = [_panel(result, item) for item in what] if what else _overview(result)
    with matplotlib.rc_context(STYLE), _missing_characters(), outputs.replacing(output, force) as part:
        made_by = {"Software" if suffix == ".png" else "Creator": f"mbsim {__version__}"}
        _figure(result, panels).savefig(part, format=suffix[1:], dpi=160, metadata=made_by)
        if suffix == ".svg":
            part.write_text(outputs.marked(part.read_text(encoding="utf-8"), suffix), encoding="utf-8", newline="")


@contextmanager
def _missing_characters() -> Iterator[None]:
    """Report once, in plain words, the characters that no font has. matplotlib warns of each with a line of its source."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing = sorted({found[1] for warning in caught if (found := re.match(r"Glyph \d+ \((.*)\) missing from", str(warning.message)))})
    if missing:
        log.warning("no font here has the characters %s, which are drawn as boxes", ", ".join(missing[:8]))
    for warning in caught:
        if not str(warning.message).startswith("Glyph "):
            log.debug("%s", warning.message)


def _literal(text: str) -> str:
    """Text in which a dollar sign does not begin a formula."""
    return text.replace("$", r"\$")


def _overview(result: Result) -> list[Panel]:
    """Motion, reactions, energies and drift, with replacements for variables that the model lacks."""
    motion = "body_position" if "body_position" in result else "q"
    reactions = next((name for name in ("joint_force", "multiplier", "v") if name in result), motion)
    wanted = [motion, reactions, "energy", "drift" if result.labels("constraint") else "energy_balance"]
    available = [item for item in wanted if item in result or item in _groups(result)]
    return [_panel(result, item) for item in available]


def _groups(result: Result) -> list[str]:
    members = {"energy": "energy_kinetic", "drift": "residual_position"}
    return [group for group, member in members.items() if member in result]


def _panel(result: Result, item: str) -> Panel:
    try:
        if "~" in item:
            return _path(result, item)
        if item in _groups(result):
            return _energies(result) if item == "energy" else _drift(result)
        return _series(result, item)
    except ResultError as error:
        raise PlotError(f"cannot plot {item!r}: {error}\n{_choices(result)}") from error


def _choices(result: Result) -> str:
    """The items that may be requested; one line per kind."""
    groups, variables = _groups(result), [name for name in result.names() if result.dimensions(name)[0] == "time" and name != "time"]
    kinds = ("coordinate", "speed", "driver", "constraint", "joint", "body")
    labels = list(dict.fromkeys(label for kind in kinds for label in result.labels(kind)))
    shown = labels if len(labels) <= 40 else [*labels[:40], f"... {len(labels) - 40} more"]
    lines = [f"groups: {', '.join(groups)}"] if groups else []
    return "\n".join([*lines, f"variables: {', '.join(variables)}", f"labels: {', '.join(shown)}"])


def _energies(result: Result) -> Panel:
    kinetic, potential, time = result["energy_kinetic"], result["energy_potential"], result.time
    lines = [Line("kinetic", time, kinetic, "J"), Line("potential", time, potential, "J")]
    total = kinetic + potential
    if "energy_work" in result:
        lines.append(Line("total − work", time, total - result["energy_work"], "J"))
    else:
        lines.append(Line("total", time, total, "J"))
    return Panel("Energy", "energy", lines)


def _drift(result: Result) -> Panel:
    lines = []
    for level in ("position", "velocity", "acceleration"):
        if f"residual_{level}" in result:
            lines.append(Line(level, result.time, np.maximum(result[f"residual_{level}"], RESIDUAL_FLOOR), "1"))
    return Panel("Constraint drift", "largest residual (SI units)", lines, logarithmic=True)


def _path(result: Result, item: str) -> Panel:
    sides = [side.strip() for side in item.split("~")]
    if len(sides) != 2:
        raise PlotError(f"cannot plot {item!r}: a path has two sides, x~y")
    across, up = (_scalar(result, side) for side in sides)
    return Panel(
        title=f"Path of {up.label} against {across.label}",
        quantity=up.label,
        lines=[Line(up.label, across.y, up.y, up.units)],
        x_label=_with_units(across.label, across.units),
        equal_scales=across.units == up.units == "m",
    )


def _scalar(result: Result, item: str) -> Line:
    """One number against time. Raises PlotError for a vector, and names its components."""
    variable, *labels = result.resolve(*item.split(":"))
    values = result.select(variable, *labels)
    if values.ndim > 1:
        choices = result.labels(result.dimensions(variable)[1 + len(labels)])[:MAX_LINES]
        given = item if labels else variable
        raise PlotError(f"{item!r} has several components, a path needs one: {', '.join(f'{given}:{choice}' for choice in choices)}")
    return Line(_name(result, item), result.time, values, result.units(variable, *labels[:1]))


def _name(result: Result, item: str) -> str:
    """An item as a reader wants it: `theta`, `joint force A`, `body position slider x`."""
    variable, *labels = result.resolve(*item.split(":"))
    bare_scalar = item in labels and variable in ("q", "v")
    return item if bare_scalar else " ".join([WORDS.get(variable, variable.replace("_", " ")), *labels])


def _series(result: Result, item: str) -> Panel:
    """All lines of a variable under the given labels. Forces, torques and velocities of several objects are drawn as lengths."""
    variable, *labels = result.resolve(*item.split(":"))
    dimensions = result.dimensions(variable)
    if dimensions[0] != "time":
        raise ResultError(f"{variable} does not change with time")
    values = result.select(variable, *labels)
    free = dimensions[1 + len(labels) :]
    name = _name(result, item)
    title = name if labels and name == item else name[:1].upper() + name[1:]  # a user's own name is unchanged
    panel = Panel(title, QUANTITIES.get(variable, variable.replace("_", " ")))
    if variable in MAGNITUDES and len(free) == 2:
        values, free = np.linalg.norm(values, axis=-1), free[:1]
        panel.quantity = f"magnitude of {panel.quantity}"
    if not free:
        panel.quantity = name
    elif values.shape[1:] == (1,):  # there is no legend to name the label
        panel.title = " ".join([panel.title, *result.labels(free[0])])
    unique = {kind: result[name] for kind, name in UNIQUENESS.items() if name in result}
    for index in np.ndindex(values.shape[1:]):
        line = values[(slice(None), *index)]
        names = [result.labels(dimension)[i] for dimension, i in zip(free, index, strict=True)]
        if free[-1:] == ("xyz",) and not line.any() and values.any():
            continue  # the third axis of a planar model
        note = " (not unique)" if any(kind in unique and not unique[kind][i] for kind, i in zip(free, index, strict=True)) else ""
        panel.lines.append(Line(" ".join(names) + note, result.time, line, result.units(variable, *[*labels, *names][:1])))
    return panel


def _with_units(quantity: str, units: str) -> str:
    """`speed (m/s)` for the units `m s-1`."""
    pretty = units.replace(" s-1", "/s").replace(" s-2", "/s²").replace("s-1", "1/s").replace("s-2", "1/s²")
    return quantity if units == "1" else f"{quantity} ({pretty})"


def _figure(result: Result, panels: list[Panel]) -> Figure:
    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    height = 2.5 * rows + 0.8
    figure = Figure(figsize=(4.4 * columns + 1.0, height), layout=ConstrainedLayoutEngine(w_pad=0.09, h_pad=0.07))
    for index, panel in enumerate(panels):
        _draw(figure.add_subplot(rows, columns, index + 1), panel)
    details, failure = _header(result)
    # The empty lines below the title reserve room for the details, which have another style.
    title = _literal(result.attributes.get("title", ""))
    figure.suptitle(title + "\n" * (2 if failure else 1), x=0.012, ha="left", fontsize=11, fontweight="bold", linespacing=1.35)
    for number, (text, colour) in enumerate([(details, GREY), (failure, COLOURS[1])]):
        figure.text(0.012, 1 - (0.31 + 0.19 * number) / height, _literal(text), color=colour, va="top")
    return figure


def _header(result: Result) -> tuple[str, str]:
    """How the result was made, and why it failed (empty for a complete run)."""
    attributes = result.attributes
    parts = [f"{key} {attributes[key]}" for key in ("method", "integrator") if key in attributes]
    parts += [f"step {attributes['step']:g} s"] if isinstance(attributes.get("step"), float) else []
    status = attributes.get("status", "complete")
    reason = str(attributes.get("failure", "")).partition("\n")[0] or f"the last row is t = {result.time[-1]:.6g} s"
    failure = "" if status == "complete" else f"run {status}: {reason}"
    return "  ·  ".join(parts), failure if len(failure) <= MAX_HEADER else failure[: MAX_HEADER - 1] + "…"


def _draw(axes: Axes, panel: Panel) -> None:
    units = {line.units for line in panel.lines}
    shared = units.pop() if len(units) == 1 else "1"
    for number, line in enumerate(panel.lines[:MAX_LINES]):
        label = line.label if shared == line.units else _with_units(line.label, line.units)
        axes.plot(line.x, line.y, "-" if number < len(COLOURS) else "--", color=COLOURS[number % len(COLOURS)], label=_literal(label))
    axes.set_title(_literal(panel.title))
    axes.set_xlabel(_literal(panel.x_label))
    axes.set_ylabel(_literal(_with_units(panel.quantity, shared)))
    if panel.logarithmic:
        axes.set_yscale("log")
    if panel.equal_scales:
        axes.set_aspect("equal", adjustable="datalim")
    if len(panel.lines) > 1:
        handles: list[Line2D] = list(axes.get_lines())
        hidden = len(panel.lines) - MAX_LINES
        if hidden > 0:
            handles.append(Line2D([], [], linestyle="none", label=f"and {hidden} more"))
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.2)
