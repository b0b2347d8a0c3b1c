"""Loads along gauges: the same in the plane, in space and in joint coordinates, because a gauge is one number x and its rate.

A load of one of these kinds has the index of its gauge in load_data[0]; the rest by kind:

GAUGED, OPPOSED   [3] a constant value, where no law gives it; OPPOSED works against growing x, as tension does
GAUGE_SPRING      stiffness, damping, free value
GAUGE_FRICTION    Coulomb's force F, viscous coefficient c, transition speed u: -(F tanh(x_dot / u) + c x_dot)
GAUGE_LIMIT       lower, upper value, stiffness, exponent, damping, depth (kernels/one_sided.py)
"""

from math import tanh

from mbsim.jit import helper
from mbsim.kernels.one_sided import elastic_energy, stop_force
from mbsim.kernels.primitives import GAUGE_FRICTION, GAUGE_LIMIT, GAUGE_SPRING, GAUGED, OPPOSED, STATE


@helper
def efforts(arrays):
    """Add each load to the effort of its gauge; returns the power of what stores no energy. Gauges are measured."""
    values, power = arrays.gauge_values, 0.0
    for e in range(arrays.loads.shape[0]):
        kind, _, _, law = arrays.loads[e]
        if GAUGED <= kind <= GAUGE_LIMIT:
            p = arrays.load_data[e]
            k = int(p[0])
            x, rate = values[k, 0], values[k, 1]
            elastic, effort = 0.0, 0.0
            if kind in (GAUGED, OPPOSED):
                effort = arrays.laws[law, 0] if law >= 0 else p[3]
                effort = effort if kind == GAUGED else -effort
            elif kind == GAUGE_SPRING:
                elastic = -p[1] * (x - p[3])
                effort = elastic - p[2] * rate
            elif kind == GAUGE_FRICTION:
                effort = -p[1] * tanh(rate / p[3]) - p[2] * rate
            elif x > p[2]:
                elastic = -p[3] * (x - p[2]) ** p[4]
                effort = -stop_force(x - p[2], rate, p[3], p[4], p[5], p[6])
            elif not x >= p[1]:  # and where x is not a number, so that this is seen
                elastic = p[3] * (p[1] - x) ** p[4]
                effort = stop_force(p[1] - x, -rate, p[3], p[4], p[5], p[6])
            values[k, 4] += effort
            power += (effort - elastic) * rate
    return power


@helper
def stored(arrays):
    """Energy of the loads along gauges that store it."""
    potential = 0.0
    for e in range(arrays.loads.shape[0]):
        kind = arrays.loads[e, 0]
        if kind in (GAUGE_SPRING, GAUGE_LIMIT):
            p = arrays.load_data[e]
            x = arrays.gauge_values[int(p[0]), 0]
            if kind == GAUGE_SPRING:
                potential += 0.5 * p[1] * (x - p[3]) ** 2
            elif x > p[2]:
                potential += elastic_energy(x - p[2], p[3], p[4])
            elif not x >= p[1]:
                potential += elastic_energy(p[1] - x, p[3], p[4])
    return potential


@helper
def push(arrays, h, speeds):
    """Add the efforts along gauges between bodies to h, `speeds` places a body."""
    n_b = arrays.frames.shape[0] - 1
    for k in range(arrays.gauges.shape[0]):
        values = arrays.gauge_values[k]
        for side in range(2):
            b = arrays.gauges[k, 1 + side]
            if b < n_b:
                for c in range(speeds):
                    h[speeds * b + c] += values[4] * values[5 + speeds * side + c]


@helper
def read_states(arrays, q, v):
    """The gauges that are joint coordinates."""
    for k in range(arrays.gauges.shape[0]):
        kind, _, _, at, speed = arrays.gauges[k]
        if kind == STATE:
            values = arrays.gauge_values[k]
            values[0], values[1], values[2], values[3], values[4] = q[at], v[speed], 0.0, q[at], 0.0


@helper
def push_states(arrays, h):
    """Add the efforts along gauges that are joint coordinates to the joint forces h."""
    for k in range(arrays.gauges.shape[0]):
        if arrays.gauges[k, 0] == STATE:
            h[arrays.gauges[k, 4]] += arrays.gauge_values[k, 4]
