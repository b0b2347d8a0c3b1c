"""Tyre whose forces are in proportion to its slips: F_x = k_x kappa, F_y = k_y alpha - k_c camber, `mbsim.kernels.tyres`."""

from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.elements.kinds import LINEAR_TYRE
from mbsim.forces._tyre import Tyre
from mbsim.model.fields import NonNegativeNumber, PositiveNumber, context_of


class LinearTyre(Tyre):
    """A tyre for small slips; its work counts as work of non-conservative forces, but for that of its spring."""

    cornering_stiffness: NonNegativeNumber = Field(description="k_y, N/rad: side force over slip angle")
    slip_stiffness: NonNegativeNumber = Field(default=0.0, description="space: k_x, N: driving force over slip ratio")
    camber_stiffness: NonNegativeNumber = Field(default=0.0, description="space: k_c, N/rad: side force to where the wheel leans")
    pneumatic_trail: NonNegativeNumber = Field(default=0.0, description="m: the side force of the slip acts behind the contact by it")
    friction: PositiveNumber | None = Field(default=None, description="mu: both forces together are at most mu times the load")

    @model_validator(mode="after")
    def _in_space(self, info: ValidationInfo) -> Self:
        for key in ("slip_stiffness", "camber_stiffness"):
            if context_of(info).dimension == 2 and key in self.model_fields_set:
                raise ValueError(f"in the plane a tyre is seen from above and rolls freely: leave out {key}")
        return self

    @property
    def kind(self) -> int:
        return int(LINEAR_TYRE)

    def numbers(self) -> list[float]:
        return [self.slip_stiffness, self.cornering_stiffness, self.camber_stiffness, self.friction or 0.0, self.pneumatic_trail]
