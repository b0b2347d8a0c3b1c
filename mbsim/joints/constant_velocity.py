"""Constant velocity joint (Rzeppa's, Weiss's): the points coincide and the bodies do not twist, so both shafts turn at one speed.

Row: 2 z = 0 for (w, x, y, z) the unit quaternion from frame i to frame j. The turn by the angle b about the unit vector n makes it 2
sin(b / 2) n . z_i, so n stays across both shafts: the bodies are mirror images in the plane that halves the bend. Its rate is the
relative angular velocity along the unit vector halfway between z_i and z_j. With angular velocities w_i z_i and w_j z_j that is (w_j -
w_i) cos(b / 2): they are equal at any bend. At 180 degrees, which no real joint reaches, n is halfway, and the joint folds through.
"""

from typing import Self

from pydantic import model_validator

from mbsim.elements.primitives import point, twist
from mbsim.joints._table import Axes, AxesJoint, cosine, frame_about
from mbsim.model.rotations import cross

SHARPEST = -0.9  # cosine of the bend, 154 degrees: real joints stop at 50, and a shaft drawn backwards is the usual reason


class ConstantVelocity(AxesJoint):
    """`axes` are the shafts on the first and on the second body, both in the direction from the first to the second."""

    SYMBOL = "cross"
    ROWS = {3: [point(), twist()]}

    @model_validator(mode="after")
    def _bend(self) -> Self:
        if cosine(*self.axes) < SHARPEST:
            raise ValueError(
                "the shafts are drawn bent back (their cosine is below -0.9); give both axes in the sense from first to second"
            )
        return self

    def frames(self, dimension: int) -> tuple[Axes, Axes]:
        """The second frame is the first, turned the shortest way from one shaft to the other."""
        first = frame_about(self.axes[0])
        n, c = cross(*self.axes), cosine(*self.axes)
        turned = []
        for a in first:
            once = cross(n, a)
            turned.append([p + q + r / (1.0 + c) for p, q, r in zip(a, once, cross(n, once), strict=True)])
        return first, turned
