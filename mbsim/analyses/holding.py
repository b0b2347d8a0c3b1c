"""The loads that friction and contacts hold: the interval of a parameter in which the mechanism rests where it starts."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from scipy.optimize import bisect

from mbsim.analyses.resting import holds_start
from mbsim.assembly import Assembly
from mbsim.march.blas_threads import one_thread

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

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: the keys of `mbsim equilibrium --holding --json`."""
        ends = {"least": self.least, "largest": self.largest}
        return {"parameter": self.parameter, "value": self.value} | {name: x if abs(x) < FARTHEST else None for name, x in ends.items()}

    def __repr__(self) -> str:
        low = f"from {self.parameter} = {self.least:.12g}" if self.least > -float("inf") else "from any value"
        high = f"to {self.largest:.12g}" if self.largest < float("inf") else "to any value above"
        return f"<mbsim holding: {self.title}: rests where it starts {low} {high}>"


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
        ends = [_end(rests, value, side) for side in (-1.0, 1.0)]
    return Holding(made.system.name, parameter, value, *ends)


def _end(rests: Callable[[float], bool], value: float, side: float) -> float:
    """The last value on a side at which it rests."""
    size = max(1.0, abs(value))
    inside, step = value, FIRST * size
    while step <= FARTHEST * size:
        if not rests(value + side * step):
            outside = value + side * step
            return float(
                bisect(lambda x: 1.0 if rests(x) else -1.0, inside, outside, xtol=EXACT * max(abs(inside), abs(outside)), rtol=EXACT)
            )
        inside, step = value + side * step, 4.0 * step
    return side * float("inf")
