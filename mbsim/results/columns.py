"""The operators and functions of the expression language over columns of recorded rows, in plain NumPy.

They give what the compiled laws give (`mbsim.model.expressions.symbolic`), NaN included: cases are looked at in the same order.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from mbsim.model.expressions.functions import FUNCTIONS, Function

Values = float | np.ndarray  # a column, or one number for all rows
Column = Callable[..., np.ndarray]


class _Arrays:
    """The `mbsim.model.expressions.functions.Algebra` of columns."""

    def number(self, value: float) -> float:
        return float(value)

    def floor(self, x: Values) -> Values:
        return np.floor(x)

    def all(self, *conditions: Values) -> Values:
        return np.logical_and.reduce(np.broadcast_arrays(*conditions)) if conditions else True

    def cases(self, *pairs: tuple[Values, Values]) -> Values:
        found = pairs[-1][0]
        for value, condition in reversed(pairs[:-1]):
            found = np.where(condition, value, found)
        return found


def _of_columns(function: Function) -> Column:
    if function.array:
        found: Column = getattr(np, function.array)
        return found
    return partial(function.cases, _Arrays()) if function.cases is not None else np.asarray


COLUMNS: dict[str, Column] = {
    "+": lambda *terms: sum(terms[1:], terms[0]),
    "*": lambda *factors: math.prod(factors[1:], start=factors[0]),
    "/": np.divide,
    "^": np.power,
    "neg": np.negative,
    **{name: _of_columns(function) for name, function in FUNCTIONS.items()},
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
}
