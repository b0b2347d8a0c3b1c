"""A, B, C, D of a model from inputs to outputs, and the frequency response.

    z' = A z + B w,   y = C z + D w

z are the variables of `mbsim.diagnosis.linearised`, w inputs and y outputs, all of them changes from their values at the state. An input is
added to the value of a force (`force:push.x`), or is the effort of a driver in place of its law (`driver:motor`). An output is a measure
(`measure:tip`), or a coordinate, a speed or a state by its name.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.analyses.begun import with_units_begun
from mbsim.analyses.linear import State, held, motion, state_at, stationary
from mbsim.assembly import Assembly
from mbsim.contracts import Arrays
from mbsim.diagnosis.linearised import linearise
from mbsim.elements import names
from mbsim.elements.kinds import EFFORT, FORCE, RELATIVE_EFFORT, TORQUE, TURNED_FORCE, TURNED_TORQUE, contact_friction
from mbsim.elements.loads.relative_effort import PART
from mbsim.march.formulation import allocate_for_observer
from mbsim.model.expressions.calculus import substitute
from mbsim.model.expressions.expression import Vocabulary, parse
from mbsim.model.file.errors import did_you_mean
from mbsim.observe.observer import Observer
from mbsim.results import Result
from mbsim.results import outputs as files
from mbsim.results.axes import name_axes
from mbsim.system.system import Floats, System
from mbsim.version import __version__

DIFFERENCE = 1e-3  # of the differences of outputs along the variables and inputs, in their units
ORDER_8 = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
STEPS = [e * s * DIFFERENCE for s in ORDER_8 for e in (1, -1)]
WEIGHTS = np.array([e * ORDER_8[s] / DIFFERENCE for s in ORDER_8 for e in (1, -1)])
VALUE = 3  # place of a load's constant value in Arrays.load_data
MOMENTS = (TORQUE, TURNED_TORQUE)  # kinds of loads
COMPONENTS = {EFFORT: 1, RELATIVE_EFFORT: 1, FORCE: 3, TURNED_FORCE: 3, TORQUE: 3, TURNED_TORQUE: 3}  # of the value, by kind of load
SUFFIXES = (".h5", ".hdf5", ".mat")
AXES = {  # of a file
    "A": ("states", "of_states"),
    "B": ("states", "inputs"),
    "C": ("outputs", "states"),
    "D": ("outputs", "inputs"),
    "state_units": ("states",),
    "input_units": ("inputs",),
    "output_units": ("outputs",),
    "response_real": ("frequency_hz", "outputs", "inputs"),
    "response_imag": ("frequency_hz", "outputs", "inputs"),
}
FREQUENCIES = np.geomspace(0.01, 100.0, 401)  # Hz, of the response where none are asked for

ON_CIRCLES = (
    "in absolute coordinates a linear system about a steady motion on circles has no constant inputs and outputs: they are along axes that "
    "stand still; joint coordinates (coordinates: joint) have them"
)


@dataclass(frozen=True)
class StateSpace:
    """z' = A z + B w, y = C z + D w."""

    A: Floats  # (N, N)
    B: Floats  # (N, inputs)
    C: Floats  # (outputs, N)
    D: Floats  # (outputs, inputs)
    states: list[str]
    state_units: list[str]
    inputs: list[str]
    input_units: list[str]
    outputs: list[str]
    output_units: list[str]
    stationary: bool
    title: str = ""  # of the model

    def response(self, frequencies_hz: Floats) -> np.ndarray:
        """C (2 pi i f - A)^-1 B + D, (frequencies, outputs, inputs) complex."""
        unit = np.eye(len(self.A))
        return np.array([self.C @ np.linalg.solve(2j * np.pi * f * unit - self.A, self.B) + self.D for f in frequencies_hz])

    def to_dict(self, frequencies_hz: Floats | None = None) -> dict[str, Any]:
        """Everything as plain data: the keys of `mbsim linearize --json`; by default at the frequencies of the command."""
        points = FREQUENCIES if frequencies_hz is None else np.asarray(frequencies_hz, float)
        names = ("states", "state_units", "inputs", "input_units", "outputs", "output_units", "stationary")
        return {
            **{name: getattr(self, name) for name in names},
            **{name: getattr(self, name).tolist() for name in "ABCD"},
            "frequency_hz": points.tolist(),
            "response": [[[[float(x.real), float(x.imag)] for x in row] for row in one] for one in self.response(points)],
        }

    def save(self, path: "str | Path", frequencies_hz: Floats | None = None, force: bool = False) -> None:
        """A, B, C, D, names, units and the frequency response into .h5 or .mat. Raises OSError, ValueError for another suffix."""
        save(self, Path(path), FREQUENCIES if frequencies_hz is None else np.asarray(frequencies_hz, float), force)

    def __repr__(self) -> str:
        lines = [f"<mbsim linear system: {self.title}>", f"  {len(self.A)} variables{'' if self.stationary else ', of this moment'}"]
        for what, labels, units in (("inputs", self.inputs, self.input_units), ("outputs", self.outputs, self.output_units)):
            lines.append(f"  {what}: {', '.join(f'{name} ({unit})' for name, unit in zip(labels, units, strict=True))}")
        return "\n".join(lines)


def state_space(made: Assembly, inputs: Sequence[str], outputs: Sequence[str], at: str | Result = "auto") -> StateSpace:
    """The linear system from `inputs` to `outputs` about a state; `at` as in `mbsim.analyses.linear.modes`.

    Drivers that are inputs are let go. Raises ValueError for names that are unknown, NoEquilibriumError, mbsim.ResultError.
    """
    contacts = frozenset(one.name for one in made.unilaterals.each) if made.unilaterals is not None else frozenset()
    made, _ = held(with_units_begun(made), at)
    system, kept = made.system, np.ones(made.system.n_rows, bool)
    entries = [entry for name in inputs for entry in _input(system, name, contacts)]
    units = [_output_unit(made, name) for name in outputs]
    state = state_at(made, at)
    if state.turning is not None:
        raise ValueError(ON_CIRCLES)
    entries = [entry.acting(system, state) for entry in entries]
    a, lam = motion(system, state)
    for entry in entries:
        if entry.row is not None:
            kept[entry.row] = False
    linear = linearise(system, state.t, state.q, state.v, kept, a, lam)
    C_rows = system.C(state.t, state.q)
    force = np.array([C_rows[e.row] if e.row is not None else e.force(system, state) for e in entries]).T
    da, dlam = linear.solve(force, np.zeros((int(kept.sum()), len(entries))))
    pushed = np.zeros((2 * system.n_v + system.n_x, len(entries)))
    pushed[system.n_v : 2 * system.n_v] = da
    multiplier = np.zeros((system.n_rows, len(entries)))
    multiplier[kept] = dlam
    for k, entry in enumerate(entries):
        if entry.row is not None:
            multiplier[entry.row, k] = 1.0
    along = linear.basis  # [d; v; x] of the variables
    changed = np.vstack([along, linear.acceleration @ along, linear.multiplier @ along])
    pressed = np.vstack([np.zeros((len(along), len(entries))), da, multiplier])
    beside = _Beside(made, state, a, lam, outputs)
    C = beside.slopes(changed, _observer(made, system))
    D = np.zeros((len(outputs), len(entries)))
    for k, entry in enumerate(entries):
        D[:, k] = beside.slope(pressed[:, k], _observers(made, state, entry))
    return StateSpace(
        linear.A, pushed[linear.picked], C, D, linear.names, linear.units, [e.label for e in entries],
        [e.unit for e in entries], list(outputs), units, stationary(system, state, linear, a, lam), system.name,
    )  # fmt: skip


@dataclass(frozen=True)
class _Entry:
    """One input."""

    label: str
    unit: str
    row: int | None = None  # of a driver
    loads: tuple[int, ...] = ()  # those of a force: of a cable one for each strand
    component: int = 0
    speed: int | None = None  # of a force on a user's own coordinate

    def force(self, system: System, state: State) -> Floats:
        """The generalised force (n_v,) of one unit; h is linear in the value of a force."""
        if self.speed is not None:
            return np.asarray(np.eye(system.n_v)[self.speed])
        changed = self.held(system, state)
        sides = []
        for value in (1.0, 0.0):
            changed.load_data[list(self.loads), VALUE : VALUE + 3] = 0.0
            changed.load_data[list(self.loads), VALUE + self.component] = value
            sides.append(_find_applied_forces(system, state, changed))
        return sides[0] - sides[1]

    def acting(self, system: System, state: State) -> "_Entry":
        """Of the strands of a cable those that pull at the state: a strand that it has left has no tension.

        Raises ValueError for a slack cable that may lie in several ways.
        """
        if len(self.loads) < 2:
            return self
        _find_applied_forces(system, state, system.arrays)  # the values of the laws
        laws = system.arrays.loads[list(self.loads), 3]
        pulling = system.arrays.laws[laws, 0] != 0.0
        if not pulling.any() and len(set(laws.tolist())) > 1:
            raise ValueError(f"{self.label}: the cable is slack, and nothing says on which of its circles a tension acts")
        return replace(self, loads=tuple(k for k, pulls in zip(self.loads, pulling, strict=True) if pulls)) if pulling.any() else self

    def held(self, system: System, state: State) -> Arrays:
        """Arrays in which its loads have the constant values that their laws have at the state."""
        _find_applied_forces(system, state, system.arrays)  # the values of the laws
        loads, data, laws = system.arrays.loads.copy(), system.arrays.load_data.copy(), system.arrays.laws
        for k in self.loads:
            law = int(loads[k, 3])
            if law >= 0:
                count = COMPONENTS[int(loads[k, 0])]
                data[k, VALUE : VALUE + count] = laws[law : law + count, 0]
            loads[k, 3] = -1
        return system.arrays._replace(loads=loads, load_data=data)


def _find_applied_forces(system: System, state: State, arrays: Arrays) -> Floats:
    n, m = system.n_v, system.n_rows
    h = np.zeros(n)
    system.functions.constraints(arrays, state.t, state.q, np.zeros((m, n)), np.zeros(m))
    system.functions.dynamics(arrays, state.t, state.q, state.v, np.zeros((n, n)), h, np.zeros(m), np.zeros(1))
    return h


def _input(system: System, name: str, contacts: Collection[str]) -> list[_Entry]:
    """The inputs that a name of the command line means: of a vector each component, unless one is named.

    `contacts`, stops and dry friction among them, are none: what holds there gives its force itself.
    """
    kind, _, label = name.partition(":")
    if kind == "driver":
        found = {driver.name: driver for driver in system.drivers}
        if label not in found:
            raise ValueError(f"unknown driver '{label}'{did_you_mean(label, found) if found else '; the model has no drivers'}")
        return [_Entry(name, found[label].unit, row=found[label].row)]
    if kind != "force":
        known = {"driver": [driver.name for driver in system.drivers], "force": system.loads}
        meant = [word for word, labels in known.items() if name.partition(".")[0] in labels or name in labels]
        hint = f"; did you mean '{meant[0]}:{name}'?" if meant else ""
        raise ValueError(f"an input is force:NAME or driver:NAME (got '{name}'){hint}")
    acting = {force: k for k, speed in enumerate(system.speeds) for force in system.acting.get(speed, ())}
    choices = _force_entries(system, kind) | {force: [_Entry(name, "1", speed=k)] for force, k in acting.items()}
    if label.partition(".")[0] in contacts:
        raise ValueError(f"'{label}' is a stop, a contact or dry friction: its force follows from the motion, and is no input")
    choices = {force: entries for force, entries in choices.items() if force.partition(".")[0] not in contacts}
    if label not in choices:
        raise ValueError(f"unknown force '{label}', or one without a value to add to{did_you_mean(label, choices) if choices else ''}")
    return choices[label]


def _force_entries(system: System, kind: str) -> dict[str, list[_Entry]]:
    """The inputs by the names that the user may write."""
    found = dict[str, list[_Entry]]()
    for k, force in enumerate(system.loads):
        load, place, part = int(system.arrays.loads[k, 0]), int(system.arrays.load_data[k, 0]), 0
        if load not in COMPONENTS:
            continue
        if load == RELATIVE_EFFORT:
            if contact_friction(int(system.arrays.relative[place, 0])) != "none":
                continue
            part = int(system.arrays.load_data[k, PART])
        force = force if part < 2 else f"{force}.part{part}"
        if part and force in found:
            found[force] = [replace(found[force][0], loads=(*found[force][0].loads, k))]
            continue
        count = 1 if load == TORQUE and system.dimension == 2 else min(COMPONENTS[load], system.dimension or 3)
        unit = _effort_unit(system, k) if COMPONENTS[load] == 1 else "N m" if load in MOMENTS else "N"
        if count == 1:
            found[force] = [_Entry(f"{kind}:{force}", unit, loads=(k,))]
            continue
        entries = [_Entry(f"{kind}:{force}.{axis}", unit, loads=(k,), component=c) for c, axis in enumerate("xyz"[:count])]
        found[force] = entries
        found |= {f"{force}.{axis}": [entry] for axis, entry in zip("xyz", entries, strict=False)}
    return found


def _effort_unit(system: System, k: int) -> str:
    """N or N m, of a load along one coordinate."""
    arrays, place = system.arrays, int(system.arrays.load_data[k, 0])
    if int(arrays.loads[k, 0]) == EFFORT:
        return "N" if system.speed_units[place] == "m s-1" else "N m"
    kind, speed = names("relative")[int(arrays.relative[place, 0])], int(arrays.relative[place, 4])
    turns = kind == "about" or (kind == "state" and system.speed_units[speed] != "m s-1")
    return "N m" if turns else "N"


def _tables(system: System) -> dict[str, tuple[str, int, str]]:
    """What an output may name besides measures: variable of a result, place, unit."""
    n_c, places = system.n_c, dict[str, tuple[str, int, str]]()
    for k, name in enumerate(system.coordinates):
        places[name] = ("q" if k < n_c else "states", k if k < n_c else k - n_c, system.coordinate_units[k])
    return places | {name: ("v", k, system.speed_units[k]) for k, name in enumerate(system.speeds)}


def _output_unit(made: Assembly, name: str) -> str:
    series = made.measures.series if made.measures is not None else {}
    if name.startswith("measure:"):
        label = name.removeprefix("measure:")
        if label not in series:
            raise ValueError(f"unknown measure '{label}'{did_you_mean(label, series) if series else '; the model has no measures'}")
        return str(series[label].units)
    places = _tables(made.system)
    if name not in places:
        choices = [*(f"measure:{label}" for label in series), *places]
        hint = f"; did you mean 'measure:{name}'?" if name in series else did_you_mean(name, choices)
        raise ValueError(f"an output is measure:NAME, a coordinate, a speed or a state (got '{name}'){hint}")
    return places[name][2]


def _observer(made: Assembly, system: System) -> Observer:
    return Observer(system, allocate_for_observer(system), made.measures, made.whole)


def _observers(made: Assembly, state: State, entry: _Entry) -> Iterator[Observer]:
    """What observes the model at each of STEPS of an input, which belongs to the value of its force."""
    system = made.system
    if entry.loads:
        arrays = entry.held(system, state)
        observer, base = _observer(made, replace(system, arrays=arrays)), arrays.load_data.copy()
        for size in STEPS:
            arrays.load_data[:] = base
            arrays.load_data[list(entry.loads), VALUE + entry.component] += size
            yield observer
    elif entry.speed is not None and (name := entry.label.removeprefix("force:")) in system.applied:
        coordinate, law = system.applied[name]
        given = parse(law, words=Vocabulary(dict(system.tables), system.states)) if isinstance(law, str) else law
        for size in STEPS:
            pushed = substitute(parse(f"law + ({size!r})"), {"law": given})
            yield _observer(made, replace(system, applied={**system.applied, name: (coordinate, pushed)}))
    else:
        yield from repeat(_observer(made, system), len(STEPS))


def _difference(values: Floats) -> Floats:
    """The derivatives of values (..., STEPS); exactly zero of what stays as it is, as of a coordinate by an input."""
    return np.asarray((values - values[..., :1]) @ WEIGHTS)


class _Beside:
    """The outputs in states beside a state: their derivatives by differences of order 8."""

    def __init__(self, made: Assembly, state: State, a: Floats, lam: Floats, outputs: Sequence[str]) -> None:
        self._system, self._state, self._a, self._lam, self._outputs = made.system, state, a, lam, outputs
        self._places = _tables(made.system)

    def slopes(self, directions: Floats, observer: Observer) -> Floats:
        """(outputs, k) along k directions of [d; v; x; v_dot; lam]."""
        rows = [self._row(size * direction) for direction in directions.T for size in STEPS]
        if not rows:
            return np.zeros((len(self._outputs), 0))
        return _difference(self._outputs_of(observer, rows).reshape(len(self._outputs), -1, len(STEPS)))

    def slope(self, direction: Floats, observers: Iterator[Observer]) -> Floats:
        """(outputs,) along one direction, with an observer for each of STEPS."""
        seen = [self._outputs_of(observer, [self._row(size * direction)]) for size, observer in zip(STEPS, observers, strict=True)]
        return _difference(np.hstack(seen))

    def _row(self, change: Floats) -> Floats:
        system, state, n = self._system, self._state, self._system.n_v
        d, v, x, a, lam = np.split(change, np.cumsum([n, n, system.n_x, n]))
        q = system.move(state.q, d)
        q[system.n_c :] += x
        return np.concatenate([q, state.v + v, self._a + a, self._lam + lam, [0.0]])

    def _outputs_of(self, observer: Observer, rows: Sequence[Floats]) -> Floats:
        """(outputs, k) at k rows."""
        seen, found = observer.chunk(np.full(len(rows), self._state.t), np.array(rows)), []
        for name in self._outputs:
            variable, place, _ = self._places.get(name, ("", 0, ""))
            found.append(seen[variable][:, place] if variable else seen[name.removeprefix("measure:")])
        return np.array(found).reshape(len(found), len(rows))


def save(found: StateSpace, path: Path, frequencies_hz: Floats, force: bool = False) -> None:
    """A, B, C, D, names, units and the frequency response into .h5 or .mat. Raises OSError, ValueError for another suffix."""
    files.check_suffix(path, SUFFIXES)
    response = found.response(frequencies_hz)
    matrices = {name: getattr(found, name) for name in "ABCD"}
    texts = {name: getattr(found, name) for name in ("states", "state_units", "inputs", "input_units", "outputs", "output_units")}
    with files.replacing(path, force) as part:
        if path.suffix.lower() == ".mat":
            from scipy.io import savemat

            cells = {name: np.array(values, dtype=object) for name, values in texts.items()}
            with part.open("wb") as file:
                savemat(file, {**matrices, **cells, "frequency_hz": frequencies_hz, "response": response}, oned_as="column")
            return
        import h5py

        with h5py.File(part, "w") as file:
            file.attrs.update({"source": f"mbsim {__version__}", "kind": "state space", "title": found.title})
            for name, matrix in matrices.items():
                file[name] = matrix
            for name, values in texts.items():
                file.create_dataset(name, data=values, dtype=h5py.string_dtype())
            file["frequency_hz"], file["response_real"], file["response_imag"] = frequencies_hz, response.real, response.imag
            name_axes(file, {**dict.fromkeys(("states", "inputs", "outputs", "frequency_hz")), "of_states": found.states}, AXES)
