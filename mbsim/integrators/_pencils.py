"""Solvers of SciPy (BDF, Radau) whose linear systems others solve: what stands where they expect a matrix.

They form A = x I + y J of the identity I and the Jacobian J, factor it, and solve with the factors. Here I and J are no matrices, A is the
pair x, y, and `blocks` solves with s - J, s = -x / y.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csc_array

Rates = Callable[[float, np.ndarray], np.ndarray]  # (t, z) -> z_dot
AGREES = 1e-2  # relative: what solutions by blocks and by differences may differ by; other methods' equations differ by more
PROBE = 1e-6  # m, rad: length of these differences


class Unfit(ArithmeticError):
    """The system cannot be solved this way."""


class Blocks(Protocol):
    """J of z_dot = f(t, z) at one state after the other. All may raise Unfit."""

    def take(self, t: float, z: np.ndarray, dz: np.ndarray) -> None:
        """J at (t, z), where dz = z_dot."""

    def factors(self, s: complex) -> object:
        """Of s - J."""

    def solve(self, factors: object, s: complex, r: np.ndarray) -> np.ndarray:
        """x with (s - J) x = r."""


class Pencil:
    """x I + y J."""

    __array_ufunc__ = None  # NumPy's numbers leave products with it to it

    def __init__(self, x: complex, y: complex) -> None:
        self.x, self.y = x, y

    def __rmul__(self, factor: complex) -> "Pencil":
        return Pencil(factor * self.x, factor * self.y)

    def __sub__(self, other: "Pencil") -> "Pencil":
        return Pencil(self.x - other.x, self.y - other.y)


class Factored(NamedTuple):
    """x I + y J with the factors that `blocks` made of it."""

    pencil: Pencil
    factors: object


def by_blocks(solver: Any, blocks: Blocks, rhs: Rates, t: float, z: np.ndarray, end: float, **options: object) -> Any:
    """A solver of this class that solves with `blocks`; rhs(t, z) is z_dot."""
    made = solver(rhs, t, z, end, jac=csc_array((z.size, z.size)), **options)  # constant: it evaluates none
    _solve_by(made, blocks, rhs)
    return made


def tried_by(solver: Any, left: float) -> float:
    """How long (s) the step of a solver was that failed: as it says; of LSODA, which does not, as its last one; at most `left`."""
    return float(min(getattr(solver, "h_abs", solver.step_size) or left, left))


def _solve_by(solver: Any, blocks: Blocks, rhs: Rates) -> None:

    def jac(t: float, z: np.ndarray, *_: object) -> Pencil:
        dz = rhs(t, z)
        if not np.isfinite(dz).all():
            raise ValueError("z_dot is not finite")  # as SciPy does where its Jacobian is not
        blocks.take(t, z, dz)
        return Pencil(0.0, 1.0)

    def lu(pencil: Pencil) -> Factored:
        return Factored(pencil, blocks.factors(-pencil.x / pencil.y))

    def solve_lu(factored: Factored, b: np.ndarray) -> np.ndarray:
        pencil = factored.pencil
        if not np.isfinite(b).all():
            return np.full(b.shape, np.nan)
        return blocks.solve(factored.factors, -pencil.x / pencil.y, -b / pencil.y)

    solver.I, solver.J = Pencil(1.0, 0.0), jac(solver.t, solver.y)
    solver.jac, solver.lu, solver.solve_lu = jac, lu, solve_lu


def agree(blocks: Blocks, rhs: Rates, t: float, z: np.ndarray, s: float) -> bool:
    """Whether a solution with s - J is one, by differences of z_dot. W, the last of z, which nothing depends on, is left out."""
    r = np.cos(np.arange(z.size) * 1.7)
    try:
        blocks.take(t, z, rhs(t, z))
        x = blocks.solve(blocks.factors(s), s, r)
    except Unfit:
        return False
    step = PROBE / max(np.abs(x).max(), 1e-300)
    moved = (rhs(t, z + step * x) - rhs(t, z - step * x)) / (2.0 * step)
    rhs(t, z)
    missed = (s * x - moved - r)[:-1]
    return bool(np.abs(missed).max() <= AGREES * np.abs(moved).max(initial=1.0))
