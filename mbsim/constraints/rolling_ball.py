"""Ball that rolls without slip on a plane; it may spin about the normal. Three dimensions.

One holonomic row, `height`, and two nonholonomic ones, `slip_x` and `slip_y`.
"""

from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.constraints._table import Axes, Geometry, Plane, Row, RowConstraint, turn_tangents
from mbsim.elements.primitives import height, slip
from mbsim.model.fields import PointRef, PositiveNumber, context_of
from mbsim.model.leaves import Touch


class RollingBall(RowConstraint):
    """A sphere of `radius` about `center` touches `plane` and does not slip there."""

    NEEDS = "bodies"
    SYMBOL = "ball"
    LABELS = {3: ["height", "slip_x", "slip_y"]}

    center: PointRef = Field(description="centre of the ball: a body (its centre of mass) or a point of it")
    radius: PositiveNumber = Field(description="m")
    plane: Plane = Field(default_factory=Plane, description="what it rolls on; default: the ground, upwards along z")

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        if context_of(info).dimension == 2:
            raise ValueError("a ball in the plane is a wheel: use rolling_disk (dimension: 2)")
        if self.center.body == self.plane.body:
            raise ValueError(f"a ball rolls on another body than its own (got '{self.center.body}' twice)")
        return self

    def touches(self, dimension: int) -> Touch:
        return Touch((self.center, None), None, self.radius, self.plane.surface(dimension))

    def rows(self, geometry: Geometry) -> list[Row]:
        """See mbsim.constraints._table."""
        first, law, _ = self.plane.placed(geometry)
        second, axes = geometry.place(self.center, None), self.plane.axes(3)
        body: Axes = [[0.0, 0.0, 0.0]] * 3  # no axis: the contact is straight below the centre
        return [
            Row("height", height(self.radius), first, second, (axes, body), law),
            Row("slip_x", slip(self.radius), first, second, (turn_tangents(axes), body), law),
            Row("slip_y", slip(self.radius), first, second, (axes, body), law),
        ]
