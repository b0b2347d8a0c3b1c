"""The `states` block: quantities of the user's own that differential equations of order 1 give, such as the integral of a controller.

    states:
      pi: {rate: "reference - arm.angle", start: 0}
      held: {sample: 0.01, next: "0.9*held + 0.1*arm.angle"}

A state with `sample` is held between samples, at which it becomes `next`. A rate may read what laws of forces read: t, parameters, tables,
the states of bodies and joints, and all states of this block. Laws of forces, measures and `stop` read a state by its name. Constraints,
drivers and energies cannot: they hold at every instant, and need two time derivatives.
"""

from collections.abc import Collection, Mapping
from typing import Self

from pydantic import Field, model_validator

from mbsim.model.expressions.expression import CONSTANTS, Expression
from mbsim.model.fields import Context, Law, NonNegativeNumber, Number
from mbsim.model.file.plain import Mapped
from mbsim.model.given_units import Unit
from mbsim.model.leaves import Block
from mbsim.model.names import own_name_fault
from mbsim.model.rephrase import Fault
from mbsim.model.report import Report
from mbsim.model.sampling import Sampling


class State(Block):
    """A quantity x with x_dot = rate, or with x = next from a sample on."""

    rate: Law | None = Field(
        default=None, description="time derivative: expression over t, states of bodies and joints, and the states of this block"
    )
    sample: Sampling = Field(default=None, description="s: time from one sample to the next; the state is held between them")
    offset: NonNegativeNumber = Field(default=0.0, description="s, with `sample`: time from the start to the first sample")
    next: Law | None = Field(
        default=None, description="with `sample`: the value from a sample on, an expression of what a rate may read just before it"
    )
    start: Number = Field(default=0.0, description="value at the start of the run")
    unit: Unit = Field(default="1", description="UDUNITS spelling, such as N m or rad s")

    @model_validator(mode="after")
    def _is_sampled_or_not(self) -> Self:
        if self.sample is None:
            if self.next is not None:
                raise ValueError("missing key 'sample' (it goes with 'next')")
            if "offset" in self.model_fields_set:
                raise ValueError("missing key 'sample' (it goes with 'offset')")
            if self.rate is None:
                raise ValueError("missing key 'rate'")
        elif self.rate is not None:
            raise ValueError("'rate' and 'sample' exclude each other: a state is integrated or held between samples")
        elif self.next is None:
            raise ValueError("missing key 'next' (it goes with 'sample')")
        return self

    @property
    def law(self) -> tuple[str, Expression]:
        """What it becomes: the key, and its rate or its next value."""
        law = self.rate if self.sample is None else self.next
        assert law is not None
        return ("rate" if self.sample is None else "next"), law


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
