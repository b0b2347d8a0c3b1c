"""Write a result as .csv, .mat or .parquet."""

from pathlib import Path

import click

from mbsim.cli import InputError
from mbsim.cli._output import complaint, force_option


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--what", "-w", multiple=True, metavar="ITEM[,ITEM...]", help="Columns to write; may be repeated. Default: all.")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), required=True, help="A .csv, .mat or .parquet file.")
@force_option
def command(result: Path, what: tuple[str, ...], output: Path, force: bool) -> None:
    """Write the columns of the result file RESULT over time for other programs, and print the file's path.

    \b
    ITEM is one of
      a variable         q, joint_force, a measure of the model (mbsim info lists them)
      a label            theta, crank.x, a joint, a force, a body
      a variable:label   joint_force:A, body_position:slider:x, force:spring

    A .csv file has one row of names, and one for each time. A .mat file has a vector for each column, and `names`, a struct that says what
    each is. A .parquet file needs pandas and pyarrow.
    """
    from mbsim.cli._result import opened
    from mbsim.results import ResultError, tabular

    items = [item.strip() for argument in what for item in argument.split(",") if item.strip()]
    try:
        with opened(result) as data:
            tabular.export(data, output, items, force)
    except (tabular.ExportError, ResultError) as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise complaint(error) from error
    click.echo(output)
