"""Helical joint (screw): the second body turns about `axis` and advances along it by `pitch` for each radian. Joint coordinates only."""

from pydantic import Field

from mbsim.joints._table import AxisJoint
from mbsim.kernels.primitives import HELICAL, Motion
from mbsim.model.fields import Number


class Helical(AxisJoint):
    """A screw and its nut. Coordinate: `angle`. In absolute coordinates its row would have to count turns, so it does not exist there."""

    pitch: Number = Field(description="advance along the axis per radian, m/rad; positive: right-handed")
    ROWS = {}
    MOTIONS = {3: [Motion(HELICAL, name="angle")]}
    NEEDS_AXIS = (3,)
