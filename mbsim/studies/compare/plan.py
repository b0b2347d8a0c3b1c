"""The plan of a comparison: for every model the ladders (method x integrator), each a list of steps or tolerances from coarse to fine."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from mbsim import registry
from mbsim.formulations import Traits, automatic_method
from mbsim.march.orders import order_with
from mbsim.model.file.errors import did_you_mean

AUTO = "auto"  # the method that a run of the model takes when none is given
OWN = "own"  # shown as the integrator of a method that makes its own steps
HALVINGS = 3  # steps of a ladder if none are given: the model's, its half, its quarter
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
TOLERANCES_OF_STIFF = TOLERANCES[:-1]  # as fine as the last one is their reference itself
TIGHTER = 10.0  # of the runs beyond the last tolerance of a ladder, each than the one before
MAX_ROWS = 1000  # output rows of a run
KINDS = ("methods", "integrators")
DRIFTS = ("auto", "none", "position", "full")


class PlanError(ValueError):
    """A requested word does not exist or does not fit. `problems` holds every reason."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True)
class Ladder:
    """One method with one integrator, at levels from coarse to fine."""

    method: str  # as written, with its options
    integrator: str  # likewise; OWN when the method makes its own steps
    adaptive: bool  # the levels are relative tolerances, not steps in s
    levels: tuple[float, ...]
    order: float  # that the method and the integrator claim; 1 if they claim none, and for tolerances

    @property
    def beyond(self) -> tuple[float, ...]:
        """The levels of further runs to estimate the error of the last one: two differences show whether they shrink."""
        finer = 1 if len(self.levels) > 1 else 2
        return tuple(self.levels[-1] / (TIGHTER if self.adaptive else 2.0) ** (i + 1) for i in range(finer))

    def settings(self, level: float, interval: float) -> dict[str, Any]:
        """The keywords for `simulate`."""
        if self.adaptive:
            return {"method": self.method, "integrator": _with_tolerance(self.integrator, level), "step": interval, "output_step": interval}
        integrator = "auto" if self.integrator == OWN else self.integrator
        return {"method": self.method, "integrator": integrator, "step": level, "output_step": interval}

    def words(self, level: float) -> str:
        """A run: `svd, rk4, step 0.01`."""
        return f"{self.method}, {self.integrator}, {'tolerance' if self.adaptive else 'step'} {level:g}"

    def effective(self, level: float, interval: float) -> float:
        """The step that is taken: equal steps, no longer than `level`, fill the interval between two rows. A tolerance is unchanged."""
        return level if self.adaptive else interval / max(1, ceil(interval / level - 1e-9))


@dataclass(frozen=True)
class Plan:
    """The combinations of one comparison, the same for every model."""

    methods: tuple[str, ...]
    integrators: tuple[str, ...]  # empty: from the model
    steps: tuple[float, ...]  # likewise
    tolerances: tuple[float, ...]  # likewise

    def ladders(self, step: float, traits: Traits, stiff: bool = False) -> list[Ladder]:
        """For a model with this step and these traits, which say what `auto` is; `stiff`: explicit steps follow it in vain."""
        steps = self.steps or tuple(step / 2**i for i in range(HALVINGS))
        ladders: dict[tuple[str, str], Ladder] = {}
        for method in self.methods:
            owns = method != AUTO and registry.declaration("methods", registry.variant(method)[0], "OWNS_STEP", False)
            for integrator in (OWN,) if owns else self.taken(stiff):
                word = self.automatic(integrator, traits)[0] if method == AUTO else method
                ladders.setdefault((word, integrator), self.ladder(word, integrator, steps, stiff))
        return [*ladders.values()]

    def taken(self, stiff: bool = False) -> tuple[str, ...]:
        """The integrators of a model: those that are given, else one of equal steps, or of a stiff one that of a run."""
        equal = bool(self.steps) or not stiff  # steps that explicit formulas would take are too many
        return self.integrators or (registry.automatic_integrator(equal, stiff),)

    def notes(self, traits: Traits, stiff: bool = False) -> list[str]:
        """What `auto` is for a model with these traits, if that was asked for: a sentence for each choice."""
        if AUTO not in self.methods:
            return []
        chosen: dict[tuple[str, str], list[str]] = {}
        for integrator in self.taken(stiff):
            chosen.setdefault(self.automatic(integrator, traits), []).append(integrator)
        beside = " with {}" if len(chosen) > 1 else ""
        return [f"auto{beside.format(', '.join(integrators))} is {word}: {why}" for (word, why), integrators in chosen.items()]

    def automatic(self, integrator: str, traits: Traits) -> tuple[str, str]:
        """The method that `auto` is with an integrator, and why."""
        return automatic_method(traits, (), _levels(integrator, self.steps, self.tolerances or TOLERANCES)[1])

    def ladder(self, method: str, integrator: str, steps: tuple[float, ...], stiff: bool = False) -> Ladder:
        """A method with an integrator, or OWN."""
        tolerances = self.tolerances or (TOLERANCES_OF_STIFF if stiff else TOLERANCES)
        levels, adaptive = (steps, False) if integrator == OWN else _levels(integrator, steps, tolerances)
        # Errors are roughly proportional to tolerances.
        order = 1.0 if adaptive else order_of_variant(method, registry.variant(integrator)[0]) or 1.0
        return Ladder(method, integrator, adaptive, levels, order)


def split(text: str) -> list[str]:
    """`svd,svd(hold=false, hold_limit=3)` -> its two items: commas inside parentheses separate options, not items."""
    items, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            items.append("")
        else:
            items[-1] += character
    return [item.strip() for item in items if item.strip()]


def make_plan(
    methods: Sequence[str] | None,
    integrators: Sequence[str] | None,
    steps: Sequence[float | str] | None,
    tolerances: Sequence[float | str] | None,
    drift: str | None = None,
) -> Plan:
    """Check everything that does not depend on a model; raises PlanError with every problem."""
    problems: list[str] = []
    chosen = []
    for kind, words in zip(KINDS, (methods, integrators), strict=True):
        if words is not None and not words:
            problems.append(f"no {kind} are given")
        chosen.append(tuple(dict.fromkeys(words if words is not None else registry.names(kind) if kind == "methods" else ())))
        for text in chosen[-1]:
            problems += _faults(kind, text)
    found_steps = _numbers("step", steps if steps is not None else (), problems)
    found_tolerances = _numbers("tolerance", tolerances if tolerances is not None else (), problems)
    for given, name in ((steps, "steps"), (tolerances, "tolerances")):
        if given is not None and not given:
            problems.append(f"no {name} are given")
    if drift is not None and drift not in DRIFTS:
        problems.append(f"unknown drift '{drift[:60]}'{did_you_mean(drift, DRIFTS)}")
    if problems:
        raise PlanError(problems)
    return Plan(chosen[0], chosen[1], found_steps, found_tolerances)


def order_of_variant(method: str, integrator: str) -> float | None:
    """The order that a method with its options and an integrator declare, the lower of both."""
    word, given = registry.variant(method)
    options = registry.options("methods", word)
    return order_with(word, integrator, {name: options[name].read(value) for name, value in given.items()})


def tolerances(integrator: str) -> tuple[float, float]:
    """rtol and atol of an integrator with both written."""
    given = registry.variant(integrator)[1]
    return float(given["rtol"]), float(given.get("atol", given["rtol"]))


def interval(span: float, largest: float, wanted: float | None) -> float:
    """Time between the output rows that all runs of a model share, s: no shorter than any step, at most MAX_ROWS rows."""
    shortest = max(largest, wanted or 0.0)
    return min(span, shortest * max(1, ceil(span / shortest / MAX_ROWS - 1e-9)))


def _faults(kind: str, text: str) -> list[str]:
    noun = kind[:-1]
    try:
        word, given = registry.variant(text)
    except ValueError as error:
        return [f"{noun}: {error}"]
    if word == AUTO and text == AUTO:
        return (
            [] if kind == "methods" else ["an integrator 'auto' cannot be compared: give the names of integrators, such as rk4 and dop853"]
        )
    if word not in registry.names(kind):
        return [f"unknown {noun} '{word[:60]}'{did_you_mean(word, registry.names(kind))}"]
    options, faults = registry.options(kind, word), []
    for name, value in given.items():
        if kind == "methods" and name == "drift":  # distinguishes variants of a method, as in `simulate`
            if value not in DRIFTS:
                faults.append(f"{noun} {text}: drift: expected {' or '.join(DRIFTS)} (got '{value[:60]}')")
            continue
        if name not in options:
            hint = did_you_mean(name, options) or f"; '{word}' has no options" * (not options)
            faults.append(f"{noun} {text}: unknown option '{name[:60]}'{hint}")
            continue
        try:
            options[name].read(value)
        except ValueError as error:
            faults.append(f"{noun} {text}: {name}: {error}")
    return faults


def _numbers(noun: str, given: Sequence[float | str], problems: list[str]) -> tuple[float, ...]:
    """Positive numbers, each once, the largest first."""
    found = set()
    for item in given:
        try:
            value = float(item)
        except (TypeError, ValueError):
            value = 0.0
        if 0.0 < value < float("inf"):
            found.add(value)
        else:
            problems.append(f"a {noun} is a number greater than 0 (got {str(item)[:60]!r})")
    return tuple(sorted(found, reverse=True))


def _levels(integrator: str, steps: tuple[float, ...], tolerances: tuple[float, ...]) -> tuple[tuple[float, ...], bool]:
    """The levels of an integrator (the written one, or the ladder), and whether they are tolerances."""
    word, given = registry.variant(integrator)
    if "rtol" not in registry.options("integrators", word):
        return steps, False
    return ((float(given["rtol"]),) if "rtol" in given else tolerances), True


def _with_tolerance(integrator: str, level: float) -> str:
    """`rk45` -> `rk45(rtol=1e-06, atol=1e-06)`; a written tolerance scales with the level."""
    word, given = registry.variant(integrator)
    atol = level * float(given["atol"]) / float(given["rtol"]) if {"rtol", "atol"} <= given.keys() else float(given.get("atol", level))
    options = {**given, "rtol": f"{level:.12g}"}
    if "atol" in registry.options("integrators", word):
        options["atol"] = f"{atol:.12g}"
    return f"{word}({', '.join(f'{name}={value}' for name, value in options.items())})"
