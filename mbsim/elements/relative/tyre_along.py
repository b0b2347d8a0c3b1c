"""Speed of a tyre's material against the road, ahead at the contact, u.x (`mbsim.kernels.tyres`): a rate alone, its value is zero."""

from mbsim.jit import helper
from mbsim.kernels import tyre_rates

DIMENSIONS = (3,)
APART = "tyres"


@helper
def spatial_measure(fi, fj, g, values, k):
    tyre_rates.spatial_measure(fi, fj, g, False, False, values, k)
