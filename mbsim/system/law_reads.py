"""What laws of forces and rates of states read of the state of a system, and their derivatives by it, which `laws.py` generates."""

import sys
from functools import cache
from typing import Any, NamedTuple

from mbsim.system.plain import no_slopes
from mbsim.system.system import System


class Read(NamedTuple):
    """What a law of a force, or the rate of a state, reads of the state of the system."""

    target: int  # a law, or with `of_state` the index of a state
    of_state: bool
    what: str  # "q" a coordinate or a state, "v" a speed, "g" a relative coordinate, "w" its rate
    number: int


def reads(system: System) -> list[Read] | None:
    """What the laws of forces and the rates of the states of a system of bodies read; None where that is not known."""
    found = vars(sys.modules[system.functions.dynamics.__module__]).get("READS", [])
    return None if found is None else [Read(*read) for read in found]


def slopes(system: System) -> Any:
    """The kernel of the derivatives of the laws by what they read; it is compiled when first asked for."""
    return _slopes(system.functions.dynamics.__module__) if reads(system) else no_slopes


@cache
def _slopes(module: str) -> Any:
    return sys.modules[module].slopes()
