"""Find how outputs of a model depend on its numbers: derivatives, or shares of the variance."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mbsim.cli import InputError
from mbsim.cli._study import SUFFIX, find_goal, read, study_options

if TYPE_CHECKING:
    from mbsim.studies.sampled.study import Study


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--method", type=click.Choice(["direct", "differences"]), help="How derivatives are computed. Default: as in the file.")
@study_options
def command(
    file: Path, method: str | None, target: Path | None, workers: int | None, kind: str | None, dask: str, resume: bool, force: bool
) -> None:
    """Compute the sensitivities of the study FILE (`sensitivity:`), print them, and write the runs (docs/studies.md)."""
    study = read(file)
    if study.sensitivity is None:
        raise InputError(f"{file} has no block 'sensitivity'")
    if method is not None:
        if study.sensitivity.type != "derivatives":
            raise InputError(f"--method is of derivatives; {file} asks for {study.sensitivity.type}")
        study = replace(study, sensitivity=study.sensitivity.model_copy(update={"method": method}))
    if resume:
        raise InputError("--resume is of studies with samples; sensitivities begin anew")
    analysed(study, target or Path(file.stem + SUFFIX), workers, kind, dask, force)


def analysed(study: "Study", target: Path, workers: int | None, kind: str | None, dask: str, force: bool) -> None:
    """Compute them, and print what was found."""
    from mbsim.studies.sampled.sensitivities import MISSING, derivatives, indices

    assert study.sensitivity is not None
    goal = derivatives if study.sensitivity.type == "derivatives" else indices
    if goal is indices:
        from importlib.util import find_spec

        if find_spec("SALib") is None:
            raise InputError(MISSING)
    find_goal(study, goal, target, workers, kind, dask, force)
