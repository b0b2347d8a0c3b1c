"""Whether the impulses of a solution are the only ones, and whether the velocities are.

At given w all impulses p + z with D z = 0 are solutions that keep to the conditions on p, which are convex then: p_N >= 0; p_N = 0 where
w_N > 0; |p_T| <= s; p_T = -s d where the contact slips along d. So the impulses are unique where D has no null space on the rows that may
change, and they are not where one of its vectors may be followed in one direction. Otherwise nothing is said.

Velocities are unique where D is positive semidefinite and nothing rubs (Cottle, Pang and Stone, The Linear Complementarity Problem, 1992,
theorem 3.1.7), and as far as enumeration has tried all combinations.
"""

import numpy as np

from mbsim.unilateral.problem import ENUMERATION, OPEN, REPORT_METHOD, REPORT_VELOCITIES, SEVERAL, SLIP, SOLVED, Problem, Scratch

UNIQUE, NOT_UNIQUE, UNKNOWN = "unique", "not unique", "unknown"
NULL = 1e-9  # of the largest singular value: below it one belongs to the null space
PRESSED = 1e-9  # of the largest impulse: above it an impulse is not at its bound of zero, or a friction impulse not at s


def impulses_are_unique(problem: Problem, scratch: Scratch) -> str:
    """UNIQUE, NOT_UNIQUE or UNKNOWN for the impulses of a solution at its velocities."""
    basis, strict = _columns(problem, scratch)
    if basis.shape[1] == 0:
        return UNIQUE
    moved = problem.D @ basis
    null = _null_space(moved)
    if null.shape[1] == 0:
        return UNIQUE
    if _null_space(moved[:, strict]).shape[1] > 0:
        return NOT_UNIQUE
    size = float(scratch.residual[1])
    for vector in np.hstack([null, -null]).T:
        change = basis @ vector
        if _allowed(problem, scratch, change * (1e-4 * size / np.abs(change).max())):
            return NOT_UNIQUE
    return UNKNOWN


def velocities_are_unique(problem: Problem, scratch: Scratch, code: int) -> str:
    """UNIQUE, NOT_UNIQUE or UNKNOWN for w of a solution. `code`: what `solve` returned when it looked for every solution."""
    if code == SEVERAL:
        return NOT_UNIQUE
    if code != SOLVED:
        return UNKNOWN
    if not (problem.friction.any() or len(problem.factor)):
        return UNIQUE
    tried_all = scratch.report[REPORT_METHOD] == ENUMERATION and scratch.report[REPORT_VELOCITIES] == 1
    return UNIQUE if tried_all else UNKNOWN


def _columns(problem: Problem, scratch: Scratch) -> tuple[np.ndarray, np.ndarray]:
    """(N, k) changes of p that keep to the equations at w, and (k,) which of them may go both ways."""
    rows, small = len(problem.b), PRESSED * float(scratch.residual[1])
    found: list[np.ndarray] = []
    strict: list[bool] = []
    for i in range(len(problem.normal)):
        first, last = problem.first[i], problem.first[i + 1]
        tangent = first + problem.normal[i]
        lifted = scratch.modes[i] == OPEN
        if lifted and not scratch.bound[i] > small:
            continue
        slips = scratch.modes[i] == SLIP
        if tangent > first and not lifted:
            change = np.zeros(rows)
            change[first] = 1.0
            if slips:
                change[tangent:last] = -problem.friction[i] * scratch.slip[tangent:last]
            found.append(change)
            strict.append(bool(scratch.p[first] > small))
        if not slips:
            inside = bool(np.linalg.norm(scratch.p[tangent:last]) < scratch.bound[i] - small)
            for k in range(tangent, last):
                change = np.zeros(rows)
                change[k] = 1.0
                found.append(change)
                strict.append(inside)
    return np.array(found, float).reshape(len(found), rows).T, np.array(strict, bool)


def _null_space(A: np.ndarray) -> np.ndarray:
    """(k, null) of A (rows, k). The vectors take several times as long as the values, which say mostly that there are none."""
    columns = A.shape[1]
    if columns == 0:
        return np.zeros((0, 0))
    values = np.linalg.svd(A, compute_uv=False)
    rank = int((values > NULL * max(values.max(initial=0.0), 1e-300)).sum())
    if rank == columns:
        return np.zeros((columns, 0))
    vectors: np.ndarray = np.linalg.svd(A)[2][rank:].T
    return vectors


def _allowed(problem: Problem, scratch: Scratch, change: np.ndarray) -> bool:
    """Whether p + change keeps to the bounds."""
    p, slack = scratch.p + change, 1e-6 * np.abs(change).max()
    for i in range(len(problem.normal)):
        first, last = problem.first[i], problem.first[i + 1]
        tangent = first + problem.normal[i]
        pressed = p[first] if tangent > first else 0.0
        if pressed < -slack:
            return False
        bound = scratch.bound[i] + problem.friction[i] * (change[first] if tangent > first else 0.0)
        for g in range(problem.loads[i], problem.loads[i + 1]):
            reactions = slice(problem.load_rows[g], problem.load_rows[g + 1])
            before = problem.free[reactions] + problem.response[reactions] @ scratch.p
            after = before + problem.response[reactions] @ change
            bound += problem.factor[g] * float(np.linalg.norm(after) - np.linalg.norm(before))
        if scratch.modes[i] != SLIP and np.linalg.norm(p[tangent:last]) > bound + slack:
            return False
    return True
