"""Cylindrical joint: one axis is shared; the second body turns about it and slides along it. Three dimensions only."""

from mbsim.elements.primitives import in_plane, perpendicular, sliding, turn, turning
from mbsim.joints._table import AxisJoint


class Cylindrical(AxisJoint):
    """A shaft in a long bush. Coordinates: `angle` about `axis`, `displacement` along it, as of revolute and prismatic."""

    SYMBOL = "sleeve"
    SUGGESTED = "usual"
    ROWS = {3: [in_plane("x"), in_plane("y"), perpendicular("x", "z"), perpendicular("y", "z")]}
    DRIVES = {"angle": {3: turn()}, "displacement": {3: in_plane("z")}}
    MOTIONS = {3: [turning("angle"), sliding("displacement")]}
    NEEDS_AXIS = (3,)
