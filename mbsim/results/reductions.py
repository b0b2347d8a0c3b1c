"""What a history comes to in one number: extremes, means, integrals, times of crossings, frequencies.

A history is (k,) values at the times of the rows (k,), in s. Between rows it is a cubic: through four rows for a value at a time and for
crossings, with the slopes of parabolas through three rows for integrals. An extreme is that of a parabola through three rows where the rows
around it lie on a smooth curve, and that of a row where they have a kink. An extreme on the other side of zero than its rows has crossings.
NaN stands for a number that there is not: the first time at which something holds that never does.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
SETTLED = 0.02  # of the step: the band of `settling` where none is given
PADDING = 4  # times as many points in the spectrum as there are rows, so that a peak shows between two
SMOOTH = 0.5  # of the fall to the rows beside an extreme: how far it may be off the cubic through four rows around it
BENT = 4.0  # of the range of three rows: a curve through them whose second derivative is larger by the square of an interval spans a jump
STEEP = 4.0  # times the slopes beside it: the slope of an interval in which a curve jumps
UNEVEN = 0.05  # of the longer of two intervals: a parabola through their rows tells nothing of it
HALVED, HALVINGS = 4, 60  # of an interval, to where a cubic is zero: as often at least, and at most
MOST_SAMPLES = 2_000_000  # of a spectrum
SPANNED = "output rows span"  # the beginning of the warning that numbers found from rows are not those of the motion
FLAT = 1e-12  # of the largest value: less is round-off, and has no frequency


class ReductionError(ValueError):
    """A history that a reduction cannot take: a time outside of the run, no rows."""


def integral(time: Floats, x: Floats) -> float:
    """Over the time, by the trapezoidal rule with the slopes at both ends of an interval; exact for cubics on equal intervals.

    Slopes are those of parabolas through three rows. One that spans a jump, or intervals of very different length as beside rows that stand
    on both sides of one, is not taken: the interval has the curve of its other end. Beside what no jump is known of, a parabola bends the
    curve by no more than the rows on the other side of the interval do.
    """
    dt = np.diff(time)
    total = np.sum(0.5 * (x[1:] + x[:-1]) * dt)
    if len(time) > 2 and (dt > 0.0).all() and np.isfinite(x).all():
        slopes = np.diff(x) / dt
        jumps = _jumps(slopes)
        bends = 2.0 * np.diff(slopes) / (dt[1:] + dt[:-1])  # at the rows between
        uneven = np.minimum(dt[1:], dt[:-1]) < UNEVEN * np.maximum(dt[1:], dt[:-1])
        bends[np.logical_or.reduce([jumps[1:], jumps[:-1], uneven])] = np.nan
        first, last = np.append(np.nan, bends), np.append(bends, np.nan)  # at both ends of each interval
        first, last = np.where(np.isnan(first), last, first), np.where(np.isnan(last), first, last)
        most = BENT / dt**2 * np.minimum(_range(time, x, dt), _range(-time[::-1], x[::-1], dt[::-1])[::-1])
        bent = np.clip(first, -most, most) + np.clip(last, -most, most)
        total -= np.sum(np.where(jumps | np.isnan(bent), 0.0, dt**3 * bent)) / 24.0
    return float(total)


def _jumps(slopes: Floats) -> np.ndarray:
    """(k - 1,) bool: in which intervals a curve of these slopes jumps."""
    steep = np.abs(slopes)
    beside = np.maximum(np.append(0.0, steep[:-1]), np.append(steep[1:], 0.0))
    found: np.ndarray = steep > STEEP * beside
    return found


def _range(time: Floats, x: Floats, dt: Floats) -> Floats:
    """The range (k - 1,) of the ends of each interval and of x its length before it; infinite where the rows begin later."""
    earlier = time[:-1] - dt
    values = np.stack([x[:-1], x[1:], np.interp(earlier, time, x)])
    return np.where(earlier < time[0] - 1e-9 * dt, np.inf, np.ptp(values, axis=0))


def mean(time: Floats, x: Floats) -> float:
    """Over the time; of a single row its value."""
    span = float(time[-1] - time[0])
    return integral(time, x) / span if span > 0.0 else float(x[0])


def rms(time: Floats, x: Floats) -> float:
    """The root of the mean square over the time."""
    return float(np.sqrt(mean(time, x * x)))


def at(time: Floats, x: Floats, t: Floats) -> float:
    """The value at t (s). Raises ReductionError for a time outside of the run."""
    when = float(t)
    slack = 1e-9 * max(abs(float(time[-1])), abs(float(time[0])))
    if not time[0] - slack <= when <= time[-1] + slack:
        raise ReductionError(f"the run has no value at t = {when:g} s: it goes from {time[0]:g} s to {time[-1]:g} s")
    k = int(np.searchsorted(time, when))
    for near in (k - 1, k):
        if 0 <= near < len(time) and abs(time[near] - when) <= slack:
            return float(x[near])
    first = min(max(k - 2, 0), max(len(time) - 4, 0))
    return _through(time[first : first + 4], x[first : first + 4], when)


def _through(s: Floats, y: Floats, when: float) -> float:
    """The value at a time of the polynomial through points (k,) at times s (k,)."""
    return _value(s.tolist(), _newton(s.tolist(), y.tolist()), when)


def _newton(s: list[float], y: list[float]) -> list[float]:
    """The divided differences of points at times s: coefficients of the polynomial through them in Newton's form.

    NaN where two points have one time. Numbers of Python: of four points they take a tenth of what arrays do.
    """
    found = list(y)
    if len(set(s)) < len(s):
        return [math.nan] * len(s)
    for order in range(1, len(s)):
        for i in range(len(s) - 1, order - 1, -1):
            found[i] = (found[i] - found[i - 1]) / (s[i] - s[i - order])
    return found


def _value(s: list[float], coefficients: list[float], when: float) -> float:
    """Of a polynomial in Newton's form."""
    found = coefficients[-1]
    for at, coefficient in zip(s[-2::-1], coefficients[-2::-1], strict=True):
        found = found * (when - at) + coefficient
    return found


def largest(time: Floats, x: Floats) -> float:
    """The largest value."""
    return _top(time, x)[1]


def smallest(time: Floats, x: Floats) -> float:
    """The smallest value."""
    return -_top(time, -x)[1]


def time_of_max(time: Floats, x: Floats) -> float:
    """The time of the largest value, of the first where there are several (s)."""
    return _top(time, x)[0]


def _top(time: Floats, x: Floats) -> tuple[float, float]:
    """The time (s) of the largest value, the first where there are several, and this value."""
    k = int(np.argmax(x))  # of the first number that is none, if there is one
    return (math.nan, math.nan) if math.isnan(x[k]) else _vertex(time, x, k)


def _vertex(time: Floats, x: Floats, k: int) -> tuple[float, float]:
    """The time (s) and the value of the maximum at row k: of a parabola through three rows, at a kink of the row."""
    first = max(k - 2, 0)
    s, y = time[first : k + 3].tolist(), x[first : k + 3].tolist()  # numbers of Python: as in `_newton`
    i = k - first
    row = s[i], y[i]
    if not 0 < k < len(x) - 1 or not all(map(math.isfinite, y[i - 1 : i + 2])):
        return row
    left, right = s[i - 1] - s[i], s[i + 1] - s[i]
    low, high = y[i - 1] - y[i], y[i + 1] - y[i]
    if left == 0.0 or right == 0.0:
        return row
    curvature = (high / right - low / left) / (right - left)
    if not curvature < 0.0 or not math.isfinite(curvature):
        return row
    slope = low / left - curvature * left
    vertex = min(max(-0.5 * slope / curvature, left), right)
    if len(s) == 5:
        beside = s[:2] + s[3:]
        expected = _value(beside, _newton(beside, y[:2] + y[3:]), s[i])
        if not abs(expected - y[i]) <= SMOOTH * max(-low, -high):  # a kink, where a parabola says nothing
            return row
    return s[i] + vertex, y[i] + vertex * (slope + curvature * vertex)


def time_of_min(time: Floats, x: Floats) -> float:
    """The time of the smallest value (s)."""
    return time_of_max(time, -x)


def _with_extremes(time: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Rows, and between them the maxima and minima that lie on the other side of zero than the rows beside them."""
    if len(time) < 3 or not np.isfinite(margin).all():
        return time, margin
    steps = np.diff(margin)
    up, down = steps > 0.0, steps < 0.0
    turns = np.flatnonzero((up[1:] != up[:-1]) | (down[1:] != down[:-1]))
    if not turns.size:
        return time, margin
    inner, before, after = margin[turns + 1], steps[turns], steps[turns + 1]
    near = np.abs(inner) < np.maximum(np.abs(before), np.abs(after))  # no vertex is farther from its row
    found = []
    for k, is_top in zip((turns[near] + 1).tolist(), ((before > 0.0) | (after < 0.0))[near].tolist(), strict=True):
        sign = 1.0 if is_top else -1.0
        at_time, value = _vertex(time, sign * margin, k) if sign * margin[k] <= 0.0 else (0.0, 0.0)
        if value > 0.0 and time[k - 1] < at_time < time[k + 1] and at_time != time[k]:
            found.append((at_time, sign * value))
    if not found:
        return time, margin
    times, values = np.array(found).T
    order = np.argsort(np.append(time, times), kind="stable")
    return np.append(time, times)[order], np.append(margin, values)[order]


def first_time(time: Floats, margin: Floats) -> float:
    """The first time (s) at which a margin is above zero."""
    time, margin = _with_extremes(time, margin)
    k = int(np.argmax(margin > 0.0))
    if not margin[k] > 0.0:
        return float("nan")
    return float(time[0]) if k == 0 else _zero(time, margin, k - 1)


def last_time(time: Floats, margin: Floats) -> float:
    """The last time (s) at which a margin is above zero."""
    time, margin = _with_extremes(time, margin)
    inside = np.flatnonzero(margin > 0.0)
    if not inside.size:
        return float("nan")
    k = int(inside[-1])
    return float(time[-1]) if k == len(time) - 1 else _zero(time, margin, k)


def duration(time: Floats, margin: Floats) -> float:
    """For how long (s) a margin is above zero."""
    time, margin = _with_extremes(time, margin)
    above = margin > 0.0
    total = float(np.sum(np.diff(time)[above[1:] & above[:-1]]))
    for k in np.flatnonzero(above[1:] != above[:-1]):
        zero = _zero(time, margin, int(k))
        total += zero - float(time[k]) if above[k] else float(time[k + 1]) - zero
    return total


def _zero(time: Floats, x: Floats, k: int) -> float:
    """Where the cubic through four rows is zero between row k and the next, which are on different sides; else a straight line."""
    first = min(max(k - 1, 0), max(len(time) - 4, 0))
    times, y = list[float](time[first : first + 4].tolist()), list[float](x[first : first + 4].tolist())
    low, high, a, b = times[k - first], times[k - first + 1], y[k - first], y[k - first + 1]
    if not (a > 0.0) ^ (b > 0.0) or not all(map(math.isfinite, y)) or not all(s < t for s, t in pairwise(times)):
        share = a / (a - b) if math.isfinite(a) and math.isfinite(b) and a != b else 1.0
        return low + min(max(share, 0.0), 1.0) * (high - low)
    above, curve = a > 0.0, _newton(times, y)
    (t0, t1, t2, _), (c0, c1, c2, c3) = (times + [0.0, 0.0])[:4], (curve + [0.0, 0.0])[:4]
    when, close = 0.5 * (low + high), 2e-16 * max(abs(low), abs(high))
    for done in range(HALVINGS):
        value, slope = c3 * (when - t2) + c2, c3  # Horner's rule, with the derivative
        value, slope = value * (when - t1) + c1, slope * (when - t1) + value
        value, slope = value * (when - t0) + c0, slope * (when - t0) + value
        low, high = (when, high) if (value > 0.0) == above else (low, when)
        then = when - value / slope if done >= HALVED and slope != 0.0 else 0.5 * (low + high)  # Newton's iteration
        if abs(then - when) <= close:
            break
        when = then if low < then < high else 0.5 * (low + high)
    return when


def overshoot(time: Floats, x: Floats, target: Any = None) -> float:
    """How far it goes beyond the target (default: its last value), as a share of the way there from its first value."""
    goal = x[-1] if target is None else float(target)
    way = goal - x[0]
    return max(0.0, largest(time, (x - goal) * np.sign(way)) / abs(float(way))) if way else float("nan")


def settling(time: Floats, x: Floats, band: Any = None, target: Any = None) -> float:
    """The time after the start (s) from which on it stays within the band about the target; NaN where it is outside at the end.

    The band is a share (default: 0.02) of the way from the first value to the target (default: the last value).
    """
    goal = x[-1] if target is None else float(target)
    width = (SETTLED if band is None else float(band)) * abs(float(goal - x[0]))
    outside = np.abs(x - goal) - width
    if outside[-1] > 0.0 or not np.isfinite(outside).all():
        return float("nan")
    last = last_time(time, outside)
    return 0.0 if np.isnan(last) else last - float(time[0])


def peak_to_peak(time: Floats, x: Floats) -> float:
    """The largest value less the smallest."""
    return largest(time, x) - smallest(time, x)


def frequency(time: Floats, x: Floats) -> float:
    """The strongest frequency (Hz) in the discrete Fourier transform of the history without its mean; NaN of a constant
    and where no line stands out.

    The history is sampled at equal intervals, the median of those between its rows where these differ. A Hann window is put over it, and
    the peak is the vertex of a parabola through the logarithms of three lines (Gasior & Gonzalez 2004). Two periods or more give a number
    that means something.
    """
    n = len(time)
    if n < 4 or not np.isfinite(x).all():
        return float("nan")
    gap = float(np.median(np.diff(time)))
    n = n if gap <= 0.0 else min(max(n, round((time[-1] - time[0]) / gap) + 1), max(n, MOST_SAMPLES))
    even = np.linspace(time[0], time[-1], n)
    y = np.interp(even, time, x)
    y = y - y.mean()
    if np.abs(y).max() <= FLAT * max(float(np.abs(x).max()), 1e-300):
        return float("nan")
    lines = np.abs(np.fft.rfft(y * np.hanning(n), PADDING * n))
    k = 1 + int(np.argmax(lines[1:-1]))
    if lines[k] < max(lines[k - 1], lines[k + 1]):  # less than a period, or faster than the rows tell
        return float("nan")
    a, b, c = np.log(np.maximum(lines[k - 1 : k + 2], 1e-300))
    shift = 0.5 * (a - c) / (a - 2.0 * b + c) if a - 2.0 * b + c < 0.0 else 0.0
    return float((k + shift) / (PADDING * n * (even[1] - even[0])))


REDUCTIONS: dict[str, Callable[..., float]] = {
    "max": largest,
    "min": smallest,
    "mean": mean,
    "rms": rms,
    "integral": integral,
    "at": at,
    "initial": lambda time, x: float(x[0]),
    "final": lambda time, x: float(x[-1]),
    "time_of_max": time_of_max,
    "time_of_min": time_of_min,
    "first_time": first_time,
    "last_time": last_time,
    "duration": duration,
    "overshoot": overshoot,
    "settling": settling,
    "peak_to_peak": peak_to_peak,
    "frequency": frequency,
    "dissipated": integral,
    "lost": lambda time, work: float(work[0] - work[-1]),
}
