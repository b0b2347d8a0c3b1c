"""c_i . (velocity of j at the contact - velocity of the plane there) = 0; plane and rolling body as for `height`.

The multiplier is the force of the plane on body j along c_i.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_rolling import slip_eta, slip_row

DIMENSIONS = (3,)
LAWS = "own"
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    xi[r] = slip_row(False, fi, fj, g, laws, law, J, r)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    eta[r] = slip_eta(False, fi, fj, g, laws, law)
