"""A spring and damper between two points: tension k (length - free length) + c (rate of the length)."""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels import spatial_rows as spatial
from mbsim.kernels.planar_rows import push, turned

COMMON = True
DIMENSIONS = (2, 3)
NUMBERS = 9
STIFFNESS, DAMPING, FREE_LENGTH = 6, 7, 8  # after a point of each body


@helper
def planar_spring(fi, fj, p):
    """Direction, length, rate and arms."""
    ax, ay = turned(fi, p[0], p[1])
    bx, by = turned(fj, p[3], p[4])
    dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
    length = sqrt(dx * dx + dy * dy)
    if length > 0.0:
        dx, dy = dx / length, dy / length
    ux, uy = fj[5] - fj[7] * by - fi[5] + fi[7] * ay, fj[6] + fj[7] * bx - fi[6] - fi[7] * ax
    return dx, dy, length, dx * ux + dy * uy, ax, ay, bx, by


@helper
def planar_force(arrays, i, j, law, p, h):
    n_b = arrays.frames.shape[0] - 1
    dx, dy, length, rate, ax, ay, bx, by = planar_spring(arrays.frames[i], arrays.frames[j], p)
    tension = p[STIFFNESS] * (length - p[FREE_LENGTH]) + p[DAMPING] * rate
    push(h, n_b, i, tension * dx, tension * dy, tension * (ax * dy - ay * dx))
    push(h, n_b, j, -tension * dx, -tension * dy, -tension * (bx * dy - by * dx))
    return -(p[DAMPING] * rate * rate)


@helper
def planar_energy(arrays, i, j, law, p):
    length = planar_spring(arrays.frames[i], arrays.frames[j], p)[2]
    return 0.5 * p[STIFFNESS] * (length - p[FREE_LENGTH]) ** 2


@helper
def spatial_spring(fi, fj, p):
    """Direction, length and rate."""
    dx, dy, dz = spatial.separation(fi, fj, p)
    length = sqrt(dx * dx + dy * dy + dz * dz)
    if length > 0.0:
        dx, dy, dz = dx / length, dy / length, dz / length
    ux, uy, uz = spatial.separation_rate(fi, fj, p)
    return dx, dy, dz, length, dx * ux + dy * uy + dz * uz


@helper
def spatial_force(arrays, i, j, law, p, h):
    n_b, fi, fj = arrays.frames.shape[0] - 1, arrays.frames[i], arrays.frames[j]
    dx, dy, dz, length, rate = spatial_spring(fi, fj, p)
    tension = p[STIFFNESS] * (length - p[FREE_LENGTH]) + p[DAMPING] * rate
    spatial.push(h, n_b, i, fi, 0, p, tension * dx, tension * dy, tension * dz)
    spatial.push(h, n_b, j, fj, 3, p, -tension * dx, -tension * dy, -tension * dz)
    return -(p[DAMPING] * rate * rate)


@helper
def spatial_energy(arrays, i, j, law, p):
    length = spatial_spring(arrays.frames[i], arrays.frames[j], p)[3]
    return 0.5 * p[STIFFNESS] * (length - p[FREE_LENGTH]) ** 2
