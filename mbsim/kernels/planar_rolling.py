"""Rows of contacts with a line, and of speeds that are prescribed, between planar bodies; one row each. Layouts: `planar_rows.py`.

The line belongs to the first body and goes through its point s_i; a_i is its normal (HEIGHT) or its direction (ROLL), g[7] the radius,
g[8] a_i . (d - p) as the file draws it. With laws (the place p of its point) it belongs to the ground, s_i = 0. A blade is on the
first body, a_i across it.
"""

from mbsim.jit import helper
from mbsim.kernels.planar_rows import plane_eta, plane_phi, plane_row, turned
from mbsim.kernels.primitives import EDGE, HEIGHT, ROLL, SPIN


@helper
def law_of(laws, law, order):
    return laws[law, order] if law >= 0 else 0.0


@helper
def along(laws, law, order, g):
    """a . p, or its rates; a line that moves is the ground's, whose axes are global."""
    return g[4] * laws[law, order] + g[5] * laws[law + 1, order] if law >= 0 else 0.0


@helper
def row_of(kind, fi, fj, g, laws, law, J, row):
    """The body blocks of a row in J[row]; returns xi."""
    if kind == HEIGHT:
        plane_row(fi, fj, g, J, row)
        return -along(laws, law, 1, g)
    if kind == ROLL:
        plane_row(fi, fj, g, J, row)
        J[row, 2] -= g[7]
        J[row, 5] += g[7]
        return -along(laws, law, 1, g)
    if kind == EDGE:
        nx, ny = turned(fi, g[4], g[5])
        ax, ay = turned(fi, g[0], g[1])
        J[row, 0], J[row, 1], J[row, 2] = nx, ny, ax * ny - ay * nx
        return 0.0
    if kind == SPIN:
        J[row, 2], J[row, 5] = -1.0, 1.0
        return -law_of(laws, law, 0)
    plane_row(fi, fj, g, J, row)  # GLIDE
    return -law_of(laws, law, 0)


@helper
def phi_of(kind, fi, fj, g, laws, law):
    """phi of the holonomic rows."""
    if kind == HEIGHT:
        return plane_phi(fi, fj, g) - g[7] - along(laws, law, 0, g)
    return plane_phi(fi, fj, g) + g[7] * (fj[4] - fi[4] - g[6]) - g[8] - along(laws, law, 0, g)  # ROLL


@helper
def eta_of(kind, fi, fj, g, laws, law):
    """Rate of C v + xi at constant velocities."""
    if kind in (HEIGHT, ROLL):
        return plane_eta(fi, fj, g) - along(laws, law, 2, g)
    if kind == EDGE:
        # a' = w (-a_y, a_x), S'' = -w^2 S, u = r' + w (-S_y, S_x)
        nx, ny = turned(fi, g[4], g[5])
        ax, ay = turned(fi, g[0], g[1])
        w = fi[7]
        ux, uy = fi[5] - w * ay, fi[6] + w * ax
        return w * (nx * uy - ny * ux) - w * w * (nx * ax + ny * ay)
    if kind == SPIN:
        return -law_of(laws, law, 1)
    return plane_eta(fi, fj, g) - law_of(laws, law, 1)  # GLIDE
