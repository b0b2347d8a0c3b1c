"""A spring and damper along a relative coordinate."""

from mbsim.jit import helper
from mbsim.kernels.relative import exert, value_of

DIMENSIONS = (2, 3)
ON = "relative"
NUMBERS = 4
READS_VALUE = True
STIFFNESS, DAMPING, FREE = 1, 2, 3  # after the relative coordinate


@helper
def force(arrays, i, j, law, p, h):
    x, rate = value_of(arrays.relative_values, p)
    elastic = -p[STIFFNESS] * (x - p[FREE])
    return exert(arrays.relative_values, p, elastic - p[DAMPING] * rate, elastic)


@helper
def energy(arrays, i, j, law, p):
    x, _ = value_of(arrays.relative_values, p)
    return 0.5 * p[STIFFNESS] * (x - p[FREE]) ** 2
