"""The distance of two points."""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.planar_rows import turned
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, to_body

DIMENSIONS = (2, 3)


@helper
def planar_measure(fi, fj, g, values, k):
    out = values[k]
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    wi, wj = fi[7], fj[7]
    dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
    ux, uy = fj[5] - wj * by - fi[5] + wi * ay, fj[6] + wj * bx - fi[6] - wi * ax
    length = sqrt(dx * dx + dy * dy)
    nx, ny = (dx / length, dy / length) if length > 0.0 else (0.0, 0.0)
    rate = nx * ux + ny * uy
    out[0], out[1] = length, rate
    out[2] = nx * (wi * wi * ax - wj * wj * bx) + ny * (wi * wi * ay - wj * wj * by)
    if length > 0.0:
        out[2] += (ux * ux + uy * uy - rate * rate) / length
    out[5], out[6], out[7], out[8], out[9], out[10] = -nx, -ny, ay * nx - ax * ny, nx, ny, bx * ny - by * nx


@helper
def spatial_measure(fi, fj, g, values, k):
    out = values[k]
    dx, dy, dz = separation(fi, fj, g)
    ux, uy, uz = separation_rate(fi, fj, g)
    length = sqrt(dx * dx + dy * dy + dz * dz)
    if length > 0.0:
        dx, dy, dz = dx / length, dy / length, dz / length
    rate = dx * ux + dy * uy + dz * uz
    bx, by, bz = separation_bias(fi, fj, g)
    out[0], out[2] = length, dx * bx + dy * by + dz * bz
    if length > 0.0:
        out[2] += (ux * ux + uy * uy + uz * uz - rate * rate) / length
    out[5], out[6], out[7], out[11], out[12], out[13] = -dx, -dy, -dz, dx, dy, dz
    x, y, z = to_body(fi, -dx, -dy, -dz)
    out[8], out[9], out[10] = cross(g[0], g[1], g[2], x, y, z)
    x, y, z = to_body(fj, dx, dy, dz)
    out[14], out[15], out[16] = cross(g[3], g[4], g[5], x, y, z)
