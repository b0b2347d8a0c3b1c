"""The march of LANES runs at once by an embedded pair of explicit formulas, of straight-line code (`programs.py`).

`integrators/_embedded.py` and `_trials.py` have the formulas and the rules of steps, which are the same here. Every lane has its own time,
step and error: it takes and refuses its trials by itself, and its rows lie where its own steps reach them. So a run does not depend on the
lanes beside. They only go through the same operations at the same time, and a lane that has come to its end waits for the last one.

What a trial that is refused has come to does not count, a comparison that came out otherwise among it. A trial that cannot be taken onto
its constraints, or be corrected by no more than it may, is tried shorter. A comparison that comes out otherwise in a trial within the
tolerance makes a run leave its lane.
"""

from math import inf, sqrt

from mbsim.contracts import SETTING_VIBRATES
from mbsim.integrators._trials import ATOL, FIRST_STEP, LONGEST, MAX_STEP, RTOL, SAFETY, SHORTEST, TINY
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.jit.signatures import A1, A2, I1, Function, f8, i8
from mbsim.jit.straight.emission import LANES, STRAIGHT
from mbsim.jit.straight.vectors import add_products, copy_rows, find_polynomial, move_row, weigh_rows
from mbsim.straight.programs import SHARED
from mbsim.studies.lanes.settling import (
    GUARDS,
    RATES,
    ROW,
    SPAN,
    SPEEDS,
    TURNED,
    Q,
    T,
    begin_guarded,
    end_guarded,
    leave,
    onto,
    renew_bases,
)

# Rows of LANES that a march holds of each lane
TIME, NEXT, TRIAL, AFTER = 0, 1, 2, 3  # s: where it is, the next step, the step that is tried, its end
REACHED, STEPS = 4, 5  # rows filled, and steps taken
GOES, CLIPPED, TAKEN, REJECTED, NEEDED = 6, 7, 8, 9, 10  # 1 where: under way; the trial is cut; it is taken; the last was not; see `need`
ERROR, COARSE_ERROR, SUM, COARSE_SUM, HELD, OWN, ANGLE, MOVED, BEGAN = 11, 12, 13, 14, 15, 16, 17, 18, 19  # scratch
ROWS, BEGINS, ENDS = 20, 21, 22  # how many rows a lane has to fill, and the first and the last of its times, s
WEIGHTS = 23  # of the derivatives of a step in an interpolated row, as many as there are
PATIENCE = 200_000  # trials, after which runs are left to the march
ANY = 1e100  # s
FLAT = 100.0  # tan^2: a step in which the null space turns farther may have passed the position where p does not give v
# the kernels in the order of SHARED, table, times (k, LANES), how many each lane has, A, c, E, P (`integrators/dop853.py`), exponent,
# Work.settings, how many numbers count in the mean of an error, limits of the turning and of the corrections, scales of z (n, LANES),
# slots, z_dot (stages n, LANES), z at both ends of a step (2 n, LANES), what is kept, rows. Of a z with independent speeds, which end
# before n_v, the zeros behind them count too.
MARCH_CONTROLLED = i8(*[Function(STRAIGHT)] * len(SHARED), I1, A2, I1, A2, A1, A2, A2, f8, A1, f8, f8, f8, A2, A2, A2, A2, A2, A2)


@helper
def advance(weights, count, K, n, start, kept, slots, table):
    """The state in the slots <- start + h (weights K), of the first `count` derivatives."""
    first = table[SPEEDS]
    for j in range(n):
        weigh_rows(weights, count, K, j, n, slots, first + j)
        move_row(start, j, kept, TRIAL, slots, first + j, slots, first + j)


@helper
def evaluate(stage, A, c, i, K, n, start, kept, slots, table):
    """K[i] <- the derivative at stage i of the trial of each lane."""
    advance(A[i], i, K, n, start, kept, slots, table)
    for lane in range(LANES):
        slots[table[T], lane] = kept[TIME, lane] + c[i] * kept[TRIAL, lane]
    stage(slots)
    copy_rows(slots, table[RATES], K, i * n, n)


@helper
def measure(E, settings, size, scales, start, end, K, n, first, kept):
    """ERROR: the estimated error of each trial over the tolerance (`integrators/_embedded.py`, `error`). Coordinates begin at `first`."""
    fine, coarse, vibrates = kept[ERROR], kept[COARSE_ERROR], settings[SETTING_VIBRATES] != 0.0
    for lane in range(LANES):
        fine[lane], coarse[lane] = 0.0, 0.0
    for j in range(n):
        a, b = kept[SUM], kept[COARSE_SUM]
        weigh_rows(E[0], E.shape[1], K, j, n, kept, SUM)
        weigh_rows(E[1], E.shape[1], K, j, n, kept, COARSE_SUM)
        for lane in range(LANES):
            w = settings[ATOL] * scales[j, lane] + settings[RTOL] * max(abs(start[j, lane]), abs(end[j, lane]))
            w *= min(1.0, abs(kept[TRIAL, lane])) if vibrates and first <= j < n - 1 else 1.0
            fine[lane] += (abs(a[lane]) / w) ** 2
            coarse[lane] += (abs(b[lane]) / w) ** 2
    for lane in range(LANES):
        if fine[lane] != 0.0:
            fine[lane] = abs(kept[TRIAL, lane]) * fine[lane] / sqrt((fine[lane] + 0.01 * coarse[lane]) * size)


@helper
def norms(settings, scales, z, of, less, n, out):
    """out <- the sum of the squares of z_dot - `less` (n, LANES each) over the tolerance at z, of each lane; without `less` of z_dot."""
    for lane in range(LANES):
        out[lane] = 0.0
    for j in range(n):
        for lane in range(LANES):
            x = of[j, lane] - (less[j, lane] if less.shape[0] > 0 else 0.0)
            out[lane] += (x / (settings[ATOL] * scales[j, lane] + settings[RTOL] * abs(z[j, lane]))) ** 2


@helper
def first_steps(stage, exponent, settings, size, scales, start, K, n, kept, slots, table):
    """NEXT: the first step of each lane (`integrators/_trials.py`, `first_step`)."""
    none = K[:0]
    norms(settings, scales, start, start, none, n, kept[ERROR])
    norms(settings, scales, start, K, none, n, kept[COARSE_ERROR])
    for lane in range(LANES):
        d0, d1 = sqrt(kept[ERROR, lane] / size), sqrt(kept[COARSE_ERROR, lane] / size)
        span = kept[ENDS, lane] - kept[BEGINS, lane]
        still = d0 < 1e-5 or span * d1 < 1e-5
        kept[SUM, lane] = span if still else d0 / d1
        kept[COARSE_SUM, lane] = d1
        kept[TRIAL, lane] = min(1e-6 * span if still else 0.01 * kept[SUM, lane], span)
    first, h = table[SPEEDS], kept[TRIAL]
    for j in range(n):
        for lane in range(LANES):
            slots[first + j, lane] = start[j, lane] + h[lane] * K[j, lane]
    for lane in range(LANES):
        slots[table[T], lane] = kept[BEGINS, lane] + h[lane]
    begin_guarded(slots, table, kept[HELD])
    stage(slots)
    norms(settings, scales, start, slots[table[RATES] : table[RATES] + n], K, n, kept[ERROR])
    for lane in range(LANES):
        unit, d1 = kept[SUM, lane], kept[COARSE_SUM, lane]
        failed = slots[table[GUARDS], lane] != kept[HELD, lane]
        slots[table[GUARDS], lane] = kept[HELD, lane]
        d2 = sqrt(kept[ERROR, lane] / size) / h[lane]
        most = max(unit * d1, unit * unit * d2)
        if failed or not most < 1e300:
            kept[NEXT, lane] = h[lane]
        else:
            span = kept[ENDS, lane] - kept[BEGINS, lane]
            then = max(1e-6 * span, h[lane] * 1e-3) if most <= 1e-15 else unit * (0.01 / most) ** exponent
            kept[NEXT, lane] = min(100.0 * h[lane], then, span)


@helper
def plan(settings, way, kept, slots, table):
    """The trial of each lane that is under way, of no length in others; how many are."""
    longest, found = settings[MAX_STEP], 0
    for lane in range(LANES):
        t, h, last = kept[TIME, lane], kept[NEXT, lane], kept[ENDS, lane]
        goes = kept[REACHED, lane] < kept[ROWS, lane] and slots[table[GUARDS], lane] == 0.0
        found += goes
        h = min(h, longest) if longest > 0.0 else h
        clipped = t + 1.01 * h >= last
        h = last - t if clipped else h
        kept[GOES, lane], kept[CLIPPED, lane] = 1.0 if goes else 0.0, 1.0 if clipped else 0.0
        kept[TRIAL, lane] = h if goes else 0.0
        kept[AFTER, lane] = t if not goes else last if clipped else t + h
        slots[table[SPAN], lane] = way * kept[TRIAL, lane]
    return found


@helper
def judge(kept, slots, table):
    """TAKEN: which trials are. A refused one leaves no mark."""
    for lane in range(LANES):
        fits = kept[GOES, lane] != 0.0 and kept[ERROR, lane] <= 1.0
        if not fits:
            slots[table[GUARDS], lane] = kept[HELD, lane]
        kept[TAKEN, lane] = 1.0 if fits and slots[table[GUARDS], lane] == 0.0 else 0.0
        kept[BEGAN, lane] = kept[REACHED, lane]


@helper
def refuse(kept, slots, table):
    """Refuse the trials that could not be corrected, with their rows."""
    for lane in range(LANES):
        if kept[TAKEN, lane] != 0.0 and slots[table[GUARDS], lane] != 0.0:
            slots[table[GUARDS], lane] = 0.0
            kept[TAKEN, lane], kept[ANGLE, lane], kept[ERROR, lane], kept[REACHED, lane] = 0.0, 0.0, inf, kept[BEGAN, lane]


@helper
def need(times, kept, slots, table, inside):
    """NEEDED: which lanes have a row to fill within the step that they have taken, or at its end; how many."""
    found = 0
    for lane in range(LANES):
        row = int(kept[REACHED, lane])
        needed = kept[TAKEN, lane] != 0.0 and row < kept[ROWS, lane] and slots[table[GUARDS], lane] == 0.0
        if needed:
            needed = times[row, lane] < kept[AFTER, lane] if inside else times[row, lane] <= kept[AFTER, lane]
        kept[NEEDED, lane] = 1.0 if needed else 0.0
        found += needed
    return found


@helper
def spare(slots, table, kept):
    """Take the marks off the lanes that did not need what was run."""
    for lane in range(LANES):
        end_guarded(slots, table, kept[HELD], lane, kept[NEEDED, lane] != 0.0)


@helper
def keep_rows(slots, table, width, kept, rows):
    """Keep the rows of the lanes that needed one."""
    for lane in range(LANES):
        if kept[NEEDED, lane] != 0.0:
            first = int(kept[REACHED, lane]) * width
            for i in range(width):
                rows[first + i, lane] = slots[table[ROW] + i, lane]
            kept[REACHED, lane] += 1.0


@helper
def interpolate(P, times, K, n, start, kept, slots, table):
    """The state in the slots <- that of the next row of the lanes that need one, of others the start of their step."""
    first, x = table[SPEEDS], kept[SUM]
    copy_rows(start, 0, slots, first, n)
    for lane in range(LANES):
        needed = kept[NEEDED, lane] != 0.0
        at = times[int(kept[REACHED, lane]), lane] if needed else kept[TIME, lane]
        slots[table[T], lane], x[lane] = at, (at - kept[TIME, lane]) / kept[TRIAL, lane] if needed else 0.0
    for i in range(P.shape[0]):
        find_polynomial(P[i], P.shape[1], kept, SUM, kept, TRIAL, kept, WEIGHTS + i)
    for j in range(n):
        add_products(slots, first + j, kept, WEIGHTS, P.shape[0], K, j, n)


@helper
def go_on(exponent, kept, slots, table):
    """The time and the next step of each lane after its trial."""
    for lane in range(LANES):
        err, h = kept[ERROR, lane], kept[TRIAL, lane]
        if kept[TAKEN, lane] != 0.0:
            longer = LONGEST if err == 0.0 else min(LONGEST, SAFETY * err**-exponent)
            longer = min(longer, 1.0) if kept[REJECTED, lane] != 0.0 else longer
            kept[NEXT, lane] = max(h * longer, kept[NEXT, lane]) if kept[CLIPPED, lane] != 0.0 else h * longer
            kept[TIME, lane], kept[REJECTED, lane] = kept[AFTER, lane], 0.0
            kept[STEPS, lane] += 1.0
        elif kept[GOES, lane] != 0.0:
            kept[NEXT, lane] = h * (max(SHORTEST, SAFETY * err**-exponent) if err < inf else SHORTEST)
            kept[REJECTED, lane] = 1.0
            if kept[NEXT, lane] < TINY * max(abs(kept[TIME, lane]), abs(kept[ENDS, lane])):
                leave(slots, table, lane)


@helper
def differs(a, at, b, n, lane):
    """Whether the states of a lane do."""
    found = 0
    for i in range(n):
        found += a[at + i, lane] != b[i, lane]
    return found > 0


@kernel(MARCH_CONTROLLED)
def march(
    record, stage, check, correct, check_speeds, correct_speeds, unit, renew,
    table, times, counts, A, c, E, P, exponent, settings, size, limit, way, scales, slots, K, states, kept, rows,
):  # fmt: skip
    """Fill rows (k width, LANES) from the state in the slots; returns k. Lanes that leave on the way are marked."""
    control = flush_subnormals()
    n, first, last = scales.shape[0], table[SPEEDS], E.shape[1] - 1
    start, end, width = states[:n], states[n:], rows.shape[0] // times.shape[0]
    for lane in range(LANES):
        kept[TIME, lane] = kept[BEGINS, lane] = slots[table[T], lane] = times[0, lane]
        kept[ROWS, lane] = counts[lane]  # of a lane that fills none the times mean nothing
        kept[ENDS, lane] = times[counts[lane] - 1, lane] if counts[lane] > 1 else times[0, lane] + 1.0
        kept[REACHED, lane], kept[STEPS, lane], kept[REJECTED, lane] = 0.0, 0.0, 0.0
        kept[NEEDED, lane] = 1.0 if counts[lane] > 0 else 0.0
        kept[NEXT, lane] = settings[FIRST_STEP]
    record(slots)
    keep_rows(slots, table, width, kept, rows)
    copy_rows(slots, first, start, 0, n)
    copy_rows(slots, table[RATES], K, 0, n)
    if not settings[FIRST_STEP] > 0.0:
        first_steps(stage, exponent, settings, size, scales, start, K, n, kept, slots, table)
    for _ in range(PATIENCE):
        if plan(settings, way, kept, slots, table) == 0:
            break
        begin_guarded(slots, table, kept[HELD])
        for i in range(1, last + 1):
            evaluate(stage, A, c, i, K, n, start, kept, slots, table)
        copy_rows(slots, first, end, 0, n)
        copy_rows(slots, table[TURNED], kept, ANGLE, 1)
        measure(E, settings, size, scales, start, end, K, n, table[Q] - first, kept)
        judge(kept, slots, table)
        if need(times, kept, slots, table, True) > 0:
            begin_guarded(slots, table, kept[HELD])
            for i in range(last + 1, c.shape[0]):
                evaluate(stage, A, c, i, K, n, start, kept, slots, table)
            spare(slots, table, kept)
            for lane in range(LANES):  # of an interpolated row the correction may be as large as it is
                slots[table[SPAN], lane] = ANY
            while need(times, kept, slots, table, True) > 0:
                begin_guarded(slots, table, kept[HELD])
                interpolate(P, times, K, n, start, kept, slots, table)
                onto(check, correct, check_speeds, correct_speeds, unit, table, slots, kept[OWN])
                record(slots)
                spare(slots, table, kept)
                keep_rows(slots, table, width, kept, rows)
        begin_guarded(slots, table, kept[HELD])
        for lane in range(LANES):
            taken = kept[TAKEN, lane] != 0.0
            slots[table[T], lane] = kept[AFTER, lane] if taken else kept[TIME, lane]
            slots[table[SPAN], lane] = way * kept[TRIAL, lane]
            for i in range(n):
                slots[first + i, lane] = end[i, lane] if taken else start[i, lane]
            if not taken:
                kept[ANGLE, lane] = 0.0
        onto(check, correct, check_speeds, correct_speeds, unit, table, slots, kept[OWN])
        for lane in range(LANES):
            end_guarded(slots, table, kept[HELD], lane, kept[TAKEN, lane] != 0.0)
        refuse(kept, slots, table)
        renew_bases(renew, table, slots, limit, kept[ANGLE], kept[OWN])
        moved = 0
        for lane in range(LANES):
            taken = kept[TAKEN, lane] != 0.0
            if kept[ANGLE, lane] > FLAT:
                leave(slots, table, lane)
            kept[MOVED, lane] = 1.0 if taken and differs(slots, first, end, n, lane) else 0.0
            moved += kept[MOVED, lane] != 0.0
            if taken:
                for i in range(n):
                    start[i, lane] = slots[first + i, lane]
                    K[i, lane] = K[last * n + i, lane]
        go_on(exponent, kept, slots, table)
        if need(times, kept, slots, table, False) + moved > 0:
            begin_guarded(slots, table, kept[HELD])
            copy_rows(start, 0, slots, first, n)
            for lane in range(LANES):
                slots[table[T], lane] = kept[TIME, lane]
            record(slots)
            for lane in range(LANES):
                end_guarded(slots, table, kept[HELD], lane, kept[NEEDED, lane] != 0.0 or kept[MOVED, lane] != 0.0)
                if kept[MOVED, lane] != 0.0:
                    for i in range(n):
                        K[i, lane] = slots[table[RATES] + i, lane]
            keep_rows(slots, table, width, kept, rows)
    for lane in range(LANES):
        if kept[REACHED, lane] < kept[ROWS, lane]:
            leave(slots, table, lane)
    restore_subnormals(control)
    return times.shape[0]
