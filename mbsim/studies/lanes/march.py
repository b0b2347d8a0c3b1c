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
T, SPAN, V2, SPEEDS, Q, W = (PLACES[name] for name in ("t", "span", "V2", "speeds", "q", "W"))
GUARDS, RATES, V, TURNED, A, LAM, WORST = (PLACES[name] for name in ("guards", "rates", "v", "turned", "a", "lam", "worst"))
NEW_Q, NEW_V2, NEW_SPEEDS = (PLACES[name] for name in ("new_q", "new_V2", "new_speeds"))
HAS = {name: len(PLACES) + k for k, name in enumerate(PROGRAMS)}
HAS_CHECK, HAS_SPEEDS, HAS_UNIT, HAS_RENEW = (HAS[name] for name in ("check", "check_speeds", "unit", "renew"))
N, M, N_Q, N_SPEEDS = (len(PLACES) + len(PROGRAMS) + k for k in range(4))
TABLE = N_SPEEDS + 1
STATES = 5  # rows of a march: z, the first rates, the sum of the second and third; what a step leaves of turning and of guards
# the kernels in the order of PROGRAMS, table, times, step (s), limit of the turning, of the corrections, slots, states, rows, largest |q|
MARCH_LANES = i8(*[Function(STRAIGHT)] * len(PROGRAMS), I1, A1, f8, f8, f8, A2, A2, A2, A2)


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


@helper
def write_row(slots, table, row, farthest):
    """[q; v; v_dot; lam; W] of the lanes; a lane that is not finite any more leaves."""
    at = 0
    for source, count in ((table[Q], table[N_Q]), (table[V], table[N]), (table[A], table[N]), (table[LAM], table[M]), (table[W], 1)):
        for i in range(count):
            for lane in range(LANES):
                x = slots[source + i, lane]
                row[(at + i) * LANES + lane] = x
                if x - x != 0.0:
                    slots[table[GUARDS], lane] = 1.0
        at += count
    for i in range(table[N_Q]):
        for lane in range(LANES):
            farthest[i, lane] = max(farthest[i, lane], abs(slots[table[Q] + i, lane]))


@kernel(MARCH_LANES)
def march(
    record, stage, check, correct, check_speeds, correct_speeds, unit, renew, table, times, step, limit, way, slots, states, rows, farthest
):
    """Fill rows (k, width LANES) from the state in the slots; returns how many before all lanes had left."""
    kept = flush_subnormals()
    z, first, inner = states[0], states[1], states[2]
    begin, rates, size = table[SPEEDS], table[RATES], table[N_SPEEDS] + table[N_Q] + 1
    count, filled = times.shape[0] - 1, 0
    turned, guards = states[3], states[4]
    for row in range(count + 1):
        for lane in range(LANES):
            slots[table[T], lane] = times[row]
        record(slots)
        write_row(slots, table, rows[row], farthest)
        filled, here = row + 1, 0
        for lane in range(LANES):
            here += slots[table[GUARDS], lane] == 0.0
        if row == count or here == 0:
            break
        span = times[row + 1] - times[row]
        steps = max(1, ceil(span / step - 1e-9))
        dt = span / steps
        for i in range(steps):
            t = times[row] + i * (span / steps)
            for lane in range(LANES):
                slots[table[T], lane], slots[table[SPAN], lane] = t, way * dt
            if i > 0:
                stage(slots)
            for j in range(size):
                for lane in range(LANES):
                    s, k = slots[begin + j, lane], slots[rates + j, lane]
                    z[j * LANES + lane], first[j * LANES + lane] = s, k
                    slots[begin + j, lane] = s + 0.5 * dt * k
            for lane in range(LANES):
                slots[table[T], lane] = t + 0.5 * dt
            stage(slots)
            for j in range(size):
                for lane in range(LANES):
                    k = slots[rates + j, lane]
                    inner[j * LANES + lane] = k
                    slots[begin + j, lane] = z[j * LANES + lane] + 0.5 * dt * k
            stage(slots)
            for j in range(size):
                for lane in range(LANES):
                    k = slots[rates + j, lane]
                    inner[j * LANES + lane] += k
                    slots[begin + j, lane] = z[j * LANES + lane] + dt * k
            for lane in range(LANES):
                slots[table[T], lane] = t + dt
            stage(slots)
            for j in range(size):
                for lane in range(LANES):
                    at = j * LANES + lane
                    slots[begin + j, lane] = z[at] + dt / 6.0 * (first[at] + 2.0 * inner[at] + slots[rates + j, lane])
            settle(check, correct, check_speeds, correct_speeds, unit, renew, table, slots, limit, turned, guards)
    restore_subnormals(kept)
    return filled


def table_of(programs: Programs, system: System) -> NDArray[np.int64]:
    """The table of integers of a march."""
    found = [programs.slots.first[name] for name in PLACES] + [int(name in programs.codes) for name in PROGRAMS]
    return np.array([*found, system.n_v, system.n_rows, system.n_q, programs.slots.speeds], np.int64)
