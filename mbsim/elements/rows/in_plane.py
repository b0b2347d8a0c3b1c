"""a_i . d = f(t): the point of the second body stays in a plane of the first, or is driven along its normal a_i."""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels import spatial_rows as spatial
from mbsim.kernels.laws import law_of

COMMON = True
DIMENSIONS = (2, 3)


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    planar.plane_row(fi, fj, g, J, r)
    xi[r] = -law_of(laws, law, 1)


@helper
def planar_phi(fi, fj, g, laws, law, phi, r):
    phi[r] = planar.plane_phi(fi, fj, g) - law_of(laws, law, 0)


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = planar.plane_eta(fi, fj, g) - law_of(laws, law, 2)


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    spatial.plane_row(fi, fj, g, J, r)
    xi[r] = -law_of(laws, law, 1)


@helper
def spatial_phi(fi, fj, g, laws, law, phi, r):
    phi[r] = spatial.plane_phi(fi, fj, g) - law_of(laws, law, 0)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = spatial.plane_eta(fi, fj, g) - law_of(laws, law, 2)
