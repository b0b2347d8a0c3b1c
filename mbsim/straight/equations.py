"""The equations of motion over traced numbers, as the methods that keep v, or independent speeds p, have them.

    M v_dot = h + C' lam,  C v_dot + eta = 0;   S = C M^-1 C',   S lam = -(eta + C M^-1 h)
    z = [v; q; W]                                      of the methods that keep v
    z = [p; q; W],  p = V2' v                          of `svd`, where V2 is held over many steps (`singular/decomposition.py`)

The methods eliminate in ways of their own, with pivots that they look for. Where the rows are independent the solution is one, and S shows
whether they are: its pivots over its diagonal are the squared sines of the angles between each row and those before it.

Of independent speeds any basis N of the null space serves. Here N = (M^-1 - M^-1 C' S^-1 C M^-1) V2, so that T = V2' N is symmetric too:

    v = v_p + N y,   v_p = -M^-1 C' S^-1 xi,   T y = p - V2' v_p
"""

from dataclasses import dataclass
from typing import NamedTuple

from mbsim.contracts import Arrays
from mbsim.jit.straight.graph import compare, larger, require, select
from mbsim.jit.straight.retarget import SQRT
from mbsim.kernels.ranks import NEAR
from mbsim.straight.linear import Factors, Matrix, Number, Numbers, added, dot, negated, times, transposed
from mbsim.straight.traced import Terms, TracedSystem

# Of the pivots of S over its diagonal, squared sines of angles between rows: a run with a smaller one is left to the march. The second
# solution of `Rows.onto` takes off what such a pivot costs in digits. So large are pivots at least before a step goes over a singular
# position unseen (APART). Methods that take residuals to round-off near singular positions are left where they begin to (NEARBY).
APART, NEARBY = 5e-4, NEAR**2
FLAT = 1e-6  # of the pivots of T over its diagonal
INERTIA = 1e-13  # of the pivots of M over its diagonal
NEVER_COUNTS = 10.0  # tolerances of phi: corrections that never count (`singular/correction.py`)
SLACK = 0.5  # of the correction that a step is allowed: one of equal steps that is near it is left to the march
ALLOWED = 1.0  # where steps are chosen they are refused beyond it, as by the march


@dataclass(frozen=True)
class Place:
    """Where equations are: the inputs of all of them."""

    arrays: Arrays
    t: Number
    scales: Numbers  # (n,) Work.scales
    row_scales: Numbers  # (m,) Work.row_scales
    tolerance: Number
    span: Number  # s: what a step may be corrected by in its metric, over its speed
    V2: Matrix | None  # k rows (n,) over scales: V2' of v itself; None where v is kept


class Solved(NamedTuple):
    """What an evaluation gives."""

    v: Numbers
    a: Numbers
    lam: Numbers
    q_dot: Numbers
    W_dot: Number


class Rows:
    """M and the rows of C, factored."""

    def __init__(self, M: Matrix, C: Matrix, least: float) -> None:
        """`least`: of the pivots of S."""
        self.n, self.C = len(M), C
        self._mass = Factors(M, INERTIA)
        self.weighed = [self._mass.solve(row) for row in C]  # C M^-1
        self._S = Factors([[dot(self.weighed[i], C[j]) for j in range(i + 1)] for i in range(len(C))], least)

    def free(self, b: Numbers) -> Numbers:
        """M^-1 b."""
        return self._mass.solve(b)

    def multipliers(self, b: Numbers) -> Numbers:
        """S^-1 b."""
        return self._S.solve(b)

    def pushed(self, lam: Numbers) -> Numbers:
        """M^-1 C' lam."""
        return transposed(self.weighed, lam, self.n)

    def onto(self, x: Numbers, wanted: Numbers) -> tuple[Numbers, Numbers]:
        """What is nearest to x in the metric of M of all y with C y = wanted, and its multipliers.

        S squares what the rows lack of being independent. The second time takes off the round-off of the first.
        """
        lam: Numbers = [0.0] * len(self.C)
        for _ in range(2):
            more = self.multipliers(added(wanted, negated(times(self.C, x))))
            x, lam = added(x, self.pushed(more)), added(lam, more)
        return x, lam

    def basis(self, V2: Matrix) -> Matrix:
        """N' (k rows)."""
        none: Numbers = [0.0] * len(self.C)
        return [self.onto(self.free(row), none)[0] for row in V2]


def speeds_of(rows: Rows, xi: Numbers, V2: Matrix, p: Numbers) -> tuple[Numbers, Matrix]:
    """v of independent speeds, and B' = T^-1 N' (k rows): what v changes by with each of them."""
    N = rows.basis(V2)
    held, _ = rows.onto([0.0] * rows.n, negated(xi))
    T = Factors([[dot(V2[i], N[j]) for j in range(i + 1)] for i in range(len(N))], FLAT)
    columns = [T.solve([row[j] for row in N]) for j in range(rows.n)]
    B = [[column[i] for column in columns] for i in range(len(N))]
    return added(held, transposed(B, added(p, negated(times(V2, held))), rows.n)), B


class Equations:
    """Of one system."""

    def __init__(self, system: TracedSystem, n: int, n_holonomic: int, least: float) -> None:
        """`least`: of the pivots of S over its diagonal."""
        self._system, self._n, self._n_holonomic, self._least = system, n, n_holonomic, least

    def solve(self, at: Place, q: Numbers, speeds: Numbers) -> tuple[Solved, Matrix]:
        """The motion at q with v, or p where V2 is held; and B'."""
        system, B = self._system, list[Numbers]()
        v = speeds
        if at.V2 is not None:
            # M of these systems does not depend on v: it is the same twice, and the graph finds that out
            start = system.terms(at.arrays, at.t, q, [0.0] * self._n)
            v, B = speeds_of(Rows(start.M, start.C, self._least), start.xi, at.V2, speeds)
        terms = system.terms(at.arrays, at.t, q, v)
        rows = Rows(terms.M, terms.C, self._least)
        a, lam = rows.onto(rows.free(terms.h), negated(terms.eta))
        power = terms.power - dot(lam, terms.xi)
        return Solved(v, a, lam, system.rates(at.arrays, at.t, q, v), power), B

    def energies(self, at: Place, q: Numbers, v: Numbers) -> Numbers:
        """Kinetic and potential energy, and the one that is balanced."""
        return self._system.energies(at.arrays, at.t, q, v)

    def turned(self, at: Place, B: Matrix) -> Number:
        """The sum of the squared tangents by which the null space has turned away from V2."""
        found: Number = -float(len(B))
        for row in B:
            for x, scale in zip(row, at.scales, strict=True):
                found = found + (x / scale) * (x / scale)
        return found

    def renew(self, at: Place, q: Numbers, p: Numbers) -> tuple[Matrix, Numbers]:
        """An orthonormal V2' (k rows, of v over scales) of the C at q, and p of the same v."""
        assert at.V2 is not None
        terms = self._system.terms(at.arrays, at.t, q, [0.0] * self._n)
        v, B = speeds_of(Rows(terms.M, terms.C, self._least), terms.xi, at.V2, p)
        found: Matrix = []
        for row in B:
            x = [b / scale for b, scale in zip(row, at.scales, strict=True)]
            for _ in range(2):  # Gram & Schmidt; the second time takes off the round-off of the first
                for before in found:
                    along = dot(x, before)
                    x = [a - along * b for a, b in zip(x, before, strict=True)]
            length = SQRT(dot(x, x))
            found.append([a / length for a in x])
        return found, [dot(row, [x / scale for x, scale in zip(v, at.scales, strict=True)]) for row in found]

    def unit(self, at: Place, q: Numbers) -> Numbers:
        """q with its quaternions of unit length."""
        return self._system.moved(at.arrays, q, [0.0] * self._n)

    def residual(self, at: Place, q: Numbers) -> tuple[Numbers, Number]:
        """phi, and the largest part of it over Work.row_scales."""
        phi = self._system.residual(at.arrays, at.t, q)
        return phi, largest(phi, at.row_scales[: self._n_holonomic])

    def correct(self, at: Place, q: Numbers) -> tuple[Numbers, Number]:
        """q moved by the smallest displacement that takes phi off, where it is too large, and the square of that in the metric of M.

        The mass matrix is that of q.
        """
        phi, worst = self.residual(at, q)
        terms = self._system.terms(at.arrays, at.t, q, [0.0] * self._n)
        rows = Rows(terms.M, terms.C[: self._n_holonomic], self._least)
        lam = rows.multipliers(negated(phi))
        moved = -dot(phi, lam)
        off = compare(">", worst, at.tolerance)
        found = self._system.moved(at.arrays, q, rows.pushed(lam))
        return [select(off, x, y) for x, y in zip(found, q, strict=True)], select(off, moved, 0.0)

    def allowed(self, at: Place, q: Numbers, v: Numbers) -> Number:
        """What the square of the correction of a step may be, by the mass matrix at q."""
        terms = self._system.terms(at.arrays, at.t, q, [0.0] * self._n)
        fast = dot(v, times(terms.M, v))
        far = dot(
            [terms.M[j][j] for j in range(self._n)],
            [(NEVER_COUNTS * at.tolerance * s) * (NEVER_COUNTS * at.tolerance * s) for s in at.scales],
        )
        return at.span * at.span * fast + far

    def violation(self, at: Place, terms: Terms, v: Numbers) -> tuple[Numbers, Number]:
        """-(C v + xi), and how much more its largest part is than is allowed."""
        wrong = negated(added(times(terms.C, v), terms.xi))
        pace = largest(v, at.scales)
        return wrong, largest(wrong, at.row_scales) - at.tolerance * pace

    def check_speeds(self, at: Place, q: Numbers, v: Numbers) -> Number:
        """How much more C v + xi is than is allowed."""
        return self.violation(at, self._system.terms(at.arrays, at.t, q, None), v)[1]

    def correct_speeds(self, at: Place, q: Numbers, v: Numbers) -> Numbers:
        """v with the smallest change that takes C v + xi off, where it is too large."""
        terms = self._system.terms(at.arrays, at.t, q, [0.0] * self._n)
        rows = Rows(terms.M, terms.C, self._least)
        wrong, more = self.violation(at, terms, v)
        off = compare(">", more, 0.0)
        return [select(off, x + d, x) for x, d in zip(v, rows.pushed(rows.multipliers(wrong)), strict=True)]


def largest(values: Numbers, scales: Numbers) -> Number:
    """The largest of the absolute values over scales."""
    found: Number = 0.0
    for x, scale in zip(values, scales, strict=True):
        found = larger(found, abs(x) / scale)
    return found


def hold_corrections(share: Number, most: float) -> None:
    """Leave a step whose correction is `most` of what it may be."""
    require(compare("<=", share, most))
