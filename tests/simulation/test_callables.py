"""Systems from a user's own Python callables."""

from math import cos, sin
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, close

import mbsim
from mbsim.system.system import System

RHO, G, AX, AY, AZ = 0.5, 9.81, 0.3, -0.2, 0.1


def mass(t: float, q: np.ndarray) -> np.ndarray:
    J, c = RHO**2, cos(q[3])
    M = np.diag([1.0, 1.0, 1.0, J / 4, J * (1 + c * c) / 4, J / 2])
    M[4, 5] = M[5, 4] = J * c / 2
    return M


def forces(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
    J, s, c, w, u, f = RHO**2, sin(q[3]), cos(q[3]), v[3], v[4], v[5]
    return [0.0, 0.0, -G, -J / 4 * u * (2 * f + u * c) * s, J / 2 * w * (f + u * c) * s, J / 2 * u * w * s]


def rows(t: float, q: np.ndarray) -> list[list[float]]:
    s, c, S, K = sin(q[3]), cos(q[3]), sin(q[4]), cos(q[4])
    return [
        [0, 0, 1, -RHO * c, 0, 0],
        [0, 1, 0, RHO * s * K, RHO * c * S, RHO * S],
        [1, 0, 0, -RHO * s * S, RHO * c * K, RHO * K],
    ]


def bias(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
    s, c, S, K, w, u, f = sin(q[3]), cos(q[3]), sin(q[4]), cos(q[4]), v[3], v[4], v[5]
    return [
        RHO * w * w * s - AZ,
        RHO * ((w * w + u * u) * c * K - 2 * w * u * s * S + u * f * K) - AY,
        -RHO * ((w * w + u * u) * c * S + 2 * w * u * s * K + u * f * S) - AX,
    ]


def disk(**changed: Any) -> System:
    functions: dict[str, Any] = {
        "M": mass,
        "h": forces,
        "C": rows,
        "eta": bias,
        "phi": lambda t, q: [q[2] - RHO * sin(q[3]) - AZ * t * t / 2],
        "xi": lambda t, q: [-AZ * t, -AY * t, -AX * t],
        "n_holonomic": 1,
        "rows": ["on_plane", "no_slip_y", "no_slip_x"],
    }
    return mbsim.callable_system(["x", "y", "z", "theta", "psi", "phi"], **(functions | changed))


@pytest.mark.parametrize("method", METHODS)
def test_same_numbers_as_the_model_file(method: str) -> None:
    made = mbsim.assemble(mechanisms.shipped("rolling_disk"))
    settings = {"method": method, "end": 0.5, "step": 5e-3}
    of_file = mbsim.simulate(made, **settings)
    of_functions = mbsim.simulate(disk(), made.q, made.v, **settings)
    for name in ("q", "v", "acceleration", "multiplier", "energy_kinetic"):
        close(of_functions[name], of_file[name], atol=1e-11)
    assert of_functions.labels("constraint") == ["on_plane", "no_slip_y", "no_slip_x"]
    # without a potential energy there is no balance to show
    assert np.isnan(of_functions["energy_potential"]).all() and np.isnan(of_functions["energy_balance"]).all()


@pytest.mark.parametrize("method", METHODS)
def test_energy_given_by_the_user(method: str) -> None:
    system = mbsim.callable_system(
        ["x"], lambda t, q: [[2.0]], lambda t, q, v: [-8.0 * q[0]], energy=lambda t, q, v: [v[0] ** 2, 4 * q[0] ** 2]
    )
    result = mechanisms.simulate(system, [1.0], [0.0], method=method, end=np.pi, step=np.pi / 1000)
    near = mechanisms.near(method)
    near(result["q"][-1], 1.0, 1e-9)
    near(result["energy_balance"], 0.0, 1e-9)


class Boom(Exception):
    """The user's own."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["M", "h", "C", "eta", "phi", "xi"])
def test_exception_in_a_callable_is_raised_with_the_run_kept(method: str, name: str) -> None:
    plain = {"M": mass, "h": forces, "C": rows, "eta": bias}
    plain |= {"phi": lambda t, q: [q[2] - RHO * sin(q[3]) - AZ * t * t / 2], "xi": lambda t, q: [-AZ * t, -AY * t, -AX * t]}

    def fails(t: float, *state: np.ndarray) -> Any:
        if t > 0.1:
            raise Boom(f"at {t:.3f}")
        return plain[name](t, *state)

    made = mbsim.assemble(mechanisms.shipped("rolling_disk"))
    with pytest.raises(mbsim.SimulationError) as caught:
        mbsim.simulate(disk(**{name: fails}), made.q, made.v, method=method, end=1.0, step=0.02)
    assert isinstance(caught.value.__cause__, Boom)
    assert 0.05 < caught.value.time < 0.11
    result = caught.value.result
    assert result is not None and result.time[-1] == pytest.approx(caught.value.time)
    assert np.isfinite(result["q"]).all()


def test_exception_is_told_in_the_message() -> None:
    def fails(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        if t > 0.5:
            raise Boom("no force beyond this")
        return [0.0]

    system = mbsim.callable_system(["x"], lambda t, q: [[1.0]], fails)
    with pytest.raises(mbsim.SimulationError, match=r"stopped at t = 0\.5 s: Boom: no force beyond this"):
        mbsim.simulate(system, [0.0], [1.0], end=1.0, step=0.125)


def test_exception_in_the_energy_is_not_swallowed() -> None:
    """The motion does not need the energy, but what the user's function raised must not be lost."""

    def energy(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        raise Boom("no energy")

    system = mbsim.callable_system(["x"], lambda t, q: [[1.0]], lambda t, q, v: [0.0], energy=energy)
    with pytest.raises(mbsim.SimulationError, match="Boom: no energy") as caught:
        mbsim.simulate(system, [0.0], [1.0], end=1.0, step=0.1)
    assert isinstance(caught.value.__cause__, Boom)
    with pytest.raises(Boom):
        system.energy(0.0, [0.0], [1.0])


@pytest.mark.parametrize("name", ["M", "h", "C", "eta"])
def test_wrong_shape(name: str) -> None:
    made = mbsim.assemble(mechanisms.shipped("rolling_disk"))
    system = disk(**{name: lambda t, *state: [1.0, 2.0]})
    with pytest.raises(ValueError, match=rf"{name} returned shape \(2,\), expected \("):
        system.terms(0.0, made.q, made.v)
    with pytest.raises(ValueError, match=rf"{name} returned shape \(2,\), expected \("):
        mbsim.simulate(system, made.q, made.v, end=0.1, step=0.01)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"C": None}, "go together"),
        ({"rows": []}, "go together"),
        ({"eta": None}, "go together"),
        ({"n_holonomic": None}, "n_holonomic must say"),
        ({"phi": None}, "n_holonomic needs phi"),
    ],
)
def test_arguments_that_do_not_fit(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        disk(**changed)
