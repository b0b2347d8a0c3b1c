"""The gap of the rim of a cylinder where its place is within the ends of what it touches; elsewhere more.

What the geometry holds says `mbsim/kernels/spatial_rims.py`.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rims import gap, height_eta

DIMENSIONS = (3,)
APART = "rims"


@helper
def spatial_measure(fi, fj, g, values, k):
    values[k, VALUE] = gap(fi, fj, g, values[:, GRADIENT:], k)
    values[k, BIAS] = height_eta(fi, fj, g, False)
