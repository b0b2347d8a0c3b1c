"""A run that goes on step by step from outside: control loops, reinforcement learning, hardware in the loop, notebooks.

sim = mbsim.Stepper("cart_pole.yaml", inputs=["force"])
while sim.time < 5:
    sim.step(0.01, force=-10 * sim["pole.angle"])
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mbsim import contracts, registry
from mbsim.analyses.dynamic import Run
from mbsim.analyses.given import with_start
from mbsim.assembly import Assembly, assemble, load_model
from mbsim.march.ending import SimulationError, Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.happened import Memory
from mbsim.march.output_times import OutputTimes, TimesAhead
from mbsim.march.pieces import March
from mbsim.march.rows import LastRow
from mbsim.march.settings import Settings, resolve
from mbsim.march.snapshots import Snapshot, arrays_of
from mbsim.march.stretch import Stretch
from mbsim.march.trial import decide
from mbsim.model.file.errors import did_you_mean
from mbsim.model.file.overrides import Overrides
from mbsim.model.load import load
from mbsim.observe.observer import Observer
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.assembly.lock_records import Locks
    from mbsim.model.schema import Model

OFTEN = 64  # steps, after which the tolerance of the constraints is looked at


class State(NamedTuple):
    """Where a run is."""

    time: float  # s
    q: Floats  # (n_c,) coordinates
    v: Floats  # (n_v,) speeds
    states: Floats  # (n_x,) of the model and of forces


class Remembered(NamedTuple):
    """What no array holds of a run."""

    stopped: str  # what ended it
    steps: int  # how many were asked for
    events: Memory
    locks: "Locks | None"  # where something was locked or unlocked: what holds since then
    begun: float  # s: when that was
    q: Floats  # (n_q,) there


class Inside(NamedTuple):
    """What a stepper is made of: what is written as a program in C (`mbsim.programs`)."""

    made: Assembly
    settings: Settings
    formulation: Formulation
    march: March
    z: Floats  # the state
    row: Floats  # (1, width) its output row
    begun: list[tuple[np.ndarray, np.ndarray]]  # arrays of the march, and what they hold before it begins
    happened: Memory  # what its events have made of it


class _Motion(Run):
    """A run whose rows are not recorded; the last one is kept."""

    def __init__(self, made: Assembly, settings: Settings) -> None:
        super().__init__(made, settings)
        self._steps = 0
        self._first = self._stretch
        self._before = Snapshot(self.formulation.work, self.z)

    def _taker(self) -> LastRow:
        return LastRow(self._stretch)

    @property
    def row(self) -> Floats:
        """(1, width) where it is."""
        return self._stretch.last_row

    def begin(self, made: Assembly) -> None:
        """Begin at the start of an assembled model, which differs in nothing else."""
        self._before.restore()
        self._go_to(self._first)
        self.made, self.at, self._stopped = made, self.settings.start, ""
        self._happenings.begin()
        self._march.begin_anew()
        self._begin()

    def turn(self) -> None:
        """Go on with other laws than until now."""
        self._march.begin_anew(keep_step=True)
        self.formulation.work.status[contracts.STATUS_CHANGED] = 1
        if not self.formulation.expands(self.at, self.z, self.row[0]):
            raise Stopped("the laws cannot be evaluated with these inputs")
        self.row[0] = self._happenings.turned(self.at, self.z, self.row[0])

    def advance_to(self, target: float) -> None:
        """Go on to a time, through events and singular positions. Raises Stopped."""
        begun, reached, located = self.at, False, None
        if not self._happenings.waits:
            reached = self._march.reach(begun, target, self.z, self.row)
            self.at = self._march.at
            if self._march.error is not None:
                raise self._march.error
            if len(self._events):
                located = self._events.located(self.at)
                self._keep(np.zeros(0), self.row[:0], located)
        if located is not None or not reached:
            self._ahead = TimesAhead(OutputTimes(begun, target, target - begun), 1)
            self._ahead.resume(0, self.at)
            if located is not None:
                self._happen(located)
            while self._ahead and not self._stopped:
                self._advance(None)
        self._steps += 1
        if self._steps % OFTEN == 0 or self.formulation.system.failure is not None:
            self._between_chunks(None)

    @property
    def stopped(self) -> str:
        """What ended the run; empty where it goes on."""
        return self._stopped

    def happened(self) -> list[dict[str, object]]:
        """The events so far."""
        return self._happenings.table

    def _go_to(self, stretch: Stretch) -> None:
        """Be in another stretch of the run."""
        if stretch is not self._stretch:
            self._take(stretch)
            self._rows.go_on(stretch)
            self._happenings.go_to(self.formulation, self._events)
            for observer in dict.fromkeys(self._observers):
                observer.go_on(self.formulation.system, self.formulation.beside(self.settings).work)

    def arrays(self) -> Iterator[np.ndarray]:
        """All that a step changes."""
        yield from (self.z, self.row, self._march.scratch, *arrays_of(self.formulation.work), *self.formulation.system.arrays)

    def take_over(self, at: float, arrays: Iterable[np.ndarray], remembered: Remembered) -> None:
        """Be where another run of the same model is."""
        if remembered.locks is not None:
            coming = self._first.made.coming
            assert coming is not None
            made = replace(coming.restore(self._first.made, remembered.locks), start=remembered.begun, q=remembered.q)
            self._go_to(Stretch(made, self.settings, self.interrupts))
        for mine, its in zip(self.arrays(), arrays, strict=True):
            mine[...] = its
        self.at, self._stopped, self._steps = at, remembered.stopped, remembered.steps
        self._happenings.take_over(remembered.events)
        if self._march.is_of_a_library:
            self.formulation.work.status[contracts.STATUS_CHANGED] = 1

    def remembered(self) -> Remembered:
        """What no array holds. Raises ValueError where Python functions or units may remember more."""
        system = self.formulation.system
        if system.failure is not None or (system.samples is not None and system.samples.calls_python):
            raise ValueError("a stepper of a model with Python functions or units is not copied: they may remember past calls")
        self._stretch.require_no_steps("a stepper is not copied")
        made = self._stretch.made
        locks = made.coming.locks if self._stretch is not self._first and made.coming is not None else None
        return Remembered(self._stopped, self._steps, self._happenings.remembered(), locks, made.start, made.q)

    def why(self, stop: Stopped) -> str:
        """Why it could not go on, in the user's names."""
        return self._failure(stop).failure


class Stepper:
    """A run of a model that goes on when it is told to, by as much as it is told.

    `inputs` are parameters of the model's laws that may be given at each step. The start (q, v), `parameters` and `settings` (method,
    integrator, step, rtol ...) are those of `mbsim.simulate`; `end` and `output_step` have no meaning. With steps of equal size the numbers
    are those of `simulate` with the same output times. Under error control steps end where they are asked to, and numbers agree to the
    tolerances.

    Raises what `simulate` raises, and ModelError for an input that does not change laws alone.
    """

    _dt: float
    _anchor: float
    _count: int

    def __init__(
        self,
        model: "str | Path | Mapping[str, Any] | Model",
        inputs: Collection[str] = (),
        q: ArrayLike | Mapping[str, float] | None = None,
        v: ArrayLike | Mapping[str, float] | None = None,
        *,
        parameters: Mapping[str, float | str] | None = None,
        **settings: object,
    ) -> None:
        read = load_model(model, parameters)
        for name in inputs:
            if name not in read.parameters:
                raise ValueError(f"inputs: unknown parameter {name!r}{did_you_mean(str(name), read.parameters)}")
        given = {name: value for name, value in settings.items() if value is not None}
        made = assemble(replace(read, inputs=frozenset(inputs)))
        chosen = decide(made, resolve(made.simulation, made.whole, given, False), given)
        self._recipe = read.text, read.file, read.overrides
        self._begin(made, chosen, tuple(inputs), q, v)

    def __reduce__(self) -> tuple[object, ...]:
        """A pickled stepper is read and assembled again, and put where it was."""
        held = [x.copy() for x in self._motion.arrays()]
        place = self.time, self._dt, self._anchor, self._count
        return _restored, (self._recipe, self._settings, self.inputs, held, place, self._motion.remembered())

    def _begin(
        self,
        made: Assembly,
        settings: Settings,
        inputs: tuple[str, ...],
        q: ArrayLike | Mapping[str, float] | None = None,
        v: ArrayLike | Mapping[str, float] | None = None,
    ) -> None:
        system = made.system
        if system.failure is None:  # arrays of its own, which no other run changes
            system = replace(system, arrays=type(system.arrays)(*(x.copy() for x in system.arrays)))
            own = system.arrays.parameters
            own[: len(made.parameters)] = list(made.parameters.values())[: len(own)]
        self._made, self._settings, self.inputs = replace(made, system=system), settings, inputs
        self._places = {name: list(made.parameters).index(name) for name in inputs}
        self._first = {name: made.parameters[name] for name in inputs}
        self._motion = _Motion(self._made, settings)
        self._observer: Observer | None = None
        self._columns = {name: i for i, name in enumerate([*system.coordinates, *system.speeds])}
        self.reset(q, v)

    # what is asked from outside

    @property
    def time(self) -> float:
        """s."""
        return self._motion.at

    @property
    def coordinates(self) -> list[str]:
        """The names of `state.q`."""
        return self._made.system.coordinates[: self._made.system.n_c]

    @property
    def speeds(self) -> list[str]:
        """The names of `state.v`."""
        return list(self._made.system.speeds)

    @property
    def states(self) -> list[str]:
        """The names of `state.states`."""
        return list(self._made.system.states)

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters of the model as they are now, by name."""
        return {name: float(x) for name, x in zip(self._made.parameters, self._made.system.arrays.parameters, strict=False)}

    @property
    def state(self) -> State:
        """Time, coordinates, speeds and states; copies."""
        system, row = self._made.system, self._motion.row[0]
        q, v = row[: system.n_q].copy(), row[system.n_q : system.n_q + system.n_v].copy()
        return State(self.time, q[: system.n_c], v, q[system.n_c :])

    @property
    def stopped(self) -> str:
        """What ended the run, a stop expression or an event; empty where it goes on."""
        return self._motion.stopped

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events so far, as `Result.events`."""
        return [dict(event) for event in self._motion.happened()]

    def inside(self) -> Inside:
        """The parts that a step works on, not copied."""
        motion, march, its = self._motion, self._motion._march, self._motion._happenings
        return Inside(motion._stretch.made, motion.settings, motion.formulation, march, motion.z, motion.row, its.begun, its.remembered())

    def __getitem__(self, name: str) -> float:
        """A coordinate, speed or state by its name. Raises KeyError."""
        try:
            return float(self._motion.row[0, self._columns[name]])
        except KeyError:
            raise KeyError(f"{name!r}{did_you_mean(name, self._columns)}") from None

    def __repr__(self) -> str:
        return f"<mbsim stepper: {self._made.system.name}, t = {self.time:.6g} s>"

    def step(self, dt: float, inputs: Mapping[str, float] | None = None, **further: float) -> "Stepper":
        """Go on by dt (s), with `inputs` that hold from now on; returns this stepper.

        Raises SimulationError where the run cannot go on, ValueError for a dt that is not positive and an unknown input.
        """
        if not dt > 0.0 or not np.isfinite(dt):
            raise ValueError(f"dt must be greater than 0 (got {dt!r})")
        if self._motion.stopped:
            raise ValueError(f"the run has ended at t = {self.time:.9g} s ({self._motion.stopped}); reset() begins anew")
        given = {**(inputs or {}), **further}
        self._require_inputs(given)
        if dt == self._dt:
            self._count += 1
        else:
            self._dt, self._anchor, self._count = dt, self.time, 1
        try:
            self._give(given)
            self._motion.advance_to(self._anchor + self._count * dt)
        except Stopped as stop:
            self._dt = 0.0
            raise SimulationError(self._motion.why(stop), self.time, None) from stop.cause
        return self

    def reset(self, q: ArrayLike | Mapping[str, float] | None = None, v: ArrayLike | Mapping[str, float] | None = None) -> "Stepper":
        """Begin anew at the start of the model, or at (q, v) as of `mbsim.simulate`, with the inputs of the model; returns this stepper."""
        for name, place in self._places.items():
            self._made.system.arrays.parameters[place] = self._first[name]
        self._dt, self._anchor, self._count = 0.0, 0.0, 0  # equal steps count from the anchor, so that they end where those of a run do
        try:
            self._motion.begin(with_start(self._made, q, v))
        except Stopped as stop:
            raise SimulationError(self._motion.why(stop), self.time, None) from stop.cause
        return self

    def outputs(self) -> dict[str, float]:
        """The measures of the model, by name."""
        if self._made.measures is None:
            return {}
        variables = self.variables()
        return {name: float(variables[name][0]) for name in self._made.measures.series}

    def variables(self) -> dict[str, Floats]:
        """All that a run records, as in a result of one row. `energy_balance` is not known."""
        system = self._motion.formulation.system
        if self._observer is None or self._observer.system is not system:
            work = self._motion.formulation.beside(self._settings).work
            self._observer = Observer(system, work, self._made.measures, self._made.whole)
        self._observer.use(system.arrays.parameters)
        found = self._observer.chunk(np.array([self.time]), self._motion.row.copy())
        found.pop("energy_balance", None)
        return found

    def copy(self) -> "Stepper":
        """A stepper of its own at the same state. A solver of a library (bdf, radau, lsoda, ida) begins anew there.

        Raises ValueError for a model with Python functions or units.
        """
        other = object.__new__(Stepper)
        other._recipe = self._recipe
        other._begin(self._made, self._settings, self.inputs)
        other._motion.take_over(self.time, self._motion.arrays(), self._motion.remembered())
        other._dt, other._anchor, other._count = self._dt, self._anchor, self._count
        return other

    def _require_inputs(self, inputs: Mapping[str, float]) -> None:
        for name, value in inputs.items():
            if name not in self._places:
                raise ValueError(f"unknown input {name!r}{did_you_mean(name, self._places)}; inputs are named when a stepper is made")
            if not np.isfinite(value):
                raise ValueError(f"the input {name!r} is not finite (got {value!r})")

    def _give(self, inputs: Mapping[str, float]) -> None:
        parameters, changed = self._motion.formulation.system.arrays.parameters, False
        for name, value in inputs.items():
            changed |= bool(parameters[self._places[name]] != value)
            parameters[self._places[name]] = value
        if changed:
            self._motion.turn()


def _restored(
    recipe: tuple[str, str, Overrides],
    settings: Settings,
    inputs: tuple[str, ...],
    held: list[np.ndarray],
    place: tuple[float, float, float, int],
    remembered: Remembered,
) -> Stepper:
    """A stepper as it was pickled."""
    text, file, overrides = recipe
    read = load(text, registry, overrides.parameters, overrides.simulation, file, overrides.tables)
    made = object.__new__(Stepper)
    made._recipe = recipe
    made._begin(assemble(replace(read, inputs=frozenset(inputs))), settings, inputs)
    at, made._dt, made._anchor, made._count = place
    made._motion.take_over(at, held, remembered)
    return made
