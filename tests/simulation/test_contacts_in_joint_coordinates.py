"""Stops, friction and contacts in joint coordinates: what absolute coordinates say, where joints close loops, too."""

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.results import Result

TIGHT = {"rtol": 1e-10, "atol": 1e-11}
FOUR_BAR = """
name: four-bar
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.0833, position: [0, 0.5], angle: deg(90)}
  coupler: {mass: 2, inertia: 0.667, position: [1, 1], angle: 0}
  rocker: {mass: 1, inertia: 0.15, position: [2.15, 0.5], angle: -1.2793395323170296}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, bodies: [crank, coupler], at: [0, 1]}
  B: {type: revolute, bodies: [coupler, rocker], at: [2, 1]}
  C: {type: revolute, bodies: [rocker, ground], at: [2.3, 0]}
simulation: {end: 1.5}
"""
ARM = """
name: two arms, a wall and a floor
dimension: 2
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  lower: {mass: 1, inertia: 0.05, position: [1.25, 0], points: {tip: [0.25, 0]}, shape: {type: cylinder, radius: 0.05, length: 0.1}}
joints:
  shoulder: {type: revolute, bodies: [ground, upper], at: [0, 0]}
  elbow: {type: revolute, bodies: [upper, lower], at: [1, 0]}
contacts:
  floor:
    bodies: [lower, ground]
    plane: {normal: [0, 1], through: [0, -0.7]}
    points: [tip]
    friction: 0.3
    restitution: 0.3
    closing_speed: 0.05
simulation: {end: 0.6}
"""
PUSHED = """
name: an arm pushes a box
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 3, inertia: 0.3, position: [0, 0.5], angle: deg(90), points: {hand: [-0.42, 0]}}
  box: {mass: 1, inertia: 0.02, position: [0.3, 0.1], points: {l: [-0.1, -0.1], r: [0.1, -0.1]}}
joints:
  hinge: {type: revolute, bodies: [ground, arm], at: [0, 1]}
forces:
  motor: {type: joint_torque, joint: hinge, value: 8}
contacts:
  table: {bodies: [box, ground], plane: {normal: [0, 1], through: [0, 0]}, points: [l, r], friction: 0.4}
  push: {bodies: [arm, box], plane: {normal: [-1, 0], through: [0.2, 0.1]}, points: [hand], radius: 0.05, friction: 0.2}
simulation: {end: 0.8}
"""
SWING = """
name: a ball on an arm in space, and a slope
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.01, 0.09, 0.09], position: [0.5, 0, 0], points: {end: [0.5, 0, 0]}}
  stone: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [1.2, 0.3, 0.5], shape: {type: sphere, radius: 0.1}}
joints:
  neck: {type: universal, bodies: [ground, arm], at: [0, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]}
forces:
  push: {type: force, body: arm, value: [0, 2, 0]}
contacts:
  slope:
    bodies: [arm, ground]
    plane: {normal: [-0.3, 0, 1], through: [0.9, 0, -0.6]}
    points: [end]
    radius: 0.02
    friction: 0.3
    restitution: 0.2
    closing_speed: 0.05
  rolls: {bodies: [stone, ground], plane: {normal: [-0.3, 0, 1], through: [0.9, 0, -0.6]}, friction: 0.5}
simulation: {end: 0.7}
"""


def alike(text: str, **settings: object) -> Result:
    """Both kinds of coordinates do the same; returns the run in joint coordinates."""
    given = {**TIGHT, "output_step": 0.05, **settings}
    absolute = mbsim.simulate(mechanisms.model(text), **given)
    joint = mbsim.simulate(mechanisms.model(text + "coordinates: joint\n"), **given)
    told = [[(e["event"], e["do"]) for e in result.events] for result in (absolute, joint)]
    assert told[0] == told[1]
    close([e["time"] for e in joint.events], [e["time"] for e in absolute.events], atol=1e-7)
    times = np.arange(0.0, absolute.time[-1], 0.05)
    places = [result["body_position"][np.searchsorted(result.time, times - 1e-12)] for result in (absolute, joint)]
    close(places[1], places[0], atol=1e-6)
    assert np.abs(joint["energy_balance"] - joint["energy_balance"][0]).max() < 1e-6
    return joint


@pytest.mark.parametrize("joint", ["O", "A", "B", "C"])
def test_stops_of_every_joint_of_a_loop(joint: str) -> None:
    line = next(line for line in FOUR_BAR.splitlines() if line.startswith(f"  {joint}:"))
    text = FOUR_BAR.replace(line, line[:-1] + ", stops: {lower: -0.25, upper: 0.15, restitution: 0.5}}")
    assert any(e["do"] == "impact" for e in alike(text).events)


@pytest.mark.parametrize("joint", ["O", "C"])
def test_friction_of_joints_of_a_loop(joint: str) -> None:
    """A torque that slows the mechanism down until it sticks."""
    line = next(line for line in FOUR_BAR.splitlines() if line.startswith(f"  {joint}:"))
    run = alike(FOUR_BAR.replace(line, line[:-1] + ", friction: {torque: 1.5}}").replace("end: 1.5", "end: 3"))
    assert run.events and run["energy_kinetic"][-1] < run["energy_kinetic"].max()


@pytest.mark.parametrize("text", [ARM, PUSHED, SWING], ids=["arm", "pushed", "swing"])
@pytest.mark.parametrize("method", ["auto", "aba"])
def test_contacts(text: str, method: str) -> None:
    if method == "aba":
        joint = mbsim.simulate(mechanisms.model(text + "coordinates: joint\n"), method="aba", **TIGHT)
        absolute = mbsim.simulate(mechanisms.model(text), **TIGHT)
        close(joint["body_position"][-1], absolute["body_position"][-1], atol=1e-6)
    else:
        assert len(alike(text).events) > 1


def test_a_moment_drives_a_joint_that_closes_a_loop() -> None:
    """Computed torque along the angle of the cut joint leads it where it is to go."""
    motor = "{type: computed_torque, joint: C, target: 0.2*sin(t), kp: 400, kd: 40, sample: 0.001}"
    text = FOUR_BAR.replace("end: 1.5", "end: 0.5") + f"controllers: {{motor: {motor}}}\n"
    ends = [mbsim.simulate(mechanisms.model(text + more))["body_position"][-1] for more in ("", "coordinates: joint\n")]
    close(ends[0], ends[1], atol=1e-6)
