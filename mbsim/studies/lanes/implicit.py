"""The march of LANES runs at once by equal steps of `generalized_alpha`, of straight-line code (`mbsim.straight.implicit`).

`methods/implicit/step.py` has the step and the rules of its iteration, which are the same here: the first guess, when the matrix is formed
anew or another one is taken, when the iteration ends. Each lane goes by them alone. All lanes of a tile iterate until the last one is done,
and a lane that is done takes no further correction: what a run comes to does not depend on the lanes beside. A run leaves its lane where an
iteration does not end, where a residual is no number, and where a pivot is too small for the order that was recorded.
"""

from math import ceil, inf

import numpy as np
from numpy.typing import NDArray

from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.jit.signatures import A1, A2, I1, Function, f8, i8
from mbsim.jit.straight.emission import LANES, STRAIGHT
from mbsim.jit.straight.vectors import copy_rows
from mbsim.kernels.iteration import QUICK, ROUND_OFF, SURE, has_settled
from mbsim.methods.implicit.alpha import ITERATIONS, far_below, settled_change
from mbsim.methods.implicit.form import CONSTANT, SAME_STEP, TANGENT
from mbsim.methods.implicit.newton import HELD as HELD_RATE
from mbsim.methods.implicit.step import LEAST_RATE, RENEW, SLOW, SURE_HELD
from mbsim.straight.forms import Implicit
from mbsim.straight.implicit import PLACED, STEPS
from mbsim.straight.implicit import TANGENT as TANGENT_PROGRAM
from mbsim.straight.programs import Programs
from mbsim.studies.lanes.settling import (
    GUARDS,
    N_Q,
    N_SPEEDS,
    RATES,
    ROW,
    H,
    N,
    Q,
    T,
    begin_guarded,
    end_guarded,
    fill,
    leave,
    put_row,
    table_of,
)
from mbsim.studies.lanes.settling import PLACES as COMMON
from mbsim.system.system import System

# The table of `settling.table_of`, behind it the first slots of PLACED and what follows them.
BEGIN = N_SPEEDS + 1
PLACES = {name: BEGIN + k for k, name in enumerate(PLACED)}
V_DOT, OWN_A, LAM, MISSED, POWER = (PLACES[name] for name in ("v_dot", "a", "lam", "missed", "power"))
RATIO, SHARE, COMPARES = (PLACES[name] for name in ("ratio", "share", "compares"))
TAKES, MOVES, PULLS = (PLACES[name] for name in ("takes", "moves", "pulls"))
NEXT_V_DOT, NEXT_LAM, SIZE, OFF, GAP = (PLACES[name] for name in ("next_v_dot", "next_lam", "size", "off", "gap"))
# how many rows; whether the matrix is near the tangent; whether the whole tangent may take its place, and is there; how many displacements
# add up
M, IS_NEAR, HAS_TANGENT, KNOWS_TANGENT, LINKS = (BEGIN + len(PLACED) + k for k in range(5))
TOLERANCE = COMMON["tolerance"]
# Rows of LANES that a march holds. Over the steps: the matrix, the step that TANGENT belongs to, the largest ratio of two changes.
MATRIX, TANGENT_STEP, WORST = 0, 1, 2
# Of an iteration: 1 where it goes on; the sizes of the correction and of the residuals before; the first correction; corrections by these
# factors; 1 where the guess was extrapolated; 1 where there are no factors yet; what of a displacement is round-off
GOES, BEFORE_SIZE, BEFORE_OFF, BEFORE_GAP, FIRST, TRIED, EXTRAPOLATED, FRESH, LEAST = 3, 4, 5, 6, 7, 8, 9, 10, 11
NEEDS_NEWTON, NEEDS_AGAIN, NEEDS_TANGENT, NEEDS_TANGENT_AGAIN = 12, 13, 14, 15  # 1 where a program is needed
BEGINS_ANEW, GUARDED = 16, 17  # 1 where the iteration begins at the last state; marks of the lanes before a program
KEPT = 18
# the kernels in the order of STEPS, table, times, step (s), scales of z (n + n_q, LANES), slots, what is kept, rows
MARCH_IMPLICIT = i8(*[Function(STRAIGHT)] * len(STEPS), I1, A1, f8, A2, A2, A2, A2)


@helper
def run(program, needs, slots, table, kept):
    """Run a program for the lanes that need it, if any does."""
    found = 0
    for lane in range(LANES):
        found += kept[needs, lane] != 0.0
    if found == 0:
        return
    begin_guarded(slots, table, kept[GUARDED])
    copy_rows(kept, needs, slots, table[TAKES], 1)
    program(slots)
    for lane in range(LANES):
        end_guarded(slots, table, kept[GUARDED], lane, kept[needs, lane] != 0.0)


@helper
def begin_iteration(table, history, scales, slots, kept):
    """What an iteration begins with, in the lanes that have not left."""
    first, n = table[Q], table[N]
    for lane in range(LANES):
        kept[GOES, lane] = 1.0 if slots[table[GUARDS], lane] == 0.0 else 0.0
        kept[BEFORE_SIZE, lane], kept[BEFORE_OFF, lane], kept[BEFORE_GAP, lane] = inf, inf, inf
        kept[FIRST, lane], kept[TRIED, lane], kept[FRESH, lane] = 0.0, 0.0, 1.0
        kept[EXTRAPOLATED, lane] = 1.0 if history > 0 else 0.0
        kept[LEAST, lane] = 0.0
    for i in range(table[N_Q]):
        for lane in range(LANES):
            kept[LEAST, lane] = max(kept[LEAST, lane], ROUND_OFF * (abs(slots[first + i, lane]) / scales[n + i, lane]))


@helper
def choose_programs(dt, kept):
    """What each lane needs: factors of its matrix, or those that it has (`newton.serves`)."""
    for lane in range(LANES):
        goes, fresh = kept[GOES, lane] != 0.0, kept[FRESH, lane] != 0.0
        by_tangent = kept[MATRIX, lane] == TANGENT
        if goes and fresh:
            serves = by_tangent and abs(kept[TANGENT_STEP, lane] - dt) <= SAME_STEP * abs(dt) and kept[WORST, lane] <= HELD_RATE
            kept[WORST, lane], kept[TRIED, lane], kept[FRESH, lane] = 0.0, 0.0, 0.0
            fresh = not serves
            if by_tangent:
                kept[TANGENT_STEP, lane] = dt
        kept[NEEDS_NEWTON, lane] = 1.0 if goes and fresh and not by_tangent else 0.0
        kept[NEEDS_AGAIN, lane] = 1.0 if goes and not fresh and not by_tangent else 0.0
        kept[NEEDS_TANGENT, lane] = 1.0 if goes and fresh and by_tangent else 0.0
        kept[NEEDS_TANGENT_AGAIN, lane] = 1.0 if goes and not fresh and by_tangent else 0.0


@helper
def find_slow(dt, table, slots, kept):
    """Which lanes need another matrix at the same guess, or begin anew with it."""
    renews = table[HAS_TANGENT] == 0
    for lane in range(LANES):
        kept[NEEDS_NEWTON, lane], kept[NEEDS_TANGENT, lane], kept[BEGINS_ANEW, lane] = 0.0, 0.0, 0.0
        if slots[table[GUARDS], lane] != 0.0:
            kept[GOES, lane] = 0.0
        if kept[GOES, lane] == 0.0:
            continue
        size, before, tried = slots[table[SIZE], lane], kept[BEFORE_SIZE, lane], kept[TRIED, lane]
        most = max(slots[table[TOLERANCE], lane], kept[LEAST, lane], (RENEW if renews else SLOW) * before)
        if size <= most or tried == 0.0 or (tried == 1.0 and kept[MATRIX, lane] == TANGENT):
            continue
        if renews:
            kept[NEEDS_NEWTON, lane] = 1.0
        elif table[KNOWS_TANGENT] == 0:
            kept[GOES, lane] = 0.0
            leave(slots, table, lane)
        elif size > before:
            kept[MATRIX, lane], kept[TANGENT_STEP, lane], kept[BEGINS_ANEW, lane] = TANGENT, 0.0, 1.0
        else:
            kept[MATRIX, lane], kept[TANGENT_STEP, lane], kept[NEEDS_TANGENT, lane] = TANGENT, dt, 1.0
        kept[TRIED, lane], kept[WORST, lane] = 0.0, 0.0


@helper
def begin_anew(table, slots, kept, lane):
    """`step.restart`."""
    for j in range(table[N]):
        slots[table[NEXT_V_DOT] + j, lane] = slots[table[V_DOT] + j, lane]
    for i in range(table[M]):
        slots[table[NEXT_LAM] + i, lane] = slots[table[LAM] + i, lane]
    kept[EXTRAPOLATED, lane], kept[FRESH, lane], kept[FIRST, lane] = 0.0, 1.0, 0.0
    kept[BEFORE_SIZE, lane], kept[BEFORE_OFF, lane], kept[BEFORE_GAP, lane] = inf, inf, inf


@helper
def judge(table, slots, kept, lane):
    """Whether a lane takes its correction, whole or of the multipliers alone, and whether it goes on."""
    tolerance, least = slots[table[TOLERANCE], lane], kept[LEAST, lane]
    size, off, gap = slots[table[SIZE], lane], slots[table[OFF], lane], slots[table[GAP], lane]
    before, tried = kept[BEFORE_SIZE, lane], kept[TRIED, lane]
    if kept[FIRST, lane] == 0.0:
        kept[FIRST, lane] = size
    rate = size / before if tried > 0.0 and before > 0.0 else 1.0
    if tried > 0.0:
        kept[WORST, lane] = max(kept[WORST, lane], rate)
    if table[IS_NEAR] == 0 or kept[MATRIX, lane] == TANGENT:
        sure = size * max(rate, LEAST_RATE) <= SURE_HELD * tolerance
    else:
        missed = max(kept[FIRST, lane], slots[table[MISSED], lane] if kept[EXTRAPOLATED, lane] != 0.0 else 0.0)
        sure = size * rate <= max(SURE * tolerance, far_below(missed, tolerance, table[LINKS]))
    sure = sure and rate < QUICK and max(off, gap) * rate <= SURE * tolerance
    done = has_settled(off, kept[BEFORE_OFF, lane], tolerance, least) and has_settled(gap, kept[BEFORE_GAP, lane], tolerance)
    done = done and settled_change(size, before, tolerance, tolerance, least, False)
    slots[table[MOVES], lane], slots[table[PULLS], lane] = 0.0 if done else 1.0, 1.0
    if done or sure:
        kept[GOES, lane] = 0.0
    kept[TRIED, lane] += 1.0
    kept[BEFORE_SIZE, lane], kept[BEFORE_OFF, lane], kept[BEFORE_GAP, lane] = size, off, gap


@helper
def iterate(newton, again, tangent, tangent_again, correct, table, dt, slots, kept):
    """`step.iterate`, of all lanes until the last one is done."""
    for _ in range(ITERATIONS):
        left = 0
        for lane in range(LANES):
            left += kept[GOES, lane] != 0.0
        if left == 0:
            break
        choose_programs(dt, kept)
        run(newton, NEEDS_NEWTON, slots, table, kept)
        run(again, NEEDS_AGAIN, slots, table, kept)
        run(tangent, NEEDS_TANGENT, slots, table, kept)
        run(tangent_again, NEEDS_TANGENT_AGAIN, slots, table, kept)
        find_slow(dt, table, slots, kept)
        run(newton, NEEDS_NEWTON, slots, table, kept)
        run(tangent, NEEDS_TANGENT, slots, table, kept)
        for lane in range(LANES):
            slots[table[MOVES], lane] = slots[table[PULLS], lane] = 0.0
            if kept[GOES, lane] == 0.0:
                continue
            if slots[table[GUARDS], lane] != 0.0:
                kept[GOES, lane] = 0.0
            elif kept[BEGINS_ANEW, lane] != 0.0:
                begin_anew(table, slots, kept, lane)
            else:
                judge(table, slots, kept, lane)
        correct(slots)
    for lane in range(LANES):
        if kept[GOES, lane] != 0.0:
            leave(slots, table, lane)


@kernel(MARCH_IMPLICIT)
def march(record, predict, newton, again, tangent, tangent_again, correct, end, table, times, step, scales, slots, kept, rows):
    """Fill rows (k width, LANES) from the state in the slots; returns how many before all lanes had left."""
    control = flush_subnormals()
    filled, n, m = 0, table[N], table[M]
    history, last, before = 0, 0.0, 0.0  # how many steps before the last state are known, and how long the last two were, s
    for row in range(times.shape[0]):
        filled = row + 1
        if not put_row(record, row, times, slots, table, rows):
            break
        if row == 0:  # before which nothing is known
            copy_rows(slots, table[RATES], slots, table[V_DOT], n)
            copy_rows(slots, table[RATES], slots, table[OWN_A], n)
            copy_rows(slots, table[ROW] + table[N_Q] + 2 * n, slots, table[LAM], m)
            copy_rows(slots, table[RATES] + n + table[N_Q], slots, table[POWER], 1)
            for lane in range(LANES):
                kept[MATRIX, lane], kept[TANGENT_STEP, lane], kept[WORST, lane] = CONSTANT, 0.0, 0.0
        span = times[row + 1] - times[row]
        steps = max(1, ceil(span / step - 1e-9))
        dt = span / steps
        fill(slots, table[H], dt)
        if abs(last - dt) > SAME_STEP * abs(dt):
            history = 0
        for i in range(steps):
            t = times[row] + i * (span / steps)
            fill(slots, table[T], t + dt)
            fill(slots, table[RATIO], dt / last if history > 0 else 0.0)
            fill(slots, table[SHARE], (dt + last) / (last + before) if history > 1 else 0.0)
            fill(slots, table[COMPARES], 1.0 if history > 1 else 0.0)
            predict(slots)
            begin_iteration(table, history, scales, slots, kept)
            iterate(newton, again, tangent, tangent_again, correct, table, dt, slots, kept)
            end(slots)
            history, before, last = min(history + 1, 2), last, dt
    restore_subnormals(control)
    return filled


def implicit_table(programs: Programs, system: System, step: Implicit) -> NDArray[np.int64]:
    """The table of integers of a march."""
    links = system.n_v if step.adds_up else 1
    further = [
        *(programs.slots.first[name] for name in PLACED),
        system.n_rows,
        int(step.is_near),
        int(step.has_tangent),
        int(TANGENT_PROGRAM in programs.codes),
        links,
    ]
    return np.concatenate([table_of(programs, system), np.array(further, np.int64)])
