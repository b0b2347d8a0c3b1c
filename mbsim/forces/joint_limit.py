"""End stops of a joint's coordinate: beyond `lower` or `upper` by delta, max(0, stiffness delta^exponent + damping s delta_dot) back.

s grows smoothly from 0 to 1 over `depth` (mbsim.kernels.one_sided). The stop never pulls, so nothing sticks to it.
"""

from math import inf
from typing import Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import RELATIVE_LIMIT
from mbsim.forces._table import BodyForce, Exponent, Geometry, Load
from mbsim.model.fields import JointName, NonNegativeNumber, Number, PositiveNumber


class JointLimit(BodyForce):
    """One-sided spring-dampers; the springs' energy is potential, the dampers' work is not."""

    SYMBOL = "stops"

    joint: JointName = Field(description="the joint it acts in")
    coordinate: str | None = Field(default=None, description="which of its coordinates, such as displacement; needed where it has several")
    lower: Number | None = Field(default=None, description="m or rad; no stop on this side when not given")
    upper: Number | None = Field(default=None, description="m or rad; no stop on this side when not given")
    stiffness: PositiveNumber = Field(description="N/m^exponent or N m/rad^exponent")
    exponent: Exponent = Field(default=1.0, description="1 or more")
    damping: NonNegativeNumber = Field(default=0.0, description="N s/m or N m s/rad")
    depth: NonNegativeNumber = Field(default=0.0, description="m or rad; how far in the damper has come in fully; 0: at once")

    @model_validator(mode="after")
    def _sides(self) -> Self:
        if self.lower is None and self.upper is None:
            raise ValueError("give 'lower', 'upper' or both")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"lower must be less than upper (got {self.lower:g} and {self.upper:g})")
        return self

    def bounds(self) -> tuple[str, str | None, float, float]:
        """See `BodyForce.bounds`."""
        return self.joint, self.coordinate, -inf if self.lower is None else self.lower, inf if self.upper is None else self.upper

    def loads(self, geometry: Geometry) -> list[Load]:
        relative, ground = geometry.relative_coordinate(self.joint, self.coordinate), geometry.ground()
        lower = -inf if self.lower is None else self.lower
        upper = inf if self.upper is None else self.upper
        stop = [self.stiffness, self.exponent, self.damping, self.depth]
        return [Load(RELATIVE_LIMIT, ground, ground, -1, [float(relative), lower, upper, *stop])]
