"""Which method for this model: what the measured errors, times and drifts of a comparison say, and what they do not.

Runs that agree with the reference are compared at equal error. The time of a method for an error is that of its cheapest run with no
larger error, or is interpolated between two of its runs; nothing is extrapolated. Times that differ by less than CLEAR, or by less than
those of the repeats differ, are alike.

Only methods on the front of error and time are named: those with a run that no run of another method beats, by being as quick and much more
exact, or about as exact and clearly quicker.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, exp, inf, isfinite, log, log10
from typing import Any

import numpy as np

from mbsim import registry
from mbsim.studies.compare.rows import Case, Row
from mbsim.studies.compare.verdict import AGREES
from mbsim.studies.compare.words import seconds, short

CLEAR = 1.5  # times whose ratio is less do not tell methods apart on a machine that does other things too
ONCE = 2.0  # likewise where each run was timed once
ENOUGH = 1e-4  # of the largest change of a coordinate: the error that the recommended settings keep to, where one does
EXACTER = 3.0  # times smaller is an error that counts as much smaller, at the same time
NOTHING = 1e-11  # of the largest change of a coordinate: smaller errors are alike, as where drivers prescribe the motion
ALIKE = 1.5  # errors whose ratio is less are about the same: steps of one formula, and what round-off and corrections leave
DRIFTS = 100.0  # times the smallest drift of all: from here on a drift is named
ROUND_OFF = 1e-9  # residuals up to this are what corrections leave
BECAME = {
    "disagrees": "Not in agreement with the reference",
    "low order": "Below their order", "unresolved": "Not resolved at these steps", "failed": "Failed",
    "refused": "Not for this model", "no reference": "Not judged", "known wrong": "Wrong, as the published formulas are",
}  # fmt: skip
SMALLEST = 1e-17  # for an error of zero, which has no logarithm
Key = tuple[str, str]  # method and integrator


@dataclass
class Advice:
    """`lines` are sentences, the most important one first; `settings` the keys of a `simulation` block, empty without a recommendation."""

    lines: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass
class _Runner:
    """A method with an integrator: its runs that agree, coarse to fine."""

    name: str
    rows: list[Row]
    errors: list[float]
    times: list[float]

    def time(self, error: float) -> float:
        """For an rms error of the positions of at most `error`, s; infinite if none of its runs is that good."""
        best = min((t for e, t in zip(self.errors, self.times, strict=True) if e <= error), default=inf)
        for (e1, t1), (e2, t2) in zip(self._points(), self._points()[1:], strict=False):
            if e2 <= error < e1:
                part = log(e1 / error) / log(e1 / e2)
                best = min(best, exp(log(t1) + part * log(t2 / t1)))
        return best

    def _points(self) -> list[tuple[float, float]]:
        return sorted(zip(self.errors, self.times, strict=True), reverse=True)

    def row(self, error: float) -> Row:
        """Its cheapest run with an error of at most `error`."""
        fitting = [i for i, e in enumerate(self.errors) if e <= error] or [int(np.argmin(self.errors))]
        return self.rows[min(fitting, key=lambda i: self.times[i])]


@dataclass
class _Span:
    """Accuracies from `coarse` to `fine` for which one method is the quickest."""

    best: _Runner
    levels: list[float]

    @property
    def words(self) -> str:
        if len(self.levels) == 1:
            return f"for errors up to {self.levels[0]:.0e}".replace("e-0", "e-").replace("e+0", "e+")
        return f"for errors from {self.levels[0]:.0e} to {self.levels[-1]:.0e}".replace("e-0", "e-").replace("e+0", "e+")


def advice(case: Case) -> Advice:
    """What the rows of a model say."""
    runners = _runners(case)
    found = Advice()
    if not runners:
        why = case.reference.reason if case.reference.result is None else "no run agrees with the reference"
        found.lines.append(f"No recommendation: {why}.")
        found.lines += _unfit(case)
        return found
    if "position" in case.scales and not case.scales["position"].reach > SMALLEST:
        found.lines.append("No recommendation: nothing moves in this run, so that every method is as exact as any other.")
        found.lines += _unfit(case)
        return found
    clear = _clear(runners)
    front = [one for one in runners if _leads(one, runners, clear)]
    spans = _spans(front, clear)
    found.lines += _choice(front, len(runners), spans, clear)
    found.settings = _settings(_enough(spans, case))
    found.lines += [line for line in (_drift(front), _times(runners, clear)) if line]
    if behind := [one.name for one in runners if one not in front]:
        found.lines.append(f"Slower or less exact than these in every run: {', '.join(behind)}.")
    found.lines += _unfit(case)
    return found


def _runners(case: Case) -> list[_Runner]:
    """The methods with runs that agree and whose error is known."""
    known = case.scales.get("position")
    least = SMALLEST if known is None else max(SMALLEST, known.reference, NOTHING * known.reach)
    integrators = {row.integrator for row in case.rows if row.integrator != "own"}
    found = []
    for (method, integrator), rows in case.ladders().items():
        fit = [row for row in rows if row.verdict == AGREES and not row.wrong]
        good = [row for row in fit if "position" in row.judgement.errors and isfinite(row.wall_time)]
        if good:
            name = method if integrator == "own" or len(integrators) < 2 else f"{method} with {integrator}"
            errors = [max(row.judgement.errors["position"], least) for row in good]
            found.append(_Runner(name, good, errors, [max(row.wall_time, 1e-9) for row in good]))
    return found


def _clear(runners: Sequence[_Runner]) -> float:
    """The ratio of times from which on they differ."""
    spreads = [max(row.march_times) / max(min(row.march_times), 1e-9) for one in runners for row in one.rows if len(row.march_times) > 1]
    return max(CLEAR, float(np.median(spreads))) if spreads else ONCE


def _leads(one: _Runner, runners: Sequence[_Runner], clear: float) -> bool:
    """Whether it has a run on the front: one that no run of another method beats."""
    others = [point for other in runners if other is not one for point in zip(other.errors, other.times, strict=True)]

    def beaten(error: float, time: float) -> bool:
        return any((e <= ALIKE * error and clear * t <= time) or (EXACTER * e <= error and t <= clear * time) for e, t in others)

    return not all(beaten(error, time) for error, time in zip(one.errors, one.times, strict=True))


def _spans(runners: Sequence[_Runner], clear: float) -> list[_Span]:
    """The quickest method at each power of ten of the error; it stays the quickest as long as no other is clearly so.

    Of methods that are as quick it is one that keeps the constraints.
    """
    drifting = _drifts(runners)[1]
    every = [error for one in runners for error in one.errors]
    top, bottom = ceil(log10(max(every)) - 1e-9), ceil(log10(min(every)) - 1e-9)
    spans: list[_Span] = []
    for k in range(top, bottom - 1, -1):
        level = max(10.0**k, min(every))  # a power of ten may be less than the least error by its rounding, and no run reaches it
        best = min(runners, key=lambda one, level=level: one.time(level))  # type: ignore[misc]
        alike = [one for one in runners if one.time(level) < clear * best.time(level)]
        alike = [one for one in alike if one.name not in drifting] or alike
        if best not in alike:
            best = min(alike, key=lambda one, level=level: one.time(level))  # type: ignore[misc]
        if spans and spans[-1].best in alike:
            best = spans[-1].best
        elif "(" in best.name:  # a variant only where the method as it is does not do as well
            best = next((one for one in alike if "(" not in one.name), best)
        if spans and spans[-1].best is best:
            spans[-1].levels.append(level)
        else:
            spans.append(_Span(best, [level]))
    return spans


def _choice(runners: Sequence[_Runner], known: int, spans: Sequence[_Span], clear: float) -> list[str]:
    """Which method for which accuracy, at what cost, and what is as good. `known` methods have runs that agree."""
    if known == 1:
        one = runners[0]
        return [f"Only {one.name} agrees with the reference, so there is nothing to choose: {_offers(one, spans[0])}."]
    lines = []
    for span in spans:
        alike = [one for one in runners if one is not span.best and all(one.time(e) < clear * span.best.time(e) for e in span.levels)]
        others = [one for one in runners if one is not span.best and one not in alike]
        everywhere = "" if len(spans) > 1 else " at every accuracy measured"
        if alike and not others:
            lines.append(
                f"Nothing here tells {_list([span.best.name, *(one.name for one in alike)])} apart{everywhere or ' ' + span.words}: "
                f"for equal errors their times differ by less than a factor of {clear:.2g}. "
                f"For example {span.best.name}: {_offers(span.best, span)}."
            )
            continue
        lines.append(f"{'Use ' if span is spans[0] else ''}{span.best.name} {span.words}: {_offers(span.best, span)}.")
        if alike:
            lines[-1] += (
                f" {_list([one.name for one in alike])} {'is' if len(alike) == 1 else 'are'} as quick, within a factor of {clear:.2g}."
            )
        lines[-1] += _next(others, span)
    return lines


def _enough(spans: Sequence[_Span], case: Case) -> Row:
    """The cheapest run with an error of ENOUGH, or the most exact one where none is that exact."""
    wanted = ENOUGH * case.scales["position"].reach if "position" in case.scales else 0.0
    span = next((span for span in spans if span.levels[-1] <= wanted), spans[-1])
    return span.best.row(max(wanted, min(span.best.errors)))


def _next(others: Sequence[_Runner], span: _Span) -> str:
    """How far the best of the rest is behind."""
    ratios = {one.name: [one.time(e) / span.best.time(e) for e in span.levels] for one in others}
    reached = {name: [r for r in found if isfinite(r)] for name, found in ratios.items()}
    there = {name: found for name, found in reached.items() if len(found) == len(span.levels)}
    if there:
        name, found = min(there.items(), key=lambda item: float(np.mean(np.log(item[1]))))
        low, high = min(found), max(found)
        times = f"{low:.2g} times" if high < 1.15 * low else f"{low:.2g} to {high:.2g} times"
        return f" The next, {name}, takes {times} as long for the same error."
    some = [name for name, found in reached.items() if found]
    return f" Nothing else is as exact at these steps{'' if some else ', at any cost measured'}." if others else ""


def _offers(one: _Runner, span: _Span) -> str:
    """Its cheapest and its finest run: `step 0.01 gives an rms error of 4.8e-7 in 24 ms`."""
    rows = list({id(row): row for row in (one.row(span.levels[0]), one.row(span.levels[-1]))}.values())
    words: list[str] = []
    for row in rows:
        level = f"{'tolerance' if row.adaptive else 'step'} {row.level:g}"
        error = row.judgement.errors["position"]
        words.append(f"{level} {'gives an rms error of ' if not words else ''}{short(error)} in {seconds(row.wall_time)}")
    return ", ".join(words)


def _drifts(runners: Sequence[_Runner]) -> tuple[dict[str, float], dict[str, float]]:
    """What is left of the position constraints (m, rad) by method, and of those with much more than the best; empty without constraints."""
    worst: dict[str, float] = {}
    for one in runners:
        results = [row.result for row in one.rows if row.result is not None]
        found = [float(result["residual_position"].max(initial=0.0)) for result in results if "residual_position" in result]
        if found:
            worst[one.name] = max(found)
    if not any(worst.values()):
        return {}, {}
    least = max(min(worst.values()), ROUND_OFF)
    return worst, {name: value for name, value in worst.items() if value > DRIFTS * least}


def _drift(runners: Sequence[_Runner]) -> str:
    """What is left of the position constraints, where they are not alike in that."""
    worst, drifting = _drifts(runners)
    if not worst:
        return ""
    rest = max((value for name, value in worst.items() if name not in drifting), default=0.0)
    if not drifting:
        return f"Drift does not tell them apart: all keep the position constraints to {short(max(worst.values()))}."
    named = _list([f"{name} by up to {short(value)}" for name, value in drifting.items()])
    return f"Positions leave the constraints: {named} (the others by at most {short(rest)})."


def _times(runners: Sequence[_Runner], clear: float) -> str:
    """How far the times can be trusted."""
    repeats = max(len(row.march_times) for one in runners for row in one.rows)
    if clear > CLEAR and repeats > 1:
        return (
            f"The times of equal runs differed by a factor of {clear:.2g} here: the machine was busy, and smaller differences mean nothing."
        )
    return "Each run was timed once: repeat them (--repeats) before trusting the times." if repeats < 2 and len(runners) > 1 else ""


def _unfit(case: Case) -> list[str]:
    """Which methods have no run that agrees, by what became of them."""
    by: dict[str, list[str]] = {}
    for (method, _), rows in case.ladders().items():
        verdicts = [row.verdict for row in rows]
        if AGREES not in verdicts:
            by.setdefault(verdicts[-1], []).append(method)
    return [f"{BECAME.get(verdict, verdict)}: {', '.join(dict.fromkeys(names))}." for verdict, names in by.items()]


def _settings(row: Row) -> dict[str, Any]:
    """The keys of a `simulation` block."""
    method, options = registry.variant(row.method)
    found: dict[str, Any] = {"method": method, **options}
    if row.integrator != "own":
        integrator, options = registry.variant(row.integrator)
        found |= {"integrator": integrator, **options}
    return found | ({"rtol": row.level, "atol": row.level} if row.adaptive else {"step": row.level})


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
