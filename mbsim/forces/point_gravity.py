"""Attraction of a body by a point: mu mass / r^2 towards it, mu = G M of what attracts. Newton's law of gravitation."""

from typing import Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import ATTRACTION
from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.fields import BodyName, Point, PointRef, PositiveNumber, Vector
from mbsim.model.leaves import Where
from mbsim.model.names import GROUND


class PointGravity(BodyForce):
    """Acts at the body's centre of mass, and the other way round on the attracting body; its energy -mu mass / r is potential."""

    SYMBOL = "attraction"

    body: BodyName = Field(description="the body that is attracted")
    centre: PointRef | None = Field(default=None, description="what attracts it: a body, a point of one, or `ground`, the origin (default)")
    at: Vector | None = Field(default=None, description="in place of `centre`: a fixed point, global, m")
    mu: PositiveNumber = Field(description="gravitational parameter G M of the centre, m^3/s^2")

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        if self.body == GROUND:
            raise ValueError("a force on the ground moves nothing")
        if self.centre is not None and self.at is not None:
            raise ValueError("give either 'centre' or 'at', not both")
        if self.centre is not None and self.centre.body == self.body:
            raise ValueError(f"a body does not attract itself (got '{self.body}' twice)")
        return self

    def acts_at(self) -> list[Where]:
        return [(Point(self.body, None), None), (self.centre or Point(GROUND, None), self.at)]

    def loads(self, geometry: Geometry) -> list[Load]:
        body, _ = geometry.place(Point(self.body, None), None)
        centre, point = geometry.place(self.centre or Point(GROUND, None), self.at)
        return [Load(ATTRACTION, body, centre, -1, [0.0, 0.0, 0.0, *point, self.mu])]
