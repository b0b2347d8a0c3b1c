"""Run a study: a model many times, over grids and samples of its numbers."""

from pathlib import Path

import click

from mbsim.cli._study import SUFFIX, read, run, study_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@study_options
def command(file: Path, target: Path | None, workers: int | None, kind: str | None, dask: str, resume: bool, force: bool) -> None:
    """Run the study FILE and print the path of its result (docs/studies.md).

    Order and seed decide every number, whatever the number of workers. A run that fails is a row with its reason; the study goes on, and
    the exit code is 1. A file with `optimize:`, `fit:` or `sensitivity:` is run as these commands do.
    """
    study = read(file)
    target = target or Path(file.stem + SUFFIX)
    if study.optimize is not None:
        from mbsim.cli.optimize import optimized

        optimized(study, target, workers, kind, dask, force)
    elif study.fit is not None:
        from mbsim.cli.fit import fitted

        fitted(study, target, workers, kind, dask, force)
    elif study.sensitivity is not None:
        from mbsim.cli.sensitivity import analysed

        analysed(study, target, workers, kind, dask, force)
    else:
        run(study, target, workers, kind, dask, resume, force)
