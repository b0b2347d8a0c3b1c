"""The distance of two points."""

from math import sqrt

from mbsim.elements.rows.distance import planar_eta, planar_row, spatial_eta, spatial_row
from mbsim.jit import helper
from mbsim.kernels.planar_rows import turned
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import separation

DIMENSIONS = (2, 3)


@helper
def planar_measure(fi, fj, g, values, k):
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
    planar_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = sqrt(dx * dx + dy * dy), planar_eta(fi, fj, g)


@helper
def spatial_measure(fi, fj, g, values, k):
    dx, dy, dz = separation(fi, fj, g)
    spatial_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = sqrt(dx * dx + dy * dy + dz * dz), spatial_eta(fi, fj, g)
