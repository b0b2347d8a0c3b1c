"""Write a result as a table (.csv, .xlsx, .md, .tex, .mat, .parquet), or a model as a program without Python (.c, .so, .fmu)."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli import _unit
from mbsim.cli._errors import InputError
from mbsim.cli._model import pairs
from mbsim.cli._output import complaint, force_option
from mbsim.programs import SUFFIXES as PROGRAMS

if TYPE_CHECKING:
    from mbsim.results import Result
    from mbsim.results.sheet import Sheet

FORMATS = "A .csv, .xlsx, .md, .tex, .mat or .parquet file; of a model a .c, .so or .fmu file."
SETTINGS = ("method", "integrator", "step", "rtol", "atol", "end", "output_step")  # of a model, as of `mbsim run`


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--what", "-w", multiple=True, metavar="ITEM[,ITEM...]", help="Columns to write; may be repeated. Default: all.")
@click.option("--units", is_flag=True, help="Write units behind the names of columns: crank.angle (rad).")
@click.option("--decimal", type=click.Choice(("point", "comma")), default="point", show_default=True, help="Of numbers in a text.")
@click.option("--events", is_flag=True, help="Write the events of a result, a row for each, in place of its columns over time.")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), required=True, help=FORMATS)
@force_option
@click.option("--inputs", multiple=True, metavar="NAME[,NAME...]", help="Of a model: parameters of laws that vary with time.")
@click.option("--outputs", multiple=True, metavar="NAME[,NAME...]", help="Of a model: what the program shows.")
@click.option("--parameters", multiple=True, metavar="NAME[,NAME...]", help="Of a model: parameters of laws that the program's user sets.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model; may be repeated.")
@click.option("--method", help="Of a model, like the next: as of mbsim run.")
@click.option("--integrator", help="rk4, rk45, dop853 ...")
@click.option("--step", help="Largest step, s.")
@click.option("--rtol", help="Relative tolerance of the error.")
@click.option("--atol", help="Absolute tolerance of the error.")
@click.option("--end", help="Last time that the program suggests, s.")
@click.option("--output-step", help="Time between outputs that the program suggests, s.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the method or integrator; may be repeated.")
@click.option("--fmi", type=click.Choice(("2", "3")), help="Of a .fmu output: the version of the standard. Default: 2.")
@click.option("--kind", type=click.Choice(("cs", "me", "both")), help="Of a .fmu output: co-simulation, model exchange. Default: cs.")
@click.option("--derivatives", is_flag=True, help="Of a .fmu output for co-simulation: with directional derivatives.")
@click.option("--platforms", multiple=True, metavar="NAME[,NAME...]", help="Of a .fmu output: kinds of machines. Default: this one's.")
@click.option("--plain", is_flag=True, help="Of a .c output: source of C99 alone, with steps of equal size, for any compiler.")
@click.option("--native", is_flag=True, help="Of a model: for processors such as this one, faster, and not for others.")
def command(
    file: str,
    what: tuple[str, ...],
    units: bool,
    decimal: str,
    events: bool,
    output: Path,
    force: bool,
    **given: Any,
) -> None:
    """Write what FILE holds as a table for other programs, and print the table's path; or a model as a program.

    With a .fmu output FILE is a model, and becomes a functional mock-up unit (FMI 2.0 or 3.0) for other simulators: for co-simulation
    with steps of its own (--kind cs), or for model exchange (me), where the other simulator integrates its states. With a .c output it
    becomes a library of C: model.c, model.h, libmodel_kernels.a, an example main and a CMakeLists.txt; with --plain it is model.c,
    model.h and the example alone, in straight-line C99 with equal steps of rk4. With .so (.dylib, .dll) it is a shared library, its header
    and the example. None needs Python. Outputs are coordinates, speeds,
    states and measures, or what --outputs names: rod.angle, der(rod.angle), joint_force:pin.

    With other outputs FILE is a result, whose columns over time are written, a study (a row for each run), a file of `mbsim modes` or
    `mbsim linearize`, or a .h5 or .json file of `mbsim compare` (a row for each combination).

    \b
    ITEM of a result is one of
      a variable         q, joint_force, a measure of the model (mbsim info lists them)
      a label            theta, crank.x, a joint, a force, a body
      a variable:label   joint_force:A, body_position:slider:x, force:spring
      an expression      norm(joint_force:A), rod.B.x - crank.x
    and may name a unit: 'crank.angle in deg'. ITEM of another file is a column of its.

    With --events the table has a row for each event of a result: time, name, what it did, the energy gained, and what it changed, before
    and after.

    A .csv file has one row of names, and one for each row of the table; with --decimal comma its cells are divided by semicolons. An .xlsx
    file needs openpyxl. .md and .tex files are for readers: three digits, with units. Of results, a .mat file has a vector for each column,
    and `names`, a struct that says what each is; a .parquet file needs pandas and pyarrow.
    """
    from mbsim.cli._result import open_or_exit
    from mbsim.results import ResultError, tabular
    from mbsim.results.items import ItemError
    from mbsim.results.items import items as split_items
    from mbsim.results.sheet import ExportError
    from mbsim.results.units import UnitError

    if _unit.is_unit(output):
        if what or units or events or decimal == "comma":
            raise click.UsageError("--what, --units, --decimal and --events are for tables; name what a program shows by --outputs")
        settings = {name: given[name] for name in SETTINGS if given[name] is not None} | pairs("--option", given["options"])
        names = {kind: given[kind] for kind in ("inputs", "outputs", "parameters")}
        form = {name: given[name] for name in ("kind", "derivatives", "plain") if given[name]} | {"fmi": int(given["fmi"] or 2)}
        if given["platforms"]:
            form["platforms"] = [name.strip() for name in split_items(given["platforms"])]
        for path in _unit.write(file, output, names, given["assignments"], settings, form, given["native"], force):
            click.echo(path)
        return
    _unit.refuse(given)
    result, items, comma = Path(file), split_items(what), decimal == "comma"
    try:
        if output.exists() and output.samefile(result):
            raise InputError(f"cannot write {output}: it is what is read")
        if output.suffix.lower() not in tabular.SUFFIXES:  # before FILE is looked at, which may be a model
            formats = f"of a result one of {', '.join(tabular.SUFFIXES)}, of a model one of {', '.join(PROGRAMS)}"
            raise InputError(f"cannot write {output}: the suffix says the format, {formats}")
        table = _table(result)
        if events:
            if table is not None:
                raise InputError(f"{result} is no result of a run: --events writes the events of one")
            with open_or_exit(result) as data:
                _choose(_events(data, result), items, result).write(output, force, units, comma)
        elif table is not None:
            _choose(table, items, result).write(output, force, units, comma)
        else:
            with open_or_exit(result) as data:
                tabular.export(data, output, items, force, units, comma)
    except (ExportError, ResultError, ItemError, UnitError) as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise complaint(error) from error
    click.echo(output)


def _events(data: "Result", path: Path) -> "Sheet":
    """The table of events. Raises InputError where none has happened."""
    from mbsim.results import event_table

    if not data.events:
        raise InputError(f"no event has happened in {path}")
    return event_table.of_result(data)


def _table(path: Path) -> "Sheet | None":
    """The table of a study, of modes or of a comparison; None for another file. Raises ResultError, OSError."""
    from mbsim.results import linear, sheets
    from mbsim.results.study_read import is_study, read_study_file

    if is_study(path):
        with read_study_file(path) as saved:
            return sheets.of_study(saved)
    found = linear.read(path)
    if found is not None:
        return sheets.of_linear(found)
    facts = sheets.comparison_in(path)
    return None if facts is None else sheets.of_comparison(facts)


def _choose(table: "Sheet", items: list[str], path: Path) -> "Sheet":
    """The columns that were asked for, all without any. Raises InputError."""
    from mbsim.model.file.errors import did_you_mean

    for item in items:
        if item not in table.columns:
            raise InputError(f"{path} has no column {item[:60]!r}{did_you_mean(item, table.columns)}")
    if items:
        table.columns, table.short = {item: table.columns[item] for item in items}, None
    return table
