"""Rows of constraints that few spatial models have, one row each; the others and the layout of `g` and `J` are in `spatial_rows.py`.

Of a SCREW a_i is z_i and c_i is y_i, b_j is x_j, and g[15] the pitch. Of a TWIST g[0:4] and g[4:8] are the
quaternions of the joint's axes in both bodies.
A STRETCH is the rate of a DISTANCE: it has the same row and bias, and no phi.
"""

from math import atan2, floor, pi, sqrt

from mbsim.jit import helper
from mbsim.kernels.primitives import DISTANCE, SCREW, STRETCH, TWIST
from mbsim.kernels.rotations import product
from mbsim.kernels.spatial_gauges import product_rate
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
    to_body,
    to_global,
)


@helper
def row_of(kind, fi, fj, g, J, row):
    """J[row] = gradient of phi with respect to the speeds of both bodies."""
    if kind in (DISTANCE, STRETCH):
        dx, dy, dz = separation(fi, fj, g)
        length = sqrt(dx * dx + dy * dy + dz * dz)
        if length > 0.0:
            dx, dy, dz = dx / length, dy / length, dz / length
        J[row, 0], J[row, 1], J[row, 2], J[row, 6], J[row, 7], J[row, 8] = -dx, -dy, -dz, dx, dy, dz
        x, y, z = to_body(fi, -dx, -dy, -dz)
        J[row, 3], J[row, 4], J[row, 5] = cross(g[0], g[1], g[2], x, y, z)
        x, y, z = to_body(fj, dx, dy, dz)
        J[row, 9], J[row, 10], J[row, 11] = cross(g[3], g[4], g[5], x, y, z)
    elif kind == SCREW:
        _, _, ax, ay, az, _, _, _ = turning(fi, fj, g)
        angle_row(fi, fj, ax, ay, az, g, J, row)
        a, b, c, d, e, f = J[row, 3], J[row, 4], J[row, 5], J[row, 9], J[row, 10], J[row, 11]
        plane_row(fi, fj, g, J, row)
        p = g[15]
        J[row, 3], J[row, 4], J[row, 5] = J[row, 3] - p * a, J[row, 4] - p * b, J[row, 5] - p * c
        J[row, 9], J[row, 10], J[row, 11] = J[row, 9] - p * d, J[row, 10] - p * e, J[row, 11] - p * f
    elif kind == TWIST:
        w, x, y, _ = axes_turn(fi, fj, g)
        a, b, c = from_axes(g, -y, x, w)
        J[row, 9], J[row, 10], J[row, 11] = a, b, c
        a, b, c = to_global(fj, a, b, c)
        a, b, c = to_body(fi, a, b, c)
        J[row, 3], J[row, 4], J[row, 5] = -a, -b, -c


@helper
def phi_of(kind, fi, fj, g):
    """phi without the value of a driver."""
    if kind == DISTANCE:
        dx, dy, dz = separation(fi, fj, g)
        return sqrt(dx * dx + dy * dy + dz * dz) - g[15]
    if kind == SCREW:
        angle = turning(fi, fj, g)[0]
        thread = 2.0 * pi * g[15]
        off = plane_phi(fi, fj, g) - g[15] * angle
        return off - thread * floor(off / thread + 0.5) if thread != 0.0 else off
    if kind == TWIST:
        return 2.0 * axes_turn(fi, fj, g)[3]
    return 0.0


@helper
def eta_of(kind, fi, fj, g):
    """Second rate of phi at constant velocities."""
    if kind in (DISTANCE, STRETCH):
        dx, dy, dz = separation(fi, fj, g)
        length = sqrt(dx * dx + dy * dy + dz * dz)
        if not length > 0.0:
            return 0.0
        dx, dy, dz = dx / length, dy / length, dz / length
        ux, uy, uz = separation_rate(fi, fj, g)
        bx, by, bz = separation_bias(fi, fj, g)
        px, py, pz = cross(dx, dy, dz, ux, uy, uz)  # the speed across d: |u|^2 less that along d
        return (px * px + py * py + pz * pz) / length + dx * bx + dy * by + dz * bz
    if kind == SCREW:
        _, squared, ax, ay, az, ux, uy, uz = turning(fi, fj, g)
        stretch, turn = product_rate(fi, fj, ux, uy, uz, g), product_rate(fi, fj, ax, ay, az, g)
        second = angle_eta(fi, fj, ax, ay, az, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, g) - 2.0 * stretch * turn / squared
        return plane_eta(fi, fj, g) - g[15] * second
    if kind == TWIST:
        w, x, y, z = axes_turn(fi, fj, g)
        a, b, c = to_global(fi, fi[15], fi[16], fi[17])
        a, b, c = to_body(fj, a, b, c)  # omega of i in body axes of j, which turn
        d, e, f = cross(fj[15], fj[16], fj[17], a, b, c)
        d, e, f = to_axes(g, d, e, f)
        a, b, c = to_axes(g, fj[15] - a, fj[16] - b, fj[17] - c)
        w_dot, x_dot, y_dot = -0.5 * (x * a + y * b + z * c), 0.5 * (w * a + y * c - z * b), 0.5 * (w * b + z * a - x * c)
        return x_dot * b - y_dot * a + w_dot * c + x * e - y * d + w * f
    return 0.0


@helper
def axes_turn(fi, fj, g):
    """Of a TWIST: the quaternion (w, x, y, z) from the joint's axes in body i to those in body j."""
    w, x, y, z = product(fi[18], fi[19], fi[20], fi[21], g[0], g[1], g[2], g[3])
    a, b, c, d = product(fj[18], fj[19], fj[20], fj[21], g[4], g[5], g[6], g[7])
    return product(w, -x, -y, -z, a, b, c, d)


@helper
def from_axes(g, x, y, z):
    """A vector along a TWIST's axes in body j, in body axes."""
    a, b, c, d = product(g[4], g[5], g[6], g[7], 0.0, x, y, z)
    a, b, c, d = product(a, b, c, d, g[4], -g[5], -g[6], -g[7])
    return b, c, d


@helper
def to_axes(g, x, y, z):
    """A vector in body axes of j, along a TWIST's axes there."""
    a, b, c, d = product(g[4], -g[5], -g[6], -g[7], 0.0, x, y, z)
    a, b, c, d = product(a, b, c, d, g[4], g[5], g[6], g[7])
    return b, c, d


@helper
def turning(fi, fj, g):
    """Of a SCREW: theta = atan2(s, c), c^2 + s^2, a with theta_dot the rate of a . x_j at a held, and u = c x_i + s y_i.

    c = x_i . x_j and s = y_i . x_j, as of an angle in `spatial_gauges.py`.
    """
    x, y, z = cross(g[12], g[13], g[14], g[6], g[7], g[8])
    c, s = angle_phi(fi, fj, x, y, z, g), angle_phi(fi, fj, g[12], g[13], g[14], g)
    squared = c * c + s * s
    ax, ay, az = (c * g[12] - s * x) / squared, (c * g[13] - s * y) / squared, (c * g[14] - s * z) / squared
    return atan2(s, c), squared, ax, ay, az, c * x + s * g[12], c * y + s * g[13], c * z + s * g[14]
