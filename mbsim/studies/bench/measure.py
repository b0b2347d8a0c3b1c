"""Runs one setting of a case in the case's process and judges it by the published values alone; modes and equilibria here."""

from collections.abc import Callable, Sequence
from contextlib import closing
from math import isfinite
from statistics import median
from time import perf_counter

from mbsim.studies.bench.cases import FAILED, MET, MISSED, NONE, REFUSED, Case, Setting, Trial
from mbsim.studies.bench.statics import checks
from mbsim.studies.compare.worker import Runner, Task, isolated
from mbsim.studies.engine.worker import DiedError


def bench(cases: Sequence[Case], *, repeats: int = 3, timeout: float = 300.0, progress: Callable[[str], None] | None = None) -> list[Trial]:
    """Every case at the setting of its file, each in a separate process with `timeout` seconds. Raises the errors of the assembly."""
    say = progress or (lambda line: None)
    found = []
    for case in cases:
        say(case.name)
        if not case.wanted:
            found.append(statics(case))
            continue
        with closing(isolated(case.source, timeout)) as runner:
            made = open_case(runner, case) or trial(runner, case, case.own, repeats)
        if case.has_statics and made.verdict in (MET, MISSED):
            more = statics(case)
            made.checks += more.checks
            made.verdict, made.reason = (made.verdict, made.reason) if more.verdict == MET else (more.verdict, more.reason)
        found.append(made)
    return found


def statics(case: Case) -> Trial:
    """The published eigenvalues, borders and values of the equilibrium, judged in this process."""
    method = "modes" if case.published.modes or case.published.borders else "equilibrium"
    made = Trial(case.own, MET, method=method, integrator=NONE)
    begun = perf_counter()
    try:
        made.checks = checks(case)
    except ValueError as error:  # no equilibrium; a model that cannot be assembled with the parameters
        made.verdict, made.reason = FAILED, " ".join(str(error).split())
        return made
    made.run_time = perf_counter() - begun
    return _judge(made)


def open_case(runner: Runner, case: Case) -> Trial | None:
    """Assemble the model. Returns a failed trial if its process died."""
    try:
        runner.open()
    except DiedError as error:
        return Trial(case.own, FAILED, str(error), case.checks([float("nan")] * len(case.wanted)))
    return None


def trial(runner: Runner, case: Case, setting: Setting, repeats: int) -> Trial:
    """Run a setting of a case and judge it."""
    outcome = runner.run(Task(setting.words(), repeats, case.wanted))
    result = outcome.result
    if outcome.status != "done" or result is None:
        verdict = REFUSED if outcome.status == "refused" else FAILED
        return Trial(setting, verdict, " ".join(outcome.reason.split()), case.checks([float("nan")] * len(case.wanted)))
    made = Trial(
        setting,
        MET,
        checks=case.checks(outcome.values),
        method=str(result.attributes["method"]),
        integrator=str(result.attributes["integrator"]),
        steps=int(result.attributes["counts"]["steps"]),
        march_time=median(outcome.march_times),
        run_time=median(outcome.wall_times),
    )
    return _judge(made)


def _judge(made: Trial) -> Trial:
    """With the verdict of its checks."""
    worst = made.worst
    if worst is not None and not made.ratio <= 1.0:
        made.verdict = MISSED
        when = f" at {worst.time:.9g} s" if isfinite(worst.time) else ""
        made.reason = f"{worst.of}{when} is {worst.found:.12g}, published {worst.published:.12g} ± {worst.tolerance:.1e}"
    return made
