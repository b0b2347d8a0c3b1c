"""Drivers, equations and gears that come and go: from where they go on, in the plane and in space, in both coordinates."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.model.file.errors import ModelError
from mbsim.results import Result

ARM = """
name: arm
dimension: DIMENSION
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.2, position: [1, 0], points: {A: [0.5, 0.2]}}
ground: {points: {G: [3, 1]}}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0]}
MORE
events:
  hold: {when: t - 0.5, do: {lock: X}}
  free: {when: t - 1, do: {unlock: X}}
simulation: {end: 1.2}
"""


def event(result: Result, name: str) -> dict[str, Any]:
    return next(e for e in result.events if e["event"] == name)


def in_joint_coordinates(text: str) -> str:
    return "coordinates: joint\n" + text.lstrip()


DRIVERS = {
    "{joint: pin, angle: 3 + 2*t, locked: false}": lambda t: 2.0 + 0.0 * t,
    "{joint: pin, speed: 2*t, locked: false}": lambda t: 2.0 * t,
    "{coordinate: pin.angle, value: sin(t), locked: false}": np.cos,
}


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_driver_goes_on_from_where_the_joint_is(driver: str, dimension: int, coordinates: str) -> None:
    text = ARM.replace("DIMENSION", str(dimension)).replace("MORE", f"drivers:\n  X: {driver}")
    if dimension == 3:
        text = text.replace("inertia: 0.2", "inertia: [0.2, 0.2, 0.2]").replace("at: [0, 0]", "at: [0, 0, 0], axis: [0, 0, 1]")
        text = text.replace("[0, -9.81]", "[0, -9.81, 0]").replace("[1, 0]", "[1, 0, 0]").replace("[0.5, 0.2]", "[0.5, 0.2, 0]")
        text = text.replace("[3, 1]", "[3, 1, 0]")
    result = mbsim.simulate(mechanisms.model(in_joint_coordinates(text) if coordinates == "joint" else text))
    name = "pin.angle" if coordinates == "joint" else "arm.angle" if dimension == 2 else ""
    rate = result[f"der({name})"] if name else result["arm.omega.z"]
    t = result.time
    driven = (t > 0.5) & (t <= 1.0)
    close(rate[driven], DRIVERS[driver](t[driven]), atol=1e-8)
    if name:
        before, after = (int(np.flatnonzero(t <= 0.5)[-1]) + k for k in (0, 1))
        assert abs(result[name][after] - result[name][before]) < 1e-9
    assert np.abs(result["energy_balance"]).max() < 1e-6


EQUATIONS = {
    "drivers:\n  X: {point: arm, y: 0.3*t^2, locked: false}": "arm.y - 0.3*t^2",
    "drivers:\n  X: {points: [ground.G, arm.A], length: 2 - t, locked: false}": "",
    "constraints:\n  X: {type: holonomic, equation: arm.x*arm.y - 0.5, locked: false}": "arm.x*arm.y",
}


@pytest.mark.parametrize("more", EQUATIONS)
def test_equations_and_points_keep_what_they_are_then(more: str) -> None:
    text = ARM.replace("DIMENSION", "2").replace("MORE", more)
    value = EQUATIONS[more] or "sqrt((3 - arm.A.x)^2 + (1 - arm.A.y)^2) + t"
    result = mbsim.simulate(mechanisms.model(text.replace("simulation", f"measures: {{kept: {value}}}\nsimulation")))
    held = (result.time > 0.5) & (result.time <= 1.0)
    close(result["kept"][held], result["kept"][held][0], atol=1e-8)
    assert np.ptp(result["kept"][result.time > 1.0]) > 1e-3
    assert np.abs(result["energy_balance"]).max() < 1e-6


def test_own_coordinates() -> None:
    """a = 2 b from 0.5 s on, as it is then: the rates keep 2 a_dot + b_dot times the masses."""
    text = """
name: own
coordinates: [a, b]
energy: {kinetic: der(a)^2 + der(b)^2}
initial: {der(a): 3, der(b): 1}
constraints:
  X: {type: holonomic, equation: a - 2*b, locked: false}
events: {hold: {when: t - 0.5, do: {lock: X}}}
simulation: {end: 1}
"""
    result = mbsim.simulate(mechanisms.model(text))
    close(result["v"][-1], [2.8, 1.4], atol=1e-12)
    assert event(result, "hold")["energy"] == pytest.approx(2.8**2 + 1.4**2 - 10.0, abs=1e-12)
    assert result["a"][-1] - 2.0 * result["b"][-1] == pytest.approx(0.5, abs=1e-10)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_gears_mesh_as_they_stand(coordinates: str) -> None:
    """Two wheels of 1 kg m^2 with a ratio of -2: 10 rad/s become 8 and -4."""
    text = """
name: gears
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [0, 0]}
  b: {mass: 1, inertia: 1, position: [2, 0]}
joints:
  pa: {type: revolute, bodies: [ground, a], at: [0, 0]}
  pb: {type: revolute, bodies: [ground, b], at: [2, 0]}
  mesh: {type: gear, joints: [pa, pb], ratio: -2, locked: false}
initial: {SPEED: 10}
events:
  on: {when: t - 0.537, do: {lock: mesh}}
  off: {when: t - 1, do: {unlock: mesh}}
  again: {when: t - 1.2, do: {lock: mesh}}
simulation: {end: 1.5}
"""
    text = text.replace("SPEED", "der(pa.angle)" if coordinates == "joint" else "der(a.angle)")
    result = mbsim.simulate(mechanisms.model(in_joint_coordinates(text) if coordinates == "joint" else text))
    turning = result["v"][-1][np.abs(result["v"][-1]) > 1.0]
    close(turning, [8.0, -4.0], atol=1e-11)
    assert event(result, "on")["energy"] == pytest.approx(-10.0, abs=1e-10)
    assert event(result, "again")["energy"] == pytest.approx(0.0, abs=1e-10)


def test_one_name_of_two_things() -> None:
    text = ARM.replace("DIMENSION", "2").replace("MORE", "drivers:\n  pin: {joint: pin, angle: t, locked: false}").replace("X", "pin")
    with pytest.raises(ModelError, match="'pin' is the name of more than one joint, driver or constraint"):
        mbsim.load_model(text)
