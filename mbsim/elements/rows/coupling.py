"""c1 x + c2 y - c0 = 0 over two relative coordinates, less the nearest multiple of a period where angles are known up to full turns.

geometry: the two relative coordinates, c1, c2, c0, the period (0: none).
"""

from math import floor

from mbsim.jit import helper

DIMENSIONS = (2, 3)
ON = "relative"
FACTORS, CONSTANT, PERIOD = 2, 4, 5


@helper
def phi(g, x, y):
    off = -g[CONSTANT] + g[FACTORS] * x + g[FACTORS + 1] * y
    return off - g[PERIOD] * floor(off / g[PERIOD] + 0.5) if g[PERIOD] > 0.0 else off


@helper
def slope(g, x, y, s):
    return g[FACTORS + s]


@helper
def bias(g, x, y, x_dot, y_dot):
    return 0.0
