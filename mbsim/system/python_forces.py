"""Forces whose laws are Python functions in a system that is compiled otherwise.

The law of such a force is a parameter of the system. The kernel here calls the functions in Python at each evaluation, writes what they
return to the parameters, and calls the system's own kernel: some microseconds. As of `mbsim.system.callables`, an exception becomes NaN,
which ends the run, and is raised again by the driver.
"""

import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mbsim.contracts import DYNAMICS, Arrays
from mbsim.jit import Compiled, kernel, objmode
from mbsim.system.plain import no_slopes, no_tangent
from mbsim.system.system import Floats, System

Function = Callable[[float, Floats, Floats], Any]  # t, q, v -> a number or several
_numbers = itertools.count()
_active: dict[int, "PythonForces"] = {}


@dataclass(eq=False)
class PythonForces:
    """The functions of a system, and the first exception that one of them raised."""

    arrays: Arrays
    dynamics: Compiled  # the system's own kernel
    functions: Mapping[str, tuple[Function, Sequence[int]]]  # force -> function, and where its values are among the parameters
    failure: BaseException | None = field(default=None)

    def fill(self, t: float, q: Floats, v: Floats) -> None:
        """The parameters at a state; NaN where a function raises or returns another number of values."""
        for name, (function, places) in self.functions.items():
            try:
                value = np.asarray(function(t, q.copy(), v.copy()), float).reshape(-1)
                if value.shape != (len(places),):
                    raise ValueError(f"the function of the force {name} returned {value.size} numbers, expected {len(places)}")
                self.arrays.parameters[list(places)] = value
            except BaseException as error:  # it must not unwind through compiled code; raised again by the driver
                error.add_note(f"raised by the function of the force {name!r}")
                self.failure = self.failure or error
                self.arrays.parameters[list(places)] = np.nan


def _dynamics(number: float, t: float, q: Floats, v: Floats, M: Floats, h: Floats, eta: Floats, power: Floats) -> None:
    found = _active[int(number)]
    found.fill(t, q, v)
    found.dynamics(found.arrays, t, q, v, M, h, eta, power)


@kernel(DYNAMICS, allocates=True)
def dynamics(arrays, t, q, v, M, h, eta, power):
    """Ask the functions of Python for their forces and fill M, h, eta and power by the compiled kernel."""
    number = arrays.parameters[arrays.parameters.shape[0] - 1]
    with objmode():
        _dynamics(number, t, q, v, M, h, eta, power)


def with_functions(system: System, functions: Mapping[str, tuple[Function, Sequence[int]]]) -> System:
    """The system with these functions: force -> (function of t, q, v, places of its values in `Arrays.parameters`)."""
    number = next(_numbers)
    arrays = system.arrays._replace(parameters=np.append(system.arrays.parameters, float(number)))
    found = PythonForces(arrays, system.functions.dynamics, functions)
    _active[number] = found

    def failure() -> BaseException | None:
        error, found.failure = found.failure, None
        return error

    kernels = system.functions._replace(dynamics=dynamics, tangent=no_tangent, slopes=no_slopes)

    def parameters_at(t: float, q: Floats, v: Floats) -> Floats:
        found.fill(t, q, v)
        return arrays.parameters

    names = [*system.parameter_names, "number of the functions"] if system.parameter_names else []
    made = replace(
        system, functions=kernels, arrays=arrays, failure=failure, parameters_at=parameters_at, parameter_names=names
    )  # fmt: skip
    weakref.finalize(made, _active.pop, number, None)
    return made
