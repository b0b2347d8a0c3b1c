"""Spherical joint: the points coincide; all relative rotations are free. Three dimensions only (planar: use revolute)."""

from mbsim.elements.primitives import BALL, Motion, point
from mbsim.joints._table import MotorJoint


class Spherical(MotorJoint):
    """A ball and socket."""

    SYMBOL = "ball"
    SUGGESTED = "usual"
    INSTEAD = {2: "revolute"}
    ROWS = {3: [point()]}
    MOTIONS = {3: [Motion(BALL)]}
