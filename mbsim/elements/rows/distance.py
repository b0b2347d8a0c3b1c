"""|d| - L = f(t): two points stay L > 0 apart (f = 0), or f with L = 0; the multiplier is the thrust between them."""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels import planar_rows as plane
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, to_body

DIMENSIONS = (2, 3)


@helper
def planar_row(fi, fj, g, J, r):
    ax, ay, bx, by = plane.arms(fi, fj, g)
    dx, dy = plane.separation(fi, fj, g)
    length = sqrt(dx * dx + dy * dy)
    if length > 0.0:
        dx, dy = dx / length, dy / length
    J[r, 0], J[r, 1], J[r, 2] = -dx, -dy, ay * dx - ax * dy
    J[r, 3], J[r, 4], J[r, 5] = dx, dy, bx * dy - by * dx


@helper
def planar_eta(fi, fj, g):
    dx, dy = plane.separation(fi, fj, g)
    length = sqrt(dx * dx + dy * dy)
    if not length > 0.0:
        return 0.0
    dx, dy = dx / length, dy / length
    ux, uy = plane.separation_rate(fi, fj, g)
    bx, by = plane.separation_bias(fi, fj, g)
    across = dx * uy - dy * ux  # the speed across d: |u|^2 less that along d
    return across * across / length + (dx * bx + dy * by)


@helper
def planar_phi(fi, fj, g):
    dx, dy = plane.separation(fi, fj, g)
    return sqrt(dx * dx + dy * dy) - g[7]


@helper
def spatial_row(fi, fj, g, J, r):
    dx, dy, dz = separation(fi, fj, g)
    length = sqrt(dx * dx + dy * dy + dz * dz)
    if length > 0.0:
        dx, dy, dz = dx / length, dy / length, dz / length
    J[r, 0], J[r, 1], J[r, 2], J[r, 6], J[r, 7], J[r, 8] = -dx, -dy, -dz, dx, dy, dz
    x, y, z = to_body(fi, -dx, -dy, -dz)
    J[r, 3], J[r, 4], J[r, 5] = cross(g[0], g[1], g[2], x, y, z)
    x, y, z = to_body(fj, dx, dy, dz)
    J[r, 9], J[r, 10], J[r, 11] = cross(g[3], g[4], g[5], x, y, z)


@helper
def spatial_eta(fi, fj, g):
    dx, dy, dz = separation(fi, fj, g)
    length = sqrt(dx * dx + dy * dy + dz * dz)
    if not length > 0.0:
        return 0.0
    dx, dy, dz = dx / length, dy / length, dz / length
    ux, uy, uz = separation_rate(fi, fj, g)
    bx, by, bz = separation_bias(fi, fj, g)
    px, py, pz = cross(dx, dy, dz, ux, uy, uz)  # the speed across d: |u|^2 less that along d
    return (px * px + py * py + pz * pz) / length + dx * bx + dy * by + dz * bz


@helper
def spatial_phi(fi, fj, g):
    dx, dy, dz = separation(fi, fj, g)
    return sqrt(dx * dx + dy * dy + dz * dz) - g[15]
