"""R_i (psi - angle_i) + R_j (psi - angle_j) = its value at the start: a disk does not slip on another, psi the direction of d.

R_i is from the first centre to the contact along d, R_j from the second one against d: below zero of a disk inside a round hole. They add
up to the distance L of the centres where both touch, as a row of its own keeps it. Whole turns of psi do not count. g[7] is R_j, g[9] R_i,
g[8] the value at the start; the multiplier is the force on body j along the tangent (-d_y, d_x) / |d|.
"""

from math import atan2, floor, pi

from mbsim.jit import helper
from mbsim.kernels.planar_rows import arms, separation, separation_bias, separation_rate

DIMENSIONS = (2,)


@helper
def planar_row(fi, fj, g, J, r):
    ax, ay, bx, by = arms(fi, fj, g)
    dx, dy = separation(fi, fj, g)
    squared = dx * dx + dy * dy
    tx, ty = -(g[9] + g[7]) * dy, (g[9] + g[7]) * dx
    if squared > 0.0:
        tx, ty = tx / squared, ty / squared
    J[r, 0], J[r, 1], J[r, 2] = -tx, -ty, ay * tx - ax * ty - g[9]
    J[r, 3], J[r, 4], J[r, 5] = tx, ty, bx * ty - by * tx - g[7]


@helper
def planar_phi(fi, fj, g):
    dx, dy = separation(fi, fj, g)
    length = g[9] + g[7]
    off = length * atan2(dy, dx) - g[9] * fi[4] - g[7] * fj[4] - g[8]
    turn = 2.0 * pi * length
    return off - turn * floor(off / turn + 0.5)


@helper
def planar_eta(fi, fj, g):
    dx, dy = separation(fi, fj, g)
    squared = dx * dx + dy * dy
    if not squared > 0.0:
        return 0.0
    ux, uy = separation_rate(fi, fj, g)
    bx, by = separation_bias(fi, fj, g)
    # psi' = (d x u) / d.d
    turning = (dx * uy - dy * ux) / squared
    return (g[9] + g[7]) * ((dx * by - dy * bx) / squared - 2.0 * turning * (dx * ux + dy * uy) / squared)
