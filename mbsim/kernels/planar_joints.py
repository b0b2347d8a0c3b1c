"""Rows of constraints that few planar models have, one row each; the others and the layout of `g` and `J` are in `planar_rows.py`.

A STRETCH is the rate of a DISTANCE: it has the same row and bias, and no phi.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.planar_rows import turned
from mbsim.kernels.primitives import DISTANCE, STRETCH


@helper
def row_of(kind, fi, fj, g, J, row):
    """J[row] = gradient of phi with respect to the speeds of both bodies."""
    if kind in (DISTANCE, STRETCH):
        ax, ay = turned(fi, g[0], g[1])
        bx, by = turned(fj, g[2], g[3])
        dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
        length = sqrt(dx * dx + dy * dy)
        if length > 0.0:
            dx, dy = dx / length, dy / length
        J[row, 0], J[row, 1], J[row, 2] = -dx, -dy, ay * dx - ax * dy
        J[row, 3], J[row, 4], J[row, 5] = dx, dy, bx * dy - by * dx


@helper
def phi_of(kind, fi, fj, g):
    """phi without the value of a driver."""
    if kind == DISTANCE:
        ax, ay = turned(fi, g[0], g[1])
        bx, by = turned(fj, g[2], g[3])
        dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
        return sqrt(dx * dx + dy * dy) - g[7]
    return 0.0


@helper
def eta_of(kind, fi, fj, g):
    """Second rate of phi at constant velocities."""
    if kind in (DISTANCE, STRETCH):
        ax, ay = turned(fi, g[0], g[1])
        bx, by = turned(fj, g[2], g[3])
        wi, wj = fi[7], fj[7]
        dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
        length = sqrt(dx * dx + dy * dy)
        if not length > 0.0:
            return 0.0
        dx, dy = dx / length, dy / length
        ux, uy = fj[5] - wj * by - fi[5] + wi * ay, fj[6] + wj * bx - fi[6] - wi * ax
        bias = dx * (wi * wi * ax - wj * wj * bx) + dy * (wi * wi * ay - wj * wj * by)
        across = dx * uy - dy * ux  # the speed across d: |u|^2 less that along d
        return across * across / length + bias
    return 0.0
