"""How fast what is round turns on an edge, along a tangent or the normal (`rows/pivot_edges.py`): a rate alone, its value is zero."""

from mbsim.elements.rows.pivot_edges import spatial_eta, spatial_row
from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE

DIMENSIONS = (3,)
APART = "edges"
FRICTION = "turn"


@helper
def spatial_measure(fi, fj, g, values, k):
    spatial_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = 0.0, spatial_eta(fi, fj, g)
