"""One solution as Python sees it, and the call of the kernel that finds it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbsim.unilateral.problem import (
    METHODS,
    REPORT_CONTACT,
    REPORT_ITERATIONS,
    REPORT_METHOD,
    SOLVED,
    Contacts,
    Load,
    Problem,
    problem,
    scratch,
)
from mbsim.unilateral.uniqueness import UNKNOWN, impulses_are_unique, velocities_are_unique


class Answer(NamedTuple):
    """p and w = D p + b of a problem, and what is known of them."""

    code: int  # SOLVED, SEVERAL, NO_SOLUTION, NOT_CONVERGED, NOT_FINITE
    contact: int  # the contact to blame where the code is not SOLVED; else -1
    p: np.ndarray  # (N,)
    w: np.ndarray  # (N,)
    modes: np.ndarray  # (n,) OPEN, STICK, SLIP
    slip: np.ndarray  # (N,) unit direction of slip of contacts that slip, else zero
    residual: float  # of the natural map, of the largest impulse
    impulses_unique: str  # "unique", "not unique", "unknown"
    velocities_unique: str
    method: str  # who found it
    iterations: int  # combinations of modes, or Newton's steps


def answer(
    D: np.ndarray,
    b: np.ndarray,
    of: Contacts,
    direction: np.ndarray | None = None,
    loads: Sequence[Load] = (),
    method: str | None = None,
    start: np.ndarray | None = None,
    static: bool = False,
    every: bool = True,
) -> Answer:
    """Solve one problem: D (N, N), b (N,); `direction`, `loads`, `static` as in `problem.problem`.

    `method`: one of METHODS, None chooses. `start` (N,): impulses that iterations begin with. `every`: look for all solutions, where
    enumeration can, and say what is unique; else the first one does, which takes a tenth of the time. Raises ValueError for other shapes.
    """
    given = problem(D, b, of, direction, loads, static)
    return answer_of(given, method, start, every)


def answer_of(given: Problem, method: str | None = None, start: np.ndarray | None = None, every: bool = True) -> Answer:
    """Solve a problem that is made already."""
    from mbsim.unilateral.solution import AUTO, solve  # compiled for the first problem: every analysis imports this file

    work = scratch(given)
    if start is not None:
        work.p[:] = start
    code = int(solve(given, work, AUTO if method is None else METHODS.index(method), every))
    size = float(work.residual[1])
    return Answer(
        code=code,
        contact=-1 if code == SOLVED else int(work.report[REPORT_CONTACT]),
        p=work.p,
        w=work.w,
        modes=work.modes,
        slip=work.slip,
        residual=float(work.residual[0]) / size if size > 0.0 else 0.0,
        impulses_unique=impulses_are_unique(given, work) if every else UNKNOWN,
        velocities_unique=velocities_are_unique(given, work, code) if every else UNKNOWN,
        method=METHODS[work.report[REPORT_METHOD]],
        iterations=int(work.report[REPORT_ITERATIONS]),
    )
