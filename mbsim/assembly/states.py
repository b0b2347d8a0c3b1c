"""The states of the user's and of forces: quantities x with x_dot = g(t, q, v, x), which stand in q behind the coordinates."""

from dataclasses import dataclass, field, replace

import numpy as np

from mbsim.assembly.start import Given
from mbsim.model.expressions.expression import parse
from mbsim.model.sampling import Clock, Held
from mbsim.model.schema import Model
from mbsim.system.laws import Rate
from mbsim.system.system import Floats


@dataclass
class StateTable:
    """The states of a system, in their order."""

    rates: dict[str, Rate] = field(default_factory=dict)
    units: list[str] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    held: dict[str, Held] = field(default_factory=dict)  # those that change at samples only

    @property
    def names(self) -> list[str]:
        """What expressions call them."""
        return list(self.rates)

    def add(self, name: str, rate: Rate, start: float, unit: str) -> None:
        """One state more."""
        self.rates[name] = rate
        self.units.append(unit)
        self.starts.append(start)

    def hold(self, name: str, held: Held, start: float, unit: str) -> None:
        """One state more, which is held between samples."""
        self.add(name, Rate(parse(0)), start, unit)
        self.held[name] = held


def declare_states(model: Model) -> StateTable:
    """Those of the model's block `states`."""
    table = StateTable()
    for name, state in model.states.items():
        _, law = state.law
        if state.sample is None:
            table.add(name, Rate(law), state.start, state.unit)
        else:
            table.hold(name, Held(Clock(state.sample, state.offset), law), state.start, state.unit)
    return table


def with_states(given: Given, starts: list[float]) -> Given:
    """A start whose q lacks the states, and the same with them."""
    if not starts:
        return given
    n_c = len(given.q)

    def speeds(q: Floats) -> Floats:
        return given.speeds(q[:n_c])

    return replace(given, q=np.concatenate([given.q, starts]), speeds=speeds)
