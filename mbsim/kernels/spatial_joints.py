"""Rows of constraints that few spatial models have, one row each; the others and the layout of `g` and `J` are in `spatial_rows.py`."""

from mbsim.jit import helper
from mbsim.kernels.primitives import DISTANCE
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, to_body


@helper
def row_of(kind, fi, fj, g, J, row):
    """J[row] = gradient of phi with respect to the speeds of both bodies."""
    if kind == DISTANCE:
        dx, dy, dz = separation(fi, fj, g)
        dx, dy, dz = dx / g[15], dy / g[15], dz / g[15]
        J[row, 0], J[row, 1], J[row, 2], J[row, 6], J[row, 7], J[row, 8] = -dx, -dy, -dz, dx, dy, dz
        x, y, z = to_body(fi, -dx, -dy, -dz)
        J[row, 3], J[row, 4], J[row, 5] = cross(g[0], g[1], g[2], x, y, z)
        x, y, z = to_body(fj, dx, dy, dz)
        J[row, 9], J[row, 10], J[row, 11] = cross(g[3], g[4], g[5], x, y, z)


@helper
def phi_of(kind, fi, fj, g):
    """phi without the value of a driver."""
    if kind == DISTANCE:
        dx, dy, dz = separation(fi, fj, g)
        return 0.5 * ((dx * dx + dy * dy + dz * dz) / g[15] - g[15])
    return 0.0


@helper
def eta_of(kind, fi, fj, g):
    """Second rate of phi at constant velocities."""
    if kind == DISTANCE:
        dx, dy, dz = separation(fi, fj, g)
        ux, uy, uz = separation_rate(fi, fj, g)
        bx, by, bz = separation_bias(fi, fj, g)
        return (ux * ux + uy * uy + uz * uz + dx * bx + dy * by + dz * bz) / g[15]
    return 0.0
