"""The times of the output rows, and the chunks in which a run reaches them."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from mbsim.march.settings import Settings
from mbsim.system.system import Floats

SAME_TIME = 1e-12  # of 1 s, or of the time: times that are nearer to each other are one
CHUNK_ROWS = 4000  # output rows between two crossings into Python
CHUNK_STEPS = 50_000  # steps between two, so that progress shows and Ctrl-C is heard
CHUNK_BYTES = 8_000_000  # of output rows held at once


@dataclass(frozen=True)
class OutputTimes:
    """Equally spaced from the start on; the last interval may be shorter. In s."""

    start: float
    end: float
    interval: float

    @property
    def intervals(self) -> int:
        """Their number."""
        return max(1, ceil((self.end - self.start) / self.interval - 1e-9))

    def steps(self, step: float, end: float) -> int:
        """How many steps of equal size, no longer than `step` (s), a march takes to `end` (s); one may go over several rows."""
        unit = self.interval * max(1, int(step / self.interval * (1.0 + 1e-9)))
        return ceil((end - self.start) / unit - 1e-9) * max(1, ceil(unit / step - 1e-9))

    def at(self, i: int) -> float:
        """The time of row i."""
        return self.start + i * self.interval if i < self.intervals else self.end

    def between(self, first: int, last: int) -> Floats:
        """The times of the rows `first` to `last`, both included."""
        times = self.start + self.interval * np.arange(first, last + 1, dtype=np.float64)
        if last >= self.intervals:
            times[-1] = self.end
        return times


class TimesAhead:
    """The output times that a run has not reached yet."""

    def __init__(self, times: OutputTimes, most: int) -> None:
        self._times, self._most = times, most  # rows of a chunk
        self._count = times.intervals
        self._done = 0
        self._from: float | None = None  # where the march goes on between two output times

    def __bool__(self) -> bool:
        return self._done < self._count

    def chunk(self) -> Floats:
        """The time from which the march goes on, then the output times of the next chunk (k + 1,)."""
        times = self._times.between(self._done, self._done + min(self._most, self._count - self._done))
        if self._from is not None:
            times[0] = self._from
        return times

    def last(self, rows: int) -> float:
        """The output time that `rows` of the chunk have reached."""
        return self._times.at(self._done + rows)

    def reached(self, rows: int) -> None:
        """The march goes on from the output time that `rows` of the chunk have reached."""
        self._done, self._from = self._done + rows, None

    def pass_to(self, at: float) -> None:
        """The march goes on from `at`, which it has reached; output times that are hardly later count as reached."""
        while self and self._times.at(self._done + 1) <= at + SAME_TIME * max(1.0, abs(at)):
            self._done += 1
        self._from = None if self._times.at(self._done) == at else at

    def resume(self, rows: int, at: float) -> None:
        """The march goes on from `at`, after the output time that `rows` of the chunk have reached."""
        self._done, self._from = self._done + rows, at


def chunk_rows(settings: Settings, width: int) -> int:
    """Rows between two crossings into Python, of `width` numbers each; a multiple of those that one step goes over."""
    interval = settings.interval
    steps, across = max(1, round(interval / settings.step)), max(1, int(settings.step / interval * (1.0 + 1e-9)))
    most = max(1, min(CHUNK_ROWS, CHUNK_STEPS // steps, CHUNK_BYTES // (8 * width)))
    return max(across, most // across * across)
