"""A force or torque against the growth of a relative coordinate, as tension acts; the rest as of `relative_effort`."""

from mbsim.jit import helper
from mbsim.kernels.relative import exert

DIMENSIONS = (2, 3)
ON = "relative"
NUMBERS = 4


@helper
def force(arrays, i, j, law, p, h):
    return exert(arrays.gauge_values, p, -(arrays.laws[law, 0] if law >= 0 else p[3]), 0.0)
