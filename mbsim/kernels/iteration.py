"""When the iteration inside a step is done, shared by the methods that make their own steps."""

import numpy as np

from mbsim.jit import helper

TIGHT = 1e-4  # of the tolerance: below it no iteration goes on. A residual of phi that is left acts on v divided by the step, every step.

QUICK = 0.5  # ratio of two changes below which the next one is known well enough
SURE = 0.1  # of the tolerance: what may be left after a correction
ROUND_OFF = 4.0 * 2.0**-52  # of the largest coordinate: what of a residual of positions, or of a displacement, is round-off


@helper
def largest(x):
    """Return the largest size of an entry, NaN if there is one, and its index."""
    worst, at = 0.0, 0
    for i in range(x.shape[0]):
        size = abs(x[i])
        if size > worst or np.isnan(size):
            worst, at = size, i
    return worst, at


@helper
def largest_part(x, scales):
    """Return the largest size of an entry over its scale, NaN if there is one, and its index. `scales` may have more entries."""
    worst, at = 0.0, 0
    for i in range(x.shape[0]):
        size = abs(x[i]) / scales[i]
        if size > worst or np.isnan(size):
            worst, at = size, i
    return worst, at


@helper
def greatest(x, scales, n):
    """Return the largest size of the first n entries over their scales, which is found four at a time."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(0, n - 3, 4):
        a, b = max(a, abs(x[i]) / scales[i]), max(b, abs(x[i + 1]) / scales[i + 1])
        c, d = max(c, abs(x[i + 2]) / scales[i + 2]), max(d, abs(x[i + 3]) / scales[i + 3])
    for i in range(n - n % 4, n):
        a = max(a, abs(x[i]) / scales[i])
    return max(a, b, c, d)


@helper
def finite(x):
    """Return whether all entries are finite. A count is found several entries at a time, a maximum is not."""
    infinite = 0
    for i in range(x.shape[0]):
        infinite += not np.isfinite(x[i])
    return infinite == 0


@helper
def round_off(work, q):
    """Return the residual of positions (links, rad) that is round-off at the coordinates q, which have no states of the user's."""
    return ROUND_OFF * greatest(q, work.state_scales[work.v.shape[0] :], q.shape[0])


@helper
def has_settled(now, before, tolerance, least=0.0):
    """Return whether a residual is far below the tolerance, or below it and no longer halving: then it is at round-off.

    `least` is what is known to be round-off: far from the origin it may be above the tolerance.
    """
    return now <= max(TIGHT * tolerance, least) or (now <= tolerance and now > 0.5 * before)
