"""Symmetric equations over traced numbers, by L D L' in the given order. What is a structural zero costs nothing.

Every pivot is held against its place of the matrix: one that is below `least` of it leaves the lanes.
"""

from collections.abc import Sequence
from typing import Any

from mbsim.jit.straight.graph import compare, require

Number = Any  # a float, or a traced number
Numbers = list[Number]
Matrix = list[Numbers]


class Factors:
    """A = L D L' of a symmetric positive definite matrix (n, n), of which the lower part is read."""

    def __init__(self, A: Sequence[Sequence[Number]], least: float) -> None:
        n = len(A)
        self.L: Matrix = [[0.0] * n for _ in range(n)]
        self.inverse: Numbers = []  # of D
        scaled: Matrix = [[0.0] * n for _ in range(n)]  # L D
        for i in range(n):
            for j in range(i):
                s = A[i][j]
                for k in range(j):
                    s = s - scaled[i][k] * self.L[j][k]
                scaled[i][j] = s
                self.L[i][j] = s * self.inverse[j]
            d = A[i][i]
            for k in range(i):
                d = d - scaled[i][k] * self.L[i][k]
            require(compare(">", d, least * A[i][i]))
            self.inverse.append(1.0 / d)

    def forward(self, b: Sequence[Number]) -> Numbers:
        """L^-1 b."""
        y = list(b)
        for i in range(len(y)):
            for k in range(i):
                y[i] = y[i] - self.L[i][k] * y[k]
        return y

    def solve(self, b: Sequence[Number]) -> Numbers:
        """A^-1 b."""
        y = [x * d for x, d in zip(self.forward(b), self.inverse, strict=True)]
        for i in reversed(range(len(y))):
            for k in range(i + 1, len(y)):
                y[i] = y[i] - self.L[k][i] * y[k]
        return y


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """The sum of products."""
    s: Number = 0.0
    for x, y in zip(a, b, strict=True):
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
            found[j] = found[j] + a * x
    return found


def added(a: Sequence[Number], b: Sequence[Number]) -> Numbers:
    """The sum."""
    return [x + y for x, y in zip(a, b, strict=True)]


def negated(a: Sequence[Number]) -> Numbers:
    """The negative."""
    return [-x for x in a]
