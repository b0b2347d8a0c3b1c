"""Stabilised constraints: the defaults are those of the paper, a violation decays as the equation says, orders."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close, formulation

import mbsim
from mbsim import contracts, registry

BEAD_AND_BLADE = """
name: a bead on a circle and a blade, pushed off their constraints
coordinates: [x, y, u, w]
energy: {kinetic: (der(x)^2 + der(y)^2 + der(u)^2 + der(w)^2)/2, potential: x}
constraints:
  circle: {type: holonomic, equation: x^2 + y^2 - 1}
  blade: {type: nonholonomic, equation: der(u) - cos(w)*der(w)}
initial: {x: 1, der(w): 1}
simulation: {end: 1}
"""


def constraint_acceleration(made: Any, state: np.ndarray, **options: float) -> np.ndarray:
    """C v_dot + eta at a state that may violate the constraints."""
    system, module = made.system, registry.module("methods", "baumgarte")
    work = formulation(system, "baumgarte", step=0.02, options=options).work
    z, dz = np.concatenate([state, [0.0]]), np.zeros(9)
    module.start(system.functions, system.arrays, work, 0.0, state[4:], state[:4], z)
    assert module.rhs(system.functions, system.arrays, work, 0.0, z, dz) == contracts.OK
    _, _, C, _, eta, _ = system.terms(0.0, state[4:], state[:4])
    return np.asarray(C @ dz[:4] + eta)


@pytest.mark.parametrize(
    ("options", "alpha", "beta"),
    [({}, 50.0, np.sqrt(2) * 50.0), ({"alpha": 3.0}, 3.0, np.sqrt(2) * 50.0), ({"alpha": 3.0, "beta": 7.0}, 3.0, 7.0)],
)
def test_equation_and_defaults(options: dict[str, float], alpha: float, beta: float) -> None:
    """Yang, Duan & Di 2006, eq. 28: alpha = 1 / h, beta = sqrt(2) / h, here h = 0.02; phi counts in holonomic rows only."""
    made = mbsim.assemble(mechanisms.model(BEAD_AND_BLADE))
    state = np.array([0.3, -0.2, 0.5, 0.9, 1.1, 0.2, 0.4, -0.3])
    v, q = state[:4], state[4:]
    C, phi = made.system.C(0.0, q), made.system.phi(0.0, q)[0]
    expected = -2 * alpha * C @ v - [beta**2 * phi, 0.0]
    close(constraint_acceleration(made, state, **options), expected, atol=1e-11 * np.abs(expected).max())


def test_violation_decays_like_a_damped_oscillator() -> None:
    """phi_ddot + 2 alpha phi_dot + beta^2 phi = 0 from (phi, phi_dot) = (0.1025, 0.21) with alpha = 3, beta = 5; psi' = -2 alpha psi."""
    made = mbsim.assemble(mechanisms.model(BEAD_AND_BLADE))
    system, module = made.system, registry.module("methods", "baumgarte")
    march = registry.module("integrators", "rk4").marcher()
    work = formulation(system, "baumgarte", step=1e-3, alpha=3.0, beta=5.0).work
    functions = (module.rhs, module.accept, module.expand, None, module.start, None)
    from mbsim.singular.projection import project

    functions = (*functions[:3], project, functions[4], project)
    z = np.array([0.1, 0.0, 0.7, 0.5, 1.05, 0.0, 0.0, 0.0, 0.0])
    module.start(system.functions, system.arrays, work, 0.0, z[4:8].copy(), z[:4].copy(), z)
    times, rows, scratch = np.linspace(0.0, 1.0, 1001), np.zeros((1000, 4 + 8 + 2 + 1)), np.zeros((20, 9))
    assert march(functions, system.functions, system.arrays, work, times, 1e-3, z, rows, np.zeros(contracts.CLOCK), scratch) == 1000
    phi = rows[:, 0] ** 2 + rows[:, 1] ** 2 - 1
    psi = rows[:, 6] - np.cos(rows[:, 3]) * rows[:, 7]
    t = times[1:]
    close(phi, np.exp(-3 * t) * (0.1025 * np.cos(4 * t) + (0.21 + 3 * 0.1025) / 4 * np.sin(4 * t)), atol=1e-9)
    close(psi, 0.2 * np.exp(-6 * t), atol=1e-9)


def test_drift_is_bounded_and_nothing_is_projected() -> None:
    settings: dict[str, Any] = {"end": 20.0, "step": 2e-3, "output_step": 0.1}
    free = mbsim.simulate(mechanisms.shipped("four_bar"), method="lagrange", drift="none", **settings)
    held = mbsim.simulate(mechanisms.shipped("four_bar"), method="baumgarte", **settings)
    assert held.attributes["drift"] == "none" and held.attributes["counts"]["corrections"] == 0
    assert held["residual_position"].max() < 0.01 * free["residual_position"].max()
    assert held["residual_position"][100:].max() < 2 * held["residual_position"][:100].max()
    corrected = mbsim.simulate(mechanisms.shipped("four_bar"), method="baumgarte", drift="full", **settings)
    assert corrected["residual_position"].max() <= 1e-10 and corrected.attributes["counts"]["corrections"] > 0


@pytest.mark.parametrize(("options", "order"), [("", 2.0), ("(alpha=3, beta=4)", 4.0)])
def test_defaults_cost_the_order_of_rk4(options: str, order: float) -> None:
    """alpha and beta of the size of 1 / h let the errors of the stages into the accelerations: position of order 2 instead of 4."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    exact = mbsim.simulate(made, method="lagrange", end=0.3, step=1e-5, output_step=0.3)["q"][-1]
    steps = 1e-3 / 2.0 ** np.arange(3)
    runs = [mbsim.simulate(made, method=f"baumgarte{options}", end=0.3, step=h, output_step=0.3)["q"][-1] for h in steps]
    assert mechanisms.fitted_order(steps, np.array([np.abs(q - exact).max() for q in runs])) == pytest.approx(order, abs=0.35)
