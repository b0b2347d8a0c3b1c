"""Torsion spring and damper: torque = stiffness (angle - free_angle) + damping d(angle)/dt against the angle, or a law over both."""

from typing import Annotated, Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.forces._table import BodyForce, Geometry, Load, along, coordinate_of
from mbsim.model.fields import AngleLaw, BodyName, JointName, NonNegativeNumber, Number, Point, context_of


class RotationalSpringDamper(BodyForce):
    """Turns two bodies back to `free_angle`. The spring's energy is potential; that of a damper or a law is work."""

    SYMBOL = "spiral"
    LOCAL = frozenset({"angle", "rate"})
    AGAINST = True

    joint: JointName | None = Field(default=None, description="the joint about whose angle it acts")
    coordinate: str | None = Field(default=None, description="which of the joint's angles, where it has several (joint coordinates)")
    bodies: Annotated[list[BodyName], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="in the plane, in place of `joint`: two bodies; angle: of the second against the first, 0 as drawn"
    )
    stiffness: NonNegativeNumber = Field(default=0.0, description="N m/rad")
    damping: NonNegativeNumber = Field(default=0.0, description="N m s/rad")
    free_angle: Number = Field(default=0.0, description="rad; where the spring is free, from the joint's angle in the drawing")
    value: AngleLaw | None = Field(
        default=None, description="torque, N m, in place of stiffness, damping and free_angle: a law that may contain `angle` and `rate`"
    )

    @model_validator(mode="after")
    def _given_once(self, info: ValidationInfo) -> Self:
        if (self.joint is None) == (self.bodies is None):
            raise ValueError("give either 'joint' or, in the plane, 'bodies'")
        if self.bodies is not None and context_of(info).dimension == 3:
            raise ValueError("two bodies have one angle in the plane only; give a 'joint', or use a bushing")
        if self.bodies is not None and self.coordinate is not None:
            raise ValueError("'coordinate' goes with 'joint'")
        if self.bodies is not None and self.bodies[0] == self.bodies[1]:
            raise ValueError(f"a rotational_spring_damper needs two different bodies (got '{self.bodies[0]}' twice)")
        linear = sorted(self.model_fields_set & {"stiffness", "damping", "free_angle"})
        if self.value is not None and linear:
            raise ValueError(f"give either 'value' or {', '.join(linear)}, not both")
        return self

    def loads(self, geometry: Geometry) -> list[Load]:
        if self.joint is not None:
            coordinate = coordinate_of(geometry, self.joint, self.coordinate, True, "; use a bushing")
            relative = geometry.relative_coordinate(self.joint, coordinate)
        else:
            first, second = (geometry.place(Point(name, None), None)[0] for name in self.bodies or ())
            relative = geometry.relative_angle(first, second)
        return along(geometry, relative, self.value, "angle", (self.stiffness, self.damping, self.free_angle))
