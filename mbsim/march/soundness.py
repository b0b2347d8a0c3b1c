"""What ends a run between output rows: constraints that contradict each other, a motion that is not determined or not resolved."""

import numpy as np

from mbsim.diagnosis.contradiction import first_contradiction
from mbsim.diagnosis.ranks import RankMonitor
from mbsim.march.ending import Stopped, join_names, tell_lost
from mbsim.march.precision import Precision
from mbsim.system.system import Floats, System


class Soundness:
    """Looks at the output rows of a run that starts at `start` (s). `monitor` learns the rank of the constraints along them."""

    def __init__(self, system: System, start: float, precision: Precision, monitor: RankMonitor) -> None:
        self._system, self._start, self._precision, self._monitor = system, start, precision, monitor

    @property
    def passages(self) -> list[float]:
        """The times (s) at which the rank of the constraints changed."""
        return [change.time for change in self._monitor.changes]

    def look(self, times: Floats, rows: Floats, residuals: Floats) -> tuple[int, Stopped | None]:
        """How many of the rows (k, width) are kept, and why the run ends there, if it does. `residuals` (k,) are of the velocities."""
        begun = int(np.searchsorted(times, self._start, "right"))  # a start that is not resolved ends no run
        k, far = self._precision.unresolved(rows[begun:, : self._system.n_q])
        if far:
            times, rows = times[: begun + k + 1], rows[: begun + k + 1]
        n, (k, names) = len(times), first_contradiction(self._system, times, rows, residuals[: len(times)])
        self._monitor.chunk(times[:k], rows[:k])
        rest = self._monitor.rest
        if rest is not None:
            return int(np.searchsorted(times, rest.time, "right")), tell_lost(rest)
        if names:
            reason = f"the velocity constraints {join_names(names)} contradict each other"
            return k, Stopped(reason, float(times[k - 1]) if k else None)
        return n, Stopped(far, float(times[-1])) if far else None
