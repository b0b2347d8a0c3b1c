"""The equilibria of a model over one of its parameters, along their curve: loads at which it buckles or snaps through."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsim.analyses.let_go import rows_kept
from mbsim.assembly import Assembly
from mbsim.diagnosis.equilibrium import count_growing, equilibrium
from mbsim.diagnosis.equilibrium_path import Critical, Follower, PathEnd, Point
from mbsim.diagnosis.linearised import displacement_names
from mbsim.diagnosis.redundancy import redundancy
from mbsim.diagnosis.unbalanced import Problem
from mbsim.march.blas_threads import one_thread
from mbsim.march.formulation import allocate_for_observer
from mbsim.march.recording import recorder
from mbsim.observe.observer import Observer
from mbsim.results import Result
from mbsim.results.schema import Series
from mbsim.system.system import Floats

COUNT = 50  # steps at least, over the whole range of the parameter
MOST_STEPS = 100_000
MOST_POINTS = 20_000  # of a curve
KEPT = 32  # assembled models
MOVES = 0.05  # of the largest displacement: a smaller one is not named
NAMES = 6
ABSCISSA = "length of the curve"  # what the rows of the result are over


@dataclass(frozen=True)
class CriticalValue:
    """A value of the parameter at which the number of equilibria changes."""

    kind: str  # `limit point`: the curve turns back; `bifurcation`: another curve crosses
    value: float
    growing: int  # how many motions grow beyond
    moves: dict[str, float]  # what the stiffness does not resist there, the largest part 1; displacements and rotations by their names
    q: Floats  # (n_q,)


@dataclass(frozen=True)
class Equilibria:
    """Equilibria along their curve. k points, n_q coordinates and states."""

    title: str
    parameter: str
    values: Floats  # (k,) of the parameter
    coordinates: list[str]
    units: list[str]
    q: Floats  # (k, n_q)
    growing: NDArray[np.int64]  # (k,) how many small motions grow
    critical: list[CriticalValue]
    ended: str  # why the curve ends before the last value; empty where it does not
    notes: list[str]
    result: Result  # a row a point, with all variables of a run, and the parameter

    @property
    def stable(self) -> NDArray[np.bool_]:
        """(k,) whether no small motion grows."""
        return np.equal(self.growing, 0)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: the keys of `mbsim equilibrium --vary --json`."""
        names = self.coordinates
        return {
            "parameter": self.parameter,
            "values": self.values.tolist(),
            "q": {name: column.tolist() for name, column in zip(names, self.q.T, strict=True)},
            "stable": self.stable.tolist(),
            "growing": self.growing.tolist(),
            "critical": [
                {"kind": c.kind, "value": c.value, "growing": c.growing, "moves": c.moves, "q": dict(zip(names, c.q.tolist(), strict=True))}
                for c in self.critical
            ],
            "ended": self.ended,
            "notes": self.notes,
        }

    def lines(self) -> list[str]:
        """What the command prints."""
        first, last, largest = self.values[0], self.values[-1], self.values[int(np.argmax(np.abs(self.values - self.values[0])))]
        reached = "" if largest == last else f", as far as {largest:g}"
        said = [f"{self.title}: equilibria over {self.parameter} = {first:g} to {last:g}{reached}, {len(self.values)} points"]
        for c in self.critical:
            moving = ", ".join(f"{name} {size:.3g}" for name, size in c.moves.items())
            stands = "stable" if not c.growing else f"{c.growing} {'motion grows' if c.growing == 1 else 'motions grow'}"
            said.append(f"  {self.parameter} = {c.value:.12g}: {c.kind}, beyond it {stands}; moving: {moving}")
        if not self.critical:
            said.append(f"  no limit point and no bifurcation; {'stable' if self.stable.all() else 'unstable'} at the end")
        return said

    def shown(self) -> int:
        """The place of the coordinate that a picture is over: of those that lengths or angles have, the one that goes farthest."""
        kinds = [[k for k, unit in enumerate(self.units) if unit == wanted] for wanted in ("m", "rad")]
        farthest = [max(places, key=lambda k: float(np.ptp(self.q[:, k]))) for places in kinds if places]
        return farthest[0] if farthest and float(np.ptp(self.q[:, farthest[0]])) > 0.0 else farthest[-1] if farthest else 0

    def __repr__(self) -> str:
        return "\n".join([f"<mbsim {self.lines()[0]}>", *self.lines()[1:]])


def follow(
    load: Callable[[float], Assembly],
    parameter: str,
    first: float,
    last: float,
    count: int = COUNT,
    branch: int = 0,
    keep: Collection[str] = (),
    output: str | Path | None = None,
    force: bool = False,
) -> Equilibria:
    """The equilibria of `load(value)` from the one that the start leads to at `first` on; arguments as of `mbsim.equilibria`.

    Raises NoEquilibriumError where there is none at `first`, ValueError where the model changes its structure or nothing depends on the
    parameter, OSError.
    """
    curve = _Curve(load, parameter, keep)
    made = curve.made(first)
    made.require_bilateral("a curve of equilibria")
    if made.steady:
        raise ValueError("a curve of equilibria is one of rest; the model has a block `steady`")
    kept, released = rows_kept(made.system, keep)
    points: list[Point] = []
    found: list[tuple[int, Critical]] = []
    ended = ""
    with one_thread():
        start = equilibrium(made.system, made.start, made.q, kept)
        follower = Follower(curve.problem, first, last, count_growing)
        try:
            for one in follower.points(start.q, 1.0 / count, branch):
                if isinstance(one, Critical):
                    found.append((len(points), one))
                else:
                    points.append(one)
                if len(points) >= MOST_POINTS:
                    raise PathEnd(f"the curve has more than {MOST_POINTS} points")
        except PathEnd as end:
            ended = f"the curve ends at {parameter} = {points[-1].value:.9g}: {end}" if points else str(end)
    if len(points) < 2:
        raise ValueError(f"{parameter}: {ended}")
    if all(np.array_equal(one.state.q, points[0].state.q) and np.array_equal(one.eigenvalues, points[0].eigenvalues) for one in points):
        raise ValueError(f"{parameter}: nothing that rests depends on it")
    notes = [f"drivers let go: {', '.join(released)}"] if released else []
    notes += [told for told in (start.relaxed, start.unsure) if told]
    if branch and sum(one.kind == "bifurcation" for _, one in found) < branch:
        notes.append(f"the curve has no bifurcation {branch}; no other curve was followed")
    notes += [_oscillating(parameter, one, other) for one, other in pairwise(points) if _oscillates(one, other)]
    notes += [ended] if ended else []
    system = made.system
    return Equilibria(
        system.name,
        parameter,
        np.array([point.value for point in points]),
        system.coordinates,
        system.coordinate_units,
        np.array([point.state.q for point in points]),
        np.array([point.growing for point in points]),
        [_critical(one, points[min(at, len(points) - 1)]) for at, one in found],
        ended,
        notes,
        _record(curve, points, notes, output, force),
    )


def _oscillates(one: Point, other: Point) -> bool:
    """Whether motions begin to grow, or cease to, that the stiffness does not tell."""
    return one.growing - one.negative != other.growing - other.negative


def _oscillating(parameter: str, one: Point, other: Point) -> str:
    what = "begin to oscillate and grow" if other.growing > one.growing else "grow no more"
    return f"between {parameter} = {one.value:.6g} and {other.value:.6g} motions {what}; `mbsim modes --vary` says where"


class _Curve:
    """The models of the values of a parameter."""

    def __init__(self, load: Callable[[float], Assembly], parameter: str, keep: Collection[str]) -> None:
        self.parameter, self._keep = parameter, keep
        self.made = lru_cache(KEPT)(load)
        self.problem = lru_cache(KEPT)(self._problem)
        self._rows: list[str] | None = None

    def _problem(self, value: float) -> Problem:
        made = self.made(value)
        system = made.system
        if self._rows is None:
            self._rows = system.rows
        if system.rows != self._rows:
            raise ValueError(f"the model has other constraints at {self.parameter} = {value:g}")
        return Problem(system, made.start, made.q, rows_kept(system, self._keep)[0], {}, {})


def _critical(one: Critical, beyond: Point) -> CriticalValue:
    problem = one.point.problem
    sizes = problem.measure * one.moves
    order = np.argsort(-np.abs(sizes), kind="stable")
    largest = sizes[order[0]] if len(order) else 1.0
    names, _ = displacement_names(problem.system)
    moves = {names[k]: float(one.moves[k] / one.moves[order[0]]) for k in order[:NAMES] if abs(sizes[k]) > MOVES * abs(largest)}
    return CriticalValue(str(one.kind), float(one.point.value), beyond.growing, moves, one.point.state.q)


def _record(curve: _Curve, points: list[Point], notes: list[str], output: str | Path | None, force: bool) -> Result:
    """The curve as a result with a row a point. Raises OSError."""
    made = curve.made(points[0].value)
    unit, name = "1", curve.parameter
    series = {name: Series(("time",), unit, f"parameter {name}")} if name not in (made.measures.series if made.measures else {}) else {}
    found = redundancy(made.system, made.start, points[0].state.q)
    attributes = {"method": "equilibria", "integrator": "none", "start": 0.0, "end": points[-1].arc, "cycle": ABSCISSA, "cycle_unit": "1"}
    into = recorder(
        made, _observer(made), found, (made.start, points[0].state.q), attributes, output, rows=len(points), force=force, further=series
    )
    status = "failed"
    try:
        for point in points:
            at = curve.made(point.value)
            system, lam = at.system, np.zeros(at.system.n_rows)
            lam[point.problem.kept] = point.state.lam
            row = np.concatenate([point.state.q, np.zeros(2 * system.n_v), lam, [np.nan]])[None]
            variables = _observer(at).chunk(np.array([at.start]), row)
            variables["time"] = np.array([point.arc])
            into.append(variables | {key: np.array([point.value]) for key in series})
        status = "complete"
    finally:
        into.close(status, {"counts": {}, "wall_time": 0.0, "notes": notes})
    return into.result()


def _observer(made: Assembly) -> Observer:
    return Observer(made.system, allocate_for_observer(made.system), made.measures, made.whole)
