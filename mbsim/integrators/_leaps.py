"""Steps over a singular position that the motion goes through, under error control.

On the constraints, as far as they are met, a direction that is lost at the position is off by c / d, c the residual that round-off leaves
and d the way to the position. A march follows that: its steps shrink with d, none gets through, and each that ends nearer adds to what is
wrong. A step over the position has none of this in what it ends with. A weak direction lies across the motion, so the projection beyond
takes back what is wrong in it, although its stages beside the position make it count in the estimated error.

So where a step near a singular position is rejected, the driver is asked where the position lies (`march/passages.py`). The next step goes
over it, with the position in the middle of the widest gap between its stages: none of these comes close. Its estimated error does not
count, unless it is large (ROUGH); where that step would be longer than usual, as the truncation allows, one before it ends where it is not.
"""

from mbsim.contracts import (
    DRIFT_FULL,
    SETTING_DRIFT,
    SETTING_INDEPENDENT,
    STATUS_NEAR,
    WATCH_LEAPS,
    WATCH_MEETS,
    WATCH_PASSES,
    WATCH_PROBED,
    WATCH_SPAN,
)
from mbsim.jit import helper

SHORT = 0.5  # of the usual step: what is rejected asks for a shorter one
AGAIN = 0.25  # of the usual step: how far from where it was asked for last a position is asked for
FAR = 2.0  # of the usual step, likewise: how far ahead; steps that shrink before a position do not reach it
CLOSE = 0.9  # of the usual step: the length of a step over the position from where one ends before it
ROUGH = 1e-4  # of what the tolerances are of: estimated error of a step over a position up to which it is taken


@helper
def asks(work, t, h, then, usual):
    """Whether the driver is to look for a singular position ahead of t, where a step h was rejected; the next one would be `then` long."""
    watch = work.watch
    if work.status[STATUS_NEAR] == 0 or work.settings[SETTING_DRIFT] != DRIFT_FULL:
        return False
    if watch[WATCH_MEETS] > t or not then < SHORT * usual or t < watch[WATCH_PROBED] + AGAIN * usual:
        return False
    watch[WATCH_PROBED], watch[WATCH_SPAN] = t, FAR * max(h, usual)
    return True


@helper
def waits(work, t):
    """Whether the method has to go on with v itself before a step over the position ahead."""
    return work.watch[WATCH_MEETS] > t and work.settings[SETTING_INDEPENDENT] != 0.0 and work.status[STATUS_NEAR] == 0


@helper
def goes_over(work, t, after):
    """Whether the step from t to `after` is one over a singular position that the driver has found."""
    watch = work.watch
    return t < watch[WATCH_MEETS] < after or (t == watch[WATCH_LEAPS] and after <= watch[WATCH_PASSES])


@helper
def length(c, s, work, t, then, usual):
    """The length of a step over the position ahead of t or, up to `then`, of one before it. c (s + 1 or more): the places of the stages."""
    low, gap = 0.0, 0.0
    for i in range(s + 1):
        after = 1.0
        for k in range(s + 1):
            if c[i] < c[k] < after:
                after = c[k]
        if after - c[i] > gap:
            low, gap = c[i], after - c[i]
    middle, ahead = low + 0.5 * gap, work.watch[WATCH_MEETS] - t
    return ahead / middle if ahead <= middle * usual else min(ahead - CLOSE * middle * usual, then)


@helper
def lets_pass(work, after, err, rtol):
    """The error that counts of a step over the position, which ends at `after`."""
    if err * rtol <= ROUGH:
        work.watch[WATCH_PASSES] = max(work.watch[WATCH_PASSES], after)
        err = min(err, 1.0)
    return err
