"""`mbsim export MODEL -o model.fmu`: what a table has not."""

from pathlib import Path
from typing import Any

import click

from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors, read_model
from mbsim.cli._output import complaint
from mbsim.cli.models import find_model
from mbsim.programs import SUFFIXES
from mbsim.results.items import items


def is_unit(output: Path) -> bool:
    """Whether a program is written, and no table."""
    return output.suffix.lower() in SUFFIXES


def write(
    model: str,
    output: Path,
    names: dict[str, tuple[str, ...]],
    assignments: tuple[str, ...],
    settings: dict[str, str],
    form: dict[str, Any],
    native: bool,
    force: bool,
) -> list[Path]:
    """Write a model as a program; `names` are `inputs`, `outputs` and `parameters`, several separated by commas.

    `form`: fmi, kind, derivatives and platforms of an FMU. Exits with 2.
    """
    if output.suffix.lower() != ".fmu" and (form.keys() - {"fmi", "plain"}):
        raise click.UsageError("--kind, --derivatives and --platforms are of .fmu files; a library of C takes its steps itself")
    if form.get("kind") == "me" and (steps := [f"--{name}" for name in ("integrator", "step", "rtol", "atol") if name in settings]):
        raise click.UsageError(f"{', '.join(steps)}: a unit for model exchange is integrated by its importer")
    from mbsim import export

    path = find_model(model)
    if output.exists() and output.samefile(path):
        raise InputError(f"cannot write {output}: it is what is read")
    listed = {kind: [name.strip() for name in items(given)] for kind, given in names.items()}
    try:
        read = read_model(path, assignments, settings)
        named = {"method", "integrator"} & settings.keys()  # on the command line, which counts more than in the file
        words: dict[str, Any] = {name: settings[name] for name in named}
        with model_errors():
            return export(
                read, output, listed["inputs"], listed["outputs"], listed["parameters"], native=native, force=force, **form, **words
            )
    except OSError as error:
        raise complaint(error) from error


def refuse(given: dict[str, object]) -> None:
    """Options of programs with another output. Raises click.UsageError."""
    found = [f"--{name.replace('_', '-')}" for name, value in given.items() if value]
    if found:
        raise click.UsageError(f"{', '.join(found)}: only where a model is written as a program, to a .c, .so or .fmu file")
