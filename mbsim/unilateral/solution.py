"""`solve`: one kernel that chooses who solves a problem."""

import numpy as np

from mbsim.jit import helper, kernel
from mbsim.unilateral.enumeration import MOST, count_modes, enumerate_modes
from mbsim.unilateral.lemke import pivot
from mbsim.unilateral.natural_map import name_modes, scale_rows
from mbsim.unilateral.newton import ROUNDS, iterate
from mbsim.unilateral.problem import (
    ENUMERATION,
    LEMKE,
    NEAREST,
    NEWTON,
    NO_SOLUTION,
    NOT_CONVERGED,
    NOT_FINITE,
    REPORT_CODE,
    REPORT_CONTACT,
    REPORT_ITERATIONS,
    REPORT_METHOD,
    SOLVE,
    SOLVED,
)

AUTO = -1  # enumeration where there are few combinations and all are asked for; else Newton, which is quicker, and then what applies
QUICK_ROUNDS = 3  # of Newton's method before others are tried


@helper
def find_infinite(problem):
    """The contact with an entry of D or b that is not finite; -1: none."""
    for i in range(problem.normal.shape[0]):
        for k in range(problem.first[i], problem.first[i + 1]):
            if not np.isfinite(problem.b[k]):
                return i
            for j in range(problem.b.shape[0]):
                if not np.isfinite(problem.D[k, j]):
                    return i
    return -1


@helper
def need_alone(problem, scale):
    """The largest impulse that a row would need if it were alone. Where there is no solution, impulses grow, and so does what is left."""
    need = 0.0
    for k in range(problem.b.shape[0]):
        need = max(need, scale[k] * abs(problem.b[k]))
    return need


@kernel(SOLVE)
def solve(problem, scratch, method, every):
    """Solve a problem; returns the code, which is in `scratch.report`, too. `scratch.p` is the start where the method iterates.

    `every` other than zero: look for all solutions, where enumeration can.
    """
    blamed = find_infinite(problem)
    if blamed >= 0:
        scratch.report[REPORT_CODE], scratch.report[REPORT_CONTACT] = NOT_FINITE, blamed
        return NOT_FINITE
    scale_rows(problem, scratch.scale)
    combinations = count_modes(problem, scratch.radix)
    few = 0 <= combinations <= MOST
    code = NOT_CONVERGED
    if method == NEWTON or (method == AUTO and not (few and every != 0)):
        code = iterate(problem, scratch, QUICK_ROUNDS if method == AUTO else ROUNDS)
    if method == ENUMERATION or (method == AUTO and few and code != SOLVED):
        code = enumerate_modes(problem, scratch, combinations, every) if combinations >= 0 else NO_SOLUTION
    elif code != SOLVED and method in (LEMKE, AUTO):
        found = pivot(problem, scratch) if scratch.q.shape[0] > 0 else 0
        exchanges = scratch.report[REPORT_ITERATIONS]
        code = iterate(problem, scratch, ROUNDS)
        if found == 1 and scratch.report[REPORT_METHOD] == NEWTON:
            scratch.report[REPORT_METHOD], scratch.report[REPORT_ITERATIONS] = LEMKE, exchanges
    if code == NOT_CONVERGED and scratch.residual[0] <= NEAREST * need_alone(problem, scratch.scale):
        code = SOLVED
        scratch.report[REPORT_CODE], scratch.report[REPORT_CONTACT] = code, -1
    name_modes(problem, scratch)
    return code
