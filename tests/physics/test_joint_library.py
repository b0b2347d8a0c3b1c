"""Screws, rods, constant velocity joints, slots: motions and forces known in closed form."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from mechanisms import close

import mbsim
from mbsim.results import Result

G = 9.81
COORDINATES = ("absolute", "joint")


def run(text: str, coordinates: str = "absolute", **settings: Any) -> Result:
    source = yaml.safe_load(text) | {"coordinates": coordinates}
    return mbsim.simulate(mechanisms.model(source), **{"method": "lagrange", **settings})


# Screws

SCREW_JACK = """
name: nut on an upright screw
gravity: [0, 0, -9.81]
bodies: {nut: {mass: 2, inertia: [0.01, 0.01, 0.004], position: [0.1, 0, 0]}}
joints: {screw: {type: helical, bodies: [ground, nut], at: [0.1, 0, 0], axis: [0, 0, 1], pitch: 0.02}}
simulation: {end: 1.2, step: 5e-4, output_step: 0.05}
"""


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_screw_jack(coordinates: str) -> None:
    """(m p^2 + J) alpha = -m g p; the thread carries m (g + a) and the torque -p times that, without power. Nine turns."""
    result = run(SCREW_JACK, coordinates)
    m, p, J = 2.0, 0.02, 0.004
    a = -m * G * p**2 / (m * p**2 + J)
    assert a * 0.72 / p / (2 * np.pi) < -9  # turns
    close(result.select("body_position", "nut", "z"), a * result.time**2 / 2, atol=1e-7)
    close(result.select("body_angular_velocity", "nut", "z"), a / p * result.time, atol=1e-6)
    force = m * (G + a)
    close(result.select("joint_force", "screw", "z"), force, atol=1e-6)
    close(result.select("joint_torque", "screw", "z"), -p * force, atol=1e-7)
    close(result["energy_balance"], 0.0, atol=1e-6)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_driven_screw(coordinates: str) -> None:
    """By its angle and by its displacement: one motion, the force is the torque over the pitch."""
    source = yaml.safe_load(SCREW_JACK) | {"coordinates": coordinates}
    runs = {}
    for quantity, law in (("angle", "40*t^2"), ("displacement", "0.02*40*t^2")):
        source["drivers"] = {"d": {"joint": "screw", quantity: law}}
        runs[quantity] = mbsim.simulate(mechanisms.model(source), method="svd")
        close(runs[quantity].select("body_position", "nut", "z"), 0.8 * runs[quantity].time ** 2, atol=1e-8)
    torque = 0.004 * 80 + 0.02 * 2 * (G + 1.6)
    close(runs["angle"].select("driver_effort", "d"), torque, atol=1e-6)
    close(runs["displacement"].select("driver_effort", "d"), torque / 0.02, atol=1e-5)


# Shafts

SHAFTS = """
name: two shafts at an angle
parameters: {bend: deg(40)}
bodies:
  a: {mass: 1, inertia: [0.002, 0.01, 0.01], position: [-0.2, 0, 0]}
  b: {mass: 1, inertia: [0.002, 0.01, 0.01], position: [0.2*cos(bend), 0.2*sin(bend), 0], orientation: {axis: [0, 0, 1], angle: bend}}
joints:
  left:  {type: revolute, bodies: [ground, a], at: [-0.4, 0, 0], axis: [1, 0, 0]}
  right: {type: revolute, bodies: [ground, b], at: [0.4*cos(bend), 0.4*sin(bend), 0], axis: [cos(bend), sin(bend), 0]}
  mid:   %s
drivers: {motor: {joint: left, angle: 5*t}}
forces: {brake: {type: joint_torque, joint: right, value: -3}}
simulation: {end: 2, step: 2e-3, output_step: 0.02}
"""
CONSTANT_VELOCITY = '{type: constant_velocity, bodies: [a, b], at: [0, 0, 0], axes: [[1, 0, 0], ["cos(bend)", "sin(bend)", 0]]}'
UNIVERSAL = '{type: universal, bodies: [a, b], at: [0, 0, 0], axes: [[0, 0, 1], ["-sin(bend)", "cos(bend)", 0]]}'


@pytest.mark.parametrize("bend", [5, 40, 75, 130])
def test_constant_velocity_joint_beside_a_universal_joint(bend: int) -> None:
    """Output speed = input speed, and so the torques; of Hooke's joint it is w cos b / (1 - sin^2 b sin^2 theta)."""
    b = np.deg2rad(bend)
    runs = {}
    for name, joint in (("cv", CONSTANT_VELOCITY), ("hooke", UNIVERSAL))[: 2 if bend < 90 else 1]:
        model = mechanisms.model(SHAFTS % joint, parameters={"bend": b})
        runs[name] = mbsim.simulate(model, method="lagrange")
    for name, result in runs.items():
        angle = 5 * result.time
        omega = result.select("body_angular_velocity", "b") @ [np.cos(b), np.sin(b), 0]
        expected = 5 * (1.0 if name == "cv" else np.cos(b) / (1 - np.sin(b) ** 2 * np.sin(angle) ** 2))
        close(omega, np.broadcast_to(expected, omega.shape), atol=1e-7)
        if name == "cv":
            close(result.select("driver_effort", "motor"), 3.0, atol=1e-7)
    assert bend > 90 or np.ptp(runs["hooke"].select("driver_effort", "motor")) > 0.01


# Rods, lines, slots


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_rod_pendulum_is_a_pendulum(dimension: int, coordinates: str) -> None:
    text = """
dimension: 2
gravity: [0, -9.81]
bodies: {bob: {mass: 0.7, inertia: 0.01, position: [0.6, -0.8]}}
joints: {rod: {type: distance, points: [ground, bob]}}
simulation: {end: 3, step: 1e-3, output_step: 0.05}
"""
    source = yaml.safe_load(text) if dimension == 2 else mechanisms.in_space(text)
    result = mbsim.simulate(mechanisms.model(source | {"coordinates": coordinates}), method="lagrange")
    own = mbsim.simulate(
        mechanisms.model({
            "coordinates": ["a"], "energy": {"kinetic": "0.7*der(a)^2/2", "potential": "-0.7*9.81*cos(a)"},
            "initial": {"a": float(np.arctan2(0.6, 0.8))}, "simulation": {"end": 3, "step": 1e-3, "output_step": 0.05},
        }),
        method="lagrange",
    )  # fmt: skip
    angle, rate = own.select("a"), own.select("der(a)")
    close(result.select("body_position", "bob"), np.stack([np.sin(angle), -np.cos(angle), 0 * angle], axis=1), atol=1e-8)
    close(result.select("multiplier", "rod[0]"), -0.7 * (rate**2 + G * np.cos(angle)), atol=1e-6)  # thrust: it pulls


def test_rod_whose_length_is_prescribed() -> None:
    """A weight hoisted straight up: the rod pulls with m (g - L''); its work is all that the energy gains."""
    text = """
dimension: 2
gravity: [0, -9.81]
bodies: {bob: {mass: 2, inertia: 0.01, position: [0, -1]}}
joints: {rope: {type: distance, points: [ground, bob], length: 1 + 0.2*sin(3*t)}}
simulation: {end: 2, step: 1e-3, output_step: 0.05}
"""
    for coordinates in COORDINATES:
        result = run(text, coordinates)
        length, second = 1 + 0.2 * np.sin(3 * result.time), -1.8 * np.sin(3 * result.time)
        close(result.select("body_position", "bob", "y"), -length, atol=1e-9)
        close(result.select("joint_force", "rope", "y"), 2 * (G - second), atol=1e-7)
        close(result["energy_balance"], 0.0, atol=1e-7)
        assert np.abs(result["energy_work"]).max() > 1.0


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_trammel_of_archimedes_draws_an_ellipse(dimension: int, coordinates: str) -> None:
    """Two points of a bar on two lines: its other points are on ellipses; in space two rows each, one of them too many."""
    text = """
dimension: 2
gravity: [0.4, -9.81]
bodies: {bar: {mass: 1, inertia: 0.1, position: [0.3, 0.4], angle: "atan2(-0.8, 0.6)", points: {A: [0.5, 0], B: [-0.5, 0], pen: [0.9, 0]}}}
joints:
  A: {type: point_on_line, points: [ground, bar.A], axis: [1, 0]}
  B: {type: point_on_line, points: [ground, bar.B], axis: [0, 1]}
simulation: {end: 2, step: 1e-3, output_step: 0.02}
"""
    source = yaml.safe_load(text) if dimension == 2 else mechanisms.in_space(text)
    result = mbsim.simulate(mechanisms.model(source | {"coordinates": coordinates}), method="lagrange")
    x, y = result.select("body_position", "bar")[:, :2].T
    w = result["body_orientation"][:, 0]
    angle = 2 * np.arctan2(w[:, 3], w[:, 0])
    close((x + 0.9 * np.cos(angle)) ** 2 / 1.4**2 + (y + 0.9 * np.sin(angle)) ** 2 / 0.4**2, 1.0, atol=1e-9)
    assert np.ptp(angle) > 1
    close(result.select("joint_force", "A", "x"), 0.0, atol=1e-9)  # smooth lines
    close(result.select("joint_force", "B", "y"), 0.0, atol=1e-9)
    close(result["energy_balance"], 0.0, atol=1e-6)


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_whitworths_slot(dimension: int) -> None:
    """A driven crank's pin in the slot of a rocker: tan(rocker) = r sin / (c + r cos); the pin pushes across the slot only."""
    text = """
dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0.5, 0], points: {pin: [0.2, 0]}}
  rocker: {mass: 1, inertia: 0.05, position: [0.4, 0]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0.5, 0]}
  Q: {type: revolute, bodies: [ground, rocker], at: [0, 0]}
  slot: {type: pin_in_slot, bodies: [rocker, crank], at: [0.7, 0], axis: [1, 0]}
drivers: {motor: {joint: O, angle: 4*t}}
simulation: {end: 2, step: 1e-3, output_step: 0.02}
"""
    source = yaml.safe_load(text) if dimension == 2 else mechanisms.in_space(text)
    if dimension == 3:
        source["joints"]["slot"]["pin"] = [0, 0, 1]
    result = mbsim.simulate(mechanisms.model(source), method="lagrange")
    crank = 4 * result.time
    rocker = np.arctan2(0.2 * np.sin(crank), 0.5 + 0.2 * np.cos(crank))
    w = result.select("body_orientation", "rocker")
    close(2 * np.arctan2(w[:, 3], w[:, 0]), rocker, atol=1e-9)
    force = result.select("joint_force", "slot")
    close(force[:, 0] * np.cos(rocker) + force[:, 1] * np.sin(rocker), 0.0, atol=1e-9)
    assert np.abs(force).max() > 1


@pytest.mark.parametrize(("word", "dimension"), [("point_on_line", 2), ("point_on_line", 3), ("pin_in_slot", 2), ("pin_in_slot", 3)])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_driven_along_a_line(word: str, dimension: int, coordinates: str) -> None:
    source: dict[str, Any] = {
        "dimension": dimension,
        "gravity": [0, -9.81, 0][:dimension],
        "bodies": {"bead": {"mass": 0.5, "inertia": 0.01 if dimension == 2 else [0.01] * 3}},
        "joints": {"wire": mechanisms.joint_block(word, dimension, bodies=["ground", "bead"], at=[0.0] * dimension)},
        "drivers": {"d": {"joint": "wire", "displacement": "t^2"}},
        "coordinates": coordinates,
        "simulation": {"end": 0.5, "step": 1e-3},
    }
    result = mbsim.simulate(mechanisms.model(source), method="lagrange")
    axis = np.array([*source["joints"]["wire"]["axis"], 0.0][:3])
    axis /= np.linalg.norm(axis)
    close(result.select("body_position", "bead"), np.outer(result.time**2, axis), atol=1e-9)
    close(result.select("driver_effort", "d"), 0.5 * (2 + G * axis[1]), atol=1e-7)


def test_peaucellier_linkage_of_rods_draws_a_straight_line() -> None:
    """Seven massless rods between four beads: OA OC = l^2 - r^2, so C leaves a line only as A would its circle through O."""
    l, r, f = 1.0, 0.4, 0.35
    angle = 0.3
    a = np.array([f + f * np.cos(2 * angle), f * np.sin(2 * angle)])  # on the circle about (f, 0) through the origin
    out = a / np.linalg.norm(a)
    half = r**2 - ((l**2 - r**2) / np.linalg.norm(a) - np.linalg.norm(a)) ** 2 / 4
    middle = (np.linalg.norm(a) + (l**2 - r**2) / np.linalg.norm(a)) / 2
    across = np.sqrt(half) * np.array([-out[1], out[0]])
    places = {"a": a, "b": middle * out + across, "d": middle * out - across, "c": (l**2 - r**2) / np.linalg.norm(a) * out}
    rods = [("ground", "b"), ("ground", "d"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    joints = {f"r{k}": {"type": "distance", "points": list(pair)} for k, pair in enumerate(rods)}
    joints["crank"] = {"type": "distance", "bodies": ["ground", "a"], "at": [[f, 0.0], [float(x) for x in a]]}
    source = {
        "dimension": 2,
        "gravity": [0, -9.81],
        "bodies": {name: {"mass": 1, "inertia": 0.01, "position": [float(x) for x in place]} for name, place in places.items()},
        "joints": joints,
        "simulation": {"end": 0.4, "step": 1e-3},
    }
    result = mbsim.simulate(mechanisms.model(source), method="lagrange")
    c = result.select("body_position", "c")
    close(c[:, 0], (l**2 - r**2) / (2 * f), atol=1e-9)
    assert np.ptp(c[:, 1]) > 0.1
    close(result["energy_balance"], 0.0, atol=1e-7)


def test_parallel_and_perpendicular_axes_hold_along_a_motion() -> None:
    """A spinning body keeps its axis along, or across, that of one that tumbles; neither joint takes a force."""
    for word, expected in (("parallel_axes", 1.0), ("perpendicular_axes", 0.0)):
        axes = {"axis": [0, 0, 1]} if expected else {"axes": [[0, 0, 1], [1, 0, 0]]}
        source = {
            "bodies": {
                "a": {"mass": 1, "inertia": [0.1, 0.2, 0.25], "angular_velocity": [1, 2, 0.5]},
                "b": {"mass": 1, "inertia": [0.2, 0.1, 0.15], "position": [1, 0, 0], "velocity": [0, 1, 0]},
            },
            "joints": {"j": {"type": word, "bodies": ["a", "b"], **axes}},
            "simulation": {"end": 1, "step": 1e-3},
        }
        result = mbsim.simulate(mechanisms.model(source), method="lagrange")
        from mbsim.kernels.rotations import matrices

        A = matrices(result["body_orientation"])
        cosine = np.einsum("ti,ti->t", A[:, 0, :, 2], A[:, 1, :, 2 if expected else 0])
        close(cosine, expected, atol=1e-9)
        close(result["joint_force"], 0.0, atol=1e-9)
        close(result.select("body_position", "b", "y"), result.time, atol=1e-9)
        assert np.abs(A[-1, 0] - A[0, 0]).max() > 0.5
        close(result["energy_balance"], 0.0, atol=1e-7)
