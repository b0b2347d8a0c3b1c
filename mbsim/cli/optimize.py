"""Find the values of a model's numbers at which an output is smallest or largest."""

from pathlib import Path

import click

from mbsim.cli._goals import reach, with_goal
from mbsim.cli._study import Execution, study_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@study_options
def command(file: Path, how: Execution) -> None:
    """Run the optimisation of the study FILE (`optimize:`), print the optimum, and write its runs (docs/studies.md)."""
    reach(with_goal(file, "optimize"), "optimize", how, file)
