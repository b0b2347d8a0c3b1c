"""Perpendicular axes: an axis of each body stay perpendicular; their places are free. Three dimensions only."""

from mbsim.elements.primitives import perpendicular
from mbsim.joints._table import CrossedJoint


class PerpendicularAxes(CrossedJoint):
    """One row; `axes` are the first body's and the second body's, global at the start."""

    NEEDS_PLACE = False
    ROWS = {3: [perpendicular("z", "z")]}
