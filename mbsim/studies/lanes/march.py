"""The march of LANES runs at once by rk4, of straight-line code (`programs.py`); `integrators/rk4.py` has the formula.

An output row is evaluated where the next step begins, so that a step takes four evaluations and not five. After a step each lane is taken
onto its constraints where it is farther off than is allowed, and its basis is renewed where it has turned, as the method does it
(`singular/projection.py`, `singular/decomposition.py`); a lane that needs neither keeps its numbers.
"""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.jit.signatures import A1, A2, I1, Function, f8, i8
from mbsim.jit.straight.emission import LANES, STRAIGHT
from mbsim.singular.projection import CORRECTIONS
from mbsim.studies.lanes.programs import INPUTS, OUTPUTS, PROGRAMS, Programs
from mbsim.system.system import System

# A table of integers: the first slot of each quantity, which programs there are, and sizes.
PLACES = {name: k for k, name in enumerate((*INPUTS, *OUTPUTS))}
T, H, SPAN, V2, SPEEDS, Q = (PLACES[name] for name in ("t", "h", "span", "V2", "speeds", "q"))
GUARDS, TURNED, ROW, WORST = (PLACES[name] for name in ("guards", "turned", "row", "worst"))
NEW_Q, NEW_V2, NEW_SPEEDS = (PLACES[name] for name in ("new_q", "new_V2", "new_speeds"))
HAS = {name: len(PLACES) + k for k, name in enumerate(PROGRAMS)}
HAS_CHECK, HAS_SPEEDS, HAS_UNIT, HAS_RENEW = (HAS[name] for name in ("check", "check_speeds", "unit", "renew"))
N, N_Q, N_SPEEDS = (len(PLACES) + len(PROGRAMS) + k for k in range(3))
KEPT = 2  # rows of LANES that a march holds: what a step leaves of turning and of guards
# the kernels in the order of PROGRAMS, table, times, step (s), limit of the turning, of the corrections, slots, what is kept, rows
MARCH_LANES = i8(*[Function(STRAIGHT)] * len(PROGRAMS), I1, A1, f8, f8, f8, A2, A2, A2)


@helper
def fill(slots, slot, x):
    """The same number in all lanes."""
    for lane in range(LANES):
        slots[slot, lane] = x


@helper
def goes_on(slots, table):
    """Whether a lane that has not left is farther off than is allowed."""
    found = 0
    for lane in range(LANES):
        found += slots[table[WORST], lane] > 0.0 and slots[table[GUARDS], lane] == 0.0
    return found > 0


@helper
def take(slots, source, target, count):
    """What a program has found becomes the state."""
    for i in range(count):
        for lane in range(LANES):
            slots[target + i, lane] = slots[source + i, lane]


@helper
def begin_guarded(slots, table, guards):
    """Keep the guards of the lanes before a program that not all of them need."""
    for lane in range(LANES):
        guards[lane] = slots[table[GUARDS], lane]


@helper
def end_guarded(slots, table, guards, lane, needed):
    """A lane that did not need the program does not leave by it: whether it is run depends on the lanes beside."""
    if not needed:
        slots[table[GUARDS], lane] = guards[lane]


@helper
def guarded(program, slots, table, guards):
    """Run a program for the lanes that are farther off than is allowed."""
    begin_guarded(slots, table, guards)
    program(slots)
    for lane in range(LANES):
        end_guarded(slots, table, guards, lane, slots[table[WORST], lane] > 0.0)


@helper
def settle(check, correct, check_speeds, correct_speeds, unit, renew, table, slots, limit, turned, guards):
    """What follows a step to the state in the slots."""
    n_q, k = table[N_Q], table[N_SPEEDS]
    for lane in range(LANES):
        turned[lane] = slots[table[TURNED], lane]
    if table[HAS_UNIT] != 0:
        unit(slots)
        take(slots, table[NEW_Q], table[Q], n_q)
    if table[HAS_CHECK] != 0:
        check(slots)
        for _ in range(CORRECTIONS):
            if not goes_on(slots, table):
                break
            guarded(correct, slots, table, guards)
            take(slots, table[NEW_Q], table[Q], n_q)
            check(slots)
        for lane in range(LANES):  # not met: left to the march
            if slots[table[WORST], lane] > 0.0:
                slots[table[GUARDS], lane] = 1.0
    if table[HAS_SPEEDS] != 0:
        check_speeds(slots)
        if goes_on(slots, table):
            guarded(correct_speeds, slots, table, guards)
            take(slots, table[NEW_SPEEDS], table[SPEEDS], k)
    if table[HAS_RENEW] != 0:
        found = 0
        for lane in range(LANES):
            found += turned[lane] > limit
        if found > 0:
            begin_guarded(slots, table, guards)
            renew(slots)
            for lane in range(LANES):
                end_guarded(slots, table, guards, lane, turned[lane] > limit)
                if turned[lane] > limit:
                    for i in range(k * table[N]):
                        slots[table[V2] + i, lane] = slots[table[NEW_V2] + i, lane]
                    for i in range(k):
                        slots[table[SPEEDS] + i, lane] = slots[table[NEW_SPEEDS] + i, lane]


@kernel(MARCH_LANES)
def march(
    record, stage, half, half_again, whole, end, check, correct, check_speeds, correct_speeds, unit, renew,
    table, times, step, limit, way, slots, kept, rows,
):  # fmt: skip
    """Fill rows (k width, LANES) from the state in the slots; returns how many before all lanes had left."""
    control = flush_subnormals()
    turned, guards, count, filled = kept[0], kept[1], times.shape[0] - 1, 0
    width = rows.shape[0] // times.shape[0]
    found = slots[table[ROW] : table[ROW] + width]
    for row in range(count + 1):
        fill(slots, table[T], times[row])
        record(slots)
        out = rows[row * width : (row + 1) * width]
        for i in range(width):
            for lane in range(LANES):
                out[i, lane] = found[i, lane]
        filled, here = row + 1, 0
        for lane in range(LANES):
            here += slots[table[GUARDS], lane] == 0.0
        if row == count or here == 0:
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
            settle(check, correct, check_speeds, correct_speeds, unit, renew, table, slots, limit, turned, guards)
    restore_subnormals(control)
    return filled


def table_of(programs: Programs, system: System) -> NDArray[np.int64]:
    """The table of integers of a march."""
    found = [programs.slots.first[name] for name in PLACES] + [int(name in programs.codes) for name in PROGRAMS]
    return np.array([*found, system.n_v, system.n_q, programs.slots.speeds], np.int64)
