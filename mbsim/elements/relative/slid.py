"""Slip of a ball, or with R = 0 of a point, along a tangent of a plane (`rows/slip.py`): a rate alone, its value is zero."""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rolling import slip_eta, slip_row

DIMENSIONS = (3,)
FRICTION = "slip"


@helper
def spatial_measure(fi, fj, g, values, k):
    slip_row(False, fi, fj, g, values, -1, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = 0.0, slip_eta(False, fi, fj, g, values, -1)
