"""A force or torque along a joint coordinate of a tree; constant or of a law. load_data: [0] the place of its speed in v."""

from mbsim.jit import helper

COMMON = True
DIMENSIONS = (2, 3)
ON = "speeds"
NUMBERS = 4
SPEED, VALUE = 0, 3


@helper
def force(arrays, law, p, v, h):
    at = int(p[SPEED])
    value = arrays.laws[law, 0] if law >= 0 else p[VALUE]
    h[at] += value
    return value * v[at]
