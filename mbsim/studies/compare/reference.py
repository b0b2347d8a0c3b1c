"""The reference motion with which every row is compared, and an estimate of its own error.

Two methods must agree on it: the first two of METHODS that run the model, with `dop853`, each at tolerances of 1e-12 and 1e-11. They agree
where their distance is explained by what each moves from 1e-11 to 1e-12. Where they do not, the next method is asked, and the two that
agree are taken. If no two do, the two nearest ones serve up to PLATEAU; beyond it there is no reference. The one of both that moves less is
the reference. Its error is the larger of what it moves and of its distance from the other: more than the true error, unless both methods
are wrong alike.

A stiff model takes `radau` in place of `dop853`, and METHODS_OF_STIFF. Without these, or where they fail with all methods: `rk4` with a
step that is halved until Richardson's estimate is below TARGET, held against the next method at the last step. Or a result file that the
user trusts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from mbsim import registry
from mbsim.results import Result, ResultError, open_result
from mbsim.studies.compare.measures import JUDGED, SAME_TIME, distance, reach, rms
from mbsim.studies.compare.rows import Reference
from mbsim.studies.compare.verdict import FLOORS, PLATEAU, SAFETY, own_errors
from mbsim.studies.compare.worker import Labels, Outcome, Runner, Task

AUTO = "auto"
METHODS = ("lagrange", "aba", "svd", "nullspace")  # `aba` is refused where there is no tree, and shares no equation with the others
METHODS_OF_STIFF = ("lagrange", "nullspace", "svd")  # by cost: with `radau` `svd` takes ten times as many evaluations as `nullspace`
METHOD = METHODS[0]
MOTION = ("position", "velocity")  # what two methods must agree on: reactions and energies follow
TIGHT, LOOSE = 1e-12, 1e-11
EXPLICIT, IMPLICIT = "dop853", "radau"  # of which the second is for stiff models, which the first would follow in vain
TIGHT_IMPLICIT = 1e-10  # of stiff models: at 1e-12 a hub with a beam of eight elements takes 180,000 steps in half a second
TARGET = 1e-10  # of the motion's reach; a finer step would only add round-off
HALVED = 6
MAX_STEPS = 2_000_000  # of one reference run


@dataclass(frozen=True)
class Wanted:
    """What a reference is computed of."""

    runner: Runner
    step: float  # s: the smallest of the rows
    interval: float  # s: between output times
    span: float  # s: of the run
    values: tuple[tuple[float, str], ...] = ()  # published: at which time, of what
    common: Mapping[str, Any] = field(default_factory=dict)  # settings of all runs
    integrator: str = EXPLICIT
    tight: float = TIGHT  # the smaller one of both tolerances, of which the other is ten times as large

    def run(self, integrator: str, step: float, method: str, values: bool = True) -> Outcome:
        """A run by a method."""
        settings = {"drift": "full", **self.common, "method": method, "integrator": integrator, "step": step, "output_step": self.interval}
        return self.runner.run(Task(settings, wanted=self.values if values else ()))

    @property
    def loose(self) -> float:
        """The larger one of both tolerances."""
        return LOOSE if self.tight == TIGHT else 10.0 * self.tight

    @property
    def words(self) -> str:
        """The integrator and its tolerances."""
        return f"{self.integrator} at tolerances {self.tight:g}; its error from a run at {self.loose:g}"


def converge(of: Wanted, methods: Sequence[str] = ()) -> Reference:
    """A reference computed here by `methods`, else by those above. One method alone is taken as it is."""
    methods = methods or (METHODS_OF_STIFF if of.integrator == IMPLICIT else METHODS)
    reasons: list[str] = []
    found: dict[str, Reference] = {}
    for method in methods if of.integrator in registry.names("integrators") else ():
        one = _tight(of, method)
        if one.result is None:
            reasons += [f"{method} with {of.integrator}: {one.reason}"] * (not one.refused)
            continue
        found[method] = one
        for other in [name for name in found if name != method]:
            if _agree(found[other], one):
                return _of_two(of, found, other, method)
    if len(found) > 1:
        return _nearest(of, found)
    for method, one in found.items():
        alone = "" if len(methods) == 1 else f"; no other method confirms it ({'; '.join(reasons) or 'none fits'})"
        return replace(one, description=f"{method} with {of.words}{alone}")
    halved = _halve(of, methods[0], methods[1:])
    halved.reason = "; ".join([*reasons, f"rk4: {halved.reason}"]) if halved.result is None else ""
    return halved


def _agree(a: Reference, b: Reference, plateau: float = 0.0) -> bool:
    """Whether the distance of two motions is explained by their own errors, or is less than `plateau` of the motion."""
    assert a.result is not None and b.result is not None
    apart = _distances(a.result, b.result)
    scales = {m: max(reach(a.result, m), reach(b.result, m)) for m in MOTION}
    return all(apart[m] <= max(SAFETY * (a.errors[m] + b.errors[m]) + FLOORS[m] * scales[m], plateau * scales[m]) for m in MOTION)


def _nearest(of: Wanted, found: dict[str, Reference]) -> Reference:
    """Of several methods of which no two agree."""

    def apart(pair: tuple[str, str]) -> float:
        a, b = (found[name].result for name in pair)
        assert a is not None and b is not None
        return _distances(a, b)["position"]

    one, other = min(combinations(found, 2), key=apart)
    if _agree(found[one], found[other], PLATEAU):
        return _of_two(of, found, one, other)
    words = f"the nearest two, {one} and {other}, differ by {apart((one, other)):.1e} in positions"
    return Reference("", reason=f"{', '.join(found)} with {of.integrator} at tolerances {of.tight:g} do not agree: {words}")


def _of_two(of: Wanted, found: dict[str, Reference], one: str, other: str) -> Reference:
    """The one of both that moves less between its tolerances, with the larger of its two errors."""

    def moves(name: str) -> float:
        return sum(found[name].errors[m] for m in MOTION)

    best, second = (one, other) if moves(one) <= moves(other) else (other, one)
    kept, against = found[best], found[second]
    assert kept.result is not None and against.result is not None
    apart = _distances(against.result, kept.result)
    errors = {m: max(error, apart.get(m, 0.0)) for m, error in kept.errors.items()}
    description = f"{best} with {of.words} and from {second} at both"
    return replace(kept, description=description, errors=errors)


def _tight(of: Wanted, method: str) -> Reference:
    runs = []
    for tolerance in (of.loose, of.tight):
        runs.append(of.run(f"{of.integrator}(rtol={tolerance!r}, atol={tolerance!r})", of.interval, method))
        if runs[-1].status != "done":
            return Reference("", reason=runs[-1].reason, refused=runs[-1].status == "refused")
    loose, tight = runs
    assert tight.result is not None and loose.result is not None
    return Reference("", tight.result, "", _distances(loose.result, tight.result), tight.values)


def _distances(run: Result, other: Result) -> dict[str, float]:
    apart = distance(run, other)
    return {m: rms(values) for m in JUDGED if (values := apart.of(m)) is not None}


def _halve(of: Wanted, method: str, others: Sequence[str] = ()) -> Reference:
    """rk4; the step is halved until the estimate is small or no longer falls, or the runs become too long."""
    order = float(registry.declaration("integrators", "rk4", "ORDER", 4))
    runs: list[Outcome] = []
    steps: list[float] = []
    errors: dict[str, float] = {}
    apart: list[dict[str, float]] = []
    step, reason = of.step, ""
    for _ in range(HALVED):
        step /= 2.0
        if of.span / step > MAX_STEPS and len(runs) > 1:
            break
        outcome = of.run("rk4", step, method)
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
        if all(error <= TARGET * max(reach(outcome.result, m), TARGET) for m, error in errors.items() if m in MOTION):
            break
        if len(apart) > 1 and all(apart[-1][m] >= 0.5 * apart[-2][m] for m in MOTION):
            # Round-off or the tolerance of the drift correction is reached, or nothing converges: the distance itself tells which.
            errors = apart[-1]
            break
    if len(runs) < 2:
        return Reference("", reason=reason if not runs else "a second run, to estimate the error from, failed")
    description = f"{method} with rk4 at step {steps[-1]:.3g} s; its error from the runs at twice the step"
    best = runs[-1]
    assert best.result is not None
    for other in others:
        outcome = of.run("rk4", steps[-1], other, values=False)
        if outcome.status == "done" and outcome.result is not None:
            apart_by = _distances(outcome.result, best.result)
            errors = {m: max(error, apart_by.get(m, 0.0)) for m, error in errors.items()}
            description += f" and from {other}"
            break
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
