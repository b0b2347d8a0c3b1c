"""Rack and pinion: the displacement of one joint is the angle of another times the pinion's radius."""

from math import pi
from typing import Self

from pydantic import Field, model_validator

from mbsim.joints._coupling import Coefficients, RowCoupling, Side
from mbsim.model.fields import Number


class RackAndPinion(RowCoupling):
    """`joints`: the pinion's, with an angle, and the rack's, with a displacement; both count from the reference configuration."""

    SYMBOL = "rack"
    ONE_JOINT = True  # a screw: the angle and the displacement of a cylindrical joint

    radius: Number = Field(description="displacement of the rack per radian of the pinion, m; negative: on the pinion's other side")

    @model_validator(mode="after")
    def _not_zero(self) -> Self:
        if self.radius == 0.0:
            raise ValueError("radius must not be 0")
        return self

    def pitch(self) -> float:
        return abs(self.radius)

    def tied(self) -> tuple[str | None, str | None]:
        return "angle", "displacement"

    def coefficients(self, first: Side, second: Side) -> Coefficients:
        """-radius and 1."""
        return Coefficients(-self.radius, 1.0, 2.0 * pi * abs(self.radius) if first.periodic else 0.0)
