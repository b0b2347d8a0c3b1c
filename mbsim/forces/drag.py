"""Drag of a medium: -(linear + quadratic |u|) u at a point that moves by u against it; about the body, the same of its angular velocity."""

from typing import Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import DRAG
from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.expressions.expression import parse
from mbsim.model.fields import NonNegativeNumber, PointRef, Vector, VectorLaw
from mbsim.model.leaves import Where
from mbsim.model.names import GROUND


class Drag(BodyForce):
    """Resists a body's motion through a medium; its work counts as work of non-conservative forces."""

    SYMBOL = "stream"

    body: PointRef = Field(description="the body it acts on, at its centre of mass, or a point of it such as hull.fin")
    at: Vector | None = Field(default=None, description="the point, global at the start; it stays fixed in the body")
    linear: NonNegativeNumber = Field(default=0.0, description="N s/m")
    quadratic: NonNegativeNumber = Field(default=0.0, description="N s^2/m^2: density times area times drag coefficient / 2")
    rotational_linear: NonNegativeNumber = Field(default=0.0, description="N m s/rad, of the angular velocity")
    rotational_quadratic: NonNegativeNumber = Field(default=0.0, description="N m s^2/rad^2, likewise")
    medium: VectorLaw | None = Field(default=None, description="velocity of the medium, global axes, m/s; at rest when not given")

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        if self.body.body == GROUND:
            raise ValueError("a force on the ground moves nothing")
        if self.at is not None and self.body.point is not None:
            raise ValueError(f"give the point either as '{self.body.body}.{self.body.point}' or by 'at', not both")
        if not any((self.linear, self.quadratic, self.rotational_linear, self.rotational_quadratic)):
            raise ValueError("give one of linear, quadratic, rotational_linear, rotational_quadratic")
        return self

    def acts_at(self) -> list[Where]:
        return [(self.body, self.at)]

    def loads(self, geometry: Geometry) -> list[Load]:
        body, point = geometry.place(self.body, self.at)
        law, velocity = geometry.law(self.medium or [parse(0)])
        coefficients = [self.linear, self.quadratic, self.rotational_linear, self.rotational_quadratic]
        return [Load(DRAG, body, body, law, [*point, *velocity, *coefficients])]
