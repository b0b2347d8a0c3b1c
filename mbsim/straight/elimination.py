"""Equations [A, -C'; B, 0] over traced numbers, by L U in an order that is fixed when they are recorded. Structural zeros cost nothing.

A (n, n) is a mass matrix with what a step adds to it, and not symmetric. The order is that of least degree, and a row of constraints comes
after all speeds that it is about: then its pivot is what these have left of B A^-1 C', which shows whether it is independent of the rows
before it. Every pivot is held against what it began with: one that is too small leaves the lanes.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mbsim.jit.straight.derivatives import is_zero
from mbsim.jit.straight.graph import compare, require
from mbsim.straight.linear import Number, Numbers

STIFFEST = 1e-12  # of the pivots of A over the entry of the mass matrix there: a step that makes one so small is left to the march


class Step(NamedTuple):
    """What eliminates one unknown; places are those of `Eliminated.numbers`."""

    unknown: int
    inverse: int  # place of the pivot's
    below: list[tuple[int, int]]  # unknowns that come later, and the factor of each
    right: list[tuple[int, int]]  # unknowns that come later, and the entry of each in the row


class Eliminated:
    """The factors: their numbers, and the order in which they are used."""

    def __init__(self, steps: Sequence[Step], numbers: Numbers) -> None:
        self._steps, self.numbers = steps, numbers

    def of(self, numbers: Numbers) -> "Eliminated":
        """The same with other numbers, as those that stand in slots."""
        return Eliminated(self._steps, numbers)

    def solve(self, b: Sequence[Number]) -> Numbers:
        """The solution."""
        y, numbers = list(b), self.numbers
        for step in self._steps:
            for i, place in step.below:
                y[i] = y[i] - numbers[place] * y[step.unknown]
        for step in reversed(self._steps):
            s = y[step.unknown]
            for j, place in step.right:
                s = s - numbers[place] * y[j]
            y[step.unknown] = s * numbers[step.inverse]
        return y


def eliminate(matrix: Sequence[Mapping[int, Number]], inertia: Sequence[Number], least: float) -> Eliminated:
    """The factors of a matrix by rows of entries. The first unknowns are speeds: `inertia` has the diagonal of their mass matrix.

    `least`: of the pivots of other rows, over what the speeds gave them.
    """
    n = len(inertia)
    rows = [dict(row) for row in matrix]
    steps, numbers, given = list[Step](), list[Number](), dict[int, Number]()
    for k in _order(rows, n):
        pivot, row = rows[k].pop(k, 0.0), rows[k]
        require(compare(">", pivot, STIFFEST * inertia[k] if k < n else least * given.get(k, 0.0)))
        inverse = _kept(numbers, 1.0 / pivot)
        right = [(j, _kept(numbers, x)) for j, x in sorted(row.items())]
        below = []
        for i, other in enumerate(rows):
            if i == k or k not in other:
                continue
            factor = other.pop(k) * numbers[inverse]
            below.append((i, _kept(numbers, factor)))
            for j, place in right:
                taken = factor * numbers[place]
                other[j] = other[j] - taken if j in other else -taken
                if i == j and k < n <= i:
                    given[i] = given.get(i, 0.0) - taken
        rows[k] = {}
        steps.append(Step(k, inverse, below, right))
    return Eliminated(steps, numbers)


def entries(row: Sequence[Number]) -> dict[int, Number]:
    """A row without its structural zeros."""
    return {j: x for j, x in enumerate(row) if not is_zero(x)}


def _kept(numbers: Numbers, x: Number) -> int:
    numbers.append(x)
    return len(numbers) - 1


def _order(rows: Sequence[Mapping[int, Number]], n: int) -> list[int]:
    """Of least degree, constraints after the speeds that they are about."""
    beside = [set(row) - {k} for k, row in enumerate(rows)]
    for k, others in enumerate(list(map(set, beside))):
        for j in others:
            beside[j].add(k)
    waits = {k: {j for j in beside[k] if j < n} for k in range(n, len(rows))}
    left, found = set(range(len(rows))), list[int]()
    while left:
        k = min((k for k in left if not waits.get(k, set()) & left), key=lambda k: (len(beside[k]), k))
        for j in beside[k]:
            beside[j] |= beside[k]
            beside[j] -= {j, k}
        left.discard(k)
        found.append(k)
    return found
