"""Pin in a slot: a pin of the second body slides along a straight slot of the first, and turns in it. The slot has no ends."""

from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.elements.primitives import angle, in_plane, perpendicular, turn
from mbsim.joints._table import Axes, AxisJoint, check_perpendicular
from mbsim.kernels.primitives import sliding, turning
from mbsim.model.fields import Direction
from mbsim.model.rotations import cross


class PinInSlot(AxisJoint):
    """`axis` is the slot, x of the frame. In space the pin is a shaft along z, square to the plate, and does not move along itself."""

    pin: Direction | None = Field(default=None, description="space: direction of the pin, perpendicular to the slot, global at the start")

    SYMBOL = "pin"
    ROWS = {2: [in_plane("y")], 3: [in_plane("y"), in_plane("z"), perpendicular("x", "z"), perpendicular("y", "z")]}
    DRIVES = {"displacement": {2: in_plane("x"), 3: in_plane("x")}, "angle": {2: angle(), 3: turn()}}
    MOTIONS = {2: [sliding("displacement", "x"), turning("angle")], 3: [sliding("displacement", "x"), turning("angle")]}
    NEEDS_AXIS = (2, 3)

    @model_validator(mode="after")
    def _across(self, info: ValidationInfo) -> Self:
        dimension = info.context.dimension if info.context is not None else None
        if dimension == 2 and self.pin is not None:
            raise ValueError("in the plane a pin has no direction: leave out `pin`")
        if dimension == 3 and self.pin is None:
            raise ValueError("a pin_in_slot joint needs `pin`, the direction of the pin (dimension: 3)")
        if self.pin is not None and self.axis is not None:
            check_perpendicular(self.axis, self.pin)
        return self

    def frames(self, dimension: int) -> tuple[Axes, Axes]:
        if self.axis is None or self.pin is None:
            return super().frames(dimension)
        frame = [self.axis, cross(self.pin, self.axis), self.pin]
        return frame, frame
