"""How far the nearest points of two edges are beyond their ends; below zero where both are on the edges.

What the geometry holds says `mbsim/kernels/spatial_edges.py`. The second rate is left out: nothing asks for it.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_edges import beyond, store

DIMENSIONS = (3,)
APART = "edges"


@helper
def spatial_measure(fi, fj, g, values, k):
    out, ex, ey, ez, ux, uy, uz, vx, vy, vz = beyond(fi, fj, g)
    store(fi, fj, ex, ey, ez, ux, uy, uz, vx, vy, vz, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = out, 0.0
