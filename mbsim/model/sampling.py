"""Samples: the key `sample`, the time from one to the next, and states that are held between them."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator

from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import PositiveNumber
from mbsim.model.rephrase import Fault

SHORTEST_SAMPLE = 1e-9  # of 1 s, or of the times of the run: shorter samples do not stand out from the round-off of time


def _stands_out(value: float | None) -> float | None:
    if value is not None and value < SHORTEST_SAMPLE:
        raise ValueError(f"a sample of {value:g} s is below the resolution of time; the least is {SHORTEST_SAMPLE:g} s")
    return value


Sampling = Annotated[PositiveNumber | None, AfterValidator(_stands_out)]
"""s: the time from one sample to the next; None: continuous."""


class Clock(NamedTuple):
    """When samples are taken: at the start of the run + offset + k period, k = 0, 1 ..."""

    period: float  # s
    offset: float  # s


class Solved(NamedTuple):
    """How a held effort follows from the equations of motion at a sample, together with the others of its kind that are due."""

    wanted: str  # the held state that is the acceleration which the coordinate is to have; empty: it only carries the weight
    relative: int  # the relative coordinate along which it acts; -1: one of the system's own
    lower: float  # N m or N: limits
    upper: float


class Foreign(NamedTuple):
    """A functional mock-up unit that gives held states at samples."""

    file: str
    controller: str
    inputs: tuple[str, ...]  # variables of the unit
    outputs: tuple[str, ...]
    parameters: dict[str, float]


class Flowing(NamedTuple):
    """A functional mock-up unit for model exchange, whose continuous states are states of the model."""

    foreign: Foreign
    laws: tuple[Expression, ...]  # of its inputs
    states: tuple[str, ...]  # variables of the unit
    version: int
    completes: bool  # whether it is told of completed steps
    follows: Mapping[str, tuple[str, ...]]  # output -> the inputs that it follows at once
    indicators: int  # of events
    counted: tuple[str, ...]  # outputs that are whole numbers or Booleans, which change at events only
    rates: tuple[int, ...] = ()  # references of the derivatives of the states
    differentiates: bool = False  # whether the unit gives directional derivatives


class Held(NamedTuple):
    """A state that is held between samples."""

    clock: Clock
    next: Expression | None  # its value after a sample; None: what a Python function gives
    before: Expression | None = None  # what its value is taken to be just before the first sample, where that is not its start
    solved: Solved | None = None  # where the equations of motion give it, and `next` leaves it alone
    foreign: tuple[Foreign, str] | None = None  # likewise where a unit gives it: its output of this name


def find_unresolved(sections: Mapping[str, Mapping[str, Any]], start: float, end: float) -> list[Fault]:
    """The samples that the times of a run do not resolve."""
    least = SHORTEST_SAMPLE * max(1.0, abs(start), abs(end))
    return [
        Fault((section, name, "sample"), f"a sample of {block.sample:g} s is below the resolution of time at t = {end:g} s: {least:g} s")
        for section, blocks in sections.items()
        for name, block in blocks.items()
        if getattr(block, "sample", None) is not None and block.sample < least
    ]
