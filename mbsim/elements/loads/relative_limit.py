"""One-sided stops at a lower and an upper value of a relative coordinate (`one_sided.stop_force`)."""

from math import nan

from mbsim.jit import helper
from mbsim.kernels.one_sided import elastic_energy, stop_force, stop_push
from mbsim.kernels.relative import exert, value_of

DIMENSIONS = (2, 3)
ON = "relative"
NUMBERS = 7
READS_VALUE = True
SWITCHES = ("the lower stop", "the upper stop", "the release of the stop")
LOWER, UPPER, STIFFNESS, EXPONENT, DAMPING, DEPTH = 1, 2, 3, 4, 5, 6  # after the relative coordinate


@helper
def force(arrays, i, j, law, p, h):
    x, rate = value_of(arrays.relative_values, p)
    elastic, effort = 0.0, 0.0
    if x > p[UPPER]:
        elastic = -p[STIFFNESS] * (x - p[UPPER]) ** p[EXPONENT]
        effort = -stop_force(x - p[UPPER], rate, p[STIFFNESS], p[EXPONENT], p[DAMPING], p[DEPTH])
    elif not x >= p[LOWER]:  # and where x is not a number, so that this is seen
        elastic = p[STIFFNESS] * (p[LOWER] - x) ** p[EXPONENT]
        effort = stop_force(p[LOWER] - x, -rate, p[STIFFNESS], p[EXPONENT], p[DAMPING], p[DEPTH])
    return exert(arrays.relative_values, p, effort, elastic)


@helper
def energy(arrays, i, j, law, p):
    x, _ = value_of(arrays.relative_values, p)
    if x > p[UPPER]:
        return elastic_energy(x - p[UPPER], p[STIFFNESS], p[EXPONENT])
    return elastic_energy(p[LOWER] - x, p[STIFFNESS], p[EXPONENT]) if not x >= p[LOWER] else 0.0


@helper
def switch(arrays, i, j, law, p, k):
    x, rate = value_of(arrays.relative_values, p)
    if k < 2:
        return x - p[LOWER] if k == 0 else p[UPPER] - x
    if x > p[UPPER]:
        return stop_push(x - p[UPPER], rate, p[STIFFNESS], p[EXPONENT], p[DAMPING], p[DEPTH])
    return stop_push(p[LOWER] - x, -rate, p[STIFFNESS], p[EXPONENT], p[DAMPING], p[DEPTH]) if x < p[LOWER] else nan


@helper
def switch_rate(arrays, i, j, law, p, k):
    _, rate = value_of(arrays.relative_values, p)
    return nan if k == 2 else rate if k == 0 else -rate
