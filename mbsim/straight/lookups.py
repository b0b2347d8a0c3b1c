"""Tables over traced numbers: the pieces of `mbsim.kernels.tables`, found by halving without a branch, so that each lane has its own."""

from typing import Any

from mbsim.jit.straight.graph import Traced, TraceError, apply, compare, pick, require, select
from mbsim.kernels.tables import COUNT, FIRST, HIGH, LOW, PERIOD, lookup
from mbsim.straight.linear import Number

COEFFICIENTS = 4  # of a piece, the constant one first


def traced_lookup(tables: Any, i: int, order: int, x: Number) -> Number:
    """As `lookup`; a run leaves its lane where the table has no value. Raises TraceError for a table that varies."""
    if not isinstance(x, Traced):
        return lookup.py_func(tables, i, order, x)
    first, count = int(tables[i, FIRST]), int(tables[i, COUNT])
    columns = [tuple(tables[first : first + count, k]) for k in range(1 + COEFFICIENTS)]
    if any(isinstance(y, Traced) for y in (*tables[i], *(y for column in columns for y in column))):
        raise TraceError("the numbers of a table vary")
    begins, period = tuple(map(float, columns[0])), float(tables[i, PERIOD])
    if period > 0.0:
        x = x - apply("floor", (x - begins[0]) / period) * period
    else:
        require(compare("<=", float(tables[i, LOW]), x))
        require(compare("<=", x, float(tables[i, HIGH])))
    at = _piece(begins, x)
    s = x - pick(begins, at)
    c = [pick(tuple(map(float, column)), at) for column in columns[1:]]
    if order == 0:
        return c[0] + s * (c[1] + s * (c[2] + s * c[3]))
    if order == 1:
        return c[1] + s * (2.0 * c[2] + s * 3.0 * c[3])
    if order == 2:
        return 2.0 * c[2] + s * 6.0 * c[3]
    return 6.0 * c[3]


def _piece(begins: tuple[float, ...], x: Number) -> Number:
    """The index of the last piece that begins at or before x; 0 where none does."""
    at: Number = 0.0
    half = 1 << max(len(begins) - 1, 1).bit_length() - 1
    while half:
        # beyond the last piece nothing begins
        known = (*begins[half:], *[float("inf")] * half)
        at = select(compare("<=", pick(known, at), x), at + float(half), at)
        half //= 2
    return at


REPLACED = {lookup: traced_lookup}
