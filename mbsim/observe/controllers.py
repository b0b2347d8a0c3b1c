"""What the controllers of a model do in the rows of a run: target, error, and which limit holds.

The effort, the power and the coordinate are recorded as of any force (`mbsim.observe.forces`). The error is the target less that
coordinate; of a controller that leads the rate alone, both are those of the rate.
"""

from collections.abc import Callable, Mapping

import numpy as np

from mbsim.model.expressions import Expression
from mbsim.model.leaves import Controller
from mbsim.observe.force_elements import force_labels
from mbsim.results.schema import ControllerLabels, ForceLabels
from mbsim.system.system import Floats, System


class Controllers:
    """The controllers of an assembled model; `labels` says what `chunk` returns."""

    def __init__(self, controllers: Mapping[str, Controller], system: System) -> None:
        names, blocks = list(controllers), list(controllers.values())
        self.targets: dict[str, Expression] = {}
        for name, block in controllers.items():
            target = block.target_rate if block.leads_rate else block.target
            assert target is not None  # one of the two is there
            self.targets[name] = target
        self._limits = [block.limit or (-np.inf, np.inf) for block in blocks]
        forces = force_labels(system) if controllers else ForceLabels()
        self._efforts = [forces.names.index(name) for name in names]
        along = [forces.along.index(name) for name in names]
        self._leads = [("force_rate" if block.leads_rate else "force_length", k) for block, k in zip(blocks, along, strict=True)]
        units = {"force_rate": forces.rate_units, "force_length": forces.length_units}
        self.labels = ControllerLabels(names, [units[variable][k] for variable, k in self._leads])

    def chunk(self, variables: Mapping[str, Floats], value: Callable[[Expression], Floats]) -> dict[str, Floats]:
        """The variables (k, n) of rows whose other variables are known; `value` evaluates an expression (k,) in them."""
        if not self.targets:
            return {}
        target = np.stack([value(expression) for expression in self.targets.values()], axis=1)
        effort = variables["force_effort"][:, self._efforts]
        lower, upper = np.array(self._limits, float).T
        return {
            "controller_target": target,
            "controller_error": target - np.stack([variables[variable][:, k] for variable, k in self._leads], axis=1),
            "controller_saturation": (effort >= upper) * 1.0 - (effort <= lower),
        }
