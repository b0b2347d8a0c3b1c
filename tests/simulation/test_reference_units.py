"""Units that others have made: the Reference-FMUs of the Modelica Association, built from their sources, as controllers.

`REFERENCE_FMUS` names a folder with their units, such as `VanDerPol2.fmu` of FMI 2.0 and `VanDerPol3.fmu` of FMI 3.0.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbsim

FOLDER = os.environ.get("REFERENCE_FMUS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="REFERENCE_FMUS names no folder with the Reference-FMUs")
EQUAL: dict[str, Any] = {"integrator": "rk4", "step": 0.01, "output_step": 0.01}
EXACT: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-11, "atol": 1e-11, "output_step": 0.01}


def run(unit: str, fmi: int, outputs: list[str], end: float, settings: dict[str, Any], **more: Any) -> Any:
    """A body at rest beside a unit."""
    block = {"type": "fmu", "file": str(Path(FOLDER) / f"{unit}{fmi}.fmu"), "outputs": outputs, **more}
    text = {"dimension": 2, "bodies": {"b": {"mass": 1, "inertia": 1}}, "controllers": {"u": block}}
    return mbsim.simulate(mbsim.load_model(text | {"simulation": {"end": end, **settings}}), allow_native=True)


@pytest.mark.parametrize("fmi", [2, 3])
def test_sampled_they_give_the_numbers_that_they_publish(fmi: int) -> None:
    """They take steps of their own, by Euler's rule."""
    found, at = run("VanDerPol", fmi, ["x0", "x1"], 1.0, EQUAL, sample=0.01), 99
    assert [float(found[f"u.{x}"][at]) for x in ("x0", "x1")] == [1.5174266561111156, -0.7758318599617501]
    found = run("Dahlquist", fmi, ["x"], 5.0, EQUAL, sample=0.1)
    assert float(found["u.x"][490]) == 0.005726416897022347


@pytest.mark.parametrize("fmi", [2, 3])
def test_continuous_they_are_exact(fmi: int) -> None:
    """Their states are states of the model."""
    exact = solve_ivp(lambda t, x: [x[1], (1.0 - x[0] ** 2) * x[1] - x[0]], (0.0, 1.0), [2.0, 0.0], "DOP853", rtol=1e-12, atol=1e-12)
    found = run("VanDerPol", fmi, ["x0", "x1"], 1.0, EXACT)
    np.testing.assert_allclose([found["u.x0"][-1], found["u.x1"][-1]], exact.y[:, -1], rtol=1e-8)
    assert float(run("Dahlquist", fmi, ["x"], 5.0, EXACT)["u.x"][-1]) == pytest.approx(np.exp(-5.0), rel=1e-8)


@pytest.mark.parametrize("fmi", [2, 3])
def test_their_events_are_found(fmi: int) -> None:
    """A ball falls from 1 m and rebounds with 0.7 of its speed; a stair rises at its own times, each second."""
    found, g = run("BouncingBall", fmi, ["h", "v"], 1.0, EXACT), 9.81
    down = np.sqrt(2.0 / g)
    up, t = 0.7 * g * down, 1.0 - down
    np.testing.assert_allclose([found["u.h"][-1], found["u.v"][-1]], [up * t - 0.5 * g * t * t, up - g * t], atol=1e-8)
    assert len(found.events) == 1
    assert float(run("Stair", fmi, ["counter"], 3.5, EXACT)["u.counter"][-1]) == 4.0
