"""Compute the forces and reactions of a motion prescribed by drivers or by a table of joint coordinates."""

from pathlib import Path
from typing import Literal

import click

from mbsim.cli._model import assemble_or_exit, model_errors, read_model
from mbsim.cli._output import complaint, force_option
from mbsim.cli._result import require_result
from mbsim.cli.models import find_model


@click.command()
@click.argument("model")
@click.option("--table", type=click.Path(path_type=Path, dir_okay=False), help="CSV file with columns `time` and coordinates.")
@click.option("--decimal", type=click.Choice(("point", "comma")), default="point", show_default=True, help="Of numbers in the table.")
@click.option("--end", help="Last time, s.")
@click.option("--output-step", help="Time between rows of the result, s. Default: the step, or 1e-3.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Result file. Default: MODEL-inverse.h5 in the current folder.",
)
@force_option
def command(
    model: str,
    table: Path | None,
    decimal: Literal["point", "comma"],
    assignments: tuple[str, ...],
    output: Path | None,
    force: bool,
    **given: str | None,
) -> None:
    """Compute the driving forces and joint reactions of MODEL, and print the path of the result.

    The drivers of MODEL must leave no degree of freedom. What they leave, --table prescribes: of a tree in joint coordinates all
    coordinates, of a mechanism with loops as many as it has freedoms. With --decimal comma there are semicolons between its cells.
    Redundant drivers share the effort by least squares.
    States of the model are held at their starts.
    `mbsim plot` draws the result.
    """
    path = find_model(model)
    output = output or Path(path.stem + "-inverse.h5")
    require_result(output, force, path, *([table] if table is not None else []))
    read = read_model(path, assignments, {name: value for name, value in given.items() if value is not None})
    from mbsim.march.kernels import observer_modules

    made = assemble_or_exit(read, beside=observer_modules(read.in_joint_coordinates))
    from mbsim.analyses.inverse import inverse
    from mbsim.analyses.motion_table import columns_of
    from mbsim.march.ending import SimulationError
    from mbsim.model.file.errors import ModelError

    try:
        result = inverse(made, columns_of(table, decimal) if table is not None else None, output, force, read)
    except SimulationError as error:
        kept = f"; the result up to there is in {output}" if error.result is not None else ""
        click.echo(f"{error}{kept}", err=True)
        raise click.exceptions.Exit(1) from None
    except OSError as error:
        raise complaint(error) from None
    except (ValueError, ModelError) as error:
        with model_errors():
            raise error
    for warning in result.attributes.get("warnings", []):
        click.echo(f"warning: {warning}", err=True)
    for note in result.attributes.get("notes", []):
        click.echo(f"note: {note}", err=True)
    click.echo(output)
