"""Rims of cylinders on planes in space: coins, barrels and wheels that roll, slip, bounce and come to rest."""

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.model.file.errors import ModelError

COIN = """
name: coin
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  coin:
    mass: 0.5
    inertia: [0.0013, 0.0013, 0.0025]
    position: [0, 0, HEIGHT]
    orientation: {axis: [1, 0, 0], angle: deg(60)}
    velocity: VELOCITY
    angular_velocity: OMEGA
    points: {P: [0, 0, -0.01]}
    shape: {type: cylinder, radius: 0.1, length: 0.02}
"""
BARREL = """
name: barrel
dimension: 3
gravity: [0, 0, -9.81]
parameters: {a: deg(20), R: 0.2}
bodies:
  barrel:
    mass: 2
    inertia: [0.05, 0.05, R^2]
    position: [R*sin(a), 0, R*cos(a)]
    orientation: {axis: [1, 0, 0], angle: deg(90)}
    shape: {type: cylinder, radius: R, length: 0.5}
contacts:
  slope: {bodies: [barrel, ground], plane: {normal: [sin(a), 0, cos(a)]}, friction: MU}
simulation: {end: 1}
"""
DROPPED = """
name: a coin is dropped
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  coin:
    mass: 0.05
    inertia: [1e-5, 1e-5, 2e-5]
    position: [0, 0, 0.2]
    orientation: {axis: [1, 0, 0], angle: ANGLE}
    angular_velocity: [1, 30, 8]
    shape: {type: cylinder, radius: 0.03, length: 0.003}
contacts:
  floor: {bodies: [coin, ground], plane: {normal: [0, 0, 1]}, friction: 0.3, restitution: 0.3}
simulation: {end: 0.5}
"""


def rolling() -> str:
    """A coin whose lower rim rolls: the point that touches is at rest."""
    axis, below, R = np.array([0.0, -np.sin(np.pi / 3.0), 0.5]), -0.01, 0.1
    s = np.sqrt(1.0 - axis[2] ** 2)
    omega = 8.0 * axis + [0.3, 0.0, 2.0]
    arm = below * axis + R * (axis[2] * axis - [0.0, 0.0, 1.0]) / s
    words = {
        "HEIGHT": repr(float(R * s - below * axis[2])),
        "VELOCITY": str((-np.cross(omega, arm)).tolist()),
        "OMEGA": str(omega.tolist()),
    }
    text = COIN
    for word, value in words.items():
        text = text.replace(word, value)
    return text


@pytest.mark.parametrize("method", ["auto", "svd", "lagrange"])
def test_a_coin_rolls_as_a_rolling_disk(method: str) -> None:
    """Where the rim does not slip, the rows are those of `rolling_disk`: the same motion, while it precesses and nods."""
    end = "simulation: {end: 1, rtol: 1e-10, atol: 1e-11}\n"
    axis = [0.0, -float(np.sin(np.pi / 3.0)), 0.5]
    disk = mbsim.simulate(
        mechanisms.model(rolling() + f"constraints: {{r: {{type: rolling_disk, center: coin.P, axis: {axis}, radius: 0.1}}}}\n" + end)
    )
    floor = "contacts: {floor: {bodies: [coin, ground], plane: {normal: [0, 0, 1]}, friction: 2}}\n"
    coin = mbsim.simulate(mechanisms.model(rolling() + floor + end), method=method)
    close(coin["body_position"][-1], disk["body_position"][-1], atol=1e-9)
    close(coin["body_orientation"][-1], disk["body_orientation"][-1], atol=1e-9)
    close(coin["multiplier"][-1, 0], disk["multiplier"][-1, 0], atol=1e-7)


@pytest.mark.parametrize(("mu", "share"), [("0.5", 2.0 / 3.0), ("0", 1.0)])
def test_a_barrel_goes_down_a_slope(mu: str, share: float) -> None:
    """It rolls on two rims with two thirds of g sin a, and without friction slides with all of it."""
    result = mbsim.simulate(mechanisms.model(BARREL.replace("MU", mu)))
    way = np.linalg.norm(result["body_position"][-1, 0] - result["body_position"][0, 0])
    assert way == pytest.approx(0.5 * share * 9.81 * np.sin(np.deg2rad(20.0)), abs=1e-9)
    assert np.abs(result["body_position"][-1, 0, 1]) < 1e-9


def test_a_barrel_that_slides_turns_less() -> None:
    """Friction below tan(a)/3 does not hold it: g (sin a - mu cos a) down the slope."""
    result = mbsim.simulate(mechanisms.model(BARREL.replace("MU", "0.05")))
    way = np.linalg.norm(result["body_position"][-1, 0] - result["body_position"][0, 0])
    a = np.deg2rad(20.0)
    assert way == pytest.approx(0.5 * 9.81 * (np.sin(a) - 0.05 * np.cos(a)), abs=1e-7)


def test_a_dropped_coin_keeps_its_energy_balanced() -> None:
    """It bounces on both rims, slips and rolls; impacts lose energy, and the balance stays."""
    result = mbsim.simulate(mechanisms.model(DROPPED.replace("ANGLE", "deg(65)")))
    names = {e["event"] for e in result.events if e["do"] == "impact"}
    assert names == {"floor_1", "floor_2"}
    assert all(e.get("energy", 0.0) <= 1e-12 for e in result.events)
    assert np.abs(result["energy_balance"]).max() < 1e-8
    z, R = result["body_position"][:, 0, 2], upright(result["body_orientation"][:, 0])
    lowest = z - 0.0015 * np.abs(R) - 0.03 * np.sqrt(1.0 - R * R)
    assert lowest.min() > -1e-9


def upright(quaternions: np.ndarray) -> np.ndarray:
    """The z component of the axis of the coin."""
    _, x, y, _ = quaternions.T
    return 1.0 - 2.0 * (x * x + y * y)


def test_a_cylinder_that_is_drawn_flat_stands() -> None:
    """On points of its rim, which are at rest from the first impact on; it has fallen 0.1985 m."""
    text = DROPPED.replace("ANGLE", "0").replace("    angular_velocity: [1, 30, 8]\n", "").replace("restitution: 0.3", "restitution: 0")
    result = mbsim.simulate(mechanisms.model(text))
    assert result["body_position"][-1, 0, 2] == pytest.approx(0.0015, abs=1e-12)
    first = next(e["time"] for e in result.events if e["do"] == "impact")
    assert first == pytest.approx(np.sqrt(2.0 * 0.1985 / 9.81), abs=1e-9)
    assert np.abs(result["v"][-1]).max() < 1e-12


def test_a_cylinder_touches_planes_only() -> None:
    text = DROPPED.replace("ANGLE", "1").replace("plane: {normal: [0, 0, 1]}", "hole: {radius: 1}")
    with pytest.raises(ModelError, match="the cylinder of coin is known to touch planes only"):
        mbsim.simulate(mechanisms.model(text))


def test_a_coin_that_falls_on_its_rim_comes_to_lie_flat() -> None:
    """It went through the attitude in which no point of the rim is the lowest."""
    text = DROPPED.replace("ANGLE", "0.3").replace("    angular_velocity: [1, 30, 8]\n", "").replace("restitution: 0.3", "restitution: 0")
    result = mbsim.simulate(mechanisms.model(text))
    assert result["body_position"][-1, 0, 2] == pytest.approx(0.0015, abs=1e-8)
    assert np.abs(result["energy_balance"]).max() < 1e-6
    assert all(e.get("energy", 0.0) <= 1e-12 for e in result.events)
