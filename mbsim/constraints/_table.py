"""What the constraints share: an equation, or rows of primitives that a Geometry places; of contacts, the plane they touch."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol, Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.elements.primitives import Primitive, over_surface, slip_surface
from mbsim.model.cables import Station
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.fields import BodyName, Direction, Point, PointRef, TimeLaw, VectorTimeLaw, context_of
from mbsim.model.leaves import Block, Constraint, Surface
from mbsim.model.names import GROUND
from mbsim.model.rolling_surfaces import Height, RollingSurface, centre_of
from mbsim.model.rotations import cross
from mbsim.model.winding import Part

Place = tuple[int, list[float]]  # a body's index and a point (3,) in its axes from its centre of mass, m
Axes = list[list[float]]  # x, y, z axes as rows, global at the start


class Row(NamedTuple):
    """One constraint row."""

    label: str  # its name after the constraint's and a dot; empty: the constraint's name alone
    primitive: Primitive
    first: Place
    second: Place
    frames: tuple[Axes, Axes]  # of the first and of the second body
    law: int = -1  # index of its first time law
    offset: float = 0.0  # of a ROLL: how far the line's point, which the laws give, is along it at the start, m
    at_speed: bool = False  # of a COORDINATE: its speed is driven; other rows at velocity level are kinds of their own
    state: tuple[float, float] = (0.0, 0.0)  # of a COORDINATE: its places in q and v
    from_global: bool = False  # of an ANGLE: from the global axes, not from the reference configuration
    unit: str = ""  # of a driver's effort; empty: the row is not a driver's
    joint: str = ""  # the one that is driven


class Meeting(NamedTuple):
    """Where two bodies touch by a rigid contact, as pictures need it (`mbsim.scene.meetings` says what the words mean)."""

    kind: str
    first: Place
    second: Place
    frames: tuple[Axes, Axes]  # of the first and of the second body
    radii: tuple[float, float]  # m
    rows: tuple[str, ...]  # of the normal force and along the tangents
    numbers: Mapping[str, Sequence[float]]  # further ones of a kind, by name


class Seats(Protocol):
    """What a meeting asks of the reference configuration."""

    def place(self, point: Point, at: Sequence[float] | None) -> Place:
        """As of `Geometry`."""


class Geometry(Protocol):
    """What a constraint may ask of the mechanism in its reference configuration, in which the model file gives it. Lengths in m."""

    @property
    def dimension(self) -> int:
        """2 or 3."""

    def place(self, point: Point, at: Sequence[float] | None) -> Place:
        """Body index, and the point (3,) in body axes from its centre of mass: the named one, or the one at `at` (global)."""

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        """The same point (3,) in the global frame."""

    def cable(self, path: list[Station], strict: bool = True) -> list[Part]:
        """The parts of the cable of the constraint whose rows are being made. Raises ItemError, as `forces._table.Geometry` says."""

    def ground(self) -> int:
        """Body index of the ground."""

    def constants(self, values: Sequence[Expression]) -> list[float] | None:
        """The values of expressions over parameters, or None where one depends on the time."""

    def at_start(self, values: Sequence[Expression]) -> list[float]:
        """The values of time laws at `simulation.start`."""

    def time_laws(self, values: Sequence[Expression]) -> int:
        """Index of the first of these laws, which follow each other."""

    def surface_laws(self, surface: RollingSurface) -> int:
        """Index of the first of the laws that tell of a surface (`kernels/surface_columns.py`). Raises ValueError in joint coordinates."""


class RowConstraint(Constraint, ABC):
    """A constraint that is rows of primitives between bodies."""

    @abstractmethod
    def rows(self, geometry: Geometry) -> list[Row]:
        """Its rows. Raises ValueError where the reference configuration does not allow them."""

    def meets(self, seats: Seats) -> Meeting | None:
        """Where bodies touch by it, of a rigid contact."""
        return None


class Sum(NamedTuple):
    """A row over relative coordinates: the sum of factors times them = constant + its law."""

    label: str  # as of a Row
    terms: list[tuple[int, float]]  # index and factor of each
    constant: float
    period: float = 0.0  # up to multiples of which it is known; 0: as it is
    law: int = -1


class SumConstraint(Constraint, ABC):
    """A constraint that is rows over relative coordinates, such as the length of a cable."""

    @abstractmethod
    def sums(self, geometry: Geometry) -> list[Sum]:
        """Its rows. Raises ValueError where the reference configuration does not allow them."""


class EquationConstraint(Constraint, ABC):
    """A constraint that is an equation; `EQUATION` is its level, holonomic or nonholonomic."""

    KEY: ClassVar[str] = "equation"  # of the model file, to point at

    @abstractmethod
    def residual(self) -> Expression:
        """What is kept zero."""


class Plane(Block):
    """A plane that something rolls on; in two dimensions a line. It is fixed in a body, or moves as functions of time."""

    body: BodyName = Field(default=GROUND, description="the body that the plane is fixed in")
    point: VectorTimeLaw | None = Field(
        default=None, description="a point of it, global, m: at the start; with `body: ground` also functions of `t`; default: the origin"
    )
    normal: Direction | None = Field(
        default=None, description="to the side where the rolling body is, global at the start; default: the last axis"
    )
    velocity: VectorTimeLaw | None = Field(
        default=None, description="of the surface along the plane, as of a conveyor belt, besides that of `point`: m/s, functions of `t`"
    )
    spin: TimeLaw | None = Field(default=None, description="turning about the normal through `point`, as of a turntable: rad/s, of `t`")

    @model_validator(mode="after")
    def _moves(self, info: ValidationInfo) -> Self:
        laws = [*(self.point or ()), *(self.velocity or ()), *([self.spin] if self.spin is not None else [])]
        moving = self.velocity is not None or self.spin is not None or any("t" in e.names for e in laws)
        if self.body != GROUND and moving:
            raise ValueError(
                f"a plane of {self.body} moves with it; only one of the ground is given functions of `t`, `velocity` or `spin`"
            )
        if context_of(info).dimension == 2 and (self.velocity is not None or self.spin is not None):
            raise ValueError("a line has no 'velocity' and no 'spin'; give its motion by `point`, as functions of `t`")
        return self

    def axes(self, dimension: int) -> Axes:
        """Two tangents and the normal: the first is global x laid onto the plane, or y where the normal is along x."""
        n = [float(x) for x in (self.normal or [0.0] * (dimension - 1) + [1.0])]
        return [[n[1], -n[0], 0.0], [0.0, 0.0, 1.0], [*n, 0.0]] if dimension == 2 else axes_about(n)

    def surface(self, dimension: int) -> Surface:
        """The plane as it is drawn; a point that functions of time move is among its expressions."""
        return Surface(self.body, self.point or [parse(0)] * dimension, self.axes(dimension)[2])

    def placed(self, geometry: Geometry) -> tuple[Place, int, list[float]]:
        """Its point in the body it is fixed in; the index of its laws, -1 where it is at rest; where the laws put it at the start."""
        point = self.point or [parse(0)] * geometry.dimension
        values = geometry.constants(point)
        if values is not None and self.velocity is None and self.spin is None:
            return geometry.place(Point(self.body, None), values), -1, [0.0] * geometry.dimension
        if geometry.dimension == 2:
            law = geometry.time_laws(point)
        else:
            law = geometry.time_laws([*point, *(self.velocity or [parse(0)] * 3), self.spin or parse(0)])
        return (geometry.ground(), [0.0, 0.0, 0.0]), law, geometry.at_start(point)


def rows_on(geometry: Geometry, height: Height, center: PointRef, radius: float, labels: list[str]) -> list[Row]:
    """The rows of what is round and rolls on a given surface of the ground: `height`, and no slip along the tangents."""
    law = geometry.surface_laws(RollingSurface(height, centre_of(center, geometry.dimension)))
    ground, second = (geometry.ground(), [0.0] * geometry.dimension), geometry.place(center, None)
    frames = ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],) * 2
    primitives = [over_surface(radius), *(slip_surface(radius, k > 0) for k in range(geometry.dimension - 1))]
    return [Row(label, primitive, ground, second, frames, law) for label, primitive in zip(labels, primitives, strict=True)]


def ground_under(height: Height, dimension: int) -> Surface:
    """The same surface as it is drawn."""
    return Surface(GROUND, [parse(0)] * dimension, [0.0] * (dimension - 1) + [1.0], height=height)


def axes_about(n: list[float]) -> Axes:
    """Axes of which the third is the unit vector n: the first is global x laid across it, or y where n is along x."""
    k = 0 if abs(n[0]) < 0.999 else 1
    x = [float(i == k) - n[k] * n[i] for i in range(3)]
    length = sum(a * a for a in x) ** 0.5
    x = [a / length for a in x]
    return [x, cross(n, x), n]


def turn_tangents(axes: Axes) -> Axes:
    """The same plane with its tangents turned a quarter about the normal: y becomes the second, x what was y negated."""
    return [[-a for a in axes[1]], axes[0], axes[2]]
