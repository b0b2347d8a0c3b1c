"""n . d = D: two edges stay D from each other along the direction n across both. The multiplier pushes them apart.

What n and d are, and what the geometry holds, says `mbsim/kernels/spatial_edges.py`; g[15] is D.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_edges import height, height_eta, height_row, store

DIMENSIONS = (3,)
APART = "edges"


@helper
def spatial_row(fi, fj, g, J, r):
    ex, ey, ez, ux, uy, uz, vx, vy, vz = height_row(fi, fj, g)
    store(fi, fj, ex, ey, ez, ux, uy, uz, vx, vy, vz, J, r)


@helper
def spatial_phi(fi, fj, g):
    return height(fi, fj, g) - g[15]


@helper
def spatial_eta(fi, fj, g):
    return height_eta(fi, fj, g)
