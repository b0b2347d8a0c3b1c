"""The distance of a ball's centre from a solid; of a point from a sharp one, its height above the face that it is highest above.

What the geometry holds says `mbsim/kernels/spatial_solids.py`.
"""

from mbsim.jit import helper
from mbsim.kernels import spatial_solids as solids
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import along_eta, along_row

DIMENSIONS = (3,)
APART = "solids"


@helper
def spatial_measure(fi, fj, g, values, k):
    nx, ny, nz, length = solids.nearest(fi, fj, g, False)
    _, _, _, bend = solids.turn_of(fi, fj, g, nx, ny, nz, length)
    x, y, z = solids.from_solid(g, nx, ny, nz)
    along_row(fi, fj, g, x, y, z, values[:, GRADIENT:], k)
    values[k, VALUE] = length
    values[k, BIAS] = along_eta(fi, fj, g, x, y, z) + bend
