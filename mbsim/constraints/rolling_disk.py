"""Disk or wheel with a sharp rim that rolls without slip on a plane (in two dimensions: on a line). Neimark & Fufaev 1972, ch. 1.

In space one holonomic row, `height`, and two nonholonomic ones, `slip_x`, `slip_y`. In the plane rolling is holonomic on a straight line:
`height`, `slip`. On a given line y = f(x), `slip` is nonholonomic.
"""

from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.constraints._table import Axes, Geometry, Plane, Row, RowConstraint, ground_under, rows_on, turn_tangents
from mbsim.elements.primitives import height, roll, slip
from mbsim.kernels.primitives import FLAT
from mbsim.model.fields import Direction, PointRef, PositiveNumber, context_of
from mbsim.model.leaves import Touch
from mbsim.model.names import GROUND
from mbsim.model.rolling_surfaces import GivenLine


class RollingDisk(RowConstraint):
    """A circle of `radius` about `axis` through `center` touches `plane` and does not slip there."""

    NEEDS = "bodies"
    SYMBOL = "wheel"
    LABELS = {2: ["height", "slip"], 3: ["height", "slip_x", "slip_y"]}

    center: PointRef = Field(description="centre of the disk: a body (its centre of mass) or a point of it, wheel.hub")
    axis: Direction | None = Field(default=None, description="axis of the disk, global at the start; three dimensions")
    radius: PositiveNumber = Field(description="m")
    plane: Plane = Field(default_factory=Plane, description="what it rolls on; default: the ground, upwards along the last axis")
    surface: GivenLine | None = Field(
        default=None, description="in the plane, in place of `plane`: a line of the ground, given by its height"
    )

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        dimension = context_of(info).dimension
        if self.surface is not None and "plane" in self.model_fields_set:
            raise ValueError("give one surface (got plane and surface)")
        if self.surface is not None and dimension == 3:
            raise ValueError("in space a disk rolls on a plane; on a given surface a ball rolls: use rolling_ball")
        if self.center.body == (GROUND if self.surface is not None else self.plane.body):
            raise ValueError(f"a disk rolls on another body than its own (got '{self.center.body}' twice)")
        if dimension == 3 and self.axis is None:
            raise ValueError("a rolling disk needs `axis` (dimension: 3)")
        if dimension == 2 and self.axis is not None:
            raise ValueError("a wheel in the plane turns about the normal of it: leave out `axis`")
        return self

    def touches(self, dimension: int) -> Touch:
        if self.surface is not None:
            return Touch((self.center, None), [0.0, 0.0, 1.0], self.radius, ground_under(self.surface.y, dimension))
        return Touch((self.center, None), self.axis or [0.0, 0.0, 1.0], self.radius, self.plane.surface(dimension))

    def rows(self, geometry: Geometry) -> list[Row]:
        """See mbsim.constraints._table. Raises ValueError where the disk is drawn flat on the plane."""
        if self.surface is not None:
            return rows_on(geometry, self.surface.y, self.center, self.radius, self.LABELS[2])
        first, law, start = self.plane.placed(geometry)
        second, axes = geometry.place(self.center, None), self.plane.axes(geometry.dimension)
        if self.axis is None:
            along = sum(a * b for a, b in zip(axes[0], start, strict=False))
            return [
                Row("height", height(self.radius), first, second, (axes, axes), law),
                Row("slip", roll(self.radius), first, second, (axes, axes), law, along),
            ]
        if abs(sum(a * b for a, b in zip(axes[2], self.axis, strict=True))) > (1.0 - FLAT**2) ** 0.5:
            raise ValueError("the disk is drawn flat on the plane: it has no point of contact; tilt it, or use a joint")
        body: Axes = [self.axis, self.axis, self.axis]
        return [
            Row("height", height(self.radius), first, second, (axes, body), law),
            Row("slip_x", slip(self.radius), first, second, (turn_tangents(axes), body), law),
            Row("slip_y", slip(self.radius), first, second, (axes, body), law),
        ]
