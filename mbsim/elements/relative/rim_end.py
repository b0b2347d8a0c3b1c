"""How far the place where the rim of a cylinder touches is beyond the ends of what it touches, or how nearly it lies flat.

Below zero where it is neither. What the geometry holds says `mbsim/kernels/spatial_rims.py`. The second rate is left out: nothing asks
for it.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_edges import store
from mbsim.kernels.spatial_rims import beyond

DIMENSIONS = (3,)
APART = "rims"


@helper
def spatial_measure(fi, fj, g, values, k):
    out, ex, ey, ez, ux, uy, uz, vx, vy, vz = beyond(fi, fj, g)
    store(fi, fj, ex, ey, ez, ux, uy, uz, vx, vy, vz, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = out, 0.0
