"""How many digits of a result are right, and what says so: `mbsim certify`.

A run is made again from the result alone: the text of its model, the parameters, tables and settings it holds, and its first row. Twice
with ever finer steps (or tighter tolerances), which gives the run's own error and the order that is fitted to it, and once by an
independent method, as for `mbsim.compare`, whose measures and estimates these are. A digit counts when neither says otherwise.
"""

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import floor, isfinite, log10, nan
from typing import Any

import numpy as np

from mbsim import registry
from mbsim.analyses.dynamic import simulate
from mbsim.assembly import Assembly, assemble
from mbsim.diagnosis.redundancy import redundancy
from mbsim.march.ending import SimulationError
from mbsim.march.orders import order_with
from mbsim.march.settings import Asked
from mbsim.march.wrong_settings import OWN
from mbsim.observe.beams import beam_sizes
from mbsim.observe.open_reactions import open_components
from mbsim.results import Result
from mbsim.studies.compare import events
from mbsim.studies.compare.measures import MEASURES, distance, reach
from mbsim.studies.compare.reference import IMPLICIT, METHOD, TIGHT, Wanted, converge
from mbsim.studies.compare.verdict import PLATEAU, own_errors
from mbsim.studies.compare.worker import in_process
from mbsim.studies.doubled import NotDoubledError, element_error, model_of
from mbsim.system.system import Floats
from mbsim.version import __version__

MOST_DIGITS = 15
FINER, TIGHTER = 2.0, 10.0  # by how much each run is finer than the last: a step, a tolerance
TIGHTEST = 1e-14  # a relative tolerance below which nothing is gained
LEVELS = 3  # runs that the error is estimated from, the certified one included
OTHER = "nullspace"  # the independent method where the run's own is the reference's
HELD, OF_IT = "svd", ("svd", "riemann")  # the independent method of large systems, which factors no dense saddle; the runs that share it
ROUGH, FINER_THAN = 1e-6, 1e-3  # rtol of an implicit run without one; times that of a run, the independent one's where both are implicit
LARGE = 60  # speeds: of a shaft of 20 discs, with 120, an evaluation takes an eighth of that by the reference's method
EVENTS = "events"  # a measure, too, where any has happened: their times, relative to the length of the run
ELEMENTS = "elements"  # a measure of models with beams, too: positions by more elements
NOUNS = {"position": "position", "velocity": "speeds", "reaction": "reactions", EVENTS: "times of events", ELEMENTS: "positions"}
SETTINGS = ("method", "drift", "drift_tolerance")


class CertificateError(ValueError):
    """The result cannot be run again, or did not end well."""


@dataclass
class Certificate:
    """What was found. Errors are the largest over time, relative: to the largest change of a coordinate, speed, reaction."""

    model: str
    hash: str  # SHA-256 of the model's text and parameters
    errors: dict[str, float] = field(default_factory=dict)  # by measure: the larger of the next two
    own: dict[str, float] = field(default_factory=dict)  # from finer runs
    against: dict[str, float] = field(default_factory=dict)  # from the independent run, with that one's own error
    order: float = nan  # fitted to the positions of the finer runs; NaN of tolerances
    independent: str = ""  # the independent run, or why there is none
    facts: dict[str, Any] = field(default_factory=dict)  # residuals, energy, rank, warnings, settings, versions

    @property
    def digits(self) -> dict[str, int]:
        """Digits that are right, by measure."""
        return {measure: _digits(error) for measure, error in self.errors.items()}

    def reaches(self, wanted: float) -> bool:
        """Whether every measure has as many digits."""
        return bool(self.errors) and all(found >= wanted for found in self.digits.values())

    @property
    def verdict(self) -> str:
        """In a line."""
        told = {m: f"{NOUNS[m]} to {n} {'digit' if n == 1 else 'digits'}" for m, n in self.digits.items()}
        beams = f"{told.pop(ELEMENTS)} by twice the elements of beams" if ELEMENTS in told else ""
        known = list(told.values())
        if "reaction" not in self.errors and self.facts.get("constraints", 0):
            known.append("no reaction is unique")
        parts = [", ".join(known), _unique(self.facts) if "reaction" in self.errors else ""]
        parts += [beams, *([self.facts["elements"]] if self.facts.get("elements") else [])]
        parts += ["not confirmed by an independent method"] if not self.against else []
        return "; ".join(filter(None, parts))

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it; numbers that are not finite are None."""
        found: dict[str, Any] = {"verdict": self.verdict, "digits": self.digits, "model": self.model, "hash": self.hash}
        found |= {"errors": self.errors, "own_errors": self.own, "independent_errors": self.against, "independent": self.independent}
        found |= {"order": self.order, **self.facts}
        return {name: _plain(value) for name, value in found.items()}


def _plain(value: object) -> Any:
    if isinstance(value, dict):
        return {name: _plain(x) for name, x in value.items()}
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value


def _digits(error: float) -> int:
    if not isfinite(error):  # other events happen, or nothing is known
        return 0
    return MOST_DIGITS if error <= 10.0**-MOST_DIGITS else max(0, floor(-log10(error)))


def _unique(facts: dict[str, Any]) -> str:
    """What of the reactions is unique."""
    open_, parts = facts.get("reactions_not_unique", []), facts.get("reaction_components_not_unique", {})
    if not open_:
        return "all of them unique" if facts.get("constraints", 0) else ""
    names = [f"{name}.{part}" if part else name for name in open_ for part in ([p.replace(" ", ".") for p in parts.get(name, [])] or [""])]
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"unique but for {shown}"


def certify(result: Result, progress: Callable[[str], None] | None = None) -> Certificate:
    """Run a result again, finer and by another method, and say how many of its digits are right.

    `progress` is called with a line of text as each run begins. Raises CertificateError for a result that holds no model or that is not
    complete, mbsim.ModelError for a model that this version does not read.
    """
    say = progress or (lambda line: None)
    made = _assemble(result)
    settings, finer = _settings(result)
    own = _own(made, finer, say)
    found = Certificate(str(result.attributes.get("title", "")), _hash(result))
    runs = [result, *own]
    if len(runs) > 1:
        order = _order(result)
        levels = [FINER**-k for k in range(len(runs))] if order else [TIGHTER**-k for k in range(len(runs))]
        apart = [_distances(a, b) for a, b in pairwise(runs)]
        for measure in NOUNS:
            between = [d[measure] for d in apart if measure in d]
            if len(between) == len(apart):
                found.own[measure] = _own_error(between, levels, order or 1.0) / _reach(runs[-1], measure)
        if order and len(apart) > 1 and apart[1].get("position", 0.0) > 0.0 and apart[0]["position"] > 0.0:
            found.order = float(np.log2(apart[0]["position"] / apart[1]["position"]))
    _compare(found, result, made, settings, say)
    without = ""
    if beam_sizes(made.system):
        say("twice the elements of beams")
        try:
            found.own[ELEMENTS] = element_error(result, lambda more: simulate(_bare(more), **finer(0), allow_wrong=True))
        except (SimulationError, NotDoubledError, ValueError) as error:
            without = f"not known with twice the elements of beams: {error}"
    for measure in NOUNS:
        known = [x[measure] for x in (found.own, found.against) if measure in x]
        if known:
            found.errors[measure] = max(known)
    found.facts = _facts(result, made) | ({"elements": without} if without else {})
    return found


def _own_error(between: list[float], levels: list[float], order: float) -> float:
    """Of the coarsest run; where the differences are small and do not shrink, their sum and the larger once more."""
    return own_errors(between, levels, order, 0.0, PLATEAU)[0]


def _assemble(result: Result) -> Assembly:
    if not result.model_yaml.strip():
        raise CertificateError("the result holds no model: only runs of model files can be run again")
    if result.attributes.get("status") != "complete" or len(result.time) < 2:
        raise CertificateError(f"the run is not complete ({result.attributes.get('status', 'unknown')}): there is nothing to certify")
    made = assemble(model_of(result))
    q, v = _start(result, made), result["v"][0]
    at_once = any(event["time"] == made.start and event["do"] == "impact" for event in result.events)
    if at_once and v.shape == made.v.shape and np.array_equal(result["q"][0], made.q[: made.system.n_c]):
        v = made.v  # the row of the start is that behind the impact
    if q.shape != made.q.shape or v.shape != made.v.shape:
        raise CertificateError("the model that the result holds has other coordinates than the result")
    return replace(_bare(made), q=q.copy(), v=v.copy())


def _bare(made: Assembly) -> Assembly:
    """The model with settings that `simulate` is given, and without measures."""
    return replace(made, simulation=replace(Asked.of(made.simulation), stop=None, options={}), measures=None)


def _start(result: Result, made: Assembly) -> Floats:
    """The coordinates of the first row, and the states behind them.

    Those that are held begin as in the model, and are sampled anew; those of units begin as the units do.
    """
    states, samples = made.system.states, made.system.samples
    if not states:
        return np.array(result["q"][0])
    held = {*(() if samples is None else samples.names), *(() if made.system.units is None else made.system.units.names)}
    begin = made.q[len(made.q) - len(states) :]
    known = result["states"][0] if "states" in result.names() else np.zeros(0)
    if len(known) != len(states):
        raise CertificateError("the model that the result holds has other states than the result")
    return np.concatenate([result["q"][0], np.where([name in held for name in states], begin, known)])


def _settings(result: Result) -> tuple[dict[str, Any], Callable[[int], dict[str, Any]]]:
    """What `simulate` was called with, and what it is called with k levels finer."""
    facts = result.attributes
    given: dict[str, Any] = {name: facts[name] for name in SETTINGS if name in facts}
    given |= {"integrator": facts["integrator"]} if facts["integrator"] != OWN else {}
    options = {name: value for name, value in facts.get("options", {}).items() if value is not None}
    spacing = facts.get("output_step") or facts["step"]

    def finer(k: int) -> dict[str, Any]:
        if "rtol" not in options:
            return {**given, "options": options, "step": min(facts["step"], spacing) / FINER**k, "output_step": spacing}
        tight = {name: max(options[name] / TIGHTER**k, TIGHTEST) for name in ("rtol", "atol") if name in options}
        return {**given, "options": options | tight, "step": spacing, "output_step": spacing}

    return {"step": facts["step"], "output_step": spacing, "method": facts["method"]}, finer


def _order(result: Result) -> float:
    """That is claimed; 0 of a run with tolerances."""
    facts = result.attributes
    if "rtol" in facts.get("options", {}):
        return 0.0
    return order_with(facts["method"], facts["integrator"], facts.get("options", {})) or 1.0


def _own(made: Assembly, finer: Callable[[int], dict[str, Any]], say: Callable[[str], None]) -> list[Result]:
    """The finer runs, until one does not get to the end or nothing gets finer."""
    found: list[Result] = []
    for k in range(1, LEVELS):
        chosen = finer(k)
        if "rtol" in chosen["options"] and k > 1 and chosen["options"]["rtol"] >= finer(k - 1)["options"]["rtol"]:
            break
        say(f"tolerances {TIGHTER**k:g} times tighter" if "rtol" in chosen["options"] else f"steps {FINER**k:g} times finer")
        try:
            found.append(simulate(made, **chosen, allow_wrong=True))  # how wrong a variant is, is what is asked
        except (SimulationError, ValueError):
            break
    return found


def _compare(found: Certificate, result: Result, made: Assembly, settings: dict[str, Any], say: Callable[[str], None]) -> None:
    """Hold the result against a run by another method."""
    method = METHOD if settings["method"] != METHOD else OTHER
    if made.system.in_joint_coordinates and not made.system.n_rows:
        method = METHOD if settings["method"] != METHOD else "kane"
    elif made.system.n_v > LARGE and settings["method"] not in OF_IT:
        method = HELD
    say(f"independent run with {method}")
    runner = in_process(made)
    runner.open()
    span, spacing = float(result.time[-1] - result.time[0]), settings["output_step"]
    wanted = Wanted(runner, min(settings["step"], spacing), spacing, span)
    if is_implicit(result):
        rtol = result.attributes.get("options", {}).get("rtol") or ROUGH
        wanted = replace(wanted, integrator=IMPLICIT, tight=max(TIGHT, FINER_THAN * rtol))
    reference = converge(wanted, (method,))
    found.independent = reference.description or reference.reason
    if reference.result is None:
        return
    apart = _distances(result, reference.result)
    found.against = {m: (x + reference.errors.get(m, 0.0)) / _reach(reference.result, m) for m, x in apart.items()}


def is_implicit(result: Result) -> bool:
    """Whether a run took implicit steps, as those of stiff models do."""
    facts = result.attributes
    kind = ("methods", facts["method"]) if facts["integrator"] == OWN else ("integrators", facts["integrator"])
    return bool(registry.declaration(*kind, "STIFF", False))


def _distances(run: Result, other: Result) -> dict[str, float]:
    """The largest over time, by measure."""
    apart = distance(run, other)
    found = {m: float(values.max(initial=0.0)) for m in MEASURES if (values := apart.of(m)) is not None and len(values)}
    of_events = events.apart(run, other)
    return found if of_events is None else {**found, EVENTS: of_events}


def _reach(run: Result, measure: str) -> float:
    """What an error is relative to; of a motion at rest the error itself counts."""
    if measure == EVENTS:
        return float(run.time[-1] - run.time[0]) or 1.0
    return reach(run, measure) or 1.0


def _hash(result: Result) -> str:
    given = json.dumps(dict(sorted(result.parameters.items())))
    return hashlib.sha256(result.model_yaml.encode() + b"\0" + given.encode()).hexdigest()


def _facts(result: Result, made: Assembly) -> dict[str, Any]:
    facts, rank = result.attributes, redundancy(made.system, made.start, made.q)
    residuals = {level: float(np.abs(result[f"residual_{level}"]).max()) for level in ("position", "velocity", "acceleration")}
    flags = {name: result[f"{name}_unique"] for name in ("joint_reaction", "multiplier") if f"{name}_unique" in result}
    kind = "joint_reaction" if "joint_reaction" in flags else "multiplier"
    labels = result.labels("joint" if kind == "joint_reaction" else "constraint")
    kept = (
        "method",
        "integrator",
        "start",
        "end",
        "step",
        "output_step",
        "drift",
        "drift_tolerance",
        "corners",
        "impact_law",
        "simultaneous",
        "impacts",
        "options",
        "counts",
        "source",
    )
    error = float(result["error_estimate"].max()) if "error_estimate" in result else np.nan
    return {
        "events": len(result.events),
        "constraints": len(result.labels("constraint")),
        "rank": rank.rank,
        "degrees_of_freedom": rank.degrees_of_freedom,
        "rank_changes": facts.get("rank_changes", []),
        "reactions_not_unique": [name for name, unique in zip(labels, flags.get(kind, []), strict=False) if not unique],
        "reaction_components_not_unique": open_components(made.system, made.start, made.q),
        "largest_residual": residuals,
        "largest_imbalance": float(np.abs(result["energy_balance"]).max()),
        "error_estimate": error if np.isfinite(error) else None,
        "notes": list(facts.get("notes", [])),
        "warnings": list(facts.get("warnings", [])),
        "run": {name: facts[name] for name in kept if name in facts},
        "versions": {**facts.get("versions", {}), "certified_by": f"mbsim {__version__}, Python {sys.version.split()[0]}"},
    }
