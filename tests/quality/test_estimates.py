"""The estimated error of equal steps where it misled: at switches, of oscillators, after events, with few steps, in long runs."""

from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim.march import estimate, passages

GUIDE = """
dimension: 2
gravity: [0, GRAVITY]
bodies: {b: {mass: 1, inertia: 0.1, position: [0, 1]}}
joints: {r: {type: prismatic, bodies: [ground, b], at: [0, 1], axis: [0, 1]}}
forces: {f: FORCE}
initial: {b.velocity: [0, 2]}
simulation: {end: END}
"""
SPRING = "{type: spring_damper, bodies: [ground, b], at: [[0, 4], [0, 1]], stiffness: 60, free_length: 3}"
STOP = "{type: joint_limit, joint: r, lower: -0.4, stiffness: 900, damping: 12}"
MODELS = {
    "oscillator": GUIDE.replace("GRAVITY", "0").replace("FORCE", SPRING).replace("END", "30"),
    "end stop": GUIDE.replace("GRAVITY", "-9.81").replace("FORCE", STOP).replace("END", "0.8"),
}
LINKAGE = """
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 1/12, position: [0, 0.5], angle: pi/2, velocity: [0.5, 0], angular_velocity: -1, points: {B: [0.5, 0]}}
  rocker: {mass: 1, inertia: 1/12, position: [1, 0.5], angle: pi/2, velocity: [0.5, 0], angular_velocity: -1, points: {B: [0.5, 0]}}
  coupler: {mass: 1, inertia: 1/12, position: [0.5, 1], velocity: [1, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  P: {type: revolute, bodies: [ground, rocker], at: [1, 0]}
  A: {type: revolute, points: [crank.B, coupler.A]}
  B: {type: revolute, points: [coupler.B, rocker.B]}
simulation: {end: 4}
"""
STEPS = {"oscillator": 0.02, "end stop": 2e-3}


def off(model: str, result: Any) -> float:
    """The largest true error of the coordinates."""
    exact = mbsim.simulate(model, integrator="dop853", rtol=1e-12, atol=1e-12, output_step=0.04)
    rows = [int(np.abs(result.time - t).argmin()) for t in exact.time]
    np.testing.assert_allclose(result.time[rows], exact.time, atol=1e-9)
    return float(np.abs(result["q"][rows] - exact["q"]).max())


@pytest.mark.parametrize("name", MODELS)
def test_the_estimate_is_within_ten_times_the_error(name: str) -> None:
    """It was 200 times too large for the oscillator, whose error does not grow with t^2, and 500 times too small for the stop."""
    run = mbsim.simulate(MODELS[name], integrator="rk4", step=STEPS[name], output_step=STEPS[name])
    error, found = off(MODELS[name], run), run["error_estimate"]
    assert error / 10 < found.max() < 10 * error
    assert found[0] == 0.0 and (np.diff(found) >= 0.0).all()


def test_a_run_of_few_steps_has_an_estimate() -> None:
    model = MODELS["oscillator"].replace("end: 30", "end: 0.32")
    run = mbsim.simulate(model, integrator="rk4", step=0.08, output_step=0.04)
    assert off(model, run) / 10 < run["error_estimate"].max() < 10 * off(model, run)


@pytest.mark.parametrize("step", [1.5, 5.0])
def test_a_step_that_is_longer_than_the_run_has_an_estimate(step: float) -> None:
    """It is cut because of the constraints; the march beside it ended nowhere in the run, and an error of 0 was told."""
    model = "dimension: 2\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, inertia: 0.08, position: [0.5, 0]}}\n"
    model += "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0]}}\nsimulation: {end: 1}\n"
    run = mbsim.simulate(model, method="cfa", integrator="rk4", step=step)
    exact = mbsim.simulate(model, method="cfa", integrator="dop853", rtol=1e-13, atol=1e-13)
    error = float(np.abs(run["q"][-1] - exact["q"][-1]).max())
    assert error > 1e-7
    assert error / 10 < run["error_estimate"][-1] < 10 * error


def test_the_estimate_of_a_long_run_grows_on_as_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a tenth of the run the march beside ends; the error of an oscillator grows with t."""
    model = MODELS["oscillator"].replace("end: 30", "end: 10")
    given: dict[str, Any] = {"integrator": "rk4", "step": 0.005, "output_step": 0.005}
    whole = mbsim.simulate(model, **given)["error_estimate"]
    monkeypatch.setattr(estimate, "MOST_STEPS", 25)
    part = mbsim.simulate(model, **given)["error_estimate"]
    assert part[-1] > 5.0 * part[len(part) // 10] and whole[-1] / 3 < part[-1] < 3 * whole[-1]


def test_the_estimate_goes_on_behind_an_event() -> None:
    """The march beside begins anew with the state that an event has made, and the error before it stays."""
    kick = "events: {kick: {when: t - 1, do: {set: {der(b.y): 2.0}}}}\n"
    run = mbsim.simulate(MODELS["oscillator"].replace("end: 30", "end: 3") + kick, integrator="rk4", step=0.02, output_step=0.02)
    found, at = run["error_estimate"], int(np.searchsorted(run.time, 1.0))
    assert len(run.events) == 1
    assert (np.diff(found) >= 0.0).all() and 0.0 < found[at] < found[-1] < 20.0 * found[at]


@pytest.mark.parametrize("asked", [False, True])
def test_who_wants_a_run_to_end_does_not_wait_for_the_estimate(asked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = estimate.ErrorEstimate.__init__
    monkeypatch.setattr(estimate.ErrorEstimate, "__init__", lambda self, *given: begin(self, *given[:-2], lambda: asked))
    run = mbsim.simulate(MODELS["oscillator"].replace("end: 30", "end: 3"), integrator="rk4", step=0.02, output_step=0.02)
    assert (run["error_estimate"].max() == 0.0) == asked


@pytest.mark.parametrize("rows", [0.05, 1.0])
def test_the_estimate_goes_through_singular_positions(rows: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between rows 1 s apart the march beside began a row anew where it had gone through one: 5 rad where the error was 4e-8.

    Marches beside the run follow what it has found there: only the run itself looks.
    """
    looked = list[float]()
    settle = passages.settle

    def counted(ways: Any, t: float, *given: Any) -> Any:
        looked.append(t)
        return settle(ways, t, *given)

    monkeypatch.setattr(passages, "settle", counted)
    run = mbsim.simulate(LINKAGE, integrator="rk4", step=0.01, output_step=rows)
    assert len(run.attributes["rank_changes"]) == 4 == len(looked) == len(set(looked))
    exact = mbsim.simulate(LINKAGE, integrator="dop853", rtol=1e-10, atol=1e-10, output_step=rows)
    error = float(np.abs(run["q"] - exact["q"]).max())
    assert 1e-8 < error / 10 < run["error_estimate"][-1] < 10 * error
