"""Marching by collocation at the Radau points: the way of `_trials` whose steps are those of `_stages`.

The next step is that of Hairer & Wanner (1996, IV.8): 0.9 (2 k_max + 1) / (2 k_max + k) err^(-1/(s + 1)) times as long after k iterations,
or what Gustafsson's prediction makes of the last two errors, if that is less; a step that would grow by a fifth or less stays, with its
factors. The polynomial through the stages is what rows are interpolated from, and the first guess of the next step.

No iteration converges over a singular position: the derivatives beyond it are others, with poles between. Such a step (`_leaps`) is taken
by the explicit stages of DOP853, which need none. Where forces are so stiff that these fail, its estimated error says so.
"""

from math import inf, nan, sqrt

from mbsim.contracts import CLOCK_ROWS, MARCH_STAGES, OK, SETTING_INDEPENDENT, STATUS_FRESH, STATUS_NEAR
from mbsim.integrators._accept import place
from mbsim.integrators._embedded import interpolate as interpolate_explicit
from mbsim.integrators._embedded import leap as try_leap
from mbsim.integrators._embedded import measure as measure_explicit
from mbsim.integrators._embedded import plain
from mbsim.integrators._embedded import prepare as prepare_explicit
from mbsim.integrators._leaps import goes_over
from mbsim.integrators._stage_error import calm, damp, measure
from mbsim.integrators._stages import (
    AT,
    CONVERGED,
    FAILED,
    FEW,
    GOOD_ERROR,
    GOOD_STEP,
    HISTORY,
    LINEAR_AT,
    OVER,
    RATIO,
    REFUSED,
    SHORTER,
    TAKEN,
    advance,
    linearise,
    most_iterations,
)
from mbsim.integrators._trials import ATOL, RTOL, SAFETY, SCRATCH, SHORTEST, Way, fill, not_finite
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.kernels.linalg import clear, copy

ROWS = SCRATCH + 2  # rows as long as z that a march needs
LONGEST, STAYS = 8.0, 1.2
LEAST_ERROR = 1e-2
FIRST_SHORTER = 0.3  # length of a first step after one that was refused, over its own: at most
FAST = 0.05  # ratio of two changes up to which steps grow, where derivatives are those of each step: it grows as the square of the step
ROUND_OFF = 1e-15
LAST = 12  # stage of the explicit formula at the end of the step


@helper
def arrives(own):
    """Whether the iteration of the last trial converged, or took none."""
    return own.memory[CONVERGED] > 0.0 or own.memory[OVER] > 0.0


@helper
def explicit(own):
    """The explicit formula, as `_embedded` takes it."""
    return 0, 0, 0, own.over_A, own.over_c, LAST, own.over_E, own.over_P


@helper
def weigh(own, work, start, end):
    """What an error of each entry of z may be."""
    rtol, atol, weights = work.settings[RTOL], work.settings[ATOL], own.error
    for j in range(start.shape[0]):
        weights[j] = atol * work.state_scales[j] + rtol * max(abs(start[j]), abs(end[j]))


@helper
def try_step(own, method, system, arrays, work, t, h, start, end, K):
    """A trial; a code."""
    memory = own.memory
    memory[OVER] = 1.0 if goes_over(work, t, t + h) else 0.0
    if memory[OVER] != 0.0:
        memory[CONVERGED], memory[RATIO], memory[TAKEN] = 0.0, 1.0, inf
        copy(K[0], own.over_K[0], 0)
        code = plain(explicit(own), method, system, arrays, work, t, h, start, end, own.over_K)
        copy(own.over_K[LAST], K[1], 0)
        return code
    weigh(own, work, start, start)
    return advance(own, method, system, arrays, work, t, h, start, end, K, work.settings[RTOL], own.error)


@helper
def find_error(own, method, system, arrays, work, t, h, start, end, K):
    """A code, and the estimated error over the tolerance. Then K[1] is z_dot at `end`, if the iteration converged."""
    if own.memory[OVER] != 0.0:
        return measure_explicit(explicit(own), method, system, arrays, work, t, h, start, end, own.over_K)
    weigh(own, work, start, end)
    err = measure(own, method, system, arrays, work, t, h, start, end, K[0], own.error)
    own.memory[REFUSED] = 0.0 if err <= 1.0 else 1.0
    code = OK
    if arrives(own):  # last: the error evaluates at the start, and what is looked at now is what the last evaluation leaves
        code = method.rhs(system, arrays, work, t + h, end, K[1])
    return code, err


@helper
def prepare(own, method, system, arrays, work, t, h, start, between, K):
    """Nothing, as the stages are all that the polynomial takes; those of the explicit formula that only its interpolant needs."""
    if own.memory[OVER] != 0.0:
        return prepare_explicit(explicit(own), method, system, arrays, work, t, h, start, between, own.over_K)
    return OK


@helper
def interpolate(own, work, x, h, start, K, between):
    """The polynomial through the stages at the part x of the step."""
    if own.memory[OVER] != 0.0:
        interpolate_explicit(explicit(own), work, x, h, start, own.over_K, between)
        return
    n, end, n_x = work.v.shape[0], start.shape[0] - 1, own.e_x.shape[0]
    s, size = own.U.shape
    copy(start, between, 0)
    for i in range(s):
        b = 0.0
        for k in range(s - 1, -1, -1):
            b = (b + own.P[i, k]) * x
        b *= h
        for j in range(n):
            between[j] += b * own.U[i, j]
        for j in range(n, end - n_x):
            between[j] += b * own.rates[i, j - n]
        for j in range(n_x):
            between[end - n_x + j] += b * own.U[i, size - 1 - n_x + j]
        between[end] += b * own.U[i, size - 1]


@helper
def lengthen(own, h, err, exponent):
    """How many times as long the step after one that is taken is."""
    memory, most = own.memory, most_iterations(own.c.shape[0])
    if memory[OVER] != 0.0:
        memory[GOOD_STEP] = 0.0
        return 1.0
    counted = max(err, LEAST_ERROR)
    longer = LONGEST if err == 0.0 else SAFETY * (2.0 * most + 1.0) / (2.0 * most + memory[TAKEN]) * err**-exponent
    if memory[GOOD_STEP] > 0.0:
        longer = min(longer, SAFETY * h / memory[GOOD_STEP] * (memory[GOOD_ERROR] / (counted * counted)) ** exponent)
    if own.pencil.table.shape[0] > 0 and memory[TAKEN] > FEW and memory[RATIO] > 0.0:
        longer = min(longer, sqrt(FAST / memory[RATIO]))
    memory[GOOD_STEP], memory[GOOD_ERROR] = h, counted
    longer = min(LONGEST, max(1.0 / LONGEST, longer))
    return 1.0 if 1.0 <= longer <= STAYS else longer


@helper
def shorten(own, err, exponent):
    """How many times as long the step after one that is refused is.

    The first step damps what is far faster than itself and begins out of place; its error falls with the step by less than its order.
    """
    memory = own.memory
    if err >= FAILED and memory[OVER] == 0.0:
        return memory[SHORTER]
    longer = max(SHORTEST, SAFETY * err**-exponent)
    return min(longer, FIRST_SHORTER) if memory[HISTORY] == 0.0 and memory[OVER] == 0.0 else longer


@helper
def forget(own):
    """The last steps, whose laws were others."""
    memory = own.memory
    memory[AT], memory[LINEAR_AT], memory[CONVERGED], memory[RATIO] = nan, nan, 0.0, 1.0
    memory[GOOD_STEP], memory[REFUSED], memory[TAKEN], memory[OVER] = 0.0, 0.0, inf, 0.0


@helper
def make_unit(system, arrays, work, z):
    """The quaternions in z to unit length: what is off is no displacement, and forces must not answer it."""
    n, last = work.v.shape[0], z.shape[0] - 1
    if last != 2 * n:
        clear(work.displacement)
        system.move(arrays, z[n:last], work.displacement)


@helper
def is_moved(own, system, arrays, work, end, z):
    """Whether z is not `end`, of a method that integrates v; own.placed becomes `end` with unit quaternions."""
    if work.settings[SETTING_INDEPENDENT] != 0.0:
        return False
    copy(end, own.placed, 0)
    make_unit(system, arrays, work, own.placed)
    moved = 0
    for j in range(z.shape[0] - 1):
        moved += abs(z[j] - own.placed[j]) > ROUND_OFF * max(1.0, abs(z[j]))
    return moved > 0


@helper
def settle(own, method, system, arrays, work, t, h, start, end, z):
    """z = end + (I - h mu_0 J)^-1 (z - end) at the end of a step, where the next one begins; whether z was changed.

    The derivatives are those at the end: a correction that others have damped would leave the constraints. This one leaves them by h times
    what the speeds were off, so z is moved onto them again: off them, rows that depend on others seem not to.
    A correction after a step over a singular position is taken as it is: it takes back what is wrong in the weak direction.
    """
    if own.memory[OVER] != 0.0 or not is_moved(own, system, arrays, work, end, z):
        return False
    fresh = work.status[STATUS_FRESH]
    work.status[STATUS_FRESH] = 0  # `end` is not the accepted state: off the constraints it has another rank
    changed = settle_from(own, method, system, arrays, work, t, h, z)
    work.status[STATUS_FRESH] = fresh
    return changed


@helper
def settle_from(own, method, system, arrays, work, t, h, z):
    """What `settle` does, from own.placed; whether z was changed."""
    n, last, kept = work.v.shape[0], z.shape[0] - 1, own.interpolated
    copy(own.U[own.c.shape[0] - 1], own.first_u, 0)
    if linearise(own, method, system, arrays, work, t, own.placed, own.first_u) != OK:
        return False
    if own.factor(own.pencil, 0, h * own.eigenvalues[0], 0.0) != OK:
        return False
    copy(z, kept, 0)
    if not damp_correction(own, method, system, arrays, work, t, h, own.placed, own.placed, z):
        return False
    if method.project(system, arrays, work, t + h, z[n:last], z[:n]) != OK:
        copy(kept, z, 0)
        return False
    return True


@helper
def damp_correction(own, method, system, arrays, work, t, h, start, end, z):
    """What stiff springs would answer of the correction z - end is taken from it (`_scipy`: settling); whether z was changed."""
    n, last, n_x = work.v.shape[0], z.shape[0] - 1, own.e_x.shape[0]
    for j in range(n):
        own.e_v[j] = z[j] - end[j]
    for j in range(n, last - n_x):
        own.e_q[j - n] = z[j] - end[j]
    for j in range(n_x):
        own.e_x[j] = z[last - n_x + j] - end[last - n_x + j]
    if damp(own, method, system, arrays, work, t, h, start, True) != OK or not_finite(own.e_v, work) or not_finite(own.e_q, work):
        return False
    for j in range(n):
        z[j] = end[j] + own.e_v[j]
    for j in range(n, last - n_x):
        z[j] = end[j] + own.e_q[j - n]
    make_unit(system, arrays, work, z)
    return True


@helper
def move_row(own, method, system, arrays, work, at, t, h, start, between, row):
    """Move an interpolated z onto the constraints, as a step would leave it, and expand it to its row; a code."""
    copy(between, own.interpolated, 0)
    code = place(method, system, arrays, work, at, between, row)
    if (
        code != OK
        or own.memory[OVER] != 0.0
        or work.lam.shape[0] == 0
        or not is_moved(own, system, arrays, work, own.interpolated, between)
    ):
        return code
    is_near = own.memory[LINEAR_AT] == own.memory[AT]  # else what is damped would leave the constraints
    if is_near and damp_correction(own, method, system, arrays, work, t, h, start, own.placed, between):
        code = place(method, system, arrays, work, at, between, row)
    return code


@helper
def calm_row(own, method, system, arrays, work, t, h, x, z, row):
    """Give the row of z, the part x of a step, the accelerations that the step has there, of a method that integrates v."""
    if own.memory[OVER] == 0.0 and work.settings[SETTING_INDEPENDENT] == 0.0:
        n = work.v.shape[0]
        first = row.shape[0] - 1 - work.lam.shape[0] - n
        calm(own, method, system, arrays, work, t, h, x, z, row[first : first + n])


@helper
def place_row(own, method, system, arrays, work, at, t, h, start, between, row):
    """As `move_row`, with the accelerations of the step; a code."""
    code = move_row(own, method, system, arrays, work, at, t, h, start, between, row)
    if code == OK:
        calm_row(own, method, system, arrays, work, at, h, (at - t) / h, between, row)
    return code


@helper
def refine(own, method, system, arrays, work, t, h, z, row):
    """The accelerations of the row of z, the end of a step."""
    calm_row(own, method, system, arrays, work, t, h, 1.0, z, row)


@helper
def leap(own, method, system, arrays, work, t, least, usual, start, end, K):
    """That of the explicit formula, near a singular position: elsewhere the step is short because forces are stiff."""
    if work.status[STATUS_NEAR] == 0:
        return 0.0
    copy(K[0], own.over_K[0], 0)
    return try_leap(explicit(own), method, system, arrays, work, t, least, usual, start, end, own.over_K)


STAGED = Way(try_step, find_error, prepare, interpolate, lengthen, shorten, forget, place_row, refine, settle, leap, arrives)


@kernel(MARCH_STAGES)
def march(own, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """Fill rows[i] at times[i + 1] from z at clock[0]; z and the clock end at the last accepted step. Returns the rows filled."""
    kept = flush_subnormals()
    s = own.c.shape[0]
    exponent = 1.0 / (s + 1.0)
    filled = fill(STAGED, own, own.over_c[: LAST + 1], 1, exponent, method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled
