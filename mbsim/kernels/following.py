"""Between which output rows the trapezoidal rule misses what the speeds and the coordinates do: `march/between.py` says what that tells."""

from math import isnan

from mbsim.contracts import KEPT_FIRST
from mbsim.jit import helper, kernel
from mbsim.jit.signatures import A1, A2, I1, f8, i8

JUMPS = 1e-5  # of the largest speed of a coordinate: what the rule may be off by where its acceleration jumps
MOST_JUMPS = 100  # pairs of rows: with more, a motion that chatters would be given rows without end
APART = 4.0  # times as much as between the rows beside them: what the rule misses where an acceleration jumps or bends
SLOW = 1e-6  # of the largest speed of the same unit: a coordinate that is slower is at rest
AT_REST = 1e3  # of the absolute tolerance, 1/s, likewise
NO_COORDINATE = -1  # of a speed that is the rate of none
# times (s), rows, coordinates in a row; of each speed its coordinate and its unit; largest speeds of each unit and of each speed, scales,
# share, `Work.kept_corners`, whether to look for jumps, absolute tolerance, [out] whether rows miss something, [out] how often each speed
SPANS = i8(A1, A2, i8, I1, I1, A1, A1, A1, f8, A2, i8, f8, I1, I1)


@helper
def missed(times, rows, n_q, n, i, j):
    """What the rule misses of speed j between rows i and i + 1."""
    dt = times[i + 1] - times[i]
    return abs(rows[i + 1, n_q + j] - rows[i, n_q + j] - 0.5 * dt * (rows[i, n_q + n + j] + rows[i + 1, n_q + n + j]))


@helper
def jumps(times, rows, n_q, n, i, j, least):
    """Whether the rule misses more than `least` there, and much more than between the rows beside: no smooth motion does that.

    Of a smooth motion it misses dt^3 a'' / 12: so rows that are closer together are compared too.
    """
    found = missed(times, rows, n_q, n, i, j)
    if found <= least:
        return False
    found /= (times[i + 1] - times[i]) ** 3
    for k in (i - 1, i + 1):
        if 0 <= k < len(times) - 1 and found <= APART * missed(times, rows, n_q, n, k, j) / (times[k + 1] - times[k]) ** 3:
            return False
    return True


@helper
def measure(rows, n_q, units, most, fastest, scales, atol):
    """Keep the largest speeds (n,) up to date, and set the scale (n,) of each."""
    n = len(fastest)
    most[:] = 0.0
    for j in range(n):
        for i in range(len(rows)):
            fastest[j] = max(fastest[j], abs(rows[i, n_q + j]))
        most[units[j]] = max(most[units[j]], fastest[j])
    for j in range(n):
        scales[j] = max(fastest[j], SLOW * most[units[j]], AT_REST * atol)


@helper
def has_jumps(times, rows, n_q, scales):
    """Whether an acceleration jumps somewhere, and not so often that it chatters."""
    found, n = 0, len(scales)
    for i in range(len(times) - 1):
        for j in range(n):
            if jumps(times, rows, n_q, n, i, j, JUMPS * scales[j]):
                found += 1
                break
    return 0 < found <= MOST_JUMPS


@kernel(SPANS)
def spans(times, rows, n_q, coordinates, units, most, fastest, scales, share, kept, corners, atol, off, often):
    """Mark in off (k - 1,) where something is missed by more than `share` of the scales; returns how many places these are.

    Where an acceleration jumps, JUMPS is enough, if `corners` is not 0 and the run stepped over no corner of a law to get on.
    """
    n, found = len(fastest), 0
    measure(rows, n_q, units, most, fastest, scales, atol)
    often[:] = 0
    for c in range(len(kept)):
        corners = corners if isnan(kept[c, KEPT_FIRST]) else 0
    with_jumps = corners != 0 and has_jumps(times, rows, n_q, scales)
    for i in range(len(times) - 1):
        off[i] = 0
        dt = times[i + 1] - times[i]
        for j in range(n):
            is_off, of = missed(times, rows, n_q, n, i, j) > share * scales[j], coordinates[j]
            if not is_off and with_jumps:
                is_off = jumps(times, rows, n_q, n, i, j, JUMPS * scales[j])
            if not is_off and of != NO_COORDINATE:
                moved = rows[i + 1, of] - rows[i, of] - 0.5 * dt * (rows[i, n_q + j] + rows[i + 1, n_q + j])
                is_off = abs(moved) > share * dt * scales[j] + atol  # which corrections of constraints may move between two rows
            if is_off:
                off[i] = 1
                often[j] += 1
        found += off[i]
    return found
