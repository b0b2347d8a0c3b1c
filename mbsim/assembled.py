"""A system with a consistent start: what is marched."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim.analysis.start import Change, assemble_position, assemble_velocity, change
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.analysis.measures import Measures


@dataclass(frozen=True)
class Assembly:
    """A system with a consistent start, ready to march."""

    system: System
    start: float  # s
    q: Floats  # (n_q,)
    v: Floats  # (n_v,)
    correction: tuple[float, float] | Change = (0.0, 0.0)  # largest change of a position and of a speed that the assembly made
    text: str = ""  # of the model file
    parameters: Mapping[str, float] = field(default_factory=dict)
    simulation: Any = None  # the model's block
    measures: "Measures | None" = None  # the model's, where it has any
    notes: tuple[str, ...] = ()  # what the user is to know of the start and the model, a sentence each


def assemble_system(system: System, start: float, q: ArrayLike, v: ArrayLike) -> Assembly:
    """A System made in Python with its start corrected to satisfy the constraints. Raises StartError."""
    given_q, given_v = np.array(q, float), np.array(v, float)
    free = np.zeros(system.n_v, bool)
    q = assemble_position(system, start, given_q, free) if system.n_holonomic else given_q
    v = assemble_velocity(system, start, q, given_v, free) if system.n_rows else given_v
    return Assembly(system, start, q, v, change(given_q, q, given_v, v))
