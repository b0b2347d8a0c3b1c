"""n_i . d - R sqrt(1 - (n_i . b_j)^2): how high the lowest point of a disk of radius R about b_j is above a plane (`rows/height.py`)."""

from mbsim.elements.rows.height import lowest_eta, lowest_row
from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rolling import lean
from mbsim.kernels.spatial_rows import plane_phi

DIMENSIONS = (3,)


@helper
def spatial_measure(fi, fj, g, values, k):
    _, _, _, _, _, _, _, s = lean(fi, fj, g)
    lowest_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = plane_phi(fi, fj, g) - g[15] * s, lowest_eta(fi, fj, g)
