"""E . (velocity of j at the contact - that of i there) = 0: the rim of a cylinder does not slip along a tangent E.

What E is, and what the geometry holds, says `mbsim/kernels/spatial_rims.py`. The multiplier is the force on body j along E.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_rims import slip_eta, slip_row

DIMENSIONS = (3,)
APART = "rims"
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, J, r):
    slip_row(fi, fj, g, J, r)


@helper
def spatial_eta(fi, fj, g):
    return slip_eta(fi, fj, g)
