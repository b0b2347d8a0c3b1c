"""E . (velocity of j at the contact - that of i there) = 0: a ball does not slip on a cylinder, or inside one, along a tangent E.

The cylinder is about the line through the point of i along a_i; n is from there to the ball's centre, and the contact is -R n from this,
R below zero of a ball inside. E is the axis a where g[9] is 0, else a x n, around the cylinder. g[15] is R; the multiplier is the force on
body j along E.
"""

from mbsim.elements.rows.axis_distance import outwards, outwards_rate
from mbsim.jit import helper
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, swept, to_body, to_global

DIMENSIONS = (3,)
LEVEL = "velocity"


@helper
def direction(g, ax, ay, az, nx, ny, nz):
    """E."""
    ex, ey, ez = cross(ax, ay, az, nx, ny, nz)
    return (ax, ay, az) if g[9] == 0.0 else (ex, ey, ez)


@helper
def spatial_row(fi, fj, g, J, r):
    nx, ny, nz, _, ax, ay, az, _ = outwards(fi, fj, g)
    ex, ey, ez = direction(g, ax, ay, az, nx, ny, nz)
    J[r, 0], J[r, 1], J[r, 2], J[r, 6], J[r, 7], J[r, 8] = -ex, -ey, -ez, ex, ey, ez
    dx, dy, dz = separation(fi, fj, g)
    x, y, z = to_global(fi, g[0], g[1], g[2])
    x, y, z = cross(x + dx - g[15] * nx, y + dy - g[15] * ny, z + dz - g[15] * nz, -ex, -ey, -ez)
    J[r, 3], J[r, 4], J[r, 5] = to_body(fi, x, y, z)
    x, y, z = to_global(fj, g[3], g[4], g[5])
    x, y, z = cross(x - g[15] * nx, y - g[15] * ny, z - g[15] * nz, ex, ey, ez)
    J[r, 9], J[r, 10], J[r, 11] = to_body(fj, x, y, z)


@helper
def spatial_eta(fi, fj, g):
    nx, ny, nz, length, ax, ay, az, s = outwards(fi, fj, g)
    if not length > 0.0:
        return 0.0
    ex, ey, ez = direction(g, ax, ay, az, nx, ny, nz)
    mx, my, mz = outwards_rate(fi, fj, g, ax, ay, az, s)
    along = nx * mx + ny * my + nz * mz
    mx, my, mz = (mx - along * nx) / length, (my - along * ny) / length, (mz - along * nz) / length  # n'
    bx, by, bz = swept(fi, g[6], g[7], g[8])  # a'
    px, py, pz = cross(bx, by, bz, nx, ny, nz)
    qx, qy, qz = cross(ax, ay, az, mx, my, mz)
    sx, sy, sz = (bx, by, bz) if g[9] == 0.0 else (px + qx, py + qy, pz + qz)  # E'
    # the slip is d' - R omega_j x n - omega_i x (d - R n)
    R = g[15]
    dx, dy, dz = separation(fi, fj, g)
    ux, uy, uz = separation_rate(fi, fj, g)
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    px, py, pz = cross(wx, wy, wz, nx, ny, nz)
    qx, qy, qz = cross(ox, oy, oz, dx - R * nx, dy - R * ny, dz - R * nz)
    slip = sx * (ux - R * px - qx) + sy * (uy - R * py - qy) + sz * (uz - R * pz - qz)
    px, py, pz = cross(wx, wy, wz, mx, my, mz)
    qx, qy, qz = cross(ox, oy, oz, ux - R * mx, uy - R * my, uz - R * mz)
    bx, by, bz = separation_bias(fi, fj, g)
    return slip + ex * (bx - R * px - qx) + ey * (by - R * py - qy) + ez * (bz - R * pz - qz)
