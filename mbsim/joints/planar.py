"""Planar joint: a face of the second body stays on a face of the first. Three dimensions only (in the plane that is `free`)."""

from mbsim.elements.primitives import in_plane, perpendicular, sliding, turn, turning
from mbsim.joints._table import AxisJoint


class Planar(AxisJoint):
    """A block on a table; `axis` is the normal. Coordinates: `x`, `y` of its point in the first body's face, `angle` about the normal."""

    SUGGESTED = "usual"
    ROWS = {3: [in_plane("z"), perpendicular("x", "z"), perpendicular("y", "z")]}
    DRIVES = {"x": {3: in_plane("x")}, "y": {3: in_plane("y")}, "angle": {3: turn()}}
    MOTIONS = {3: [sliding("x", "x"), sliding("y", "y"), turning("angle")]}
    NEEDS_AXIS = (3,)
