"""Run a study: a model many times, over grids and samples of its numbers."""

from pathlib import Path

import click

from mbsim.cli._goals import goal_of, reach
from mbsim.cli._study import Execution, read, run, study_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@study_options
def command(file: Path, how: Execution) -> None:
    """Run the study FILE and print the path of its result (docs/studies.md).

    Order and seed decide every number, whatever the number of workers. A run that fails is a row with its reason; the study goes on, and
    the exit code is 1. A file with `optimize:`, `fit:` or `sensitivity:` is run as these commands do.
    """
    study = read(file)
    goal = goal_of(study)
    if goal is None:
        run(study, how, how.target_of(file))
    else:
        reach(study, goal, how, file)
