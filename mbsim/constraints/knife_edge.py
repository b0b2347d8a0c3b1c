"""Knife edge (skate, sled runner): a point of a body does not move across a blade fixed in the body. Chaplygin 1911.

In the plane one nonholonomic row. In space the point also stays on a plane: `height`, holonomic, and `across`.
"""

from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.constraints._table import Axes, Geometry, Plane, Row, RowConstraint
from mbsim.elements.primitives import edge, height, planar_edge
from mbsim.kernels.primitives import FLAT
from mbsim.model.fields import Direction, PointRef, context_of
from mbsim.model.leaves import Touch
from mbsim.model.names import GROUND


class KnifeEdge(RowConstraint):
    """The velocity of `point` has no part across `along`."""

    NEEDS = "bodies"
    SYMBOL = "blade"
    LABELS = {3: ["height", "across"]}

    point: PointRef = Field(description="where the blade touches: a body (its centre of mass) or a point of it, skate.heel")
    along: Direction = Field(description="direction of the blade, global at the start, fixed in the body")
    plane: Plane | None = Field(default=None, description="three dimensions: what the point stays on; default: the ground, z upwards")

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        if context_of(info).dimension == 2 and self.plane is not None:
            raise ValueError("in two dimensions a blade moves on the plane of drawing: leave out `plane`")
        other = self.plane.body if self.plane is not None else GROUND
        if self.point.body == other:
            raise ValueError(f"a blade moves on another body than its own (got '{other}' twice)")
        return self

    def touches(self, dimension: int) -> Touch:
        return Touch((self.point, None), self.along, 0.0, None if dimension == 2 else (self.plane or Plane()).surface(dimension))

    def rows(self, geometry: Geometry) -> list[Row]:
        """See mbsim.constraints._table. Raises ValueError where the blade is drawn upright on the plane."""
        point = geometry.place(self.point, None)
        if geometry.dimension == 2:
            across = [-self.along[1], self.along[0], 0.0]
            axes: Axes = [across, across, [0.0, 0.0, 1.0]]
            return [Row("", planar_edge(), point, (geometry.ground(), [0.0, 0.0, 0.0]), (axes, axes))]
        plane = self.plane or Plane()
        first, law, _ = plane.placed(geometry)
        axes = plane.axes(3)
        if abs(sum(a * b for a, b in zip(axes[2], self.along, strict=True))) > (1.0 - FLAT**2) ** 0.5:
            raise ValueError("the blade is drawn along the normal of its plane: it leaves no trace there")
        none: Axes = [[0.0, 0.0, 0.0]] * 3
        return [
            Row("height", height(0.0), first, point, (axes, none), law),
            Row("across", edge(), first, point, (axes, [self.along] * 3), law),
        ]
