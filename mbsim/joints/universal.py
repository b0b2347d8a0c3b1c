"""Universal joint (Hooke's, Cardan): the points coincide; the first axis, fixed in the first body, stays perpendicular to the second."""

from typing import Any

from pydantic import Field, model_validator

from mbsim.joints._table import Axes, TableJoint, frame_about
from mbsim.kernels.primitives import perpendicular, point, turning
from mbsim.model.fields import Direction


class Universal(TableJoint):
    """Two perpendicular hinges in one point; `axes` are the first body's and the second body's, global at the start."""

    axes: list[Direction] = Field(min_length=2, max_length=2, description="hinge axis on the first and on the second body")
    ROWS = {3: [point(), perpendicular("z", "z")]}
    MOTIONS = {3: [turning("angle1"), turning("angle2", frame=1)]}

    @model_validator(mode="after")
    def _perpendicular(self) -> Any:
        product = sum(a * b for a, b in zip(*self.axes, strict=True))
        if abs(product) > 1e-6:
            raise ValueError(f"the two axes must be perpendicular (their cosine is {product:.3g})")
        return self

    def frames(self, dimension: int) -> tuple[Axes, Axes]:
        return frame_about(self.axes[0]), frame_about(self.axes[1])
