"""x_i' B x_j of the places of two bodies, global axes; with the ground as the first, x_j' B x_j of the second alone, B symmetric.

geometry: B row by row, then 1 where it is of the second body alone. It is of bodies that carry modal coordinates as their places: what an
elastic part is displaced by in second order is a sum of these.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE

DIMENSIONS = (3,)
ALONE = 9


@helper
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@helper
def times(g, x, y, z):
    """B x."""
    return dot(g[0], g[1], g[2], x, y, z), dot(g[3], g[4], g[5], x, y, z), dot(g[6], g[7], g[8], x, y, z)


@helper
def transposed(g, x, y, z):
    """B' x."""
    return dot(g[0], g[3], g[6], x, y, z), dot(g[1], g[4], g[7], x, y, z), dot(g[2], g[5], g[8], x, y, z)


@helper
def spatial_measure(fi, fj, g, values, k):
    bx, by, bz = times(g, fj[0], fj[1], fj[2])
    vx, vy, vz = times(g, fj[12], fj[13], fj[14])
    for c in range(12):
        values[k, GRADIENT + c] = 0.0
    o = GRADIENT + 6
    if g[ALONE] > 0.0:
        values[k, VALUE], values[k, BIAS] = dot(fj[0], fj[1], fj[2], bx, by, bz), 2.0 * dot(fj[12], fj[13], fj[14], vx, vy, vz)
        values[k, o], values[k, o + 1], values[k, o + 2] = 2.0 * bx, 2.0 * by, 2.0 * bz
    else:
        values[k, VALUE], values[k, BIAS] = dot(fi[0], fi[1], fi[2], bx, by, bz), 2.0 * dot(fi[12], fi[13], fi[14], vx, vy, vz)
        values[k, GRADIENT], values[k, GRADIENT + 1], values[k, GRADIENT + 2] = bx, by, bz
        values[k, o], values[k, o + 1], values[k, o + 2] = transposed(g, fi[0], fi[1], fi[2])
