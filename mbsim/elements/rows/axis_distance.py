"""|d - (a_i . d) a_i| = L: the point of j stays L > 0 from the line through that of i along a_i; the multiplier pushes outwards."""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, swept, swept_twice, to_body, to_global

DIMENSIONS = (3,)


@helper
def outwards(fi, fj, g):
    """n from the line to the point of j, its distance, the axis a (3) and the place a . d along it; n is zero on the line."""
    ax, ay, az = to_global(fi, g[6], g[7], g[8])
    dx, dy, dz = separation(fi, fj, g)
    s = ax * dx + ay * dy + az * dz
    dx, dy, dz = dx - s * ax, dy - s * ay, dz - s * az
    length = sqrt(dx * dx + dy * dy + dz * dz)
    if length > 0.0:
        dx, dy, dz = dx / length, dy / length, dz / length
    return dx, dy, dz, length, ax, ay, az, s


@helper
def outwards_rate(fi, fj, g, ax, ay, az, s):
    """The rate of the part of d across the axis."""
    dx, dy, dz = separation(fi, fj, g)
    ux, uy, uz = separation_rate(fi, fj, g)
    bx, by, bz = swept(fi, g[6], g[7], g[8])
    rate = bx * dx + by * dy + bz * dz + ax * ux + ay * uy + az * uz
    return ux - rate * ax - s * bx, uy - rate * ay - s * by, uz - rate * az - s * bz


@helper
def spatial_row(fi, fj, g, J, r):
    nx, ny, nz, _, ax, ay, az, s = outwards(fi, fj, g)
    J[r, 0], J[r, 1], J[r, 2], J[r, 6], J[r, 7], J[r, 8] = -nx, -ny, -nz, nx, ny, nz
    # on i: -(S_i + (a . d) a) x n, the arm of the line's point that is next to the point of j
    px, py, pz = to_global(fi, g[0], g[1], g[2])
    x, y, z = cross(px + s * ax, py + s * ay, pz + s * az, nx, ny, nz)
    J[r, 3], J[r, 4], J[r, 5] = to_body(fi, -x, -y, -z)
    nx, ny, nz = to_body(fj, nx, ny, nz)
    J[r, 9], J[r, 10], J[r, 11] = cross(g[3], g[4], g[5], nx, ny, nz)


@helper
def spatial_phi(fi, fj, g):
    _, _, _, length, _, _, _, _ = outwards(fi, fj, g)
    return length - g[15]


@helper
def spatial_eta(fi, fj, g):
    nx, ny, nz, length, ax, ay, az, s = outwards(fi, fj, g)
    if not length > 0.0:
        return 0.0
    ex, ey, ez = outwards_rate(fi, fj, g, ax, ay, az, s)
    away = nx * ex + ny * ey + nz * ez
    squared = ex * ex + ey * ey + ez * ez - away * away
    # n . (d.. - 2 (a . d). a. - (a . d) a..), as n . a = 0
    dx, dy, dz = separation(fi, fj, g)
    ux, uy, uz = separation_rate(fi, fj, g)
    bx, by, bz = swept(fi, g[6], g[7], g[8])
    cx, cy, cz = swept_twice(fi, g[6], g[7], g[8])
    wx, wy, wz = separation_bias(fi, fj, g)
    rate = 2.0 * (bx * dx + by * dy + bz * dz + ax * ux + ay * uy + az * uz)
    wx, wy, wz = wx - rate * bx - s * cx, wy - rate * by - s * cy, wz - rate * bz - s * cz
    return nx * wx + ny * wy + nz * wz + squared / length
