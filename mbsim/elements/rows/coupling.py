"""A sum of factors times relative coordinates - c0 = f(t), less the nearest multiple of a period where angles are known up to full turns.

geometry: the number of relative coordinates, c0, the period (0: none), then of each its index and its factor.
"""

from math import floor

from mbsim.jit import helper

DIMENSIONS = (2, 3)
ON = "relative"
CONSTANT, PERIOD = 1, 2


@helper
def phi(g, s):
    off = s - g[CONSTANT]
    return off - g[PERIOD] * floor(off / g[PERIOD] + 0.5) if g[PERIOD] > 0.0 else off
