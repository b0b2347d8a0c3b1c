"""The march of LANES runs at once by rk4, of straight-line code (`programs.py`); `integrators/rk4.py` has the formula.

An output row is evaluated where the next step begins, so that a step takes four evaluations and not five.

A step after which positions are corrected by too much is taken in parts, as `integrators/_fixed.py` does it: in halves, and these in
halves again, and in longer parts where corrections are small again. Only the lanes that need it are: others wait with what their whole
step has come to. Where the mass matrix follows the motion the march weighs corrections by another one, and such lanes are left to it.
"""

from math import ceil

from mbsim.integrators._fixed import EASY, FINEST
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.jit.signatures import A1, A2, I1, Function, f8, i8
from mbsim.jit.straight.emission import LANES, STRAIGHT
from mbsim.straight.programs import CUT_STEPS
from mbsim.studies.lanes.settling import (
    BEGIN,
    GUARDS,
    HAS_WEIGH,
    MOVED,
    N_Q,
    N_SPEEDS,
    SHARE,
    SPAN,
    SPEEDS,
    TURNED,
    H,
    T,
    begin_guarded,
    end_guarded,
    fill,
    leave,
    onto,
    put_row,
    renew_bases,
)

# Rows of LANES that a march holds: what a step leaves of turning and of guards; into how many parts a step is cut, how many of these are
# taken, 1 where a step is not whole and not done; guards before a step in parts
ANGLE, OWN, PARTS, PART, CUT, HELD = 0, 1, 2, 3, 4, 5
KEPT = 6
UNSURE = 1e-6  # of a share at which something is decided: so near to it round-off does, and a run is left to the march
# the kernels in the order of CUT_STEPS, table, times, step (s), limit of the turning, of the corrections, slots, what is kept, rows
MARCH_LANES = i8(*[Function(STRAIGHT)] * len(CUT_STEPS), I1, A1, f8, f8, f8, A2, A2, A2)


@helper
def weigh_corrections(weigh, table, slots):
    """Find by what share of what is let pass the step of each lane was corrected; returns of how many it was."""
    corrected = 0
    for lane in range(LANES):
        slots[table[SHARE], lane] = 0.0
        corrected += slots[table[MOVED], lane] != 0.0
    if corrected > 0:
        weigh(slots)
        fill(slots, table[MOVED], 0.0)
    return corrected


@helper
def is_unsure(share):
    """Whether round-off decides whether a step is cut, or parts become longer."""
    return abs(share - 1.0) < UNSURE or abs(share - EASY) < UNSURE * EASY


@helper
def take_back(table, slots, lane):
    """Take a lane back to the begin of its step."""
    for j in range(table[N_SPEEDS] + table[N_Q] + 1):
        slots[table[SPEEDS] + j, lane] = slots[table[BEGIN] + j, lane]


@helper
def refuse_whole(table, slots, kept):
    """Take back the whole steps of lanes that take parts, or whose correction is too large; returns how many."""
    found = 0
    for lane in range(LANES):
        share, goes = slots[table[SHARE], lane], slots[table[GUARDS], lane] == 0.0
        if goes and kept[PARTS, lane] == 1.0 and abs(share - 1.0) < UNSURE:
            leave(slots, table, lane)
            goes = False
        kept[CUT, lane] = 1.0 if goes and (kept[PARTS, lane] > 1.0 or share > 1.0) else 0.0
        if kept[CUT, lane] != 0.0:
            kept[PARTS, lane], kept[PART, lane] = max(kept[PARTS, lane], 2.0), 0.0
            kept[ANGLE, lane] = 0.0
            take_back(table, slots, lane)
            found += 1
    return found


@helper
def plan_parts(way, dt, table, slots, kept):
    """The lengths of the next parts, of lanes that take none zero; returns how many lanes take one."""
    found = 0
    for lane in range(LANES):
        goes = kept[CUT, lane] != 0.0 and slots[table[GUARDS], lane] == 0.0
        kept[CUT, lane] = 1.0 if goes else 0.0
        h = dt / kept[PARTS, lane] if goes else 0.0
        slots[table[H], lane], slots[table[SPAN], lane] = h, way * h
        found += goes
    return found


@helper
def set_times(begin, i, dt, at, table, slots, kept):
    """The times of the next parts of step i, `at` of their lengths behind their begins."""
    for lane in range(LANES):
        part = kept[PART, lane] / kept[PARTS, lane] if kept[CUT, lane] != 0.0 else 0.0
        slots[table[T], lane] = begin + (i + part) * dt + at * slots[table[H], lane]


@helper
def judge_parts(table, slots, kept):
    """Take the parts that are corrected by little enough, and take back the others."""
    for lane in range(LANES):
        goes, share = kept[CUT, lane] != 0.0, slots[table[SHARE], lane]
        end_guarded(slots, table, kept[HELD], lane, goes)
        if goes and is_unsure(share):
            leave(slots, table, lane)
        if not goes or share > 1.0:
            kept[ANGLE, lane] = 0.0
            take_back(table, slots, lane)
        if not goes:
            continue
        if share > 1.0:
            kept[PARTS, lane], kept[PART, lane] = 2.0 * kept[PARTS, lane], 2.0 * kept[PART, lane]
            if kept[PARTS, lane] > FINEST:
                leave(slots, table, lane)
            continue
        kept[PART, lane] += 1.0
        if kept[PARTS, lane] > 1.0 and kept[PART, lane] % 2.0 == 0.0 and share < EASY:
            kept[PARTS, lane], kept[PART, lane] = kept[PARTS, lane] / 2.0, kept[PART, lane] / 2.0
        if kept[PART, lane] == kept[PARTS, lane]:
            kept[PART, lane], kept[CUT, lane] = 0.0, 0.0


@kernel(MARCH_LANES)
def march(
    record, stage, check, correct, check_speeds, correct_speeds, unit, renew, half, half_again, whole, end, weigh,
    table, times, step, limit, way, slots, kept, rows,
):  # fmt: skip
    """Fill rows (k width, LANES) from the state in the slots; returns how many before all lanes had left."""
    control = flush_subnormals()
    turned, guards, filled, weighs = kept[ANGLE], kept[OWN], 0, table[HAS_WEIGH] != 0
    for row in range(times.shape[0]):
        filled = row + 1
        if not put_row(record, row, times, slots, table, rows):
            break
        span = times[row + 1] - times[row]
        steps = max(1, ceil(span / step - 1e-9))
        dt = span / steps
        fill(slots, table[H], dt)
        fill(slots, table[SPAN], way * dt)
        fill(kept, PARTS, 1.0)
        cuts = 0  # steps of lanes since the row: some may go on in parts
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
            cut = 0
            if weighs and weigh_corrections(weigh, table, slots) + cuts > 0:
                cut = refuse_whole(table, slots, kept)
                cuts += cut
            renew_bases(renew, table, slots, limit, turned, guards)
            if cut == 0:
                continue
            while plan_parts(way, dt, table, slots, kept) > 0:
                begin_guarded(slots, table, kept[HELD])
                set_times(times[row], i, span / steps, 0.0, table, slots, kept)
                stage(slots)
                half(slots)
                set_times(times[row], i, span / steps, 0.5, table, slots, kept)
                stage(slots)
                half_again(slots)
                stage(slots)
                whole(slots)
                set_times(times[row], i, span / steps, 1.0, table, slots, kept)
                stage(slots)
                end(slots)
                for lane in range(LANES):
                    turned[lane] = slots[table[TURNED], lane]
                onto(check, correct, check_speeds, correct_speeds, unit, table, slots, guards)
                weigh_corrections(weigh, table, slots)
                judge_parts(table, slots, kept)
                renew_bases(renew, table, slots, limit, turned, guards)
            fill(slots, table[T], t + dt)
            fill(slots, table[H], dt)
            fill(slots, table[SPAN], way * dt)
    restore_subnormals(control)
    return filled
