"""Revolute joint: the points coincide and one axis is shared; one relative rotation is free. `axis` is needed in three dimensions."""

from mbsim.elements.primitives import angle, perpendicular, point, turn, turning
from mbsim.joints._table import AxisJoint, MotorJoint


class Revolute(MotorJoint, AxisJoint):
    """A hinge. `angle` of a driver is the rotation of the second body against the first about `axis`, zero as the file draws it."""

    SYMBOL = "hinge"
    SUGGESTED = "usual"
    ROWS = {2: [point()], 3: [point(), perpendicular("x", "z"), perpendicular("y", "z")]}
    DRIVES = {"angle": {2: angle(), 3: turn()}}
    MOTIONS = {2: [turning("angle")], 3: [turning("angle")]}
    NEEDS_AXIS = (3,)
