"""Slip of the rim of a cylinder along a tangent (`rows/slip_rim.py`): a rate alone, its value is zero."""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rims import slip_eta, slip_row

DIMENSIONS = (3,)
APART = "rims"
FRICTION = "slip"


@helper
def spatial_measure(fi, fj, g, values, k):
    slip_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = 0.0, slip_eta(fi, fj, g)
