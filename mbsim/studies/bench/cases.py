"""A case is a model with a `reference` block, a setting says how it is integrated, and a trial is one setting, run and judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from pathlib import Path
from typing import Any

from mbsim import registry
from mbsim.march.settings import foreseen
from mbsim.model.load import load
from mbsim.studies.compare.verdict import Check
from mbsim.studies.compare.worker import Source, read_text

MET, MISSED, FAILED, REFUSED = "met", "missed", "failed", "refused"
NONE = "none"  # the integrator of a trial without a run


@dataclass(frozen=True)
class Setting:
    """The keywords for `simulate`. `method` and `integrator` as in a model file; `level` is a step in s, or a relative tolerance."""

    method: str
    integrator: str
    level: float
    adaptive: bool  # the level is a tolerance
    output_step: float  # s
    options: Mapping[str, Any] = field(default_factory=dict)  # of the method and the integrator

    def words(self) -> dict[str, Any]:
        """As keywords of `simulate`."""
        options = dict(self.options)
        if self.adaptive:
            options = {"atol": self.level, **options, "rtol": self.level}
        step = self.output_step if self.adaptive else self.level
        return {
            "method": self.method,
            "integrator": self.integrator,
            "step": step,
            "output_step": self.output_step,
            "options": options,
        }


@dataclass
class Trial:
    """One setting, run. Times in s, medians over the repeats."""

    setting: Setting
    verdict: str
    reason: str = ""
    checks: list[Check] = field(default_factory=list)
    method: str = ""  # as run, with `auto` resolved
    integrator: str = ""
    steps: int = 0
    march_time: float = nan
    run_time: float = nan  # of `simulate`: marching, observing, recording

    @property
    def worst(self) -> Check | None:
        """The largest deviation of a value, in units of its tolerance."""
        return max(self.checks, key=ratio, default=None)

    @property
    def ratio(self) -> float:
        """Reached error over required error, the largest of the values; infinite where a value was not reached."""
        return max(map(ratio, self.checks), default=float("inf"))


@dataclass
class Case:
    """A model with published values."""

    name: str
    title: str
    file: str
    text: str
    published: Any  # the reference block
    own: Setting  # the file's
    start: float = 0.0  # s

    @property
    def source(self) -> Source:
        """The source for the process that runs the case."""
        return Source(self.file, self.text)

    @property
    def span(self) -> float:
        """From the start to the last published value of the motion, s; 0 where there is none."""
        return float(max((value.time - self.start for value in self.published.values), default=0.0))

    @property
    def has_statics(self) -> bool:
        """Whether there are published eigenvalues, borders of stability or values of the equilibrium."""
        return bool(self.published.modes or self.published.borders or self.published.equilibrium)

    @property
    def wanted(self) -> tuple[tuple[float, str], ...]:
        """Time and name of every value."""
        return tuple((value.time, value.of) for value in self.published.values)

    def checks(self, found: Sequence[float]) -> list[Check]:
        """The values against those found, in the same order."""
        return [Check(v.time, v.of, v.value, v.tolerance, x) for v, x in zip(self.published.values, found, strict=True)]


def ratio(check: Check) -> float:
    """Reached error over required error of a value."""
    return check.deviation / check.tolerance if isfinite(check.deviation) else float("inf")


def read_case(path: Path) -> Case | None:
    """The case in a model file, None if it has no published values. Raises mbsim.ModelError, OSError."""
    text = read_text(path)
    model = load(text, registry, file=str(path))
    if model.reference is None:
        return None
    block = model.simulation
    options = dict(block.options)
    chosen, integrator = foreseen(model), block.integrator
    adaptive = chosen.controls_error
    level = chosen.tolerance("rtol") or chosen.step
    if adaptive:
        integrator, options = chosen.integrator, {"atol": chosen.options["atol"], **options} if integrator == "auto" else options
        options.pop("rtol", None)
    own = Setting(block.method, integrator, level, adaptive, block.output_step or chosen.step, options)
    return Case(path.stem, model.name, str(path), text, model.reference, own, block.start)


def is_adaptive(integrator: str) -> bool:
    """Whether it controls its steps by tolerances."""
    word = registry.variant(integrator)[0]
    return word in registry.names("integrators") and "rtol" in registry.options("integrators", word)
