"""Rack and pinion: the displacement of one joint is the angle of another times the pinion's radius."""

from typing import Any

from pydantic import Field, model_validator

from mbsim.model.fields import Number
from mbsim.model.leaves import Coupling


class RackAndPinion(Coupling):
    """`joints`: the pinion's, with an angle, and the rack's, with a displacement; both count from where they are drawn."""

    radius: Number = Field(description="displacement of the rack per radian of the pinion, m; negative: on the pinion's other side")

    @model_validator(mode="after")
    def _not_zero(self) -> Any:
        if self.radius == 0.0:
            raise ValueError("radius must not be 0")
        return self
