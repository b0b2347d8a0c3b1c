"""d = 0: the point of the second body stays on that of the first."""

from mbsim.jit import helper
from mbsim.kernels.planar_rows import turned
from mbsim.kernels.spatial_rows import cross, separation, separation_bias

COMMON = True
DIMENSIONS = (2, 3)
LAWS = "own"
ROWS = "dimension"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    J[r, 0], J[r, 2], J[r, 3], J[r, 5] = -1.0, ay, 1.0, -by
    J[r + 1, 1], J[r + 1, 2], J[r + 1, 4], J[r + 1, 5] = -1.0, -ax, 1.0, bx
    xi[r], xi[r + 1] = 0.0, 0.0


@helper
def planar_phi(fi, fj, g, laws, law, phi, r):
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    phi[r] = fj[0] + bx - fi[0] - ax
    phi[r + 1] = fj[1] + by - fi[1] - ay


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    wi, wj = fi[7] * fi[7], fj[7] * fj[7]
    eta[r] = wi * ax - wj * bx
    eta[r + 1] = wi * ay - wj * by


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    for c in range(3):
        # row c of -A skew(s) is s x (row c of A), because e_c . A (w x s) = w . (s x A' e_c)
        o = 3 + 3 * c
        J[r + c, c], J[r + c, 6 + c] = -1.0, 1.0
        x, y, z = cross(g[0], g[1], g[2], fi[o], fi[o + 1], fi[o + 2])
        J[r + c, 3], J[r + c, 4], J[r + c, 5] = -x, -y, -z
        J[r + c, 9], J[r + c, 10], J[r + c, 11] = cross(g[3], g[4], g[5], fj[o], fj[o + 1], fj[o + 2])
        xi[r + c] = 0.0


@helper
def spatial_phi(fi, fj, g, laws, law, phi, r):
    phi[r], phi[r + 1], phi[r + 2] = separation(fi, fj, g)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    eta[r], eta[r + 1], eta[r + 2] = separation_bias(fi, fj, g)
