"""2 z = 0 for (w, x, y, z) the unit quaternion from frame i to frame j: the turn is about an axis across z_i and z_j.

Its rate is that of the relative angular velocity along the unit vector halfway between z_i and z_j, so two shafts along them turn
at one speed. Of products of axes it would be (y_i . x_j - x_i . y_j) / 2 = 2 w z, which vanishes in every turn by 180 degrees, too.
geometry: the quaternions of the joint's axes in both bodies, [0:4] and [4:8].
"""

from mbsim.jit import helper
from mbsim.kernels.rotations import product
from mbsim.kernels.spatial_rows import cross, to_body, to_global

DIMENSIONS = (3,)
ATTITUDES = True


@helper
def axes_turn(fi, fj, g):
    """The quaternion (w, x, y, z) from the joint's axes in body i to those in body j."""
    w, x, y, z = product(fi[18], fi[19], fi[20], fi[21], g[0], g[1], g[2], g[3])
    a, b, c, d = product(fj[18], fj[19], fj[20], fj[21], g[4], g[5], g[6], g[7])
    return product(w, -x, -y, -z, a, b, c, d)


@helper
def from_axes(g, x, y, z):
    """A vector along the axes in body j, in body axes."""
    a, b, c, d = product(g[4], g[5], g[6], g[7], 0.0, x, y, z)
    a, b, c, d = product(a, b, c, d, g[4], -g[5], -g[6], -g[7])
    return b, c, d


@helper
def to_axes(g, x, y, z):
    """A vector in body axes of j, along the axes there."""
    a, b, c, d = product(g[4], -g[5], -g[6], -g[7], 0.0, x, y, z)
    a, b, c, d = product(a, b, c, d, g[4], g[5], g[6], g[7])
    return b, c, d


@helper
def spatial_row(fi, fj, g, J, r):
    w, x, y, _ = axes_turn(fi, fj, g)
    a, b, c = from_axes(g, -y, x, w)
    J[r, 9], J[r, 10], J[r, 11] = a, b, c
    a, b, c = to_global(fj, a, b, c)
    a, b, c = to_body(fi, a, b, c)
    J[r, 3], J[r, 4], J[r, 5] = -a, -b, -c


@helper
def spatial_phi(fi, fj, g):
    return 2.0 * axes_turn(fi, fj, g)[3]


@helper
def spatial_eta(fi, fj, g):
    w, x, y, z = axes_turn(fi, fj, g)
    a, b, c = to_global(fi, fi[15], fi[16], fi[17])
    a, b, c = to_body(fj, a, b, c)  # omega of i in body axes of j, which turn
    d, e, f = cross(fj[15], fj[16], fj[17], a, b, c)
    d, e, f = to_axes(g, d, e, f)
    a, b, c = to_axes(g, fj[15] - a, fj[16] - b, fj[17] - c)
    w_dot, x_dot, y_dot = -0.5 * (x * a + y * b + z * c), 0.5 * (w * a + y * c - z * b), 0.5 * (w * b + z * a - x * c)
    return x_dot * b - y_dot * a + w_dot * c + x * e - y * d + w * f
