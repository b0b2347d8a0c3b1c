"""c_i . (omega_j - omega_i) = 0: a body does not turn on a plane, along a tangent of that or about its normal.

The multiplier is the couple of the plane on body j along c_i, the axis y_i of the geometry.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import swept, to_global
from mbsim.kernels.spatial_turning import turning_eta, turning_row

DIMENSIONS = (3,)
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, J, r):
    x, y, z = to_global(fi, g[12], g[13], g[14])
    turning_row(fi, fj, x, y, z, J, r)


@helper
def spatial_eta(fi, fj, g):
    x, y, z = swept(fi, g[12], g[13], g[14])
    return turning_eta(fi, fj, x, y, z)
