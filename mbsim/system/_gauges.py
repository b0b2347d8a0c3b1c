"""Loads along gauges: the same in the plane, in space and in joint coordinates, because a gauge is one number and its rate.

A load of one of these kinds has the index of its gauge in load_data[0] and a constant value, where no law gives it, in load_data[3].
"""

from mbsim.jit import helper
from mbsim.kernels.primitives import GAUGED, STATE


@helper
def efforts(arrays):
    """Add each load to the effort of its gauge; returns the power of those that store no energy. Gauges are measured."""
    values, power = arrays.gauge_values, 0.0
    for e in range(arrays.loads.shape[0]):
        kind, _, _, law = arrays.loads[e]
        if kind == GAUGED:
            p = arrays.load_data[e]
            k = int(p[0])
            effort = arrays.laws[law, 0] if law >= 0 else p[3]
            values[k, 4] += effort
            power += effort * values[k, 1]
    return power


@helper
def stored(arrays):
    """Energy of the loads along gauges that store it."""
    return 0.0


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
