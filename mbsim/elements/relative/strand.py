"""The straight part of a cable between two circles, with what is wound on both since the drawing (`mbsim.kernels.strands`).

In the plane ell + m psi + R_j theta: psi is the turn of its direction as the first body sees it, theta that of the second body against
the first, both since the drawing. Its rate is that of the two bodies' points where the cable touches, along the cable: so a body that turns
under the cable winds it up. The rest of a length about a circle, between two such parts, is a constant.

In space s = L + R_i psi_i - R_j psi_j, psi_i and psi_j the turns of its direction in the planes of both circles, which the cable may leave.
It touches the circles at A = c_i - R_i n_i and B = c_j - R_j n_j with F_i = n_i . (B - A) = 0 and F_j = n_j . (B - A) = 0, where n_i is to
the left of the direction e_i in the plane. With multipliers mu of these, d(s - mu F)/d(psi) = 0, the rates of s are those of s - mu F at
constant psi, and its second rate is that of s - mu F at constant rates of psi and constant mu.
"""

from math import atan2, cos, sin, sqrt

from mbsim.jit import helper
from mbsim.kernels import planar_rows as plane
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, to_body, to_global
from mbsim.kernels.strands import tangent, turned_by, unknown, within

DIMENSIONS = (2, 3)
APART = "strands"
# Planar: both centres (2 + 2), then these; u of the drawing in global axes, and the angles of both bodies there.
M_2, SECOND_2, AIM_2, FIRST_ANGLE, SECOND_ANGLE, STRICT_2 = 4, 5, 6, 8, 9, 10
# Spatial: both centres (3 + 3), x_i, x_j, y_i, y_j, in the planes of the circles, x along e of the drawing; then these.
X_I, X_J, Y_I, Y_J, FIRST_3, SECOND_3, STRICT_3 = 6, 9, 12, 15, 18, 19, 20
STEPS = 8  # of Newton's method, from a point as near as the planes are parallel
LEAVES = 0.5  # cosine of the angle between a cable and the plane of its circle, below which it would run off


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
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@helper
def directions(f, g, x, y, angle):
    """e and n of a circle's plane, global; the axes of the circle are at g[x:], g[y:]."""
    xx, xy, xz = to_global(f, g[x], g[x + 1], g[x + 2])
    yx, yy, yz = to_global(f, g[y], g[y + 1], g[y + 2])
    c, s = cos(angle), sin(angle)
    return c * xx + s * yx, c * xy + s * yy, c * xz + s * yz, c * yx - s * xx, c * yy - s * xy, c * yz - s * xz


@helper
def in_plane_of(f, g, x, y, wx, wy, wz):
    """A global vector along the axes of a circle."""
    wx, wy, wz = to_body(f, wx, wy, wz)
    return dot(g[x], g[x + 1], g[x + 2], wx, wy, wz), dot(g[y], g[y + 1], g[y + 2], wx, wy, wz)


@helper
def found_turns(fi, fj, g):
    """psi_i and psi_j."""
    wx, wy, wz = separation(fi, fj, g)
    x, y = in_plane_of(fi, g, X_I, Y_I, wx, wy, wz)
    R, S = g[FIRST_3], g[SECOND_3]
    if S == 0.0:
        _, ux, uy = tangent(x, y, R)
        return atan2(uy, ux), 0.0
    ax, ay, az, bx, by, bz = directions(fi, g, X_I, Y_I, 0.0)
    px, py, pz, qx, qy, qz = directions(fj, g, X_J, Y_J, 0.0)
    zx, zy, zz = cross(ax, ay, az, bx, by, bz)
    ox, oy, oz = cross(px, py, pz, qx, qy, qz)
    _, ux, uy = tangent(x, y, R - S if dot(zx, zy, zz, ox, oy, oz) > 0.0 else R + S)
    first = atan2(uy, ux)
    x, y = in_plane_of(fj, g, X_J, Y_J, ux * ax + uy * bx, ux * ay + uy * by, ux * az + uy * bz)
    second = atan2(y, x)
    for _ in range(STEPS):
        ax, ay, az, bx, by, bz = directions(fi, g, X_I, Y_I, first)
        px, py, pz, qx, qy, qz = directions(fj, g, X_J, Y_J, second)
        dx, dy, dz = wx - S * qx + R * bx, wy - S * qy + R * by, wz - S * qz + R * bz
        i, j = dot(bx, by, bz, dx, dy, dz), dot(qx, qy, qz, dx, dy, dz)
        a, b = -dot(ax, ay, az, dx, dy, dz), S * dot(bx, by, bz, px, py, pz)
        c, d = -R * dot(qx, qy, qz, ax, ay, az), -dot(px, py, pz, dx, dy, dz)
        scale = a * d - b * c
        first, second = first - (d * i - b * j) / scale, second - (a * j - c * i) / scale
    return first, second


@helper
def turn_rates(f, nx, ny, nz, ex, ey, ez, rate):
    """n_dot and n_ddot at a constant rate of psi."""
    wx, wy, wz = to_global(f, f[15], f[16], f[17])
    sx, sy, sz = cross(wx, wy, wz, nx, ny, nz)
    tx, ty, tz = cross(wx, wy, wz, sx - 2.0 * rate * ex, sy - 2.0 * rate * ey, sz - 2.0 * rate * ez)
    r = rate * rate
    return sx - rate * ex, sy - rate * ey, sz - rate * ez, tx - r * nx, ty - r * ny, tz - r * nz


@helper
def spatial_measure(fi, fj, g, values, k):
    first, second = found_turns(fi, fj, g)
    R, S = g[FIRST_3], g[SECOND_3]
    ax, ay, az, bx, by, bz = directions(fi, g, X_I, Y_I, first)  # e_i, n_i
    px, py, pz, qx, qy, qz = directions(fj, g, X_J, Y_J, second)  # e_j, n_j
    wx, wy, wz = separation(fi, fj, g)
    dx, dy, dz = wx - S * qx + R * bx, wy - S * qy + R * by, wz - S * qz + R * bz
    length = sqrt(dot(dx, dy, dz, dx, dy, dz))
    ux, uy, uz = dx / length, dy / length, dz / length
    along_i, along_j = dot(ux, uy, uz, ax, ay, az), dot(ux, uy, uz, px, py, pz)
    # dF/dpsi, and the multipliers
    a, b = -length * along_i, S * dot(bx, by, bz, px, py, pz)
    c, d = -R * dot(qx, qy, qz, ax, ay, az), -length * along_j if S != 0.0 else 1.0
    scale = a * d - b * c
    i, j = R * (1.0 - along_i), -S * (1.0 - along_j)
    mu, nu = (d * i - c * j) / scale, (a * j - b * i) / scale
    # the force along the cable and across it, at A and B, and the couples
    fx, fy, fz = ux - mu * bx - nu * qx, uy - mu * by - nu * qy, uz - mu * bz - nu * qz
    gx, gy, gz = to_global(fi, g[0], g[1], g[2])
    x, y, z = cross(gx - R * bx, gy - R * by, gz - R * bz, fx, fy, fz)
    tx, ty, tz = cross(bx, by, bz, dx, dy, dz)
    o = GRADIENT
    values[k, o], values[k, o + 1], values[k, o + 2] = -fx, -fy, -fz
    values[k, o + 3], values[k, o + 4], values[k, o + 5] = to_body(fi, -x - mu * tx, -y - mu * ty, -z - mu * tz)
    gx, gy, gz = to_global(fj, g[3], g[4], g[5])
    x, y, z = cross(gx - S * qx, gy - S * qy, gz - S * qz, fx, fy, fz)
    tx, ty, tz = cross(qx, qy, qz, dx, dy, dz)
    values[k, o + 6], values[k, o + 7], values[k, o + 8] = fx, fy, fz
    values[k, o + 9], values[k, o + 10], values[k, o + 11] = to_body(fj, x - nu * tx, y - nu * ty, z - nu * tz)
    # rates of psi: those of F at constant psi, turned round
    ix, iy, iz, _, _, _ = turn_rates(fi, bx, by, bz, ax, ay, az, 0.0)
    jx, jy, jz, _, _, _ = turn_rates(fj, qx, qy, qz, px, py, pz, 0.0)
    vx, vy, vz = separation_rate(fi, fj, g)
    x, y, z = vx - S * jx + R * ix, vy - S * jy + R * iy, vz - S * jz + R * iz
    i = dot(ix, iy, iz, dx, dy, dz) + dot(bx, by, bz, x, y, z)
    j = dot(jx, jy, jz, dx, dy, dz) + dot(qx, qy, qz, x, y, z)
    first_dot, second_dot = -(d * i - b * j) / scale, -(a * j - c * i) / scale
    # second rates
    ix, iy, iz, kx, ky, kz = turn_rates(fi, bx, by, bz, ax, ay, az, first_dot)
    jx, jy, jz, lx, ly, lz = turn_rates(fj, qx, qy, qz, px, py, pz, second_dot)
    x, y, z = vx - S * jx + R * ix, vy - S * jy + R * iy, vz - S * jz + R * iz
    sx, sy, sz = separation_bias(fi, fj, g)
    sx, sy, sz = sx - S * lx + R * kx, sy - S * ly + R * ky, sz - S * lz + R * kz
    slow = dot(ux, uy, uz, x, y, z)
    bias = dot(ux, uy, uz, sx, sy, sz) + (dot(x, y, z, x, y, z) - slow * slow) / length
    bias -= mu * (dot(kx, ky, kz, dx, dy, dz) + 2.0 * dot(ix, iy, iz, x, y, z) + dot(bx, by, bz, sx, sy, sz))
    bias -= nu * (dot(lx, ly, lz, dx, dy, dz) + 2.0 * dot(jx, jy, jz, x, y, z) + dot(qx, qy, qz, sx, sy, sz))
    if along_i < LEAVES or (S != 0.0 and along_j < LEAVES):
        length = unknown(length)
    values[k, VALUE] = length + R * within(first, g[STRICT_3]) - S * within(second, g[STRICT_3])
    values[k, BIAS] = bias
