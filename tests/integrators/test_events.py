"""The stop expression with every integrator: the crossing is located to 1e-9 s, the last row lies on it."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import INTEGRATORS, PROJECTED, close

import mbsim
from mbsim.integrators._corners import turn
from mbsim.model.file.errors import ModelError

OSCILLATOR = """
name: oscillator
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: x^2/2}
initial: {x: 1}
simulation: {end: 6, output_step: 0.25}
"""


def tight(integrator: str, step: float) -> dict[str, Any]:
    return {"rtol": 1e-12, "atol": 1e-12} if integrator in mechanisms.ADAPTIVE else {"step": step}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("method", PROJECTED)
def test_crossing_is_located(method: str, integrator: str) -> None:
    """x = cos t leaves 1 and crosses 0.2 at acos 0.2; rows before it are those of the output times."""
    result = mbsim.simulate(mechanisms.model(OSCILLATOR), method=method, integrator=integrator, stop="x - 0.2", **tight(integrator, 1e-3))
    assert result.time[-1] == pytest.approx(np.arccos(0.2), abs=1e-9)
    close(result.time[:-1], np.arange(6) * 0.25, atol=1e-12)
    close(result.select("x"), np.cos(result.time), atol=1e-9)
    assert "stopped" in result.attributes


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("method", PROJECTED)
def test_crossing_lies_on_the_expression(method: str, integrator: str) -> None:
    """With the integrator's default accuracy: the expression is zero in the last row, and the constraints hold there."""
    settings: dict[str, Any] = {"method": method, "integrator": integrator, "end": 3.0, "step": 0.01, "output_step": 0.1}
    result = mbsim.simulate(mechanisms.shipped("pendulum"), stop="rod.angle + 1", **settings)
    truth = mbsim.simulate(
        mechanisms.shipped("pendulum"), method="lagrange", integrator="dop853", rtol=1e-12, atol=1e-12, end=3.0, stop="rod.angle + 1"
    )
    assert abs(result.select("rod.angle")[-1] + 1) < 1e-8
    assert result.time[-1] == pytest.approx(truth.time[-1], abs=1e-4)
    assert result["residual_position"].max() <= 1e-10
    assert (np.diff(result.time) > 0).all()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_crossing_in_a_step_that_renews_the_basis(integrator: str) -> None:
    """The driver marches again from the state before the step, expressed in the basis from before it."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    settings: dict[str, Any] = {"method": "svd", "integrator": integrator, "end": 1.0, "output_step": 1.0}
    settings |= {"rtol": 1e-8, "atol": 1e-8} if integrator in mechanisms.ADAPTIVE else {"step": 1e-3}
    truth = mbsim.simulate(made, method="lagrange", integrator="dop853", rtol=1e-11, atol=1e-11, end=1.0, step=1e-3)
    angle = truth.select("crank.angle")
    levels = np.linspace(angle[40], angle[-40], 12)
    for level in levels if integrator in ("rk4", "rk45", "dop853") else levels[1::4]:  # the others march in Python, and longer
        result = mbsim.simulate(made, stop=f"crank.angle - ({level:.6f})", **settings)
        close(result.select("crank.angle")[-1], round(level, 6), atol=1e-7)
        at = np.searchsorted(truth.time, result.time[-1])
        between = np.sort(truth.select("der(crank.angle)")[at - 1 : at + 1])
        assert between[0] - 0.02 < result.select("der(crank.angle)")[-1] < between[1] + 0.02


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_no_crossing_and_leaving_zero(integrator: str) -> None:
    """A run that starts on zero goes on; without a crossing it ends at its end."""
    close(mbsim.simulate(mechanisms.model(OSCILLATOR), integrator=integrator, stop="x - 2").time[-1], 6.0, atol=0.0)
    result = mbsim.simulate(
        mechanisms.model(OSCILLATOR),
        integrator=integrator,
        stop="der(x)",
        **tight(integrator, 1e-3) if integrator in ("rk4", "dop853") else {},
    )
    assert result.time[-1] == pytest.approx(np.pi, abs=1e-3)


def test_unknown_names_are_refused() -> None:
    with pytest.raises((ValueError, ModelError), match="speed"):
        mbsim.simulate(mechanisms.model(OSCILLATOR), stop="speed - 1")


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("stop", "first"), [("x + 0.999", np.pi - np.arccos(0.999)), ("1e-3 - x^2", np.arccos(np.sqrt(1e-3)))])
def test_two_crossings_in_one_step(integrator: str, stop: str, first: float) -> None:
    """The step of 0.3 s goes over both crossings; the first ends the run, with the accuracy of the step."""
    settings: dict[str, Any] = {} if integrator in mechanisms.ADAPTIVE else {"step": 0.3}
    result = mbsim.simulate(mechanisms.model(OSCILLATOR), integrator=integrator, stop=stop, **settings)
    x = result.select("x")[-1]
    assert abs(x + 0.999 if stop == "x + 0.999" else x**2 - 1e-3) < 1e-9
    assert result.time[-1] == pytest.approx(first, abs=0.01)
    assert "stopped" in result.attributes


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_turn_before_zero_is_no_crossing(integrator: str) -> None:
    """x turns at -1, close to -1.001: the driver looks, finds none, and the march goes on as if nothing had been asked."""
    settings: dict[str, Any] = {} if integrator in mechanisms.ADAPTIVE else {"step": 0.05}
    made = mbsim.assemble(mechanisms.model(OSCILLATOR))
    result = mbsim.simulate(made, integrator=integrator, stop="x + 1.001", **settings)
    assert result.time[-1] == 6.0
    assert "stopped" not in result.attributes
    close(result.select("x"), np.cos(result.time), atol=1e-4)


def test_an_expression_that_falls_in_a_straight_line_has_no_turn() -> None:
    """Where the search is in Python, NumPy printed a warning of a division by zero, with the place in mbsim."""
    with np.errstate(all="raise"):
        assert turn(np.float64(2.0), np.float64(1.0), np.float64(-1.0), np.float64(-1.0)) == -1.0
        assert turn(np.float64(1.0), np.float64(1.0), np.float64(-4.0), np.float64(4.0)) == pytest.approx(0.5)
