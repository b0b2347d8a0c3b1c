"""Gauges of spatial bodies: a scalar between two bodies, its rate, its second rate at constant velocities, and its gradient.

Rows of `Arrays.gauge_data` are laid out as in `spatial_rows.py`; `out` is a row of `Arrays.gauge_values`. The angle of a joint is that from
x_i to x_j about z, theta = atan2(s, c) with s = y_i . x_j and c = x_i . x_j. The turn that this leaves open is taken from the quaternions,
which tell theta from theta + 2 pi: the angle is known within one full turn either way of where the file draws the joint. Of a universal
joint they tell it as long as the other angle is less than half a turn, beyond which they take theta for theta + 2 pi.
"""

from math import atan2, cos, pi, sqrt

from mbsim.jit import helper
from mbsim.kernels.primitives import ABOUT, ALONG, LENGTH
from mbsim.kernels.rotations import product
from mbsim.kernels.spatial_rows import (
    angle_eta,
    angle_phi,
    angle_row,
    cross,
    plane_eta,
    plane_phi,
    plane_row,
    separation,
    separation_bias,
    separation_rate,
    swept,
    to_body,
    to_global,
)

KNOWN = 1.9 * pi  # an angle beyond it may be one turn off after the next step
BENT = cos(0.25 * KNOWN) ** 2  # w^2 + z^2 where a universal joint's other angle is half of that; 1 in other joints


@helper
def measure(kind, fi, fj, g, values, k):
    """values[k] = [value, rate, second rate, value, effort, gradient (12)] of the gauge `kind` between the frames fi and fj."""
    out = values[k]
    if kind == LENGTH:
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
    elif kind == ALONG:
        plane_row(fi, fj, g, values[:, 5:], k)
        out[0], out[2] = plane_phi(fi, fj, g), plane_eta(fi, fj, g)
    elif kind == ABOUT:
        c, s = angle_phi(fi, fj, g[6], g[7], g[8], g), angle_phi(fi, fj, g[12], g[13], g[14], g)
        squared = c * c + s * s
        # theta' = (c s' - s c') / (c^2 + s^2) is the rate of a . x_j with a = (c y_i - s x_i) / (c^2 + s^2) held
        ax, ay, az = (c * g[12] - s * g[6]) / squared, (c * g[13] - s * g[7]) / squared, (c * g[14] - s * g[8]) / squared
        angle_row(fi, fj, ax, ay, az, g, values[:, 5:], k)
        out[0] = atan2(s, c)
        stretch = product_rate(fi, fj, c * g[6] + s * g[12], c * g[7] + s * g[13], c * g[8] + s * g[14], g)  # c c' + s s'
        turn = product_rate(fi, fj, ax, ay, az, g)
        out[2] = angle_eta(fi, fj, ax, ay, az, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, g) - 2.0 * stretch * turn / squared
    out[3], out[4] = out[0], 0.0
    out[1] = 0.0
    for c in range(6):
        out[1] += out[5 + c] * fi[12 + c] + out[11 + c] * fj[12 + c]


@helper
def product_rate(fi, fj, ax, ay, az, g):
    """Rate of a_i . b_j for a fixed in body i."""
    x, y, z = swept(fi, ax, ay, az)
    bx, by, bz = to_global(fj, g[9], g[10], g[11])
    s = x * bx + y * by + z * bz
    x, y, z = to_global(fi, ax, ay, az)
    bx, by, bz = swept(fj, g[9], g[10], g[11])
    return s + x * bx + y * by + z * bz


@helper
def unwound(angle, g, q, i, j, n_b):
    """The angle with the turn that the quaternions of bodies i and j tell; NaN where that is no longer known."""
    w, z = relative(g, q, i, j, n_b)
    twist = 2.0 * atan2(z, w)  # -2 pi .. 2 pi
    while angle < twist - pi:
        angle += 2.0 * pi
    while angle > twist + pi:
        angle -= 2.0 * pi
    return angle if abs(angle) < KNOWN and w * w + z * z > BENT else angle / 0.0 - angle / 0.0


@helper
def within_half_a_turn(angle):
    """The angle in (-pi, pi], NaN where the next step may jump."""
    return angle if abs(angle) < 0.5 * KNOWN else angle / 0.0 - angle / 0.0


@helper
def relative(g, q, i, j, n_b):
    """w and z of the quaternion from the joint's axes in body i to those in body j; g[16:20], g[20:24]: these axes in the bodies."""
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
