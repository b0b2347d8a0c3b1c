"""A run that goes on step by step from outside: the numbers of `simulate`, inputs, copies, events, what is refused."""

import pickle
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import MODELS, close

import mbsim
from mbsim.model.file.errors import ModelError

CART = """
name: cart and pole
dimension: 2
gravity: [0, -9.81]
parameters: {push: 0, length: 0.3}
bodies:
  cart: {mass: 1, inertia: 1}
  pole: {mass: 0.1, inertia: 0.003, position: [0.05, length]}
joints:
  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}
  pin: {type: revolute, bodies: [cart, pole], at: [0, 0]}
forces:
  push: {type: force, body: cart, value: [push, 0]}
measures: {tip: pole.x, given: push}
simulation: {end: 1}
"""
BALL = """
name: ball
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {mass: 1, inertia: 0.01, position: [0, 1]}}
events: {floor: {when: ball.y, direction: down, do: {set: {der(ball.y): -0.8*der(ball.y)}}}}
simulation: {end: 1}
"""
EQUAL_STEPS: list[dict[str, Any]] = [
    {"method": "lagrange", "integrator": "rk4"},
    {"method": "svd", "integrator": "rk4"},
    {"method": "cfa", "integrator": "predictor_corrector"},
    {"method": "generalized_alpha"},
    {"method": "rattle"},
]


@pytest.mark.parametrize("settings", EQUAL_STEPS, ids=lambda settings: "-".join(settings.values()))
def test_equal_steps_give_the_numbers_of_a_run(settings: dict[str, Any]) -> None:
    result = mbsim.simulate(mechanisms.model(CART), step=0.005, output_step=0.02, **settings)
    sim = mbsim.Stepper(mechanisms.model(CART), ["push"], step=0.005, **settings)
    for k in range(1, 51):
        state = sim.step(0.02).state
        assert state.time == result.time[k]
        np.testing.assert_array_equal(state.q, result["q"][k])
        np.testing.assert_array_equal(state.v, result["v"][k])


@pytest.mark.parametrize("name", ["quick_return_delft", "bricard"])  # steps that are cut; singular positions
def test_equal_steps_that_are_cut_give_the_numbers_of_a_run(name: str) -> None:
    settings: dict[str, Any] = {"integrator": "rk4", "step": 0.01}
    result = mbsim.simulate(MODELS / f"{name}.yaml", end=2.0, output_step=0.1, **settings)
    sim = mbsim.Stepper(MODELS / f"{name}.yaml", **settings)
    for k in range(1, 21):
        state = sim.step(0.1).state
        np.testing.assert_array_equal(np.concatenate([state.q, state.v]), np.concatenate([result["q"][k], result["v"][k]]))


@pytest.mark.parametrize("integrator", ["dop853", "rk45", "bdf", "radau"])
def test_error_control_agrees_to_the_tolerances(integrator: str) -> None:
    result = mbsim.simulate(mechanisms.model(CART), integrator="dop853", rtol=1e-10, atol=1e-12, output_step=0.1)
    sim = mbsim.Stepper(mechanisms.model(CART), integrator=integrator, rtol=1e-7, atol=1e-9)
    for _ in range(10):
        sim.step(0.1)
    close(sim.state.q, result["q"][-1], atol=1e-4)


def test_inputs_hold_until_they_change() -> None:
    """A mass of 2 kg under 3 N for a second, then under none."""
    text = """
name: mass
dimension: 2
parameters: {F: 0}
bodies: {b: {mass: 2, inertia: 1}}
forces: {push: {type: force, body: b, value: [F, 0]}}
measures: {given: F}
simulation: {end: 1}
"""
    for settings in ({}, {"integrator": "rk4", "step": 0.01}, {"integrator": "predictor_corrector", "step": 0.01}):
        sim = mbsim.Stepper(mechanisms.model(text), ["F"], **settings)
        for _ in range(10):
            sim.step(0.1, F=3.0)
        assert sim.outputs() == {"given": 3.0}
        sim.step(1.0, {"F": 0.0})
        sim.step(1.0)
        assert sim["der(b.x)"] == pytest.approx(1.5, abs=1e-9)
        assert sim["b.x"] == pytest.approx(0.5 * 1.5 + 2.0 * 1.5, abs=1e-9)
        sim.reset()
        assert (sim.time, sim["b.x"], sim.outputs()) == (0.0, 0.0, {"given": 0.0})


@pytest.mark.parametrize("settings", [{}, {"integrator": "rk4", "step": 0.01}, {"method": "generalized_alpha", "step": 0.01}])
def test_copies_and_pickles_go_on_alike_and_apart(settings: dict[str, Any]) -> None:
    sim = mbsim.Stepper(mechanisms.model(CART), ["push"], **settings)
    for k in range(7):
        sim.step(0.05, push=float(k))
    others = [sim.copy(), pickle.loads(pickle.dumps(sim))]
    for other in others:
        for k in range(5):
            other.step(0.05, push=-float(k))
    for k in range(5):
        sim.step(0.05, push=-float(k))
    for other in others:
        np.testing.assert_array_equal(other.state.q, sim.state.q)
        assert other.time == sim.time
    before = sim.state.q
    others[0].step(0.05, push=9.0)
    np.testing.assert_array_equal(sim.state.q, before)
    assert sim.outputs()["given"] == -4.0


def test_events_happen_between_steps() -> None:
    sim = mbsim.Stepper(mechanisms.model(BALL))
    for _ in range(20):
        sim.step(0.1)
    assert sim["ball.y"] == pytest.approx(0.260741728327106, abs=1e-9)
    close(next(event["time"] for event in sim.events), 0.451523640985731, atol=1e-12)
    other = sim.copy()
    sim.reset()
    assert sim.events == [] and len(other.events) == 3


def test_a_stop_expression_ends_it() -> None:
    sim = mbsim.Stepper(mechanisms.model(BALL.replace("end: 1", "end: 1, stop: ball.y - 0.5")))
    sim.step(10.0)
    assert sim.time == pytest.approx(np.sqrt(1.0 / 9.81), abs=1e-9) and "crossed zero" in sim.stopped
    with pytest.raises(ValueError, match="the run has ended"):
        sim.step(0.1)
    assert sim.reset().stopped == ""


def test_another_start() -> None:
    sim = mbsim.Stepper(mechanisms.model(BALL), q={"ball.y": 2.0})
    assert sim["ball.y"] == 2.0
    assert sim.reset(v={"der(ball.x)": 1.0})["der(ball.x)"] == 1.0
    assert sim["ball.y"] == 1.0


def test_a_run_that_cannot_go_on_says_why() -> None:
    text = """
name: root
coordinates: [x]
energy: {kinetic: der(x)^2/2}
forces: {root: {type: generalized, coordinate: x, value: sqrt(0.5 - t)}}
simulation: {end: 9}
"""
    sim = mbsim.Stepper(mechanisms.model(text))
    with pytest.raises(mbsim.SimulationError, match=r"stopped at t = "):
        sim.step(9.0)
    assert 0.4 < sim.time <= 0.5


def test_wrong_calls_are_refused() -> None:
    model = mechanisms.model(CART)
    with pytest.raises(ValueError, match=r"inputs: unknown parameter 'pus'; did you mean 'push'\?"):
        mbsim.Stepper(model, ["pus"])
    with pytest.raises(ModelError, match="'length' cannot be an input"):
        mbsim.Stepper(model, ["length"])
    sim = mbsim.Stepper(model, ["push"])
    for dt in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="dt must be greater than 0"):
            sim.step(dt)
    with pytest.raises(ValueError, match="unknown input 'pull'"):
        sim.step(0.1, pull=1.0)
    with pytest.raises(ValueError, match="the input 'push' is not finite"):
        sim.step(0.1, push=float("nan"))
    sim.step(0.1)
    assert sim.time == 0.1  # what was refused moved nothing
    with pytest.raises(KeyError, match=r"did you mean 'pole.x'"):
        sim["pole.xx"]


def test_two_steppers_of_one_model_do_not_disturb_each_other() -> None:
    model = mechanisms.model(CART)
    first, second = mbsim.Stepper(model, ["push"]), mbsim.Stepper(model, ["push"])
    first.step(0.1, push=1.0)
    second.step(0.1)
    assert first["cart.x"] > 1e-3 > abs(second["cart.x"])
