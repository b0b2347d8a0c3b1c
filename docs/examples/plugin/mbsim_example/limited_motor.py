"""Motor of constant power with a largest torque: torque = power omega / (omega^2 + (power / largest)^2 / 4)."""

from pydantic import Field

from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.expressions.expression import parse
from mbsim.model.fields import JointName, PositiveNumber


class LimitedMotor(BodyForce):
    """Along the joint's angle, in the sense in which it turns. The torque is `largest` at omega = power / (2 largest)."""

    joint: JointName = Field(description="the joint it acts in; it has an angle")
    power: PositiveNumber = Field(description="at high speed, W")
    largest: PositiveNumber = Field(description="torque, N m")

    def loads(self, geometry: Geometry) -> list[Load]:
        power, largest = geometry.number("power", self.power), geometry.number("largest", self.largest)
        omega = f"der({self.joint}.angle)"
        law, constants = geometry.law([parse(f"{power}*{omega}/({omega}^2 + ({power}/{largest})^2/4)")])
        return [geometry.effort(self.joint, "angle", law, constants)]
