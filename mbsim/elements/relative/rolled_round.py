"""How a disk slips on another one, or inside a round hole (`rows/roll_round.py`): a rate alone, its value is zero."""

from mbsim.elements.rows.roll_round import planar_eta, planar_row
from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE

DIMENSIONS = (2,)
FRICTION = "slip"


@helper
def planar_measure(fi, fj, g, values, k):
    planar_row(fi, fj, g, values[:, GRADIENT:], k)
    values[k, VALUE], values[k, BIAS] = 0.0, planar_eta(fi, fj, g)
