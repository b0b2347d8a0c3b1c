"""The predictor and corrector of `predictor_corrector` as steps of a method that searches for its multipliers.

Adams' formulas as a formula of two stages, to whose rates those of earlier steps are added (f_i of `predictor_corrector`):

    stage 1   z + h (55/24 f_0 + offset),   offset = (-59 f_1 + 37 f_2 - 9 f_3) / 24
    end       z + h (19/24 f_0 + 9/24 f(stage 1) + offset),   offset = (-5 f_1 + f_2) / 24

The search adds to f_0 and to f(stage 1). The history is without what is searched, so that it belongs to the motion and not to a step.
"""

from mbsim.contracts import CLOCK_ROWS, MARCH_SEARCH_PECE, OK, STATUS_CHANGED
from mbsim.integrators import _fixed
from mbsim.integrators._history import EQUAL_STEPS, NUMBER, SPACING
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.kernels.linalg import copy


@helper
def search_step(search, A, c, method, system, arrays, work, t, dt, z, scratch):
    """A step of a given length; A, c are pairs: of the formula that begins, and of Adams'."""
    known, f1, f2, f3, end, rest = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5:]
    if work.status[STATUS_CHANGED] != 0 or abs(dt - known[SPACING]) > EQUAL_STEPS * dt:
        known[NUMBER], known[SPACING] = 0.0, dt
    n = z.shape[0]
    if known[NUMBER] < 3.0:
        first = rest[A[0].shape[1]]
        code = search(A[0], c[0], method, system, arrays, work, t, dt, z, end, rest[:0], rest)
    else:
        offsets, K = rest[:3], rest[3:]
        first = K[2]
        for j in range(n):
            offsets[1, j] = (-59.0 * f1[j] + 37.0 * f2[j] - 9.0 * f3[j]) / 24.0
            offsets[2, j] = (-5.0 * f1[j] + f2[j]) / 24.0
        code = search(A[1], c[1], method, system, arrays, work, t, dt, z, end, offsets, K)
    if code == OK:
        copy(f2, f3, 0)
        copy(f1, f2, 0)
        copy(first, f1, 0)
        known[NUMBER] += 1.0
        copy(end, z, 0)
    return code


@kernel(MARCH_SEARCH_PECE)
def march(A, c, B, b, search, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """`_fixed.march` with such steps."""
    kept = flush_subnormals()
    filled = _fixed.fill(search_step, search, (A, B), (c, b), method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled
