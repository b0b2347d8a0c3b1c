"""What `optimize`, `fit`, `sensitivity` and `study` share: the goal that a study file has, its checks, and running it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mbsim.cli._errors import InputError
from mbsim.cli._model import model_errors
from mbsim.cli._study import Execution, find_goal, read

if TYPE_CHECKING:
    from mbsim.studies.sampled.findings import Goal
    from mbsim.studies.sampled.study import Study


def _optimize(study: "Study") -> "Goal":
    from mbsim.studies.sampled.optimise import OptimiseError, check, optimise

    try:
        check(study)
    except OptimiseError as error:
        raise InputError(str(error)) from None
    return optimise


def _fit(study: "Study") -> "Goal":
    from mbsim.studies.sampled.fitting import Measurement, fit

    with model_errors():
        Measurement(study)
    return fit


def _sensitivity(study: "Study") -> "Goal":
    from mbsim.studies.sampled.sensitivities import MISSING, derivatives, indices

    assert study.sensitivity is not None
    if study.sensitivity.type == "derivatives":
        return derivatives
    from importlib.util import find_spec

    if find_spec("SALib") is None:
        raise InputError(MISSING)
    return indices


class _Kind(NamedTuple):
    """One block of a study file that is a goal."""

    begins: str  # what a study with it does at each start, in words
    checked: "Callable[[Study], Goal]"  # raises InputError; errors of a file are printed, and exit with 2


KINDS = {
    "optimize": _Kind("an optimisation begins", _optimize),
    "fit": _Kind("a fit begins", _fit),
    "sensitivity": _Kind("sensitivities begin", _sensitivity),
}


def with_goal(file: Path, name: str) -> "Study":
    """The checked study of a file that has this goal. Raises InputError where it has another one, or none."""
    study = read(file)
    if getattr(study, name) is None:
        raise InputError(f"{file} has no block '{name}'")
    return study


def goal_of(study: "Study") -> str | None:
    """The goal of a study; None where it runs grids and samples."""
    return next((name for name in KINDS if getattr(study, name) is not None), None)


def reach(study: "Study", name: str, how: Execution, file: Path) -> None:
    """Run a study to its goal, print what was found, and write its runs. Raises InputError."""
    kind = KINDS[name]
    if how.resume:
        raise InputError(f"--resume is of studies with samples; {kind.begins} anew")
    find_goal(study, kind.checked(study), how, how.target_of(file))
