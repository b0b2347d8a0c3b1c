"""Torque or force along a joint's coordinate, of a motor, spring or friction in the joint; joint coordinates only."""

from typing import Any

from pydantic import Field, ValidationInfo, model_validator

from mbsim.forces._table import Geometry, Load
from mbsim.kernels.primitives import EFFORT
from mbsim.model.fields import JointName, Law, context_of
from mbsim.model.leaves import Force


class JointTorque(Force):
    """On the second body along the coordinate, and against it on the first: N m about the axis of an angle, N along a displacement."""

    joint: JointName = Field(description="the joint it acts in")
    coordinate: str | None = Field(default=None, description="which of its coordinates, such as angle1; needed where it has several")
    value: Law = Field(description="N m or N: expression of t, joint coordinates and their rates")

    @model_validator(mode="after")
    def _tree(self, info: ValidationInfo) -> Any:
        if info.context is not None and not context_of(info).in_joint_coordinates:
            raise ValueError("a joint_torque needs joint coordinates (coordinates: joint); here: a torque on each of the two bodies")
        return self

    def loads(self, geometry: Geometry) -> list[Load]:
        ground = geometry.ground()
        law, constants = geometry.law([self.value])
        speed = geometry.coordinate(self.joint, self.coordinate)
        return [Load(EFFORT, ground, ground, law, [float(speed), 0.0, 0.0, *constants, 0.0, 0.0, 0.0])]
