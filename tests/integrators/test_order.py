"""The fitted order of every fixed-step integrator with every method is the one its file states: q, v, reactions, energy work."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import FIXED, METHODS, fitted_order

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly

DRIVEN_PENDULUM = """
name: rod hung on a driven crank
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.02, position: [0.2, 0]}
  rod: {mass: 0.7, inertia: 0.05, position: [0.4, -0.3]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, bodies: [crank, rod], at: [0.4, 0]}
drivers: {motor: {joint: O, angle: 1.5*sin(3*t) + t}}
forces:
  drag: {type: force, body: rod, value: [-0.3*der(rod.x)*sqrt(1 + der(rod.y)^2), 0.2*cos(5*t)]}
initial: {rod.angular_velocity: 2}
simulation: {end: 1}
"""
# name -> model, end (s), coarsest step (s)
CASES: dict[str, tuple[Any, float, float]] = {
    "rolling_disk": (lambda: mechanisms.shipped("rolling_disk"), 1.0, 0.02),
    "four_bar": (lambda: mechanisms.shipped("four_bar"), 0.5, 0.0025),
    "spatial_slider_crank": (lambda: mechanisms.shipped("spatial_slider_crank"), 0.5, 0.005),
    "spinning_top": (lambda: mechanisms.shipped("spinning_top"), 0.2, 0.002),
    "every_spatial_joint": (lambda: mechanisms.model(mechanisms.chain(3)), 0.5, 0.02),
    "double_pendulum": (lambda: mechanisms.shipped("double_pendulum"), 1.0, 0.004),
    "driven_pendulum": (lambda: mechanisms.model(DRIVEN_PENDULUM), 0.6, 0.04),
}
HALVINGS = 4
FINER = {"predictor_corrector": 6.0}  # its error is some thirty times rk4's at the same step: the order shows at smaller ones
ROUND_OFF = 1e-11  # of a quantity's size: below it an error says nothing about the order


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Assembly, float, float, Any]:
    build, end, step = CASES[request.param]
    made = mbsim.assemble(build())
    reference = mbsim.simulate(made, method="lagrange", end=end, step=step / 2 ** (HALVINGS + 2), output_step=end, drift_tolerance=1e-12)
    return made, end, step, reference


@pytest.mark.parametrize("drift", ["none", "full"])
@pytest.mark.parametrize("integrator", FIXED)
@pytest.mark.parametrize("method", METHODS)
def test_fitted_order(case: tuple[Assembly, float, float, Any], method: str, integrator: str, drift: str) -> None:
    """Without correction the order is the integrator's; with it the projection may remove the leading error, never add one."""
    made, end, step, reference = case
    steps = step / FINER.get(integrator, 1.0) / 2.0 ** np.arange(HALVINGS)
    settings: dict[str, Any] = {"method": method, "integrator": integrator, "drift": drift, "drift_tolerance": 1e-12}
    runs = [mbsim.simulate(made, end=end, step=h, output_step=end, **settings) for h in steps]
    order = registry.module("integrators", integrator).ORDER
    for name in ("q", "v", "acceleration", "multiplier", "energy_work"):
        if name not in reference:
            continue
        errors = np.array([np.abs(r[name][-1] - reference[name][-1]).max() for r in runs])
        size = np.abs(reference[name]).max()
        if errors[-1] <= ROUND_OFF * max(size, 1.0):  # no work at all, for instance
            continue
        fitted = fitted_order(steps, errors)
        assert order - 0.3 < fitted < order + (0.7 if drift == "none" else 1.7), f"{name}: order {fitted:.2f}, errors {errors}"
