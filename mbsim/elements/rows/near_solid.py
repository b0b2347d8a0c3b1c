"""|r| = D: the centre of a ball stays D from a solid; a point stays in the plane of its face (D = 0). The multiplier pushes outwards.

What r is, and what the geometry holds, says `mbsim/kernels/spatial_solids.py`; g[15] is D.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import along_eta, along_row
from mbsim.kernels.spatial_solids import from_solid, nearest, turn_of

DIMENSIONS = (3,)
APART = "solids"


@helper
def spatial_row(fi, fj, g, J, r):
    x, y, z, _ = nearest(fi, fj, g, True)
    x, y, z = from_solid(g, x, y, z)
    along_row(fi, fj, g, x, y, z, J, r)


@helper
def spatial_phi(fi, fj, g):
    _, _, _, length = nearest(fi, fj, g, True)
    return length - g[15]


@helper
def spatial_eta(fi, fj, g):
    nx, ny, nz, length = nearest(fi, fj, g, True)
    _, _, _, bend = turn_of(fi, fj, g, nx, ny, nz, length)
    x, y, z = from_solid(g, nx, ny, nz)
    return along_eta(fi, fj, g, x, y, z) + bend
