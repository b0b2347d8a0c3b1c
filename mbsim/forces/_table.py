"""What the forces share: a force is rows of loads over the kernels' kinds (`mbsim.kernels.primitives`), placed by a Geometry."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import AfterValidator, PlainValidator, ValidationInfo, WithJsonSchema

from mbsim.elements.kinds import RELATIVE_EFFORT, RELATIVE_SPRING
from mbsim.model.expressions import Expression
from mbsim.model.fields import Number, Point, context_of, known_name
from mbsim.model.names import GROUND


class Load(NamedTuple):
    """One line of the load table. Body index = number of bodies: the ground."""

    kind: int
    first: int
    second: int
    law: int  # index of the first law, -1: the values are constant
    data: list[float]  # of the plain kinds: [point on first (3), point on second or constant value (3), stiffness, damping, free length]


class Geometry(Protocol):
    """What the assembler tells a force about the mechanism as the file draws it."""

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]:
        """Body index, and the point in body axes from its centre of mass: the named one, or the one at `at` (global)."""

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        """The same point in the global frame."""

    def direction(self, body: int, vector: Sequence[float]) -> list[float]:
        """A global direction at the start in the body's axes."""

    def drawn_angle(self, first: int, second: int) -> float:
        """Angle of the second planar body's axes against the first's, as drawn."""

    def free_coordinates(self, joint: str) -> list[str]:
        """Names of a joint's coordinates that loads can act along: `angle`, `displacement`, in joint coordinates also others."""

    def effort(self, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        """A load along a joint's coordinate (None: its only one). Raises ValueError where the joint has none of that name."""

    def gauge(self, joint: str, coordinate: str | None) -> int:
        """Index of the gauge of a joint's coordinate (None: its only one), made when it is first asked for. Raises ValueError likewise."""

    def length_gauge(self, first: tuple[int, Sequence[float]], second: tuple[int, Sequence[float]]) -> int:
        """Index of the gauge of the distance between two points, each a body's index and a point in its axes as `place` gives them."""

    def angle_gauge(self, first: int, second: int) -> int:
        """Index of the gauge of the angle of one planar body against another, zero as drawn."""

    def ground(self) -> int:
        """Index of the ground."""

    def law(self, values: Sequence[Expression], local: tuple[str, int] | None = None) -> tuple[int, list[float]]:
        """Index of the first of these laws and zeros, or -1 and the constant values; always three.

        `local`: a name that, with `rate`, stands for the value and the rate of a gauge in these laws.
        """


def along(geometry: Geometry, gauge: int, law: Expression | None, name: str, spring: tuple[float, float, float]) -> list[Load]:
    """A spring (stiffness, damping, free value) along a gauge or, where there is one, a law over `name` and `rate` in its place."""
    ground = geometry.ground()
    if law is None:
        return [Load(RELATIVE_SPRING, ground, ground, -1, [float(gauge), *spring])]
    index, constants = geometry.law([law], (name, gauge))
    return [Load(RELATIVE_EFFORT, ground, ground, index, [float(gauge), -1.0, 0.0, *constants])]


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
