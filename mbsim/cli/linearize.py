"""Linearise a model from inputs to outputs: the matrices A, B, C, D and the frequency response."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim import terminal
from mbsim.cli._errors import InputError
from mbsim.cli._model import assemble_or_exit, read_model
from mbsim.cli._output import complaint, force_option, output_errors
from mbsim.cli._static import FROM_THE_MODEL, no_equilibrium, number
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.analyses.statespace import StateSpace

FREQUENCIES = "0.01:100:401"  # Hz
MOST = 100_001
PRINTED = 20  # variables up to which A, B and C are printed


@click.command()
@click.argument("model")
@click.option(
    "--input", "inputs", multiple=True, required=True, metavar="NAME", help="force:NAME, force:NAME.x or driver:NAME; may be repeated."
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    required=True,
    metavar="NAME",
    help="measure:NAME, a coordinate, a speed or a state; may be repeated.",
)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--at", default="auto", metavar="STATE", help="equilibrium, steady, start or RESULT:TIME, as of `mbsim modes`.")
@click.option("--frequencies", default=FREQUENCIES, show_default=True, metavar="FROM:TO:COUNT", help="Of the frequency response, Hz.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("-o", "path", type=click.Path(path_type=Path, dir_okay=False), help="Write the matrices to .h5 or .mat.")
@force_option
def command(
    model: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    assignments: tuple[str, ...],
    at: str,
    frequencies: str,
    as_json: bool,
    path: Path | None,
    force: bool,
) -> None:
    """Linearise MODEL from inputs to outputs about a state: z' = A z + B w, y = C z + D w.

    An input is added to the value of a force, or is the effort of a driver in place of its law.
    """
    file, points = find_model(model), _frequencies(frequencies)
    if path is not None:
        from mbsim.results import outputs as files

        with output_errors():
            files.check_suffix(path, (".h5", ".hdf5", ".mat"))
            files.require(path, force, [file])
    read = read_model(file, assignments, FROM_THE_MODEL if at == "equilibrium" else {})
    from mbsim.analyses import statespace
    from mbsim.march.kernels import observer_modules

    made = assemble_or_exit(read, beside=observer_modules(read.in_joint_coordinates))
    with no_equilibrium():
        found = statespace.state_space(made, inputs, outputs, at)
    click.echo(json.dumps(found.to_dict(points), indent=2, ensure_ascii=False) if as_json else _text(read.name, found))
    if path is not None:
        try:
            statespace.save(found, path, points, force)
        except OSError as error:
            raise complaint(error) from None
        click.echo(path, err=True)


def _frequencies(text: str) -> Any:
    import numpy as np

    parts = text.split(":")
    if len(parts) != 3 or not parts[2].strip().isdigit() or not 1 <= int(parts[2]) <= MOST:
        raise InputError(f"--frequencies takes FROM:TO:COUNT (got '{text}')")
    low, high = (number("--frequencies", what, part) for what, part in zip(("FROM", "TO"), parts, strict=False))
    if not 0.0 < low <= high < float("inf"):
        raise InputError(f"--frequencies: FROM is positive and not more than TO (got {parts[0]}, {parts[1]})")
    return np.geomspace(low, high, int(parts[2]))


def _text(name: str, found: "StateSpace") -> str:
    counts = (("variable", found.states), ("input", found.inputs), ("output", found.outputs))
    lines = [f"{name}: " + ", ".join(f"{len(names)} {what}{'s' * (len(names) != 1)}" for what, names in counts)]
    for what, names, units in (
        ("variables", found.states, found.state_units),
        ("inputs", found.inputs, found.input_units),
        ("outputs", found.outputs, found.output_units),
    ):
        named = f"  {what}: {', '.join(f'{label} ({unit})' for label, unit in zip(names, units, strict=True))}"
        lines.append(terminal.fold(named, terminal.room(), items=True))
    many = len(found.states) > PRINTED
    if many:
        sizes = ", ".join(f"{letter} {' x '.join(map(str, getattr(found, letter).shape))}" for letter in "ABC")
        lines.append(f"  {sizes}: not printed; -o FILE and --json have them")
    for letter in "D" if many else "ABCD":
        matrix = getattr(found, letter)
        lines.append(f"  {letter}")
        lines += ["    " + " ".join(f"{x:13.6g}" for x in row) for row in matrix]
    if not found.stationary:
        lines.append("  note: the state is neither an equilibrium nor a steady motion: the matrices are those of this moment")
    return "\n".join(lines)
