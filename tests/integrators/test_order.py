"""The fitted order of every fixed-step integrator with every method, and of every method's own step, is the one its file states."""

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
initial: {rod.angular_velocity: 0.9}
simulation: {end: 1}
"""
# name -> model, end (s), coarsest step (s), by how much less than that a step is not taken in parts
CASES: dict[str, tuple[Any, float, float, float]] = {
    "rolling_disk": (lambda: mechanisms.shipped("rolling_disk"), 1.0, 0.02, 1.0),
    "four_bar": (lambda: mechanisms.shipped("four_bar"), 0.5, 0.0025, 2.0),
    "spatial_slider_crank": (lambda: mechanisms.shipped("spatial_slider_crank"), 0.5, 0.005, 2.0),
    "spinning_top": (lambda: mechanisms.shipped("spinning_top"), 0.2, 0.002, 1.0),
    "every_spatial_joint": (lambda: mechanisms.model(mechanisms.chain(3)), 0.5, 0.04, 1.0),
    "double_pendulum": (lambda: mechanisms.shipped("double_pendulum"), 1.0, 0.02, 1.0),
    "driven_pendulum": (lambda: mechanisms.model(DRIVEN_PENDULUM), 0.5, 0.03, 1.5),
}
# where a method, integrator or step other than the usual one is meant
VARIANTS = {"baumgarte": "baumgarte(alpha=12, beta=17)"}  # by default they are of the size of 1 / step, which costs the order
STEPS = [(method, integrator) for method in METHODS for integrator in (["own"] if mechanisms.owns_step(method) else FIXED)]
HALVINGS = 4
# the order shows at smaller steps: baumgarte's have to be small against 1 / alpha, the multipliers of broyden jump to and fro at the
# coarsest by as much as they are, and the error of predictor_corrector is some thirty times rk4's at the same step
FINER = {"baumgarte": 4.0, "broyden": 4.0, "predictor_corrector": 6.0}
FINEST = {("broyden", "predictor_corrector"): 12.0}
LEAST = 3  # steps from which an order is fitted; errors beside round-off do not count
ROUND_OFF = 1e-13  # of a quantity's size: an error below it, or below that of the reference, says nothing about the order
SHOWN = {"q", "v", "acceleration", "multiplier"}  # of every case that has them; some do no work


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Assembly, float, float, float, list[Any]]:
    """A model, its times, and two references: the second one tells how exact the first one is.

    Both come from error control of order 8. A reference with a fixed step that is longer than the finest one measured shows its own error.
    """
    build, end, step, whole = CASES[request.param]
    made = mbsim.assemble(build())
    sharp: dict[str, Any] = {"method": "lagrange", "integrator": "dop853", "end": end, "output_step": end, "drift_tolerance": 1e-13}
    references = [mbsim.simulate(made, rtol=rtol, atol=0.1 * rtol, **sharp) for rtol in (1e-13, 1e-12)]
    return made, end, step, whole, references


def order_of(method: str, integrator: str, made: Assembly) -> int:
    """What the files state."""
    if integrator != "own":
        return int(registry.module("integrators", integrator).ORDER)
    module = registry.module("methods", method)
    nonholonomic = made.system.n_rows > made.system.n_holonomic
    return int(getattr(module, "ORDER_NONHOLONOMIC", module.ORDER) if nonholonomic else module.ORDER)


@pytest.mark.parametrize("drift", ["none", "full"])
@pytest.mark.parametrize(("method", "integrator"), STEPS)
def test_fitted_order(case: tuple[Assembly, float, float, float, list[Any]], method: str, integrator: str, drift: str) -> None:
    """Without correction the order is the integrator's; with it the projection may remove the leading error, never add one.

    Fitted over all steps and over the three finest, because the coarsest may be too coarse; an error of a lower order shows in both. A
    higher one is no error: leading terms of either sign may cancel at the end of a motion.
    """
    made, end, step, whole, (reference, again) = case
    finer = max(FINER.get(method, 1.0), FINER.get(integrator, 1.0), whole, FINEST.get((method, integrator), 1.0))
    steps = step / finer / 2.0 ** np.arange(HALVINGS)
    settings: dict[str, Any] = {"method": VARIANTS.get(method, method), "integrator": integrator, "drift": drift}
    settings = mechanisms.used(method, settings | {"drift_tolerance": 1e-12})
    runs = [mbsim.simulate(made, end=end, step=h, output_step=end, **settings) for h in steps]
    assert not any(r.attributes["counts"]["rejected"] for r in runs)  # none so coarse that it is taken in parts
    order = order_of(method, integrator, made)
    checked = set()
    for name in (*sorted(SHOWN & set(reference)), "energy_work"):
        errors = np.array([np.abs(r[name][-1] - reference[name][-1]).max() for r in runs])
        size = max(np.abs(reference["energy_kinetic" if name == "energy_work" else name]).max(), 1.0)  # work is a sum of energies
        doubt = np.abs(again[name][-1] - reference[name][-1]).max()
        count = int(np.argmin([*(errors > max(ROUND_OFF * size, doubt)), False]))
        if count < LEAST:
            continue
        checked.add(name)
        steepest, flattest = (f([fitted_order(steps[i:count], errors[i:count]) for i in (0, count - LEAST)]) for f in (max, min))
        said = f"{name}: order {flattest:.2f} to {steepest:.2f}, errors {errors}"
        assert order - 0.3 < steepest, said
        assert flattest < order + (1.3 if drift == "none" else 1.7), said
    assert checked >= SHOWN & set(reference), f"too near round-off to show an order: {SHOWN - checked}"
