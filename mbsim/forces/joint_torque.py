"""Torque or force along a joint's coordinate: a motor in the joint."""

from pydantic import Field

from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.fields import JointName, Law


class JointTorque(BodyForce):
    """On the second body along the coordinate, and against it on the first: N m about the axis of an angle, N along a displacement."""

    SYMBOL = "turning"

    joint: JointName = Field(description="the joint it acts in")
    coordinate: str | None = Field(default=None, description="which of its coordinates, such as displacement; needed where it has several")
    value: Law = Field(description="N m or N: expression of t and state, such as the joint's own coordinate j.angle and der(j.angle)")

    def loads(self, geometry: Geometry) -> list[Load]:
        law, constants = geometry.law([self.value])
        return [geometry.effort(self.joint, self.coordinate, law, constants)]
