"""Friction along a joint's coordinate x: -(coulomb tanh(x_dot/transition_speed) + viscous x_dot). It creeps instead of sticking."""

from typing import Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import RELATIVE_FRICTION
from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.fields import JointName, NonNegativeNumber, PositiveNumber


class JointFriction(BodyForce):
    """Smoothed Coulomb's and viscous friction of a joint; its work counts as work of non-conservative forces."""

    SYMBOL = "friction"

    joint: JointName = Field(description="the joint it acts in")
    coordinate: str | None = Field(default=None, description="which of its coordinates, such as displacement; needed where it has several")
    coulomb: NonNegativeNumber = Field(default=0.0, description="N along a displacement, N m about an angle")
    viscous: NonNegativeNumber = Field(default=0.0, description="N s/m or N m s/rad")
    transition_speed: PositiveNumber | None = Field(
        default=None, description="m/s or rad/s; with `coulomb`: at this speed friction has 76 % of its full value"
    )

    @model_validator(mode="after")
    def _speed(self) -> Self:
        if self.coulomb > 0.0 and self.transition_speed is None:
            raise ValueError("missing key 'transition_speed' (it goes with 'coulomb')")
        return self

    def loads(self, geometry: Geometry) -> list[Load]:
        relative, ground = geometry.relative_coordinate(self.joint, self.coordinate), geometry.ground()
        return [Load(RELATIVE_FRICTION, ground, ground, -1, [float(relative), self.coulomb, self.viscous, self.transition_speed or 1.0])]
