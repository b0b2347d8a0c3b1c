"""A comparison's data: Comparison -> Case (a model) -> Row (a combination). `study` fills them; `table`, `pictures`, `report` show them."""

from dataclasses import dataclass, field

import numpy as np

from mbsim import registry
from mbsim.results import Result
from mbsim.studies.compare.measures import MEASURES, Distance, reach
from mbsim.studies.compare.verdict import ALARMS, Check, Judgement, Scale, scale


@dataclass
class Reference:
    """The reference of one model. Without a result there is none, and `reason` says why."""

    description: str
    result: Result | None = None
    reason: str = ""
    errors: dict[str, float] = field(default_factory=dict)  # by measure: estimated, root mean square over time
    values: list[float] = field(default_factory=list)  # at the published times

    def scales(self, drift_tolerance: float) -> dict[str, Scale]:
        """By measure."""
        assert self.result is not None
        return {m: scale(m, reach(self.result, m), self.errors.get(m, 0.0), drift_tolerance) for m in MEASURES}


@dataclass
class Row:
    """One combination and its outcome. Without a result only the words and the verdict are meaningful."""

    method: str
    integrator: str  # "own": the method makes its own steps
    level: float  # step in s, or relative tolerance
    adaptive: bool
    step: float  # the step taken, s: equal steps fill the interval between two rows; NaN for an adaptive integrator
    verdict: str = ""
    reason: str = ""
    result: Result | None = field(default=None, repr=False)
    against: Distance | None = field(default=None, repr=False)  # from the reference, over time
    judgement: Judgement = field(default_factory=Judgement)
    order: float = float("nan")
    order_points: int = 0
    march_times: list[float] = field(default_factory=list)  # s, one per repeat
    checks: list[Check] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its path in the HDF5 file, below the model's."""
        words = (self.method, self.integrator, f"{self.level:.12g}")
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

    def ladders(self) -> dict[tuple[str, str], list[Row]]:
        """The rows by method and integrator."""
        found: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            found.setdefault((row.method, row.integrator), []).append(row)
        return found


@dataclass
class Findings:
    """All results of a comparison. `ok` if no row failed or disagrees and at least one ran."""

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
