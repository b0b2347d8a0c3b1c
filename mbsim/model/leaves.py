"""Base classes of the blocks of a model file: joints, forces, constraints. The kinds themselves are in mbsim/joints and so on."""

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, ClassVar, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import BodyName, JointName, Law, Limit, Point
from mbsim.model.points import NamedPoints, Place, Points, check_given_once

Where = tuple[Point, list[float] | None]  # a point of a body, or a body and a place on it: global at the start, m


LOCKED = "false: it does not hold until an event locks it, as it then is"


class Surface(NamedTuple):
    """A plane that something touches, fixed in a body; in two dimensions a line."""

    body: str
    through: Sequence[Expression | float] | None  # a point of it, global at the start, m, maybe of `t`; None: the centre of mass
    normal: Sequence[float]  # global at the start
    height: Expression | None = None  # of a surface that is given by it, over the axes of the ground; no plane then


class Touch(NamedTuple):
    """What touches a plane, as the symbol of its leaf says: a wheel, a ball, a blade."""

    at: Where  # the centre of a wheel or a ball; where a blade touches
    axis: Sequence[float] | None  # of a wheel its axis, of a blade its direction; global at the start
    radius: float  # m
    plane: Surface | None  # None: the plane of drawing


class Bend(NamedTuple):
    """A point or a circle that a cable passes."""

    at: Where
    axis: Sequence[float] | None  # of a circle in space, global at the start
    radius: float  # below zero where the cable runs about it clockwise; 0: a point, m
    lifts: bool = False  # whether the cable leaves the circle where it would pass it
    turns: float = 0.0  # whole ones, besides what is drawn


class Block(BaseModel):
    """A block of the model file. Its fields are the keys that a user may write. Surplus, missing and wrong keys are refused."""

    NEEDS: ClassVar[str] = ""  # 'bodies' or 'coordinates': the kind of model that the block belongs to; empty: both
    SYMBOL: ClassVar[str] = ""  # how it is drawn: a word of `mbsim.model.symbols`

    # The validator of a block is built when the first such block is read: a model uses few of the kinds.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, arbitrary_types_allowed=True, defer_build=True)

    @classmethod
    def meant_by(cls, key: str) -> str:
        """What to write in place of a key that it does not have; empty where that is not known."""
        return ""

    def touches(self, dimension: int) -> Touch | None:
        """What of it touches a plane."""
        return None

    def runs(self) -> Sequence[Bend]:
        """The points and circles that it runs along, of a `cable`."""
        return ()


class Joint(Block):
    """A joint between two bodies, given by its global position at the start or by a point of each body."""

    NEEDS_PLACE: ClassVar[bool] = True
    SYMBOL: ClassVar[str] = "mark"
    SUGGESTED: ClassVar[str] = ""  # in place of a joint that transmits more than rows allow: usual, rare (where usual ones do not help)

    type: str = Field(description="the kind of joint")
    bodies: Annotated[list[BodyName], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="the two bodies; with `at`"
    )
    at: Place | None = Field(
        default=None, description="where the joint is at the start, global frame, m, with `bodies`; or the names of `points`"
    )
    points: Points = Field(
        default=None,
        validate_default=True,
        description="a point of each body: [crank.A, rod.A], or with `bodies` their names alone, [A, A]; in place of `at`",
    )
    cut: bool = Field(default=False, description="joint coordinates: close a loop here, by constraint rows")
    locked: bool = Field(default=True, description=LOCKED)

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        check_given_once(self)
        placed = self.at is not None or not self.NEEDS_PLACE
        if self.points is None and (self.bodies is None or not placed):
            if self.bodies is None and self.at is None:
                raise ValueError("where is the joint? give 'bodies' and 'at', or 'points'")
            raise ValueError("missing key 'at' (it goes with 'bodies')" if self.at is None else "missing key 'bodies' (it goes with 'at')")
        if self.first == self.second:
            raise ValueError(f"a joint needs two different bodies (got '{self.first}' twice)")
        return self

    @classmethod
    def driven(cls, dimension: int) -> list[str]:
        """Names of its coordinates that a driver can prescribe and laws of forces can read, such as `angle`."""
        return []

    @classmethod
    def measured(cls, dimension: int) -> list[str]:
        """Names of its relative coordinates that a measure may use: `angle`, `displacement` ..."""
        return []

    @classmethod
    def states(cls, name: str, dimension: int) -> tuple[list[str], list[str]]:
        """Names of its coordinates and of its speeds in joint coordinates; `name` is the joint's."""
        return [], []

    @classmethod
    def slides(cls, dimension: int) -> str:
        """The axes of its frames along which its points may part: `z` of a spatial slide, none of a hinge, all where no joint is."""
        return "xyz"[:dimension]

    @classmethod
    def transmission(cls, dimension: int) -> list[str] | None:
        """The force and torque that it transmits from body to body, in the axes of its frames where these coincide: fx (N) ... tz (N m).

        None of one that transmits no such components but combinations of them, as a screw does, and of one that does not exist there.
        """
        return None

    def freedoms(self, dimension: int) -> int | None:
        """How many speeds it leaves free as one of the tree in joint coordinates; None of a joint that is always kept by rows."""
        return None

    def rotor(self) -> float:
        """Inertia of a rotor that turns with each of its speeds in joint coordinates: kg m^2, of a displacement kg."""
        return 0.0

    def places(self) -> Sequence[list[float] | None]:
        """Reference positions of the joint's point on the first and on the second body, global; None if `points` gives them."""
        at = None if isinstance(self.at, NamedPoints) else self.at
        return at, at

    @property
    def first(self) -> str:
        """Name of the first body."""
        return self._names()[0]

    @property
    def second(self) -> str:
        """Name of the second body; joint forces in the results act on it."""
        return self._names()[1]

    def _names(self) -> list[str]:
        return [point.body for point in self.points] if self.points is not None else list(self.bodies or ())


class Coupling(Block):
    """A ratio between the coordinates of two joints, such as two gears. It is in the section of the joints but has no position."""

    ONE_JOINT: ClassVar[bool] = False  # whether both coordinates may be of one joint

    type: str = Field(description="the kind of coupling")
    joints: Annotated[list[JointName], Field(min_length=2, max_length=2)] = Field(description="the two joints whose coordinates it ties")
    locked: bool = Field(default=True, description=LOCKED)

    @model_validator(mode="after")
    def _two_joints(self) -> Self:
        if self.joints[0] == self.joints[1] and not self.ONE_JOINT:
            raise ValueError(f"a {self.type} needs two different joints (got '{self.joints[0]}' twice)")
        return self

    def pitch(self) -> float:
        """What its circles are drawn by: of `wheels` the rate of the first joint over that of the second, of a `rack` the radius, m."""
        return 0.0


class Force(Block):
    """A force law."""

    NEEDS = "bodies"
    LOCAL: ClassVar[frozenset[str]] = frozenset()  # the leaf's own names that its laws may contain
    STATES: ClassVar[tuple[str, ...]] = ()  # names of its own states; in the model `force.name`
    SECTION: ClassVar[str] = "forces"  # of the model file
    AGAINST: ClassVar[bool] = False  # what is recorded of it along a coordinate is positive against growth, as tension is
    LOADED: ClassVar[int] = 0  # which of the places where it `acts_at` takes the recorded force and torque; the other takes the opposite

    type: str = Field(description="the kind of force")

    @classmethod
    def states_given(cls, keys: Collection[str]) -> tuple[str, ...]:
        """Names of the states of its own that a block with these keys has."""
        return cls.STATES

    def own_states(self) -> tuple[str, ...]:
        """Names of the states of its own that it has."""
        return self.states_given(self.model_fields_set)

    def laws(self) -> Iterator[tuple[str, Expression]]:
        """The expressions among its keys, each with the key."""
        for key in type(self).model_fields:
            value = getattr(self, key)
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, Expression):
                    yield key, item

    def acts_at(self) -> list[Where]:
        """The places on bodies where it acts: two, one, or none of a force along a coordinate."""
        return []

    def pushes_along(self) -> Sequence[Expression]:
        """The components, global, of the vector of an `arrow`; none where the axes of a body turn it."""
        return []


class Controller(Force):
    """A force that leads a coordinate, or its rate, to a target."""

    SECTION: ClassVar[str] = "controllers"

    type: str = Field(description="the kind of controller")
    joint: JointName | None = Field(default=None, description="the joint it acts in; in a model of bodies")
    coordinate: str | None = Field(
        default=None,
        description="which of the joint's coordinates, such as displacement; needed where it has several. Or one of the model's own",
    )
    target: Law | None = Field(default=None, description="where the coordinate is to be, rad or m: expression of t, tables and states")
    target_rate: Law | None = Field(
        default=None,
        description="with `kd`: rad/s or m/s; the exact derivative of `target` when not given. 0: damping of the motion. "
        "Without `target`: the rate that the coordinate is to have",
    )
    limit: Limit | None = Field(default=None, description="largest effort, N m or N: one number for both senses, or [lower, upper]")

    @property
    def leads_rate(self) -> bool:
        """Whether it has a target of the rate alone."""
        return self.target is None


class Constraint(Block):
    """A constraint: the leaf has an `equation`, or its method `rows` makes rows of the kernels' primitives."""

    EQUATION: ClassVar[str] = ""  # 'holonomic' or 'nonholonomic'; empty: the leaf makes rows
    LABELS: ClassVar[dict[int | None, list[str]]] = {}  # by dimension, of several rows: name.height
    OF_SPEEDS: ClassVar[bool] = True  # whether a row of it is kept at velocity level

    type: str = Field(description="the kind of constraint")
    locked: bool = Field(default=True, description=LOCKED)
