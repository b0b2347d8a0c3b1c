"""E . (velocity of j at the contact - that of i there) = 0: a ball or a corner does not slip on a solid along a tangent E.

What E is, and what the geometry holds, says `mbsim/kernels/spatial_solids.py`. The multiplier is the force on body j along E.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_solids import tangent_eta, tangent_row

DIMENSIONS = (3,)
APART = "solids"
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, J, r):
    tangent_row(fi, fj, g, J, r)


@helper
def spatial_eta(fi, fj, g):
    return tangent_eta(fi, fj, g)
