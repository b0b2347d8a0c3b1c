"""x_i . d + R (angle_j - angle_i): how far a wheel, or with R = 0 a point, has slipped along a line (`rows/roll.py`)."""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE

DIMENSIONS = (2,)
FRICTION = "slip"


@helper
def planar_measure(fi, fj, g, values, k):
    planar.plane_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, GRADIENT + 2] -= g[7]
    values[k, GRADIENT + 5] += g[7]
    values[k, VALUE], values[k, BIAS] = planar.plane_phi(fi, fj, g) + g[7] * (fj[4] - fi[4] - g[6]), planar.plane_eta(fi, fj, g)
