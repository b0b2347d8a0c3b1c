"""What the controllers of a model do in the rows of a run: target, error, and which limit holds.

The effort, the power and the coordinate are recorded as of any force (`mbsim.observe.forces`). The error is the target less that
coordinate; of a controller that leads the rate alone, both are those of the rate.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mbsim.model.expressions.parsed import Node
from mbsim.observe.force_elements import force_labels
from mbsim.results.schema import ControllerLabels, ForceLabels
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.model.leaves import Controller


class Led(NamedTuple):
    """A controller, as far as its target and its limits go."""

    name: str
    tree: Node  # of the target; where the rate alone is led, of the target of the rate
    leads_rate: bool
    lower: float  # N or N m, of the effort
    upper: float

    @classmethod
    def of(cls, name: str, block: "Controller") -> "Led":
        """That of a block of the model."""
        target = block.target_rate if block.leads_rate else block.target
        assert target is not None  # one of the two is there
        lower, upper = block.limit or (-np.inf, np.inf)
        return cls(name, target.tree, block.leads_rate, float(lower), float(upper))


class Controllers:
    """The controllers of an assembled model; `labels` says what `chunk` returns."""

    def __init__(self, controllers: Sequence[Led], system: System) -> None:
        self._controllers = controllers
        forces = force_labels(system) if controllers else ForceLabels()
        names = [led.name for led in controllers]
        self._efforts = [forces.names.index(name) for name in names]
        along = [forces.along.index(name) for name in names]
        self._leads = [("force_rate" if led.leads_rate else "force_length", k) for led, k in zip(controllers, along, strict=True)]
        units = {"force_rate": forces.rate_units, "force_length": forces.length_units}
        self.labels = ControllerLabels(names, [units[variable][k] for variable, k in self._leads])

    def chunk(self, variables: Mapping[str, Floats], value: Callable[[Node], Floats]) -> dict[str, Floats]:
        """The variables (k, n) of rows whose other variables are known; `value` evaluates the tree of an expression (k,) in them."""
        if not self._controllers:
            return {}
        target = np.stack([value(led.tree) for led in self._controllers], axis=1)
        effort = variables["force_effort"][:, self._efforts]
        lower, upper = np.array([(led.lower, led.upper) for led in self._controllers]).T
        return {
            "controller_target": target,
            "controller_error": target - np.stack([variables[variable][:, k] for variable, k in self._leads], axis=1),
            "controller_saturation": (effort >= upper) * 1.0 - (effort <= lower),
        }
