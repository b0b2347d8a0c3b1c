"""Where contacts are: a ball or a point of one body, and a plane, a ball or a round hole of another; and the rows that hold them."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from mbsim.constraints._table import Axes, Geometry, Place, Plane, Row, RowConstraint, turn_tangents
from mbsim.elements.primitives import Primitive, distance, height, roll, roll_round, slip, slip_round
from mbsim.forces._table import Geometry as ForceGeometry
from mbsim.model.contacts import ContactBlock
from mbsim.model.contacts import Place as Ball
from mbsim.model.fields import Point
from mbsim.model.leaves import Surface, Touch
from mbsim.model.rotations import dot, matrix_from_quaternion

NO_AXIS: Axes = [[0.0, 0.0, 0.0]] * 3  # of a ball: it touches straight below its centre


@dataclass(frozen=True)
class Site:
    """One unilateral contact. Lengths in m; points in axes of their bodies, from the centre of mass."""

    name: str
    dimension: int
    first: str  # the body with the plane, the hole, or the first ball
    through: list[float] | None  # a point of the plane, the centre of the hole, global at the start; None: the body's centre of mass
    at: list[float]  # (3,) of the first of two balls, from there
    second: str  # the body with the ball or the point
    centre: list[float]  # (3,)
    radius: float  # of the ball
    rim: float  # of the first ball, below zero of a hole; 0: there is a plane
    axes: Axes  # of the plane, or of what is round where both touch at the start: two tangents and the normal
    rough: bool  # whether there is friction
    drawn_at: list[float]  # (3,) of the ball, global at the start

    @property
    def is_round(self) -> bool:
        """Whether a ball touches another ball or a hole."""
        return self.rim != 0.0

    @property
    def gap(self) -> str:
        """What laws call the distance of the centre from the plane, or of the two centres."""
        return f"{self.name}.distance"

    @property
    def slides(self) -> list[str]:
        """What laws call what slips along the tangents."""
        return [f"{self.name}.slide{k}" for k in range(self.dimension - 1)] if self.rough else []

    @property
    def least(self) -> float:
        """The value of `gap` at which the contact is closed."""
        return abs(self.rim + self.radius) if self.is_round else self.radius

    @property
    def sign(self) -> float:
        """1 where the contact opens as `gap` grows, -1 where it closes then."""
        return -1.0 if self.rim < 0.0 else 1.0

    @property
    def to_contact(self) -> tuple[float, float]:
        """Of what is round: from the first centre towards the second, and back from there."""
        return self.sign * self.rim, self.sign * self.radius

    @property
    def frames(self) -> tuple[Axes, Axes]:
        """Of the plane, and of the ball."""
        return self.axes, self.axes if self.dimension == 2 else NO_AXIS

    @property
    def normal(self) -> Primitive:
        """What keeps the contact closed."""
        return distance(self.least) if self.is_round else height(self.radius)

    @property
    def tangents(self) -> list[tuple[Primitive, tuple[Axes, Axes]]]:
        """What keeps it from slipping, and the frames of that, along each tangent."""
        if self.dimension == 2:
            return [(roll_round(*self.to_contact) if self.is_round else roll(self.radius), self.frames)]
        primitive = slip_round(*self.to_contact) if self.is_round else slip(self.radius)
        return [(primitive, (turn_tangents(self.axes), NO_AXIS)), (primitive, (self.axes, NO_AXIS))]

    def places(self, geometry: Geometry | ForceGeometry) -> tuple[Place, Place]:
        """The point of the plane, or the centre of the hole or of the first ball; and the centre of the second."""
        first, middle = geometry.place(Point(self.first, None), self.through)
        second, centre = geometry.place(Point(self.second, None), None)
        return (first, [a + b for a, b in zip(middle, self.at, strict=True)]), (
            second,
            [a + b for a, b in zip(centre, self.centre, strict=True)],
        )


class ContactRow(RowConstraint):
    """What holds a closed contact: its normal row, or those of the tangents."""

    SYMBOL = "ball"

    site: Any
    sticks: bool = False

    def touches(self, dimension: int) -> Touch | None:
        site = self.site
        if self.sticks or site.is_round:
            return None
        plane = Surface(site.first, site.through, site.axes[2][:dimension])
        return Touch((Point(site.second, None), site.drawn_at[:dimension]), None, site.radius, plane)

    def rows(self, geometry: Geometry) -> list[Row]:
        site, (first, second) = self.site, self.site.places(geometry)
        if not self.sticks:
            return [Row("", site.normal, first, second, site.frames)]
        labels = [""] if site.dimension == 2 else ["slip0", "slip1"]
        return [Row(label, primitive, first, second, frames) for label, (primitive, frames) in zip(labels, site.tangents, strict=True)]


def sites(name: str, block: ContactBlock, bodies: Any, dimension: int) -> list[Site]:
    """The contacts of a block, of bodies by name. Raises ValueError."""
    first, second = block.between or (block.bodies or [])[::-1]
    places = block.places(second, bodies[second].shapes(), bodies[second].points, dimension)
    face = block.ball or block.hole
    through = block.plane.through if block.plane is not None else face.at if face is not None else None
    plain = partial(Site, dimension=dimension, first=first, through=through, second=second, rough=block.is_rough)
    if block.plane is not None:
        axes = Plane.model_construct(body=first, point=None, normal=block.plane.normal).axes(dimension)
        return [
            plain(label, at=[0.0] * 3, centre=p.at, radius=p.radius, rim=0.0, axes=axes, drawn_at=_drawn(bodies[second], p.at))
            for label, p in _labelled(name, places)
        ]
    if face is not None:
        rounds = [Ball([0.0] * 3, -face.radius if block.hole is not None else face.radius)]
    else:
        rounds = block.places(first, bodies[first].shapes(), bodies[first].points, dimension)
        if not all(place.radius > 0.0 for place in (*rounds, *places)):
            raise ValueError("between two bodies balls touch (in two dimensions disks); give 'radius' or shapes that are balls")
    found = []
    for label, (ball, p) in _labelled(name, [(ball, p) for ball in rounds for p in places]):
        if -ball.radius <= p.radius and ball.radius < 0.0:
            raise ValueError(f"the radius of a hole must be greater than that of what is in it (got {-ball.radius:g} and {p.radius:g})")
        drawn, centre = _drawn(bodies[second], p.at), [*through, 0.0][:3] if through else _drawn(bodies.get(first), ball.at)
        axes = _towards([a - b for a, b in zip(drawn, centre, strict=True)], dimension)
        found.append(plain(label, at=ball.at, centre=p.at, radius=p.radius, rim=ball.radius, axes=axes, drawn_at=drawn))
    return found


def _towards(d: list[float], dimension: int) -> Axes:
    """Two tangents and the normal along d, or along the last axis where d has no length."""
    length = sum(x * x for x in d) ** 0.5
    normal = [x / length for x in d] if length > 0.0 else [0.0, 0.0, 1.0]
    return Plane.model_construct(normal=normal).axes(3) if dimension == 3 else _IDENTITY


def _drawn(body: Any, at: list[float]) -> list[float]:
    """A point of a body, global at the start; None: the ground."""
    if body is None:
        return at
    turned = [dot(row, at) for row in matrix_from_quaternion(body.quaternion)]
    return [x + y for x, y in zip([*body.position, 0.0][:3], turned, strict=True)]


_IDENTITY: Axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def _labelled(name: str, items: list[Any]) -> list[tuple[str, Any]]:
    return [(name if len(items) == 1 else f"{name}_{k + 1}", item) for k, item in enumerate(items)]
