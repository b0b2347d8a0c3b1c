"""How outputs depend on what varies: derivatives by differences or by direct differentiation, or shares of the variance by SALib.

Derivatives are Ridders' (1982): central differences with steps that shrink by 1.4 are extrapolated to a step of nothing, as far as their
tableau gets better, which tells the error too. So the step is chosen where round-off and truncation are balanced.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from mbsim.model.file.errors import ModelError
from mbsim.results.functionals import Floats
from mbsim.studies.runner.direct import Direct, DirectError
from mbsim.studies.runner.other_analyses import DYNAMIC
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.study import Study

FIRST = 0.05  # of the range of what varies: the largest step
SHRINKS, STEPS = 1.4, 9
FEWEST = 4  # steps by which a corner is told
SURE = 3.0  # times the error: what the slopes to both sides differ by is more than chance
CLOSER = 0.2  # of the time between rows: those that tell what rows of a run miss
SURER = 0.1  # of the error of steps before: that of smaller ones which counts for more than chance
ROUNDINGS = 4.0 * float(np.finfo(float).eps)  # of an output, that a difference is uncertain by
MISSING = "sensitivity indices need SALib, which is not installed here: pip install 'mbsim[salib]'"


class SensitivityError(ValueError):
    """Sensitivities that cannot be computed."""


class NoDerivativeError(SensitivityError):
    """A motion whose derivatives do not exist, or are not found, where they are asked for."""


def derivatives(study: Study, evaluations: Evaluations) -> dict[str, Any]:
    """The derivatives of every output at `start`, or at what the file has, with error estimates; as plain data."""
    base, size = _base(study)
    out: dict[str, Any] = {"kind": "derivatives", "at": dict(zip(study.names, base.tolist(), strict=True)), "outputs": {}}
    if study.sensitivity is not None and study.sensitivity.method == "direct":
        return {**out, "method": "direct", "outputs": _directly(study, base, size), "evaluations": len(evaluations.rows(base[None]))}
    steps = FIRST / SHRINKS ** np.arange(STEPS)
    points = [base]
    for k in range(len(base)):
        for step in steps:
            for sign in (1.0, -1.0):
                point = base.copy()
                point[k] += sign * step * size[k]
                points.append(point)
    evaluations.expect(np.array(points))
    found = evaluations.outputs(np.array(points))
    y, rest = found[0], found[1:].reshape(len(base), STEPS, 2, -1)
    by: dict[str, dict[str, Any]] = {output: {} for output in study.units}
    for k, name in enumerate(study.names):
        most = ROUNDINGS * np.nanmax(np.abs(found), axis=0, initial=0.0)
        by_steps, ends = steps * size[k], rest[k]
        values, jumps = _by_ends(y, by_steps, ends, most)
        if any(jump > error for jump, (_, error, _) in zip(jumps, values, strict=True)):  # smaller steps may stay on one side
            smaller = by_steps[-1] / SHRINKS ** np.arange(1, STEPS + 1)
            beside = base + np.kron(np.stack([smaller, -smaller], axis=1).reshape(-1, 1), np.eye(len(base))[k])
            evaluations.expect(beside)
            by_steps, ends = np.concatenate([by_steps, smaller]), np.concatenate([ends, evaluations.outputs(beside).reshape(STEPS, 2, -1)])
            values, jumps = _by_ends(y, by_steps, ends, most)
        unseen = _between_rows(study, base, k, values, by_steps, _differences(by_steps, ends))
        for j, (output, (value, error, step)) in enumerate(zip(by, values, strict=True)):
            error = max(error, jumps[j])
            by[output][name] = {**_derivative(value, base[k], y[j]), "error": _number(error + unseen[j]), "step": step}
    out["outputs"] = {x: {"value": _number(y[j]), "units": study.units[x], "by": rows} for j, (x, rows) in enumerate(by.items())}
    return {**out, "evaluations": evaluations.progress.done}


def _differences(steps: Floats, ends: Floats) -> Floats:
    """(k, n_outputs) central differences of steps (k,) to both sides, at whose ends outputs are (k, 2, n_outputs)."""
    return np.asarray((ends[:, 0] - ends[:, 1]) / (2.0 * steps[:, None]))


def _by_ends(y: Floats, steps: Floats, ends: Floats, rounding: Floats) -> tuple[list[tuple[float, float, float]], list[float]]:
    """What `ridders` says of each output (n_outputs,) y, and how far a corner makes its derivative uncertain. See `_differences`."""
    differences = _differences(steps, ends)
    values = [ridders(differences[:, j], steps, float(rounding[j])) for j in range(len(y))]
    return values, [_corner(y[j], steps, ends[:, :, j], error, used) for j, (_, error, used) in enumerate(values)]


def _corner(y: float, steps: Floats, ends: Floats, error: float, used: float) -> float:
    """How far a corner near the point where an output is y makes its derivative uncertain, by its values (k, 2) at the ends of steps.

    The slopes to both sides of a smooth output differ by h y'' of a step h, and y'' is found as well as the derivative is: with an `error`
    over h, by steps as large as those `used`. At a corner it is not, as the slopes differ by what does not go away with h. 0 of none.
    """
    curvatures = (ends[:, 0] + ends[:, 1] - 2.0 * y) / steps**2
    if not np.isfinite(curvatures).all():
        return 0.0
    count = max(FEWEST, int(np.sum(steps >= used)))
    _, apart, step = ridders(curvatures[:count], steps[:count])
    return apart * step if apart * step > SURE * error else 0.0


def _between_rows(
    study: Study, base: Floats, k: int, found: Sequence[tuple[float, float, float]], steps: Floats, differences: Floats
) -> Floats:
    """(n_outputs,) what CLOSER rows tell of derivatives by number k, which Ridders' have `found`: a corner between rows counts as it lies.

    `differences` (k, n_outputs) are those of `steps`. Of each output the one of the step that was used is taken again. Where it is another
    one by more than the error, extrapolation has made more of that, and the derivative is as far off as it is from this one.
    """
    unseen = np.zeros(len(found))
    if study.runner.analysis != DYNAMIC:
        return unseen
    try:
        finer = study.runner.with_rows(CLOSER * study.runner.settings.interval)
    except (ModelError, ValueError):  # so short a step is refused
        return unseen
    used = np.array([step for _, _, step in found])
    for step in np.unique(used[np.isfinite(used)]):
        i = int(np.flatnonzero(steps == step)[0])
        ends = [finer.run(base + sign * step * np.eye(len(base))[k]).values for sign in (1.0, -1.0)]
        closer = (ends[0] - ends[1]) / (2.0 * step)
        for j in np.flatnonzero((used == step) & np.isfinite(closer)).tolist():
            value, error, _ = found[j]
            unseen[j] = abs(closer[j] - differences[i, j])
            if unseen[j] > error:
                unseen[j] = max(unseen[j], abs(closer[j] - value))
    return unseen


def _directly(study: Study, base: Floats, size: Floats) -> dict[str, Any]:
    """The outputs' values and derivatives. Raises SensitivityError where they cannot be found so."""
    try:
        direct = Direct(study.runner)
    except DirectError as error:
        raise SensitivityError(f"sensitivity.method: {error}") from None
    try:
        found = direct(base, size)
    except DirectError as error:
        raise NoDerivativeError(
            f"no derivatives by direct differentiation: {error}; --method differences takes runs beside this one"
        ) from None
    out = {}
    for j, (output, units) in enumerate(study.units.items()):
        y, by = float(found.values[j]), {}
        for k, name in enumerate(study.names):
            by[name] = {**_derivative(float(found.jacobian[j, k]), base[k], y), "error": _number(found.errors[j, k])}
        out[output] = {"value": _number(y), "units": units, "by": by}
    return out


def _derivative(value: float, x: float, y: float) -> dict[str, float | None]:
    """A derivative of y by x, and the elasticity."""
    return {"derivative": _number(value), "elasticity": _number(value * x / y if y and np.isfinite(value) else np.nan)}


def ridders(differences: Floats, steps: Floats, rounding: float = 0.0) -> tuple[float, float, float]:
    """The derivative of which these are central differences, its error, and the smallest step that was used.

    `rounding` is the round-off of the values that were subtracted, below which the error is not. An output that is smooth only near the
    point, as a time of an impact among others, is not that of the larger steps: a tableau of smaller ones is taken where it is SURER.
    """
    known = np.isfinite(differences)
    if not known.any():
        return float("nan"), float("nan"), float("nan")
    differences, steps = differences[known], steps[known]
    best, error, used = _extrapolated(differences, steps)
    for first in range(1, len(steps) - 1):
        value, apart, step = _extrapolated(differences[first:], steps[first:])
        if apart < SURER * error:
            best, error, used = value, apart, step
    return best, max(error, rounding / used), used


def _extrapolated(differences: Floats, steps: Floats) -> tuple[float, float, float]:
    """The same by the tableau that begins with the first step, as far as it gets better."""
    best, error, used = float(differences[0]), np.inf, float(steps[0])
    tableau = [np.array([differences[0]])]
    for i in range(1, len(differences)):
        row, factor = [differences[i]], 1.0
        for j in range(1, i + 1):
            factor = (steps[i - j] / steps[i]) ** 2
            row.append(row[j - 1] + (row[j - 1] - tableau[i - 1][j - 1]) / (factor - 1.0))
            apart = max(abs(row[j] - row[j - 1]), abs(row[j] - tableau[i - 1][j - 1]))
            if apart <= error:
                best, error, used = float(row[j]), float(apart), float(steps[i])
        tableau.append(np.array(row))
        if abs(row[i] - tableau[i - 1][i - 1]) >= 2.0 * error:
            break
    return best, error, used


def _base(study: Study) -> tuple[Floats, Floats]:
    """Where derivatives are taken, and the size (n,) of what varies."""
    base: Floats = study.runner.base.copy()
    size = np.zeros(len(study.names))
    for k, one in enumerate(study.varied.values()):
        if one.start is not None:
            base[k] = one.start
        elif one.low is not None and one.high is not None and not one.low <= base[k] <= one.high:
            base[k] = 0.5 * (one.low + one.high)
        if one.low is not None and one.high is not None:
            size[k] = one.high - one.low
        elif one.distribution is not None:
            size[k] = float(one.distribution.frozen.std())
        elif one.axis is not None:
            size[k] = float(np.ptp(one.axis.values))
        if not size[k] > 0.0:
            size[k] = abs(base[k]) or 1.0
    return base, size


def indices(study: Study, evaluations: Evaluations) -> dict[str, Any]:
    """Sobol, FAST or Morris indices by SALib, as plain data. Raises SensitivityError where it is missing or runs failed."""
    block = study.sensitivity
    assert block is not None
    try:
        from SALib import analyze, sample
        from SALib.analyze import fast, morris, sobol  # noqa: F401
        from SALib.sample import fast_sampler  # noqa: F401
        from SALib.sample import morris as of_morris  # noqa: F401
        from SALib.sample import sobol as of_sobol  # noqa: F401
    except ImportError:
        raise SensitivityError(MISSING) from None
    names = [f"x{k}" for k in range(len(study.names))]
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    if block.type == "sobol":
        u = sample.sobol.sample(problem, block.count, calc_second_order=False, seed=block.seed)
    elif block.type == "morris":
        u = sample.morris.sample(problem, block.count, seed=block.seed)
    else:
        u = sample.fast_sampler.sample(problem, block.count, seed=block.seed)
    values = _values(study, u)
    evaluations.expect(values)
    found = evaluations.outputs(values)
    out: dict[str, Any] = {"kind": block.type, "outputs": {}}
    for j, output in enumerate(study.units):
        y = found[:, j]
        if not np.isfinite(y).all():
            raise SensitivityError(f"{int((~np.isfinite(y)).sum())} of {len(y)} runs have no {output}; indices need all of them")
        if block.type == "sobol":
            got = analyze.sobol.analyze(problem, y, calc_second_order=False, seed=block.seed)
            words = {"first": "S1", "first_interval": "S1_conf", "total": "ST", "total_interval": "ST_conf"}
        elif block.type == "morris":
            got = analyze.morris.analyze(problem, u, y, seed=block.seed)
            words = {"mean_absolute": "mu_star", "mean_absolute_interval": "mu_star_conf", "spread": "sigma"}
        else:
            with warnings.catch_warnings():  # about intervals, which are not taken
                warnings.simplefilter("ignore", UserWarning)
                got = analyze.fast.analyze(problem, y, seed=block.seed)
            words = {"first": "S1", "total": "ST"}
        by = {name: {word: _number(np.asarray(got[key], float)[k]) for word, key in words.items()} for k, name in enumerate(study.names)}
        out["outputs"][output] = {"mean": float(y.mean()), "variance": float(y.var()), "units": study.units[output], "by": by}
    return {**out, "evaluations": evaluations.progress.done}


def _values(study: Study, u: Floats) -> Floats:
    """The values at probabilities."""
    columns = []
    for k, one in enumerate(study.varied.values()):
        if one.distribution is not None:
            columns.append(one.distribution.at(u[:, k]))
        elif one.low is not None and one.high is not None:
            columns.append(one.low + u[:, k] * (one.high - one.low))
    return np.column_stack(columns)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
