"""Error control by `generalized_alpha`, which makes its own steps, and what is said where explicit steps crawl."""

import logging
from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.march import crawling
from mbsim.march.settings import resolve

STIFF = """
dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, a], at: [0, 0]}}
forces: {p: {type: joint_torque, joint: O, value: "-1e4*der(O.angle) - 1e4*O.angle"}}
simulation: {end: 1}
"""


def errors(name: str, end: float, **given: Any) -> tuple[list[int], list[float]]:
    """Steps and largest errors of the coordinates at three tolerances, each a hundredth of the one before."""
    made = mbsim.assemble(mechanisms.shipped(name))
    settings: dict[str, Any] = {"end": end, "output_step": end / 4}
    truth = mbsim.simulate(made, method="lagrange", integrator="dop853", rtol=1e-11, atol=1e-12, **settings)["q"]
    runs = [mbsim.simulate(made, method="generalized_alpha", rtol=x, atol=0.01 * x, **given, **settings) for x in (1e-3, 1e-5, 1e-7)]
    return [run.attributes["counts"]["steps"] for run in runs], [float(np.abs(run["q"] - truth).max()) for run in runs]


@pytest.mark.parametrize(("name", "end", "given"), [("double_pendulum", 1.0, {}), ("four_bar", 0.5, {}), ("four_bar", 0.5, {"index": "3"})])
def test_the_error_follows_the_tolerance_and_steps_are_those_of_order_2(name: str, end: float, given: dict[str, Any]) -> None:
    steps, found = errors(name, end, **given)
    order = np.log(found[0] / found[2]) / np.log(steps[2] / steps[0])
    assert 1.6 < order < 2.6, (steps, found)
    shares = np.array(found) / [1e-3, 1e-5, 1e-7]  # errors of steps add up to the same part of the tolerance, however many there are
    assert shares.max() < 30.0 and shares.max() < 4.0 * shares.min(), shares
    growth = np.log(steps[2] / steps[0]) / np.log(1e4)  # of steps as tolerance^(-1/2)
    assert 0.4 < growth < 0.6, steps


def test_stiff_forces_do_not_bound_the_steps() -> None:
    found = mbsim.simulate(mechanisms.model(STIFF), method="generalized_alpha", rtol=1e-5, output_step=0.1)
    assert found.attributes["counts"]["steps"] < 200
    truth = mbsim.simulate(mechanisms.model(STIFF), method="lagrange", integrator="radau", rtol=1e-9, atol=1e-12, output_step=0.1)
    assert np.abs(found["q"] - truth["q"]).max() < 1e-5


def test_one_tolerance_brings_the_other_and_none_leaves_equal_steps() -> None:
    made = mechanisms.system(STIFF)
    settings = resolve(None, made, {"end": 1.0, "method": "generalized_alpha(rtol=1e-3)"})
    assert settings.controls_error and settings.options["rtol"] == 1e-3 and settings.options["atol"] == 1e-6
    assert resolve(None, made, {"end": 1.0, "method": "generalized_alpha", "atol": 1e-5}).options["rtol"] == 1e-4
    plain = resolve(None, made, {"end": 1.0, "method": "generalized_alpha"})
    assert not plain.controls_error and plain.options.keys() == {"spectral_radius", "index"}
    # the tolerances of a model's integrator are not those of a method that takes its place
    other = mechanisms.shipped("bricard").simulation
    assert not resolve(other, made, {"method": "generalized_alpha"}).controls_error
    own = mechanisms.model(STIFF.replace("{end: 1}", "{end: 1, method: generalized_alpha, rtol: 1e-3}")).simulation
    assert resolve(own, made, {"end": 2.0, "method": "generalized_alpha(index=3)"}).controls_error


def test_explicit_steps_that_crawl_are_told_what_would_do(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(crawling, "CRAWLING", 500)  # fewer than a first piece has
    monkeypatch.setattr(crawling, "LITTLE", 1.0)
    with caplog.at_level(logging.WARNING, "mbsim"):
        mbsim.simulate(mechanisms.model(STIFF), method="lagrange", integrator="dop853", end=0.5)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1 and "the forces are stiff: they act at a rate of 2.9e+04 per second" in said[0], said
    assert "`method: generalized_alpha` are implicit" in said[0]


SERVO = """
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 0.5, inertia: 0.005, position: [0.1, 0]}}
joints: {shoulder: {type: revolute, bodies: [ground, arm], at: [0, 0]}}
controllers: {servo: {type: pd, joint: shoulder, target: 0.7, kp: 2000, kd: 200}}
simulation: {end: 1, output_step: 0.1}
"""


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_start_far_from_the_target_of_a_stiff_servo(coordinates: str) -> None:
    """Its first steps are of 1e-8 s. A change of v_dot in such a step is a tiny displacement, and is made all the same."""
    made = mbsim.assemble(mbsim.load_model(f"coordinates: {coordinates}\n{SERVO}"))
    truth = mbsim.simulate(made, method="lagrange", integrator="radau", rtol=1e-10, atol=1e-12)["q"]
    found = mbsim.simulate(made, method="generalized_alpha", rtol=1e-6, atol=1e-8)
    assert found.attributes["counts"]["steps"] < (1500 if coordinates == "absolute" else 3600)
    assert np.abs(found["q"] - truth).max() < 1e-3
