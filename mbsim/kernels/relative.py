"""Loads along relative coordinates: p[0] of a row of `Arrays.load_data` is the index of the coordinate in `Arrays.relative_values`."""

from mbsim.jit import helper

VALUE, RATE, BIAS, OPEN_VALUE, EFFORT, GRADIENT = 0, 1, 2, 3, 4, 5  # columns of Arrays.relative_values; OPEN_VALUE: without whole turns

# Column of Arrays.relative that says of a coordinate between bodies when it is found: always; for laws and events, and not again for what
# acts along it, because nothing does; never, because nothing reads it either. The run sets it of contacts that do not touch.
WHEN = 4
ALWAYS, BY_LAWS, NEVER = -1, -2, -3


@helper
def value_of(values, p):
    """The coordinate and its rate."""
    k = int(p[0])
    return values[k, VALUE], values[k, RATE]


@helper
def exert(values, p, effort, elastic):
    """Add to the effort along the coordinate; returns the power of what is not `elastic` of it."""
    k = int(p[0])
    values[k, EFFORT] += effort
    return (effort - elastic) * values[k, RATE]
