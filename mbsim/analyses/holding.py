"""The loads that friction and contacts hold: the interval of a parameter in which the mechanism rests where it starts."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from mbsim.analyses.resting import holds_start
from mbsim.assembly import Assembly
from mbsim.march.blas_threads import one_thread
from mbsim.model.file.errors import ModelError

FARTHEST = 1e12  # of the parameter's size, or of one: what holds so far holds always
FIRST = 1e-3  # of its size: the first step away from it
EXACT = 1e-13  # of the interval's end


@dataclass(frozen=True)
class Holding:
    """The interval. Infinite ends are none."""

    title: str
    parameter: str
    value: float  # that the model has
    least: float
    largest: float
    notes: tuple[str, ...] = ()  # where the interval ends because there is no model beyond

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: the keys of `mbsim equilibrium --holding --json`."""
        ends = {"least": self.least, "largest": self.largest}
        told = {name: x if abs(x) < FARTHEST else None for name, x in ends.items()}
        return {"parameter": self.parameter, "value": self.value, **told, "notes": list(self.notes)}

    def __repr__(self) -> str:
        low = f"from {self.parameter} = {self.least:.12g}" if self.least > -float("inf") else "from any value"
        high = f"to {self.largest:.12g}" if self.largest < float("inf") else "to any value above"
        return "\n  note: ".join([f"<mbsim holding: {self.title}: rests where it starts {low} {high}", *self.notes]) + ">"


def holding(load: Callable[[float], Assembly], parameter: str, value: float, keep: Collection[str] = ()) -> Holding:
    """The interval about `value` in which `load(x)` rests at its start, by bisection to round-off.

    Raises ValueError where it does not rest at `value`, and where the model has nothing that could hold it.
    """
    made = load(value)
    if made.unilaterals is None:
        raise ValueError("the model has no stops, contacts or friction of joints that could hold it")

    def rests(x: float) -> bool:
        return holds_start(load(x), keep)

    with one_thread():
        if not rests(value):
            raise ValueError(f"what touches does not hold the start at {parameter} = {value:g}; give a value at which it does (--set)")
        low, high = (_end(rests, value, side) for side in (-1.0, 1.0))
    notes = tuple(f"beyond {parameter} = {end:.6g} there is no such model: {why}" for end, why in (low, high) if why)
    return Holding(made.system.name, parameter, value, low[0], high[0], notes)


def _end(rests: Callable[[float], bool], value: float, side: float) -> tuple[float, str]:
    """The last value on a side at which it rests, and why there is no model beyond; empty where there is one."""
    size = max(1.0, abs(value))
    inside, step, outside, why = value, FIRST * size, value, ""

    def holds(x: float) -> bool:
        nonlocal why
        try:
            found, why_not = rests(x), ""
        except ModelError as error:  # as of a mass below zero, which nobody asked for
            found, why_not = False, error.problems[0].message
        why = why if found else why_not
        return found

    while step <= FARTHEST * size:
        outside = value + side * step
        if not holds(outside):
            break
        inside, step = outside, 4.0 * step
    else:
        return side * float("inf"), ""
    while abs(outside - inside) > EXACT * max(abs(inside), abs(outside)):
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            break
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return inside, why
