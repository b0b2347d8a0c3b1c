"""How far a point on a face of a solid is beyond the edge of the face that is nearest; below zero within the face.

That is the second largest of its heights above faces. What the geometry holds says `mbsim/kernels/spatial_solids.py`.
"""

from mbsim.jit import helper
from mbsim.kernels import spatial_solids as solids
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import along_eta, along_row

DIMENSIONS = (3,)
APART = "solids"


@helper
def spatial_measure(fi, fj, g, values, k):
    x, y, z, beyond = solids.next_face(fi, fj, g)
    _, _, _, bend = solids.turn_of(fi, fj, g, x, y, z, 0.0)
    x, y, z = solids.from_solid(g, x, y, z)
    along_row(fi, fj, g, x, y, z, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = beyond, along_eta(fi, fj, g, x, y, z) + bend
