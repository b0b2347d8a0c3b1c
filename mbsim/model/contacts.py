"""The `contacts` block: bodies that touch and leave each other, rigid, with dry friction.

    contacts:
      floor: {bodies: [crate, ground], plane: {normal: [0, 1]}, friction: 0.5, restitution: 0.2}
      bearing: {bodies: [pin, housing], hole: {radius: 0.0205}, radius: 0.02, friction: 0.1}
      balls: {between: [first, second, third], restitution: 0.9}
      feet: {bodies: [left.foot, right.foot, ground], plane: {normal: [0, 0, 1]}}
      beak: {gap: d - h*sin(phi), slide: der(y) + l*der(phi), friction: 0.3}

What touches is the body's `shape`, those of its shapes that have a name, points of it by name, or a ball about its centre of mass. A
contact of several points is one unilateral contact for each, and so is each pair of bodies where there are more than two. In the user's own
coordinates a contact is a gap that they make, and how fast it slips.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BeforeValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from mbsim.model.expressions.calculus import partial
from mbsim.model.fields import Direction, Law, NonNegativeNumber, PositiveNumber, SmoothLaw, Vector, body_name, context_of
from mbsim.model.leaves import Block
from mbsim.model.names import GROUND, der
from mbsim.model.rotations import dot, matrix_from_quaternion
from mbsim.model.schemas import NAME
from mbsim.model.stops import CLOSING_SPEED, Fraction


def _of_bodies(value: object, info: ValidationInfo) -> Any:
    if context_of(info).coordinates:
        raise ValueError("a model with a list of 'coordinates' has no bodies: give 'gap'")
    return value


def _touching(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str) or "." not in value:
        return body_name(value, info)
    body, _, shape = value.partition(".")
    return f"{body_name(body, info)}.{shape}"


Touching = Annotated[str, PlainValidator(_touching), WithJsonSchema(NAME)]
"""A body, whose shapes touch, or those of its shapes that have a name: `leg.foot`."""
Bodies = Annotated[list[Touching], Field(min_length=2), BeforeValidator(_of_bodies)]
Two = Annotated[list[Touching], Field(min_length=2, max_length=2)]


RESISTANCES = ("rolling_resistance", "drilling_resistance")


class Place(NamedTuple):
    """A ball, in two dimensions a disk, that is fixed in a body; with radius 0 a point, with an axis a circle, the rim of a cylinder."""

    at: list[float]  # (3,) its centre from the centre of mass, body axes, m
    radius: float  # m
    axis: list[float] | None = None  # (3,) body axes


def body_of(touching: str) -> str:
    """The body of what touches."""
    return touching.partition(".")[0]


def pair_name(name: str, *touching: str) -> str:
    """What the contact of one pair of a block is called."""
    return "_".join([name, *(each.replace(".", "_") for each in touching)])


class ContactPlane(Block):
    """The plane that something touches, in two dimensions a line; fixed in the last body."""

    through: Vector | None = Field(
        default=None, description="a point of it, global at the start, m; default: the last body's centre of mass, the ground's origin"
    )
    normal: Direction = Field(description="out of it, towards the free side; global at the start")
    ends: Annotated[list[Vector], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="in two dimensions, in place of `through`: two points at which the line ends, global at the start, m"
    )
    depth: PositiveNumber | None = Field(
        default=None, description="with `ends`: how deep it is solid behind the line, m; default: without bound"
    )

    @model_validator(mode="after")
    def _bounded(self, info: ValidationInfo) -> Self:
        if self.ends is None:
            if self.depth is not None:
                raise ValueError("'depth' goes with 'ends'")
            return self
        if context_of(info).dimension != 2:
            raise ValueError("'ends' are known in two dimensions only")
        if self.through is not None:
            raise ValueError("give 'through' or 'ends', not both")
        along = [y - x for x, y in zip(*self.ends, strict=True)]
        length = sum(x * x for x in along) ** 0.5
        if not length > 0.0:
            raise ValueError("the two ends must not be in one place")
        if abs(dot(along, self.normal)) > 1e-9 * length:
            across = [-along[1] / length, along[0] / length]
            sense = 1.0 if dot(across, self.normal) >= 0.0 else -1.0
            wanted = ", ".join(f"{sense * x:.12g}" for x in across)
            raise ValueError(f"the normal must be perpendicular to the line between the ends: [{wanted}] is")
        return self


class ContactRound(Block):
    """A ball, in two dimensions a disk, or a hollow one: a round hole; fixed in the last body."""

    at: Vector | None = Field(
        default=None, description="its centre, global at the start, m; default: the last body's centre of mass, the ground's origin"
    )
    radius: PositiveNumber = Field(description="m")


class ContactBlock(Block):
    """A rigid contact: with a plane, a ball or a round hole of another body, or between shapes."""

    bodies: Bodies | None = Field(
        default=None, description="one or more bodies, and last the body that each of them touches; with `plane`, `ball` or `hole`"
    )
    plane: ContactPlane | None = Field(default=None, description="of the last body")
    ball: ContactRound | None = Field(default=None, description="of the last body, touched from outside; in two dimensions a disk")
    hole: ContactRound | None = Field(default=None, description="of the last body, touched from inside; in space a hollow ball")
    between: Bodies | None = Field(
        default=None,
        description="bodies whose balls, capsules, boxes and polyhedra touch, each pair; in two dimensions disks and convex polygons",
    )
    without: Annotated[list[Two], Field(min_length=1)] | None = Field(
        default=None, description="pairs of those that `between` lists which do not touch each other, such as links that a joint connects"
    )
    points: Annotated[list[str], Field(min_length=1)] | None = Field(
        default=None, description="names of points of what touches, that touch; default: those of its shape"
    )
    radius: NonNegativeNumber | None = Field(
        default=None, description="of a ball about each point, or about the centre of mass, m; default: that of the shape"
    )
    gap: SmoothLaw | None = Field(
        default=None, description="in place of all that, with a list of `coordinates`: how far it is from closed, an expression of them"
    )
    slide: Law | None = Field(default=None, description="how fast it slips, linear in der(...); with `gap`, where there is friction")
    friction: NonNegativeNumber = Field(default=0.0, description="coefficient of friction while it slips")
    static: NonNegativeNumber | None = Field(default=None, description="coefficient at rest; not less than `friction`, the default")
    rolling_resistance: NonNegativeNumber = Field(
        default=0.0, description="of what is round: the couple against rolling over the normal force, a length, m"
    )
    drilling_resistance: NonNegativeNumber = Field(
        default=0.0, description="in space: the couple against turning about the normal over the normal force, a length, m"
    )
    restitution: Fraction = Field(default=0.0, description="normal speed after an impact over that before, 0 to 1")
    closing_speed: PositiveNumber = Field(
        default=CLOSING_SPEED, description="a rebound that would be slower than this ends the bouncing: the contact closes, m/s"
    )

    @model_validator(mode="after")
    def _one_form(self, info: ValidationInfo) -> Self:
        own = context_of(info).coordinates
        if self.static is not None and self.static < self.friction:
            raise ValueError(f"static must not be less than friction (got {self.static:g} and {self.friction:g})")
        if self.drilling_resistance > 0.0 and context_of(info).dimension == 2:
            raise ValueError("'drilling_resistance' is known in three dimensions only: in two nothing turns about a normal")
        if own or self.gap is not None or self.slide is not None:
            self._require_own(own)
            return self
        if (self.bodies is None) == (self.between is None):
            raise ValueError("give either 'bodies' with a 'plane', 'ball' or 'hole', or 'between' with two bodies or more")
        named = self.bodies or self.between or []
        bodies = [body_of(each) for each in named]
        if self.between is None and bodies[-1] not in bodies[:-1]:  # several shapes of a body may touch the last one
            bodies = [each if body not in named else body for each, body in zip(named, bodies, strict=True)]
        if twice := [body for k, body in enumerate(bodies) if body in bodies[:k]]:
            raise ValueError(f"a contact needs different bodies (got '{twice[0]}' twice)")
        self._require_without(named)
        given = [key for key in ("plane", "ball", "hole") if getattr(self, key) is not None]
        if self.between is not None:
            if given or self.points is not None:
                raise ValueError("'plane', 'ball', 'hole' and 'points' go with 'bodies', not with 'between'")
        elif not given:
            raise ValueError("missing key 'plane', 'ball' or 'hole' (it goes with 'bodies')")
        elif len(given) > 1:
            raise ValueError(f"give one of 'plane', 'ball' and 'hole' (got '{given[0]}' and '{given[1]}')")
        elif GROUND in map(body_of, named[:-1]):
            raise ValueError(f"the first of 'bodies' touch the {given[0]} of the last one: put the ground last")
        elif "." in named[-1]:
            raise ValueError(f"the {given[0]} is one of the body '{body_of(named[-1])}', not of its shapes (got '{named[-1]}')")
        if shapes := [each for each in named if "." in each and (self.points is not None or self.radius is not None)]:
            raise ValueError(f"give '{shapes[0]}' or what touches by 'points' or 'radius', not both")
        return self

    def _require_without(self, named: Sequence[str]) -> None:
        """Raise ValueError where `without` lists no pairs of `between`, or all of them."""
        if self.without is None:
            return
        if self.between is None:
            raise ValueError("'without' goes with 'between'")
        for k, pair in enumerate(self.without):
            if unknown := [each for each in pair if each not in named]:
                raise ValueError(f"without: '{unknown[0]}' is not listed in 'between'")
            if pair[0] == pair[1]:
                raise ValueError(f"without: nothing touches itself (got '{pair[0]}' twice)")
            if any(set(pair) == set(before) for before in self.without[:k]):
                raise ValueError(f"without: '{pair[0]}' and '{pair[1]}' come twice")
        if 2 * len(self.without) == len(named) * (len(named) - 1):
            raise ValueError("without: no pair is left that touches")

    def _require_own(self, coordinates: Sequence[str]) -> None:
        """Raise ValueError where it is no contact in the user's own coordinates."""
        if not coordinates:
            raise ValueError("'gap' and 'slide' need a list of 'coordinates'; bodies touch by 'bodies' or 'between'")
        if self.gap is None:
            raise ValueError("missing key 'gap'")
        if given := [key for key in RESISTANCES if getattr(self, key) > 0.0]:
            raise ValueError(f"'{given[0]}' is known of bodies that touch, not of a 'gap': give the couple as a force of its own")
        if given := [key for key in ("plane", "ball", "hole", "without", "points", "radius") if getattr(self, key) is not None]:
            raise ValueError(f"'{given[0]}' goes with bodies, not with 'gap'")
        if rates := sorted(name for name in self.gap.names if name.startswith("der(")):
            raise ValueError(f"gap must not contain der(...) (got {rates[0]})")
        if not self.gap.names & set(coordinates):
            raise ValueError("gap contains no coordinate")
        if self.is_rough != (self.slide is not None):
            raise ValueError("missing key 'slide' (it goes with friction)" if self.is_rough else "'slide' goes with 'friction'; give both")
        if self.slide is not None:
            rates = sorted(self.slide.names & set(map(der, coordinates)))
            if not rates:
                raise ValueError("slide contains no der(...): it is a speed")
            if any(name.startswith("der(") for rate in rates for name in partial(self.slide, rate).names):
                raise ValueError("slide must be linear in der(...)")

    def pairs(self, name: str) -> "list[tuple[str, ContactBlock]]":
        """The contacts of two bodies of which it consists, with their names: its own, or with those of the bodies where there are more."""
        if self.bodies is not None and len(self.bodies) > 2:
            *touching, last = self.bodies
            return [(pair_name(name, body), self.model_copy(update={"bodies": [body, last]})) for body in touching]
        if self.between is not None and len(self.between) > 2:
            apart = [set(pair) for pair in self.without or ()]
            kept = [pair for pair in combinations(self.between, 2) if set(pair) not in apart]
            return [(pair_name(name, *pair), self.model_copy(update={"between": [*pair], "without": None})) for pair in kept]
        return [(name, self)]

    @property
    def resistances(self) -> dict[bool, float]:
        """The lengths (m) of those that there are: of rolling by False, of drilling by True."""
        return {drills: length for drills, key in zip((False, True), RESISTANCES, strict=True) if (length := getattr(self, key)) > 0.0}

    @property
    def is_rough(self) -> bool:
        """Whether there is friction."""
        return max(self.friction, self.static or 0.0) > 0.0

    def places(self, body: str, shapes: Sequence[Mapping[str, Any]], points: Mapping[str, list[float]], d: int) -> list[Place]:
        """What of a body touches. `shapes` and `points` are the body's, `d` the dimension. Raises ValueError.

        The shapes are as of `Body.shapes`; those of polyhedra and meshes further have their `corners`, in the axes of the shape.
        """
        if self.points is not None:
            if unknown := [name for name in self.points if name not in points]:
                raise ValueError(f"{body} has no point '{unknown[0]}'; it has: {', '.join(points) or 'none'}")
            return [Place([*points[name], 0.0][:3], self.radius or 0.0) for name in self.points]
        if self.radius is not None:
            return [Place([0.0, 0.0, 0.0], self.radius)]
        found = [place for shape in shapes for place in _places(shape, d)]
        if not found:
            raise ValueError(f"what of {body} touches? give 'points', 'radius', or the body a `shape`")
        return found


def _local(shape: Mapping[str, Any]) -> Callable[[float, float, float], list[float]]:
    """What takes a point in the axes of a shape to body axes, from the centre of mass."""
    axes, origin = matrix_from_quaternion(shape["rotation"]["quaternion"]), shape["position"]
    return lambda x, y, z: [o + dot(row, [x, y, z]) for o, row in zip(origin, axes, strict=True)]


def outline(shape: Mapping[str, Any]) -> list[list[float]] | None:
    """The corners (3,) of a planar box or plate in their order, in body axes from the centre of mass; None of other shapes."""
    at = _local(shape)
    if shape["type"] == "box":
        a, b = (0.5 * x for x in shape["size"][:2])
        return [at(x, y, 0.0) for x, y in ((-a, -b), (a, -b), (a, b), (-a, b))]
    return [at(x, y, 0.0) for x, y in shape["polygon"]] if shape["type"] == "plate" else None


def _places(shape: Mapping[str, Any], d: int) -> list[Place]:
    """Of a shape as it is drawn. Raises ValueError for one that has no few points."""
    at = _local(shape)

    def place(x: float, y: float, z: float, radius: float = 0.0) -> Place:
        return Place(at(x, y, z), radius)

    signs = (-0.5, 0.5)
    thick = signs if d == 3 else (0.0,)
    if shape["type"] == "sphere":
        return [place(0.0, 0.0, 0.0, shape["radius"])]
    if shape["type"] == "cylinder" and d == 2:  # seen along its axis
        return [place(0.0, 0.0, 0.0, shape["radius"])]
    if shape["type"] == "cylinder":
        axis = [a - o for a, o in zip(at(0.0, 0.0, 1.0), at(0.0, 0.0, 0.0), strict=True)]
        return [place(0.0, 0.0, s * shape["length"], shape["radius"])._replace(axis=axis) for s in signs]
    if shape["type"] == "capsule":
        return [place(0.0, 0.0, s * shape["length"], shape["radius"]) for s in signs]
    if shape["type"] == "box":
        a, b, c = [*shape["size"], 0.0][:3]
        return [place(i * a, j * b, k * c) for i in signs for j in signs for k in thick]
    if shape["type"] == "plate":
        return [place(x, y, s * shape.get("thickness", 0.0)) for x, y in shape["polygon"] for s in thick]
    if shape["type"] in ("mesh", "convex") and d == 3:
        return [place(*corner) for corner in shape["corners"]]
    raise ValueError(f"a {shape['type']} has no few points by which it touches a plane; give 'points' or 'radius'")
