"""Where constraints that depend on each other contradict each other."""

from bisect import bisect_left

import numpy as np

from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.redundancy import contradictions, redundancy
from mbsim.kernels.ranks import CONSISTENT
from mbsim.system.system import Floats, System


def contradicting(system: System, t: float, q: Floats, v: Floats) -> tuple[list[str], float]:
    """The rows that depend on each other at (t, q, v) and ask for different accelerations, and by how much, m/s^2 or rad/s^2; or none."""
    if is_large(system) or system.failure is not None or not system.n_rows:
        return [], 0.0
    groups = redundancy(system, t, q, shown=False).groups
    left = contradictions(system, t, q, v, groups)
    limit = CONSISTENT * (1.0 + float(np.abs(system.eta(t, q, v)).max(initial=0.0)))
    return next(((names, one["acceleration"]) for names, one in zip(groups, left, strict=True) if one["acceleration"] > limit), ([], 0.0))


def first_contradiction(system: System, times: Floats, rows: Floats, residuals: Floats) -> tuple[int, list[str]]:
    """The first output row whose C v + xi no velocity can bring to zero, and the constraints; the number of rows and nothing without one.

    times (k,), rows (k, width), residuals (k,) of the velocity constraints. Only rows of C that depend on each other can contradict. What a
    method leaves of the others by design is no contradiction.
    """
    n_q = system.n_q
    if is_large(system) or system.failure is not None:
        return len(times), []
    speeds = rows[:, n_q : n_q + system.n_v]
    limits = CONSISTENT * (1.0 + np.abs(speeds).max(axis=1, initial=0.0))

    def group(k: int) -> list[str]:
        groups = redundancy(system, times[k], rows[k, :n_q], shown=False).groups
        found = contradictions(system, times[k], rows[k, :n_q], speeds[k], groups)
        return next((names for names, size in zip(groups, found, strict=True) if size["velocity"] > limits[k]), [])

    suspects = np.flatnonzero(residuals > limits)
    names = group(suspects[-1]) if len(suspects) else []
    if not names:
        return len(times), []
    first = bisect_left(suspects, True, key=lambda k: bool(group(k)))
    return int(suspects[first]), names
