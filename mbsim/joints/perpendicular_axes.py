"""Perpendicular axes: an axis of each body stay perpendicular; their places are free. Three dimensions only."""

from mbsim.joints._table import CrossedJoint
from mbsim.kernels.primitives import perpendicular, sliding, turning


class PerpendicularAxes(CrossedJoint):
    """One row. Coordinates: `x`, `y`, `z` of its point in the first body's frame, `angle1`, `angle2` about the two axes."""

    NEEDS_PLACE = False
    ROWS = {3: [perpendicular("z", "z")]}
    MOTIONS = {3: [sliding("x", "x"), sliding("y", "y"), sliding("z"), turning("angle1"), turning("angle2", frame=1)]}
