"""E . (velocity of j at the contact - that of i there) = 0: a ball does not slip on another, or inside one, along a tangent E.

n = d / |d| is from the first centre to the second; the contact is R_i n from the first and -R_j n from the second, R_j below zero of a ball
inside a hollow one. With A and Y the axes z_i and y_i of the first body, E is Y turned as A is turned onto n by the shortest way:

    E = Y - k (A + n),  k = Y . n / (1 + A . n)

So E is smooth but for n = -A, which is not known there. g[15] is R_j, g[9] R_i; the multiplier is the force on body j along E.
"""

from math import nan, sqrt

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, swept, to_body, to_global

DIMENSIONS = (3,)
APART = "rounds"
LEVEL = "velocity"
BEHIND = 1e-9  # of 1 + A . n: closer to n = -A there is no one shortest way


@helper
def towards(fi, fj, g):
    """n and |d|; zero where the centres are in one place."""
    dx, dy, dz = separation(fi, fj, g)
    length = sqrt(dx * dx + dy * dy + dz * dz)
    if length > 0.0:
        dx, dy, dz = dx / length, dy / length, dz / length
    return dx, dy, dz, length


@helper
def axis(fi, g):
    """A, and what its length is where a solver outside has left the quaternion one that is not unit: 1 + A . n stays above zero."""
    ax, ay, az = to_global(fi, g[6], g[7], g[8])
    length = sqrt(ax * ax + ay * ay + az * az)
    return ax / length, ay / length, az / length, length


@helper
def direction(fi, g, nx, ny, nz):
    """E, k and 1 + A . n."""
    ax, ay, az, _ = axis(fi, g)
    yx, yy, yz = to_global(fi, g[12], g[13], g[14])
    below = 1.0 + ax * nx + ay * ny + az * nz
    below = below if below > BEHIND else nan
    k = (yx * nx + yy * ny + yz * nz) / below
    return yx - k * (ax + nx), yy - k * (ay + ny), yz - k * (az + nz), k, below


@helper
def towards_rate(fi, fj, g, nx, ny, nz, length):
    """The rate of n."""
    ux, uy, uz = separation_rate(fi, fj, g)
    along = nx * ux + ny * uy + nz * uz
    return (ux - along * nx) / length, (uy - along * ny) / length, (uz - along * nz) / length


@helper
def direction_rate(fi, g, nx, ny, nz, mx, my, mz):
    """The rate of E, m that of n: E' = Y' - k' (A + n) - k (A' + n')."""
    _, _, _, k, below = direction(fi, g, nx, ny, nz)
    ax, ay, az, size = axis(fi, g)
    yx, yy, yz = to_global(fi, g[12], g[13], g[14])
    px, py, pz = swept(fi, g[6], g[7], g[8])
    px, py, pz = px / size, py / size, pz / size
    qx, qy, qz = swept(fi, g[12], g[13], g[14])
    rate = qx * nx + qy * ny + qz * nz + yx * mx + yy * my + yz * mz
    rate = (rate - k * (px * nx + py * ny + pz * nz + ax * mx + ay * my + az * mz)) / below
    return qx - rate * (ax + nx) - k * (px + mx), qy - rate * (ay + ny) - k * (py + my), qz - rate * (az + nz) - k * (pz + mz)


@helper
def spatial_row(fi, fj, g, J, r):
    nx, ny, nz, _ = towards(fi, fj, g)
    ex, ey, ez, _, _ = direction(fi, g, nx, ny, nz)
    J[r, 0], J[r, 1], J[r, 2], J[r, 6], J[r, 7], J[r, 8] = -ex, -ey, -ez, ex, ey, ez
    x, y, z = to_global(fi, g[0], g[1], g[2])
    x, y, z = cross(x + g[9] * nx, y + g[9] * ny, z + g[9] * nz, -ex, -ey, -ez)
    J[r, 3], J[r, 4], J[r, 5] = to_body(fi, x, y, z)
    x, y, z = to_global(fj, g[3], g[4], g[5])
    x, y, z = cross(x - g[15] * nx, y - g[15] * ny, z - g[15] * nz, ex, ey, ez)
    J[r, 9], J[r, 10], J[r, 11] = to_body(fj, x, y, z)


@helper
def spatial_eta(fi, fj, g):
    nx, ny, nz, length = towards(fi, fj, g)
    if not length > 0.0:
        return 0.0
    ex, ey, ez, _, _ = direction(fi, g, nx, ny, nz)
    mx, my, mz = towards_rate(fi, fj, g, nx, ny, nz, length)
    sx, sy, sz = direction_rate(fi, g, nx, ny, nz, mx, my, mz)
    ux, uy, uz = separation_rate(fi, fj, g)
    # the slip is d' - w x n, w = R_i omega_i + R_j omega_j
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    wx, wy, wz = g[9] * ox + g[15] * wx, g[9] * oy + g[15] * wy, g[9] * oz + g[15] * wz
    x, y, z = cross(wx, wy, wz, nx, ny, nz)
    slip = sx * (ux - x) + sy * (uy - y) + sz * (uz - z)
    bx, by, bz = separation_bias(fi, fj, g)
    x, y, z = cross(wx, wy, wz, mx, my, mz)
    return slip + ex * (bx - x) + ey * (by - y) + ez * (bz - z)
