"""`mbsim equilibrium --vary` and `--holding`: equilibria over a parameter along their curve, and the loads that friction holds."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim import terminal
from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors
from mbsim.cli._output import complaint, output_errors
from mbsim.cli._static import no_equilibrium, number, varied
from mbsim.results.outputs import RESULT_SUFFIXES

if TYPE_CHECKING:
    from mbsim.analyses.equilibria import Equilibria

PICTURES = (".png", ".pdf", ".svg")


def show_curve(
    path: Path,
    assignments: tuple[str, ...],
    vary: str,
    branch: int,
    keep: tuple[str, ...],
    as_json: bool,
    output: Path | None,
    wide: bool,
    force: bool,
) -> None:
    """Follow the curve, print it, and write what is asked for. Raises InputError, and NotFound where nothing is in balance at its start."""
    name, first, last, count = _range(vary)
    if output is not None:
        from mbsim.results import outputs

        with output_errors():
            outputs.check_suffix(output, (*RESULT_SUFFIXES, *PICTURES))
            outputs.require(output, force, [path])
    from mbsim.analyses.equilibria import follow

    load, _ = varied(path, assignments, "--vary", name)
    picture = output is not None and output.suffix.lower() in PICTURES
    try:
        with no_equilibrium():
            found = follow(load, name, first, last, count, branch, keep, None if picture else output, force)
        limit = terminal.room(wide)
        lines = [terminal.fold(line, limit, items=True) for line in found.lines()]
        lines += [terminal.fold(f"  note: {note}", limit) for note in found.notes]
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) if as_json else "\n".join(lines))
        if output is not None and picture:
            _draw(found, output, force)
        if output is not None:
            click.echo(output, err=True)
    except OSError as error:
        raise complaint(error) from None


def show_holding(path: Path, assignments: tuple[str, ...], name: str, keep: tuple[str, ...], as_json: bool) -> None:
    """Find the values and print them. Raises InputError."""
    from mbsim.analyses.api import holding

    _, model = varied(path, assignments, "--holding", name)
    with model_errors(), no_equilibrium():
        found = holding(model, name, keep=keep)
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else repr(found).removeprefix("<mbsim holding: ").removesuffix(">"))


def _range(vary: str) -> tuple[str, float, float, int]:
    """The parameter, its first and its last value, and the steps. Raises InputError."""
    from mbsim.analyses.equilibria import COUNT, MOST_STEPS

    name, equals, text = vary.partition("=")
    parts = text.split(":")
    if not equals or not name.strip() or len(parts) not in (2, 3):
        raise InputError(f"--vary takes NAME=FROM:TO or NAME=FROM:TO:STEPS (got '{vary}')")
    first, last = (number("--vary", name, part) for part in parts[:2])
    if first == last:
        raise InputError(f"--vary {name}: FROM and TO must differ (got {parts[0]} twice)")
    count = parts[2].strip() if len(parts) == 3 else str(COUNT)
    if not count.isdigit() or not 1 <= int(count) <= MOST_STEPS:
        raise InputError(f"--vary {name}: STEPS is a whole number from 1 to {MOST_STEPS} (got '{count}')")
    return name.strip(), first, last, int(count)


def _draw(found: "Equilibria", output: Path, force: bool) -> None:
    from mbsim.plots.equilibria import Curve, draw

    place = found.shown()
    label = f"{found.coordinates[place]}, {found.units[place]}"
    critical = [(one.kind, float(one.q[place]), one.value) for one in found.critical]
    draw(Curve(found.title, (found.parameter, found.values), (label, found.q[:, place]), found.stable.tolist(), critical), output, force)
