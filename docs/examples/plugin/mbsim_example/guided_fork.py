"""Guided fork: a point slides along the first body's axis, and the second body cannot turn about the first body's x axis."""

from mbsim.elements.primitives import in_plane, perpendicular
from mbsim.joints._table import AxisJoint


class GuidedFork(AxisJoint):
    """Three rows in space. `axis` is the direction of the slide; the coordinate `displacement` is along it."""

    SYMBOL = "block"
    ROWS = {3: [in_plane("x"), in_plane("y"), perpendicular("x", "z")]}
    DRIVES = {"displacement": {3: in_plane("z")}}
    NEEDS_AXIS = (3,)
