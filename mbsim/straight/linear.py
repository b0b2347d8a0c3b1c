"""Symmetric equations over traced numbers, by L D L' in the given order. What is a structural zero costs nothing.

Every pivot is held against its place of the matrix: one that is below `least` of it leaves the lanes.
"""

from collections.abc import Sequence
from typing import Any

from mbsim.jit.straight.derivatives import is_zero
from mbsim.jit.straight.graph import compare, require

Number = Any  # a float, or a traced number
Numbers = list[Number]
Matrix = list[Numbers]


class Factors:
    """A = L D L' of a symmetric positive definite matrix (n, n), of which the lower part is read."""

    def __init__(self, A: Sequence[Sequence[Number]], least: float) -> None:
        n = len(A)
        self.inverse: Numbers = []  # of D
        self._rows: list[dict[int, Number]] = []  # of L, below the diagonal
        self._columns: list[dict[int, Number]] = [{} for _ in range(n)]
        for i in range(n):
            row, scaled = dict[int, Number](), dict[int, Number]()  # of L, and of L D
            for j in range(i):
                s = A[i][j]
                for k, x in self._rows[j].items():
                    if k in scaled:
                        s = s - scaled[k] * x
                if not is_zero(s):
                    scaled[j] = s
                    row[j] = self._columns[j][i] = s * self.inverse[j]
            d = A[i][i]
            for k, x in row.items():
                d = d - scaled[k] * x
            require(compare(">", d, least * A[i][i]))
            self._rows.append(row)
            self.inverse.append(1.0 / d)

    def forward(self, b: Sequence[Number]) -> Numbers:
        """L^-1 b."""
        y = list(b)
        for i, row in enumerate(self._rows):
            for k, x in row.items():
                if not is_zero(y[k]):
                    y[i] = y[i] - x * y[k]
        return y

    def solve(self, b: Sequence[Number]) -> Numbers:
        """A^-1 b."""
        y = [0.0 if is_zero(x) else x * d for x, d in zip(self.forward(b), self.inverse, strict=True)]
        for i in reversed(range(len(y))):
            for k, x in self._columns[i].items():
                if not is_zero(y[k]):
                    y[i] = y[i] - x * y[k]
        return y


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """The sum of products."""
    s: Number = 0.0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            s = s + x * y
    return s


def times(A: Sequence[Sequence[Number]], b: Sequence[Number]) -> Numbers:
    """A b."""
    return [dot(row, b) for row in A]


def transposed(A: Sequence[Sequence[Number]], b: Sequence[Number], n: int) -> Numbers:
    """A' b (n,)."""
    found: Numbers = [0.0] * n
    for row, x in zip(A, b, strict=True):
        for j, a in enumerate(row):
            if not (is_zero(a) or is_zero(x)):
                found[j] = found[j] + a * x
    return found


def added(a: Sequence[Number], b: Sequence[Number]) -> Numbers:
    """The sum."""
    return [x + y for x, y in zip(a, b, strict=True)]


def negated(a: Sequence[Number]) -> Numbers:
    """The negative."""
    return [-x for x in a]
