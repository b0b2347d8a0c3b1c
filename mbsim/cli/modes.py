"""Find the modes of a model: eigenvalues, frequencies, damping and shapes of its small motions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim import terminal
from mbsim.cli._errors import InputError
from mbsim.cli._linear import locus_lines
from mbsim.cli._model import assemble_or_exit, read_model
from mbsim.cli._output import complaint, force_option, output_errors, wide_option
from mbsim.cli._static import FROM_THE_MODEL, no_equilibrium, number, varied
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.results.linear import Saved

PICTURES = (".png", ".pdf", ".svg")
SUFFIXES = (".h5", ".hdf5", *PICTURES)
MOST = 100_001  # values of --vary


@click.command()
@click.argument("model")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option(
    "--at",
    default="auto",
    metavar="STATE",
    help="equilibrium, steady, start or RESULT:TIME. Default: the steady motion that the start is or that its speeds lead to, else the "
    "equilibrium.",
)
@click.option("--vary", metavar="NAME=FROM:TO:COUNT", help="A parameter of the model: eigenvalues over it, and where stability changes.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the modes to .h5, or draw them in .png, .pdf, .svg."
)
@wide_option
@force_option
def command(
    model: str, assignments: tuple[str, ...], at: str, vary: str | None, as_json: bool, output: Path | None, wide: bool, force: bool
) -> None:
    """Linearise MODEL about a state. Print eigenvalues, natural frequencies, damping ratios and mode shapes.

    Drivers hold. Eigenvalues that are zero belong to cyclic coordinates, which are named. With --vary the eigenvalues follow a parameter.
    """
    path = find_model(model)
    if output is not None:
        from mbsim.results import outputs

        with output_errors():
            outputs.check_suffix(output, SUFFIXES)
            outputs.require(output, force, [path])
    if vary is not None:
        _vary(path, assignments, at, vary, as_json, output, force)
        return
    made = assemble_or_exit(read_model(path, assignments, _start(at)))
    from mbsim.analyses import linear, linear_files

    with no_equilibrium():
        found = linear.modes(made, at)
    facts = linear.facts(found)
    shown = json.dumps(facts, indent=2, ensure_ascii=False) if as_json else text(made.system.name, facts, terminal.room(wide))
    click.echo(shown)
    if output is not None:
        if output.suffix.lower() in PICTURES:
            _draw(output, linear_files.as_saved(found), force)
        else:
            _write(lambda: linear_files.save_modes(found, output, force, made.scene), output)


def _start(at: str) -> dict[str, str]:
    """Settings of the model: an equilibrium is looked for here, and not where the model is assembled."""
    return FROM_THE_MODEL if at == "equilibrium" else {}


def text(name: str, facts: dict[str, Any], limit: int | None = None) -> str:
    """The modes as lines of up to `limit` columns."""
    from mbsim.analyses.linear import ABOUT, mode_lines

    where = ABOUT[facts["at"]["kind"]]
    lines = [f"{name}: small motions about {where} at t = {facts['at']['time']:g} s, {'stable' if facts['stable'] else 'unstable'}"]
    lines += mode_lines(facts, limit=limit)
    cyclic = facts["cyclic"]
    if cyclic:
        lines.append(f"  {len(cyclic)} eigenvalues are zero; nothing depends on {', '.join(cyclic)}")
    if not facts["eigenvalues"]:
        lines.append("  constraints and drivers leave no motion")
    lines = [terminal.fold(line, limit, items=True) for line in lines]
    return "\n".join([*lines, *(terminal.fold(f"  note: {note}", limit) for note in facts["notes"])])


def _vary(path: Path, assignments: tuple[str, ...], at: str, vary: str, as_json: bool, output: Path | None, force: bool) -> None:
    name, values = _range(vary)
    load, model = varied(path, assignments, "--vary", name, _start(at))
    from mbsim.analyses import linear_files, root_locus

    with no_equilibrium():
        found = root_locus.locus(load, name, values, at)
    facts = found.to_dict()
    lines = [*locus_lines(facts | {"title": model.name}, None), *(f"  note: {note}" for note in found.notes)]
    click.echo(json.dumps(facts, indent=2, ensure_ascii=False) if as_json else "\n".join(lines))
    if output is not None:
        if output.suffix.lower() in PICTURES:
            _draw(output, linear_files.locus_as_saved(found, model.name), force)
        else:
            _write(lambda: linear_files.save_locus(found, output, model.name, force), output)


def _range(vary: str) -> "tuple[str, Any]":
    """The parameter and its values. Raises InputError."""
    import numpy as np

    name, equals, text = vary.partition("=")
    parts = text.split(":")
    if not equals or not name.strip() or len(parts) != 3:
        raise InputError(f"--vary takes NAME=FROM:TO:COUNT (got '{vary}')")
    low, high = (number("--vary", name, part) for part in parts[:2])
    if not parts[2].strip().isdigit() or not 2 <= int(parts[2]) <= MOST:
        raise InputError(f"--vary {name}: COUNT is a whole number from 2 to {MOST} (got '{parts[2]}')")
    if not (np.isfinite([low, high]).all() and low < high):
        raise InputError(f"--vary {name}: FROM must be less than TO (got {parts[0]}, {parts[1]})")
    return name.strip(), np.linspace(low, high, int(parts[2]))


def _draw(output: Path, saved: "Saved", force: bool) -> None:
    from mbsim.plots.linear import draw

    _write(lambda: draw(saved, None, output, force), output)


def _write(save: Any, output: Path) -> None:
    try:
        save()
    except OSError as error:
        raise complaint(error) from None
    click.echo(output, err=True)
