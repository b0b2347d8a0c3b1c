"""What the controllers of a model do in the rows of a run: target, error, and which limit holds.

The effort, the power and the coordinate are recorded as of any force (`mbsim.observe.forces`). The error is the target less that
coordinate.
"""

from collections.abc import Callable, Mapping

import numpy as np

from mbsim.model.expressions import Expression
from mbsim.model.leaves import Controller
from mbsim.observe.force_elements import force_labels
from mbsim.results.schema import ControllerLabels
from mbsim.system.system import Floats, System


class Controllers:
    """The controllers of an assembled model; `labels` says what `chunk` returns."""

    def __init__(self, controllers: Mapping[str, Controller], system: System) -> None:
        self.targets = {name: block.target for name, block in controllers.items()}
        self._limits = [block.limit or (-np.inf, np.inf) for block in controllers.values()]
        forces = force_labels(system) if controllers else None
        names = list(controllers)
        self._efforts = [forces.names.index(name) for name in names] if forces is not None else []
        self._along = [forces.along.index(name) for name in names] if forces is not None else []
        self.labels = ControllerLabels(names, [forces.length_units[k] for k in self._along] if forces is not None else [])

    def chunk(self, variables: Mapping[str, Floats], value: Callable[[Expression], Floats]) -> dict[str, Floats]:
        """The variables (k, n) of rows whose other variables are known; `value` evaluates an expression (k,) in them."""
        if not self.targets:
            return {}
        target = np.stack([value(expression) for expression in self.targets.values()], axis=1)
        effort = variables["force_effort"][:, self._efforts]
        lower, upper = np.array(self._limits, float).T
        return {
            "controller_target": target,
            "controller_error": target - variables["force_length"][:, self._along],
            "controller_saturation": (effort >= upper) * 1.0 - (effort <= lower),
        }
