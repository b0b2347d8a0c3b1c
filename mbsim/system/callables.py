"""Systems from a user's own Python callables M, h, C, eta (phi, xi optional). They run uncompiled through the compiled methods.

The kernels here call back into Python at each evaluation (a few microseconds); an exception in a callable becomes NaN for the kernels,
which end the run, and is raised again by the driver.
"""

import itertools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbsim.contracts import CONSTRAINTS, DYNAMICS, ENERGY, RESIDUAL, SystemFunctions
from mbsim.jit import kernel, objmode
from mbsim.system.plain import move, no_corners, no_event, no_slopes, no_tangent, rates
from mbsim.system.system import Floats, System, empty_arrays

Function = Callable[..., Any]
_numbers = itertools.count()
_active: dict[int, "Callables"] = {}


@dataclass(eq=False)
class Callables:
    """The user's functions and the first exception that one of them raised."""

    M: Function
    h: Function
    C: Function
    eta: Function
    phi: Function | None
    xi: Function | None
    energy: Function | None
    failure: BaseException | None = None

    def fill(self, out: Floats, name: str, function: Function, *arguments: object) -> None:
        """out[...] = function(*arguments), checked for its shape; NaN when it raises."""
        try:
            value = np.asarray(function(*arguments), float)
            if value.shape != out.shape:
                raise ValueError(f"{name} returned shape {value.shape}, expected {out.shape}")
            out[...] = value
        except BaseException as error:  # it must not unwind through compiled code; raised again by the driver
            self.failure = self.failure or error
            out[...] = np.nan


def _constraints(number: float, t: float, q: Floats, C: Floats, xi: Floats) -> None:
    system = _active[int(number)]
    system.fill(C, "C", system.C, t, q.copy())
    if system.xi is None:
        xi[:] = 0.0
    else:
        system.fill(xi, "xi", system.xi, t, q.copy())


def _dynamics(number: float, t: float, q: Floats, v: Floats, M: Floats, h: Floats, eta: Floats, power: Floats) -> None:
    system = _active[int(number)]
    system.fill(M, "M", system.M, t, q.copy())
    system.fill(h, "h", system.h, t, q.copy(), v.copy())
    system.fill(eta, "eta", system.eta, t, q.copy(), v.copy())
    power[0] = 0.0


def _residual(number: float, t: float, q: Floats, phi: Floats) -> None:
    system = _active[int(number)]
    if system.phi is not None:
        system.fill(phi, "phi", system.phi, t, q.copy())


def _energy(number: float, t: float, q: Floats, v: Floats, out: Floats) -> None:
    system = _active[int(number)]
    if system.energy is None:
        M = np.empty((v.size, v.size))
        system.fill(M, "M", system.M, t, q.copy())
        out[0], out[1], out[2] = 0.5 * v @ M @ v, np.nan, np.nan
    else:
        system.fill(out[:2], "energy", system.energy, t, q.copy(), v.copy())
        out[2] = out[0] + out[1]


@kernel(CONSTRAINTS, allocates=True)
def constraints(arrays, t, q, C, xi):
    """Fill C (n_c, n_v) and xi (n_c,) by the functions of the active system."""
    number = arrays.parameters[0]
    with objmode():
        _constraints(number, t, q, C, xi)


@kernel(DYNAMICS, allocates=True)
def dynamics(arrays, t, q, v, M, h, eta, power):
    """Fill M, h, eta and power, which is zero, by the functions of the active system."""
    number = arrays.parameters[0]
    with objmode():
        _dynamics(number, t, q, v, M, h, eta, power)


@kernel(RESIDUAL, allocates=True)
def residual(arrays, t, q, phi):
    """Fill phi (n_p,) by the function of the active system, where it has one."""
    number = arrays.parameters[0]
    with objmode():
        _residual(number, t, q, phi)


@kernel(ENERGY, allocates=True)
def energy_kernel(arrays, t, q, v, out):
    """Fill the kinetic, the potential and the total energy, NaN where the active system does not tell."""
    number = arrays.parameters[0]
    with objmode():
        _energy(number, t, q, v, out)


def callable_system(
    coordinates: Sequence[str],
    M: Function,
    h: Function,
    C: Function | None = None,
    eta: Function | None = None,
    *,
    phi: Function | None = None,
    xi: Function | None = None,
    energy: Function | None = None,
    rows: Sequence[str] = (),
    n_holonomic: int | None = None,
    name: str = "user's system",
) -> System:
    """A system with q_dot = v from Python functions of (t, q) or (t, q, v), SI units.

    M(t, q) (n, n) symmetric positive definite; h(t, q, v) (n,); C(t, q) (m, n), holonomic rows first; eta(t, q, v) (m,);
    phi(t, q) (n_holonomic,), without which positions are not corrected and all rows count as velocity constraints; xi(t, q) (m,),
    zero when absent; energy(t, q, v) -> (kinetic, potential) of a system without other forces, without which only the kinetic energy
    is recorded. `rows` names the m constraint rows; it must be given when C is. Raises ValueError for arguments that do not fit.
    """
    n, m = len(coordinates), len(rows)
    if (C is None) != (m == 0) or (eta is None) != (C is None):
        raise ValueError("C, eta and the names of the constraint rows (rows=[...]) go together")
    if n_holonomic is None:
        n_holonomic = m if phi is not None and xi is None else 0
        if phi is not None and xi is not None:
            raise ValueError("n_holonomic must say how many rows phi has")
    if phi is None and n_holonomic:
        raise ValueError("n_holonomic needs phi")
    number = next(_numbers)
    functions = Callables(M, h, C or (lambda t, q: np.zeros((0, n))), eta or (lambda t, q, v: np.zeros(0)), phi, xi, energy)
    _active[number] = functions
    labels = list(coordinates)

    def failure() -> BaseException | None:
        error, functions.failure = functions.failure, None
        return error

    system = System(
        name=name,
        functions=SystemFunctions(constraints, dynamics, residual, rates, move, energy_kernel, no_event, no_tangent, no_corners, no_slopes),
        arrays=empty_arrays(len(rows), [float(number)]),
        coordinates=labels,
        coordinate_units=["1"] * n,
        speeds=[f"der({c})" for c in labels],
        speed_units=["1"] * n,
        rows=list(rows),
        n_holonomic=n_holonomic,
        skyline=np.zeros(n, np.int64),
        rheonomic=xi is not None,
        has_energy=energy is not None,
        failure=failure,
    )
    weakref.finalize(system, _active.pop, number, None)
    return system
