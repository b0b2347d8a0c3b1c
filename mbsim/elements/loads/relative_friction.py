"""Friction along a relative coordinate x: -(F tanh(x_dot / u) + c x_dot), Coulomb's force F, viscous coefficient c, transition speed u."""

from math import tanh

from mbsim.jit import helper
from mbsim.kernels.relative import exert, value_of

DIMENSIONS = (2, 3)
ON = "relative"
NUMBERS = 4
COULOMB, VISCOUS, TRANSITION_SPEED = 1, 2, 3  # after the relative coordinate


@helper
def force(arrays, i, j, law, p, h):
    _, rate = value_of(arrays.relative_values, p)
    return exert(arrays.relative_values, p, -p[COULOMB] * tanh(rate / p[TRANSITION_SPEED]) - p[VISCOUS] * rate, 0.0)
