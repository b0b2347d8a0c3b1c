"""A force or torque along a relative coordinate; constant or of a law. load_data: [0] the relative coordinate, [3] a constant value."""

from mbsim.jit import helper
from mbsim.kernels.relative import exert

DIMENSIONS = (2, 3)
ON = "relative"
NUMBERS = 4


@helper
def force(arrays, i, j, law, p, h):
    return exert(arrays.gauge_values, p, arrays.laws[law, 0] if law >= 0 else p[3], 0.0)
