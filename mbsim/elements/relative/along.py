"""a_i . d: the displacement of the second body's point along an axis of the first."""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels import spatial_rows as spatial

DIMENSIONS = (2, 3)


@helper
def planar_measure(fi, fj, g, values, k):
    out = values[k]
    planar.plane_row(fi, fj, g, values[:, 5:], k)
    out[0], out[2] = planar.plane_phi(fi, fj, g), planar.plane_eta(fi, fj, g)
    out[1] = out[5] * fi[5] + out[6] * fi[6] + out[7] * fi[7] + out[8] * fj[5] + out[9] * fj[6] + out[10] * fj[7]


@helper
def spatial_measure(fi, fj, g, values, k):
    out = values[k]
    spatial.plane_row(fi, fj, g, values[:, 5:], k)
    out[0], out[2] = spatial.plane_phi(fi, fj, g), spatial.plane_eta(fi, fj, g)
