"""Whether the projection after a step corrected too much of the way of the step. Both are measured in the metric of M.

The correction is a part of the error of the step that is known without a second step. Where the correction is more than WATCH_LIMIT of the
way |dt v|, the constraints turn faster than the step can follow, and the step is refused (COARSE). A step through a singular position
(WATCH_PASSES) decides between branches by its correction. Such a correction may be as long as the way.
"""

from mbsim.contracts import COARSE, OK, WATCH_LIMIT, WATCH_PASSES, WATCH_SHARE
from mbsim.jit import helper

NEVER_COUNTS = 10.0  # tolerances of phi: corrections that never count


@helper
def judge_correction(work, t, span, fast, least, moved):
    """Return COARSE where the correction of q is too large, else OK. `moved`, `fast` and `least` are squares in the metric of M: of the
    correction, of v, and of a correction that never counts."""
    watch = work.watch
    limit = (watch[WATCH_LIMIT] if t > watch[WATCH_PASSES] else max(1.0, watch[WATCH_LIMIT])) * span
    watch[WATCH_SHARE] = moved / (limit * limit * fast + least)
    return COARSE if watch[WATCH_SHARE] > 1.0 else OK
