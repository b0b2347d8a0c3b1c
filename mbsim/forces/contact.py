"""Contact of a sphere (or a point) with a plane, in the plane of a disk with a line: Hertz' spring, Hunt & Crossley's damping, friction.

Normal force N = stiffness delta^exponent max(0, 1 + 3/2 damping delta_dot) at depth delta: it never pulls, and starts and ends at zero.
Friction mu N tanh(slip/transition_speed) against the slip of the sphere's deepest point. Hunt & Crossley 1975, doi:10.1115/1.3423596.
"""

from typing import Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import CONTACT
from mbsim.forces._table import BodyForce, Exponent, Geometry, Load
from mbsim.model.fields import BodyName, Direction, NonNegativeNumber, Point, PointRef, PositiveNumber, Vector
from mbsim.model.leaves import Surface, Touch
from mbsim.model.names import GROUND


class Contact(BodyForce):
    """Keeps a sphere above a plane; the elastic part's energy is potential, the work of damping and friction is not."""

    SYMBOL = "ball"

    body: PointRef = Field(description="the body with the sphere, whose centre is its centre of mass, or a point of it such as leg.foot")
    at: Vector | None = Field(default=None, description="the sphere's centre, global at the start; it stays fixed in the body")
    radius: NonNegativeNumber = Field(default=0.0, description="m; 0: a point")
    plane: BodyName = Field(default=GROUND, description="the body with the plane")
    through: Vector | None = Field(
        default=None, description="a point of the plane, global at the start, m; its body's centre of mass (ground: origin) when not given"
    )
    normal: Direction = Field(description="out of the plane, towards the free side; global at the start, fixed in its body")
    stiffness: PositiveNumber = Field(description="N/m^exponent")
    exponent: Exponent = Field(default=1.5, description="1 or more; 1.5: Hertz")
    damping: NonNegativeNumber = Field(default=0.0, description="s/m; a slow impact at v loses about this times v of its speed")
    friction: NonNegativeNumber = Field(default=0.0, description="coefficient of friction")
    transition_speed: PositiveNumber | None = Field(
        default=None, description="m/s; with `friction`: at this slip it has 76 % of its full value"
    )

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        if self.body.body == self.plane:
            raise ValueError(f"a contact needs two different bodies (got '{self.plane}' twice)")
        if self.at is not None and self.body.point is not None:
            raise ValueError(f"give the point either as '{self.body.body}.{self.body.point}' or by 'at', not both")
        if self.friction > 0.0 and self.transition_speed is None:
            raise ValueError("missing key 'transition_speed' (it goes with 'friction')")
        return self

    def touches(self, dimension: int) -> Touch:
        return Touch((self.body, self.at), None, self.radius, Surface(self.plane, self.through, self.normal))

    def loads(self, geometry: Geometry) -> list[Load]:
        i, centre = geometry.place(self.body, self.at)
        j, point = geometry.place(Point(self.plane, None), self.through)
        law = [self.stiffness, self.exponent, self.damping, self.friction, self.transition_speed or 1.0]
        return [Load(CONTACT, i, j, -1, [*centre, *point, *geometry.direction(j, self.normal), self.radius, *law])]
