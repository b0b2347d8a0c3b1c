"""What the joints share: a joint is a table of primitives between two frames, one fixed in each body.

Both frames are given in global axes at the start. `ROWS` and `DRIVES` are looked up by dimension; a dimension that is absent there is
refused with a message. `MOTIONS`, likewise, is what is left free in joint coordinates, up to three speeds, as many as the methods for trees
take: a joint without motions there keeps its rows, like one that is cut. To add a joint, add a file with such a table (see `revolute.py`).
"""

from typing import Annotated, ClassVar, NamedTuple, Self

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from mbsim.elements import kinds
from mbsim.elements.primitives import BALL, PRISMATIC, REVOLUTE, Motion, Primitive
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import Direction, ItemError, NonNegativeNumber, context_of
from mbsim.model.leaves import Joint
from mbsim.model.names import floating_states
from mbsim.model.rotations import cross
from mbsim.model.stops import BacklashOfJoint, Friction, FrictionOfJoint, OfCoordinate, Stops, StopsOfJoint

PERPENDICULAR = 1e-6  # cosine up to which two axes in the file count as perpendicular
Axes = list[list[float]]  # x, y, z axes as rows, global, right-handed


def frame_about(axis: list[float]) -> Axes:
    """A right-handed frame with z along the unit vector `axis`; x is made from the global axis that is farthest from it."""
    least = min(range(3), key=lambda i: (round(abs(axis[i]), 9), i))
    e = [float(i == least) for i in range(3)]
    along = sum(a * b for a, b in zip(e, axis, strict=True))
    x = [a - along * b for a, b in zip(e, axis, strict=True)]
    length = sum(a * a for a in x) ** 0.5
    x = [a / length for a in x]
    return [x, cross(axis, x), list(axis)]


class Seat(NamedTuple):
    """Where a coordinate of a joint is measured and driven: from a frame on one of its bodies to a frame on the other."""

    frames: tuple[Axes, Axes]
    back: bool = False  # from the second body to the first


class Bearing(NamedTuple):
    """The rows of a joint that press on what slides or turns in it, counted from its first."""

    forces: list[int]  # their multipliers are N
    couples: list[int]  # and these N m


class TableJoint(Joint):
    """A joint whose equations are rows of primitives."""

    ROWS: ClassVar[dict[int, list[Primitive]]]
    DRIVES: ClassVar[dict[str, dict[int, Primitive]]] = {}
    MOTIONS: ClassVar[dict[int, list[Motion]]] = {}
    FLOATING: ClassVar[bool] = False  # leaves everything free
    NO_PLAY: ClassVar[str] = ""  # why it takes no backlash, and what to use
    INSTEAD: ClassVar[dict[int, str]] = {}  # what to use where the joint does not exist, by dimension

    stops: StopsOfJoint = Field(default_factory=list, description="rigid bounds of a coordinate, or a list of them")
    backlash: BacklashOfJoint = Field(
        default_factory=list, description="play along a coordinate, as of a claw coupling: rad or m, or a block, or a list of them"
    )
    friction: FrictionOfJoint = Field(default_factory=list, description="dry friction along a coordinate, or a list of them")

    @model_validator(mode="after")
    def _dimension(self, info: ValidationInfo) -> Self:
        dimension = info.context.dimension if info.context is not None else None
        if dimension is not None and dimension not in self.ROWS:
            hint = f"; there it is {self.INSTEAD[dimension]}" if dimension in self.INSTEAD else ""
            raise ValueError(f"a {self.type} joint does not exist in {dimension} dimensions (dimension: {dimension}){hint}")
        return self

    @model_validator(mode="after")
    def _bounded(self, info: ValidationInfo) -> Self:
        dimension = info.context.dimension if info.context is not None else None
        given: dict[str, list[OfCoordinate]] = {"stops": [*self.stops], "backlash": [*self.backlash], "friction": [*self.friction]}
        stopped: set[str] = set()
        for key, blocks in given.items():
            taken = set[str]()
            for k, block in enumerate(blocks):
                try:
                    if key == "backlash" and self.NO_PLAY:
                        raise ValueError(self.NO_PLAY)
                    name = block.coordinate_of(self.type, self.bounded(dimension or 3))
                    if name in taken:
                        raise ValueError(f"the coordinate '{name}' has {key} already")
                    if key == "backlash" and name in stopped:
                        raise ValueError(f"the coordinate '{name}' has stops already: backlash is two of them")
                    stopped |= {name} if key == "stops" else set()
                    if isinstance(block, Friction):
                        block.fits(name.startswith("angle"))
                except ValueError as error:
                    raise ItemError((key, k), error) from None
                taken.add(name)
        return self

    @classmethod
    def bounded(cls, dimension: int) -> list[str]:
        """Names of the coordinates that may have stops and friction: those that can be driven and measured."""
        return [name for name in cls.driven(dimension) if name in cls.measured(dimension)]

    @classmethod
    def bearing(cls, dimension: int) -> Bearing:
        """The rows that load friction by a coefficient: those that keep points together, or on a line or plane, and those of an angle.

        Without forces where they are not known: of a joint with more coordinates than one, or with rows that transmit in another way.
        """
        forces: list[int] = []
        couples: list[int] = []
        count = 0
        for row in cls.ROWS.get(dimension, ()):
            rows = range(count, count := count + kinds.rows_of(row.kind, dimension))
            if row.kind in (kinds.POINT, kinds.IN_PLANE):
                forces += rows
            elif row.kind == kinds.ANGLE:
                couples += rows
            elif row.kind != kinds.PERPENDICULAR:
                return Bearing([], [])
        return Bearing(forces, couples) if len(cls.bounded(dimension)) == 1 else Bearing([], [])

    def bounds(self) -> list[Stops]:
        """Its stops, and the flanks of its play."""
        return [*self.stops, *(play.stops() for play in self.backlash)]

    def rows(self, dimension: int) -> list[Primitive]:
        """The joint's equations."""
        return self.ROWS[dimension]

    def prescribed(self) -> Expression | None:
        """The f(t) of its rows, where they have one."""
        return None

    def freedoms(self, dimension: int) -> int | None:
        there = self.FLOATING or dimension in self.MOTIONS
        return len(self.states("", dimension)[1]) if there else None

    def advance(self) -> float:
        """m per rad of its HELICAL motion; 0 where it has none."""
        return 0.0

    @classmethod
    def slides(cls, dimension: int) -> str:
        rows = cls.ROWS[dimension]
        held = "xyz" if any(row.kind == kinds.POINT for row in rows) else {row.a for row in rows if row.kind == kinds.IN_PLANE}
        return "".join(axis for axis in "xyz"[:dimension] if axis not in held)

    @classmethod
    def transmission(cls, dimension: int) -> list[str] | None:
        found: list[str] = []
        for row in cls.ROWS.get(dimension, ()):
            if row.kind == kinds.POINT:
                found += [f"f{axis}" for axis in "xyz"[:dimension]]
            elif row.kind == kinds.IN_PLANE:
                found.append(f"f{row.a}")
            elif row.kind == kinds.PERPENDICULAR:  # about the axis across both
                found.append("t" + next(axis for axis in "zyx" if axis not in (row.a, row.b)))
            elif row.kind == kinds.ANGLE:
                found.append("tz")
            else:
                return None
        return sorted(found) if dimension in cls.ROWS else None

    @classmethod
    def driven(cls, dimension: int) -> list[str]:
        """What a driver can prescribe of the joint, and laws of forces can read: `angle`, `displacement`."""
        return [quantity for quantity, rows in cls.DRIVES.items() if dimension in rows]

    @classmethod
    def states(cls, name: str, dimension: int) -> tuple[list[str], list[str]]:
        """Names of the joint's coordinates and speeds in joint coordinates."""
        if cls.FLOATING:
            return floating_states(name, dimension)
        coordinates: list[str] = []
        speeds: list[str] = []
        for m in cls.MOTIONS.get(dimension, []):
            ball = m.kind == BALL
            coordinates += [f"{name}.q{c}" for c in "wxyz"] if ball else [f"{name}.{m.name}"]
            speeds += [f"{name}.omega.{c}" for c in "xyz"] if ball else [f"der({name}.{m.name})"]
        return coordinates, speeds

    @classmethod
    def relative_motions(cls, dimension: int) -> list[Motion]:
        """Turns and slides that poses alone tell, each in its `seat`."""
        motions = cls.MOTIONS.get(dimension, []) if dimension in cls.ROWS else []
        return motions if all(m.kind in (REVOLUTE, PRISMATIC) for m in motions) else []

    @classmethod
    def measured(cls, dimension: int) -> list[str]:
        return [m.name for m in cls.relative_motions(dimension)]

    def frames(self, dimension: int) -> tuple[Axes, Axes]:
        """Joint frames of the first and the second body, global axes at the start."""
        frame = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        return frame, frame

    def seat(self, coordinate: str, dimension: int, of_speed: bool = False) -> Seat:
        """Where a coordinate is: between the joint's frames. An angle's axis is one of the frame it starts from, a speed's of the other."""
        return Seat(self.frames(dimension))


class AxisJoint(TableJoint):
    """A joint about or along an axis: the frame's z axis in three dimensions, its x axis in the plane."""

    axis: Direction | None = Field(default=None, description="axis of the joint, global at the start")
    NEEDS_AXIS: ClassVar[tuple[int, ...]] = ()

    @model_validator(mode="after")
    def _axis(self, info: ValidationInfo) -> Self:
        dimension = info.context.dimension if info.context is not None else None
        if self.axis is None and dimension in self.NEEDS_AXIS:
            raise ValueError(f"a {self.type} joint needs `axis` (dimension: {dimension})")
        return self

    def frames(self, dimension: int) -> tuple[Axes, Axes]:
        if self.axis is None:
            return super().frames(dimension)
        if dimension == 2:
            x = [*self.axis, 0.0]
            frame = [x, [-x[1], x[0], 0.0], [0.0, 0.0, 1.0]]
        else:
            frame = frame_about(self.axis)
        return frame, frame


def _in_joint_coordinates(value: float, info: ValidationInfo) -> float:
    if value and not context_of(info).in_joint_coordinates:
        raise ValueError("only with `coordinates: joint` may a joint have it; otherwise give the rotor a body and a gear")
    return value


class MotorJoint(TableJoint):
    """A joint of one motion, which may have a rotor: M has its inertia on the diagonal, beside that of what the joint moves."""

    rotor_inertia: Annotated[NonNegativeNumber, AfterValidator(_in_joint_coordinates)] = Field(
        default=0.0,
        description="joint coordinates: inertia of the motor's rotor times the square of its gear ratio, kg m^2; of a displacement kg",
    )

    def rotor(self) -> float:
        return self.rotor_inertia


class AxesJoint(TableJoint):
    """A joint with an axis on each body: the z axes of the two frames. Three dimensions only."""

    axes: list[Direction] = Field(min_length=2, max_length=2, description="axis on the first and on the second body, global at the start")


class CrossedJoint(AxesJoint):
    """A joint of two axes that are perpendicular."""

    @model_validator(mode="after")
    def _perpendicular(self) -> Self:
        check_perpendicular(*self.axes)
        return self

    def frames(self, dimension: int) -> tuple[Axes, Axes]:
        return frame_about(self.axes[0]), frame_about(self.axes[1])


def cosine(a: list[float], b: list[float]) -> float:
    """Of the angle between two directions."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def check_perpendicular(a: list[float], b: list[float]) -> None:
    """Raises ValueError when two directions are not perpendicular."""
    product = cosine(a, b)
    if abs(product) > PERPENDICULAR:
        raise ValueError(f"the two axes must be perpendicular (their cosine is {product:.3g})")
