"""What is known of a functional mock-up unit, as records."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

INPUT, OUTPUT, PARAMETER = "input", "output", "parameter"  # causalities
REAL, INTEGER, BOOLEAN = "real", "integer", "boolean"  # types


class FmuError(ValueError):
    """A file is no unit that can be used here. The message says why."""


class Variable(NamedTuple):
    """A variable of a unit."""

    reference: int
    causality: str
    type: str  # REAL, INTEGER, BOOLEAN, or what the standard calls it
    why_not: str  # why it cannot be connected; empty where it can


class Exchange(NamedTuple):
    """What a unit for model exchange says besides."""

    states: tuple[str, ...]  # its continuous states: names of variables, in their order
    indicators: int  # event indicators
    completes: bool  # whether it is to be told of completed steps
    follows: Mapping[str, tuple[str, ...]]  # output -> the inputs that it follows at once
    rates: tuple[int, ...] = ()  # references of the derivatives of the states
    differentiates: bool = False  # whether it gives directional derivatives


@dataclass(frozen=True)
class Description:
    """What a unit says of itself."""

    path: Path
    version: int  # 2 or 3
    token: str
    identifier: str  # the name of its library
    variables: Mapping[str, Variable]
    saves: bool  # whether its state can be kept and restored
    library: str  # in the archive
    exchange: "Exchange | None" = None  # of a unit that is read for model exchange
