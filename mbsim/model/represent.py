"""What a model says of itself in an interpreter and in a notebook: a few lines in place of all that it holds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mbsim.hooks import show

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Model = Any  # the checked model, whose class has these functions as its methods

SHOWN = 12  # names of a kind
SECTIONS = (
    "parameters",
    "bodies",
    "joints",
    "couplings",
    "drivers",
    "forces",
    "controllers",
    "constraints",
    "states",
    "tables",
    "measures",
)


def text(model: Model) -> str:
    """Its name, its kind, and the names in its blocks."""
    return "\n".join([f"<mbsim model: {model.name}>", f"  {_kind(model)}", *(f"  {section}: {names}" for section, names in _list(model))])


def html(model: Model) -> str:
    """The same as a table, and the text of its file."""
    from html import escape

    rows = "".join(
        f"<tr><td style='text-align:left'>{section}</td><td style='text-align:left'>{escape(names)}</td></tr>"
        for section, names in _list(model)
    )
    source = f"<details><summary>text</summary><pre>{escape(model.text)}</pre></details>" if model.text else ""
    return f"<div><b>{escape(model.name)}</b><br>{escape(_kind(model))}<table>{rows}</table>{source}</div>"


def _kind(model: Model) -> str:
    if model.coordinates:
        return f"own coordinates {some(model.coordinates)}"
    where = "in space" if model.dimension == 3 else "in the plane"
    return f"{where}, in {'joint' if model.in_joint_coordinates else 'absolute'} coordinates"


def _list(model: Model) -> list[tuple[str, str]]:
    found = [(section, getattr(model, section)) for section in SECTIONS]
    return [
        (section, some([f"{name} = {value:g}" for name, value in given.items()] if section == "parameters" else list(given)))
        for section, given in found
        if given
    ]


def some(names: Sequence[str], most: int = SHOWN, first: int | None = None) -> str:
    """All names, of more than `most` only the `first` ones (`most` where not given) and how many more there are."""
    kept = len(names) if len(names) <= most else most if first is None else first
    return ", ".join(names[:kept]) + (f" and {len(names) - kept} more" if kept < len(names) else "")


def draw(model: "Model", camera: str | None = None, names: bool | None = None, as_drawn: bool = False) -> "Figure":
    """The schematic of `mbsim draw` at the start, or before assembly with `as_drawn`, as a matplotlib figure that a notebook shows.

    `camera` and `names` as of the command. Raises ModelError and StartError where the model cannot be assembled, ValueError where it has
    no bodies, mbsim.plots.panels.PlotError (a ValueError) for an unknown camera.
    """
    figure: Figure = show("draw model", model, camera, names, as_drawn)
    return figure
