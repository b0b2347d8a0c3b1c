"""The `states` block: quantities of the user's own that differential equations of order 1 give, such as the integral of a controller.

    states:
      pi: {rate: "reference - arm.angle", start: 0}

A rate may read what laws of forces read: t, parameters, tables, the states of bodies and joints, and all states of this block. Laws of
forces, measures and `stop` read a state by its name. Constraints, drivers and energies cannot: they hold at every instant, and need two
time derivatives.
"""

from collections.abc import Collection, Mapping

from pydantic import Field

from mbsim.model.expressions.expression import CONSTANTS
from mbsim.model.fields import Context, Law, Number, Unit
from mbsim.model.file.plain import Mapped
from mbsim.model.leaves import Block
from mbsim.model.names import own_name_fault
from mbsim.model.rephrase import Fault
from mbsim.model.report import Report


class State(Block):
    """A quantity x with x_dot = rate."""

    rate: Law = Field(description="time derivative: expression over t, states of bodies and joints, and the states of this block")
    start: Number = Field(default=0.0, description="value at the start of the run")
    unit: Unit = Field(default="1", description="UDUNITS spelling, such as N m or rad s")


def read_states(raw: Mapped, context: Context, taken: Mapping[str, Collection[str]], report: Report) -> dict[str, State]:
    """The states by name, in the order of the block. Problems go to `report`. `taken`: names used by other sections."""
    found: dict[str, State] = {}
    for name, data in raw.items():
        # A constant's name is in this model that of the state.
        if fault := own_name_fault(name, taken, in_expressions=name not in CONSTANTS):
            report.add(Fault((name,), fault, "key"), ("states",))
        if (state := report.read(State, ("states", name), data, context, "rate")) is not None:
            found[name] = state
    return found
