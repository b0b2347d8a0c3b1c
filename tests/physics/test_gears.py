"""Gears, racks and hydraulic pairs: motions and forces known in closed form."""

import mechanisms
import numpy as np
import pytest
import yaml
from mechanisms import close

import mbsim

G = 9.81
COORDINATES = ("absolute", "joint")


TRAIN = """
name: three gears in a row
%s
bodies:
  one:   {mass: 1, inertia: 0.02, position: [0, 0]}
  two:   {mass: 2, inertia: 0.07, position: [0.3, 0]}
  three: {mass: 3, inertia: 0.30, position: [0.9, 0]}
joints:
  A:  {type: revolute, bodies: [ground, one], at: [0, 0]}
  B:  {type: revolute, bodies: [ground, two], at: [0.3, 0]}
  C:  {type: revolute, bodies: [three, ground], at: [0.9, 0]}
  AB: {type: gear, joints: [A, B], teeth: [20, 30]}
  BC: {type: gear, joints: [B, C], ratio: 3}
forces: {motor: {type: joint_torque, joint: A, value: 1.5}}
simulation: {end: 3, step: 2e-3, output_step: 0.05}
"""


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_gear_train(dimension: int, coordinates: str) -> None:
    """Speeds and torques of a train that makes many turns. C's first body is the wheel, so its coordinate counts the other way."""
    source = yaml.safe_load(TRAIN % "dimension: 2") if dimension == 2 else mechanisms.in_space(TRAIN % "")
    result = mbsim.simulate(mechanisms.model(source | {"coordinates": coordinates}), method="lagrange")
    alpha = 1.5 / (0.02 + 0.07 / 1.5**2 + 0.30 / 4.5**2)
    w = result["body_angular_velocity"][:, :, 2]
    close(w, np.outer(alpha * result.time, [1, -1 / 1.5, 1 / 4.5]), atol=1e-6)
    assert alpha * 4.5 > 20 * np.pi
    # the multiplier is the torque on the second joint's coordinate; on the first it is -1 / ratio times that
    close(result.select("multiplier", "BC"), 0.30 * -alpha / 4.5, atol=1e-7)
    close(result.select("multiplier", "AB") - result.select("multiplier", "BC") / 3, 0.07 * -alpha / 1.5, atol=1e-7)
    close(result["energy_balance"], 0.0, atol=1e-6)
    close(result["residual_position"], 0.0, atol=1e-9)


PLANETARY = """
name: planetary gear
%s
bodies:
  sun:     {mass: 1, inertia: 0.02}
  carrier: {mass: 1, inertia: 0.05}
  planet:  {mass: 0.5, inertia: 0.004, position: [0.3, 0]}
joints:
  S: {type: revolute, bodies: [carrier, sun], at: [0, 0]}
  K: {type: revolute, bodies: [ground, carrier], at: [0, 0]}
  P: {type: revolute, bodies: [carrier, planet], at: [0.3, 0]}
  R: {type: revolute, bodies: [carrier, ground], at: [0, 0]}
  sun_planet:  {type: gear, joints: [S, P], teeth: [24, 18]}
  planet_ring: {type: gear, joints: [P, R], teeth: [18, 60], internal: true}
forces: {motor: {type: torque, body: sun, value: %s}}
simulation: {end: 2, step: 2e-3, output_step: 0.05}
"""


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_planetary_gear(dimension: int, coordinates: str) -> None:
    """Willis: the ring is fixed, so the carrier turns at z_s / (z_s + z_r) of the sun. Both joints of each gear start at the carrier."""
    text = PLANETARY % (("dimension: 2", "0.8") if dimension == 2 else ("", "[0, 0, 0.8]"))
    source = yaml.safe_load(text) if dimension == 2 else mechanisms.in_space(text)
    result = mbsim.simulate(mechanisms.model(source | {"coordinates": coordinates}), method="lagrange")
    ratio = 24 / (24 + 60)
    planet = ratio - (1 - ratio) * 24 / 18  # of the sun's speed, absolute
    inertia = 0.02 + (0.05 + 0.5 * 0.3**2) * ratio**2 + 0.004 * planet**2
    w = result["body_angular_velocity"][:, :, 2]
    close(w, np.outer(0.8 / inertia * result.time, [1, ratio, planet]), atol=1e-6)
    close(result["energy_balance"], 0.0, atol=1e-6)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_rack_that_falls_and_turns_its_pinion(dimension: int, coordinates: str) -> None:
    """a = m g / (m + J / r^2), drawn with the guide's points apart; the tooth force is the multiplier."""
    text = """
dimension: 2
gravity: [0, -9.81]
bodies:
  pinion: {mass: 2, inertia: 0.01}
  rack: {mass: 0.6, inertia: 0.02, position: [0.05, 0.2], points: {P: [0, 0.1]}}
joints:
  O: {type: revolute, bodies: [ground, pinion], at: [0, 0]}
  guide: {type: prismatic, points: [ground, rack.P], axis: [0, -1]}
  teeth: {type: rack_and_pinion, joints: [O, guide], radius: -0.05}
initial: {}
simulation: {end: 2, step: 2e-3, output_step: 0.05}
"""
    source = yaml.safe_load(text) if dimension == 2 else mechanisms.in_space(text)
    result = mbsim.simulate(mechanisms.model(source | {"coordinates": coordinates}), method="lagrange")
    m, J, r = 0.6, 0.01, 0.05
    a = m * G / (m + J / r**2)
    fall = result.select("body_position", "rack", "y")
    close(fall, fall[0] - a * result.time**2 / 2, atol=1e-7)
    close(result.select("body_angular_velocity", "pinion", "z"), -a * result.time / r, atol=1e-6)
    assert a * 2 / r > 3 * np.pi
    close(result.select("multiplier", "teeth"), m * (a - G), atol=1e-7)


def test_driven_gear() -> None:
    """A driven input: its effort is the output's torque over the ratio."""
    source = yaml.safe_load(TRAIN % "dimension: 2")
    source["forces"] = {"load": {"type": "torque", "body": "three", "value": -9}}
    source["drivers"] = {"d": {"joint": "A", "angle": "6*t"}}
    result = mbsim.simulate(mechanisms.model(source), method="svd", end=1.0)
    close(result.select("driver_effort", "d"), 9 / 4.5, atol=1e-7)
    close(result.select("body_angular_velocity", "three", "z"), 6 / 4.5, atol=1e-7)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_hydraulic_pair(dimension: int, coordinates: str) -> None:
    """Two pistons whose displacements keep a ratio, in space one of them free to turn: (m2 + m1 r^2) a2 = -g (m2 + m1 r)."""
    bodies = {f"p{k}": {"mass": k, "inertia": 0.1 if dimension == 2 else [0.1] * 3, "position": [k, 0, 0][:dimension]} for k in (1, 2)}
    axis = [0, 1, 0][:dimension]
    source = {
        "dimension": dimension,
        "coordinates": coordinates,
        "gravity": [0, -9.81, 0][:dimension],
        "bodies": bodies,
        "joints": {
            "a": {"type": "prismatic", "bodies": ["ground", "p1"], "at": [1, 0, 0][:dimension], "axis": axis},
            "b": {
                "type": "cylindrical" if dimension == 3 else "prismatic",
                "bodies": ["ground", "p2"],
                "at": [2, 0, 0][:dimension],
                "axis": axis,
            },
            "oil": {"type": "gear", "joints": ["a", "b"], "coordinates": ["displacement", "displacement"], "ratio": -2.5},
        },
        "simulation": {"end": 1, "step": 0.01},
    }
    result = mbsim.simulate(mechanisms.model(source), method="lagrange")
    a = -G * (2 - 1 * 2.5) / (2 + 1 * 2.5**2)
    close(result.select("body_position", "p2", "y"), a * result.time**2 / 2, atol=1e-9)
    close(result.select("body_position", "p1", "y"), -2.5 * a * result.time**2 / 2, atol=1e-9)
    close(result.select("multiplier", "oil"), 2 * (a + G), atol=1e-9)
