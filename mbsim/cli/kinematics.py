"""Compute the positions, velocities and accelerations of a mechanism over its cycle, with dead points and branches."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors, read_model
from mbsim.cli._output import complaint, force_option
from mbsim.cli._result import require_result
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.results import Result

OF_OUTPUTS = ("transfer", "transfer_second", "mechanical_advantage", "transmission_angle")  # variables whose range is printed


@click.command()
@click.argument("model")
@click.option("--cycle", metavar="COORDINATE=FIRST:LAST[:ROWS]", help="Drive this coordinate over a range, such as crank.angle=0:2*pi:361.")
@click.option(
    "--transfer",
    multiple=True,
    metavar="COORDINATE",
    help="Record its transfer functions and mechanical advantage, or those of force_length.NAME; repeatable.",
)
@click.option("--transmission", multiple=True, metavar="JOINT", help="Record the transmission angle at a joint of two links; repeatable.")
@click.option("--end", help="Last time, s. Without --cycle.")
@click.option("--output-step", help="Time between rows of the result, s. Without --cycle.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Result file. Default: MODEL-kinematics.h5 in the current folder.",
)
@force_option
def command(
    model: str,
    cycle: str | None,
    transfer: tuple[str, ...],
    transmission: tuple[str, ...],
    assignments: tuple[str, ...],
    as_json: bool,
    output: Path | None,
    force: bool,
    **given: str | None,
) -> None:
    """Compute how MODEL moves, and print the path of the result.

    The drivers of MODEL, or its drivers and --cycle, must leave no degree of freedom. With --cycle the variable `time` is the value of
    the cycled coordinate, and velocities and accelerations are derivatives by it. `mbsim plot` draws the result.
    """
    path = find_model(model)
    output = output or Path(path.stem + "-kinematics.h5")
    require_result(output, force, path)
    settings = {name: value for name, value in given.items() if value is not None}
    if cycle is not None and settings:
        raise InputError("--end and --output-step go with the time, --cycle has its own range")
    read = read_model(path, assignments, settings)
    from mbsim.analyses.kinematic import kinematics
    from mbsim.march.ending import SimulationError
    from mbsim.model.file.errors import ModelError

    failure, result = "", None
    try:
        result = kinematics(read, cycle, transfer=transfer, transmission=transmission, output=output, force=force)
    except SimulationError as error:
        failure, result = str(error), error.result
    except OSError as error:
        raise complaint(error) from None
    except (ValueError, ModelError) as error:
        with model_errors():
            raise error
    if as_json:
        click.echo(json.dumps(facts(result, failure, output), indent=2, ensure_ascii=False))
    else:
        _tell(result, failure)
        if not failure:
            click.echo(output)
    if failure:
        kept = f"; the result up to there is in {output}" if result is not None else ""
        click.echo(f"{failure}{kept}", err=True)
        raise click.exceptions.Exit(1)


def facts(result: "Result | None", failure: str, output: Path) -> dict[str, Any]:
    """What was found, as JSON types. Numbers that are not finite are None."""
    if result is None:
        return {"file": None, "failure": failure}
    time, attributes = result.time, result.attributes
    ranges = {name: [_number(result[name].min()), _number(result[name].max())] for name in result.measures() if _is_output(name)}
    return {
        "file": str(output),
        "failure": failure or None,
        "cycle": attributes.get("cycle"),
        "unit": attributes.get("cycle_unit", "s"),
        "from": _number(time[0]),
        "to": _number(time[-1]),
        "rows": len(time),
        "singular_positions": attributes.get("singular_positions", []),
        "ranges": ranges,
        "largest_residual": _number(result["residual_position"].max()) if "residual_position" in result else None,
        "notes": attributes.get("notes", []),
    }


def _tell(result: "Result | None", failure: str) -> None:
    """Notes, and the ranges of the outputs that were asked for, on stderr."""
    if result is None:
        return
    for note in result.attributes.get("notes", []):
        if note not in failure:
            click.echo(f"note: {note}", err=True)
    for name in result.measures():
        if _is_output(name):
            click.echo(f"{name}: {result[name].min():.6g} to {result[name].max():.6g} {_unit(result, name)}".rstrip(), err=True)


def _unit(result: "Result", name: str) -> str:
    units = result.units(name)
    return "" if units == "1" else units


def _is_output(name: str) -> bool:
    return name.partition(".")[0] in OF_OUTPUTS and "." in name


def _number(value: Any) -> float | None:
    number = float(value)
    return number if abs(number) < float("inf") else None
