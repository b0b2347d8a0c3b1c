"""The turn psi of the straight part of a cable since the drawing, as the body of its first circle sees it: places as of a `strand`."""

from mbsim.elements.relative.strand import AIM_2, FIRST_3, FIRST_ANGLE, M_2, STRICT_2, STRICT_3, X_I, Y_I, in_plane_of
from mbsim.jit import helper
from mbsim.kernels import planar_rows as plane
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import along_eta, along_row, cross, separation, separation_rate, to_global
from mbsim.kernels.strands import tangent, turned_by, within

DIMENSIONS = (2, 3)
APART = "strands"


@helper
def bend(ell, ux, uy, x, y, vx, vy):
    """The second rate of the angle of u at a rate of w that is constant: of (n . w_dot)/ell."""
    across = (ux * vy - uy * vx) / ell
    return -across * (ux * vx + uy * vy + (x * vx + y * vy) / ell) / ell


@helper
def planar_measure(fi, fj, g, values, k):
    x, y = plane.separation(fi, fj, g)
    ell, ux, uy = tangent(x, y, g[M_2])
    plane.along_row(fi, fj, g, -uy / ell, ux / ell, values[:, GRADIENT:], k)
    vx, vy = plane.separation_rate(fi, fj, g)
    turn = within(turned_by(ux, uy, g[AIM_2], g[AIM_2 + 1]), g[STRICT_2])
    values[k, VALUE] = turn - fi[4] + g[FIRST_ANGLE]
    values[k, BIAS] = plane.along_eta(fi, fj, g, -uy / ell, ux / ell) + bend(ell, ux, uy, x, y, vx + fi[7] * y, vy - fi[7] * x)


@helper
def spatial_measure(fi, fj, g, values, k):
    wx, wy, wz = separation(fi, fj, g)
    x, y = in_plane_of(fi, g, X_I, Y_I, wx, wy, wz)
    ell, ux, uy = tangent(x, y, g[FIRST_3])
    a, b = -uy / ell, ux / ell
    ax, ay, az = a * g[X_I] + b * g[Y_I], a * g[X_I + 1] + b * g[Y_I + 1], a * g[X_I + 2] + b * g[Y_I + 2]
    along_row(fi, fj, g, ax, ay, az, values[:, GRADIENT:], k)
    vx, vy, vz = separation_rate(fi, fj, g)
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    ox, oy, oz = cross(ox, oy, oz, wx, wy, wz)
    vx, vy = in_plane_of(fi, g, X_I, Y_I, vx - ox, vy - oy, vz - oz)
    values[k, VALUE] = within(turned_by(ux, uy, 1.0, 0.0), g[STRICT_3])
    values[k, BIAS] = along_eta(fi, fj, g, ax, ay, az) + bend(ell, ux, uy, x, y, vx, vy)
