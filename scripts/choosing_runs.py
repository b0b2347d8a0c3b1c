"""Marches of a shipped model by every method and integrator, and what they cost at equal error. For `choosing.py`.

A run is a ladder of marches from coarse to fine, by tolerances or by steps. The error of a march is the largest one of a coordinate over
the output rows, relative to the largest change of a coordinate. The seconds are those of the processor that the march took in its
thread, without rows and files; of turns in which all marches of a model alternate the smallest counts, so that a machine that does other
things too changes it little.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import exp, inf, log
from typing import Any

import numpy as np
from command_line import MODELS

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.diagnosis.redundancy import redundancy
from mbsim.formulations import Traits, automatic_method
from mbsim.march.formulation import formulate
from mbsim.march.settings import resolve
from mbsim.march.wrong_settings import OWN
from mbsim.system.system import Floats

METHODS = ("svd", "riemann", "lagrange", "nullspace", "cfa", "aba", "kane", "broyden")
INTEGRATORS = ("dop853", "rk45", "rk4", "predictor_corrector", "radau")
IMPLICIT = "generalized_alpha"  # makes its own steps, under error control
TOLERANCES = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11)  # rtol; atol is a tenth
PARTS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25)  # of the model's step
STEP = 0.01  # s, of a model without one
ROWS = 8  # output rows: more would be interpolated, which is no work of the method
LIMIT = 4.0  # s of the processor for a march
REPEATED = 0.5  # s: longer marches are taken once
TIGHT: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-13, "atol": 1e-14, "drift_tolerance": 1e-13}  # of the reference
PATIENCE = 40.0  # s of the processor for a reference
SMALLEST = 1e-15  # error of a march that shows none


class TooLongError(Exception):
    """A march took more than the limit."""


@dataclass
class Cost:
    """Of a march: its error, and the work."""

    error: float
    evaluations: int
    seconds: float


@dataclass
class Ladder:
    """The marches of a method with an integrator, coarse to fine. `reason` says why there is none."""

    method: str
    integrator: str
    marches: list[Cost] = field(default_factory=list)
    reason: str = ""

    def at(self, error: float, what: str) -> float:
        """`seconds` or `evaluations` for an error of at most `error`, interpolated between two marches; infinite where none is so good."""
        points = sorted(((max(m.error, SMALLEST), float(getattr(m, what))) for m in self.marches), reverse=True)
        best = min((work for found, work in points if found <= error), default=inf)
        for (e1, w1), (e2, w2) in pairwise(points):
            if e2 <= error < e1 and w1 > 0 and w2 > 0:
                best = min(best, exp(log(w1) + log(e1 / error) / log(e1 / e2) * log(w2 / w1)))
        return best


@dataclass
class Subject:
    """A model that is measured."""

    name: str
    made: Assembly
    end: float  # s
    step: float  # s
    reference: Floats  # q (ROWS, n_q)
    reach: float  # the largest change of a coordinate
    doubt: float  # relative error of the reference
    automatic: str  # the method that `auto` is
    freedoms: int

    @property
    def kind(self) -> str:
        """Of its coordinates."""
        return "joint" if self.made.system.in_joint_coordinates else "absolute" if self.made.system.bodies else "own"


def march(made: Assembly, end: float, settings: Mapping[str, Any], patience: float = LIMIT) -> tuple[Floats, int, float]:
    """q at the output rows with the states, evaluations and seconds of a run.

    Raises SimulationError where it stops, TooLongError, ValueError where the settings do not fit.
    """
    began: list[float] = []  # when the march was first heard of: what compiles before it does not count

    def limit(at: float) -> None:
        began.append(time.thread_time())
        if began[-1] - began[0] > patience:
            raise TooLongError

    found = mbsim.simulate(made, end=end, output_step=(end - made.start) / ROWS, progress=limit, **settings)
    facts = found.attributes
    q: Floats = np.hstack([found["q"][1:], found["states"][1:]]) if "states" in found else found["q"][1:]
    return q, int(facts["counts"]["evaluations"]), float(facts["march_cpu_time"])


def subject(name: str, shorter: float = 1.0) -> Subject | str:
    """A shipped model with its reference, or why it cannot be measured. `shorter` is the part of its time that is taken."""
    made = mbsim.assemble(mbsim.load_model(MODELS / f"{name}.yaml"))
    block = made.simulation
    made = replace(made, simulation=None, measures=None)  # the settings are those of the comparison
    end = made.start + shorter * (block.end - made.start)
    traits = Traits.of(made.system)
    automatic, _ = automatic_method(traits, (), controlled=True)
    step = block.step or STEP
    by = "lagrange" if automatic == "svd" else automatic
    try:
        tight = [{**TIGHT, "method": by, **{name: factor * TIGHT[name] for name in ("rtol", "atol")}} for factor in (1.0, 10.0)]
        exact, again = (march(made, end, settings, PATIENCE)[0] for settings in tight)
    except (mbsim.SimulationError, ValueError, TooLongError) as error:
        return f"no reference: {str(error)[:80] or 'too long'}"
    reach = float(np.abs(exact - made.q[: exact.shape[1]]).max())
    if reach < 1e-9:
        return "it stays where it is"
    doubt = max(float(np.abs(exact - again).max()) / reach, SMALLEST)
    freedoms = redundancy(made.system, made.start, made.q).degrees_of_freedom
    return Subject(name, made, end, step, exact, reach, doubt, automatic, freedoms)


def combinations(of: Subject) -> list[tuple[str, str]]:
    """Methods with `dop853`, and integrators with the method that `auto` is."""
    methods = [word for word in METHODS if fits(of, word)]
    found = [(method, "dop853") for method in methods]
    found += [(of.automatic, integrator) for integrator in INTEGRATORS if integrator != "dop853"]
    return [*found, (IMPLICIT, OWN)]


def fits(of: Subject, method: str) -> bool:
    """Whether a method has kernels of its own for the system: `cfa` with the user's coordinates is `lagrange`."""
    if method == "cfa" and of.kind == "own":
        return False
    try:
        formulate(
            of.made.system, resolve(None, of.made.system, {"end": of.end, "start": of.made.start, "method": method, "integrator": "dop853"})
        )
    except ValueError:
        return False
    return True


def levels(of: Subject, integrator: str) -> list[dict[str, float]]:
    """The settings of a ladder."""
    if integrator == OWN or "rtol" in registry.options("integrators", integrator):
        looser = 100.0 if integrator == OWN else 1.0  # an integrator of order 2 at 1e-10 would take for ever
        return [{"rtol": looser * rtol, "atol": 0.1 * looser * rtol} for rtol in TOLERANCES if looser * rtol > 1e-8 or looser == 1.0]
    return [{"step": part * of.step} for part in PARTS]


def ladders(of: Subject, chosen: Iterable[tuple[str, str]], turns: int, only: int | None = None) -> list[Ladder]:
    """The ladders of a model; `only` so many levels of each."""
    found, marches = [], []
    for method, integrator in chosen:
        ladder = Ladder(method, integrator)
        found.append(ladder)
        for level in levels(of, integrator)[:only]:
            settings = {"method": method, "integrator": "auto" if integrator == OWN else integrator, **level}
            try:
                q, evaluations, seconds = march(of.made, of.end, settings)
                if seconds < REPEATED or not ladder.marches:  # the first one may have compiled
                    seconds = march(of.made, of.end, settings)[2]
            except TooLongError:
                ladder.reason = "too long"
                break
            except (mbsim.SimulationError, ValueError) as error:
                ladder.reason = str(error)
                continue
            off = float(np.abs(q - of.reference).max()) / of.reach
            ladder.marches.append(Cost(max(off, of.doubt), evaluations, seconds))
            marches.append((ladder.marches[-1], settings))
    for _ in range(turns - 1):
        for cost, settings in marches:
            if cost.seconds < REPEATED:
                cost.seconds = min(cost.seconds, march(of.made, of.end, settings)[2])
    return found
