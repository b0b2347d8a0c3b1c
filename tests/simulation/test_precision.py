"""What double precision resolves: mechanisms far away and small ones, motions that leave its range, steps below the resolution of time."""

from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim import contracts
from mbsim.analyses.dynamic import Run
from mbsim.march.settings import resolve
from mbsim.model.file.errors import ModelError

FOUR_BAR = """
name: four-bar of any size anywhere
dimension: 2
coordinates: {coordinates}
gravity: [0, -9.81*s]
parameters: {{X: {far}, s: {size}, a: 1.0*s, b: 4.0*s, c: 2.5*s, d: 3.0*s, e: sqrt(a^2 + d^2),
  beta: "acos((e^2 + b^2 - c^2)/(2*e*b)) - atan2(a, d)", xb: b*cos(beta), yb: a + b*sin(beta)}}
bodies:
  crank: {{mass: 1, inertia: s^2/12, position: [X, a/2], angle: deg(90)}}
  coupler: {{mass: 4, inertia: 5*s^2, position: [X + xb/2, (a + yb)/2], angle: beta}}
  rocker: {{mass: 2.5, inertia: 2*s^2, position: [X + (d + xb)/2, yb/2], angle: "atan2(yb, xb - d)"}}
joints:
  O: {{type: revolute, bodies: [ground, crank], at: [X, 0]}}
  A: {{type: revolute, bodies: [crank, coupler], at: [X, a]}}
  B: {{type: revolute, bodies: [coupler, rocker], at: [X + xb, yb]}}
  C: {{type: revolute, bodies: [ground, rocker], at: [X + d, 0]}}
simulation: {{end: 1, step: 2e-3}}
"""
PROBE = """
name: a body on its way
dimension: {dimension}
bodies: {{probe: {{mass: 1, inertia: {inertia}, velocity: {velocity}}}}}
simulation: {{end: 10, step: 0.1}}
"""
METHODS = [(method, "absolute") for method in ("svd", "lagrange", "cfa", "rattle", "generalized_alpha")] + [("svd", "joint")]


def four_bar(far: float, size: float, coordinates: str = "absolute") -> Any:
    return mbsim.assemble(mechanisms.model(FOUR_BAR.format(far=far, size=size, coordinates=coordinates)))


@pytest.mark.parametrize(("method", "coordinates"), METHODS)
def test_a_mechanism_far_from_the_origin(method: str, coordinates: str) -> None:
    """A million metres away positions are known to 1e-10 m: the constraints are held to some of these, and the motion is that at home."""
    home = mbsim.simulate(four_bar(0.0, 1.0, coordinates), method=method)
    away = mbsim.simulate(four_bar(1e6, 1.0, coordinates), method=method)
    assert away["residual_position"].max() < 1e-8
    difference = away["body_position"] - home["body_position"] - [1e6, 0.0, 0.0]
    assert np.abs(difference).max() < 1e-4


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_mechanisms_of_all_sizes_hold_as_many_digits(coordinates: str) -> None:
    """A thousandth of the size, a thousandth of the residuals: they are measured in links."""
    links = []
    for size in (1e-3, 1.0, 1e3):
        made = four_bar(0.0, size, coordinates)
        run = Run(made, resolve(made.simulation, made.system, {"end": 1.0, "method": "svd"}))
        result = run.record()
        links.append(run.formulation.work.length[0] / size)
        assert run.formulation.work.settings[contracts.SETTING_TOLERANCE] == 1e-10
        assert result["residual_position"].max() <= 1.0000001e-10 * run.formulation.work.length[0]
    assert 0.5 < links[1] < 2.0
    assert links == pytest.approx([links[1]] * 3, rel=1e-9)


def test_a_mechanism_that_flies_away_goes_on() -> None:
    """Within one chunk of rows from the origin to where the tolerance cannot be met: it is loosened on the way, and the run ends."""
    source = """
name: two bodies in flight, one hinge
dimension: 2
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0], velocity: [1e6, 0], angular_velocity: 3}
  b: {mass: 1, inertia: 0.1, position: [1, 0], velocity: [1e6, 0]}
joints: {O: {type: revolute, bodies: [a, b], at: [0.5, 0]}}
simulation: {end: 10, step: 1e-2, drift_tolerance: 1e-13}
"""
    for method in ("lagrange", "rattle", "cfa"):
        result = mbsim.simulate(mechanisms.model(source), method=method)
        assert result.time[-1] == 10.0
        assert 9e6 < result.select("a.x")[-1] < 1.1e7
        assert result["residual_position"].max() < 1e-7


@pytest.mark.parametrize(
    ("dimension", "inertia", "velocity", "name"),
    [(2, "1", "[1e38, 0]", "probe.x"), (3, "[1, 1, 1]", "[0, 0, -2e16]", "probe.z"), (3, "[1, 1, 1]", "[0, 0.9e14, 0]", "")],
)
def test_out_of_range(dimension: int, inertia: str, velocity: str, name: str) -> None:
    """A body farther away than its lengths can be told there: the run stops with the time and the coordinate. 1e15 m is the limit."""
    made = mbsim.assemble(mechanisms.model(PROBE.format(dimension=dimension, inertia=inertia, velocity=velocity)))
    if not name:
        assert mbsim.simulate(made).time[-1] == 10.0
        return
    with pytest.raises(mbsim.SimulationError, match=rf"stopped at t = 0\.1 s: {name} = .*is so far away that double precision") as caught:
        mbsim.simulate(made)
    assert caught.value.result is not None
    assert len(caught.value.result.time) == 2


def test_out_of_range_with_error_control() -> None:
    """All rows in one chunk with that of the start, which may be anywhere: the first one after it ends the run."""
    source = mechanisms.model(PROBE.format(dimension=2, inertia="1", velocity="[1e38, 0]"))
    with pytest.raises(mbsim.SimulationError, match=r"stopped at t = 0\.1 s: probe\.x = .*is so far away") as caught:
        mbsim.simulate(source, integrator="dop853")
    assert caught.value.result is not None
    assert len(caught.value.result.time) == 2


def test_a_mechanism_out_of_range() -> None:
    """Bodies with a joint stop sooner: where a rounding of a position is no longer small beside the mechanism."""
    source = """
name: two bodies in flight
dimension: 2
coordinates: absolute
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0], velocity: [1e10, 0]}
  b: {mass: 1, inertia: 0.1, position: [1, 0], velocity: [1e10, 0]}
joints: {O: {type: revolute, bodies: [a, b], at: [0.5, 0]}}
simulation: {end: 10, step: 1e-2}
"""
    with pytest.raises(mbsim.SimulationError, match=r"[ab]\.x = 1e\+10 m is so far away that double precision does not resolve a mech"):
        mbsim.simulate(mechanisms.model(source))


@pytest.mark.parametrize(
    ("block", "place"),
    [
        ("{end: 10, step: 1e-300}", "model.yaml:5:29: simulation.step: too short: at t = 10 s a time is known to 1.8e-15 s"),
        ("{end: 10, step: 1e-3, output_step: 1e-18}", "model.yaml:5:48: simulation.output_step: too short"),
        ("{end: 1e9, step: 1e-7}", "model.yaml:5:30: simulation.step: too short: at t = 1e+09 s a time is known to 1.2e-07 s"),
        ("{start: -1e9, end: 1, step: 1e-7}", "simulation.step: too short"),
        ("{end: 10, integrator: dop853, max_step: 1e-300}", "simulation.max_step: too short"),
    ],
)
def test_steps_that_cannot_be_added_to_the_time(block: str, place: str) -> None:
    """Refused at their place, before a run that would never end."""
    source = PROBE.format(dimension=2, inertia="1", velocity="[1, 0]").strip()
    source = source.replace("simulation: {end: 10, step: 0.1}", f"simulation: {block}").replace("name: a body on its way\n", "name: p\n\n")
    with pytest.raises(ModelError) as caught:
        mechanisms.model(source)
    assert place in str(caught.value.problems[0])


def test_steps_given_in_python() -> None:
    for given in ({"step": 1e-18}, {"output_step": 1e-18}, {"integrator": "dop853", "first_step": 1e-18}):
        name = list(given)[-1]
        with pytest.raises(ValueError, match=f"{name} is too short: at t = 10 s"):
            mbsim.simulate(mechanisms.shipped("pendulum"), **given)
    assert len(mbsim.simulate(mechanisms.shipped("pendulum"), end=1e-13, step=1e-14).time) == 11
