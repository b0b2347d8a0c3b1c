"""Names of what a run records, as rows of the table by which the kernel `tell` finds them (`mbsim.kernels.told_columns`)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mbsim.kernels import observed_columns as col
from mbsim.kernels import told_columns as told
from mbsim.kernels.primitives import REVOLUTE
from mbsim.model.expressions.functions import MEASURING
from mbsim.model.names import GROUND, der
from mbsim.model.recorded import REACTIONS, body_names, point_names
from mbsim.observe.facts import Facts, Relative
from mbsim.system.system import Floats, System

AXES = {"x": 0, "y": 1, "z": 2}
_ENERGIES = {"energy_kinetic": col.KINETIC, "energy_potential": col.POTENTIAL}
_REACTIONS = dict(zip(REACTIONS, (told.FORCE, told.TORQUE, told.LOCAL_FORCE, told.LOCAL_TORQUE), strict=True))


class Behind(NamedTuple):
    """What stands behind the output row, where the phases of a unit share one."""

    nothing: int = -1  # the place of a zero, which stands for multipliers of what does not hold; -1: there is none
    multipliers: Mapping[str, int] = {}  # places by rows: of those whose place in the output row is another one at each time


class Table:
    """Rows of the table, found by name. A name that means nothing here has no row."""

    def __init__(self, facts: Facts, system: System, whole: System | None = None, behind: Behind | None = None) -> None:
        """`whole`: a system with rows that this one may not have, whose multipliers are `behind` the output row."""
        self._facts, self._system, self._whole, self._behind = facts, system, whole or system, behind or Behind()
        self._planar = facts.dimension == 2
        self._rows: list[tuple[int, int, int, int]] = []
        self._numbers: list[Floats] = []
        self._known: dict[tuple[str, ...], int] = {}

    @property
    def table(self) -> np.ndarray:
        """(k, COLUMNS)"""
        return np.array(self._rows, np.int64).reshape(-1, told.COLUMNS)

    @property
    def numbers(self) -> Floats:
        """(k, NUMBERS)"""
        return np.array(self._numbers, float).reshape(-1, told.NUMBERS)

    @property
    def memory(self) -> Floats:
        """(k, REMEMBERED), of rows that were never looked at."""
        found = np.zeros((len(self._rows), told.REMEMBERED))
        found[:, told.LAST_TIME] = np.nan
        return found

    @property
    def counts_turns(self) -> bool:
        """Whether a row remembers where it was last."""
        return any(row[told.KIND] in told.COUNTS_TURNS for row in self._rows)

    @property
    def looks_at_bodies(self) -> bool:
        """Whether more is looked at than the output row itself."""
        return any(row[told.KIND] not in (told.TIME, told.PARAMETER, told.ROW, told.DIFFERENCE) for row in self._rows)

    def find(self, name: str) -> int | None:
        """The row of a name; None where this model has no such thing, or where a unit does not show it."""
        if (name,) not in self._known:
            made = self._find(name)
            if made is None:
                return None
            self._known[(name,)] = made
        return self._known[(name,)]

    def function(self, name: str, arguments: Sequence[str]) -> int | None:
        """The row of a function of bodies or points (`mbsim.model.expressions.functions.MEASURING`); None of one that units lack."""
        if MEASURING[name].vector:
            return None
        key = (name, *arguments)
        if key not in self._known:
            self._known[key] = self._function(name, arguments)
        return self._known[key]

    def _add(self, kind: int, first: int = 0, second: int = 0, third: int = 0, **numbers: Floats | float) -> int:
        places = {"point": told.POINT, "other_point": told.OTHER_POINT, "frame": told.FRAME, "other_frame": told.OTHER_FRAME}
        row = np.zeros(told.NUMBERS)
        for name, value in numbers.items():
            flat = np.ravel(value)
            row[places[name] : places[name] + len(flat)] = flat
        self._rows.append((kind, first, second, third))
        self._numbers.append(row)
        return len(self._rows) - 1

    def _find(self, name: str) -> int | None:
        if name == "t":
            return self._add(told.TIME)
        if name in self._facts.parameters:
            return self._add(told.PARAMETER, list(self._facts.parameters).index(name))
        if name in _ENERGIES:
            return self._add(told.OBSERVED, _ENERGIES[name])
        if name == "energy_work":
            return self._add(told.ROW, self._width - 1) if self._system.has_energy else None
        found = self.place_in_row(name)
        if found is not None:
            return self._add(told.ROW, found)
        return self._reaction(name) if name.partition(".")[0] in REACTIONS else self._moving(name)

    @property
    def _width(self) -> int:
        system = self._system
        return system.n_q + 2 * system.n_v + system.n_rows + 1

    def place_in_row(self, name: str) -> int | None:
        """A coordinate, state, speed, acceleration, multiplier or effort of a driver: its place in the output row."""
        system = self._system
        labels = [*system.coordinates, *system.speeds, *map(der, system.speeds)]
        if name in labels:
            return labels.index(name)
        variable, _, label = name.partition(".")
        at = system.n_q + 2 * system.n_v
        if variable == "multiplier" and label in self._behind.multipliers:
            return self._behind.multipliers[label]
        if variable == "multiplier" and label in system.rows:
            return at + system.rows.index(label)
        drivers = {driver.name: driver.row for driver in system.drivers}
        if variable == "driver_effort" and label in drivers:
            return at + drivers[label]
        absent = {"multiplier": self._whole.rows, "driver_effort": [driver.name for driver in self._whole.drivers]}
        return self._behind.nothing if self._behind.nothing >= 0 and label in absent.get(variable, ()) else None

    def _reaction(self, name: str) -> int | None:
        variable, _, label = name.partition(".")
        joint, _, axis = label.rpartition(".")
        names = [record.name for record in self._system.joints]
        if joint not in names or axis not in AXES:
            return None
        e = names.index(joint)
        record = self._system.joints[e]
        on_ground = record.second < 0
        at, body = col.REACTIONS + col.REACTION * e, record.first if on_ground else record.second
        return self._add(
            _REACTIONS[variable], at, body, AXES[axis], point=record.second_point, frame=float(on_ground), other_frame=record.second_axes
        )

    # bodies and joints

    def _moving(self, name: str) -> int | None:
        rate = name.startswith("der(")
        parts = name[4:-1].split(".") if rate else name.split(".")
        if name not in self._names_of(parts[0]):
            joint = self._facts.joints.get(parts[0]) if len(parts) == 2 else None
            motion = None if joint is None else joint.get(parts[1])
            return None if motion is None else self._relative(motion, rate)
        if "velocity" in parts[1:-1]:
            rate = True
            parts.remove("velocity")
        body, *inner, last = parts
        place = self._body(body)
        if inner in (["omega"], ["angular_velocity"]):
            return self._add(told.SPIN, place, AXES[last], int(inner == ["omega"]))
        if not inner and (last == "angular_velocity" or (rate and last == "angle")):
            return self._add(told.SPIN, place, 2)
        if not inner and last == "angle":
            return self._angle(body)
        if not inner and last in ("qw", "qx", "qy", "qz"):
            return None  # of a tree: its sign is that which makes a recorded one continuous
        point = self._local(body, inner[0] if inner else None)
        return self._add(told.VELOCITY if rate else told.POSITION, place, AXES[last], point=point)

    def _names_of(self, body: str) -> frozenset[str]:
        facts = self._facts
        if body not in facts.bodies:
            return frozenset()
        return frozenset((point_names if body == GROUND else body_names)(body, facts.dimension, facts.bodies[body].points))

    def _relative(self, found: Relative, rate: bool) -> int:
        motion, first, second = found
        turning = motion.kind == REVOLUTE
        if turning and self._planar and not rate:
            drawn = self._facts.bodies[second.body].angle - self._facts.bodies[first.body].angle
            b, a = self._angle(second.body), self._angle(first.body)
            return self._add(told.DIFFERENCE, b, a, point=drawn)
        kind = (told.TURN_RATE if rate else told.TURN) if turning else (told.SLIDE_RATE if rate else told.SLIDE)
        return self._add(
            kind, self._body(first.body), self._body(second.body), AXES[motion.axis],
            point=first.point, other_point=second.point, frame=first.frame, other_frame=second.frame,
        )  # fmt: skip

    def _angle(self, body: str) -> int:
        """Of a planar body; -1 of the ground."""
        if body == GROUND:
            return -1
        label = f"{body}.angle"
        if (label,) not in self._known:
            place = self.place_in_row(label)
            self._known[(label,)] = self._add(told.ANGLE, self._body(body)) if place is None else self._add(told.ROW, place)
        return self._known[(label,)]

    def _body(self, name: str) -> int:
        return len(self._system.bodies) if name == GROUND else self._system.bodies.index(name)

    def _local(self, body: str, point: str | None) -> Floats:
        return np.zeros(3) if point is None else self._facts.bodies[body].points[point]

    def _place(self, point: str) -> tuple[int, Floats]:
        """The body and the place on it of `rod.B`, `rod` or `ground`."""
        body, _, name = point.partition(".")
        return self._body(body), self._local(body, name or None)

    def _function(self, name: str, arguments: Sequence[str]) -> int:
        if name == "distance":
            (first, p), (second, q) = map(self._place, arguments)
            return self._add(told.DISTANCE, first, second, point=p, other_point=q)
        if name == "angle" and len(arguments) == 3:
            (first, p), (second, vertex), (third, q) = map(self._place, arguments)
            return self._add(told.CORNER, first, second, third, point=p, other_point=vertex, frame=q)
        if name == "angle" and self._planar:
            first, second = map(self._angle, arguments)
            return self._add(told.DIFFERENCE, first, second)
        if name == "angle":
            return self._add(told.ROTATION, *map(self._body, arguments))
        body = self._facts.bodies[arguments[0]]
        place = self._body(arguments[0])
        kinetic = potential = -1
        if name != "potential_energy":
            kinetic = self._add(told.KINETIC, place, point=body.mass, frame=body.inertia)
        if name != "kinetic_energy":
            potential = self._add(told.POTENTIAL, place, point=-body.mass if kinetic >= 0 else body.mass)
        if kinetic < 0 or potential < 0:
            return max(kinetic, potential)
        return self._add(told.DIFFERENCE, kinetic, potential)
