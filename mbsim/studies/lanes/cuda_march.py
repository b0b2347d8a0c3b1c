"""The march of runs by rk4 as a kernel of CUDA, one run a thread: `march.py` and `settling.py` for one run, of the same straight-line code.

Compilers of CUDA take no kernels as arguments, so the march is a function that is made around those of one model. `cuda` is a name of this
module because the simulator puts another one in its place.
"""

from typing import Any

import numpy as np
from numba import cuda

from mbsim.jit.straight.emission import OUT_OF_RANGE
from mbsim.jit.straight.scalar import Lists, function_of
from mbsim.singular.projection import CORRECTIONS
from mbsim.straight.programs import EQUAL_STEPS, Programs
from mbsim.system.system import Floats


def make_march(programs: Programs, functions: dict[str, Any]) -> tuple[Any, Floats]:
    """The kernel march(times, steps, limit, way, lists, slots, rows), and its lists.

    times (k,) s, how many steps lead to each of the next times (k - 1,), limit of the turning of a basis and of corrections as in
    `march.py`, slots (count, runs) in and out, rows (k width, runs) out.
    """
    first, sizes, lists = programs.slots.first, programs.slots.sizes, Lists()
    made: dict[str, Any] = {}
    for name in EQUAL_STEPS:
        made[name] = None
        if name in programs.codes:
            made[name] = cuda.jit(device=True)(function_of(programs.codes[name], name, functions, lists))

    @cuda.jit(device=True)
    def nothing(s, lists):
        return

    record, stage, half, half_again, whole, end = (made[name] for name in ("record", "stage", "half", "half_again", "whole", "end"))
    check, correct, check_speeds = made["check"] or nothing, made["correct"] or nothing, made["check_speeds"] or nothing
    correct_speeds, unit, renew = made["correct_speeds"] or nothing, made["unit"] or nothing, made["renew"] or nothing
    has_check, has_speeds = "check" in programs.codes, "check_speeds" in programs.codes
    has_unit, has_renew = "unit" in programs.codes, "renew" in programs.codes
    T, H, SPAN, V2, SPEEDS, Q = (first[name] for name in ("t", "h", "span", "V2", "speeds", "q"))
    GUARDS, TURNED, ROW, WORST = (first[name] for name in ("guards", "turned", "row", "worst"))
    NEW_Q, NEW_V2, NEW_SPEEDS = (first[name] for name in ("new_q", "new_V2", "new_speeds"))
    n_q, k, n_basis, count = sizes["q"], sizes["speeds"], sizes["V2"], programs.slots.count
    width = sizes["row"] + sizes["reactions"] + sizes["energies"]
    float64 = np.float64

    @cuda.jit(device=True)
    def copy(s, source, target, size):
        for j in range(size):
            s[target + j] = s[source + j]

    @cuda.jit(device=True)
    def onto(s, lists):
        """As `settling.onto`."""
        if has_unit:
            unit(s, lists)
            copy(s, NEW_Q, Q, n_q)
        if has_check:
            check(s, lists)
            for _ in range(CORRECTIONS):
                if not s[WORST] > 0.0 or s[GUARDS] != 0.0:
                    break
                correct(s, lists)
                copy(s, NEW_Q, Q, n_q)
                check(s, lists)
            if s[WORST] > 0.0 and s[GUARDS] == 0.0:
                s[GUARDS] = OUT_OF_RANGE
        if has_speeds:
            check_speeds(s, lists)
            if s[WORST] > 0.0 and s[GUARDS] == 0.0:
                correct_speeds(s, lists)
                copy(s, NEW_SPEEDS, SPEEDS, k)

    @cuda.jit(device=True)
    def step(s, lists, t, dt, limit, begins):
        """One step of rk4; the evaluation at its begin is known where an output row has been there."""
        if not begins:
            stage(s, lists)
        half(s, lists)
        s[T] = t + 0.5 * dt
        stage(s, lists)
        half_again(s, lists)
        stage(s, lists)
        whole(s, lists)
        s[T] = t + dt
        stage(s, lists)
        end(s, lists)
        turned = s[TURNED]
        onto(s, lists)
        if has_renew and turned > limit:
            renew(s, lists)
            copy(s, NEW_V2, V2, n_basis)
            copy(s, NEW_SPEEDS, SPEEDS, k)

    @cuda.jit
    def march(times, steps, limit, way, lists, slots, rows):
        run = cuda.grid(1)
        if run < slots.shape[1]:
            s = cuda.local.array(count, float64)
            for j in range(count):
                s[j] = slots[j, run]
            last = times.shape[0] - 1
            for row in range(last + 1):
                s[T] = times[row]
                record(s, lists)
                for j in range(width):
                    rows[row * width + j, run] = s[ROW + j]
                if row == last or s[GUARDS] != 0.0:
                    break
                span = times[row + 1] - times[row]
                s[H] = span / steps[row]
                s[SPAN] = way * s[H]
                for i in range(steps[row]):
                    step(s, lists, times[row] + i * (span / steps[row]), s[H], limit, i == 0)
            for j in range(count):
                slots[j, run] = s[j]

    return march, np.array(lists.numbers or [0.0])
