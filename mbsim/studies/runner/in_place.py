"""The arrays of an assembled system filled with the numbers of another model of the same structure."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mbsim.assembly.arrays import body_arrays
from mbsim.assembly.assembled import Assembly
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.generalized import Generalized
from mbsim.assembly.phases import begin
from mbsim.assembly.point_masses import with_point_masses
from mbsim.assembly.start import Given
from mbsim.constraints._table import EquationConstraint
from mbsim.contracts import Arrays
from mbsim.model.expressions.columns import spread
from mbsim.model.expressions.program import UnfitError
from mbsim.model.reread import GRAVITY, Numbers
from mbsim.model.schema import Model
from mbsim.straight.traced import SCRATCH
from mbsim.studies.runner.planar import Fields, PlanarNumbers
from mbsim.studies.runner.weights import Weights
from mbsim.system.laws import Laws
from mbsim.system.system import Floats, System

_INITIAL = ("initial", "")  # of the fields of numbers
PROBES, OFF = 2, 0.01  # how often it is tried whether a quick way gives the assembled arrays, and how far off numbers are then
_WEIGHTS = ("mass", "inertia")  # what keeps its sign


class Table(NamedTuple):
    """What many runs put into the arrays."""

    parameters: Floats  # (k, n) the first of Arrays.parameters
    q: Floats  # (k, n_q) the consistent start
    v: Floats  # (k, n_v)


class StructureError(ValueError):
    """The model has another structure: other rows, loads, laws or labels. It has to be assembled anew."""


class InPlace:
    """A system whose numbers change; its functions, and the memory of its arrays, stay."""

    def __init__(self, model: Model, made: Assembly, only_start: bool, fields: Fields | None = None) -> None:
        """`made` is the assembled `model`. `only_start`: only the start, gravity and parameters of laws vary: tables and bodies stay.

        `fields`: the numbers of the model that vary, by their blocks, where they are known.
        """
        self.system, self._only_start = made.system, only_start
        self._stale = False  # whether the places of joints are those of an earlier model
        self._source = _source(model)
        given = self._given = self._source.given(made.system)
        self._latest: Numbers | None = None  # of the last run, where the source has not heard of them
        self._laws = _texts(self._source)
        self._check(_new_arrays(self._source, made.system.arrays, model))
        self._quick = PlanarNumbers.of(self._source, made.system, given, fields) or Weights.of(self._source, made.system, given, fields)
        self._owed: Numbers | None = None  # whose arrays are put back, and what a start and records are made of is not
        self._is_quick = False  # whether the last numbers were filled by `_quick`
        self._falls = fields is not None and GRAVITY in fields
        if self._quick is not None and fields is not None and not self._is_assembled(model, fields, self._quick.fill):
            self._quick = None  # as where a load is made of the drawing
        if self._falls and self._only_start and fields is not None:
            self._only_start = self._is_assembled(model, {GRAVITY: fields[GRAVITY]}, self._fall)

    def _is_assembled(self, model: Model, fields: Fields, fill: Callable[[Fields], Given]) -> bool:
        """Whether a quick way to fill arrays with such fields gives those of an assembly, and the start, for other numbers too."""
        before, rng, same = [array.copy() for array in self.system.arrays], np.random.default_rng(1), True
        for _ in range(PROBES):
            other = {key: {name: _off(value, rng, name in _WEIGHTS) for name, value in of.items()} for key, of in fields.items()}
            try:
                source = _source(Numbers(model.parameters, other, model).model)
                wanted, start = _new_arrays(source, self.system.arrays, model), source.given(self.system)
                given = fill(other)
                same = same and _texts(source) == self._laws and np.array_equal(given.q, start.q)
                same = same and np.array_equal(given.speeds(given.q), start.speeds(start.q))
                pairs = zip(Arrays._fields, self.system.arrays, wanted, strict=True)
                same = same and all(a.tobytes() == b.tobytes() for name, a, b in pairs if name not in SCRATCH)
            except (ValueError, ArithmeticError, LookupError):
                same = False
            for mine, kept in zip(self.system.arrays, before, strict=True):
                mine[...] = kept
        return same

    def _fall(self, fields: Fields) -> Given:
        """Put gravity into the arrays."""
        found = fields[GRAVITY]["vector"]
        self.system.arrays.gravity[: len(found)] = found
        return self._given

    def fill(self, numbers: Numbers) -> Given:
        """Put numbers into the system; returns the start that they give. Raises StructureError, ModelError, TableError."""
        self._owed = None
        self._is_quick = self._quick is not None and numbers.fields is not None
        if self._quick is not None and numbers.fields is not None:
            self._set_parameters(numbers)
            self._stale = not self._only_start
            return self._quick.fill(numbers.fields)
        if self._only_start:
            self._set_parameters(numbers)
            if self._falls:
                self._fall(numbers.fields or {GRAVITY: {"vector": numbers.model.gravity}})
            return self._new_start(numbers)
        model = numbers.model
        source = _source(model)
        if _texts(source) != self._laws:
            raise StructureError
        arrays = _new_arrays(source, self.system.arrays, model)
        self._check(arrays)
        for mine, other in zip(self.system.arrays, arrays, strict=True):
            mine[...] = other
        self._source, self._stale = source, isinstance(source, Bodies)
        return source.given(self.system)

    def table(self, parameters: Mapping[str, Any], fields: Fields, count: int) -> Table | None:
        """What `fill` and a start without constraints put into the arrays, of `count` runs whose numbers are columns (`Rereading.columns`).

        None where that is more than parameters of laws and the start in the user's own coordinates.
        """
        system, source, base = self.system, self._source, self._given
        if not self._only_start or self._falls or system.n_rows or self._quick is not None or not isinstance(source, Generalized):
            return None
        if not fields.keys() <= {_INITIAL}:
            return None
        values = fields[_INITIAL]["values"] if fields else source.model.initial.values
        named = [values.get(name, 0.0) for name in system.coordinates[: system.n_c]]
        kept = list(parameters.values()) if len(system.arrays.parameters) else []
        try:
            speeds = spread([values.get(name, 0.0) for name in system.speeds], count)
            return Table(spread(kept, count), spread([*named, *base.q[system.n_c :].tolist()], count), speeds)
        except UnfitError:
            return None

    def refill(self, numbers: Numbers) -> None:
        """Put numbers that fitted before into the system again. What a start is made of, which is not in the arrays, stays."""
        if self._only_start and not self._falls:
            self._set_parameters(numbers)
        else:
            self.fill(numbers)

    def restore(self, numbers: Numbers, put: Callable[[], None]) -> None:
        """As `refill`, where `put` puts back what was in the arrays: the rest is made when it is asked for."""
        if self._only_start and not self._falls:
            self._set_parameters(numbers)
        else:
            put()
            self._owed = numbers

    def _settle(self) -> None:
        """Make what was put off."""
        if self._owed is not None:
            self.fill(self._owed)

    @property
    def source(self) -> Bodies | Generalized:
        """What the system is made of."""
        self._settle()
        if self._latest is not None:
            self._source, self._latest = _source(self._latest.model), None
        return self._source

    def with_records(self) -> System:
        """The system with the places of its joints, which only reactions and the size of the mechanism need."""
        self._settle()
        if self._stale and isinstance(self._source, Bodies):
            of = self._quick if self._is_quick and self._quick is not None else self._source
            self.system, self._stale = replace(self.system, joints=of.joint_records()), False
        return self.system

    def _set_parameters(self, numbers: Numbers) -> None:
        parameters = self.system.arrays.parameters
        if len(parameters):
            parameters[: len(numbers.parameters)] = list(numbers.parameters.values())

    def _new_start(self, numbers: Numbers) -> Given:
        fields, base = numbers.fields, self._given
        if self._falls and fields is not None and fields.keys() == {GRAVITY}:
            self._latest = numbers
            return base
        if fields is not None and fields.keys() <= {_INITIAL} and isinstance(self._source, Generalized):
            self._latest = numbers
            values = fields[_INITIAL]["values"] if fields else self._source.model.initial.values
            system = self.system
            q, v = base.q.copy(), np.array([values.get(name, 0.0) for name in system.speeds], float)
            q[: system.n_c] = [values.get(name, 0.0) for name in system.coordinates[: system.n_c]]
            return Given(base.t, q, lambda _: v, base.fixed_q, base.fixed_v, base.held_q, base.held_v)
        source, model = self._source, numbers.model
        if isinstance(source, Bodies):
            source.builder.model = model
            return source.given(self.system)
        self._source = _source(model)
        return self._source.given(self.system)

    def _check(self, arrays: Arrays) -> None:
        """Raise StructureError where what kernels branch on is other than in the system."""
        for mine, other in zip(self.system.arrays, arrays, strict=True):
            same = mine.shape == other.shape and mine.dtype == other.dtype
            if not same or (mine.dtype.kind != "f" and not np.array_equal(mine, other)):
                raise StructureError


def _off(value: object, rng: np.random.Generator, weighs: bool) -> Any:
    """Numbers of a field, each a little off; those of weights keep their sign, and zeros among them stay."""
    if isinstance(value, dict):
        return {name: _off(x, rng, weighs) for name, x in value.items()}
    if isinstance(value, list):
        return [_off(x, rng, weighs) for x in value]
    if not isinstance(value, float):
        return value
    return value * (1.0 + OFF * rng.uniform(-1.0, 1.0)) + (0.0 if weighs else OFF * rng.uniform(-1.0, 1.0))


def _source(model: Model) -> Bodies | Generalized:
    """What the first system of a run is made from."""
    return begin(with_point_masses(model))[0]


def _new_arrays(source: Bodies | Generalized, arrays: Arrays, model: Model) -> Arrays:
    """Fresh arrays of a source; those of the user's coordinates hold nothing but parameters and tables."""
    if isinstance(source, Bodies):
        return source.builder.coordinates.complete(source.builder, body_arrays(source.builder))
    fresh = Arrays(*(x.copy() for x in arrays))
    return fresh._replace(parameters=np.array(list(source.forces.parameters.values()), float)) if len(arrays.parameters) else fresh


def _texts(source: Bodies | Generalized) -> list[Any]:
    """What the generated code depends on."""
    if isinstance(source, Generalized):
        model, energy = source.model, source.model.energy
        assert energy is not None
        laws = [None if law is None else law.key for law in (energy.kinetic, energy.potential, energy.dissipation)]
        forces = [[law.key for _, law in force.laws()] for force in model.acting().values()]
        drivers = [[law.key for _, law in driver.laws()] for driver in model.drivers.values()]
        equations = [block.residual().key for block in model.constraints.values() if isinstance(block, EquationConstraint)]
        return [laws, forces, drivers, equations, [state.law[1].key for state in model.states.values()]]
    laws_: Laws = source.builder.laws
    groups = (laws_.time, laws_.state, laws_.holonomic.values(), laws_.nonholonomic.values())
    surfaces = [[str(at), *surface.key] for at, surface in laws_.surfaces.items()]
    coupled = sorted(laws_.joint_speeds.items())  # with the places and axes of the joints
    rates = [rate.expression.key for rate in laws_.rates.values()]
    return [[law.key for law in group] for group in groups] + surfaces + [coupled, rates]
