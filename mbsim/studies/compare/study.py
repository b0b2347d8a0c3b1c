"""The whole sequence of a comparison: `mbsim.compare`, and the Comparison that it returns."""

import itertools
import platform
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from math import ceil, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim.model.file.errors import ModelError
from mbsim.results import Result, open_result
from mbsim.studies.compare.comparison import Comparison
from mbsim.studies.compare.control import Control
from mbsim.studies.compare.measures import JUDGED, distance, rms
from mbsim.studies.compare.plan import OWN, Ladder, Plan, PlanError, interval, make_plan
from mbsim.studies.compare.reference import AUTO, EXPLICIT, IMPLICIT, TIGHT_IMPLICIT, Wanted, converge, from_file
from mbsim.studies.compare.rows import Case, Course, Reference, Row
from mbsim.studies.compare.subject import Subject, subject_of
from mbsim.studies.compare.verdict import (
    DISAGREES,
    FAILED,
    KNOWN_WRONG,
    LOW_ORDER,
    NO_REFERENCE,
    PLATEAU,
    REFUSED,
    UNRESOLVED,
    Check,
    Scale,
    judge,
    own_errors,
)
from mbsim.studies.compare.worker import Labels, Outcome, Points, Task
from mbsim.studies.engine.worker import DiedError

if TYPE_CHECKING:
    from mbsim.model.reference import ReferenceValue

VERSIONS = ("mbsim", "numpy", "scipy", "numba", "h5py")


def compare(
    models: object,
    *,
    methods: Sequence[str] | None = None,
    integrators: Sequence[str] | None = None,
    steps: Sequence[float | str] | None = None,
    tolerances: Sequence[float | str] | None = None,
    reference: str | Path = AUTO,
    repeats: int = 3,
    timeout: float = 300.0,
    end: float | None = None,
    drift: str | None = None,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    progress: Callable[[str], None] | None = None,
    command: str = "",
) -> Comparison:
    """Run every combination of methods, integrators and steps (or tolerances) on every model and judge each against a reference.

    `models`: models as `mbsim.load_model` takes them, Assemblies or Systems, one or several. `methods` and `integrators` as in a model
    file, `svd(hold=false)`; by default every method, with rk4, or with radau for stiff models where no `steps` are given. `steps` (s)
    default to the model's, its half and its quarter; an integrator that has an option `rtol` takes `tolerances` in their place.
    `reference`: "auto", or the path of a result. A combination takes at most `timeout` seconds, in a separate process. An Assembly or a
    System cannot be sent there and runs in this process, without a limit.
    A System needs its start (q, v) and `end` (s), the last time. `progress` is called with a line of text as each run begins.

    Raises PlanError (a ValueError) for words that do not exist, mbsim.ModelError for a model that is wrong, mbsim.results.ResultError or
    OSError for a reference file that does not fit. A failure in a run becomes the verdict of its row.
    """
    plan = make_plan(methods, integrators, steps, tolerances, drift)
    several = models if isinstance(models, (list, tuple)) else [models]
    if str(reference) != AUTO:
        if len(several) > 1:
            raise PlanError(["a reference file goes with one model"])
        open_result(reference).close()  # before anything runs
    study = _Study(plan, reference, max(1, int(repeats)), drift, progress or (lambda line: None))
    opened, problems = [], []
    for model in several:  # read all of them before the first run, to report errors at once
        try:
            opened.append(subject_of(model, end, timeout, (q, v)))
        except ModelError as error:
            problems += error.problems
    if problems:
        raise ModelError(problems)
    names: list[str] = []
    for subject in opened:
        same = sum(name == subject.name or name.startswith(f"{subject.name}-") for name in names)
        subject.name += f"-{same + 1}" * bool(same)
        names.append(subject.name)
    return Comparison(
        [study.case(subject) for subject in opened],
        command,
        datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        f"{platform.system()} {platform.machine()}, {platform.processor() or 'processor not named'}, Python {platform.python_version()}",
        {name: found for name in VERSIONS if (found := _version(name))},
        study.repeats,
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a source tree that was never installed
        return ""


class _Study:
    """Runs the plan on one model after the other."""

    def __init__(
        self,
        plan: Plan,
        reference: str | Path,
        repeats: int,
        drift: str | None,
        say: Callable[[str], None],
    ) -> None:
        self.plan, self.reference, self.repeats, self.say = plan, reference, repeats, say
        self.settings: dict[str, Any] = {} if drift is None else {"drift": drift}  # of every row

    def case(self, subject: Subject) -> Case:
        """Run the reference and every row of a model."""
        ladders = self.plan.ladders(subject.step, subject.traits, subject.stiff)
        steps = [level for ladder in ladders if not ladder.adaptive for level in ladder.levels] or [subject.step]
        span = subject.end - subject.start
        spacing = interval(span, min(max(steps), span), subject.output_step)
        values = [] if subject.published is None else [v for v in subject.published.values if v.time <= subject.end]
        wanted = tuple((v.time, v.of) for v in values)
        try:
            self.say(f"{subject.name}: assembling")
            lost = ""
            try:
                labels = subject.runner.open()
            except DiedError as error:
                lost, found = str(error), Reference("", reason=str(error))
            else:
                found, spacing = self._reference(subject, labels, spacing, min(steps), wanted)
            case = Case(
                subject.name, subject.title, subject.file, subject.text, subject.start, subject.end, spacing, found,
                "" if subject.published is None else subject.published.source,
            )  # fmt: skip
            case.notes += self.plan.notes(subject.traits, subject.stiff)
            if found.result is not None:
                case.scales = found.scales(subject.drift_tolerance)
                case.checks = [
                    Check(v.time, v.of, v.value, v.tolerance, x)
                    for v, x in zip(values, found.values or [float("nan")] * len(values), strict=True)
                ]
            for ladder in ladders:
                if lost:
                    case.rows += [_row(ladder, level, float("nan"), Outcome("failed", lost), ()) for level in ladder.levels]
                else:
                    case.rows += self._ladder(subject, case, ladder, values, wanted)
            if found.result is not None and self._is_too_coarse(case):
                ladders = replace(self.plan, integrators=(EXPLICIT,)).ladders(subject.step, subject.traits)
                case.notes.append(f"equal steps from {max(steps):g} s on fail with every method: {EXPLICIT} takes their place")
                case.rows = [row for ladder in ladders for row in self._ladder(subject, case, ladder, values, wanted)]
            if found.result is not None:
                Control(case, ladders, lambda ladder, method: self._witness(subject, case, ladder, method)).look()
            for row in case.rows:
                if row.wrong and row.verdict in (DISAGREES, LOW_ORDER, UNRESOLVED):
                    row.verdict, row.reason = KNOWN_WRONG, f"{row.wrong}; {row.reason}"
        finally:
            subject.runner.close()
        return case

    def _is_too_coarse(self, case: Case) -> bool:
        """Whether steps that nobody asked for, those of the model and halves of it, are too long for all methods."""
        nobody = not (self.plan.integrators or self.plan.steps)
        return nobody and any(row.verdict == FAILED for row in case.rows) and all(row.verdict in (FAILED, REFUSED) for row in case.rows)

    def _witness(self, subject: Subject, case: Case, ladder: Ladder, method: str) -> Course | None:
        """The errors of another method at the same steps, of a method that makes its own steps with `rk4`; None where it does not run."""
        other = self.plan.ladder(method, "rk4" if ladder.integrator == OWN else ladder.integrator, ladder.levels, subject.stiff)
        outcomes: list[Outcome] = []
        for level in (*other.levels, *other.beyond):
            self.say(f"{subject.name}: {other.words(level)} (to judge {ladder.method} by)")
            outcomes.append(subject.runner.run(Task({**self.settings, **subject.settings, **other.settings(level, case.interval)})))
            if outcomes[-1].status in ("refused", "failed"):  # one that stopped may go on at a finer step
                return None
        return _course(case, other, outcomes)

    def _reference(self, subject: Subject, labels: Labels, spacing: float, step: float, wanted: Points) -> tuple[Reference, float]:
        """The reference, and the interval between rows, which a reference file may lengthen."""
        span = subject.end - subject.start
        if str(self.reference) == AUTO:
            self.say(f"{subject.name}: reference")
            of = Wanted(subject.runner, step, spacing, span, wanted, subject.settings)
            return converge(replace(of, integrator=IMPLICIT, tight=TIGHT_IMPLICIT) if subject.stiff else of), spacing
        found = from_file(Path(self.reference), labels, subject.start, subject.end)
        assert found.result is not None
        theirs = float(np.median(np.diff(found.result.time)))
        return found, min(span, theirs * max(1, round(np.ceil(spacing / theirs - 1e-6))))

    def _ladder(self, subject: Subject, case: Case, ladder: Ladder, values: "Sequence[ReferenceValue]", wanted: Points) -> list[Row]:
        """The rows of a ladder: first all runs, then the errors that they give for each other."""
        rows: list[Row] = []
        outcomes: list[Outcome] = []
        for level in (*ladder.levels, *ladder.beyond):
            real = level in ladder.levels
            self.say(f"{subject.name}: {ladder.words(level)}{' (for the error estimate)' * (not real)}")
            settings = {**self.settings, **subject.settings, **ladder.settings(level, case.interval)}
            if real or any(outcome.status == "done" for outcome in outcomes):
                outcomes.append(subject.runner.run(Task(settings, self.repeats if real else 1, wanted)))
            if real:
                step = float("nan") if ladder.adaptive else ladder.effective(level, case.interval)
                rows.append(_row(ladder, level, step, outcomes[-1], values))
                if rows[-1].verdict == REFUSED:  # whatever the step is
                    rows[-1].level = rows[-1].step = float("nan")
                    return rows
        _judge(case, ladder, rows, outcomes, values)
        return rows


def _row(ladder: Ladder, level: float, step: float, outcome: Outcome, values: "Sequence[ReferenceValue]") -> Row:
    row = Row(ladder.method, ladder.integrator, level, ladder.adaptive, step, reason=" ".join(outcome.reason.split()))
    if outcome.status == "done" and outcome.result is not None:
        row.result, row.march_times, row.cut = outcome.result, outcome.march_times, _cut(outcome.result, step)
        row.checks = [Check(v.time, v.of, v.value, v.tolerance, x) for v, x in zip(values, outcome.values, strict=True)]
    else:
        row.verdict = REFUSED if outcome.status == "refused" else KNOWN_WRONG if row.wrong and outcome.status == "stopped" else FAILED
    return row


def _judge(case: Case, ladder: Ladder, rows: list[Row], outcomes: list[Outcome], values: "Sequence[ReferenceValue]") -> None:
    """Errors, own errors, order and verdict of the rows that ran."""
    levels = [ladder.effective(level, case.interval) for level in (*ladder.levels, *ladder.beyond)]
    done = [(level, x, x.result) for level, x in zip(levels, outcomes, strict=False) if x.status == "done" and x.result is not None]
    results = [result for _, _, result in done]
    kept = [level if ladder.adaptive else min(level, _measure_step(result)) for level, _, result in done]
    own: dict[str, list[float]] = {}
    apart = [distance(a, b) for a, b in itertools.pairwise(results)]
    for measure in JUDGED:
        series = [d.of(measure) for d in apart]
        if all(values_ is not None for values_ in series):
            known = case.scales.get(measure, Scale(0.0, 0.0, 0.0))
            apart_by = [rms(values_) for values_ in series if values_ is not None]
            own[measure] = own_errors(apart_by, kept, ladder.order, known.floor, PLATEAU * known.reach)
    for index in range(len(values)):
        numbers = [outcome.values[index] for _, outcome, _ in done]
        between = [abs(a - b) for a, b in itertools.pairwise(numbers)]
        for row, error in zip(
            [r for r in rows if r.result is not None], own_errors(between, kept, ladder.order, values[index].tolerance), strict=False
        ):
            row.checks[index].own_error = error
    for place, row in enumerate(r for r in rows if r.result is not None):
        row.judgement.own = {measure: errors[place] for measure, errors in own.items()}
        _measure(case, row)
    if case.scales:
        course = case.courses[ladder.method, ladder.integrator] = _course(case, ladder, outcomes)
        for row in rows if not ladder.adaptive else ():
            for measure in ("position", "velocity"):
                row.fitted[measure] = course.order(measure, case.scales[measure])


def _course(case: Case, ladder: Ladder, outcomes: Sequence[Outcome]) -> Course:
    """The errors of all runs of a ladder."""
    course = Course(ladder.order)
    reference = case.reference.result
    assert reference is not None
    for level, outcome in zip((*ladder.levels, *ladder.beyond), outcomes, strict=False):
        if outcome.status == "done" and outcome.result is not None:
            step = ladder.effective(level, case.interval)
            course.levels.append(step)
            course.errors.append(_errors(outcome.result, reference))
            course.cut.append(not ladder.adaptive and _cut(outcome.result, step))
    return course


def _errors(result: Result, reference: Result) -> dict[str, float]:
    """By measure, over time."""
    against = distance(result, reference)
    return {measure: rms(values) for measure in JUDGED if (values := against.of(measure)) is not None}


def _cut(result: Result, step: float) -> bool:
    """Whether more steps were taken than equal ones of this size: the correction of the drift refused some, or a singular position did."""
    if isnan(step):
        return False
    steps: int = result.attributes["counts"]["steps"]
    return steps > ceil(float(result.time[-1] - result.time[0]) / step - 1e-6)


def _measure_step(result: Result) -> float:
    """The mean of the steps that were taken, s. It is less than the requested step if some steps were taken in parts."""
    steps: int = result.attributes["counts"]["steps"]
    return float(result.time[-1] - result.time[0]) / max(1, steps) * (1.0 + 1e-9)


def _measure(case: Case, row: Row) -> None:
    """The errors of a row and its verdict."""
    reference, result = case.reference.result, row.result
    assert result is not None
    if reference is None:
        judge(row.judgement, {}, row.checks)  # by the published values alone
        row.verdict, row.reason = row.judgement.verdict, row.judgement.reason
        if not row.checks:
            row.verdict, row.reason = NO_REFERENCE, case.reference.reason
        return
    row.against = distance(result, reference)
    row.judgement.errors = _errors(result, reference)
    judge(row.judgement, case.scales, row.checks)
    row.verdict, row.reason = row.judgement.verdict, row.judgement.reason
    last, wanted = float(result.time[-1]), min(case.end, float(reference.time[-1]))
    if abs(last - wanted) > 1.5 * case.interval or len(row.against.time) < 2:
        row.verdict, row.reason = DISAGREES, f"it ended at {last:g} s, the reference at {wanted:g} s"
