"""No velocity of a point across a blade; the multiplier is the force that keeps it.

Planar: a_i . (velocity of the point of i) = 0, j the ground. Spatial: across z_j (the blade) in the plane with the normal z_i; the
point is that of j, the force points along z_i x z_j.
"""

from mbsim.jit import helper
from mbsim.kernels.planar_rows import turned
from mbsim.kernels.spatial_rolling import slip_eta, slip_row

DIMENSIONS = (2, 3)
LAWS = "own"
LEVEL = "velocity"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    nx, ny = turned(fi, g[4], g[5])
    ax, ay = turned(fi, g[0], g[1])
    J[r, 0], J[r, 1], J[r, 2] = nx, ny, ax * ny - ay * nx
    xi[r] = 0.0


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    # a' = w (-a_y, a_x), S'' = -w^2 S, u = r' + w (-S_y, S_x)
    nx, ny = turned(fi, g[4], g[5])
    ax, ay = turned(fi, g[0], g[1])
    w = fi[7]
    ux, uy = fi[5] - w * ay, fi[6] + w * ax
    eta[r] = w * (nx * uy - ny * ux) - w * w * (nx * ax + ny * ay)


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    xi[r] = slip_row(True, fi, fj, g, laws, law, J, r)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = slip_eta(True, fi, fj, g, laws, law)
