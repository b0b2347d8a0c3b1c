"""K x + D (rates) - preload between a frame on each of two bodies, on the first; x and the rates are those seen from the first body.

x is in the plane [displacement (2), angle], in space [displacement (3), rotation vector theta (3)], in the axes on the first body; the
elastic torque does the work of K x on theta (`mbsim/forces/bushing.py`).
"""

from math import atan2, pi, sqrt, tan

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.spatial_rows import cross, point_of, push_pair, to_body, to_global, velocity_at

DIMENSIONS = (2, 3)
NUMBERS = 103
# After a point of each body. Planar: x axis on i (2), angle as drawn, then the matrices row by row.
AXIS, DRAWN, STIFFNESS_2, DAMPING_2, PRELOAD_2 = 6, 8, 9, 18, 27
# Spatial: the three axes on each body (9 numbers each), whether turns matter, then the matrices row by row.
AXES_I, AXES_J, TURNS, STIFFNESS_3, DAMPING_3, PRELOAD_3 = 6, 15, 24, 25, 61, 97
KNOWN = 0.95 * pi  # the rotation vector jumps at pi
SMALL = 1e-4  # angle below which a series is exact to round-off


@helper
def planar_deflection(fi, fj, p):
    """(x, y) of the point on j in the axes on i, angle; point on j; x axis."""
    ax, ay = planar.point_of(fi, p[0], p[1])
    px, py = planar.point_of(fj, p[3], p[4])
    cx, cy = planar.turned(fi, p[AXIS], p[AXIS + 1])
    dx, dy = px - ax, py - ay
    return cx * dx + cy * dy, cx * dy - cy * dx, fj[4] - fi[4] - p[DRAWN], px, py, cx, cy


@helper
def times_3(p, at, x, y, z):
    """A row of a 3 x 3 matrix times (x, y, z)."""
    return p[at] * x + p[at + 1] * y + p[at + 2] * z


@helper
def planar_force(arrays, i, j, law, p, h):
    fi, fj = arrays.frames[i], arrays.frames[j]
    x, y, angle, px, py, cx, cy = planar_deflection(fi, fj, p)
    ax, ay = planar.velocity_at(fi, px, py)
    bx, by = planar.velocity_at(fj, px, py)
    u, v, w = cx * (bx - ax) + cy * (by - ay), cx * (by - ay) - cy * (bx - ax), fj[7] - fi[7]
    du, dv, dw = times_3(p, DAMPING_2, u, v, w), times_3(p, DAMPING_2 + 3, u, v, w), times_3(p, DAMPING_2 + 6, u, v, w)
    fx = times_3(p, STIFFNESS_2, x, y, angle) + du - p[PRELOAD_2]
    fy = times_3(p, STIFFNESS_2 + 3, x, y, angle) + dv - p[PRELOAD_2 + 1]
    torque = times_3(p, STIFFNESS_2 + 6, x, y, angle) + dw - p[PRELOAD_2 + 2]
    planar.push_pair(arrays.frames, h, i, j, cx * fx - cy * fy, cy * fx + cx * fy, px, py, torque)
    return -du * u - dv * v - dw * w


@helper
def planar_energy(arrays, i, j, law, p):
    x, y, angle, _, _, _, _ = planar_deflection(arrays.frames[i], arrays.frames[j], p)
    elastic = x * times_3(p, STIFFNESS_2, x, y, angle) + y * times_3(p, STIFFNESS_2 + 3, x, y, angle)
    elastic = elastic + angle * times_3(p, STIFFNESS_2 + 6, x, y, angle)
    return 0.5 * elastic - p[PRELOAD_2] * x - p[PRELOAD_2 + 1] * y - p[PRELOAD_2 + 2] * angle


@helper
def to_axes(f, p, x, y, z):
    """Global to the bushing's axes on body i, whose frame is f."""
    x, y, z = to_body(f, x, y, z)
    return p[6] * x + p[7] * y + p[8] * z, p[9] * x + p[10] * y + p[11] * z, p[12] * x + p[13] * y + p[14] * z


@helper
def from_axes(f, p, x, y, z):
    """The bushing's axes on body i to global."""
    return to_global(f, p[6] * x + p[9] * y + p[12] * z, p[7] * x + p[10] * y + p[13] * z, p[8] * x + p[11] * y + p[14] * z)


@helper
def rotation_vector(fi, fj, p):
    """theta of the rotation from the axes on i to those on j, in the former; NaN near half a turn."""
    r0, r3, r6 = to_axes(fi, p, *to_global(fj, p[15], p[16], p[17]))
    r1, r4, r7 = to_axes(fi, p, *to_global(fj, p[18], p[19], p[20]))
    r2, r5, r8 = to_axes(fi, p, *to_global(fj, p[21], p[22], p[23]))
    x, y, z, cosine = 0.5 * (r7 - r5), 0.5 * (r2 - r6), 0.5 * (r3 - r1), 0.5 * (r0 + r4 + r8 - 1.0)
    sine = sqrt(x * x + y * y + z * z)
    angle = atan2(sine, cosine)
    scale = angle / sine if sine > SMALL else 1.0 + angle * angle / 6.0
    if angle > KNOWN:
        scale = angle / 0.0 - angle / 0.0
    return scale * x, scale * y, scale * z


@helper
def spatial_deflection(fi, fj, p):
    """(Place of the point on j in the axes on i, rotation vector), and that point, global."""
    ax, ay, az = point_of(fi, p[0], p[1], p[2])
    px, py, pz = point_of(fj, p[3], p[4], p[5])
    x, y, z = to_axes(fi, p, px - ax, py - ay, pz - az)
    a, b, c = 0.0, 0.0, 0.0
    if p[TURNS] > 0.0:
        a, b, c = rotation_vector(fi, fj, p)
    return (x, y, z, a, b, c), (px, py, pz)


@helper
def times_6(p, at, x):
    """A row of a 6 x 6 matrix times x."""
    s = 0.0
    for c in range(6):
        s += p[at + c] * x[c]
    return s


@helper
def conjugate(a, b, c, x, y, z):
    """The torque that does the work (x, y, z) . theta_dot: J^-T with theta_dot = J^-1 omega, J the left Jacobian of the exponential map."""
    squared = a * a + b * b + c * c
    angle = sqrt(squared)
    factor = (1.0 - 0.5 * angle / tan(0.5 * angle)) / squared if angle > 10.0 * SMALL else 1.0 / 12.0 + squared / 720.0
    ux, uy, uz = cross(a, b, c, x, y, z)
    wx, wy, wz = cross(a, b, c, ux, uy, uz)
    return x + 0.5 * ux + factor * wx, y + 0.5 * uy + factor * wy, z + 0.5 * uz + factor * wz


@helper
def elastic(p, c, x):
    """Component c of K x - preload."""
    return times_6(p, STIFFNESS_3 + 6 * c, x) - p[PRELOAD_3 + c]


@helper
def spatial_force(arrays, i, j, law, p, h):
    fi, fj = arrays.frames[i], arrays.frames[j]
    x, (px, py, pz) = spatial_deflection(fi, fj, p)
    fx, fy, fz = elastic(p, 0, x), elastic(p, 1, x), elastic(p, 2, x)
    tx, ty, tz = conjugate(x[3], x[4], x[5], elastic(p, 3, x), elastic(p, 4, x), elastic(p, 5, x))
    ax, ay, az = velocity_at(fi, px, py, pz)
    bx, by, bz = velocity_at(fj, px, py, pz)
    ux, uy, uz = to_axes(fi, p, bx - ax, by - ay, bz - az)
    ax, ay, az = to_global(fi, fi[15], fi[16], fi[17])
    bx, by, bz = to_global(fj, fj[15], fj[16], fj[17])
    wx, wy, wz = to_axes(fi, p, bx - ax, by - ay, bz - az)
    u = (ux, uy, uz, wx, wy, wz)
    d = (
        times_6(p, DAMPING_3, u), times_6(p, DAMPING_3 + 6, u), times_6(p, DAMPING_3 + 12, u),
        times_6(p, DAMPING_3 + 18, u), times_6(p, DAMPING_3 + 24, u), times_6(p, DAMPING_3 + 30, u),
    )  # fmt: skip
    power = 0.0
    for c in range(6):
        power -= d[c] * u[c]
    fx, fy, fz = from_axes(fi, p, fx + d[0], fy + d[1], fz + d[2])
    tx, ty, tz = from_axes(fi, p, tx + d[3], ty + d[4], tz + d[5])
    push_pair(arrays.frames, h, i, j, fx, fy, fz, px, py, pz, tx, ty, tz)
    return power


@helper
def spatial_energy(arrays, i, j, law, p):
    x, _ = spatial_deflection(arrays.frames[i], arrays.frames[j], p)
    potential = 0.0
    for c in range(6):
        potential += x[c] * (0.5 * times_6(p, STIFFNESS_3 + 6 * c, x) - p[PRELOAD_3 + c])
    return potential
