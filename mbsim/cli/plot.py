"""Draw a result: an overview, or chosen variables, labels, expressions and paths."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim.cli._errors import InputError
from mbsim.cli._output import complaint, force_option

if TYPE_CHECKING:
    from mbsim.plots.look import Look

STYLES = ("screen", "print")  # those of mbsim.plots.look, which imports matplotlib


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT...")
@click.option("--what", "-w", multiple=True, metavar="ITEM[,ITEM...]", help="Items to draw, one panel each; may be repeated.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="A .png, .pdf or .svg file. Default: a .png beside the result.")
@click.option("--title", metavar="TEXT", help="A title in place of that of the model.")
@click.option("--size", metavar="WIDTHxHEIGHT", help="The size of the picture, such as 16x9cm or 6x4in.")
@click.option(
    "--style", type=click.Choice(STYLES), default=STYLES[0], show_default=True, help="Colours and details, or what a journal prints."
)
@force_option
def command(
    results: tuple[Path, ...],
    what: tuple[str, ...],
    output: Path | None,
    title: str | None,
    size: str | None,
    style: str,
    force: bool,
) -> None:
    """Draw the result file RESULT, or a file of `mbsim modes`, `linearize`, `compare` or of a study, and print the picture's path.

    Several results are drawn over each other, each under the name of its file.

    \b
    ITEM is one of
      a group            energy, drift
      a variable         q, joint_force, a measure of the model (mbsim info lists them)
      a label            theta, crank.x, a joint, a force, a body
      a variable:label   joint_force:A, body_position:slider:x, force:spring
    along a beam       beam_moment:boom, beam_force:boom:x
      an expression      rod.B.x - crank.x, norm(joint_force:A), crank.angle/(2*pi)
      a path x~y         crank.x~crank.y, theta~der(theta), coupler.P.x~coupler.P.y
    and may name a unit: 'crank.angle in deg', 'der(crank.angle) in rpm', 'crank.x~crank.y in mm'.

    Without --what: measures, motion, efforts of drivers, reactions, energies and constraint drift, as far as the model has them.

    \b
    ITEM of modes is eigenvalues or mode:K, of modes over a parameter growth, frequency or plane, of a linear system an output.

    ITEM of a study is curves:OUTPUT, map:OUTPUT, histogram:NAME, tornado:OUTPUT, scatter, X~Y, history:LABEL, convergence or fit.
    """
    from mbsim.plots.look import Look, read_size
    from mbsim.results.items import items as split_items

    try:
        look = Look(title, None if size is None else read_size(size), style)
    except ValueError as error:
        raise InputError(f"--size: {error}") from None
    items = split_items(what)
    picture = output or Path(str(results[0]).removesuffix(".part")).with_suffix(".png")
    try:
        if not _drawn_alone(results, items, picture, look, force):
            _draw(results, items, picture, look, force)
    except OSError as error:
        raise complaint(error) from error
    click.echo(picture)


def _drawn_alone(results: Sequence[Path], items: list[str], picture: Path, look: "Look", force: bool) -> bool:
    """Draw a file of a study, of modes, of a linear system or of a comparison. False for another. Raises InputError, OSError."""
    from mbsim.plots.look import Look
    from mbsim.plots.panels import PlotError
    from mbsim.results import ResultError
    from mbsim.results import linear as linear_files
    from mbsim.results.sheets import comparison_in
    from mbsim.results.study_read import is_study, read_study_file

    try:
        of_study = [path for path in results if is_study(path)]
        saved = None if of_study else linear_files.read(results[0])
        compared = None if of_study or saved else comparison_in(results[0])
        if not of_study and saved is None and compared is None:
            return False
        if len(results) > 1:
            raise InputError(f"only results of runs are drawn over each other, and {(of_study or results)[0]} is none")
        if look != Look():
            raise InputError("--title, --size and --style go with results of runs")
        if compared is not None:
            from mbsim.studies.compare.pictures import save_work_precision

            if items:
                raise InputError("--what is for other files: of a comparison error against time and evaluations is drawn")
            save_work_precision(compared, picture, force)
            return True
        if saved is not None:
            from mbsim.plots import linear

            linear.draw(saved, items or None, picture, force)
            return True
        from mbsim.plots import study

        with read_study_file(results[0]) as runs:
            study.draw(runs, items or None, picture, force)
    except (PlotError, ResultError) as error:
        raise InputError(str(error)) from error
    return True


def _draw(results: Sequence[Path], items: list[str], picture: Path, look: "Look", force: bool) -> None:
    """Results of runs. Raises InputError, OSError."""
    from mbsim.cli._result import open_or_exit, warn_of_rows
    from mbsim.plots.figure import plot
    from mbsim.plots.panels import PlotError
    from mbsim.plots.together import distinct
    from mbsim.results import ResultError

    with ExitStack() as files:
        data = [files.enter_context(open_or_exit(path, "--what" if path != results[0] else "")) for path in results]
        try:
            plot(data, items or None, picture, force, look, distinct([path.stem for path in results]))
            for one in data:
                warn_of_rows(one)
        except (PlotError, ResultError) as error:
            raise InputError(str(error)) from error
