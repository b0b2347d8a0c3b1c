"""Many values at once through the function of a Program: sums, products and quotients of columns, rounded as those of numbers are."""

from typing import Any

import numpy as np

from mbsim.model.expressions.program import UnfitError

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Column:
    """Values (k,) of a name. A comparison holds where it does for all of them; it is for the ranges that a Program checks."""

    __slots__ = ("values",)
    __array_ufunc__ = None

    def __init__(self, values: Floats) -> None:
        self.values = values

    def __add__(self, other: object) -> "Column":
        return Column(self.values + _values(other))

    def __sub__(self, other: object) -> "Column":
        return Column(self.values - _values(other))

    def __mul__(self, other: object) -> "Column":
        return Column(self.values * _values(other))

    def __truediv__(self, other: object) -> "Column":
        return Column(self.values / _divisors(_values(other)))

    def __rtruediv__(self, other: float) -> "Column":
        return Column(other / _divisors(self.values))

    def __rsub__(self, other: float) -> "Column":
        return Column(other - self.values)

    def __neg__(self) -> "Column":
        return Column(-self.values)

    def __lt__(self, other: float) -> bool:
        return bool((self.values < other).all())

    def __le__(self, other: float) -> bool:
        return bool((self.values <= other).all())

    def __gt__(self, other: float) -> bool:
        return bool((self.values > other).all())

    def __ge__(self, other: float) -> bool:
        return bool((self.values >= other).all())

    __radd__, __rmul__ = __add__, __mul__


def _values(x: object) -> Any:
    return x.values if isinstance(x, Column) else x


def _divisors(x: Any) -> Any:
    """Raises UnfitError where one is zero: a number of Python does not divide by it."""
    if not np.all(x):
        raise UnfitError("a quotient by zero")
    return x


def spread(values: "list[Any]", count: int) -> Floats:
    """Columns and numbers as a table (count, n). Raises UnfitError for anything else."""
    found = np.empty((count, len(values)))
    for k, x in enumerate(values):
        if not isinstance(x, (Column, float)):
            raise UnfitError("no number")
        found[:, k] = _values(x)
    return found
