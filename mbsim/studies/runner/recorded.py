"""What a run in place recorded, computed when it is asked for: most outputs need a few columns of what a result holds."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from mbsim.assembly import Assembly
from mbsim.model.expressions.functions import MEASURING, MECHANISM
from mbsim.model.expressions.parsed import Call, Expression, Name, Node, Number
from mbsim.model.names import GROUND
from mbsim.model.recorded import CONTROLLERS, ENERGIES, REACTIONS
from mbsim.model.reread import Numbers
from mbsim.model.schema import Model
from mbsim.observe.facts import Facts
from mbsim.observe.measures import Measures
from mbsim.observe.observer import GENERALISED, POSES
from mbsim.observe.quantities import Quantities, Rows
from mbsim.observe.quantities import Quantity as Found
from mbsim.results.functionals import EVENT_COUNT, EVENT_TIME, HISTORY, NUMBER, FunctionalError, Quantity, is_reduction
from mbsim.results.paths import PathError
from mbsim.results.read import Result
from mbsim.results.recorded_names import RecordedNames
from mbsim.system.system import Floats, System

OBSERVED = (*ENERGIES, "residual_position", "residual_velocity", "residual_acceleration")
ENDS = ("initial", "final")  # reductions that ask for one row
EVENTS = (f"{EVENT_TIME}(", f"{EVENT_COUNT}(")

Told = Callable[[str], Floats | None]  # a variable by its name, where it is known


class Seen(Protocol):
    """What looks at the rows of a run, as an observer does."""

    def chunk(self, times: Floats, rows: Floats) -> dict[str, Floats]: ...

    def forces(self, times: Floats, rows: Floats) -> dict[str, Floats]: ...

    def reactions(self, times: Floats, rows: Floats, generalised: Floats | None = None) -> dict[str, Floats]: ...

    def energies(self, times: Floats, rows: Floats) -> dict[str, Floats]: ...


def _together(values: Floats) -> Floats:
    """The same numbers beside each other: what is found from them goes through them several times, and rows of lanes are far apart."""
    return np.ascontiguousarray(values)


class Recorded(Mapping[str, Floats]):
    """The variables of a run by name, from output rows [q; v; v_dot; lam; work]."""

    def __init__(
        self, observer: Callable[[], Seen], numbers: Numbers, system: System, times: Floats, rows: Floats, told: Told | None = None
    ) -> None:
        """`observer` gives one that knows the system as it is now; most outputs do not ask for it. `told`: variables known beside rows."""
        self._told = told
        self._observer, self._numbers, self._system, self._times, self._rows = observer, numbers, system, times, rows
        self._found: dict[str, Floats] = {"time": times}

    def __getitem__(self, name: str) -> Floats:
        if name not in self._found:
            self._compute(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def of_body(self, name: str, body: int) -> Floats:
        """A variable of the poses (k, 3 or 4) of one body: the others need not be found."""
        system, rows, key = self._system, self._rows, f"{name} {body}"
        if name not in POSES or name in self._found or system.in_joint_coordinates:
            return self[name][:, body]
        if key not in self._found:
            size, speeds = (3, 3) if system.dimension == 2 else (7, 6)
            q, v = rows[:, size * body : size * (body + 1)], rows[:, system.n_q + speeds * body : system.n_q + speeds * (body + 1)]
            self._found[key] = POSES[name](system.dimension, q, v)[:, 0]
        return self._found[key]

    def _compute(self, name: str) -> None:
        system, rows, found = self._system, self._rows, self._found
        n_q, n = system.n_q, system.n_v
        plain = {"q": (0, system.n_c), "states": (system.n_c, n_q), "v": (n_q, n_q + n), "acceleration": (n_q + n, n_q + 2 * n)}
        if name in plain:
            found[name] = rows[:, slice(*plain[name])]
        elif name == "multiplier":
            found[name] = rows[:, n_q + 2 * n : -1]
        elif name == "driver_effort":
            found[name] = rows[:, n_q + 2 * n : -1][:, [driver.row for driver in system.drivers]]
        elif name == "energy_work" and system.has_energy:
            found[name] = rows[:, -1]
        elif name in POSES and not system.in_joint_coordinates:
            found[name] = POSES[name](system.dimension, rows[:, : system.n_c], rows[:, n_q : n_q + n])
        elif name in self._numbers.alike.measures or (name in CONTROLLERS and self._numbers.alike.controllers):
            measures = Measures.of(self._numbers.model, system)
            assert measures is not None  # it has this name
            found |= measures.chunk(self, {})
        elif self._told is not None and (known := self._told(name)) is not None:
            found[name] = known
        elif name == REACTIONS[0] and system.bodies and not system.in_joint_coordinates:
            found |= self._observer().forces(self._times, np.ascontiguousarray(rows))
        elif name in REACTIONS and system.bodies:
            generalised = None if self._told is None else self._told(GENERALISED)
            found |= self._observer().reactions(self._times, np.ascontiguousarray(rows), generalised)
        elif name in OBSERVED:
            found |= self._observer().energies(self._times, np.ascontiguousarray(rows))
        else:
            found |= self._observer().chunk(self._times, np.ascontiguousarray(rows))
            if name not in found:
                raise KeyError(name)


def asks_between(outputs: Iterable[Expression], model: Model, system: System) -> bool:
    """Whether outputs depend on what is between the first row and the last; there is something to ask for where there are none.

    They do not where they are made of first and last values of coordinates, speeds, accelerations, states, reactions and energies.
    """
    quantities, trees = Quantities(Facts.of(model), system), [expression.tree for expression in outputs]
    return not trees or any(_asks_between(tree, model, quantities) for tree in trees)


def _asks_between(node: Node, model: Model, quantities: Quantities) -> bool:
    if isinstance(node, Name):
        return node.name not in model.parameters
    if not isinstance(node, Call):
        return False
    if node.function in ENDS:
        return not _is_of_rows(node.arguments[0], model, quantities)
    if isinstance(node, PathError) or node.function in MEASURING or is_reduction(node):
        return True
    return any(_asks_between(argument, model, quantities) for argument in node.arguments)


def _is_of_rows(node: Node, model: Model, quantities: Quantities) -> bool:
    """Whether each value of a history is found from one row; of whole turns and of work that is not."""
    if isinstance(node, Call) and node.function not in MEASURING and not is_reduction(node):
        return all(_is_of_rows(argument, model, quantities) for argument in node.arguments)
    if not isinstance(node, Name):
        return isinstance(node, Number)
    if node.name in model.parameters or node.name in ("t", *ENERGIES[:2]) or node.name.split(":")[0] in REACTIONS:
        return True
    try:
        return node.name not in (*ENERGIES, *model.measures) and quantities.is_column(node.name)
    except (ValueError, LookupError):  # of a name that only begins like one of a quantity
        return False


class RunNames(RecordedNames):
    """The names of a run in place: those of its result, and all that measures may name, with the numbers of the model that ran."""

    def __init__(
        self, result: Result, numbers: Numbers, system: System, recorded: Mapping[str, Floats], known: dict[str, Found] | None = None
    ) -> None:
        """`known` keeps, from run to run, the quantities that are columns of rows whatever the numbers are."""
        super().__init__(result)
        self._numbers, self._system, self._recorded = numbers, system, recorded
        self._rows = Rows(recorded, {})
        self._known = {} if known is None else known

    @property
    def _model(self) -> Model:
        return self._numbers.model

    @property
    def event_names(self) -> list[str]:
        """Those of the model."""
        return list(self._numbers.alike.events)

    @property
    def _holding(self) -> set[str]:
        """The names of what holds by rows of its own."""
        return {*self._model.joints, *self._model.couplings, *self._model.drivers, *self._model.constraints}

    def _let_text(self, name: str) -> str | None:
        found = self._model.let.get(name)
        return None if found is None else found.text

    @cached_property
    def _quantities(self) -> Quantities:
        return Quantities(Facts.of(self._model), self._system)

    @property
    def time(self) -> Floats:
        """(k,) in s."""
        return self._recorded["time"]

    def find(self, name: str) -> Quantity:
        """What a name stands for. Raises FunctionalError."""
        if name in self._numbers.parameters:
            value = self._numbers.parameters[name]
            return Quantity(NUMBER, "1", lambda: value)
        found = self._known.get(name)
        if found is None and ":" not in name and not name.startswith(EVENTS) and name not in self._numbers.alike.measures:
            try:
                found = self._quantities.find(name)
                if found is not None and self._quantities.is_column(name):
                    self._known[name] = found
            except (ValueError, LookupError):  # of a name that only begins like one of a quantity
                found = None
        if found is None:
            return super().find(name)
        of = found.of
        return Quantity(HISTORY, found.units, lambda: _together(of(self._rows)))

    def function(self, name: str, arguments: list[str]) -> Quantity:
        """A function of bodies or points. Raises FunctionalError."""
        vector = MEASURING[name].vector  # of a body or the mechanism, and perhaps about a point; its component is the last argument
        beside = {"angle": [GROUND]}.get(name, [MECHANISM] if vector else [])
        for k, argument in enumerate(arguments[:-1] if vector else arguments):
            if (k > 0) if vector else (name == "distance" or len(arguments) == 3):
                self._point(argument)
            elif argument not in self._model.bodies and argument not in beside:
                from mbsim.model.file.errors import did_you_mean

                raise FunctionalError(f"unknown body '{argument[:60]}'{did_you_mean(argument, [*self._model.bodies, *beside])}")
        found = self._quantities.function(name, arguments)
        return Quantity(HISTORY, found.units, lambda: _together(found.of(self._rows)))


class ArraysOf(dict[str, Floats]):
    """The variables of a result as a mapping."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self._result = result

    def __missing__(self, name: str) -> Floats:
        self[name] = found = self._result[name]
        return found


def lazily(made: Assembly, read: Any, parameters: Mapping[str, float]) -> Result:
    """A result whose arrays are asked of `read` when they are needed."""
    from mbsim.march.recording import layout_of
    from mbsim.results.write import present

    layout = layout_of(made)
    labels = layout.labels()
    series = layout.series()
    names = [name for name, one in series.items() if one.dimensions[0] == "time" and present(one, labels) and name != "error_estimate"]
    units = {name: found for name, (_, found) in layout.label_units().items()}
    return Result(
        read,
        names,
        labels,
        units,
        {"title": made.system.name},
        made.text,
        dict(parameters),
        measures=layout.measures,
        scene=made.scene,
        home=made.folder,
    )
