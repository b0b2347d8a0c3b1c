"""sin(theta - f(t)) = 0 for theta the angle from x_i to x_j about z; the multiplier is the torque about z.

The row is a(f) . x_j with a(f) = y_i cos f - x_i sin f, which is perpendicular to x_j where the angle is f; y_i is the c_i of the geometry.
Its constant is added to f, and is all of it where there is no law, as of a closed stop.
"""

from math import cos, sin

from mbsim.jit import helper
from mbsim.kernels.laws import law_of
from mbsim.kernels.spatial_rows import angle_eta, angle_phi, angle_row

COMMON = True
DIMENSIONS = (3,)
LAWS = "own"
QUARTER = 1.5707963267948966  # pi / 2


@helper
def moving_axis(g, f):
    """a(f) in body axes of i."""
    c, s = cos(f), sin(f)
    return c * g[12] - s * g[6], c * g[13] - s * g[7], c * g[14] - s * g[8]


@helper
def kept(g, laws, law):
    """The angle f, rad."""
    return g[15] + law_of(laws, law, 0)


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    angle = kept(g, laws, law)
    ax, ay, az = moving_axis(g, angle)
    angle_row(fi, fj, ax, ay, az, g, J, r)
    # da/df = -(x cos f + y sin f) = a(f + pi/2)
    ux, uy, uz = moving_axis(g, angle + QUARTER)
    xi[r] = law_of(laws, law, 1) * angle_phi(fi, fj, ux, uy, uz, g)


@helper
def spatial_phi(fi, fj, g, laws, law, phi, r):
    ax, ay, az = moving_axis(g, kept(g, laws, law))
    phi[r] = angle_phi(fi, fj, ax, ay, az, g)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    angle, rate, second = kept(g, laws, law), law_of(laws, law, 1), law_of(laws, law, 2)
    ax, ay, az = moving_axis(g, angle)
    bx, by, bz = moving_axis(g, angle + QUARTER)
    eta[r] = angle_eta(
        fi, fj, ax, ay, az, rate * bx, rate * by, rate * bz,
        second * bx - rate * rate * ax, second * by - rate * rate * ay, second * bz - rate * rate * az, g,
    )  # fmt: skip
