"""The energy of a cable that is stretched by e > 0: stiffness e^2 / 2, which the force along its parts does not tell.

The cable's tension is a law of its whole length, and acts along each of its parts: all of its power is counted as work, and this load takes
the elastic part away from that and exerts nothing.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import RATE, VALUE

DIMENSIONS = (2, 3)
ON = "relative"
NUMBERS = 6
READS_VALUE = True
# After its first relative coordinate; of each the index and the factor follow.
STIFFNESS, FREE, COUNT, TERMS = 1, 2, 3, 4


@helper
def stretch(values, p, what):
    """The sum of factors times values, or rates."""
    s = 0.0
    for k in range(int(p[COUNT])):
        s += p[TERMS + 2 * k + 1] * values[int(p[TERMS + 2 * k]), what]
    return s


@helper
def force(arrays, i, j, law, p, h):
    e = stretch(arrays.relative_values, p, VALUE) - p[FREE]
    return p[STIFFNESS] * e * stretch(arrays.relative_values, p, RATE) if e > 0.0 else 0.0


@helper
def energy(arrays, i, j, law, p):
    e = stretch(arrays.relative_values, p, VALUE) - p[FREE]
    return 0.5 * p[STIFFNESS] * e * e if not e <= 0.0 else 0.0
