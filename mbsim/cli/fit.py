"""Find the values of a model's numbers with which it fits a measurement."""

from pathlib import Path

import click

from mbsim.cli._goals import reach, with_goal
from mbsim.cli._study import Execution, study_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@study_options
def command(file: Path, how: Execution) -> None:
    """Run the least-squares fit of the study FILE (`fit:`), print the values with their intervals, and write its runs (docs/studies.md)."""
    reach(with_goal(file, "fit"), "fit", how, file)
