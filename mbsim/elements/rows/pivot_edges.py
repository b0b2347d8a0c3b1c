"""E . (omega_j - omega_i) = 0: what is round about an edge does not turn on another edge, along a tangent or along the normal n.

What E is, and what the geometry holds, says `mbsim/kernels/spatial_edges.py`; where g[31] is 2, E is n. The multiplier is the couple on
body j along E.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_edges import pivot_eta, pivot_row

DIMENSIONS = (3,)
APART = "edges"
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, J, r):
    pivot_row(fi, fj, g, J, r)


@helper
def spatial_eta(fi, fj, g):
    return pivot_eta(fi, fj, g)
