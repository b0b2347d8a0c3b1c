"""Slow motions have the digits of fast ones: `atol` of speeds follows the rate of the motion."""

from math import pi, sqrt

import numpy as np
import pytest

import mbsim
from mbsim import contracts
from mbsim.analyses.dynamic import Run
from mbsim.assembly import assemble
from mbsim.march.settings import resolve

PLANETS = """
dimension: 2
parameters: {mu_1: 1, mass: 5.0e24, moon: 7.0e22, far: 1.6e8, speed: 1}
bodies:
  planet: {mass: mass, inertia: 0, velocity: [0, -moon / (mass + moon) * speed]}
  moon: {mass: moon, inertia: 0, position: [far, 0], velocity: [0, mass / (mass + moon) * speed]}
forces: {pull: {type: point_gravity, body: moon, centre: planet, mu: mu_1}}
simulation: {end: 1}
"""
LOOP = """
dimension: 2
parameters: {weight: 9.81}
gravity: [0, -weight]
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.2, 0.45], angle: 1}
  rod: {mass: 2, inertia: 0.5, position: [1.2, 1.2]}
  rocker: {mass: 1, inertia: 0.2, position: [2, 0.75], angle: 0}
joints:
  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  b: {type: revolute, bodies: [crank, rod], at: [0.4, 0.9]}
  c: {type: revolute, bodies: [rod, rocker], at: [2, 1.5]}
  d: {type: revolute, bodies: [rocker, ground], at: [2, 0]}
simulation: {end: 1}
"""


def _kepler(t, period, eccentricity, axis):
    """The places (k, 2) of a body on an ellipse, from its nearest point on, by Kepler's equation."""
    mean = 2.0 * pi * t / period
    angle = mean.copy()
    for _ in range(50):
        angle -= (angle - eccentricity * np.sin(angle) - mean) / (1.0 - eccentricity * np.cos(angle))
    return axis * np.stack([np.cos(angle) - eccentricity, sqrt(1.0 - eccentricity**2) * np.sin(angle)], axis=1)


@pytest.mark.parametrize("period", [1.0, 3e3, 3e6])
def test_the_orbits_of_two_bodies_have_their_digits(period):
    axis, eccentricity, heavy, light = 4e8, 0.6, 5e24, 7e22
    both = axis**3 * (2.0 * pi / period) ** 2
    speed = sqrt(both / axis * (1.0 + eccentricity) / (1.0 - eccentricity))
    model = mbsim.load_model(PLANETS)
    result = mbsim.simulate(model, parameters={"mu_1": both * heavy / (heavy + light), "speed": speed}, end=10.0 * period)
    places = np.asarray(result["body_position"])
    apart = places[:, 1, :2] - places[:, 0, :2]
    assert np.abs(apart - _kepler(np.asarray(result["time"]), period, eccentricity, axis)).max() < 2e-5 * axis  # 2.0e-4 per second


@pytest.mark.parametrize("method", ["lagrange", "svd", "riemann"])
@pytest.mark.parametrize("slow", [1.0, 1e6])
def test_a_loop_that_moves_a_million_times_slower_is_as_right(method, slow):
    """Against a run with tolerances of round-off; with speeds per second svd is off by 4.7e-3 m where it is slow."""
    model, span = mbsim.load_model(LOOP), 8.0 * slow
    case = {"parameters": {"weight": 9.81 / slow**2}, "end": span, "output_step": span / 10.0, "integrator": "dop853"}
    found = mbsim.simulate(model, method=method, rtol=1e-6, atol=1e-7, **case)
    fine = mbsim.simulate(model, method="lagrange", rtol=1e-12, atol=1e-13 / slow, **case)
    off = np.abs(np.asarray(found["body_position"]) - np.asarray(fine["body_position"])).max()
    assert 0.0 < off < 1e-3


@pytest.mark.parametrize(("speed", "rate"), [(1.0, 1.0), (1e-3, 1e-2), (0.0, 1e-5)])
def test_the_rate_is_that_of_the_start_or_of_the_run(speed, rate):
    """A wheel that turns freely: ten times its speed, or ten times one over the span of 1e6 s."""
    model = mbsim.load_model(f"""
dimension: 2
bodies: {{wheel: {{mass: 1, inertia: 1, angular_velocity: {speed}}}}}
joints: {{axle: {{type: revolute, bodies: [ground, wheel], at: [0, 0]}}}}
simulation: {{end: 1e6, output_step: 1e5}}
""")
    made = assemble(model)
    run = Run(made, resolve(made.simulation, made.whole))
    run.record()
    work = run.formulation.work
    assert work.rate[0] == pytest.approx(rate, rel=1e-12)
    assert work.state_scales[2] == pytest.approx(rate, rel=1e-12)


def test_steps_of_a_given_size_have_no_rate():
    made = assemble(mbsim.load_model(LOOP))
    run = Run(made, resolve(made.simulation, made.whole, {"end": 0.01, "step": 1e-3}))
    run.record()
    assert run.formulation.work.rate[0] == 0.0
    assert run.formulation.work.status[contracts.STATUS_CODE] == contracts.OK


def test_a_study_has_the_numbers_of_its_runs():
    period = 3e6
    both = 4e8**3 * (2.0 * pi / period) ** 2
    speed, settings = 2.0 * sqrt(both / 4e8), {"end": period, "output_step": period / 10.0}
    runner = mbsim.Runner(PLANETS, ["speed"], {"x": "final(moon.x)", "y": "final(moon.y)"}, parameters={"mu_1": both}, **settings)
    assert runner.in_place
    for value in (speed, 0.9 * speed):
        found = runner.run([value]).values.tolist()
        alone = mbsim.simulate(mbsim.load_model(PLANETS), parameters={"mu_1": both, "speed": value}, **settings)
        assert found == [float(np.asarray(alone["moon.x"])[-1]), float(np.asarray(alone["moon.y"])[-1])]
