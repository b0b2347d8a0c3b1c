"""The fastest setting that meets the values of a case: every method with every integrator, each at the coarsest level that meets them.

A level is a step, which is doubled or halved, or a tolerance, by factors of 10, starting from the file's. It counts only if the error is
at most MARGIN of the required one there and at the next finer level, so that nothing passes because an error changes its sign.
A combination is given up when a level takes PATIENCE times as long as the fastest found, for finer ones take longer still.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from math import inf, isfinite

from mbsim import registry
from mbsim.benchmark.cases import FAILED, MET, REFUSED, Case, Setting, Trial, is_adaptive
from mbsim.benchmark.measure import opened, trial
from mbsim.comparison.worker import Process, Runner

MARGIN = 0.5  # of the required error
PATIENCE = 5.0
FASTEST = 3  # settings that are timed again
LEVELS = 14  # of one combination
STEP_FACTOR, TOLERANCE_FACTOR = 2.0, 10.0
TOLERANCE, TIGHTEST, LOOSEST = 1e-7, 1e-13, 1e-3  # where the tolerances start, and their range
COARSEST = 8  # steps of a run; fewer say nothing


def combinations(case: Case, methods: Sequence[str] | None = None, integrators: Sequence[str] | None = None) -> list[Setting]:
    """Every method with every integrator that it takes, the file's own first, at the level to start from."""
    own = case.own
    first = own.method if own.method != "auto" else "svd"
    chosen = methods or sorted(registry.names("methods"), key=lambda word: word != first)
    found = []
    step = own.output_step if own.adaptive else own.level
    for method in chosen:
        word = registry.variant(method)[0]
        owns = bool(registry.declaration("methods", word, "OWNS_STEP", False))
        for integrator in ("auto",) if owns else integrators or registry.names("integrators"):
            adaptive = is_adaptive(integrator)
            level = step if not adaptive else own.level if own.adaptive else TOLERANCE
            found.append(Setting(method, integrator, level, adaptive, own.output_step))
    return found


def search(
    case: Case,
    methods: Sequence[str] | None = None,
    integrators: Sequence[str] | None = None,
    *,
    repeats: int = 5,
    timeout: float = 60.0,
    progress: Callable[[str], None] | None = None,
) -> list[Trial]:
    """The best trial of each combination that meets the values, the fastest first, timed again with `repeats`.

    `timeout` (s) limits a run. Raises what assembling the model raises.
    """
    say = progress or (lambda line: None)
    found: list[Trial] = []
    with closing(Process(case.source, timeout)) as runner:
        lost = opened(runner, case)
        if lost is not None:
            return []
        for setting in combinations(case, methods, integrators):
            limit = PATIENCE * min((each.run_time for each in found), default=inf)
            best = coarsest(runner, case, setting, limit)
            if best is not None:
                found.append(best)
                say(f"{case.name}: {best.method}, {best.integrator}, {best.setting.level:g}: {1e3 * best.run_time:.3g} ms")
        found.sort(key=lambda each: each.run_time)
        found[:FASTEST] = [trial(runner, case, each.setting, repeats) for each in found[:FASTEST]]
    return sorted((each for each in found if passes(each)), key=lambda each: each.run_time)


def passes(made: Trial) -> bool:
    """Whether a trial meets the values with the margin."""
    return made.verdict == MET and made.ratio <= MARGIN


def coarsest(runner: Runner, case: Case, setting: Setting, limit: float) -> Trial | None:
    """The trial at the coarsest level that passes, as the next finer one does; None if there is none within `limit` seconds a run."""
    factor = TOLERANCE_FACTOR if setting.adaptive else STEP_FACTOR
    tried: dict[int, Trial] = {}

    def run(exponent: int) -> Trial:
        if exponent not in tried:
            tried[exponent] = trial(runner, case, replace(setting, level=setting.level * factor**exponent), 1)
        return tried[exponent]

    def allowed(exponent: int) -> bool:
        level = setting.level * factor**exponent
        low, high = (TIGHTEST, LOOSEST) if setting.adaptive else (0.0, _span(case) / COARSEST)
        return len(tried) < LEVELS and low * 0.99 < level < high * 1.01

    exponent, direction = 0, 1 if passes(run(0)) else -1
    if run(0).verdict == REFUSED or (direction < 0 and too_long(run(0), limit)):
        return None
    while allowed(exponent + direction):
        made = run(exponent + direction)
        if made.verdict == REFUSED or (direction < 0 and too_long(made, limit)):
            break
        if direction > 0 and not passes(made):
            break
        exponent += direction
        if direction < 0 and passes(made) and passes(run(exponent + 1)):
            exponent += 1
            break
    good = [k for k in sorted(tried, reverse=True) if passes(tried[k]) and (k - 1 in tried or allowed(k - 1))]
    for k in good:
        if passes(run(k - 1)):
            return run(k) if run(k).run_time <= run(k - 1).run_time else run(k - 1)
    return None


def too_long(made: Trial, limit: float) -> bool:
    """Whether finer levels are not worth trying."""
    if made.verdict == FAILED:
        return "the limit" in made.reason
    return isfinite(made.run_time) and made.run_time > limit


def _span(case: Case) -> float:
    """From the start to the last published value, s: what the run is at least."""
    return max(time for time, _ in case.wanted)
