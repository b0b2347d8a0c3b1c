"""The angle of the second body against the first; in space that from x_i to x_j about z, theta = atan2(s, c), s = y_i . x_j, c = x_i . x_j.

The full turns that atan2 leaves open are taken from the quaternions, which tell theta from theta + 2 pi. So in absolute coordinates the
angle is known within one full turn either way of where the file draws the joint. Of a universal joint they tell it as long as the
other angle is less than half a turn; beyond, they take theta for theta + 2 pi. In joint coordinates the angle of a joint that is cut is
known within half a turn. Where it is not known it is not a number.
geometry further: [16:20], [20:24] the quaternions of the joint's axes in both bodies.
"""

from math import atan2, cos, pi

from mbsim.elements.rows.screw import turning
from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.rotations import product
from mbsim.kernels.spatial_rows import angle_row

CONSTANT = (2,)
DIMENSIONS = (2, 3)
KNOWN = 1.9 * pi  # an angle beyond it may be one turn off after the next step
BENT = cos(0.25 * KNOWN) ** 2  # w^2 + z^2 where a universal joint's other angle is half of that; 1 in other joints


@helper
def planar_measure(fi, fj, g, values, k):
    values[k, VALUE], values[k, BIAS] = fj[4] - fi[4] - g[6], 0.0
    values[k, GRADIENT + 2], values[k, GRADIENT + 5] = -1.0, 1.0


@helper
def spatial_measure(fi, fj, g, values, k):
    angle, ax, ay, az, second = turning(fi, fj, g, g[6], g[7], g[8])
    angle_row(fi, fj, ax, ay, az, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = angle, second


@helper
def spatial_absolute(x, g, q, i, j, n_b):
    w, z = relative(g, q, i, j, n_b)
    twist = 2.0 * atan2(z, w)  # -2 pi .. 2 pi
    while x < twist - pi:
        x += 2.0 * pi
    while x > twist + pi:
        x -= 2.0 * pi
    return x if abs(x) < KNOWN and w * w + z * z > BENT else x / 0.0 - x / 0.0


@helper
def spatial_cut(x):
    return x if abs(x) < 0.5 * KNOWN else x / 0.0 - x / 0.0


@helper
def relative(g, q, i, j, n_b):
    """w and z of the quaternion from the joint's axes in body i to those in body j."""
    a0, a1, a2, a3 = g[16], g[17], g[18], g[19]
    b0, b1, b2, b3 = g[20], g[21], g[22], g[23]
    if i < n_b:
        o = 7 * i + 3
        a0, a1, a2, a3 = product(q[o], q[o + 1], q[o + 2], q[o + 3], a0, a1, a2, a3)
    if j < n_b:
        o = 7 * j + 3
        b0, b1, b2, b3 = product(q[o], q[o + 1], q[o + 2], q[o + 3], b0, b1, b2, b3)
    out = product(a0, -a1, -a2, -a3, b0, b1, b2, b3)
    return out[0], out[3]
