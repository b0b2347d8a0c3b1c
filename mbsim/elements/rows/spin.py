"""b_j . (omega_j - omega_i) = f(t): the multiplier is the torque about b. In the plane b has no meaning."""

from mbsim.jit import helper
from mbsim.kernels.laws import law_of
from mbsim.kernels.spatial_rows import swept, to_body, to_global

DIMENSIONS = (2, 3)
LEVEL = "velocity"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    J[r, 2], J[r, 5] = -1.0, 1.0
    xi[r] = -law_of(laws, law, 0)


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = -law_of(laws, law, 1)


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    x, y, z = to_global(fj, g[9], g[10], g[11])
    J[r, 3], J[r, 4], J[r, 5] = to_body(fi, -x, -y, -z)
    J[r, 9], J[r, 10], J[r, 11] = g[9], g[10], g[11]
    xi[r] = -law_of(laws, law, 0)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    x, y, z = swept(fj, g[9], g[10], g[11])
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    eta[r] = -(x * ox + y * oy + z * oz) - law_of(laws, law, 1)
