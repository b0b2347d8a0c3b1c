"""Where a law changes within a step of a library's solver: on the solver's own interpolant, which is of the side before the passage."""

from math import inf

import numpy as np

from mbsim.contracts import CORNER_LOWER, CORNER_UPPER, CORNER_VALUE, KEPT_RESTS, LOCATE_TARGET, LOCATE_TIME
from mbsim.integrators._corners import PART, PASSES, SPACINGS, WIDTH

WIDER = 4.0  # times the width, where the end of a step over a passage is still before it


def find_passage(look, work, interpolant, t, end, turns):
    """The end of the step shortly beyond the first passage between t and `end`, or None where there is none.

    `look(t, z)` is what a state shows (`_corners.seen`), or None where it cannot be evaluated; `turns`: whether the end has shown a turn
    only, at which the interpolant is asked.
    """
    if turns:
        end = float(work.locating[LOCATE_TARGET])
        if look(end, interpolant(end)) != PASSES:
            return None
    from scipy.optimize import brentq  # a fifth of a second to import, and few steps need it

    kept = work.kept_corners
    counts = ~(kept[:, KEPT_RESTS] > work.locating[LOCATE_TIME])

    def inside(at):
        """How far all numbers are from their bounds; negative beyond one."""
        z = interpolant(at)
        if look(at, z) is None:
            return -inf
        s = work.corners[counts, CORNER_VALUE]
        return float(np.nanmin(np.minimum(s - kept[counts, CORNER_LOWER], kept[counts, CORNER_UPPER] - s), initial=inf))

    width = max(min(WIDTH, PART * (end - t)), SPACINGS * float(np.spacing(max(abs(t), abs(end)))))
    first, last = min(t + width, end), inside(end)
    if not (np.isfinite(last) and last < 0.0) or first >= end:
        return end
    ahead = inside(first)
    if not ahead > 0.0:
        return first
    at = float(brentq(inside, first, end, xtol=width, rtol=4 * np.finfo(float).eps))
    while at < end and not inside(at) < 0.0:
        at, width = min(at + width, end), WIDER * width
    return at
