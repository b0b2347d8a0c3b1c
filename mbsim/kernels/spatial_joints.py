"""Rows of constraints that few spatial models have, one row each; the others and the layout of `g` and `J` are in `spatial_rows.py`.

Of a SCREW a_i is z_i and c_i is y_i, b_j is x_j, and g[15] the pitch. Of a TWIST a_i is x_i, b_j is x_j, y_i is in g[0:3], y_j in g[13:16].
A STRETCH is the rate of a DISTANCE: it has the same row and bias, and no phi.
"""

from math import atan2, floor, pi, sqrt

from mbsim.jit import helper
from mbsim.kernels.primitives import DISTANCE, SCREW, STRETCH, TWIST
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
        angle_row(fi, fj, g[6], g[7], g[8], g[4:], J, row)
        a, b, c, d, e, f = J[row, 3], J[row, 4], J[row, 5], J[row, 9], J[row, 10], J[row, 11]
        angle_row(fi, fj, g[0], g[1], g[2], g, J, row)
        J[row, 3], J[row, 4], J[row, 5] = 0.5 * (J[row, 3] - a), 0.5 * (J[row, 4] - b), 0.5 * (J[row, 5] - c)
        J[row, 9], J[row, 10], J[row, 11] = 0.5 * (J[row, 9] - d), 0.5 * (J[row, 10] - e), 0.5 * (J[row, 11] - f)


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
        return 0.5 * (angle_phi(fi, fj, g[0], g[1], g[2], g) - angle_phi(fi, fj, g[6], g[7], g[8], g[4:]))
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
        s = angle_eta(fi, fj, g[0], g[1], g[2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, g)
        return 0.5 * (s - angle_eta(fi, fj, g[6], g[7], g[8], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, g[4:]))
    return 0.0


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
