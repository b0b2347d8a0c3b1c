"""The shortest step that double precision resolves."""

import math

SPACINGS = 4  # of numbers at the last time: a shorter step, or half of one, would not change the time

SOLVER_STEPS = ("max_step", "first_step")  # options of integrators that are steps


def step_fault(value: float | None, start: float, end: float) -> str:
    """The problem of a step, in s, of a run from `start` to `end` if it is too short to be added to the time; else nothing."""
    far = max(abs(start), abs(end))
    known = math.ulp(far) if math.isfinite(far) else 0.0
    if value is None or not 0.0 < value < SPACINGS * known:
        return ""
    return f"too short: at t = {far:g} s a time is known to {known:.2g} s; give {SPACINGS * known:.2g} s or more (got {value:g})"
