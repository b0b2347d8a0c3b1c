"""z_i . d - p theta = 0 up to whole threads 2 pi p, for theta the angle from x_i to x_j about z.

Whole threads do not matter because the row is known to hold at the start: what is left of them is the violation, and it is small.
In the geometry a_i is z_i and c_i is y_i, b_j is x_j, and g[15] the pitch.
"""

from math import atan2, floor, pi

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import angle_eta, angle_phi, angle_row, cross, plane_eta, plane_phi, plane_row, product_rate

DIMENSIONS = (3,)
PITCH = 15


@helper
def turning(fi, fj, g, x, y, z):
    """theta = atan2(s, c), a with theta_dot the rate of a . x_j at a held, and its second rate at constant velocities.

    (x, y, z) = x_i, c = x_i . x_j and s = y_i . x_j, y_i the c_i of the geometry.
    """
    c, s = angle_phi(fi, fj, x, y, z, g), angle_phi(fi, fj, g[12], g[13], g[14], g)
    squared = c * c + s * s
    ax, ay, az = (c * g[12] - s * x) / squared, (c * g[13] - s * y) / squared, (c * g[14] - s * z) / squared
    stretch = product_rate(fi, fj, c * x + s * g[12], c * y + s * g[13], c * z + s * g[14], g)  # c c' + s s'
    turn = product_rate(fi, fj, ax, ay, az, g)
    second = angle_eta(fi, fj, ax, ay, az, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, g) - 2.0 * stretch * turn / squared
    return atan2(s, c), ax, ay, az, second


@helper
def threaded(fi, fj, g):
    """The same of the joint, whose a_i is z_i."""
    x, y, z = cross(g[12], g[13], g[14], g[6], g[7], g[8])
    return turning(fi, fj, g, x, y, z)


@helper
def spatial_row(fi, fj, g, J, r):
    _, ax, ay, az, _ = threaded(fi, fj, g)
    angle_row(fi, fj, ax, ay, az, g, J, r)
    a, b, c, d, e, f = J[r, 3], J[r, 4], J[r, 5], J[r, 9], J[r, 10], J[r, 11]
    plane_row(fi, fj, g, J, r)
    p = g[PITCH]
    J[r, 3], J[r, 4], J[r, 5] = J[r, 3] - p * a, J[r, 4] - p * b, J[r, 5] - p * c
    J[r, 9], J[r, 10], J[r, 11] = J[r, 9] - p * d, J[r, 10] - p * e, J[r, 11] - p * f


@helper
def spatial_phi(fi, fj, g):
    angle = threaded(fi, fj, g)[0]
    thread = 2.0 * pi * g[PITCH]
    off = plane_phi(fi, fj, g) - g[PITCH] * angle
    return off - thread * floor(off / thread + 0.5) if thread != 0.0 else off


@helper
def spatial_eta(fi, fj, g):
    return plane_eta(fi, fj, g) - g[PITCH] * threaded(fi, fj, g)[4]
