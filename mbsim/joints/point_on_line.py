"""Point on a line: a point of the second body stays on a line of the first; the body turns freely."""

from mbsim.elements.primitives import angle, in_plane, sliding, turning
from mbsim.joints._table import AxisJoint


class PointOnLine(AxisJoint):
    """A bead on a straight wire, fixed to a body. `displacement` is along `axis`, the line, from the joint's point on the first body."""

    SYMBOL = "bead"
    SUGGESTED = "rare"
    ROWS = {2: [in_plane("y")], 3: [in_plane("x"), in_plane("y")]}
    DRIVES = {"displacement": {2: in_plane("x"), 3: in_plane("z")}, "angle": {2: angle()}}
    MOTIONS = {2: [sliding("displacement", "x"), turning("angle")]}
    NEEDS_AXIS = (2, 3)
