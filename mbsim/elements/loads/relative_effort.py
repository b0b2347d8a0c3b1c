"""A force or torque along a relative coordinate, or with sign -1 against its growth, as tension acts; constant or of a law."""

from mbsim.jit import helper
from mbsim.kernels.relative import exert

DIMENSIONS = (2, 3)
ON = "relative"
NUMBERS = 4
# After the relative coordinate: a factor; of cables the number of a part, from 1, whose length and rate the next two laws tell; a constant.
SIGN, PART, VALUE = 1, 2, 3


@helper
def force(arrays, i, j, law, p, h):
    return exert(arrays.relative_values, p, p[SIGN] * (arrays.laws[law, 0] if law >= 0 else p[VALUE]), 0.0)
