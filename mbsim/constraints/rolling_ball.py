"""Ball that rolls without slip on a plane, a sphere, a cylinder or a given surface; it may spin about the normal. Three dimensions.

One holonomic row, `height`, and two nonholonomic ones, `slip_x` and `slip_y`.
"""

from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.constraints._table import Axes, Geometry, Plane, Row, RowConstraint, axes_about, ground_under, rows_on, turn_tangents
from mbsim.elements.primitives import axis_distance, distance, height, slip, slip_cylinder, slip_round
from mbsim.model.fields import BodyName, Direction, Point, PointRef, PositiveNumber, Vector, context_of
from mbsim.model.leaves import Block, Touch
from mbsim.model.names import GROUND
from mbsim.model.rolling_surfaces import GivenSurface

_NO_AXIS: Axes = [[0.0, 0.0, 0.0]] * 3  # of a ball: the contact is where the surface is nearest to its centre


class SphereSurface(Block):
    """A sphere that a ball rolls on, or inside."""

    body: BodyName = Field(default=GROUND, description="the body that the surface is fixed in")
    point: Vector | None = Field(
        default=None, description="its centre, of a cylinder a point of its axis: global at the start, m; the centre of mass when not given"
    )
    radius: PositiveNumber = Field(description="m")
    inside: bool = Field(default=False, description="true: the ball is inside")

    def apart(self, ball: float) -> float:
        """How far the centre of a ball of this radius stays away, m."""
        return self.radius - ball if self.inside else self.radius + ball

    def rows(self, geometry: Geometry, center: PointRef, ball: float) -> list[Row]:
        """Of a ball of this radius about a point. Raises ValueError where this is drawn in the middle."""
        first, second = geometry.place(Point(self.body, None), self.point), geometry.place(center, None)
        ends = [geometry.locate(Point(self.body, None), self.point), geometry.locate(center, None)]
        away = [b - a for a, b in zip(*ends, strict=True)]
        length = sum(x * x for x in away) ** 0.5
        if not length > 0.0:
            raise ValueError("the centre of the ball is drawn in the centre of the sphere: it has no point of contact")
        axes = axes_about([x / length for x in away])
        radii = (self.radius, -ball if self.inside else ball)
        return [
            Row("height", distance(self.apart(ball)), first, second, (axes, _NO_AXIS)),
            Row("slip_x", slip_round(*radii), first, second, (turn_tangents(axes), _NO_AXIS)),
            Row("slip_y", slip_round(*radii), first, second, (axes, _NO_AXIS)),
        ]


class CylinderSurface(SphereSurface):
    """A round cylinder that a ball rolls on, or inside; it has no ends."""

    axis: Direction = Field(description="its axis, global at the start")

    def rows(self, geometry: Geometry, center: PointRef, ball: float) -> list[Row]:
        """See `SphereSurface`; `slip_x` is along the axis, `slip_y` around it."""
        first, second = geometry.place(Point(self.body, None), self.point), geometry.place(center, None)
        axes, radius = axes_about(self.axis), -ball if self.inside else ball
        return [
            Row("height", axis_distance(self.apart(ball)), first, second, (axes, _NO_AXIS)),
            Row("slip_x", slip_cylinder(radius, False), first, second, (axes, _NO_AXIS)),
            Row("slip_y", slip_cylinder(radius, True), first, second, (axes, _NO_AXIS)),
        ]


class RollingBall(RowConstraint):
    """A sphere of `radius` about `center` touches a surface and does not slip there."""

    NEEDS = "bodies"
    SYMBOL = "ball"
    LABELS = {3: ["height", "slip_x", "slip_y"]}

    center: PointRef = Field(description="centre of the ball: a body (its centre of mass) or a point of it")
    radius: PositiveNumber = Field(description="m")
    plane: Plane = Field(default_factory=Plane, description="what it rolls on; default: the ground, upwards along z")
    sphere: SphereSurface | None = Field(default=None, description="in place of a plane: a sphere, which it rolls on or inside")
    cylinder: CylinderSurface | None = Field(default=None, description="in place of a plane: a cylinder, likewise")
    surface: GivenSurface | None = Field(default=None, description="in place of a plane: a surface of the ground, given by its height")

    @property
    def curved(self) -> SphereSurface | None:
        """The sphere or the cylinder."""
        return self.sphere or self.cylinder

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        if context_of(info).dimension == 2:
            raise ValueError("a ball in the plane is a wheel: use rolling_disk (dimension: 2)")
        given = [key for key in ("plane", "sphere", "cylinder", "surface") if key in self.model_fields_set]
        if len(given) > 1:
            raise ValueError(f"give one surface (got {' and '.join(given)})")
        body = GROUND if self.surface is not None else self.curved.body if self.curved is not None else self.plane.body
        if self.center.body == body:
            raise ValueError(f"a ball rolls on another body than its own (got '{self.center.body}' twice)")
        if self.curved is not None and not self.curved.apart(self.radius) > 0.0:
            raise ValueError(f"a ball inside is smaller than what it rolls in (got the radii {self.radius:g} and {self.curved.radius:g})")
        return self

    def touches(self, dimension: int) -> Touch | None:
        if self.curved is not None:
            return None
        if self.surface is not None:
            return Touch((self.center, None), None, self.radius, ground_under(self.surface.z, dimension))
        return Touch((self.center, None), None, self.radius, self.plane.surface(dimension))

    def rows(self, geometry: Geometry) -> list[Row]:
        """See mbsim.constraints._table. Raises ValueError where the surface has no point of contact."""
        if self.surface is not None:
            return rows_on(geometry, self.surface.z, self.center, self.radius, self.LABELS[3])
        if self.curved is not None:
            return self.curved.rows(geometry, self.center, self.radius)
        first, law, _ = self.plane.placed(geometry)
        second, axes = geometry.place(self.center, None), self.plane.axes(3)
        return [
            Row("height", height(self.radius), first, second, (axes, _NO_AXIS), law),
            Row("slip_x", slip(self.radius), first, second, (turn_tangents(axes), _NO_AXIS), law),
            Row("slip_y", slip(self.radius), first, second, (axes, _NO_AXIS), law),
        ]
