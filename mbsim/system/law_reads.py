"""What laws of forces, rates of states and equations of the user's depend on, and their derivatives by it, which `laws.py` generates."""

import sys
from functools import cache
from typing import NamedTuple

from mbsim.jit import Compiled
from mbsim.saddle.structure import Curvature
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


def equation_columns(system: System) -> dict[int, list[int]]:
    """Rows of equations of the user's, of a system of bodies -> the columns of C that are not always zero."""
    return dict(vars(sys.modules[system.functions.dynamics.__module__]).get("COLUMNS", {}))


def curvatures(system: System) -> list[Curvature]:
    """How these rows change with displacements, where they do."""
    return [Curvature(*found) for found in vars(sys.modules[system.functions.dynamics.__module__]).get("CURVATURES", [])]


def slopes(system: System) -> Compiled:
    """The kernel of the derivatives of the laws by what they read, then of the `curvatures`; it is compiled when first asked for."""
    return _slopes(system.functions.dynamics.__module__) if reads(system) or curvatures(system) else no_slopes


@cache
def _slopes(module: str) -> Compiled:
    return sys.modules[module].slopes()
