"""Speed of a wheel's centre against the road, along the direction of travel (`mbsim.kernels.tyres`): a rate alone, its value is zero."""

from mbsim.jit import helper
from mbsim.kernels import tyre_rates

DIMENSIONS = (2, 3)
APART = "tyres"


@helper
def planar_measure(fi, fj, g, values, k):
    tyre_rates.planar_measure(fi, g, True, values, k)


@helper
def spatial_measure(fi, fj, g, values, k):
    tyre_rates.spatial_measure(fi, fj, g, False, True, values, k)
