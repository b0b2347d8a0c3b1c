"""What the commands of studies share: options, reading, progress, and how they end."""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors
from mbsim.cli._output import complaint, force_option

if TYPE_CHECKING:
    from mbsim.studies.engine.journal import Progress
    from mbsim.studies.engine.pool import Pool
    from mbsim.studies.sampled.findings import Goal
    from mbsim.studies.sampled.study import Study

log = logging.getLogger("mbsim")
REPAINT, REPORT = 0.25, 20.0  # s between two lines of progress: on a terminal, and in a log
SUFFIX = ".study.h5"
CPU, CUDA = "cpu", "cuda"  # `studies.sampled.task.DEVICES`, which would be imported with all of a study


@dataclass(frozen=True)
class Execution:
    """How a study is run and where it is written, as the options say."""

    target: Path | None
    workers: int | None
    kind: str
    dask: str
    device: str
    resume: bool
    force: bool

    def target_of(self, source: Path) -> Path:
        """The result file: the one that was asked for, or one in the current folder that is named after the source."""
        return self.target or Path(source.stem + SUFFIX)


def study_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of commands that run a study; the command is handed them as `how`, an Execution."""

    @wraps(command)
    def with_execution(
        *given: object, target: Path | None, workers: int | None, kind: str | None, dask: str, device: str, resume: bool, force: bool,
        **others: object,
    ) -> Any:  # fmt: skip
        return command(*given, how=Execution(target, workers, kind or "", dask, device, resume, force), **others)

    wrapped: Callable[..., Any] = with_execution
    for option in (
        force_option,
        click.option("--output-file", "-o", "target", type=click.Path(path_type=Path, dir_okay=False), help="Result file of the study."),
        click.option("--resume", is_flag=True, help="Go on with a study that was killed or interrupted."),
        click.option("--dask", default="", metavar="ADDRESS", help="Run on the Dask cluster with this scheduler, tcp://host:8786."),
        click.option(
            "--device", default=CPU, type=click.Choice((CPU, CUDA)), help="Who marches the runs: cuda takes a GPU (grids and samples, rk4)."
        ),
        click.option("--processes", "kind", flag_value="processes", help="Run in processes, not in threads."),
        click.option("--threads", "kind", flag_value="threads", help="Run in threads, not in processes."),
        click.option("--workers", "-j", type=click.IntRange(1, 4096), help="Runs at a time. Default: the processors."),
    ):
        wrapped = option(wrapped)
    return wrapped


def read(path: Path) -> "Study":
    """The checked study of a file. Every problem is printed; exits with 2."""
    if not path.is_file():
        from mbsim.model.file import shipped

        found = shipped.study(str(path))
        if found is None:
            raise InputError(f"there is no study file {path}")
        path = found
    from mbsim.studies.sampled.read import read_study

    with model_errors():
        return read_study(path)


def check_text(text: str) -> "Study":
    """The study of a text that the command line made. Every problem is printed; exits with 2."""
    from mbsim.studies.sampled.api import without_places

    with model_errors():
        return without_places(text, "command line")


def run(study: "Study", how: Execution, target: Path) -> None:
    """Run a study into a file, with progress on stderr. Exits with 1 where a run failed, or when it is interrupted."""
    from mbsim.studies.engine.pool import PoolError
    from mbsim.studies.sampled.run import run_study
    from mbsim.studies.sampled.task import DeviceError

    study = _on_device(study, how)
    _note(study)
    with _errors(target), _make_pool(study, how) as (pool, painted):
        try:
            progress = run_study(study, target, pool, resume=how.resume, force=how.force, say=painted)
        except (PoolError, DeviceError) as error:
            raise click.ClickException(f"{error}; what was done is in {target}.part, and --resume goes on") from None
    end(study, target, progress)


def _on_device(study: "Study", how: Execution) -> "Study":
    """The study on the device that is asked for. Raises InputError where it does not run there."""
    from mbsim.studies.sampled.task import DeviceError

    try:
        return study.on(how.device)
    except DeviceError as error:
        raise InputError(f"--device {how.device}: {error}") from None


def find_goal(study: "Study", goal: "Goal", how: Execution, target: Path) -> None:
    """Run an optimisation, a fit or sensitivities into a file, and print what was found."""
    from mbsim.studies.sampled.findings import find as found_of
    from mbsim.studies.sampled.findings import lines_of
    from mbsim.studies.sampled.sensitivities import NoDerivativeError

    _on_device(study, how)
    with _errors(target), model_errors(), _make_pool(study, how) as (pool, painted):
        try:
            found, progress = found_of(study, goal, target, pool, how.force, painted)
        except NoDerivativeError as error:
            raise click.ClickException(str(error)) from None
    log.info("%s: %d runs, %.3g a second", study.title, progress.done, progress.rate)
    _warn_of_rows(progress)
    if progress.failed:
        log.warning("  %d of these runs failed:", progress.failed)
        for line in progress.table():
            log.warning("%s", line)
    for line in lines_of(found):
        click.echo(line)
    click.echo(target)


def end(study: "Study", target: Path, progress: "Progress") -> None:
    """Print the path and what failed; exits with 1 where a run did."""
    from mbsim.studies.sampled.blocks import DYNAMIC

    if progress.resumed == progress.runs:
        log.info("%s is complete: nothing is left to run", target)
    else:
        log.info("%s: %s", study.title, progress.line())
    if progress.anew and study.task.analysis == DYNAMIC:  # other analyses have no quicker way
        why = study.runner.why_anew or "some values need another structure, or a start that is looked through"
        log.info("  %d runs were assembled anew: %s", progress.anew, why)
    _warn_of_rows(progress)
    click.echo(target)
    if progress.failed:
        click.echo(f"{progress.failed} of {progress.runs} runs failed:", err=True)
        for line in progress.table():
            click.echo(line, err=True)
        raise click.exceptions.Exit(1)


def _warn_of_rows(progress: "Progress") -> None:
    """Say where rows were not filled in as far as the motion wants."""
    if progress.spanned:
        log.warning("  rows of %d runs span oscillations or impacts, with as many between as a run may have", progress.spanned)


def _note(study: "Study") -> None:
    from mbsim.studies.sampled.blocks import DYNAMIC

    plan = study.plan
    what = " x ".join(map(str, [*plan.shape, *[plan.samples] * bool(plan.distributions)]))
    log.info("%s: %d runs (%s) of %s", study.title, plan.runs, what, Path(study.task.file).name)
    if plan.sampling.kind == "sobol" and plan.sampling.count & (plan.sampling.count - 1):
        log.info("  note: Sobol points are balanced for counts that are powers of 2")
    if study.runner.why_anew:
        log.info("  each run is assembled anew: %s", study.runner.why_anew)
    elif study.task.runs and study.task.analysis == DYNAMIC:
        why, lanes = study.batches.why_alone, "on a GPU, one a thread" if study.task.device == CUDA else "in lanes, eight at once"
        log.info("  %s", f"each run is marched by itself: {why}" if why else f"runs are marched {lanes}")


@contextmanager
def _make_pool(study: "Study", how: Execution) -> "Iterator[tuple[Pool, _Painted]]":
    """The pool of the study, and the line of its progress. Raises InputError where there is no such pool."""
    from mbsim.jit import processor
    from mbsim.studies.engine.pool import PoolError, make_pool, released

    try:
        workers = 1 if how.device == CUDA and not how.dask else how.workers or processor.count()
        made = make_pool(workers, how.kind, how.dask, study.runner.in_place)
    except PoolError as error:
        raise InputError(str(error)) from None
    painted = _Painted()
    with released(made) as pool:
        try:
            yield pool, painted
        finally:
            painted.end()


@contextmanager
def _errors(target: Path) -> Iterator[None]:
    """Errors of files as one line, and Ctrl-C as the end of the command with exit code 1."""
    from mbsim.results import ResultError
    from mbsim.results.study_write import OtherStudyError, UnfinishedError

    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"interrupted; what was done is in {target}.part, and --resume goes on", err=True)
        raise click.exceptions.Exit(1) from None
    except (OtherStudyError, UnfinishedError, ResultError) as error:
        raise InputError(str(error)) from None
    except OSError as error:
        raise complaint(error) from None
    except ValueError as error:
        raise InputError(str(error)) from None


class _Painted:
    """Progress on stderr: one line that is overwritten on a terminal, a line now and then in a log."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = time.monotonic() if not self._terminal else 0.0
        self._width = 0

    def __call__(self, progress: "Progress") -> None:
        now = time.monotonic()
        if now - self._last < (REPAINT if self._terminal else REPORT) or not log.isEnabledFor(logging.INFO):
            return
        self._last = now
        line = progress.line()
        if self._terminal:
            click.echo("\r" + line.ljust(self._width), err=True, nl=False)
            self._width = len(line)
        else:
            log.info("  %s", line)

    def end(self) -> None:
        """Remove the line of a terminal."""
        if self._width:
            click.echo("\r" + " " * self._width + "\r", err=True, nl=False)
