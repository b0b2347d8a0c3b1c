"""The fastest setting that meets the values of a case: every method with every integrator, each at the coarsest level that meets them.

A level is a step, which is doubled or halved, or a tolerance, which changes by factors of 10. The search starts from the file's level. A
level counts only if the error is at most MARGIN of the required one there and at the next finer level; otherwise an error that changes
its sign could pass by chance. A combination is given up if a level that is too coarse takes PATIENCE times as long as the fastest setting
found, because finer levels take longer still, or if its first level takes HOPELESS times as long.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from math import inf, isfinite

from mbsim import registry
from mbsim.studies.bench.cases import MET, REFUSED, Case, Setting, Trial, is_adaptive
from mbsim.studies.bench.measure import open_case, trial
from mbsim.studies.compare.worker import Runner, isolated

MARGIN = 0.5  # of the required error
PATIENCE, HOPELESS = 3.0, 30.0
FASTEST = 3  # settings that are timed again
LEVELS = 14  # of one combination
STEP_FACTOR, TOLERANCE_FACTOR = 2.0, 10.0
FIRST = ("cfa", "svd", "dop853", "rk4")
TOLERANCE, TIGHTEST, LOOSEST = 1e-7, 1e-13, 1e-3  # start and range of the tolerances
COARSEST = 8  # steps of a run; fewer are not meaningful


def combinations(case: Case, methods: Sequence[str] | None = None, integrators: Sequence[str] | None = None) -> list[Setting]:
    """Every method with every integrator that it accepts, at the starting level. Usually fast combinations come first."""
    own = case.own
    methods = methods or sorted(registry.names("methods"), key=lambda word: (word not in FIRST, word))
    integrators = integrators or sorted(registry.names("integrators"), key=lambda word: (word not in FIRST, word))
    found = []
    for method in methods:
        owns = bool(registry.declaration("methods", registry.variant(method)[0], "OWNS_STEP", False))
        for integrator in ("auto",) if owns else integrators:
            if registry.misfit(registry.variant(method)[0], registry.variant(integrator)[0]):
                continue
            adaptive = is_adaptive(integrator)
            level = own.level if adaptive == own.adaptive else TOLERANCE if adaptive else own.output_step
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

    `timeout` (s) limits a run. Raises what the assembly of the model raises.
    """
    say = progress or (lambda line: None)
    found: list[Trial] = []
    with closing(isolated(case.source, timeout)) as runner:
        lost = open_case(runner, case)
        if lost is not None:
            say(f"{case.name}: {lost.reason}")
            return []
        for setting in combinations(case, methods, integrators):
            fastest = min((each.run_time for each in found), default=inf)
            best = coarsest(runner, case, setting, fastest)
            if best is not None:
                found.append(best)
                say(f"{case.name}: {best.method}, {best.integrator}, {best.setting.level:g}: {1e3 * best.run_time:.3g} ms")
        found.sort(key=lambda each: each.run_time)
        found[:FASTEST] = [trial(runner, case, each.setting, repeats) for each in found[:FASTEST]]
    return sorted((each for each in found if passes(each)), key=lambda each: each.run_time)


def passes(made: Trial) -> bool:
    """Whether a trial meets the values with the margin."""
    return made.verdict == MET and made.ratio <= MARGIN


def coarsest(runner: Runner, case: Case, setting: Setting, fastest: float) -> Trial | None:
    """The trial at the coarsest level that passes, and whose next finer level passes too. None if none is fast enough.

    `fastest` is the time of the fastest setting so far, s.
    """
    factor = TOLERANCE_FACTOR if setting.adaptive else STEP_FACTOR
    tried: dict[int, Trial] = {}

    def run(exponent: int) -> Trial:
        if exponent not in tried:
            tried[exponent] = trial(runner, case, replace(setting, level=setting.level * factor**exponent), 1)
        return tried[exponent]

    def allowed(exponent: int) -> bool:
        level = setting.level * factor**exponent
        low, high = (TIGHTEST, LOOSEST) if setting.adaptive else (0.0, case.span / COARSEST)
        return len(tried) < LEVELS and low * 0.99 < level < high * 1.01

    first = run(0)
    if first.verdict == REFUSED or too_long(first, HOPELESS * fastest):
        return None
    coarse = 0
    while passes(run(coarse)) and allowed(coarse + 1):
        coarse += 1
    for exponent in range(coarse, coarse - LEVELS, -1):  # finer and finer, until two in a row pass
        if too_long(run(exponent), PATIENCE * fastest) and not passes(run(exponent)):
            return None
        if not allowed(exponent - 1) and exponent - 1 not in tried:
            return None
        if passes(run(exponent)) and passes(run(exponent - 1)):
            return min(run(exponent), run(exponent - 1), key=lambda each: each.run_time)
    return None


def too_long(made: Trial, limit: float) -> bool:
    """Whether finer levels are not worth trying. A run that failed took no longer than the time limit of a run."""
    return isfinite(made.run_time) and made.run_time > limit
