"""A disk or a ball of radius R touches a plane; in the plane, a disk touches a line: n_i . d = R sqrt(1 - (n_i . b_j)^2).

b_j is the axis of a disk, and zero of a ball. The plane may move (`spatial_rolling.py`, `planar_rows.line_law`). The multiplier is the
force of the plane on body j along n.
"""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.laws import laws_of
from mbsim.kernels.planar_rows import line_law
from mbsim.kernels.spatial_rolling import lean
from mbsim.kernels.spatial_rows import angle_eta, angle_row, plane_eta, plane_phi, plane_row, product_rate

DIMENSIONS = (2, 3)
LAWS = "own"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    planar.plane_row(fi, fj, g, J, r)
    xi[r] = -line_law(laws, law, 1, g)


@helper
def planar_phi(fi, fj, g, laws, law, phi, r):
    phi[r] = planar.plane_phi(fi, fj, g) - g[7] - line_law(laws, law, 0, g)


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = planar.plane_eta(fi, fj, g) - line_law(laws, law, 2, g)


@helper
def lowest_row(fi, fj, g, J, r):
    """The body blocks of the row in J[r], the plane at rest."""
    _, _, _, _, _, _, c, s = lean(fi, fj, g)
    k = g[15] * c / s
    angle_row(fi, fj, g[6], g[7], g[8], g, J, r)
    ax, ay, az, bx, by, bz = J[r, 3], J[r, 4], J[r, 5], J[r, 9], J[r, 10], J[r, 11]
    plane_row(fi, fj, g, J, r)
    J[r, 3], J[r, 4], J[r, 5] = J[r, 3] + k * ax, J[r, 4] + k * ay, J[r, 5] + k * az
    J[r, 9], J[r, 10], J[r, 11] = J[r, 9] + k * bx, J[r, 10] + k * by, J[r, 11] + k * bz


@helper
def lowest_eta(fi, fj, g):
    """eta of the row, the plane at rest."""
    _, _, _, _, _, _, c, s = lean(fi, fj, g)
    rate = product_rate(fi, fj, g[6], g[7], g[8], g)
    bias = angle_eta(fi, fj, g[6], g[7], g[8], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, g)
    return plane_eta(fi, fj, g) + g[15] * (c * bias / s + rate * rate / (s * s * s))


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    lowest_row(fi, fj, g, J, r)
    x, y, z = laws_of(laws, law, 1)
    xi[r] = -(g[6] * x + g[7] * y + g[8] * z)


@helper
def spatial_phi(fi, fj, g, laws, law, phi, r):
    _, _, _, _, _, _, _, s = lean(fi, fj, g)
    x, y, z = laws_of(laws, law, 0)
    phi[r] = plane_phi(fi, fj, g) - g[15] * s - (g[6] * x + g[7] * y + g[8] * z)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    x, y, z = laws_of(laws, law, 2)
    eta[r] = lowest_eta(fi, fj, g) - (g[6] * x + g[7] * y + g[8] * z)
