"""How quickly moving pictures and pages go, and which rows of a motion they show."""

import numpy as np

from mbsim.plots.panels import PlotError
from mbsim.scene.motion import row_at

SHORTEST, LONGEST = 3.0, 10.0  # s that a moving picture takes, unless its speed is given
MOST = 600  # frames


def choose_rows(times: np.ndarray, fps: float, speed: float | None) -> tuple["np.ndarray[tuple[int], np.dtype[np.int64]]", float]:
    """The rows that the frames show, evenly in time, and the speed: real time, or what makes the picture last 3 to 10 s."""
    span = float(times[-1] - times[0])
    if span <= 0.0:
        return np.zeros(1, np.int64), 1.0
    if speed is None:
        speed = 1.0 if SHORTEST <= span <= LONGEST else span / (SHORTEST if span < SHORTEST else LONGEST)
    count = round(span / speed * fps) + 1
    if count > MOST:
        raise PlotError(f"{count} frames are too many, {MOST} are the most: give fewer frames per second (--fps) or a higher --speed")
    return np.array([row_at(times, t) for t in np.linspace(times[0], times[-1], max(count, 2))]), speed
