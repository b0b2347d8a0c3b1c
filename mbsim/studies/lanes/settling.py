"""What follows a step in lanes: each lane is taken onto its constraints where it is farther off than is allowed, and its basis is renewed
where it has turned, as the method does it (`singular/projection.py`, `singular/decomposition.py`).

A lane that needs neither keeps its numbers: what a run comes to does not depend on the lanes beside.
"""

import numpy as np
from numpy.typing import NDArray

from mbsim.jit import helper, kernel
from mbsim.jit.signatures import A1, A2, I1, f8, void
from mbsim.jit.straight.emission import LANES, OUT_OF_RANGE
from mbsim.jit.straight.vectors import copy_rows
from mbsim.singular.projection import CORRECTIONS
from mbsim.straight.programs import INPUTS, OUTPUTS, PROGRAMS, Programs
from mbsim.system.system import System

# A table of integers: the first slot of each quantity, which programs there are, and sizes.
PLACES = {name: k for k, name in enumerate((*INPUTS, *OUTPUTS))}
T, H, SPAN, V2, SPEEDS, Q = (PLACES[name] for name in ("t", "h", "span", "V2", "speeds", "q"))
GUARDS, RATES, TURNED, ROW, WORST = (PLACES[name] for name in ("guards", "rates", "turned", "row", "worst"))
NEW_Q, NEW_V2, NEW_SPEEDS, MOVED, SHARE, BEGIN = (PLACES[name] for name in ("new_q", "new_V2", "new_speeds", "moved", "share", "begin"))
HAS = {name: len(PLACES) + k for k, name in enumerate(PROGRAMS)}
HAS_CHECK, HAS_SPEEDS, HAS_UNIT, HAS_RENEW, HAS_WEIGH = (HAS[name] for name in ("check", "check_speeds", "unit", "renew", "weigh"))
N, N_Q, N_SPEEDS = (len(PLACES) + len(PROGRAMS) + k for k in range(3))


@helper
def fill(slots, slot, x):
    """The same number in all lanes."""
    for lane in range(LANES):
        slots[slot, lane] = x


@helper
def put_row(record, row, times, slots, table, rows):
    """Record an output row of all lanes; whether there is one to march to from there, and a lane that has not left."""
    width, here = rows.shape[0] // times.shape[0], 0
    fill(slots, table[T], times[row])
    record(slots)
    copy_rows(slots, table[ROW], rows, row * width, width)
    for lane in range(LANES):
        here += slots[table[GUARDS], lane] == 0.0
    return row + 1 < times.shape[0] and here > 0


@helper
def leave(slots, table, lane):
    """Have a lane be left to the march, if it is not yet."""
    if slots[table[GUARDS], lane] == 0.0:
        slots[table[GUARDS], lane] = OUT_OF_RANGE


@helper
def goes_on(slots, table):
    """Whether a lane that has not left is farther off than is allowed."""
    found = 0
    for lane in range(LANES):
        found += slots[table[WORST], lane] > 0.0 and slots[table[GUARDS], lane] == 0.0
    return found > 0


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
def onto(check, correct, check_speeds, correct_speeds, unit, table, slots, guards):
    """Take the state in the slots onto its constraints, where it is off."""
    n_q, k = table[N_Q], table[N_SPEEDS]
    if table[HAS_UNIT] != 0:
        unit(slots)
        copy_rows(slots, table[NEW_Q], slots, table[Q], n_q)
    if table[HAS_CHECK] != 0:
        check(slots)
        for _ in range(CORRECTIONS):
            if not goes_on(slots, table):
                break
            guarded(correct, slots, table, guards)
            copy_rows(slots, table[NEW_Q], slots, table[Q], n_q)
            check(slots)
        for lane in range(LANES):  # not met: left to the march
            if slots[table[WORST], lane] > 0.0:
                leave(slots, table, lane)
    if table[HAS_SPEEDS] != 0:
        check_speeds(slots)
        if goes_on(slots, table):
            guarded(correct_speeds, slots, table, guards)
            copy_rows(slots, table[NEW_SPEEDS], slots, table[SPEEDS], k)


@helper
def renew_bases(renew, table, slots, limit, turned, guards):
    """Give the lanes whose null space has turned by more than the limit, a squared tangent, a new basis."""
    k, found = table[N_SPEEDS], 0
    if table[HAS_RENEW] == 0:
        return
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


STAYED, FAR = 1, 2  # of a run that came to its end: in range; coordinates are beyond the limits that it began with
# first rows as marched (width, LANES), as the method has them, how far coordinates may go and have been (n_q, LANES each), guards (LANES,),
# where the parts of a row begin, share, [out] of each lane STAYED, FAR or 0
JUDGE = void(A2, A2, A2, A2, A1, I1, f8, I1)


@helper
def is_alike(rows, firsts, begins, alike, lane):
    """Whether the numbers of each part of the first row are off by no more than a share of the largest one, or of 1."""
    width = rows.shape[0]
    for part in range(begins.shape[0]):
        last = begins[part + 1] if part + 1 < begins.shape[0] else width
        size = 1.0
        for i in range(begins[part], last):
            size = max(size, abs(firsts[i, lane]))
        for i in range(begins[part], last):
            if not abs(rows[i, lane] - firsts[i, lane]) <= alike * size:
                return False
    return True


@kernel(JUDGE)
def judge(rows, firsts, limits, farthest, guards, begins, alike, found):
    """Which lanes came to their end on the way that the code knows."""
    for lane in range(LANES):
        found[lane] = 0
        if guards[lane] == 0.0 and is_alike(rows, firsts, begins, alike, lane):
            found[lane] = STAYED
            for i in range(limits.shape[0]):
                if farthest[i, lane] > limits[i, lane]:
                    found[lane] = FAR


def table_of(programs: Programs, system: System) -> NDArray[np.int64]:
    """The table of integers of a march."""
    found = [programs.slots.first[name] for name in PLACES] + [int(name in programs.codes) for name in PROGRAMS]
    return np.array([*found, system.n_v, system.n_q, programs.slots.speeds], np.int64)
