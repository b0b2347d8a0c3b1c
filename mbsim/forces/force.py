"""Force on a body: a vector in global or a body's axes, constant or of time and state, at the centre of mass or another point."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import FORCE, TURNED_FORCE
from mbsim.forces._table import Axes, BodyForce, Geometry, Load, axes_body
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import Point, PointRef, Vector, VectorLaw
from mbsim.model.leaves import Where
from mbsim.model.names import GROUND


class Force(BodyForce):
    """A force (N); its work counts as work of non-conservative forces."""

    SYMBOL = "arrow"

    body: PointRef = Field(description="the body it acts on, at its centre of mass, or a point of it such as rod.B")
    at: Vector | None = Field(default=None, description="point of application, global at the start; it stays fixed in the body")
    value: VectorLaw = Field(description="components in `axes`, N")
    axes: Axes = Field(default="global", description="global, body (its own) or the name of another body, with whose axes the force turns")

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        if self.body.body == GROUND:
            raise ValueError("a force on the ground moves nothing")
        if self.at is not None and self.body.point is not None:
            raise ValueError(f"give the point either as '{self.body.body}.{self.body.point}' or by 'at', not both")
        return self

    def acts_at(self) -> list[Where]:
        return [(self.body, self.at)]

    def pushes_along(self) -> Sequence[Expression]:
        return self.value if self.axes == "global" else []

    def loads(self, geometry: Geometry) -> list[Load]:
        body, point = geometry.place(self.body, self.at)
        law, constants = geometry.law(self.value)
        axes, _ = geometry.place(Point(axes_body(self.axes, self.body.body), None), None)
        kind = FORCE if axes == geometry.ground() else TURNED_FORCE
        return [Load(kind, body, body if kind == FORCE else axes, law, [*point, *constants, 0.0, 0.0, 0.0])]
