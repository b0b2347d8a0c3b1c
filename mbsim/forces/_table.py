"""What the forces share: a force is rows of loads over the kernels' kinds (`mbsim.kernels.primitives`), placed by a Geometry.

A leaf derives from `BodyForce` (loads on bodies and joints) or from `CoordinateForce` (the user's own coordinates).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import AfterValidator, PlainValidator, ValidationInfo, WithJsonSchema

from mbsim.elements.kinds import RELATIVE_EFFORT, RELATIVE_SPRING
from mbsim.elements.primitives import Primitive
from mbsim.model.cables import Station
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import Number, Point, context_of, known_name
from mbsim.model.leaves import Force
from mbsim.model.names import GROUND
from mbsim.model.sampling import Flowing, Held
from mbsim.model.winding import Part

Where = tuple[int, list[float]]  # a body's index and a point (3,) in its axes, m
Axes3 = list[list[float]]  # x, y, z axes as rows, global at the start


class Load(NamedTuple):
    """One line of the load table. Body index = number of bodies: the ground."""

    kind: int
    first: int
    second: int
    law: int  # index of the first law, -1: the values are constant
    data: list[float]  # of the plain kinds: [point on first (3), point on second or constant value (3), stiffness, damping, free length]


class Tie(NamedTuple):
    """What a coupling keeps: the sum of factors times two coordinates, less what it is as drawn, up to whole periods (0: it has none)."""

    factors: tuple[float, float]
    drawn: float
    period: float
    coordinates: tuple[str | None, str | None]  # of its joints; None: the only one


class OwnLaws(Protocol):
    """What a force may add to the laws of a model: constants, states, rates."""

    def number(self, name: str, value: float) -> str:
        """What expressions call a constant of the force whose loads are being made: code does not depend on its value."""

    def own_name(self, name: str) -> str:
        """What expressions call a state of the force whose loads are being made: `force.name`."""

    def rate_of(self, expression: Expression) -> Expression:
        """The exact derivative by time of an expression of the model. Raises ExpressionError where it reads what has no known rate."""

    def state(self, name: str, rate: Expression, start: float, unit: str, local: tuple[str, int] | None = None) -> None:
        """A state of the force whose loads are being made, one of its `STATES`: a quantity with this rate and value at the start.

        `local` as in `Geometry.law`.
        """

    def hold(self, name: str, held: Held, start: float, unit: str) -> None:
        """A state of the force whose loads are being made that is held between samples."""


class Geometry(OwnLaws, Protocol):
    """What a force may ask of the mechanism in its reference configuration, in which the model file gives it (t = `simulation.start`).

    Lengths in m, angles in rad. A relative coordinate is a scalar between two bodies, such as the angle of a joint, with its rate and
    gradient: loads act along it and laws read it.
    """

    @property
    def dimension(self) -> int:
        """2 or 3."""

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]:
        """Body index, and the point (3,) in body axes from its centre of mass: the named one, or the one at `at` (global)."""

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        """The same point (3,) in the global frame."""

    def direction(self, body: int, vector: Sequence[float]) -> list[float]:
        """A global vector (3,) in the axes of a body."""

    def reference_angle(self, first: int, second: int) -> float:
        """Angle of the second planar body's axes against the first's."""

    def tie(self, name: str, coupling: Any) -> "Tie":
        """The coordinates that a coupling of this name ties; laws read them as `name.turned0`, `name.turned1`."""

    def free_coordinates(self, joint: str) -> list[str]:
        """Names of a joint's coordinates that loads can act along: `angle`, `displacement`, in joint coordinates also others."""

    def effort(self, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        """A load along a joint's coordinate (None: its only one). Raises ValueError where the joint has none of that name."""

    def relative_coordinate(self, joint: str, coordinate: str | None) -> int:
        """Index of a joint's coordinate (None: its only one). Raises ValueError where the joint has none of that name."""

    def relative_distance(self, first: tuple[int, list[float]], second: tuple[int, list[float]]) -> int:
        """Index of the distance between two points, each a body's index and a point in its axes as `place` gives them."""

    def relative_row(self, name: str, kind: int, primitive: Primitive, first: Where, second: Where, frames: tuple[Axes3, Axes3]) -> int:
        """Index of what a row of this primitive keeps, of a relative kind, under a name that laws read."""

    def cable(self, path: list[Station], strict: bool = True) -> list[Part]:
        """The parts of the cable of the force whose loads are being made. Raises ItemError where no straight line joins two stations.

        `strict`: its lengths have to be known, as laws need them: each straight part within 0.75 pi of its direction in the drawing.
        """

    def relative_angle(self, first: int, second: int) -> int:
        """Index of the angle of the second planar body against the first, zero in the reference configuration."""

    def ground(self) -> int:
        """Body index of the ground."""

    def coordinate_name(self, joint: str, coordinate: str | None) -> str:
        """What expressions call a joint's coordinate (None: its only one), and in `der(...)` its rate. Raises ValueError as `effort`."""

    def flow(self, flowing: Flowing, names: Mapping[str, str]) -> None:
        """A unit of the force whose loads are being made; `names` are those of the states that its variables become."""

    def law(self, values: Sequence[Expression], local: tuple[str, int] | None = None) -> tuple[int, list[float]]:
        """Index of the first of these laws and zeros, or -1 and the constant values; always three.

        `local`: a name that, with `rate`, stands for the value and the rate of a relative coordinate in these laws, and its index.
        """


class BodyForce(Force, ABC):
    """A force on bodies or along joints."""

    @abstractmethod
    def loads(self, geometry: Geometry) -> list[Load]:
        """Its lines of the load table. Raises ValueError where a joint that it names has no such coordinate."""

    def bounds(self) -> "tuple[str, str | None, float, float] | None":
        """The joint, its coordinate where one is named, and between which values it keeps that; None where it keeps none."""
        return None


class CoordinateForce(Force, ABC):
    """A force on one of the user's own coordinates."""

    NEEDS = "coordinates"

    @abstractmethod
    def generalised_force(self) -> tuple[str, Expression]:
        """The coordinate, and the generalised force along it."""


def along(geometry: Geometry, relative: int, law: Expression | None, name: str, spring: tuple[float, float, float]) -> list[Load]:
    """The load along a relative coordinate of a spring (stiffness, damping, free value) or, in its place, a law over `name` and `rate`."""
    ground = geometry.ground()
    if law is None:
        return [Load(RELATIVE_SPRING, ground, ground, -1, [float(relative), *spring])]
    index, constants = geometry.law([law], (name, relative))
    return [Load(RELATIVE_EFFORT, ground, ground, index, [float(relative), -1.0, 0.0, *constants])]


def coordinate_of(geometry: Geometry, joint: str, given: str | None, angle: bool, hint: str = "") -> str:
    """The coordinate of a joint that is (or, angle False, is not) an angle: the one given, else the only one. Raises ValueError."""
    choices = [name for name in geometry.free_coordinates(joint) if name.startswith("angle") == angle]
    found = given if given is not None else choices[0] if len(choices) == 1 else ""
    if found not in choices:
        kind = "angle" if angle else "displacement"
        what = f"no {kind} '{given}'" if given else f"not one single {kind}"
        raise ValueError(f"joint {joint} has {what}" + (f"; give `coordinate`: {', '.join(choices)}" if choices else hint))
    return found


def _at_least_one(value: float) -> float:
    if value < 1.0:
        raise ValueError(f"must not be less than 1 (got {value:g})")
    return value


def _axes(value: Any, info: ValidationInfo) -> str:
    return known_name(value, "frame", ["global", "body", *context_of(info).bodies])


Exponent = Annotated[Number, AfterValidator(_at_least_one)]
"""Of a force that grows with depth: below 1 it would be infinitely stiff at the first touch."""

Axes = Annotated[str, PlainValidator(_axes), WithJsonSchema({"type": "string"})]
"""`global`, `body` (the loaded one) or the name of another body: whose axes a vector is given in."""


def axes_body(axes: str, body: str) -> str:
    """The body whose axes are meant, `ground` for the global ones."""
    return GROUND if axes == "global" else body if axes == "body" else axes
