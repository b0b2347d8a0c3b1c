"""Where laws change within a step: the end of a trial is looked at before the step is taken, and the same integrator tries shorter ones.

Each number of `Work.corners` (a condition of a law, the argument of a table, the depth of a contact) has bounds between which its law does
not change. A trial that ends beyond one is not taken, whatever its error. The next trial from the same state ends shortly before the
passage, as the cubic through the values and rates of both ends foresees it. From there the slope aims again, each time closer by the
square. So all stages of a step that is long lie on one side. The last step, of the width that a passage is located to, goes over it
whatever its error, and what follows begins on the other side. A trial also ends where the cubic turns beyond a bound, or near it: so a
passage and the one back within one step are found.

A number may start nearer to a bound than its resolution: then steps as short as these do not move it. One step goes over its passage.

A number that passes its bounds again and again in next to no time (a motion that slides along one, infinitely many switches in finite time)
is stepped over for a while, and the error control alone follows it, as it does without this.
"""

from math import inf

import numpy as np

from mbsim.contracts import (
    CORNER,
    CORNER_LOWER,
    CORNER_RATE,
    CORNER_UPPER,
    CORNER_VALUE,
    KEPT_CROWD,
    KEPT_FIRST,
    KEPT_LARGEST,
    KEPT_PASSED,
    KEPT_REST,
    KEPT_RESTS,
    KEPT_SLOPE,
    LOCATE_BEYOND,
    LOCATE_COUNT,
    LOCATE_TARGET,
    LOCATE_TIME,
    LOCATE_TRIES,
    LOCATE_USUAL,
    LOCATE_WIDER,
    SETTING_STEP,
)
from mbsim.jit import helper

WIDTH, PART = 1e-11, 1e-8  # s, and of the usual step, the smaller one: how closely a passage is located
SPACINGS = 64.0  # of numbers at the time: never closer
SHORT = 0.98  # of the way to a passage that the first trial foresees
HALVE = 3  # trials from one state that were all too long, from which on the way is halved
MOST_TRIES = 60
NEAR_BOUND = 0.5  # of the nearer end: a turn that is so near to a bound is looked at
ROUND_OFF = 1e-12  # of the largest value: nearer to a bound than this, turns are noise
STALLS = 0.25  # of the way that its rate foresees: a number that moves less in a step is at its resolution
CROWDED, MOST = 1e-3, 20  # of the time between output rows: passages that follow so closely; so many of them are a motion that slides
MISLED = 0.2  # of the way to the end of a trial that showed a passage where none is
RESTS = 1.0  # of the time between output rows: how long it is stepped over first, and twice as long each time after
NONE, PASSES, TURNS = 0, 1, 2  # what a trial has shown


@helper
def width(work, t):
    """How closely (s) a passage at t is located."""
    locating = work.locating
    least = SPACINGS * 2.2e-16 * max(abs(t), 1e-300)
    return max(min(WIDTH, PART * locating[LOCATE_USUAL]), least) * locating[LOCATE_WIDER]


@helper
def passage(a, b, ra, rb):
    """Where in (0, 1) the cubic with these values and rates at its ends, a >= 0 > b, is zero; the straight line without rates."""
    if not (abs(ra) < inf and abs(rb) < inf):
        return a / (a - b)
    second, third = 3.0 * (b - a) - 2.0 * ra - rb, 2.0 * (a - b) + ra + rb
    low, high, x = 0.0, 1.0, a / (a - b)
    for _ in range(60):
        y = a + x * (ra + x * (second + x * third))
        if y > 0.0:
            low = x
        else:
            high = x
        slope = ra + x * (2.0 * second + 3.0 * x * third)
        next = x - y / slope if slope != 0.0 else -1.0
        if not low < next < high:
            next = 0.5 * (low + high)
        if abs(next - x) < 1e-13:
            return next
        x = next
    return x


@helper
def turn(a, b, ra, rb):
    """Where in (0, 1) the cubic with these values, both positive, turns below zero, or near it; -1 where it does not.

    Near is below NEAR_BOUND of both, where the rate at the end shows that it has turned.
    """
    if not (a > 0.0 and b > 0.0 and ra < 0.0 and abs(rb) < inf):
        return -1.0
    second, third = 3.0 * (b - a) - 2.0 * ra - rb, 2.0 * (a - b) + ra + rb
    inner = second * second - 3.0 * third * ra
    if inner < 0.0:
        return -1.0
    below = second + np.sqrt(inner)
    if not below > -ra:  # the turn is not before the end
        return -1.0
    x = -ra / below
    least = a + x * (ra + x * (second + x * third))
    return -1.0 if least > (NEAR_BOUND * min(a, b) if rb > 0.0 else 0.0) else x


@helper
def evaluate(system, arrays, work, t, q, q_dot):
    """The numbers at t and q, with the velocity and the acceleration of the last evaluation."""
    system.corners(arrays, t, q, work.v, q_dot, work.a, work.corners)


@helper
def is_beyond(system, arrays, work, t, q, q_dot):
    """Whether a law has another case at t and q than where the march is: a number is beyond its bounds there."""
    new, kept = work.corners, work.kept_corners
    if new.shape[0] == 0:
        return False
    evaluate(system, arrays, work, t, q, q_dot)
    beyond = 0
    for k in range(new.shape[0]):
        beyond += new[k, CORNER_VALUE] < kept[k, CORNER_LOWER] or new[k, CORNER_VALUE] > kept[k, CORNER_UPPER]
    return beyond > 0


@helper
def begin(system, arrays, work, t, q, q_dot):
    """The numbers at the state from which a march goes on."""
    evaluate(system, arrays, work, t, q, q_dot)
    kept, locating = work.kept_corners, work.locating
    for k in range(kept.shape[0]):
        for c in range(CORNER):
            kept[k, c] = work.corners[k, c]
        kept[k, KEPT_SLOPE] = kept[k, CORNER_RATE]
    locating[LOCATE_TIME], locating[LOCATE_TARGET], locating[LOCATE_BEYOND] = t, -inf, -inf
    locating[LOCATE_TRIES], locating[LOCATE_WIDER] = 0.0, 1.0


@helper
def seen(work, after, step):
    """What a trial that ended at `after` has shown; the target of the next one is set where it is not NONE.

    `step` is the one that was to be tried, and is tried again once the passage is behind.
    """
    new, kept, locating = work.corners, work.kept_corners, work.locating
    t = locating[LOCATE_TIME]
    h, found, first = after - t, NONE, inf
    if locating[LOCATE_BEYOND] <= t:
        locating[LOCATE_USUAL] = step
    for k in range(new.shape[0]):
        s, lower, upper = new[k, CORNER_VALUE], kept[k, CORNER_LOWER], kept[k, CORNER_UPPER]
        rate = kept[k, CORNER_RATE]
        ahead = abs(kept[k, CORNER_VALUE] - (lower if rate < 0.0 else upper)) < h * abs(rate)
        # most numbers, at most steps: within their bounds, not on the way to one, and they did not turn
        if not (s < lower or s > upper or ahead or rate * new[k, CORNER_RATE] < 0.0) or kept[k, KEPT_RESTS] > t:
            continue
        s0, r0, r = kept[k, CORNER_VALUE], h * kept[k, CORNER_RATE], h * new[k, CORNER_RATE]
        if s < lower:
            found = PASSES
            first = min(first, passage(max(s0 - lower, 0.0), s - lower, r0, r))
        elif s > upper:
            found = PASSES
            first = min(first, passage(max(upper - s0, 0.0), upper - s, -r0, -r))
        elif locating[LOCATE_TRIES] < MOST_TRIES:
            x, w, noise = -1.0, width(work, after), ROUND_OFF * kept[k, KEPT_LARGEST]
            if lower > -inf and max(s - lower, s0 - lower) > noise:
                x = turn(s0 - lower, s - lower, r0, r)
            if x < 0.0 and upper < inf and max(upper - s, upper - s0) > noise:
                x = turn(upper - s0, upper - s, -r0, -r)
            if x > 0.0 and w < x * h < h - w:
                if found == NONE:
                    found = TURNS
                first = min(first, x / SHORT)
    if found == NONE:
        return NONE
    locating[LOCATE_TRIES] += 1.0
    if found == PASSES:
        locating[LOCATE_BEYOND] = after
        if locating[LOCATE_TRIES] > HALVE and int(locating[LOCATE_TRIES]) % 2 == 0:
            first = min(first, 0.5)
    locating[LOCATE_TARGET] = t + max(SHORT * first * h, width(work, after))
    return found


@helper
def is_narrow(work, t, h):
    """Whether a step is so short that it goes over a passage."""
    return h <= 1.5 * width(work, t)


@helper
def keep(work, t, found):
    """Keep the numbers of the step that was taken and ended at t, and aim the next one; returns the step to go on with, 0 for any."""
    new, kept, locating, step = work.corners, work.kept_corners, work.locating, work.settings[SETTING_STEP]
    h, passed, aim = t - locating[LOCATE_TIME], False, inf
    if found == NONE and locating[LOCATE_BEYOND] == -inf:
        for k in range(new.shape[0]):
            for c in range(CORNER):
                kept[k, c] = new[k, c]
            kept[k, KEPT_LARGEST] = max(kept[k, KEPT_LARGEST], abs(new[k, CORNER_VALUE]))
        locating[LOCATE_TIME], locating[LOCATE_TARGET], locating[LOCATE_TRIES] = t, -inf, 0.0
        return 0.0
    for k in range(new.shape[0]):
        s, before = new[k, CORNER_VALUE], kept[k, CORNER_VALUE]
        outside = s < kept[k, CORNER_LOWER] or s > kept[k, CORNER_UPPER]
        rate, rate_before = new[k, CORNER_RATE], kept[k, CORNER_RATE]
        stalls = rate * rate_before > 0.0 and abs(s - before) < STALLS * h * min(abs(rate), abs(rate_before))
        if ((outside and found == PASSES) or (stalls and not outside)) and not kept[k, KEPT_RESTS] > locating[LOCATE_TIME]:
            passed = True
            locating[LOCATE_COUNT] += 1.0
            crowded = t - kept[k, KEPT_PASSED] < CROWDED * step
            kept[k, KEPT_PASSED] = t
            kept[k, KEPT_CROWD] = kept[k, KEPT_CROWD] + 1.0 if crowded else 0.0
            if kept[k, KEPT_CROWD] >= MOST:
                kept[k, KEPT_CROWD] = 0.0
                kept[k, KEPT_REST] = max(2.0 * kept[k, KEPT_REST], RESTS * step)
                kept[k, KEPT_RESTS] = t + kept[k, KEPT_REST]
                if np.isnan(kept[k, KEPT_FIRST]):
                    kept[k, KEPT_FIRST] = t
            if not outside:
                kept[k, KEPT_RESTS] = max(kept[k, KEPT_RESTS], t + width(work, t))
        for c in range(CORNER):
            kept[k, c] = new[k, c]
        kept[k, KEPT_SLOPE] = (s - before) / h if np.isnan(rate) else rate
        kept[k, KEPT_LARGEST] = max(kept[k, KEPT_LARGEST], abs(s))
        if kept[k, KEPT_RESTS] > t:
            continue
        bound = kept[k, CORNER_LOWER] if kept[k, KEPT_SLOPE] < 0.0 else kept[k, CORNER_UPPER]
        if abs(bound) < inf and kept[k, KEPT_SLOPE] != 0.0:
            aim = min(aim, (bound - s) / kept[k, KEPT_SLOPE])
    locating[LOCATE_TIME], locating[LOCATE_TARGET], locating[LOCATE_TRIES] = t, -inf, 0.0
    if locating[LOCATE_BEYOND] == -inf:
        return 0.0
    usual, beyond = locating[LOCATE_USUAL], locating[LOCATE_BEYOND]
    if not passed and t < beyond and aim <= 1.5 * (beyond - t):
        w = width(work, t)
        if aim <= w or h <= w:
            locating[LOCATE_TARGET] = t + w
            locating[LOCATE_WIDER] *= 2.0
        else:
            locating[LOCATE_TARGET] = t + max(aim - min(0.5 * aim, max(0.5 * w, aim * aim / usual)), w)
        return 0.0
    if not passed and t < beyond:  # the trial that ended beyond was too long to tell where
        usual = min(usual, MISLED * (beyond - t))
    locating[LOCATE_BEYOND], locating[LOCATE_WIDER] = -inf, 1.0
    return usual
