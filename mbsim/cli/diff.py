"""Compare two results: how they were made, and the largest difference of each variable."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim import terminal
from mbsim.cli._errors import InputError
from mbsim.cli._number import FiniteRange
from mbsim.cli._output import wide_option

if TYPE_CHECKING:
    from mbsim.results.difference import Change


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--rtol", type=FiniteRange(0.0), default=0.0, show_default=True, help="Differences up to this part of a variable's largest amount pass."
)
@click.option("--all", "everything", is_flag=True, help="List variables that do not differ, too.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@wide_option
def command(first: Path, second: Path, rtol: float, everything: bool, as_json: bool, wide: bool) -> None:
    """Compare the result files FIRST and SECOND at the times that both have, and print what differs.

    Exits with 1 where a variable of the motion differs by more than --rtol of its largest amount, or one result has variables or bodies
    that the other lacks. How the results were made (settings, parameters, versions, the model) and how good they are (residuals, estimated
    errors, the balance of energy) is listed and does not count.
    """
    from mbsim.cli._result import open_or_exit
    from mbsim.results import ResultError
    from mbsim.results.difference import difference

    try:
        with open_or_exit(first) as one, open_or_exit(second) as other:
            found = difference(one, other)
    except ResultError as error:
        raise InputError(str(error)) from error
    same = found.within(rtol)
    changes = [change for change in found.changes if everything or change.largest > 0.0]
    if as_json:
        facts = [{"name": name, "first": a, "second": b} for name, a, b in found.facts]
        rows = [{**vars(change), "relative": change.relative} for change in changes]
        rows = [{key: None if value == float("inf") else value for key, value in row.items()} for row in rows]
        click.echo(json.dumps({"same": same, "rows": found.rows, "facts": facts, "only": found.only, "variables": rows}, indent=2))
    else:
        limit = terminal.room(wide)
        lines = [terminal.fold(f"{name}: {a} -> {b}", limit) for name, a, b in found.facts]
        lines += [*found.only, f"{found.rows} rows of the same time"]
        listed = sorted(changes, key=lambda change: -change.relative)
        cells = [_cells(change) for change in listed]
        heads = ("variable", "largest", "", "relative", "at t, s", "of")
        lines += terminal.table([heads, *cells], limit, indent="  ") if cells else ["no variable differs"]
        click.echo("\n".join(lines))
    raise click.exceptions.Exit(0 if same else 1)


def _cells(change: "Change") -> tuple[str, ...]:
    units = "" if change.units == "1" else change.units
    return change.name, f"{change.largest:.3g}", units, f"{change.relative:.2g}", f"{change.time:.6g}", change.label
