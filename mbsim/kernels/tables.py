"""Tables in kernels: pieces of cubic polynomials, found by bisection.

`Arrays.tables` holds a row a table: [first piece, number of pieces, lowest and highest argument, the last argument outside (NaN: none),
period (0: none)]; then a row a piece: [where it begins, its polynomial's coefficients in the distance from there, constant first, -].
"""

from math import floor, isnan, nan

from mbsim.jit import helper

COLUMNS = 6
FIRST, COUNT, LOW, HIGH, ASKED, PERIOD = 0, 1, 2, 3, 4, 5


@helper
def lookup(tables, i, order, x):
    """Derivative `order` (0 ... 3) of table i at x; NaN where it has no value, and then x is noted."""
    a = int(tables[i, FIRST])
    b = a + int(tables[i, COUNT]) - 1
    period = tables[i, PERIOD]
    if period > 0.0:
        x -= floor((x - tables[a, 0]) / period) * period
    elif not tables[i, LOW] <= x <= tables[i, HIGH]:
        if not isnan(x):  # such an argument came from elsewhere
            tables[i, ASKED] = x
        return nan
    while a < b:
        middle = (a + b + 1) // 2
        if tables[middle, 0] <= x:
            a = middle
        else:
            b = middle - 1
    s = x - tables[a, 0]
    if order == 0:
        return tables[a, 1] + s * (tables[a, 2] + s * (tables[a, 3] + s * tables[a, 4]))
    if order == 1:
        return tables[a, 2] + s * (2.0 * tables[a, 3] + s * 3.0 * tables[a, 4])
    if order == 2:
        return 2.0 * tables[a, 3] + s * 6.0 * tables[a, 4]
    return 6.0 * tables[a, 4]


lookup.derivative = "(lookup({0}, {1}, {2} + 1, {3})*{3d})"  # for mbsim.jit.forward
