"""Slip of an edge on another one along a tangent (`rows/slip_edges.py`): a rate alone, its value is zero."""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_edges import slip_eta, slip_row

DIMENSIONS = (3,)
APART = "edges"
FRICTION = "slip"


@helper
def spatial_measure(fi, fj, g, values, k):
    slip_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = 0.0, slip_eta(fi, fj, g)
