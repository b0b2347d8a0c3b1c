"""The reference motion with which every row is compared, and an estimate of its own error.

It is independent of the compared rows: the direct method `lagrange` (the plain augmented equations) with `dop853` at tolerances 1e-12. The
same run with 10 times looser tolerances is farther off, and its distance is taken as an upper bound of the error. Without dop853, or if it
fails: `rk4` with a step that is halved until Richardson's estimate is below TARGET. Or a result file that the user trusts.
"""

from pathlib import Path
from typing import Any

from mbsim import registry
from mbsim.results import Result, ResultError, open_result
from mbsim.studies.compare.measures import MEASURES, SAME_TIME, distance, reach, rms
from mbsim.studies.compare.rows import Reference
from mbsim.studies.compare.verdict import own_errors
from mbsim.studies.compare.worker import Labels, Outcome, Runner, Task

AUTO = "auto"
METHOD = "lagrange"
TIGHT, LOOSE = 1e-12, 1e-11
TARGET = 1e-10  # of the motion's reach; a finer step would only add round-off
HALVED = 6
MAX_STEPS = 2_000_000  # of one reference run


def converged(
    runner: Runner, step: float, interval: float, span: float, wanted: tuple[tuple[float, str], ...], extra: Any, method: str = METHOD
) -> Reference:
    """A reference computed here; `step` is the smallest of the rows, `method` one that is independent of theirs."""
    extra = {"method": method, **extra}
    reasons = []
    if "dop853" in registry.names("integrators") and {"rtol", "atol"} <= registry.options("integrators", "dop853").keys():
        found = _tight(runner, interval, wanted, extra)
        if found.result is not None:
            return found
        reasons.append(f"dop853: {found.reason}")
    found = _halved(runner, step, interval, span, wanted, extra)
    found.reason = "; ".join([*reasons, f"rk4: {found.reason}"]) if found.result is None else ""
    return found


def _settings(integrator: str, step: float, interval: float, extra: Any) -> dict[str, Any]:
    return {"drift": "full", **extra, "integrator": integrator, "step": step, "output_step": interval}


def _tight(runner: Runner, interval: float, wanted: tuple[tuple[float, str], ...], extra: Any) -> Reference:
    runs = []
    for tolerance in (LOOSE, TIGHT):
        integrator = f"dop853(rtol={tolerance!r}, atol={tolerance!r})"
        runs.append(runner.run(Task(_settings(integrator, interval, interval, extra), wanted=wanted)))
        if runs[-1].status != "done":
            return Reference("", reason=runs[-1].reason)
    loose, tight = runs
    assert tight.result is not None and loose.result is not None
    description = f"{extra['method']} with dop853 at tolerances {TIGHT:g}; its error from a run at {LOOSE:g}"
    return Reference(description, tight.result, "", _distances(loose.result, tight.result), tight.values)


def _distances(run: Result, other: Result) -> dict[str, float]:
    apart = distance(run, other)
    return {m: rms(values) for m in MEASURES if (values := apart.of(m)) is not None}


def _halved(runner: Runner, step: float, interval: float, span: float, wanted: tuple[tuple[float, str], ...], extra: Any) -> Reference:
    """rk4; the step is halved until the estimate is small or no longer falls, or the runs become too long."""
    order = float(registry.declaration("integrators", "rk4", "ORDER", 4))
    runs: list[Outcome] = []
    steps: list[float] = []
    errors: dict[str, float] = {}
    apart: list[dict[str, float]] = []
    reason = ""
    for _ in range(HALVED):
        step /= 2.0
        if span / step > MAX_STEPS and len(runs) > 1:
            break
        outcome = runner.run(Task(_settings("rk4", step, interval, extra), wanted=wanted))
        if outcome.status != "done" or outcome.result is None:
            if len(runs) > 1:
                break  # use the last run: its own estimate says how good it is
            runs.clear()
            steps.clear()
            apart.clear()
            reason = outcome.reason
            continue  # the step may have been too coarse
        runs.append(outcome)
        steps.append(step)
        if len(runs) == 1:
            continue
        before = runs[-2].result
        assert before is not None
        apart.append(_distances(before, outcome.result))
        errors = {m: own_errors([d[m] for d in apart], steps, order, 0.0)[-1] for m in apart[-1]}
        if all(error <= TARGET * max(reach(outcome.result, m), TARGET) for m, error in errors.items() if m != "reaction"):
            break
        if len(apart) > 1 and all(apart[-1][m] >= 0.5 * apart[-2][m] for m in ("position", "velocity")):
            # Round-off or the tolerance of the drift correction is reached, or nothing converges: the distance itself tells which.
            errors = apart[-1]
            break
    if len(runs) < 2:
        return Reference("", reason=reason if not runs else "a second run, to estimate the error from, failed")
    description = f"{extra['method']} with rk4 at step {steps[-1]:.3g} s; its error from the runs at twice the step"
    best = runs[-1]
    return Reference(description, best.result, "", errors, best.values)


def from_file(path: Path, expected: Labels, start: float, end: float) -> Reference:
    """A result file as the reference, taken as exact. Raises ResultError, FileNotFoundError for one that does not fit the model."""
    with open_result(path) as opened:
        for kind, labels in zip(("coordinate", "speed"), expected, strict=True):
            theirs = opened.labels(kind)
            if theirs != labels:
                odd = [name for name in theirs if name not in labels] or [name for name in labels if name not in theirs] or theirs
                raise ResultError(f"{path} is the result of another model: its {kind}s differ ({', '.join(odd[:4])})")
        if len(opened.time) < 2 or abs(opened.time[0] - start) > SAME_TIME * (end - start):
            raise ResultError(f"{path} does not begin at {start:g} s, as the model does")
        if opened.time[-1] < end - SAME_TIME * (end - start):
            raise ResultError(f"{path} ends at {opened.time[-1]:g} s, the model at {end:g} s")
        constructor, arguments = opened.__reduce__()
        result: Result = constructor(*arguments)
    return Reference(f"the file {path}, taken as exact", result)
