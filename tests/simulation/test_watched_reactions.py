"""Events that watch what the equations of motion are solved for: reactions, multipliers, efforts of drivers, accelerations."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import INTEGRATORS, METHODS, close
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import mbsim
from mbsim.model.file.errors import ModelError

PENDULUM = """
name: pendulum whose pin breaks
dimension: 2
gravity: [0, -9.81]
bodies:
  bob: {mass: 2, inertia: 0.01, position: [1, 0]}
joints:
  pin: {type: revolute, bodies: [ground, bob], at: [0, 0]}
events:
  break:
    when: sqrt(joint_force.pin.x^2 + joint_force.pin.y^2) - 40
    direction: up
    do: {unlock: pin}
simulation: {end: 0.8}
"""
# A chain in space that swings about skew axes, one of which is turned against the bodies; every event makes a note only.
CHAIN = """
name: chain
dimension: 3
gravity: [0.3, -0.5, -9.81]
bodies:
  first: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [0.5, 0, 0], angular_velocity: [0.5, 1, 0]}
  second: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [1.5, 0.2, 0], orientation: {axis: [1, 2, 2], angle: 0.7}}
joints:
  top: {type: revolute, bodies: [ground, first], at: [0, 0, 0], axis: [0.2, 1, 0.1]}
  low: {type: universal, bodies: [first, second], at: [1, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]}
events:
EVENTS
measures:
MEASURES
simulation: {end: 1.5}
"""
WATCHED = {
    "a": "joint_force.top.x - 3",
    "b": "joint_force.low.z + 2",
    "c": "joint_torque.top.x - 1",
    "d": "joint_torque_local.low.x + joint_torque_local.top.y",
    "e": "joint_force_local.low.y - 0.5",
    "f": "der(der(second.x)) + 2",
    "g": "joint_force.top.z - 30 - 5*t",
    "h": "joint_force_local.top.x*first.z + joint_torque.low.y - 1",
}
CRANK = """
name: motor
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 3, inertia: 0.3, position: [0.5, 0]}}
joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0]}}
drivers: {motor: {joint: pin, angle: 0.5*sin(4*t)}}
events: {overload: {when: driver_effort.motor - 19, direction: up, do: stop}}
simulation: {end: 2}
"""


def chain(coordinates: str = "absolute") -> str:
    events = "".join(f"  {name}: {{when: {when}}}\n" for name, when in WATCHED.items())
    measures = "".join(f"  at_{name}: {when}\n" for name, when in WATCHED.items())
    return mechanisms.model(
        CHAIN.replace("EVENTS\n", events).replace("MEASURES\n", measures).replace("name:", f"coordinates: {coordinates}\nname:")
    )


@pytest.fixture(scope="module")
def breaking() -> float:
    """The time at which the force in the pin of PENDULUM reaches 40 N: th below the horizontal, J th'' = m g cos(th), from rest."""
    m, g = 2.0, 9.81
    J = m + 0.01

    def force(th: float) -> float:
        w2, rate = 2.0 * m * g * np.sin(th) / J, m * g * np.cos(th) / J
        return float(np.hypot(m * w2 + m * g * np.sin(th), m * g * np.cos(th) - m * rate)) - 40.0

    th = brentq(force, 0.1, 1.5, xtol=1e-15)
    fall = solve_ivp(
        lambda t, y: [y[1], m * g * np.cos(y[0]) / J], [0.0, 1.0], [0.0, 0.0],
        method="DOP853", rtol=1e-13, atol=1e-13, events=lambda t, y: y[0] - th,
    )  # fmt: skip
    return float(fall.t_events[0][0])


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_a_pin_breaks_at_its_force(method: str, coordinates: str, breaking: float) -> None:
    if (coordinates == "absolute") == (method in ("aba", "kane")) and method != "auto":
        coordinates = "joint" if method in ("aba", "kane") else "absolute"
    if coordinates == "joint" and method == "cfa":
        pytest.skip("cfa takes trees without constraints in joint coordinates")
    text = mechanisms.model(PENDULUM.replace("name:", f"coordinates: {coordinates}\nname:"))
    settings: dict[str, Any] = {"step": 5e-4} if method == "rattle" else {"rtol": 1e-9, "atol": 1e-10}
    result = mbsim.simulate(text, method=method, **settings)
    (event,) = result.events
    assert event["unlocked"] == ["pin"]
    assert event["time"] == pytest.approx(breaking, abs=1e-7 if method in ("rattle", "generalized_alpha") else 1e-9)
    (before,) = np.flatnonzero(result.time == event["time"])
    assert np.hypot(*result["joint_force"][before, 0, :2]) == pytest.approx(40.0, abs=1e-8)
    assert not result["joint_force"][before + 1 :].any()
    v = result["body_velocity"][:, 0, :2]
    close(v[-1], v[before] + [0.0, -9.81 * (0.8 - event["time"])], atol=1e-7)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_finds_it(integrator: str, breaking: float) -> None:
    settings: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-10} if integrator in mechanisms.ADAPTIVE else {"step": 1e-3}
    result = mbsim.simulate(mechanisms.model(PENDULUM), integrator=integrator, **settings)
    assert result.events[0]["time"] == pytest.approx(breaking, abs=1e-7)


@pytest.mark.parametrize(
    "settings", [{"method": "svd"}, {"method": "cfa"}, {"method": "generalized_alpha", "rtol": 1e-9}, {"integrator": "rk4", "step": 1e-3}]
)
def test_what_is_noted_is_what_is_recorded(settings: dict[str, Any]) -> None:
    """At each event its expression, a measure of the result, is zero; and between two rows of different signs there is an event."""
    result = mbsim.simulate(chain(), output_step=0.01, **settings)
    happened = {name: [e["time"] for e in result.events if e["event"] == name] for name in WATCHED}
    assert sum(map(len, happened.values())) > 10 and sum(map(bool, happened.values())) >= 7
    for name, times in happened.items():
        values = result[f"at_{name}"]
        size = np.abs(values).max()
        at = np.searchsorted(result.time, times)
        close(values[at] / size, 0.0, atol=1e-9)
        others = np.delete(values, at)
        crossings = int(np.sum(others[1:] * others[:-1] < 0.0))
        assert crossings == len(times)


def test_a_motor_that_is_overloaded_stops() -> None:
    """Effort J th'' + m g l cos(th) with l = 0.5, J = 0.3 + 3/4."""

    def effort(t: float) -> float:
        th, rate = 0.5 * np.sin(4.0 * t), -8.0 * np.sin(4.0 * t)
        return float(1.05 * rate + 3.0 * 9.81 * 0.5 * np.cos(th)) - 19.0

    t = np.linspace(0.0, 2.0, 2001)
    k = int(np.flatnonzero(np.array([effort(x) for x in t]) > 0.0)[0])
    expected = brentq(effort, t[k - 1], t[k], xtol=1e-15)
    for coordinates in ("absolute", "joint"):
        result = mbsim.simulate(mechanisms.model(CRANK.replace("name:", f"coordinates: {coordinates}\nname:")))
        assert result.time[-1] == pytest.approx(expected, abs=1e-10)


def test_own_coordinates_watch_multipliers() -> None:
    """A bead on a circle leaves it where its weight does not press it on any more: at cos(th) = 2/3 of the top."""
    text = """
coordinates: [x, y]
energy: {kinetic: 0.5*(der(x)^2 + der(y)^2), potential: 9.81*y}
constraints: {circle: {type: holonomic, equation: 0.5*(x^2 + y^2 - 1)}}
events: {leaves: {when: multiplier.circle, do: {unlock: circle}}}
initial: {x: 0.1, y: sqrt(0.99), fix: [x]}
simulation: {end: 2, rtol: 1e-10, atol: 1e-12}
"""
    result = mbsim.simulate(mechanisms.model(text))
    (event,) = result.events
    row = int(np.searchsorted(result.time, event["time"]))
    assert result["y"][row] == pytest.approx(2.0 / 3.0 * np.sqrt(0.99), abs=1e-9)
    assert np.abs(result["energy_balance"]).max() < 1e-8


def test_a_pin_that_breaks_stays_broken_and_can_be_locked_again() -> None:
    again = "  again: {when: t - 0.5, do: {lock: pin}}\nsimulation"
    result = mbsim.simulate(mechanisms.model(PENDULUM.replace("simulation", again)))
    assert [e["event"] for e in result.events][:2] == ["break", "again"]
    assert np.abs(result["energy_balance"]).max() < 1e-6


def test_a_reaction_of_the_tree_is_refused() -> None:
    text = PENDULUM.replace("name:", "coordinates: joint\nname:").replace("{unlock: pin}", "stop")
    with pytest.raises(ModelError, match=r"events\.break\.when: 'joint_force\.pin\.x' cannot be watched: in joint coordinates"):
        mbsim.simulate(mechanisms.model(text))


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ("joint_force.pun.x - 1", "unknown name 'joint_force.pun.x'; did you mean 'joint_force.pin.x'"),
        ("joint_force.pin.w - 1", "unknown name 'joint_force.pin.w'"),
        ("distance(bob, grund) - 1", "unknown"),
        ("energy_kinetic - 1", "unknown name 'energy_kinetic'"),
    ],
)
def test_unknown_names(when: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        mbsim.simulate(mechanisms.model(PENDULUM.replace("sqrt(joint_force.pin.x^2 + joint_force.pin.y^2) - 40", when)))
