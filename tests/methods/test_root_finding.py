"""broyden: evaluations a step, orders with every integrator, coarse steps."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import fitted_order
from step_sources import HANGING, POINT_MASS, TWO_RODS

import mbsim


@pytest.mark.parametrize(
    ("source", "step"),
    [(POINT_MASS, 0.01), (TWO_RODS, 2e-3), ("four_bar", 1e-3), ("spatial_slider_crank", 1e-3), ("rolling_disk", 5e-3)],
)
def test_no_more_than_six_steps_of_rk4_for_one(source: str, step: float) -> None:
    """Evaluations a step, those of the one output row included; bfs needs more on spatial mechanisms."""
    model = mechanisms.model(source) if "\n" in source else mechanisms.shipped(source)
    counts = mbsim.simulate(model, method="broyden(multiplier=constant)", step=step, end=1.0, output_step=1.0).attributes["counts"]
    assert counts["evaluations"] / counts["steps"] <= 24.0
    assert counts["iterations"] / counts["steps"] <= 8.0


# broyden: multipliers of the stages

FORMULAS = {"rk4": 4, "predictor_corrector": 4, "rk45": 5, "dop853": 8}
COARSE = {"rk4": 0.01, "predictor_corrector": 0.005, "rk45": 0.025, "dop853": 0.1}


@pytest.mark.parametrize("source", ["pendulum", "rolling_disk", "hanging", "redundant"])
@pytest.mark.parametrize("integrator", FORMULAS)
def test_the_order_is_that_of_the_integrator(integrator: str, source: str) -> None:
    """Of positions, velocities as computed (never projected) and multipliers; holonomic, nonholonomic, rheonomic and redundant rows.

    With a multiplier that is constant over the step, the velocity is of order 2 whatever the integrator is.
    """
    texts: dict[str, Any] = {"pendulum": POINT_MASS, "hanging": HANGING, "redundant": mechanisms.parallel_pendulum(2, 2)}
    made = mbsim.assemble(mechanisms.model(texts[source]) if source in texts else mechanisms.shipped(source))
    end = 0.7 if source == "redundant" else 1.0  # where errors do not cancel
    sharp: dict[str, Any] = {"end": end, "output_step": end, "drift_tolerance": 1e-13}
    exact = mbsim.simulate(made, method="lagrange", integrator="dop853", rtol=1e-13, atol=1e-14, **sharp)
    steps = COARSE[integrator] / np.array([1.0, 1.25, 1.6, 2.0] if integrator == "dop853" else [1.0, 2.0, 4.0])

    def found(variant: str) -> dict[str, float]:
        errors: dict[str, list[float]] = {"q": [], "v": [], "multiplier": []}
        for h in steps:
            equal = {"rtol": 1e3, "atol": 1e3, "first_step": h, "max_step": h} if integrator in ("rk45", "dop853") else {"step": h}
            method = f"broyden(project_velocity=false, drift=none, {variant})"
            result = mbsim.simulate(made, method=method, integrator=integrator, **sharp, **equal)
            for name, values in errors.items():
                if name in result:
                    values.append(float(np.abs(result[name][-1] - exact[name][-1]).max()))
        return {name: fitted_order(steps, np.array(values)) for name, values in errors.items() if values}

    for search in ("frozen", "full"):
        for name, order in found(f"search={search}").items():
            least = 7.0 if integrator == "dop853" else FORMULAS[integrator] - 0.6
            assert order > least, (search, name, order)
    if source == "pendulum":
        assert found("multiplier=constant")["v"] < 2.1


@pytest.mark.parametrize("name", ["quick_return", "four_bar"])
@pytest.mark.parametrize("step", [0.02, 0.01])
def test_coarse_steps_that_a_constant_multiplier_does_not_survive(name: str, step: float) -> None:
    """They are taken in parts where the constraints turn too fast. No worse and not dearer than lagrange, which does the same."""
    made, end = mbsim.assemble(mechanisms.shipped(name)), 5.0
    sharp = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12, "drift_tolerance": 1e-12}
    exact = mbsim.simulate(made, method="lagrange", end=end, output_step=end, **sharp)["q"][-1]
    runs = [mbsim.simulate(made, method=x, step=step, end=end, output_step=end, integrator="rk4") for x in ("broyden", "lagrange")]
    assert runs[0].attributes["status"] == "complete"
    error = [float(np.abs(run["q"][-1] - exact).max()) for run in runs]
    evaluations = [run.attributes["counts"]["evaluations"] for run in runs]
    assert error[0] < 2e-6 if name == "quick_return" else error[0] < 1e-3
    assert evaluations[0] < 1.3 * evaluations[1]


def test_an_implicit_integrator_has_no_formula_for_a_search() -> None:
    with pytest.raises(ValueError, match=r"takes an explicit integrator: dop853, predictor_corrector, rk4, rk45 \(got 'bdf'\)"):
        mbsim.simulate(mechanisms.shipped("pendulum"), method="broyden", integrator="bdf", end=0.1)


@pytest.mark.parametrize("integrator", ["dop853", "rk45"])
def test_the_error_follows_the_tolerance(integrator: str) -> None:
    """What is searched is of the size of this step. Begun with what another one had needed, it was 2.5 mm off at a tolerance of 1e-9."""
    made = mbsim.assemble(mechanisms.shipped("quick_return_delft"))
    rows: dict[str, Any] = {"end": 2.0, "output_step": 0.5}
    exact = mbsim.simulate(made, method="svd", integrator="dop853", rtol=1e-12, atol=1e-13, **rows)
    for rtol in (1e-5, 1e-7, 1e-9):
        for search in ("frozen", "full"):
            found = mbsim.simulate(made, method=f"broyden(search={search})", integrator=integrator, rtol=rtol, atol=rtol / 100, **rows)
            for name in ("q", "v"):
                size = np.abs(exact[name]).max(axis=0) + 1.0
                assert (np.abs(found[name] - exact[name]) < 30 * rtol * size).all(), (rtol, search, name)


@pytest.mark.parametrize("integrator", [{"integrator": "dop853"}, {"integrator": "rk45", "rtol": 1e-9}])
def test_error_control_is_refused_with_a_constant_multiplier(integrator: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"broyden\(multiplier=constant\) takes steps of equal size, .* and predictor_corrector or rk4$"):
        mbsim.simulate(mechanisms.shipped("quick_return_delft"), method="broyden(multiplier=constant)", end=0.1, **integrator)


def test_short_steps_are_searched_for_more_closely() -> None:
    """What a search leaves of a constraint is a rate over a short step: the error estimate saw it, and steps became ever shorter."""
    control: dict[str, Any] = {"integrator": "rk45", "rtol": 1e-9, "atol": 1e-10, "end": 0.03}
    counts = [
        mbsim.simulate(mechanisms.shipped("andrews_squeezer"), method=method, **control).attributes["counts"]
        for method in ("broyden", "lagrange")
    ]
    assert counts[0]["steps"] < 1.1 * counts[1]["steps"]


@pytest.mark.parametrize("multiplier", ["constant", "stage, search=full"])
def test_the_start_of_a_search(multiplier: str) -> None:
    """From the first trial, by differences, and eq. 20 as printed, whose matrix is far from the inverse: one root, found in more trials."""
    made = mbsim.assemble(mechanisms.model(TWO_RODS))
    found, trials = [], []
    for start in ("trials", "formula", "paper"):
        method = f"broyden(multiplier={multiplier}, root_finder=bfs, start={start})"
        result = mbsim.simulate(made, method=method, step=2e-3, end=0.4, output_step=0.4)
        assert result.attributes["status"] == "complete"
        found.append(result["q"][-1])
        trials.append(result.attributes["counts"]["iterations"])
    assert np.ptp(found, axis=0).max() < 1e-9
    assert trials[0] <= trials[1] < trials[2]
