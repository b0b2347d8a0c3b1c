"""The builder of a system of bodies: what is known so far, and what joints, forces, constraints and drivers may ask of it.

The builder is composed with `Coordinates`: absolute (`mbsim.assembly.absolute`) or of a tree of joints (`mbsim.assembly.tree`).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from mbsim.assembly.cables import lay
from mbsim.assembly.lock_records import Locks
from mbsim.assembly.locks import bounds, held_name, held_rows, less
from mbsim.assembly.records import LoadTable, RowTable
from mbsim.assembly.reference import GLOBAL, Frames, ReferenceConfiguration
from mbsim.assembly.relative import RelativeCoordinates
from mbsim.assembly.start import Given
from mbsim.assembly.states import declare_states
from mbsim.assembly.ties import tie
from mbsim.constraints._table import Place
from mbsim.contracts import Arrays
from mbsim.elements.kinds import ALONG, ANGLE, COORDINATE, IN_PLANE, TURN, at_velocity_level
from mbsim.elements.primitives import Primitive, in_plane
from mbsim.forces._table import Load, Tie
from mbsim.joints._coupling import RowCoupling
from mbsim.kernels import exchange
from mbsim.kernels.surface_columns import COUNT
from mbsim.model.cables import Station
from mbsim.model.drivers import Driver
from mbsim.model.events import switched
from mbsim.model.expressions.calculus import derivative
from mbsim.model.expressions.expression import Expression, evaluate, parse
from mbsim.model.fields import Point
from mbsim.model.file.errors import ModelError
from mbsim.model.names import GROUND, der
from mbsim.model.rolling_surfaces import RollingSurface
from mbsim.model.sampling import Flowing, Held
from mbsim.model.schema import Model
from mbsim.model.winding import Part
from mbsim.system.beam_resultants import Resultant
from mbsim.system.exchanged import Exchanged
from mbsim.system.laws import Laws, Rate
from mbsim.system.reactions import Reaction
from mbsim.system.system import Floats, JointRecord, System

KEEPS_BOUND = (ANGLE, TURN, IN_PLANE, COORDINATE)  # kinds whose geometry says what coordinate a row without a law keeps
INDICATOR = "indicator.z"  # event indicators of units: no variable has such a name
LAW_COORDINATE = "coordinate"  # a force's own name of the relative coordinate that its law reads


class Coordinates(Protocol):
    """How the configuration of the bodies is described. What depends on it, and nothing else, is asked here."""

    names: list[str]  # (n_c,)
    units: list[str]  # (n_c,)
    speeds: list[str]  # (n_v,)
    speed_units: list[str]  # (n_v,)
    q: Floats  # (n_c,) the reference configuration
    skyline: NDArray[np.int64]  # (n_v,) see System
    quaternions: list[tuple[int, int, int]] | None  # see Laws
    by_rows: list[str]  # the joints that constraint rows keep, in the order of their rows
    cuts: list[str]  # see System

    def drive(self, builder: "Builder", name: str, driver: Driver) -> None:
        """Add the rows of a driver. Raises ModelError where there is nothing of that name to drive."""

    def check(self, builder: "Builder") -> None:
        """Raise ModelError where forces or equations name a state that these coordinates do not have."""

    def free_coordinates(self, joint: str) -> list[str]:
        """Names of a joint's coordinates that loads can act along."""

    def relative_coordinate(self, relative: RelativeCoordinates, joint: str, coordinate: str | None) -> int:
        """Index of the relative coordinate that is a joint's (None: its only one). Raises ValueError."""

    def effort(self, relative: RelativeCoordinates, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        """A load along a joint's coordinate (None: its only one). Raises ValueError."""

    def complete(self, builder: "Builder", arrays: Arrays) -> Arrays:
        """The arrays of the bodies with those that only these coordinates have."""

    def observed(self, joints: Sequence[JointRecord]) -> NDArray[np.int64] | None:
        """See System."""

    def given(self, builder: "Builder", system: System) -> Given:
        """The start that the model file gives, q without the states. Raises ModelError for names that these coordinates do not have."""


class Builder:
    """A system of bodies in the making; satisfies the `Geometry` of forces and of constraints."""

    def __init__(self, reference: ReferenceConfiguration, coordinates: Coordinates, locks: Locks, before: "Builder | None" = None) -> None:
        """`before` is one of the same model with other locks, whose names are known."""
        self.reference, self.locks = reference, locks
        self.model: Model = reference.model
        self.coordinates = coordinates
        self.states = declare_states(self.model)
        self.laws = Laws(
            reference.dimension,
            list(self.model.parameters),
            coordinates.names,
            coordinates.speeds,
            quaternions=coordinates.quaternions,
            rates=self.states.rates,
        )
        self.relative = RelativeCoordinates(reference, self.laws.relative)
        self.rows = RowTable()
        self.loads = LoadTable()
        self.held: list[str] = held_rows(self.model) if before is None else before.held
        self.bounds: dict[str, float] = bounds(self.model) if before is None else before.bounds
        self.laws.parameters += map(held_name, self.held)
        self.numbers = [locks.values.get(row, 0.0) for row in self.held]  # constants, which stand behind the model's parameters
        # parameters that may change during a run
        self.switched: frozenset[str] = switched(self.model.events) | self.model.inputs if before is None else before.switched
        self.flowing: list[Flowing] = []  # units for model exchange, as in `laws.units`
        self.reactions: dict[str, Reaction | Resultant | None] = {}  # that events watch, by name; None of what does not hold
        self.acting = ""  # the force, or the constraint of a cable, whose loads or rows are being made

    @property
    def by_rows(self) -> Collection[str]:
        """The joints that constraint rows keep."""
        return self.coordinates.by_rows

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self.reference.dimension

    def refuse(self, path: str, message: str) -> NoReturn:
        """Raise ModelError for a place of the model file."""
        raise ModelError([self.model.problem(path, message)])

    # what leaves ask: see `Geometry` in mbsim.forces._table and mbsim.constraints._table

    def place(self, point: Point, at: Sequence[float] | None) -> Place:
        return self.reference.place(point, at)

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        return self.reference.locate(point, at)

    def direction(self, body: int, vector: Sequence[float]) -> list[float]:
        return self.reference.direction(body, vector)

    def reference_angle(self, first: int, second: int) -> float:
        return self.reference.angle(second) - self.reference.angle(first)

    def ground(self) -> int:
        return self.reference.ground

    def tie(self, name: str, coupling: RowCoupling) -> Tie:
        return tie(self, name, coupling)

    def free_coordinates(self, joint: str) -> list[str]:
        return self.coordinates.free_coordinates(joint)

    def effort(self, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        return self.coordinates.effort(self.relative, joint, coordinate, law, constants)

    def relative_coordinate(self, joint: str, coordinate: str | None) -> int:
        return self.coordinates.relative_coordinate(self.relative, joint, coordinate)

    def relative_distance(self, first: Place, second: Place) -> int:
        return self.relative.distance(first, second)

    def relative_row(self, name: str, kind: int, primitive: Primitive, first: Place, second: Place, frames: Frames) -> int:
        return self.relative.row(name, kind, primitive, first, second, frames)

    def cable(self, path: list[Station], strict: bool = True) -> list[Part]:
        return lay(self, self.acting, path, strict)

    def relative_angle(self, first: int, second: int) -> int:
        return self.relative.angle(first, second)

    def law(self, values: Sequence[Expression], local: tuple[str, int] | None = None) -> tuple[int, list[float]]:
        numbers = self.constants(values)
        if numbers is not None:
            return -1, [*numbers, 0.0, 0.0][:3]
        self.make_relative(values)
        first = len(self.laws.time) + len(self.laws.state)
        padding = [parse(0)] * (3 - len(values))
        if local is not None:
            self.laws.local |= {len(self.laws.state) + k: local for k in range(len(values))}
        self.laws.state += [*values, *padding]
        return first, [0.0, 0.0, 0.0]

    def constants(self, values: Sequence[Expression]) -> list[float] | None:
        if not all(set(e.names) <= self.model.parameters.keys() - self.switched for e in values):
            return None
        return [evaluate(e, self.model.parameters) for e in values]

    def at_start(self, values: Sequence[Expression]) -> list[float]:
        return [evaluate(e, {**self.model.parameters, "t": self.model.simulation.start}) for e in values]

    def number(self, name: str, value: float) -> str:
        self.laws.parameters.append(self.own_name(name))
        self.numbers.append(value)
        return self.own_name(name)

    def constants_of(self, name: str, values: Sequence[float]) -> int:
        """Keep constants behind the model's parameters; returns the place of the first one in Arrays.parameters."""
        place = len(self.laws.parameters)
        self.laws.parameters += [f"{name} {k}" for k in range(len(values))]
        self.numbers += values
        return place

    def own_name(self, name: str) -> str:
        return f"{self.acting}.{name}"

    def less_held(self, row: str, law: Expression) -> Expression:
        """The law of the row of a driver or an equation, less what that keeps in place of zero where it comes and goes."""
        return less(law, row) if held_name(row) in self.laws.parameters else law

    def coordinate_name(self, joint: str, coordinate: str | None) -> str:
        if joint in self.coordinates.by_rows:  # under a name of its own: a body may have the joint's name
            self.laws.relative[self.own_name(LAW_COORDINATE)] = self.relative_coordinate(joint, coordinate)
            return self.own_name(LAW_COORDINATE)
        self.effort(joint, coordinate, -1, [0.0] * 3)  # raises where the joint has none of that name
        return f"{joint}.{coordinate or self.free_coordinates(joint)[0]}"

    def rate_of(self, expression: Expression) -> Expression:
        relative = {f"{joint}.{x}" for joint, block in self.reference.joints.items() for x in block.driven(self.dimension)}

        def rate(name: str) -> Expression | None:
            if name == "t" or name in self.model.parameters:
                return parse(float(name == "t"))
            known = self.states.rates.get(name)
            if known is not None:
                return known.expression if known.local is None and not known.told else None
            measured = name not in self.coordinates.names and (name in relative or self._places(name))
            return parse(der(name)) if measured or der(name) in self.coordinates.speeds else None

        return derivative(expression, rate)

    def state(self, name: str, rate: Expression, start: float, unit: str, local: tuple[str, int] | None = None) -> None:
        self.make_relative([rate])
        self.states.add(self.own_name(name), Rate(rate, local), start, unit)

    def hold(self, name: str, held: Held, start: float, unit: str) -> None:
        self.make_relative([law for law in (held.next, held.before) if law is not None])
        self.states.hold(self.own_name(name), held, start, unit)

    def flow(self, flowing: Flowing, names: Mapping[str, str]) -> None:
        self.make_relative(flowing.laws)
        of, own = flowing.foreign, {variable: self.own_name(name) for variable, name in names.items()}
        place = self.constants_of(of.controller, [0.0] * exchange.COLUMNS)
        for name in own.values():
            self.states.add(name, Rate(parse(0), told=True), 0.0, "1")
        inputs = dict(zip((own[name] for name in of.inputs), flowing.laws, strict=True))
        outputs, counted, states = (tuple(own[name] for name in group) for group in (of.outputs, flowing.counted, flowing.states))
        indicated = len(self.laws.parameters)
        indicators = tuple(self.number(f"{INDICATOR}{k + 1}", 0.0) for k in range(flowing.indicators))
        unit = Exchanged(flowing.version, place, inputs, outputs, states, flowing.completes, indicators, indicated, counted)
        self.laws.units.append(unit)
        self.flowing.append(flowing)

    def row_law(self, row: str, kind: int, law: Expression) -> int:
        """Index of the law of a driver's row; -1 where the line of its kind in Arrays.geometry has the number that it keeps."""
        if row in self.bounds:
            return -1 if kind in KEEPS_BOUND else self.time_laws([parse(self.bound(row))])
        return self.time_laws([law if at_velocity_level(kind) else self.less_held(row, law)])

    def bound(self, row: str) -> float:
        """What the row of a stop or of a joint's friction keeps, m or rad."""
        return self.bounds[row] - self.locks.values.get(row, 0.0)

    def time_laws(self, values: Sequence[Expression]) -> int:
        self.laws.time += values
        return len(self.laws.time) - len(values)

    def surface_laws(self, surface: RollingSurface) -> int:
        if self.laws.quaternions is not None:
            raise ValueError("rolling on a given surface needs absolute coordinates: leave out `coordinates: joint`")
        at = self.time_laws([parse(0)] * COUNT)  # places of laws; code that is made for the surface writes there
        self.laws.surfaces[at] = surface
        return at

    def make_relative(self, values: Sequence[Expression]) -> None:
        """Make the relative coordinates that laws name: O.angle, der(O.angle)."""
        states = set(self.coordinates.names)
        for name in sorted({name.removeprefix("der(").removesuffix(")") for e in values for name in e.names} - states):
            joint, dot, coordinate = name.partition(".")
            if dot and joint in self.reference.joints and coordinate in self.reference.joints[joint].driven(self.dimension):
                self.relative_coordinate(joint, coordinate)
            elif dot and (joint in self.model.bodies or joint == GROUND):
                self._make_place(name)

    def _places(self, name: str) -> bool:
        """Whether a name is the place of a point, `rod.B.y`, or of a centre of mass, along a global axis."""
        if "." not in name:
            return False
        body, *inner, axis = name.split(".")
        if body != GROUND and body not in self.model.bodies:
            return False
        points = (self.model.ground if body == GROUND else self.model.bodies[body]).points
        return axis in "xyz"[: self.dimension] and len(inner) < 2 and all(point in points for point in inner)

    def _make_place(self, name: str) -> None:
        """The relative coordinate that is the place of a point or of a centre of mass; none of other names."""
        if self._places(name):
            body, *inner, axis = name.split(".")
            origin, point = self.place(Point(GROUND, None), [0.0] * 3), self.place(Point(body, inner[0] if inner else None), None)
            self.relative.row(name, ALONG, in_plane(axis), origin, point, GLOBAL)
