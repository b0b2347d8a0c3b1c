"""What two runs of one model differ by in their events."""

from itertools import zip_longest

import numpy as np

from mbsim.results import Result
from mbsim.studies.compare.rows import Case

SAME_TIME = 1e-6  # of the span: events of two runs that are nearer happen at one time for a reader
SHOWN = 4  # rows that are named


def names_and_times(run: Result) -> tuple[list[str], np.ndarray]:
    """The events of a run in their order, and when they happen (k,), in s."""
    return [str(event["event"]) for event in run.events], np.array([float(event["time"]) for event in run.events])


def apart(run: Result, other: Result) -> float | None:
    """The largest difference (s) of the times of events; infinite where other events happen; None where neither run has any."""
    (names, times), (theirs, others) = names_and_times(run), names_and_times(other)
    if not names and not theirs:
        return None
    return float(np.abs(times - others).max()) if names == theirs else float("inf")


def notes(case: Case) -> list[str]:
    """What is said of events in a comparison: in which rows others happen than in the reference, or at other times."""
    reference = case.reference.result
    if reference is None:
        return []
    names, times = names_and_times(reference)
    span, found = float(reference.time[-1] - reference.time[0]), []
    for row in case.rows:
        by = None if row.result is None else apart(row.result, reference)
        if row.result is None or by is None or by <= SAME_TIME * span:
            continue
        who = f"{row.method} with {row.integrator} at {row.level:g}"
        if np.isfinite(by):
            found.append(f"{who}: events up to {by:.2g} s from those of the reference")
            continue
        own, at = names_and_times(row.result)
        k = next(k for k, (a, b) in enumerate(zip_longest(own, names)) if a != b)
        mine, theirs = (f"'{x[k]}' at {t[k]:.6g} s" if k < len(x) else "no more" for x, t in ((own, at), (names, times)))
        found.append(f"{who}: {len(own)} event{'s' * (len(own) != 1)}, the reference {len(names)}; event {k + 1} is {mine}, there {theirs}")
    more = f"events of {len(found) - SHOWN} more rows differ from those of the reference"
    return found if len(found) <= SHOWN else [*found[:SHOWN], more]
