"""Rows of constraints that few planar models have, one row each; the others and the layout of `g` and `J` are in `planar_rows.py`."""

from mbsim.jit import helper
from mbsim.kernels.planar_rows import turned
from mbsim.kernels.primitives import DISTANCE


@helper
def row_of(kind, fi, fj, g, J, row):
    """J[row] = gradient of phi with respect to the speeds of both bodies."""
    if kind == DISTANCE:
        ax, ay = turned(fi, g[0], g[1])
        bx, by = turned(fj, g[2], g[3])
        dx, dy = (fj[0] + bx - fi[0] - ax) / g[7], (fj[1] + by - fi[1] - ay) / g[7]
        J[row, 0], J[row, 1], J[row, 2] = -dx, -dy, ay * dx - ax * dy
        J[row, 3], J[row, 4], J[row, 5] = dx, dy, bx * dy - by * dx


@helper
def phi_of(kind, fi, fj, g):
    """phi without the value of a driver."""
    if kind == DISTANCE:
        ax, ay = turned(fi, g[0], g[1])
        bx, by = turned(fj, g[2], g[3])
        dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
        return 0.5 * ((dx * dx + dy * dy) / g[7] - g[7])
    return 0.0


@helper
def eta_of(kind, fi, fj, g):
    """Second rate of phi at constant velocities."""
    if kind == DISTANCE:
        ax, ay = turned(fi, g[0], g[1])
        bx, by = turned(fj, g[2], g[3])
        wi, wj = fi[7], fj[7]
        dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
        ux, uy = fj[5] - wj * by - fi[5] + wi * ay, fj[6] + wj * bx - fi[6] - wi * ax
        bias = dx * (wi * wi * ax - wj * wj * bx) + dy * (wi * wi * ay - wj * wj * by)
        return (ux * ux + uy * uy + bias) / g[7]
    return 0.0
