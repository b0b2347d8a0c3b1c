"""R (s - FLAT): how much an end of a cylinder is tilted beyond where it stands on points of its rim, s the sine of its angle.

What the geometry holds says `mbsim/kernels/spatial_rims.py`. The second rate is left out: nothing asks for it.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_edges import store
from mbsim.kernels.spatial_rim_faces import tilt

DIMENSIONS = (3,)
APART = "rims"


@helper
def spatial_measure(fi, fj, g, values, k):
    out, ex, ey, ez, ux, uy, uz, vx, vy, vz = tilt(fi, fj, g)
    store(fi, fj, ex, ey, ez, ux, uy, uz, vx, vy, vz, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = out, 0.0
