"""d/dt |d| = f(t), |d| > 0: the rate of a `distance`; the multiplier is the thrust between the points."""

from mbsim.elements.rows.distance import planar_bias, planar_gradient, spatial_bias, spatial_gradient
from mbsim.jit import helper
from mbsim.kernels.laws import law_of

DIMENSIONS = (2, 3)
LEVEL = "velocity"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    planar_gradient(fi, fj, g, J, r)
    xi[r] = -law_of(laws, law, 0)


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = planar_bias(fi, fj, g) - law_of(laws, law, 1)


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    spatial_gradient(fi, fj, g, J, r)
    xi[r] = -law_of(laws, law, 0)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = spatial_bias(fi, fj, g) - law_of(laws, law, 1)
