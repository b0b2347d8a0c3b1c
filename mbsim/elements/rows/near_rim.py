"""h = 0: the rim of a cylinder touches a face, or a line with a radius about it. The multiplier pushes them apart.

What h is, and what the geometry holds, says `mbsim/kernels/spatial_rims.py`.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_rims import height, height_eta, height_row

DIMENSIONS = (3,)
APART = "rims"


@helper
def spatial_row(fi, fj, g, J, r):
    height_row(fi, fj, g, J, r)


@helper
def spatial_phi(fi, fj, g):
    return height(fi, fj, g)


@helper
def spatial_eta(fi, fj, g):
    return height_eta(fi, fj, g, True)
