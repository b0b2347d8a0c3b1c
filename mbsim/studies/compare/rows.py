"""A comparison's data: Comparison -> Case (a model) -> Row (a combination). `study` fills them; `table`, `pictures`, `report` show them."""

from dataclasses import dataclass, field
from math import isnan, nan

import numpy as np

from mbsim import registry
from mbsim.results import Result
from mbsim.studies.compare.measures import JUDGED, Distance, reach
from mbsim.studies.compare.verdict import ALARMS, Check, Judgement, Scale, fit_order, scale, steepest


@dataclass
class Reference:
    """The reference of one model. Without a result there is none, and `reason` says why."""

    description: str
    result: Result | None = None
    reason: str = ""
    errors: dict[str, float] = field(default_factory=dict)  # by measure: estimated, root mean square over time
    values: list[float] = field(default_factory=list)  # at the published times
    refused: bool = False  # the method does not run this model, which says nothing of the motion

    def scales(self, drift_tolerance: float) -> dict[str, Scale]:
        """By measure."""
        assert self.result is not None
        return {m: scale(m, reach(self.result, m), self.errors.get(m, 0.0), drift_tolerance) for m in JUDGED}


@dataclass
class Course:
    """The errors of a method and integrator against the reference, coarse to fine, those of the runs beyond the last row included."""

    declared: float  # order
    levels: list[float] = field(default_factory=list)  # steps that were taken, s, or tolerances
    errors: list[dict[str, float]] = field(default_factory=list)  # by measure
    cut: list[bool] = field(default_factory=list)  # whether steps were taken in parts: such a run has no one step

    def order(self, measure: str, scale: Scale) -> tuple[float, int]:
        """The fitted order, and of how many runs."""
        return fit_order(*self._whole(measure), scale)

    def reached(self, measure: str, scale: Scale) -> float:
        """The largest order between neighbours; NaN where too few errors are above round-off and what the drift correction leaves."""
        steps, errors = self._whole(measure)
        kept = [i for i, error in enumerate(errors) if error > scale.floor]
        return steepest([steps[i] for i in kept], [errors[i] for i in kept], scale)

    def error(self, level: float, measure: str, cut: bool) -> float | None:
        """At a level; None of a run that is not there, or whose steps were cut unless `cut` are wanted too."""
        for known, errors, was_cut in zip(self.levels, self.errors, self.cut, strict=True):
            if abs(known - level) <= 1e-9 * level and (cut or not was_cut):
                return errors.get(measure)
        return None

    def _whole(self, measure: str) -> tuple[list[float], list[float]]:
        kept = [(x, e[measure]) for x, e, cut in zip(self.levels, self.errors, self.cut, strict=True) if measure in e and not cut]
        return [x for x, _ in kept], [e for _, e in kept]


@dataclass
class Row:
    """One combination and its outcome. Without a result only the words and the verdict are meaningful."""

    method: str
    integrator: str  # "own": the method makes its own steps
    level: float  # step in s, or relative tolerance; NaN of a method that refuses the model, which has one row
    adaptive: bool
    step: float  # the step taken, s: equal steps fill the interval between two rows; NaN for an adaptive integrator
    verdict: str = ""
    reason: str = ""
    result: Result | None = field(default=None, repr=False)
    against: Distance | None = field(default=None, repr=False)  # from the reference, over time
    judgement: Judgement = field(default_factory=Judgement)
    fitted: dict[str, tuple[float, int]] = field(default_factory=dict)  # order, and of how many runs, by measure
    cut: bool = False  # equal steps were asked for, and some were taken in parts
    march_times: list[float] = field(default_factory=list)  # s, one per repeat
    checks: list[Check] = field(default_factory=list)

    @property
    def order(self) -> float:
        """Fitted to the errors of the positions; NaN where the runs do not show it."""
        return self.fitted.get("position", (nan, 0))[0]

    @property
    def order_points(self) -> int:
        """How many runs it was fitted to."""
        return self.fitted.get("position", (nan, 0))[1]

    @property
    def name(self) -> str:
        """Its path in the HDF5 file, below the model's."""
        words = (self.method, self.integrator, "refused" if isnan(self.level) else f"{self.level:.12g}")
        return "/".join(word.replace("/", "_") for word in words)

    @property
    def wrong(self) -> str:
        """Why its motion is known to be wrong, for a variant that shows a published error; else empty."""
        if self.result is not None:
            return str(self.result.attributes.get("wrong", ""))
        word, given = registry.variant(self.method)
        found, options = registry.declaration("methods", word, "WRONG"), registry.options("methods", word)
        if found is None:
            return ""
        chosen = {name: option.read(given[name]) if name in given else option.default for name, option in options.items()}
        return str(found["reason"]) if all(chosen[name] == value for name, value in found["options"].items()) else ""

    @property
    def source(self) -> str:
        """The paper and the equations that it computes, as its method's file has them; empty without."""
        word, given = registry.variant(self.method)
        found = registry.declaration("methods", word, "SOURCE")
        if found is None:
            return ""
        chosen = [words[given[name]] for name, words in found.get("by", {}).items() if given.get(name) in words]
        return f"{found['paper']}, {'; '.join(chosen) or found['equations']}"

    @property
    def wall_time(self) -> float:
        """Median time of marching, s."""
        return float(np.median(self.march_times)) if self.march_times else float("nan")


@dataclass
class Case:
    """One model: its rows, coarse to fine within a method and integrator, and the reference that judges them."""

    name: str
    title: str
    file: str
    text: str
    start: float
    end: float
    interval: float  # between output rows, s
    reference: Reference
    published: str = ""  # source of the published values; empty without
    checks: list[Check] = field(default_factory=list)  # of the reference itself against them
    scales: dict[str, Scale] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    courses: dict[tuple[str, str], Course] = field(default_factory=dict)  # by method and integrator
    notes: list[str] = field(default_factory=list)  # what holds for every method

    def ladders(self) -> dict[tuple[str, str], list[Row]]:
        """The rows by method and integrator."""
        found: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            found.setdefault((row.method, row.integrator), []).append(row)
        return found


@dataclass
class Findings:
    """All results of a comparison. `ok` if at least one row ran, and each that ran agrees or is known to be wrong."""

    cases: list[Case]
    command: str
    date: str
    machine: str
    versions: dict[str, str]
    repeats: int

    @property
    def ok(self) -> bool:
        """Whether the exit code is 0."""
        rows = [row for case in self.cases for row in case.rows]
        return not any(row.verdict in ALARMS for row in rows) and any(row.result is not None for row in rows)
