"""Runs at tolerances near round-off through flat positions: square windows in a row, whose cranks all turn alike (IFToMM A02)."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_singular_positions import windows

import mbsim
from mbsim.results import Result

END = 2.0  # s: through two flat positions
TIMES, ROUND_OFF = 30.0, 2e-11  # the error of an angle, of the tolerance; or in rad, for each window: far ones are known less well
STEPS = 40  # times as many digits as are asked for: more than a run needs, and far fewer than one that creeps up to a position
METHODS = ("svd", "riemann", "cfa", "lagrange", "nullspace", "broyden")


def turned(count: int, times: np.ndarray) -> np.ndarray:
    """The angle of the cranks of `count` windows: their energy is that of one pendulum."""
    inertia, weight = (count + 1) / 3 + count, 9.81 * (1.5 * count + 0.5)
    found = solve_ivp(
        lambda t, y: [y[1], -weight / inertia * np.cos(y[0])], (0, END), [np.pi / 2, -1.0], "DOP853", times, rtol=3e-14, atol=1e-15
    )
    return np.asarray(found.y[0])


def run(count: int, method: str, integrator: str, tolerance: float, **given: float) -> Result:
    """The windows with error control."""
    block = windows(count, 1e-3, END)
    del block["simulation"]["step"]
    return mbsim.simulate(block, method=method, integrator=integrator, rtol=tolerance, atol=tolerance, **given)


def off(result: Result, count: int) -> float:
    """The largest error of a crank's angle."""
    angles = result["q"][:, [3 * i + 2 for i in range(count + 1)]]
    return float(np.abs(angles + np.pi / 2 - turned(count, np.asarray(result["time"]))[:, None]).max())


@pytest.mark.parametrize("tolerance", [1e-9, 1e-11, 1e-12, 1e-13])
@pytest.mark.parametrize("count", [5, pytest.param(20, marks=pytest.mark.slow), pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", METHODS)
def test_a_tight_tolerance_is_met_beyond_flat_positions(method: str, count: int, tolerance: float) -> None:
    """Beside such a position errors of round-off grow without bound: steps that end there stop the run, or spoil it."""
    result = run(count, method, "dop853", tolerance, output_step=0.05)
    assert off(result, count) <= max(TIMES * tolerance, count * ROUND_OFF)
    assert any("less than round-off permits" in text for text in result.attributes["warnings"]) == (tolerance < 1e-12)
    assert result.attributes["counts"]["steps"] <= STEPS * -np.log10(tolerance)


@pytest.mark.parametrize("tolerance", [1e-9, 1e-11])
@pytest.mark.parametrize("method", ["svd", "cfa"])
def test_other_formulas_step_over_them_too(method: str, tolerance: float) -> None:
    assert off(run(2, method, "rk45", tolerance, output_step=0.05), 2) <= TIMES * tolerance


@pytest.mark.parametrize("method", ["svd", "cfa"])
def test_rows_beside_a_flat_position_stay_on_the_branch_of_the_run(method: str) -> None:
    """A march from a row there, for rows between, may go on in the other branch."""
    result = run(5, method, "dop853", 1e-9)
    assert off(result, 5) <= 1e-7
    assert np.abs(result["energy_balance"]).max() <= 1e-5
