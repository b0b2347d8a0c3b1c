"""Where contacts are: of each, a ball or a point of one body and the plane of another, or two balls; and the rows that hold them."""

from dataclasses import dataclass
from typing import Any

from mbsim.constraints._table import Axes, Geometry, Place, Plane, Row, RowConstraint, turn_tangents
from mbsim.elements.primitives import distance, height, roll, slip
from mbsim.forces._table import Geometry as ForceGeometry
from mbsim.model.contacts import ContactBlock
from mbsim.model.fields import Point
from mbsim.model.leaves import Surface, Touch
from mbsim.model.rotations import dot, matrix_from_quaternion

NO_AXIS: Axes = [[0.0, 0.0, 0.0]] * 3  # of a ball: it touches straight below its centre


@dataclass(frozen=True)
class Site:
    """One unilateral contact. Lengths in m; points in axes of their bodies, from the centre of mass."""

    name: str
    dimension: int
    first: str  # the body with the plane, or with the first ball
    through: list[float] | None  # a point of the plane, global at the start; None: the body's centre of mass
    at: list[float]  # (3,) of the first ball
    second: str  # the body with the ball or the point
    centre: list[float]  # (3,)
    radius: float  # of the ball
    apart: float  # of two balls: the distance of their centres at which they touch; 0: there is a plane
    axes: Axes  # of the plane: two tangents and the normal
    rough: bool  # whether there is friction
    drawn_at: list[float]  # (3,) of the ball, global at the start

    @property
    def between(self) -> bool:
        """Whether two balls touch."""
        return self.apart > 0.0

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
        return self.apart if self.between else self.radius

    @property
    def frames(self) -> tuple[Axes, Axes]:
        """Of the plane, and of the ball."""
        return self.axes, self.axes if self.dimension == 2 else NO_AXIS

    @property
    def tangents(self) -> list[tuple[Axes, Axes]]:
        """In space the frames of slip along either tangent."""
        return [(turn_tangents(self.axes), NO_AXIS), (self.axes, NO_AXIS)]

    def places(self, geometry: Geometry | ForceGeometry) -> tuple[Place, Place]:
        """The point of the plane, or the centre of the first ball; and the centre of the second."""
        first, middle = geometry.place(Point(self.first, None), self.through)
        second, centre = geometry.place(Point(self.second, None), None)
        if self.between:
            middle = [a + b for a, b in zip(middle, self.at, strict=True)]
        return (first, middle), (second, [a + b for a, b in zip(centre, self.centre, strict=True)])


class ContactRow(RowConstraint):
    """What holds a closed contact: its normal row, or those of the tangents."""

    SYMBOL = "ball"

    site: Any
    sticks: bool = False

    def touches(self, dimension: int) -> Touch | None:
        site = self.site
        if self.sticks or site.between:
            return None
        plane = Surface(site.first, site.through, site.axes[2][:dimension])
        return Touch((Point(site.second, None), site.drawn_at[:dimension]), None, site.radius, plane)

    def rows(self, geometry: Geometry) -> list[Row]:
        site, (first, second) = self.site, self.site.places(geometry)
        if not self.sticks:
            primitive = distance(site.apart) if site.between else height(site.radius)
            return [Row("", primitive, first, second, site.frames)]
        if site.dimension == 2:
            return [Row("", roll(site.radius), first, second, site.frames)]
        return [Row(f"slip{k}", slip(site.radius), first, second, frames) for k, frames in enumerate(site.tangents)]


def sites(name: str, block: ContactBlock, bodies: Any, dimension: int) -> list[Site]:
    """The contacts of a block, of bodies by name. Raises ValueError."""
    planar = dimension == 2
    if block.between is not None:
        a, b = block.between
        one, other = (block.places(x, bodies[x].shapes(), bodies[x].points, dimension) for x in (a, b))
        if not all(place.radius > 0.0 for place in (*one, *other)):
            raise ValueError("between two bodies balls touch (in two dimensions disks); give 'radius' or shapes that are balls")
        return [
            Site(label, dimension, a, None, p.at, b, q.at, q.radius, p.radius + q.radius, _IDENTITY, False, _drawn(bodies[b], q.at))
            for label, (p, q) in _labelled(name, [(p, q) for p in one for q in other])
        ]
    assert block.bodies is not None and block.plane is not None
    second, first = block.bodies
    axes = Plane.model_construct(body=first, point=None, normal=block.plane.normal).axes(2 if planar else 3)
    places = block.places(second, bodies[second].shapes(), bodies[second].points, dimension)
    return [
        Site(
            label,
            dimension,
            first,
            block.plane.through,
            [0.0] * 3,
            second,
            place.at,
            place.radius,
            0.0,
            axes,
            block.is_rough,
            _drawn(bodies[second], place.at),
        )
        for label, place in _labelled(name, places)
    ]


def _drawn(body: Any, at: list[float]) -> list[float]:
    """A point of a body, global at the start."""
    turned = [dot(row, at) for row in matrix_from_quaternion(body.quaternion)]
    return [x + y for x, y in zip([*body.position, 0.0][:3], turned, strict=True)]


_IDENTITY: Axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def _labelled(name: str, items: list[Any]) -> list[tuple[str, Any]]:
    return [(name if len(items) == 1 else f"{name}_{k + 1}", item) for k, item in enumerate(items)]
