"""A system with a consistent start: what is marched."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mbsim.analysis.measures import Measures
from mbsim.analysis.start import Change
from mbsim.system.system import Floats, System


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
    measures: Measures | None = None  # the model's, where it has any
