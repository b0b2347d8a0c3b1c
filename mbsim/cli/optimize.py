"""Find the values of a model's numbers at which an output is smallest or largest."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim.cli import InputError
from mbsim.cli._study import SUFFIX, find_goal, read, study_options

if TYPE_CHECKING:
    from mbsim.studies.sampled.study import Study


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@study_options
def command(file: Path, target: Path | None, workers: int | None, kind: str | None, dask: str, resume: bool, force: bool) -> None:
    """Run the optimisation of the study FILE (`optimize:`), print the optimum, and write its runs (docs/studies.md)."""
    study = read(file)
    if study.optimize is None:
        raise InputError(f"{file} has no block 'optimize'")
    if resume:
        raise InputError("--resume is of studies with samples; an optimisation begins anew")
    optimized(study, target or Path(file.stem + SUFFIX), workers, kind, dask, force)


def optimized(study: "Study", target: Path, workers: int | None, kind: str | None, dask: str, force: bool) -> None:
    """Optimise, and print what was found."""
    from mbsim.studies.sampled.optimise import OptimiseError, check, optimise

    try:
        check(study)
    except OptimiseError as error:
        raise InputError(str(error)) from None
    find_goal(study, optimise, target, workers, kind, dask, force)
