"""Find how outputs of a model depend on its numbers: derivatives, or shares of the variance."""

from dataclasses import replace
from pathlib import Path

import click

from mbsim.cli._errors import InputError
from mbsim.cli._goals import reach, with_goal
from mbsim.cli._study import Execution, study_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--method", type=click.Choice(["direct", "differences"]), help="How derivatives are computed. Default: as in the file.")
@study_options
def command(file: Path, method: str | None, how: Execution) -> None:
    """Compute the sensitivities of the study FILE (`sensitivity:`), print them, and write the runs (docs/studies.md)."""
    study = with_goal(file, "sensitivity")
    assert study.sensitivity is not None
    if method is not None:
        if study.sensitivity.type != "derivatives":
            raise InputError(f"--method is of derivatives; {file} asks for {study.sensitivity.type}")
        study = replace(study, sensitivity=study.sensitivity.model_copy(update={"method": method}))
    reach(study, "sensitivity", how, file)
