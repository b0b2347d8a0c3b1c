"""Slip of a ball on another one, or inside a hollow one, along a tangent (`rows/slip_round.py`): a rate alone, its value is zero."""

from mbsim.elements.rows.slip_round import spatial_eta, spatial_row
from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE

DIMENSIONS = (3,)
APART = "rounds"
FRICTION = "slip"


@helper
def spatial_measure(fi, fj, g, values, k):
    spatial_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = 0.0, spatial_eta(fi, fj, g)
