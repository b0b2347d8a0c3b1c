"""Optimisations, fits and sensitivities from Python: `mbsim.optimize`, `mbsim.fit`, `mbsim.sensitivity`.

They do what the blocks `optimize`, `fit` and `sensitivity` of a study file do (docs/studies.md). The words of the blocks are arguments.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim.jit import processor
from mbsim.results.functionals import Floats
from mbsim.studies.engine.journal import silent
from mbsim.studies.engine.pool import make_pool, released
from mbsim.studies.sampled import fitting, optimise, sensitivities
from mbsim.studies.sampled.api import FILE, Source, no_places, prepare
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.findings import Goal, find, lines_of
from mbsim.studies.sampled.study import Study

ARRAYS = "arrays"  # stands for the table in the study, where a measurement is given as arrays


@dataclass(frozen=True)
class Finding:
    """What was found; `failed` of its runs failed."""

    kind: str
    evaluations: int  # runs
    failed: int = field(default=0, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the key `findings` of `mbsim info STUDY --json`."""
        return {name: value for name, value in asdict(self).items() if name != "failed" and value is not None}

    def __repr__(self) -> str:
        return "\n".join(lines_of(self.to_dict()))


@dataclass(frozen=True, repr=False)
class Optimum(Finding):
    """The values between their limits at which an output is smallest or largest."""

    values: dict[str, float]  # of what varies
    outputs: dict[str, float | None]  # there
    goal: str  # the output
    sense: str  # minimize or maximize
    method: str
    converged: bool
    message: str  # of the method
    at_limit: list[str]  # what varies and is at an end of its range
    limits: dict[str, dict[str, float | None]]  # of outputs
    violated: float  # how far they are exceeded at most


@dataclass(frozen=True, repr=False)
class Fitted(Finding):
    """The values with which a run fits a measurement; k values."""

    values: dict[str, float]  # of what varies
    std: dict[str, float | None]  # standard deviations
    confidence: float
    interval: dict[str, list[float | None]]  # lowest and highest
    covariance: list[list[float | None]]  # (k, k)
    correlation: list[list[float | None]]  # (k, k)
    rms: dict[str, float]  # of the residuals, by what was measured
    residuals: int  # how many
    converged: bool
    message: str
    at_limit: list[str]
    undetermined: list[dict[str, float]]  # by how much values may change together and nothing that was measured changes
    data: dict[str, dict[str, Any]] = field(repr=False)  # what was measured -> `time`, `measured`, `run` (n,), `units`


@dataclass(frozen=True, repr=False)
class Sensitivities(Finding):
    """How outputs depend on what varies: `kind` is derivatives, sobol, morris or fast."""

    outputs: dict[str, dict[str, Any]]  # output -> `by` what varies -> numbers by their words
    at: dict[str, float] | None = None  # where derivatives are taken
    method: str | None = None  # direct

    @property
    def names(self) -> list[str]:
        """What varies: the columns of `array`."""
        return list(next(iter(self.outputs.values()))["by"])

    def array(self, word: str) -> Floats:
        """(outputs, what varies) of derivatives `derivative` or `elasticity`, of indices `first`, `total`, `mean_absolute` ...

        NaN where there is no number. Raises ValueError for a word that these sensitivities do not have.
        """
        known = next(iter(next(iter(self.outputs.values()))["by"].values()))
        if word not in known:
            raise ValueError(f"{self.kind} have no '{word}'; they have {', '.join(known)}")
        rows = [[row[word] for row in one["by"].values()] for one in self.outputs.values()]
        return np.array([[np.nan if x is None else x for x in row] for row in rows], float)


def optimize(
    model: Source,
    vary: Mapping[str, object],
    outputs: Mapping[str, str],
    *,
    minimize: str | None = None,
    maximize: str | None = None,
    subject_to: Mapping[str, Mapping[str, float]] | None = None,
    method: str = "differential_evolution",
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    gradient: str = "differences",
    step: float = 1e-4,
    simulation: Mapping[str, object] | None = None,
    parameters: Mapping[str, float | str] | None = None,
    analysis: str = "dynamic",
    workers: int | None = None,
    executor: str = "",
    dask: str = "",
    output: str | Path | None = None,
    force: bool = False,
) -> Optimum:
    """Find the values of a model's numbers at which an output is smallest or largest.

    `model` is as in `mbsim.load_model`. `vary` has ranges, `{"k": {"from": 10, "to": 200}}`, `outputs` functionals by name. `minimize` or
    `maximize` names one of them, `subject_to` gives limits of others, `{"stroke": {"min": 4}}`. `method`, `options`, `seed`, `gradient` and
    `step` are those of the block `optimize` of a study file, the others those of `mbsim.study`. With `output` all runs are written.

    Raises ModelError with everything that is wrong, ValueError for options that a method does not take, OSError.
    """
    block = {
        "minimize": minimize, "maximize": maximize, "subject_to": dict(subject_to or {}), "method": method, "options": dict(options or {}),
        "seed": seed, "gradient": gradient, "step": step,
    }  # fmt: skip
    goal = {name: value for name, value in block.items() if value not in (None, {})}
    study = prepare(model, vary, outputs, simulation=simulation, parameters=parameters, analysis=analysis, optimize=goal)
    optimise.check(study)
    found, failed = _reach(study, optimise.optimise, workers, executor, dask, output, force)
    return Optimum(**found, failed=failed)


def fit(
    model: Source,
    vary: Mapping[str, object],
    table: str | Path | Mapping[str, ArrayLike],
    columns: Mapping[str, str],
    *,
    time: str = "time",
    weights: Mapping[str, float] | None = None,
    confidence: float = 0.95,
    loss: str = "linear",
    simulation: Mapping[str, object] | None = None,
    parameters: Mapping[str, float | str] | None = None,
    workers: int | None = None,
    executor: str = "",
    dask: str = "",
    output: str | Path | None = None,
    force: bool = False,
) -> Fitted:
    """Find the values of a model's numbers with which a run fits a measurement, by least squares, with their intervals.

    `model` is as in `mbsim.load_model`. `vary` has a start, a range or both, `{"c": {"from": 0, "to": 1, "start": 0.3}}`. `table` is a CSV
    file, or arrays (k,) by name, NaN where nothing was measured. `columns` says what a run records -> the column that measured it,
    `{"rod.angle": "phi"}`; `time` is the column of times, s. `weights`, `confidence` and `loss` are those of the block `fit` of a study
    file, the others those of `mbsim.study`. With `output` all runs are written.

    Raises ModelError with everything that is wrong, ValueError for a measurement that does not determine the values, OSError.
    """
    given = {name: np.array(values, float) for name, values in table.items()} if isinstance(table, Mapping) else None
    if given and ({x.ndim for x in given.values()} != {1} or len({len(x) for x in given.values()}) > 1):
        raise ValueError(f"table: expected columns of the same length (got {', '.join(f'{name} {x.shape}' for name, x in given.items())})")
    block: dict[str, Any] = {"table": ARRAYS if isinstance(table, Mapping) else str(table), "time": time, "columns": dict(columns)}
    block |= {"confidence": confidence, "loss": loss} | ({"weights": dict(weights)} if weights else {})
    study = prepare(model, vary, {}, simulation=simulation, parameters=parameters, fit=block)

    def fit(study: Study, evaluations: Evaluations) -> dict[str, Any]:
        return fitting.fit(study, evaluations, given)

    with no_places(FILE):
        found, failed = _reach(study, fit, workers, executor, dask, output, force)
    return Fitted(**found, failed=failed)


def sensitivity(
    model: Source,
    vary: Mapping[str, object],
    outputs: Mapping[str, str],
    type: str = "derivatives",
    *,
    method: str = "differences",
    count: int = 1024,
    seed: int = 0,
    simulation: Mapping[str, object] | None = None,
    parameters: Mapping[str, float | str] | None = None,
    analysis: str = "dynamic",
    workers: int | None = None,
    executor: str = "",
    dask: str = "",
    output: str | Path | None = None,
    force: bool = False,
) -> Sensitivities:
    """Find how outputs depend on a model's numbers: derivatives, or indices that share out the variance.

    `model` is as in `mbsim.load_model`. `type` is "derivatives" (`method` "differences" or "direct"), or "sobol", "morris" or "fast" of
    SALib with `count` base samples and a `seed`. `vary` has ranges, starts or distributions as the block of a study file, `outputs`
    functionals by name. The others are those of `mbsim.study`. With `output` all runs are written.

    Raises ModelError with everything that is wrong, ValueError where sensitivities cannot be computed or SALib is missing, OSError.
    """
    block = {"type": type, "method": method, "count": count, "seed": seed}
    study = prepare(model, vary, outputs, simulation=simulation, parameters=parameters, analysis=analysis, sensitivity=block)
    goal = sensitivities.derivatives if type == "derivatives" else sensitivities.indices
    found, failed = _reach(study, goal, workers, executor, dask, output, force)
    return Sensitivities(**found, failed=failed)


def _reach(
    study: Study, goal: Goal, workers: int | None, executor: str, dask: str, output: str | Path | None, force: bool
) -> tuple[dict[str, Any], int]:
    """The findings of a goal, and how many of its runs failed."""
    with released(make_pool(workers or processor.count(), executor, dask, study.runner.in_place)) as pool:
        if output is not None:
            found, progress = find(study, goal, Path(output), pool, force, silent)
        else:
            evaluations = Evaluations(study, pool, None)
            found, progress = goal(study, evaluations), evaluations.progress
        return found, progress.failed
