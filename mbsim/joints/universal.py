"""Universal joint (Hooke's, Cardan): the points coincide; the first axis, fixed in the first body, stays perpendicular to the second."""

from mbsim.joints._table import CrossedJoint
from mbsim.kernels.primitives import perpendicular, point, turning


class Universal(CrossedJoint):
    """Two perpendicular hinges in one point; `axes` are the first body's and the second body's, global at the start."""

    ROWS = {3: [point(), perpendicular("z", "z")]}
    MOTIONS = {3: [turning("angle1"), turning("angle2", frame=1)]}
