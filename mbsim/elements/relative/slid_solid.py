"""Slip of a ball or a corner on a solid along a tangent (`rows/slip_solid.py`): a rate alone, its value is zero."""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_solids import tangent_eta, tangent_row

DIMENSIONS = (3,)
APART = "solids"
FRICTION = "slip"


@helper
def spatial_measure(fi, fj, g, values, k):
    tangent_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = 0.0, tangent_eta(fi, fj, g)
