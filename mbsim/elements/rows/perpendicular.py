"""a_i . b_j = 0: two axes stay perpendicular."""

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import angle_eta, angle_phi, angle_row

COMMON = True
DIMENSIONS = (3,)


@helper
def spatial_row(fi, fj, g, J, r):
    angle_row(fi, fj, g[6], g[7], g[8], g, J, r)


@helper
def spatial_phi(fi, fj, g):
    return angle_phi(fi, fj, g[6], g[7], g[8], g)


@helper
def spatial_eta(fi, fj, g):
    return angle_eta(fi, fj, g[6], g[7], g[8], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, g)
