"""Speed of a tyre's material against the road, to the left at the contact, u.y (`mbsim.kernels.tyres`): a rate alone, its value is zero."""

from mbsim.jit import helper
from mbsim.kernels import tyre_rates

DIMENSIONS = (2, 3)
APART = "tyres"


@helper
def planar_measure(fi, fj, g, values, k):
    tyre_rates.planar_measure(fi, g, False, values, k)


@helper
def spatial_measure(fi, fj, g, values, k):
    tyre_rates.spatial_measure(fi, fj, g, True, False, values, k)
