"""The straight part of a cable between two circles, with what is wound on both since the drawing (`mbsim.kernels.strands`).

ell + m psi + R_j theta: psi is the turn of its direction as the first body sees it, theta that of the second body against the first, both
since the drawing. Its rate is that of the two bodies' points where the cable touches, along the cable: so a body that turns under the cable
winds it up. The rest of a length about a circle, between two such parts, is a constant.

In space psi and theta are about the axis of the first circle, and the second is taken to lie across it, too: this is exact where the axes
are parallel. The cable may lead out of the plane of the first circle by h: ell becomes L = sqrt(ell^2 + h^2). With c = 1/L - 1/ell the rate
of L + m psi is (u + c w_plane + h/L z) . w_dot.
"""

from math import cos, pi, sqrt

from mbsim.elements.rows.screw import turning
from mbsim.jit import helper
from mbsim.kernels import planar_rows as plane
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import along_eta, along_row, angle_row, cross, separation, separation_rate, to_body, to_global
from mbsim.kernels.strands import tangent, turned_by, unknown, within

DIMENSIONS = (2, 3)
# Planar: both centres (2 + 2), then these; u of the drawing in global axes, and the angles of both bodies there.
M_2, SECOND_2, AIM_2, FIRST_ANGLE, SECOND_ANGLE, STRICT_2 = 4, 5, 6, 8, 9, 10
# Spatial: both centres (3 + 3), x_i, x_j, y_i, then these; u of the drawing along x_i and y_i, z_j.
M_3, SECOND_3, AIM_3, STRICT_3, AXIS = 15, 16, 17, 19, 20
TILTED = cos(pi / 6.0)  # of the axes of two circles, beyond which they are not taken as parallel


@helper
def planar_measure(fi, fj, g, values, k):
    x, y = plane.separation(fi, fj, g)
    ell, ux, uy = tangent(x, y, g[M_2])
    first, wi = fi[4] - g[FIRST_ANGLE], fi[7]
    turn = within(turned_by(ux, uy, g[AIM_2], g[AIM_2 + 1]), g[STRICT_2] * abs(g[M_2])) - first
    plane.along_row(fi, fj, g, ux, uy, values[:, GRADIENT:], k)
    values[k, GRADIENT + 2] -= g[SECOND_2]
    values[k, GRADIENT + 5] += g[SECOND_2]
    vx, vy = plane.separation_rate(fi, fj, g)
    across = ux * (vy - wi * x) - uy * (vx + wi * y)
    values[k, VALUE] = ell + g[M_2] * turn + g[SECOND_2] * (fj[4] - g[SECOND_ANGLE] - first)
    values[k, BIAS] = plane.along_eta(fi, fj, g, ux, uy) + across * across / ell


@helper
def seen(g, x, y, z):
    """A vector in body axes of i, along the axes x, y, z of the circle on it."""
    zx, zy, zz = cross(g[6], g[7], g[8], g[12], g[13], g[14])
    return x * g[6] + y * g[7] + z * g[8], x * g[12] + y * g[13] + z * g[14], x * zx + y * zy + z * zz


@helper
def apart(fi, fj, g):
    """w along the circle's axes."""
    dx, dy, dz = separation(fi, fj, g)
    dx, dy, dz = to_body(fi, dx, dy, dz)
    return seen(g, dx, dy, dz)


@helper
def laid(g, a, b, c):
    """The vector with these components along the circle's axes, in body axes of i."""
    zx, zy, zz = cross(g[6], g[7], g[8], g[12], g[13], g[14])
    return a * g[6] + b * g[12] + c * zx, a * g[7] + b * g[13] + c * zy, a * g[8] + b * g[14] + c * zz


@helper
def relative_rate(fi, fj, g, x, y, z):
    """The rate of w = (x, y, z) as the circle on i sees it, along the circle's axes."""
    vx, vy, vz = separation_rate(fi, fj, g)
    vx, vy, vz = to_body(fi, vx, vy, vz)
    a, b, c = seen(g, vx, vy, vz)
    ox, oy, oz = seen(g, fi[15], fi[16], fi[17])
    sx, sy, sz = cross(ox, oy, oz, x, y, z)
    return a - sx, b - sy, c - sz


@helper
def spatial_measure(fi, fj, g, values, k):
    x, y, h = apart(fi, fj, g)
    ell, ux, uy = tangent(x, y, g[M_3])
    length = sqrt(ell * ell + h * h)
    c = 1.0 / length - 1.0 / ell
    ax, ay, az = laid(g, ux + c * x, uy + c * y, h / length)
    vx, vy, vz = relative_rate(fi, fj, g, x, y, h)
    across, outward = ux * vy - uy * vx, x * vx + y * vy
    ell_dot = outward / ell
    length_dot = (ell * ell_dot + h * vz) / length
    bend = across * across / ell + (ell_dot / (ell * ell) - length_dot / (length * length)) * outward + c * (vx * vx + vy * vy)
    bend += (vz / length - h * length_dot / (length * length)) * vz
    value = length + g[M_3] * within(turned_by(ux, uy, g[AIM_3], g[AIM_3 + 1]), g[STRICT_3] * abs(g[M_3]))
    bias = along_eta(fi, fj, g, ax, ay, az) + bend
    R = g[SECOND_3]
    if R != 0.0:
        angle, bx, by, bz, second = turning(fi, fj, g, g[6], g[7], g[8])
        zx, zy, zz = to_global(fj, g[AXIS], g[AXIS + 1], g[AXIS + 2])
        zx, zy, zz = to_body(fi, zx, zy, zz)
        _, _, along = seen(g, zx, zy, zz)
        value += R * (angle if along > TILTED else unknown(angle))
        bias += R * second
        angle_row(fi, fj, bx, by, bz, g, values[:, GRADIENT:], k)
        o = GRADIENT + 3
        px, py, pz = R * values[k, o], R * values[k, o + 1], R * values[k, o + 2]
        qx, qy, qz = R * values[k, o + 6], R * values[k, o + 7], R * values[k, o + 8]
        along_row(fi, fj, g, ax, ay, az, values[:, GRADIENT:], k)
        values[k, o], values[k, o + 1], values[k, o + 2] = values[k, o] + px, values[k, o + 1] + py, values[k, o + 2] + pz
        values[k, o + 6], values[k, o + 7], values[k, o + 8] = values[k, o + 6] + qx, values[k, o + 7] + qy, values[k, o + 8] + qz
    else:
        along_row(fi, fj, g, ax, ay, az, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = value, bias
