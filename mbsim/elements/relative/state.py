"""A joint coordinate of a tree."""

from mbsim.jit import helper

DIMENSIONS = (2, 3)
ON = "speeds"


@helper
def measure(q, v, at, speed, values, k):
    out = values[k]
    out[0], out[1], out[2], out[3], out[4] = q[at], v[speed], 0.0, q[at], 0.0
