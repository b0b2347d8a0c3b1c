"""How fast a cylinder turns on what its rim touches, along a tangent or the normal (`rows/pivot_rim.py`): a rate, its value is zero."""

from mbsim.elements.rows.pivot_rim import spatial_eta, spatial_row
from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE

DIMENSIONS = (3,)
APART = "rims"
FRICTION = "turn"


@helper
def spatial_measure(fi, fj, g, values, k):
    spatial_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = 0.0, spatial_eta(fi, fj, g)
