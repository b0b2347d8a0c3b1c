"""What `bdf`, `radau` and `lsoda` rely on in SciPy beyond its documented face, tried on a small system where SciPy is of a new series.

mbsim replaces how these solvers form and solve their linear systems (`_pencils`), moves the end of their last step and the end of their
march (`take_over`), and solves with the factors of their steps (`settle`). A SciPy that has changed in these would leave the first
unheeded, go on from a state that is none, or lack what the last one reads. Where a trial fails, runs are right without: matrices are
formed, the solver restarts from a moved state, or corrections stay as they are. One line says so.
"""

import logging
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from mbsim.integrators._pencils import by_blocks

Floats = NDArray[np.float64]
Move = Callable[[Any, Floats], None]  # of the end of the last step of a solver, by a change
Settle = Callable[[Any, Floats], Floats]  # what a step of a solver leaves of a change
log = logging.getLogger("mbsim")

KNOWN = ("1.14", "1.15", "1.16", "1.17")  # series of SciPy with which all trials succeed: they are left out
J = np.array([[-3.0, 1.0, 0.0], [0.5, -40.0, 2.0], [0.0, 1.0, -7.0]])
PUSH = np.array([1.0, -2.0, 0.5])
START = np.array([1.0, 0.2, -0.3])
MOVED = np.array([0.3, -0.1, 0.2])
END, LATER, STEPS = 2.0, 20.0, 6
ERROR = {"rtol": 1e-10, "atol": 1e-5}  # almost the same at a state and at one beside it
SHORTEST, LONGEST = 0.02, 11.0  # of the last step: c in I - c J of the next one, which may be a fifth or ten times as long; c is 0.3 to 1
AGREES = 1e-6  # of what is of the size of one: an error that went unheeded is of the size of MOVED, or of a step


class _Dense:
    """`Blocks` of the small system; it counts what the solver asks for."""

    def __init__(self) -> None:
        self.taken = self.factored = self.solved = 0

    def take(self, t: float, z: Floats, dz: Floats) -> None:
        self.taken += 1

    def factors(self, s: complex) -> np.ndarray:
        self.factored += 1
        return s * np.eye(len(J)) - J

    def solve(self, factors: Any, s: complex, r: np.ndarray) -> np.ndarray:
        self.solved += 1
        return np.linalg.solve(factors, r)


def _rates(t: float, z: Floats) -> Floats:
    return J @ z + np.cos(3.0 * t) * PUSH


def _steps(solver: Any) -> Floats:
    """t and z after each of some steps."""
    found = np.zeros((STEPS, 1 + len(J)))
    for row in found:
        solver.step()
        row[:] = solver.t, *solver.y
    return found


def solves(solver: Any) -> bool:
    """Whether a solver of this class solves its linear systems with what stands in their place, and goes the same steps."""
    blocks = _Dense()
    found = _steps(by_blocks(solver, blocks, _rates, 0.0, START.copy(), END, **ERROR))
    expected = _steps(solver(_rates, 0.0, START.copy(), END, jac=J, **ERROR))
    return min(blocks.taken, blocks.factored, blocks.solved) > 0 and np.allclose(found, expected, rtol=0.0, atol=AGREES)


def moves(solver: Any, take_over: Move) -> bool:
    """Whether a solver whose end is moved, of its last step and of its march, goes on as it would have gone from the moved state.

    The right side is moved along, so it goes the same steps beside. One run after the other: of LSODA in Fortran there may be only one.
    """

    def later(change: Floats) -> Floats:
        shift = np.zeros(len(J))
        made = solver(lambda t, z: _rates(t, z - shift), 0.0, START.copy(), END, jac=lambda t, z: J, **ERROR)
        while made.status == "running":
            made.step()
        made.t_bound, made.status = LATER, "running"
        shift[:] = change
        if change.any():
            take_over(made, change)
        return _steps(made)

    expected, found = later(np.zeros(len(J))), later(MOVED)
    return bool((expected[:, 0] > END).all()) and np.allclose(found - [0.0, *MOVED], expected, rtol=0.0, atol=AGREES)


def settles(solver: Any, settle: Settle) -> bool:
    """Whether `settle` tells what a step leaves of a change: (I - c J)^-1 change, c as long as a step, and the next steps stay the same."""
    one, other = (solver(_rates, 0.0, START.copy(), END, jac=lambda t, z: J, **ERROR) for _ in range(2))
    _steps(one)
    _steps(other)
    left = settle(other, MOVED)
    rates = J @ left
    c = rates @ (left - MOVED) / (rates @ rates)
    told = SHORTEST * other.step_size < c < LONGEST * other.step_size and np.allclose(left - c * rates, MOVED, rtol=0.0, atol=AGREES)
    return bool(told) and np.allclose(_steps(other), _steps(one), rtol=0.0, atol=AGREES)


LOST: dict[Callable[..., bool], tuple[str, str]] = {
    solves: ("no longer lets others solve its linear systems", "mbsim forms matrices, which takes longer for many bodies"),
    moves: ("no longer lets others move the end of a step", "mbsim restarts it where drift is corrected by more than its tolerance"),
    settles: ("no longer lets others solve with the factors of a step", "stiff springs answer to corrections of drift, in shorter steps"),
}


@cache
def passes(trial: Callable[..., bool], solver: Any, *more: Move | Settle) -> bool:
    """Whether a trial of this class succeeds. One line says so where it does not."""
    try:
        found, reason = trial(solver, *more), "it goes other steps"
    except Exception as error:  # whatever a changed SciPy raises
        found, reason = False, f"{type(error).__name__}: {error}"
    if not found:
        log.warning("%s of SciPy %s %s (%s): %s", solver.__name__, scipy.__version__, LOST[trial][0], reason, LOST[trial][1])
    return bool(found)


def is_known() -> bool:
    """Whether the trials succeed with this SciPy, as tests have found."""
    return ".".join(scipy.__version__.split(".")[:2]) in KNOWN


def try_replacing(solver: object, take_over: Move, settle: Settle) -> tuple[Move | None, Callable[..., Any] | None, Settle | None]:
    """`take_over`, what makes a solver of this class that others solve for (`by_blocks`), and `settle`; None for what no longer works."""
    known = is_known()
    moved = take_over if known or passes(moves, solver, take_over) else None
    solved = partial(by_blocks, solver) if known or passes(solves, solver) else None
    return moved, solved, settle if known or passes(settles, solver, settle) else None
