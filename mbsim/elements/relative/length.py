"""The distance of two points."""

from math import sqrt

from mbsim.elements.rows.distance import planar_eta, planar_row, spatial_eta, spatial_row
from mbsim.jit import helper
from mbsim.kernels import planar_rows as plane
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import separation

DIMENSIONS = (2, 3)


@helper
def planar_measure(fi, fj, g, values, k):
    dx, dy = plane.separation(fi, fj, g)
    planar_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = sqrt(dx * dx + dy * dy), planar_eta(fi, fj, g)


@helper
def spatial_measure(fi, fj, g, values, k):
    dx, dy, dz = separation(fi, fj, g)
    spatial_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = sqrt(dx * dx + dy * dy + dz * dz), spatial_eta(fi, fj, g)
