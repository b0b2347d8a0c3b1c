"""E . (velocity of j at the contact - that of i there) = 0: an edge does not slip on another one along a tangent E.

What E is, and what the geometry holds, says `mbsim/kernels/spatial_edges.py`. The multiplier is the force on body j along E.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_edges import slip_eta, slip_row

DIMENSIONS = (3,)
APART = "edges"
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, J, r):
    slip_row(fi, fj, g, J, r)


@helper
def spatial_eta(fi, fj, g):
    return slip_eta(fi, fj, g)
