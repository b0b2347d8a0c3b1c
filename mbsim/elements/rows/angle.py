"""angle_j - angle_i - (its value in the file, g[6]) = f(t)."""

from mbsim.jit import helper
from mbsim.kernels.laws import law_of

COMMON = True
DIMENSIONS = (2,)


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    J[r, 2], J[r, 5] = -1.0, 1.0
    xi[r] = -law_of(laws, law, 1)


@helper
def planar_phi(fi, fj, g, laws, law, phi, r):
    phi[r] = fj[4] - fi[4] - g[6] - law_of(laws, law, 0)


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = -law_of(laws, law, 2)
