"""Whether explicit steps suit a run that leaves its integrator open: `decide`.

With a `step`, explicit ones of that size are unstable where the rate of 2. below is too high for it, and implicit ones take their place.
Without one, steps would crawl. Each look costs more than the one before, and is taken only where that one leaves a doubt:

1. A model without forces has nothing that is stiff; beams and elastic parts with stations always are.
2. The rate r at which the equations answer fastest at the start comes from a power iteration on differences of them: PROBES evaluations.
   Explicit steps are stable up to about REACH / r. This bounds the evaluations of the run from below.
3. Where that bound is high, a short explicit march from the start follows. Its progress in its later half says what the whole run costs.
4. Where that is as much, so does an implicit march, which takes longer: its steps grow while fast motions die out.

Everything counts evaluations and no time, so every machine and every run makes the same choice.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import exp, inf, isfinite, log, sqrt
from typing import Any

import numpy as np

from mbsim import contracts, formulations, jit, registry
from mbsim.assembly.assembled import Assembly
from mbsim.elements.kinds import BEAM, BILINEAR, MODAL
from mbsim.march.conditioning import choose_conditioning
from mbsim.march.formulation import Formulation, formulate
from mbsim.march.kernels import stages_by_blocks, stepper
from mbsim.march.output_times import OutputTimes, TimesAhead, chunk_rows
from mbsim.march.settings import Asked, Settings, bound_to_step, open_to_trial, resolve
from mbsim.march.wrong_settings import OWN
from mbsim.system.system import Floats, System

PROBES, LAST = 12, 6  # of the power iteration; those that count, an even number: in an oscillation x and v take turns
APART = 1e-7  # of the size of the state: the differences
STAGES, REACH = 12, 6.0  # of `dop853`: evaluations of a step; step times r up to which it is stable on the negative real axis
WORTH = 1e6  # evaluations times speeds, a second or so: a run that takes less is not worth a trial
SHARE, IMPLICIT_SHARE = 0.02, 0.05  # of the cost of the explicit run: the trials
FEWEST_EVALUATIONS = 20 * STAGES  # evaluations of a trial
MOST = 1e7  # evaluations of an explicit run, beyond which trials get no longer
LARGE = 40  # speeds, above which the dense matrices of `radau` cost too much, where it does not go by blocks
GAIN = 3.0  # an implicit run has to cost so many times less
UNSTABLE = 2.78  # rate times step beyond which `rk4` is unstable (Hairer & Wanner IV.2); a power iteration hardly finds too high a rate
# What an evaluation of an implicit march costs, in explicit ones: by blocks, or with its share of the stages and of the dense matrices of
# n speeds, IN_STAGES + n^2 / DENSE.
IN_STAGES, DENSE, IN_BLOCKS = 3.0, 150.0, 5.0
IN_OWN_STEPS: dict[str, Any] = {**formulations.IMPLICIT_BLOCKS, **formulations.IMPLICIT_TOLERANCES}
ATOL_BESIDE = 1e-2  # of an `rtol` that is given alone


def decide(made: Assembly, settings: Settings, given: Mapping[str, object] | None = None, allow_wrong: bool = False) -> Settings:
    """The settings of a run of `made`: those that `resolve` gave for `given`, or implicit ones where trials say that explicit steps crawl.

    The reason is among the `choices`. What the method factors is looked at first (`mbsim.march.conditioning`).
    """
    settings = choose_conditioning(made, settings, given or {}, allow_wrong)
    _refuse_crawling(made, settings)
    if bound_to_step(settings, made.system):
        return _stable(made, settings, dict(given or {}), allow_wrong)
    if (of_beams := foreseen(made, settings, given, allow_wrong)) is not None:
        return of_beams
    if not open_to_trial(settings, made.system):
        return settings
    if BILINEAR in made.system.arrays.relative[:, 0]:
        return _of_stations(made, settings, dict(given or {}), allow_wrong)
    least = _least(made, settings)
    if not WORTH / max(made.system.n_v, 1) < least < inf:
        return settings
    explicit = _forecast(made, settings, int(max(FEWEST_EVALUATIONS, SHARE * min(least, MOST))))
    other = _implicit(made, settings, dict(given or {}), allow_wrong)
    if other is None or explicit * made.system.n_v < WORTH:
        return settings
    one = _weight(other, made.system)
    implicit = _forecast(made, other, int(max(FEWEST_EVALUATIONS, IMPLICIT_SHARE * min(explicit, MOST) / one)))
    words = f"{settings.integrator} {_count(explicit)}, {_word(other)} {_count(implicit)}"
    if not GAIN * one * implicit < explicit:
        choices = {**settings.choices, "integrator": f"{settings.choices['integrator']}; short trials foresee evaluations: {words}"}
        return replace(settings, choices=choices)
    reason = f"explicit steps would crawl; short trials foresee evaluations: {words}"
    named = {"method": other.method} if other.integrator == OWN else {"integrator": other.integrator}
    choices = {**settings.choices, **other.choices, **{name: f"{word}: {reason}" for name, word in named.items()}}
    return replace(other, choices=choices)


def foreseen(made: Assembly, settings: Settings, given: Mapping[str, object] | None = None, allow_wrong: bool = False) -> Settings | None:
    """What `decide` gives of a model with beams that leaves its integrator open: no trial is needed. None of another."""
    if settings.integrator == formulations.IMPLICIT["integrator"] and "integrator" in settings.choices:
        return _of_beams(made, settings, dict(given or {}), allow_wrong)
    return None


def _refuse_crawling(made: Assembly, settings: Settings) -> None:
    """Raise ValueError for explicit steps of a given size that are unstable for the beams or elastic parts of a model from the start on."""
    kinds = made.system.arrays.loads[:, 0]
    if not settings.explicit_steps or not (BEAM in kinds or MODAL in kinds):
        return
    begun = _begin(made, settings)
    rate = 0.0 if begun is None else _rate(*begun, made.start)
    if UNSTABLE < rate * settings.step < inf:
        what = "the beams" if BEAM in kinds else "the elastic parts"
        raise formulations.SettingError(
            f"explicit steps of {settings.step:g} s are unstable for {what}, whose fastest motion has a rate of {rate:.2g} per second: "
            f"they would have to be below {UNSTABLE / rate:.1g} s. Implicit ones can: `method: generalized_alpha`, "
            "or `integrator: bdf` or `radau` without a step",
            "step",
        )


def _stable(made: Assembly, settings: Settings, given: dict[str, Any], allow_wrong: bool) -> Settings:
    """The settings with implicit steps of the given size where explicit ones would be unstable from the start on."""
    begun = _begin(made, settings)
    rate = 0.0 if begun is None else _rate(*begun, made.start)
    if not UNSTABLE < rate * settings.step < inf:
        return settings
    try:
        found = resolve(made.simulation, made.whole, {**given, "method": IN_OWN_STEPS["method"]}, allow_wrong)
    except (TypeError, ValueError):  # an option that it has not
        return settings
    reason = f"forces act at a rate of {rate:.1g} per second at the start, and explicit steps above {UNSTABLE / rate:.1g} s are unstable"
    return replace(found, choices={**found.choices, "method": f"{found.method}: {reason}"})


def _of_beams(made: Assembly, settings: Settings, given: dict[str, Any], allow_wrong: bool) -> Settings:
    """The settings, or steps of a method that goes by blocks of bodies where the stages of `radau` do not and matrices are large."""
    large = made.system.n_v > LARGE and not stages_by_blocks(settings.method, made.system)
    if not large or "method" not in settings.choices:
        return settings
    block = {} if made.simulation is None else Asked.of(made.simulation).options
    own = {} if {"rtol", "atol"} & {*block, *given, *given.get("options", {})} else formulations.OWN_BEAM_TOLERANCES
    try:
        found = resolve(made.simulation, made.whole, {**given, **formulations.IMPLICIT_BLOCKS, **own}, allow_wrong)
    except (TypeError, ValueError):  # an option that it has not
        return settings
    reason = f"{found.method}: beams are stiff, and states or laws keep `radau` from going by blocks of bodies"
    return replace(found, choices={**found.choices, "method": reason})


def _of_stations(made: Assembly, settings: Settings, given: dict[str, Any], allow_wrong: bool) -> Settings:
    """Implicit settings of a model whose elastic parts have stations, where these go with what is given.

    Little mass is left between stations. The fast motions there limit explicit steps, and at their limit errors that the tolerance lets
    pass pump energy into them: a spin-up by `dop853` gained 8 % of its energy.
    """
    found = _implicit(made, settings, given, allow_wrong)
    if found is None:
        return settings
    name, word = ("method", found.method) if found.integrator == OWN else ("integrator", found.integrator)
    reason = f"{word}: stations of elastic parts move fast against each other, and explicit steps would follow each of these motions"
    return replace(found, choices={**settings.choices, **found.choices, name: reason})


def _implicit(made: Assembly, settings: Settings, given: dict[str, Any], allow_wrong: bool) -> Settings | None:
    """The settings with an implicit integrator, with the options that are given; None where these do not go with it."""
    large = made.system.n_v > LARGE and not stages_by_blocks(settings.method, made.system)
    if large and "method" not in settings.choices:
        return None
    block = {} if made.simulation is None else Asked.of(made.simulation).options
    asked = {name: value for name, value in {**block, **given, **given.get("options", {})}.items() if value is not None}
    own = dict(IN_OWN_STEPS if large else formulations.IMPLICIT)
    if large and "rtol" in asked:
        own |= {"rtol": asked["rtol"], "atol": ATOL_BESIDE * float(asked["rtol"])}
    if not large and MODAL in made.system.arrays.loads[:, 0] and not {"rtol", "atol"} & asked.keys():
        # Stations do not ring unseen: with wide tolerances errors excite them, and steps are fifteen times as many.
        has_stations = BILINEAR in made.system.arrays.relative[:, 0]
        own |= formulations.PART_TOLERANCES if has_stations else formulations.IMPLICIT_PART_TOLERANCES
    own |= {name: asked[name] for name in own.keys() & {"atol"} & asked.keys()}
    try:
        found = resolve(made.simulation, made.whole, {**given, **own}, allow_wrong)
    except (TypeError, ValueError):
        return None
    options = registry.options("methods", settings.method).keys() | registry.options("integrators", settings.integrator).keys()
    return found if asked.keys() & options <= found.options.keys() else None


def _word(settings: Settings) -> str:
    return settings.method if settings.integrator == OWN else settings.integrator


def _weight(settings: Settings, system: System) -> float:
    """What an evaluation of an implicit march costs, in explicit ones."""
    by_blocks = settings.integrator == OWN or stages_by_blocks(settings.method, system)
    return IN_BLOCKS if by_blocks else IN_STAGES + system.n_v * system.n_v / DENSE


def _count(evaluations: float) -> str:
    return f"{evaluations:.1g}" if evaluations < inf else "no end"


def _least(made: Assembly, settings: Settings) -> float:
    """The evaluations that a stable explicit run takes at least; infinite where the equations cannot be evaluated."""
    begun = _begin(made, settings)
    if begun is None:
        return inf
    return STAGES * (settings.end - settings.start) * _rate(*begun, made.start) / REACH


def _begin(made: Assembly, settings: Settings) -> tuple[Formulation, Floats] | None:
    """The formulation of a march, and its state z at the start."""
    formulation = formulate(made.system, replace(settings, stop=None))
    z = np.zeros(formulation.size)
    formulation.configuration(z)[:] = made.q
    row = np.zeros(formulation.width)
    if formulation.start(made.start, made.q, made.v, z) != contracts.OK or not np.isfinite(z).all():
        return None
    if formulation.expand_first(made.start, z, row) != contracts.OK:
        return None
    formulation.work.status[contracts.STATUS_CHANGED] = 1
    return formulation, z


def _rate(formulation: Formulation, z: Floats, t: float) -> float:
    """The largest size of an eigenvalue (1/s) of the equations z_dot = f(t, z), to about a factor of two; infinite where not known."""
    at, f = z.copy(), np.zeros(formulation.size)
    held = formulation.system.functions, formulation.system.arrays, formulation.work
    evaluate = jit.bound(formulation.functions.rhs, *held, t, at, f)  # the cost of a probe is that of calling it
    if evaluate() != contracts.OK:
        return inf
    middle, apart, total = f.copy(), APART * max(1.0, sqrt(float(z @ z))), 0.0
    x = np.random.default_rng(0).standard_normal(formulation.size)
    x /= sqrt(float(x @ x))
    for k in range(PROBES):
        at[:] = z + apart * x
        code = evaluate()
        x = (f - middle) / apart
        size = sqrt(float(x @ x))
        if code != contracts.OK or not isfinite(size):
            return inf
        if size == 0.0:
            return 0.0
        x /= size
        total += log(size) if k >= PROBES - LAST else 0.0
    return exp(total / LAST)


def _forecast(made: Assembly, settings: Settings, budget: int) -> float:
    """The evaluations of the whole run, as a march of so many of them foresees; infinite where the march gets nowhere."""
    begun = _begin(made, settings)
    if begun is None:
        return inf
    formulation, z = begun
    work, clock, steps = formulation.work, np.zeros(contracts.CLOCK), stepper(settings, formulation.system)
    march, scratch = steps.march(), np.zeros((steps.scratch, formulation.size))
    ahead = TimesAhead(OutputTimes(settings.start, settings.end, settings.interval), chunk_rows(settings, formulation.width))
    held = formulation.functions, formulation.system.functions, formulation.system.arrays, work
    passed: list[tuple[int, float]] = []  # evaluations and time at half of the budget, and at its end
    while ahead:
        times = ahead.chunk()
        rows = np.zeros((len(times) - 1, formulation.width))
        clock[:] = 0.0
        clock[contracts.CLOCK_TIME] = times[0]
        while True:
            work.status[contracts.STATUS_PAUSE] = (budget + 1) // 2 if not passed else budget
            filled = march(*held, times, settings.step, z, rows, clock, scratch)
            if filled == len(rows):
                break
            if work.status[contracts.STATUS_CODE] != contracts.PAUSED:
                return inf
            passed.append((int(work.counts[contracts.COUNT_EVALUATIONS]), float(clock[contracts.CLOCK_TIME])))
            if len(passed) == 2:
                (before, first), (evaluations, at) = passed
                return evaluations + (settings.end - at) * (evaluations - before) / (at - first) if at > first else inf
        ahead.reached(filled)
    return float(work.counts[contracts.COUNT_EVALUATIONS])
