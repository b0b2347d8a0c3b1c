"""The march of LANES runs at once by rk4, of straight-line code (`programs.py`); `integrators/rk4.py` has the formula.

An output row is evaluated where the next step begins, so that a step takes four evaluations and not five.
"""

from math import ceil

from mbsim.jit import flush_subnormals, kernel, restore_subnormals
from mbsim.jit.signatures import A1, A2, I1, Function, f8, i8
from mbsim.jit.straight.emission import LANES, STRAIGHT
from mbsim.straight.programs import EQUAL_STEPS
from mbsim.studies.lanes.settling import SPAN, TURNED, H, T, fill, onto, put_row, renew_bases

KEPT = 2  # rows of LANES that a march holds: what a step leaves of turning and of guards
# the kernels in the order of EQUAL_STEPS, table, times, step (s), limit of the turning, of the corrections, slots, what is kept, rows
MARCH_LANES = i8(*[Function(STRAIGHT)] * len(EQUAL_STEPS), I1, A1, f8, f8, f8, A2, A2, A2)


@kernel(MARCH_LANES)
def march(
    record, stage, check, correct, check_speeds, correct_speeds, unit, renew, half, half_again, whole, end,
    table, times, step, limit, way, slots, kept, rows,
):  # fmt: skip
    """Fill rows (k width, LANES) from the state in the slots; returns how many before all lanes had left."""
    control = flush_subnormals()
    turned, guards, filled = kept[0], kept[1], 0
    for row in range(times.shape[0]):
        filled = row + 1
        if not put_row(record, row, times, slots, table, rows):
            break
        span = times[row + 1] - times[row]
        steps = max(1, ceil(span / step - 1e-9))
        dt = span / steps
        fill(slots, table[H], dt)
        fill(slots, table[SPAN], way * dt)
        for i in range(steps):
            t = times[row] + i * (span / steps)
            if i > 0:
                stage(slots)
            half(slots)
            fill(slots, table[T], t + 0.5 * dt)
            stage(slots)
            half_again(slots)
            stage(slots)
            whole(slots)
            fill(slots, table[T], t + dt)
            stage(slots)
            end(slots)
            for lane in range(LANES):
                turned[lane] = slots[table[TURNED], lane]
            onto(check, correct, check_speeds, correct_speeds, unit, table, slots, guards)
            renew_bases(renew, table, slots, limit, turned, guards)
    restore_subnormals(control)
    return filled
