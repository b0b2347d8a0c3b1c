"""x_i . d + R (angle_j - angle_i) = its value in the file: a wheel that does not slip on the line along x_i.

The line may move (`planar_rows.line_law`); g[7] is the radius, g[8] the value in the file.
"""

from mbsim.jit import helper
from mbsim.kernels.planar_rows import line_law, plane_eta, plane_phi, plane_row

DIMENSIONS = (2,)
LAWS = "own"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    plane_row(fi, fj, g, J, r)
    J[r, 2] -= g[7]
    J[r, 5] += g[7]
    xi[r] = -line_law(laws, law, 1, g)


@helper
def planar_phi(fi, fj, g, laws, law, phi, r):
    phi[r] = plane_phi(fi, fj, g) + g[7] * (fj[4] - fi[4] - g[6]) - g[8] - line_law(laws, law, 0, g)


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = plane_eta(fi, fj, g) - line_law(laws, law, 2, g)
