"""Between which bounds a law does not change: of a number whose sign decides a case, and of the argument of a table with straight lines.

A line of `Work.corners` has the number, its rate and both bounds (the CORNER constants of `mbsim.jit`).
"""

from math import floor, inf

from mbsim.contracts import CORNER_LOWER, CORNER_RATE, CORNER_UPPER, CORNER_VALUE
from mbsim.jit import helper
from mbsim.kernels.tables import COUNT, FIRST, PERIOD


@helper
def bound_by_sign(lines, m):
    """The side of zero that number m is on; at zero that to which it moves. Without bounds where it is not asked for (NaN)."""
    s, rate = lines[m, CORNER_VALUE], lines[m, CORNER_RATE]
    lines[m, CORNER_LOWER], lines[m, CORNER_UPPER] = -inf, inf
    if s > 0.0 or (s == 0.0 and rate > 0.0):
        lines[m, CORNER_LOWER] = 0.0
    elif s < 0.0 or (s == 0.0 and rate < 0.0):
        lines[m, CORNER_UPPER] = 0.0


@helper
def bound_by_piece(tables, i, lines, m):
    """The piece of table i that number m is in, on a corner that to which it moves. The ends of a table that does not repeat are none."""
    x, rate = lines[m, CORNER_VALUE], lines[m, CORNER_RATE]
    lines[m, CORNER_LOWER], lines[m, CORNER_UPPER] = -inf, inf
    a = int(tables[i, FIRST])
    first, last, period, turns = a, a + int(tables[i, COUNT]) - 1, tables[i, PERIOD], 0.0
    if not abs(x) < inf:
        return
    if period > 0.0:
        turns = floor((x - tables[first, 0]) / period) * period
        x -= turns
    b = last
    while a < b:
        middle = (a + b + 1) // 2
        if tables[middle, 0] < x or (tables[middle, 0] == x and not rate < 0.0):
            a = middle
        else:
            b = middle - 1
    if a > first or period > 0.0:
        lines[m, CORNER_LOWER] = tables[a, 0] + turns
    if a < last:
        lines[m, CORNER_UPPER] = tables[a + 1, 0] + turns
    elif period > 0.0:
        lines[m, CORNER_UPPER] = tables[first, 0] + period + turns
