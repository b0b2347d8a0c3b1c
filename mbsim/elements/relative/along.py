"""a_i . d: the displacement of the second body's point along an axis of the first."""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels import spatial_rows as spatial
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE

DIMENSIONS = (2, 3)


@helper
def planar_measure(fi, fj, g, values, k):
    planar.plane_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = planar.plane_phi(fi, fj, g), planar.plane_eta(fi, fj, g)


@helper
def spatial_measure(fi, fj, g, values, k):
    spatial.plane_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = spatial.plane_phi(fi, fj, g), spatial.plane_eta(fi, fj, g)
