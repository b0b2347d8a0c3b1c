"""The outputs of all runs of a tile at once, from rows of lanes (k, width, LANES).

Each history is that of one lane after the other, (LANES k,), so that what finds quantities in rows finds them of all lanes in one call.
What is not known here, such as reactions in axes of bodies, raises NotInLanes: then each run is looked at by itself.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mbsim.jit.straight.emission import LANES
from mbsim.model.expressions.parsed import Expression
from mbsim.model.recorded import REACTIONS
from mbsim.model.schema import Model
from mbsim.observe.facts import Facts
from mbsim.observe.observer import POSES
from mbsim.observe.quantities import AXES, Quantities, Rows
from mbsim.results.functionals import HISTORY, NUMBER, FunctionalError, Quantity, value_of
from mbsim.results.reductions import REDUCTIONS, ReductionError
from mbsim.studies.lanes.tiles import Tile
from mbsim.studies.runner.lane_run import LaneRun
from mbsim.system.system import Floats, System

TOLD = REACTIONS[0]  # of reactions the one that a tile tells
ENDS = {REDUCTIONS["initial"]: slice(0, 1), REDUCTIONS["final"]: slice(-1, None)}  # reductions that are a column of the histories
INITIAL = ("initial", "")  # of the fields of numbers


class NotInLanes(Exception):
    """A history that is found of each run by itself."""


class _Columns:
    """A variable whose columns are handed over when they are asked for: most outputs need one of many."""

    def __init__(self, values: Floats) -> None:
        """`values` (k, ..., LANES)."""
        self._values = values

    def __getitem__(self, key: Any) -> Floats:
        found = self._values[key]
        lanes_first = found.T if found.ndim == 2 else found.transpose(2, 0, 1)
        return np.ascontiguousarray(lanes_first).reshape(-1, *found.shape[1:-1])


class _Forces:
    """What joints transmit to their second bodies, in global axes, of a joint and perhaps an axis that is asked for."""

    def __init__(self, system: System, reactions: Floats) -> None:
        """`reactions`: as of `lanes.tiles.Tile`."""
        self._reactions, self._d = reactions, 2 if system.dimension == 2 else 3
        self._signs = [1.0 if joint.second >= 0 else -1.0 for joint in system.joints]

    def __getitem__(self, key: tuple[Any, ...]) -> Floats:
        found = self._signs[key[1]] * self._reactions[:, key[1], : self._d].transpose(2, 0, 1)
        out = np.zeros((*found.shape[:2], 3))
        out[..., : self._d] = found
        return out.reshape(-1, 3)[(slice(None), *key[2:])]


class _Variables(Mapping[str, Any]):
    """The variables of the runs of a tile by name."""

    def __init__(self, system: System, times: Floats, tile: Tile) -> None:
        """`times` (LANES k,) of all lanes."""
        self._system, self._tile, self._rows = system, tile, tile.rows
        n_q, n, n_c = system.n_q, system.n_v, system.n_c
        self._plain = {"q": (0, n_c), "states": (n_c, n_q), "v": (n_q, n_q + n), "acceleration": (n_q + n, n_q + 2 * n)}
        self._plain["multiplier"] = (n_q + 2 * n, self._rows.shape[1] - 1)
        self._found: dict[str, Any] = {"time": times}

    def __getitem__(self, name: str) -> Any:
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def _find(self, name: str) -> Any:
        if name in self._plain:
            return _Columns(self._rows[:, slice(*self._plain[name])])
        if name == TOLD and (reactions := self._tile.reactions) is not None:
            return _Forces(self._system, reactions)
        if (energy := self._tile.energy(name)) is not None:
            return _Columns(energy)[:]
        raise NotInLanes(name)

    def of_body(self, name: str, body: int) -> Floats:
        """A variable of the poses (LANES k, 3 or 4) of one body."""
        system, key = self._system, f"{name} {body}"
        if system.in_joint_coordinates:
            raise NotInLanes(name)
        if key not in self._found:
            size, speeds = (3, 3) if system.dimension == 2 else (7, 6)
            q, v = self._part("q", size, body), self._part("v", speeds, body)
            self._found[key] = POSES[name](system.dimension, q, v)[:, 0]
        found: Floats = self._found[key]
        return found

    def _part(self, name: str, size: int, body: int) -> Floats:
        """The columns of a body."""
        key = f"{name} {body}"
        if key not in self._found:
            self._found[key] = self[name][:, size * body : size * (body + 1)]
        found: Floats = self._found[key]
        return found


class _Rows(Rows):
    """The rows of all lanes, one lane after the other."""

    def turned(self, key: str, wrapped: Floats, rate: Floats) -> Floats:
        """As of one run, of each lane by itself."""
        if key not in self.found:
            parts = (x.reshape(LANES, -1) for x in (self.time, wrapped, rate))
            turned = [_turned(*given) for given in zip(*parts, strict=True)]
            self.found[key] = np.concatenate(turned)
        return self.found[key]


def _turned(time: Floats, wrapped: Floats, rate: Floats) -> Floats:
    return Rows({"time": time}, {}).turned("", wrapped, rate)


class _Names:
    """The names that outputs may use, of all runs of a tile: a history is (LANES, k), a vector (LANES, k, 3), a number (LANES, 1)."""

    def __init__(self, model: Model, system: System, times: Floats) -> None:
        """`model`: of the file."""
        self._model, self._system, self._times = model, system, np.tile(times, LANES)
        self._quantities = Quantities(Facts.of(model), system)
        self._joints = {joint.name: k for k, joint in enumerate(system.joints)}
        self.time = np.broadcast_to(times, (LANES, len(times)))
        self._known: dict[str, Callable[[], Any]] = {}
        self._values: dict[str, Any] = {}  # of this tile

    def begin(self, tile: Tile, runs: Sequence[LaneRun]) -> None:
        """Look at the runs of another tile."""
        self._rows = _Rows(_Variables(self._system, self._times, tile), {})
        self._runs = runs
        self._values.clear()

    @property
    def _is_drawn(self) -> bool:
        """Whether nothing but the start varies: points and masses are those of the file then."""
        return all(run.numbers.fields is not None and run.numbers.fields.keys() <= {INITIAL} for run in self._runs)

    def find(self, name: str) -> Quantity:
        """What a name stands for. Raises NotInLanes."""
        if name in self._model.parameters:
            return Quantity(NUMBER, "1", lambda: self._parameter(name))
        if name not in self._known:
            self._known[name] = self._found(name)
        return Quantity(HISTORY, "", lambda: self._value(name))

    def _value(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = self._known[name]()
        return self._values[name]

    def _found(self, name: str) -> Callable[[], Any]:
        if ":" in name:
            return self._labelled(*name.split(":"))
        if name in self._model.measures:
            raise NotInLanes(name)
        try:
            found = self._quantities.find(name)
        except (ValueError, LookupError):
            found = None
        if found is None:
            raise NotInLanes(name)
        of, is_column = found.of, name == "t" or self._quantities.is_column(name)
        return lambda: self._history(of, is_column)

    def _labelled(self, variable: str, *labels: str) -> Callable[[], Any]:
        """A reaction, or one of its components."""
        if variable != TOLD or labels[0] not in self._joints or not set(labels[1:]) <= AXES.keys() or len(labels) > 2:
            raise NotInLanes(variable)
        place: Any = (slice(None), self._joints[labels[0]], *(AXES[axis] for axis in labels[1:]))
        shape = self.time.shape + (3,) * (len(labels) == 1)
        return lambda: self._rows.variables[TOLD][place].reshape(shape)

    def _parameter(self, name: str) -> Floats:
        found = np.full((LANES, 1), self._runs[0].numbers.parameters[name])  # of a lane without a run as of another
        for run in self._runs:
            found[run.lane] = run.numbers.parameters[name]
        return found

    def _history(self, of: Callable[[Rows], Floats], is_column: bool) -> Any:
        if not is_column and not self._is_drawn:
            raise NotInLanes
        found = of(self._rows)
        return found.reshape(LANES, -1) if np.ndim(found) else found

    def function(self, name: str, arguments: list[str]) -> Quantity:
        """A function of bodies or points. Raises NotInLanes."""
        try:
            of = self._quantities.function(name, arguments).of
        except (ValueError, LookupError):
            raise NotInLanes(name) from None
        return Quantity(HISTORY, "", lambda: self._history(of, False))


def _each(reduce: Callable[..., float], time: Floats, values: Floats, *arguments: Any) -> Floats:
    """The numbers (LANES, 1) that the histories of all lanes come to; NaN where there is none, of which the run itself says why."""
    if reduce in ENDS:
        return values[:, ENDS[reduce]]
    given = [np.broadcast_to(np.asarray(x, float).reshape(-1), LANES) if np.ndim(x) else [x] * LANES for x in arguments]
    return np.array([[_number(reduce, *one)] for one in zip(time, values, *given, strict=True)])


def _number(reduce: Callable[..., float], *given: object) -> float:
    try:
        return reduce(*given)
    except (FunctionalError, ReductionError):
        return math.nan


class LaneOutputs:
    """What tiles of one model come to, where all that is asked for is found in lanes."""

    def __init__(self, model: Model, system: System, times: Floats, outputs: Mapping[str, Expression]) -> None:
        """`model`: of the file; `outputs`: functionals by name."""
        self._names, self._outputs, self._knows = _Names(model, system, times), outputs, True

    def __call__(self, tile: Tile, runs: Sequence[LaneRun], keep: Sequence[str]) -> tuple[Floats, dict[str, Floats]] | None:
        """The outputs (LANES, n), and the histories (LANES, k) or (LANES, k, 3) to keep; None where each run has to be looked at by itself.

        `runs`: those in lanes; what is found of other lanes means nothing.
        """
        if not self._knows:
            return None
        names = self._names
        names.begin(tile, runs)
        found = np.zeros((LANES, len(self._outputs)))
        with np.errstate(all="ignore"):
            try:
                for k, expression in enumerate(self._outputs.values()):
                    found[:, k] = np.asarray(value_of(expression.tree, names, _each), float).reshape(-1)
                kept = {name: np.array(names.find(name).values()) for name in keep}
            except NotInLanes:
                self._knows = False
                return None
        return found, kept
