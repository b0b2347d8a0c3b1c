"""The height of an edge over another one where their nearest points are on both; elsewhere more than the least height.

What the geometry holds says `mbsim/kernels/spatial_edges.py`.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_edges import gap, height_eta

DIMENSIONS = (3,)
APART = "edges"


@helper
def spatial_measure(fi, fj, g, values, k):
    values[k, VALUE] = gap(fi, fj, g, values[:, GRADIENT:], k)
    values[k, BIAS] = height_eta(fi, fj, g)
