"""E . (omega_j - omega_i) = 0: a ball does not turn on a solid, along a tangent or along the normal n.

What E is, and what the geometry holds, says `mbsim/kernels/spatial_solids.py`; where g[19] is 2, E is n. The multiplier is the couple on
body j along E.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_solids import pivot_eta, pivot_row

DIMENSIONS = (3,)
APART = "solids"
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, J, r):
    pivot_row(fi, fj, g, J, r)


@helper
def spatial_eta(fi, fj, g):
    return pivot_eta(fi, fj, g)
