"""What the projection corrected after a step, held against the way of the step, both in the metric of M.

It is a part of the error of the step, and the part that needs no second step to be known. Where it is more than WATCH_LIMIT of the way
|dt v|, the constraints turn faster than the step can follow, and the step is refused (COARSE). A step that goes through a singular
position (WATCH_PASSES) decides between branches by what is corrected: as much as its way is let pass.
"""

from mbsim.contracts import COARSE, OK, WATCH_LIMIT, WATCH_PASSES, WATCH_SHARE
from mbsim.jit import helper

LEAST = 10.0  # tolerances of phi: corrections that never count


@helper
def judge_correction(work, t, span, fast, least, moved):
    """OK or COARSE: the square in the metric of M of what was corrected of q, held against those of v and of `least`."""
    watch = work.watch
    limit = (watch[WATCH_LIMIT] if t > watch[WATCH_PASSES] else max(1.0, watch[WATCH_LIMIT])) * span
    watch[WATCH_SHARE] = moved / (limit * limit * fast + least)
    return COARSE if watch[WATCH_SHARE] > 1.0 else OK
