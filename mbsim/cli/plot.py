"""Draw a result: an overview, or chosen variables, labels and paths."""

from pathlib import Path

import click

from mbsim.cli import InputError
from mbsim.cli._output import complaint, force_option


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--what", "-w", multiple=True, metavar="ITEM[,ITEM...]", help="Items to draw, one panel each; may be repeated.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="A .png, .pdf or .svg file. Default: a .png beside the result.")
@force_option
def command(result: Path, what: tuple[str, ...], output: Path | None, force: bool) -> None:
    """Draw the result file RESULT, or a file of `mbsim modes` or `mbsim linearize`, and print the picture's path.

    \b
    ITEM is one of
      a group            energy, drift
      a variable         q, joint_force, a measure of the model (mbsim info lists them)
      a label            theta, crank.x, a joint, a force, a body
      a variable:label   joint_force:A, body_position:slider:x, force:spring
      a path x~y         crank.x~crank.y, theta~der(theta)

    Without --what: measures, motion, efforts of drivers, reactions, energies and constraint drift, as far as the model has them.

    \b
    ITEM of modes is eigenvalues or mode:K, of modes over a parameter growth, frequency or plane, of a linear system an output.

    ITEM of a study is curves:OUTPUT, map:OUTPUT, histogram:NAME, tornado:OUTPUT, scatter, X~Y, history:LABEL, convergence or fit.
    """
    from mbsim.cli._result import opened, warn_of_rows
    from mbsim.plots.figure import plot
    from mbsim.plots.panels import PlotError
    from mbsim.results import ResultError
    from mbsim.results import linear as linear_files
    from mbsim.results.study_read import is_study, read_study_file

    items = [item.strip() for argument in what for item in argument.split(",") if item.strip()]
    picture = output or Path(str(result).removesuffix(".part")).with_suffix(".png")
    try:
        if is_study(result):
            from mbsim.plots import study

            with read_study_file(result) as runs:
                study.draw(runs, items or None, picture, force)
            click.echo(picture)
            return
        saved = linear_files.read(result)
        if saved is not None:
            from mbsim.plots import linear

            linear.draw(saved, items or None, picture, force)
            click.echo(picture)
            return
        with opened(result) as data:
            plot(data, items or None, picture, force)
            warn_of_rows(data)
    except (PlotError, ResultError) as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise complaint(error) from error
    click.echo(picture)
