"""Prismatic joint: one relative translation along `axis` is free, no rotation."""

from mbsim.elements.primitives import angle, in_plane, perpendicular, sliding
from mbsim.joints._table import AxisJoint, MotorJoint


class Prismatic(MotorJoint, AxisJoint):
    """A slide. `displacement` of a driver is measured along `axis` from the joint's point on the first body to that on the second."""

    SYMBOL = "block"
    SUGGESTED = "usual"
    ROWS = {
        2: [in_plane("y"), angle()],
        3: [in_plane("x"), in_plane("y"), perpendicular("x", "z"), perpendicular("y", "z"), perpendicular("x", "y")],
    }
    DRIVES = {"displacement": {2: in_plane("x"), 3: in_plane("z")}}
    MOTIONS = {2: [sliding("displacement", "x")], 3: [sliding("displacement")]}
    NEEDS_AXIS = (2, 3)
