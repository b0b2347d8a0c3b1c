"""Find the values of a model's numbers with which it fits a measurement."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim.cli import InputError
from mbsim.cli._model import model_errors
from mbsim.cli._study import SUFFIX, find_goal, read, study_options

if TYPE_CHECKING:
    from mbsim.studies.sampled.study import Study


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@study_options
def command(file: Path, target: Path | None, workers: int | None, kind: str | None, dask: str, resume: bool, force: bool) -> None:
    """Run the least-squares fit of the study FILE (`fit:`), print the values with their intervals, and write its runs (docs/studies.md)."""
    study = read(file)
    if study.fit is None:
        raise InputError(f"{file} has no block 'fit'")
    if resume:
        raise InputError("--resume is of studies with samples; a fit begins anew")
    fitted(study, target or Path(file.stem + SUFFIX), workers, kind, dask, force)


def fitted(study: "Study", target: Path, workers: int | None, kind: str | None, dask: str, force: bool) -> None:
    """Fit, and print what was found."""
    from mbsim.studies.sampled.fitting import Measurement, fit

    with model_errors():
        Measurement(study)
    find_goal(study, fit, target, workers, kind, dask, force)
