"""Parallel axes: an axis of each body stay parallel, in the plane the bodies do not turn against each other; their places are free."""

from mbsim.elements.primitives import angle, in_plane, perpendicular, sliding, turn
from mbsim.joints._table import AxisJoint


class ParallelAxes(AxisJoint):
    """Two shafts kept parallel. `x`, `y`, in space `z` are those of its point in the frame of the first body, `angle` is about the axis."""

    NEEDS_PLACE = False
    ROWS = {2: [angle()], 3: [perpendicular("x", "z"), perpendicular("y", "z")]}
    DRIVES = {
        "x": {2: in_plane("x"), 3: in_plane("x")},
        "y": {2: in_plane("y"), 3: in_plane("y")},
        "z": {3: in_plane("z")},
        "angle": {3: turn()},
    }
    MOTIONS = {2: [sliding("x", "x"), sliding("y", "y")]}
    NEEDS_AXIS = (3,)
