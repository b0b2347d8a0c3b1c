"""Every method with every integrator on every shipped example: short runs agree with a tight one within the error they show themselves.

The published benchmarks among the models, which have a `reference` block, are held against their values in tests/benchmark instead: they
are many, and 24 steps of them say nothing that the examples do not. Two of them are examples.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from mechanisms import INTEGRATORS, METHODS, MODELS

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly

EXAMPLES = ("pendulum_dae", "quick_return_delft")
NAMES = sorted(p.stem for p in MODELS.glob("*.yaml") if p.stem in EXAMPLES or "\nreference:" not in p.read_text(encoding="utf-8"))
STEPS = 24  # of the coarse run; long enough for a multistep method to leave its start behind
FLOOR = 1e-9  # of the largest coordinate: drift tolerance, round-off, error of the tight run
COMBINATIONS = [
    (method, integrator)
    for method in METHODS
    for integrator in (["auto"] if registry.declaration("methods", method, "OWNS_STEP", False) else INTEGRATORS)
    if not registry.misfit(method, integrator)
]


@cache
def assembled(name: str) -> tuple[Assembly, float, float]:
    """The model, its start and a step at which a tenth of a second, or of what the model's own step suggests, is resolved."""
    made = mbsim.assemble(mbsim.load_model(MODELS / f"{name}.yaml"))
    step = min(made.simulation.step, 2e-3)
    return made, step, made.start + STEPS * step


@cache
def tight(name: str) -> Any:
    made, step, end = assembled(name)
    return mbsim.simulate(
        made, method="lagrange", integrator="dop853", rtol=1e-12, atol=1e-12, drift_tolerance=1e-12, end=end, output_step=STEPS * step
    )


def error(result: Any, other: Any) -> float:
    return float(np.abs(result["q"][-1] - other["q"][-1]).max())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("method", "integrator"), COMBINATIONS)
def test_agrees_with_the_reference(name: str, method: str, integrator: str) -> None:
    made, step, end = assembled(name)
    if integrator == "ida":
        pytest.importorskip("sksundae")
    settings: dict[str, Any] = {"method": method, "integrator": integrator, "end": end, "output_step": STEPS * step}
    if integrator in INTEGRATORS and "rtol" in registry.options("integrators", integrator):
        coarse, fine = (mbsim.simulate(made, rtol=tolerance, atol=tolerance, **settings) for tolerance in (1e-6, 1e-8))
    else:
        coarse, fine = (mbsim.simulate(made, step=h, **settings) for h in (step, step / 2))
    reference = tight(name)
    scale = max(1.0, float(np.abs(reference["q"]).max()))
    shown = error(coarse, fine)  # an upper bound of the fine run's error for every order of 1 or more, where errors shrink
    assert error(fine, reference) <= 2.0 * shown + FLOOR * scale, (shown, error(coarse, reference))
    assert error(fine, reference) < 1e-3 * scale
