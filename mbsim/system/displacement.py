"""The smallest displacement in the M norm that meets independent rows of constraints, compiled: C d = b, zero where d is held.

With M = L L' over what is free, and the rows of Y = C L'^-1 made unit, Y = G Q by Gram-Schmidt with pivots: d = L'^-1 Q' w with G w = b.
Where rows depend on each other, or nearly do, `mbsim.diagnosis.consistent` finds d by singular values.
"""

from collections.abc import Callable
from math import isnan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import jit
from mbsim.contracts import ARRAYS, SYSTEM
from mbsim.jit import f8, helper, i8, kernel, void
from mbsim.jit.signatures import A1, I1, Block, Indices, Matrix, Packed, Vector
from mbsim.kernels.linalg import cholesky, multiply_rows, orthogonalise, solve_lower, solve_upper
from mbsim.kernels.ranks import FOLDED, RANK_TOLERANCE
from mbsim.system.system import Floats, System

DEPENDENT = FOLDED  # smallest pivot of unit rows above which this way is taken
ITERATIONS = 60
CONTRACTION = 0.25  # of successive Newton steps, Deuflhard's bound (Newton Methods for Nonlinear Problems, 2.1.2): within it they go to
# the solution that the configuration at the start is connected with


class _Factors(NamedTuple):
    q: Vector  # (n_q,) where M and C are
    v: Vector  # (n,) speeds
    M: Matrix  # (n, n)
    C: Matrix  # (m, n)
    xi: Vector  # (m,)
    h: Vector  # (n,) scratch, like the next two
    eta: Vector  # (m,)
    power: Vector  # (1,)
    still: Vector  # (n,) zeros
    free: Indices  # (k,) places of the speeds that may change
    L: Matrix  # (k, k)
    Y: Matrix  # (r, k) of the first r rows
    G: Matrix  # (r, r)
    lengths: Vector  # (r,)
    order: Indices  # (r,) rows as they were picked
    dense: Indices  # (k,) zeros: the skyline of a full matrix
    b: Vector  # (r,)
    d: Vector  # (n,)
    x: Vector  # (k,) scratch
    w: Vector  # (r,) scratch
    time: Vector  # (1,) s


class Factors(Packed, _Factors):
    """What a displacement is found with."""


FACTORS = Factors.block = Block(Factors)


@helper
def factor_rows(f):
    """The smallest pivot of unit rows of C L'^-1; 0 where M is not positive definite or rows depend on each other."""
    n, m = f.free.shape[0], f.Y.shape[0]
    if m > n:
        return 0.0
    for i in range(n):
        for j in range(i + 1):
            f.L[i, j] = f.M[f.free[i], f.free[j]]
    if cholesky(f.L, n, f.dense) >= 0:
        return 0.0
    for r in range(m):
        for j in range(n):
            f.Y[r, j] = f.C[r, f.free[j]]
        solve_lower(f.L, n, f.dense, f.Y[r])
        s = 0.0
        for j in range(n):
            s += f.Y[r, j] * f.Y[r, j]
        if not s > 0.0:
            return 0.0
        f.lengths[r] = sqrt(s)
        for j in range(n):
            f.Y[r, j] /= f.lengths[r]
        for j in range(m):
            f.G[r, j] = 0.0
    if orthogonalise(f.Y, m, n, f.lengths[:0], -1, RANK_TOLERANCE, f.G, f.order, 0) < m:
        return 0.0
    return f.G[f.order[m - 1], m - 1] if m > 0 else 1.0


@helper
def solve_rows(f):
    """Fill d for b."""
    n, m = f.free.shape[0], f.Y.shape[0]
    for j in range(n):
        f.x[j] = 0.0
    for k in range(m):
        i = f.order[k]
        s = f.b[i] / f.lengths[i]
        for l in range(k):
            s -= f.G[i, l] * f.w[l]
        f.w[k] = s / f.G[i, k]
        for j in range(n):
            f.x[j] += f.w[k] * f.Y[i, j]
    solve_upper(f.L, n, f.dense, f.x)
    for j in range(f.d.shape[0]):
        f.d[j] = 0.0
    for j in range(n):
        f.d[f.free[j]] = f.x[j]


@kernel(f8(FACTORS))
def factor(f):
    """The smallest pivot of M and C as they are."""
    return factor_rows(f)


@kernel(f8(SYSTEM, ARRAYS, FACTORS))
def evaluate_and_factor(system, arrays, f):
    """The smallest pivot of M and C at (time, q)."""
    system.constraints(arrays, f.time[0], f.q, f.C, f.xi)
    system.dynamics(arrays, f.time[0], f.q, f.still, f.M, f.h, f.eta, f.power)
    return factor_rows(f)


@kernel(void(FACTORS))
def solve(f):
    """Fill d for b."""
    solve_rows(f)


@helper
def meet_speeds(f):
    """Move v onto C v + xi = 0, if the smallest pivot allows it, which is returned; b becomes what is left of the rows."""
    weakest = factor(f)
    if not weakest > DEPENDENT:
        return weakest
    for passed in range(3):  # the second removes the round-off of the first
        multiply_rows(f.C, f.v, f.b)
        for r in range(f.b.shape[0]):
            f.b[r] = -(f.b[r] + f.xi[r])
        if passed < 2:
            solve(f)
            for j in range(f.v.shape[0]):
                f.v[j] += f.d[j]
    return weakest


@kernel(f8(SYSTEM, ARRAYS, FACTORS, f8))
def evaluate_and_project(system, arrays, f, t):
    """Move v onto C v + xi = 0 at (t, q), if the smallest pivot allows it, which is returned; b becomes what is left of the rows."""
    system.constraints(arrays, t, f.q, f.C, f.xi)
    system.dynamics(arrays, t, f.q, f.still, f.M, f.h, f.eta, f.power)
    return meet_speeds(f)


@kernel(f8(SYSTEM, ARRAYS, FACTORS, A1, I1, f8, f8, f8))
def evaluate_start(system, arrays, f, phi, slides, t, tolerance, accepted):
    """The smallest pivot at a start (t, q) that meets its positions' constraints as it is, with v moved onto C v + xi = 0; 0 where more is
    to be done.

    `slides` (n_q,): which coordinates are lengths. `tolerance` of phi, m, rad, at most that share of how far these are apart; `accepted`
    of what is left of the rows, or that share of the largest speed.
    """
    if phi.shape[0] > 0:
        low, high = np.inf, -np.inf
        for i in range(slides.shape[0]):
            if slides[i]:
                low, high = min(low, f.q[i]), max(high, f.q[i])
        most = tolerance * (min(high - low, 1.0) if low <= high else 1.0)
        system.residual(arrays, t, f.q, phi)
        for x in phi:
            if not abs(x) <= most:
                return 0.0
    system.constraints(arrays, t, f.q, f.C, f.xi)
    system.dynamics(arrays, t, f.q, f.still, f.M, f.h, f.eta, f.power)
    weakest = meet_speeds(f)
    left, largest = 0.0, 0.0
    for x in f.b:
        left = max(left, abs(x)) if not isnan(x) else np.inf
    for x in f.v:
        largest = max(largest, abs(x))
    return weakest if weakest > DEPENDENT and (left <= accepted or left <= accepted * largest) else 0.0


class _Goal(NamedTuple):
    phi: Vector  # (r,) residuals of positions
    rows: Vector  # (r,) what they are divided by
    columns: Vector  # (n,) what displacements are divided by
    reached: Vector  # (1,) below which a residual is none


class Goal(Packed, _Goal):
    """The units in which positions are moved onto their constraints."""


GOAL = Goal.block = Block(Goal)


@helper
def is_met(f, g):
    """Fill b with what takes the residuals away; whether there are none."""
    met = True
    for i in range(g.phi.shape[0]):
        f.b[i] = -g.phi[i]
        met = met and abs(g.phi[i] / g.rows[i]) <= g.reached[0]
    return met


@kernel(i8(SYSTEM, ARRAYS, FACTORS, GOAL))
def evaluate_and_contract(system, arrays, f, g):
    """Move q onto the positions' constraints by Newton's iteration as long as its displacements contract; returns 1 where it gets there."""
    before = np.inf
    for _ in range(ITERATIONS):
        system.residual(arrays, f.time[0], f.q, g.phi)
        if is_met(f, g):
            return 1
        system.constraints(arrays, f.time[0], f.q, f.C, f.xi)
        system.dynamics(arrays, f.time[0], f.q, f.still, f.M, f.h, f.eta, f.power)
        if not factor(f) > RANK_TOLERANCE:
            return 0
        solve(f)
        s = 0.0
        for j in range(f.d.shape[0]):
            x = f.d[j] / g.columns[j]
            s += x * x
        size = sqrt(s)
        if not size <= CONTRACTION * before:
            return 0
        system.move(arrays, f.q, f.d)
        before = size
    return 0


class Smallest:
    """Displacements of a system at one time with the first `rows` rows of C, where the speeds `free` (n_v,) bool may change.

    The functions of the system are kernels. `repeated`: many are asked for.
    """

    def __init__(self, system: System, t: float, rows: int, free: NDArray[np.bool_], repeated: bool = False) -> None:
        places = np.flatnonzero(free)
        n, m, k = system.n_v, system.n_rows, len(places)
        self._of = Factors(
            q=np.zeros(system.n_q), v=np.zeros(n), M=np.zeros((n, n)), C=np.zeros((m, n)), xi=np.zeros(m), h=np.zeros(n), eta=np.zeros(m),
            power=np.zeros(1), still=np.zeros(n), free=places, L=np.zeros((k, k)), Y=np.zeros((rows, k)), G=np.zeros((rows, rows)),
            lengths=np.zeros(rows), order=np.zeros(rows, np.int64), dense=np.zeros(k, np.int64), b=np.zeros(rows), d=np.zeros(n),
            x=np.zeros(k), w=np.zeros(rows), time=np.array([t]),
        )  # fmt: skip
        self._system, self._t = system, t
        self._factor = jit.bound(evaluate_and_factor, system.functions, system.arrays, self._of)
        self._solve = jit.bound(solve, self._of)
        self._project: Callable[[float], float] | None = None
        if repeated:
            self._project = jit.bound(evaluate_and_project, system.functions, system.arrays, self._of, jit.GIVEN)

    @property
    def factors(self) -> Factors:
        """Its arrays."""
        return self._of

    def factor(self, q: Floats, t: float | None = None) -> bool:
        """Whether the rows are independent at q (n_q,), at another time t where it is given; then `solve` belongs to it."""
        self._of.q[:] = q
        self._t = self._t if t is None else t
        self._of.time[0] = self._t
        return bool(self._factor() > DEPENDENT)

    def solve(self, b: Floats) -> Floats:
        """The smallest d (n_v,) with C d = b (rows,)."""
        self._of.b[:] = b
        self._solve()
        return self._of.d.copy()

    def speeds(self, q: Floats, v: Floats, t: float | None = None) -> tuple[Floats, float, float]:
        """Speeds (n_v,) on C v + xi = 0 next to v; the largest residual that is left, and the smallest pivot.

        `rows` are all of them. Where the pivot is not above DEPENDENT the speeds are v. `t`: another time.
        """
        of = self._of
        self._t = self._t if t is None else t
        of.q[:], of.v[:] = q, v
        if self._project is None:
            pivot = float(evaluate_and_project(self._system.functions, self._system.arrays, self._of, self._t))
        else:
            pivot = float(self._project(self._t))
        return of.v.copy(), float(np.abs(of.b).max(initial=0.0)), pivot


class Newton:
    """Newton's iteration onto the positions' constraints of a system by smallest displacements, all speeds free."""

    def __init__(self, system: System, smallest: Smallest) -> None:
        """`smallest` is one of the rows of these constraints."""
        n, r = system.n_v, system.n_holonomic
        self._goal = Goal(np.zeros(r), np.ones(r), np.ones(n), np.zeros(1))
        self._of = smallest.factors
        self._contract = jit.bound(evaluate_and_contract, system.functions, system.arrays, self._of, self._goal)

    def measure(self, rows: Floats, columns: Floats, reached: float) -> None:
        """Divide residuals by `rows` (r,) and displacements by `columns` (n_v,); residuals below `reached` are none."""
        self._goal.rows[:], self._goal.columns[:], self._goal.reached[0] = rows, columns, reached

    def found(self, t: float, q: Floats) -> Floats | None:
        """The configuration (n_q,) on the constraints that q leads to, where the displacements contract and rows are independent."""
        self._of.time[0], self._of.q[:] = t, q
        return self._of.q.copy() if self._contract() else None
