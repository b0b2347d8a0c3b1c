"""What varies, so that a run fits a measurement: least squares, with the covariance of the values and their intervals.

Residuals are weight (run - measurement) at the measured times; a run is interpolated by a cubic spline. With m residuals, n values, J the
Jacobian and s^2 = sum r^2 / (m - n), the covariance is s^2 (J'J)^-1, and an interval is the value plus and minus t times its standard
deviation, t the quantile of Student's distribution. This holds for errors that are independent and small.

Directions in which the residuals do not change, as along a mass and a stiffness of which only the ratio matters, are not determined. J is
found by differences, so what is no longer than the change of J between two steps of these is nothing. Values that such a direction moves
have no deviation and no interval.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.model.file.csv_points import ColumnError, CsvError, Decimal, read_points
from mbsim.model.file.errors import ModelError, Problem, did_you_mean
from mbsim.results.functionals import Floats
from mbsim.studies.sampled.blocks import Fit
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.study import Study
from mbsim.studies.sampled.task import times_of

DIFFERENCE = 1e-5  # of differences, as a share of a value's size
FAR = 1e6  # residual of a run that failed, times the size of the measurement
ROUND_OFF = 1e-10  # of the longest direction of J
LOOSE = 1e-4  # likewise: a longer one is seen
JUMP = 0.1  # of a usual row of J: one that changes by more has jumped, as where an impact passes a measured time, and is left out
SAFETY = 2.0  # times the change of J between two steps of its differences
MOVED = 1e-3  # of a unit direction: what it moves less is not its own
INSIDE = 1e-3  # of a range: how far from its ends a fit begins
SHOWN = 2000  # points of a measurement that are kept in the file


class FitError(ValueError):
    """A fit that cannot be done."""


class Measurement:
    """The measured columns, each over its times."""

    def __init__(self, study: Study, given: Mapping[str, Floats] | None = None) -> None:
        """Of the file that the study names, or of columns that are `given`.

        Raises ModelError for a table that cannot be read, or does not overlap the run.
        """
        block = study.fit
        assert block is not None
        self.block: Fit = block
        path = Path(block.table) if Path(block.table).is_absolute() else study.folder / block.table
        self.times: dict[str, Floats] = {}
        self.values: dict[str, Floats] = {}
        run = times_of(study.task, study.runner)
        problems: list[Problem] = []
        if given is None and not path.is_file():
            raise ModelError([self._problem(study, ("fit", "table"), f"there is no file {path}")])
        for name, column in block.columns.items():
            try:
                t, y = _columns(path, given, (block.time, column), block.decimal)
            except CsvError as error:
                problems += [Problem(str(path), m.line, m.column, "", m.message) for m in error.mistakes]
                continue
            except ColumnError as error:
                problems.append(self._problem(study, ("fit", "time") if error.index == 0 else ("fit", "columns", name), str(error)))
                continue
            slack = 1e-9 * max(1.0, abs(float(run[-1])))
            if t.min() < run[0] - slack or t.max() > run[-1] + slack:
                span = f"{run[0]:g} s to {run[-1]:g} s"
                problems.append(
                    self._problem(study, ("fit", "time"), f"times go from {t.min():g} s to {t.max():g} s, and the run from {span}")
                )
            self.times[name], self.values[name] = t, y
        if problems:
            raise ModelError(problems)

    @staticmethod
    def _problem(study: Study, path: tuple[str, ...], message: str) -> Problem:
        assert study.document is not None
        return study.document.problem(path, message)

    @property
    def count(self) -> int:
        """Of residuals."""
        return sum(map(len, self.values.values()))

    def residuals(self, study: Study, history: Floats | None) -> dict[str, Floats]:
        """By column, of a history (k, labels); far ones where it has none."""
        from scipy.interpolate import CubicSpline

        found: dict[str, Floats] = {}
        run, labels = times_of(study.task, study.runner), list(study.labels)
        for name, measured in self.values.items():
            size = max(float(np.abs(measured).max()), 1e-300)
            column = None if history is None else history[:, labels.index(name)]
            if column is None or not np.isfinite(column).all():
                found[name] = np.full(len(measured), FAR * size)
            else:
                found[name] = np.asarray(CubicSpline(run, column)(self.times[name])) - measured
        return found

    def weight(self, name: str) -> float:
        """Of a column's residuals."""
        return float(self.block.weights.get(name, 1.0))


def _columns(path: Path, given: Mapping[str, Floats] | None, names: tuple[str, str], decimal: Decimal) -> tuple[Floats, Floats]:
    """Times (k,) and values (k,), without rows that lack one of them. Raises CsvError, ColumnError."""
    if given is None:
        t, y = np.array([(point.x, point.y) for point in read_points(path, names, decimal)]).T
        return t, y
    for index, name in enumerate(names):
        if name not in given:
            raise ColumnError(index, f"the table has no column '{name[:60]}'{did_you_mean(name, given)}")
    t, y = (given[name] for name in names)
    known = np.isfinite(t) & np.isfinite(y)
    if not known.any():
        raise ColumnError(1, f"the column '{names[1][:60]}' has no numbers")
    return t[known], y[known]


def fit(study: Study, evaluations: Evaluations, given: Mapping[str, Floats] | None = None) -> dict[str, Any]:
    """The findings of a fit, to the table of the study or to `given` columns, as plain data. Raises ModelError, FitError."""
    from scipy.optimize import least_squares
    from scipy.stats import t as student

    measurement = Measurement(study, given)
    block = measurement.block
    names = study.names
    if measurement.count <= len(names):
        raise FitError(f"fit: {measurement.count} measured numbers do not determine {len(names)} values")
    low, high, start = _range(study)
    size = np.where(np.isfinite(high - low), high - low, np.maximum(np.abs(start), 1e-3))

    def residuals(points: Floats) -> Floats:
        rows = evaluations.rows(np.atleast_2d(points))
        parts = [measurement.residuals(study, None if row.failed else row.history) for row in rows]
        return np.array([np.concatenate([measurement.weight(name) * part[name] for name in part]) for part in parts])

    def jacobian(x: Floats, step: float = DIFFERENCE) -> Floats:
        h = step * size
        forward, backward = np.minimum(x + np.diag(h), high), np.maximum(x - np.diag(h), low)
        found = residuals(np.concatenate([forward, backward]))
        width = np.diag(forward) - np.diag(backward)
        return np.asarray(((found[: len(x)] - found[len(x) :]) / width[:, None]).T)

    found = least_squares(
        lambda x: residuals(x)[0],
        start,
        jac=jacobian,
        bounds=(low, high),
        x_scale=size,
        loss=block.loss,
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    )
    J, r = jacobian(found.x), residuals(found.x)[0]
    freedom = len(r) - len(names)
    covariance, loose = _covariance(J, jacobian(found.x, 2.0 * DIFFERENCE) - J, float(r @ r) / freedom, size)
    std = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore"):  # of a fit without residuals
        correlation = covariance / np.outer(std, std)
    half = float(student.ppf(0.5 + 0.5 * block.confidence, freedom)) * std
    row = evaluations.rows(found.x[None])[0]
    parts = measurement.residuals(study, row.history)
    return {
        "kind": "fit", "values": dict(zip(names, found.x.tolist(), strict=True)),
        "std": {name: _number(x) for name, x in zip(names, std, strict=True)}, "confidence": block.confidence,
        "interval": {name: [_number(x - d), _number(x + d)] for name, x, d in zip(names, found.x, half, strict=True)},
        "covariance": [[_number(x) for x in line] for line in covariance],
        "correlation": [[_number(x) for x in line] for line in correlation],
        "rms": {name: float(np.sqrt(np.mean(part**2))) for name, part in parts.items()},
        "residuals": len(r), "evaluations": evaluations.progress.done, "converged": bool(found.success), "message": str(found.message),
        "at_limit": [name for name, active in zip(names, found.active_mask, strict=True) if active],
        "undetermined": [_together(names, direction, size) for direction in loose],
        "data": {
            name: {"time": t[::_every(t)].tolist(), "measured": measurement.values[name][::_every(t)].tolist(),
                   "run": (measurement.values[name] + parts[name])[::_every(t)].tolist(), "units": study.labels[name]}
            for name, t in measurement.times.items()
        },
    }  # fmt: skip


def _covariance(J: Floats, error: Floats, variance: float, ranges: Floats) -> tuple[Floats, Floats]:
    """The covariance (n, n), NaN of values that are not determined, and the directions (k, n) of values that are not.

    `error` (m, n): by how much J may be wrong; `ranges` (n,): the sizes of the values.
    """
    scale = np.linalg.norm(J, axis=0)
    slight = scale * ranges <= LOOSE * float((scale * ranges).max())
    idle = (scale == 0.0) | (slight & (scale <= SAFETY * np.linalg.norm(error, axis=0)))
    scale = np.where(idle, np.inf, scale)
    long = np.linalg.norm(J / scale, axis=1)
    usual = float(np.median(long[long > LOOSE * long.max()])) if long.any() else 0.0
    steady = np.linalg.norm(error / scale, axis=1) <= JUMP * usual
    J, error = (J[steady], error[steady]) if steady.sum() > len(ranges) else (J, error)
    scale = np.where(idle, np.inf, np.linalg.norm(J, axis=0).clip(1e-300))  # of a value on which nothing depends the row of V is a unit one
    _, sigma, V = np.linalg.svd(J / scale, full_matrices=False)
    nothing = max(ROUND_OFF * sigma[0], SAFETY * float(np.linalg.norm(error / scale, 2)))
    loose = ((sigma <= nothing) & (sigma <= LOOSE * sigma[0])) | (sigma == 0.0)
    size = np.where(np.isfinite(scale), scale, 1.0)
    covariance = variance * (V[~loose].T / sigma[~loose] ** 2) @ V[~loose] / np.outer(size, size)
    moved = np.abs(V[loose]).max(axis=0, initial=0.0) > MOVED
    covariance[moved], covariance[:, moved] = np.nan, np.nan
    return covariance, V[loose] / size


def _together(names: list[str], direction: Floats, size: Floats) -> dict[str, float]:
    """How values may change together without a change of the residuals: the largest share of a range is 1."""
    share = direction / size
    largest = int(np.argmax(np.abs(share)))
    moved = np.abs(share) > MOVED * abs(share[largest])
    scaled = direction / direction[largest]
    return {name: float(x) for name, x, moves in zip(names, scaled, moved, strict=True) if moves}


def _every(t: Floats) -> int:
    return max(1, -(-len(t) // SHOWN))


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _range(study: Study) -> tuple[Floats, Floats, Floats]:
    """Limits and start: `start`, what the file has, or the middle."""
    varied, base = list(study.varied.values()), study.runner.base
    low = np.array([-np.inf if one.low is None else one.low for one in varied], float)
    high = np.array([np.inf if one.high is None else one.high for one in varied], float)
    start = np.array([x if one.start is None else one.start for one, x in zip(varied, base, strict=True)], float)
    with np.errstate(invalid="ignore"):  # of a range without ends
        middle = np.where(np.isfinite(high - low), 0.5 * (low + high), np.where(np.isfinite(low), low, high))
    start = np.where((start < low) | (start > high), middle, start)
    span = np.where(np.isfinite(high - low), high - low, np.maximum(np.abs(start), 1e-3))
    return low, high, np.clip(start, low + INSIDE * span, high - INSIDE * span)  # the solver begins inside
