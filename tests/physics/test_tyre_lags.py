"""Relaxation lengths and aligning moments of tyres: steps of the slips in closed form, a caster that shimmies, wheels in trees."""

from math import atan, cos, radians, tan
from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.model.file.errors import ModelError

V, LOAD, SIGMA = 20.0, 3000.0, 0.4
CURVE = {"stiffness": 18, "peak": 0.9, "shape": 1.3, "curvature": -1.5}
TRAIL = {"length": 0.035, "factor": 9, "shape": 1.1, "curvature": -0.6}
SIMULATION = {"end": 0.08, "rtol": 1e-10, "atol": 1e-12, "integrator": "dop853", "output_step": 0.004}


def magic(slip: float) -> float:
    """The side force, N, of a slip angle."""
    bx = CURVE["stiffness"] / CURVE["peak"] / CURVE["shape"] * slip
    return LOAD * CURVE["peak"] * np.sin(CURVE["shape"] * atan(bx - CURVE["curvature"] * (bx - atan(bx))))


def trail(slip: float) -> float:
    bx = TRAIL["factor"] * tan(slip)
    return TRAIL["length"] * cos(TRAIL["shape"] * atan(bx - TRAIL["curvature"] * (bx - atan(bx))))


def tyre(kind: str, **rest: Any) -> dict[str, Any]:
    own = {"cornering_stiffness": 5e4, "pneumatic_trail": 0.03} if kind == "linear" else {"lateral": CURVE, "trail": TRAIL}
    return {"type": f"{kind}_tyre", "body": "w", "load": LOAD, "relaxation_length": SIGMA, **own, **rest}


def pushed(kind: str, dimension: int, slip: float, **rest: Any) -> Any:
    """A wheel that is led at a constant slip angle from the start on, its spin given in space."""
    side = -V * tan(slip)
    if dimension == 2:
        body, names = {"mass": 20, "inertia": 1, "velocity": [V, side]}, {"x": V, "y": side, "angle": 0}
        force = tyre(kind, axis=[0, 1], **rest)
    else:
        body = {"mass": 20, "inertia": [1, 2, 1], "position": [0, 0, 0.3], "velocity": [V, side, 0]}
        names = {"x": V, "y": side, "z": 0}
        force = tyre(kind, axis=[0, 1, 0], radius=0.3, **rest)
    drivers = {n: {"coordinate": f"w.{n}", "value": f"{0.3 if n == 'z' else 0} + {v}*t"} for n, v in names.items()}
    source = {"name": "led wheel", "dimension": dimension, "bodies": {"w": body}, "drivers": drivers}
    return {**source, "forces": {"T": force}, "simulation": SIMULATION}


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("kind", ["linear", "pacejka"])
def test_a_step_of_the_slip_angle(kind: str, dimension: int) -> None:
    """sigma v' + |V| v = sigma |V| tan(alpha): the deflection is a first-order lag of the time sigma / |V|."""
    slip = radians(4)
    source = pushed(kind, dimension, slip)
    if dimension == 3:  # it rolls freely, and is not turned by the moment
        source["bodies"]["w"] |= {"angular_velocity": [0, V / 0.3, 0], "inertia": [1e6, 1e6, 1e6]}
    found = mbsim.simulate(source)
    lagging = np.arctan(tan(slip) * (1.0 - np.exp(-V * found.time / SIGMA)))
    tolerance = 1e-9 if dimension == 2 else 1e-5  # in space the moment turns the wheel a little
    np.testing.assert_allclose(found["T.lateral_deflection"], SIGMA * np.tan(lagging), atol=tolerance)
    wanted = 5e4 * lagging if kind == "linear" else np.array([magic(a) for a in lagging])
    np.testing.assert_allclose(found["force_vector"][:, 0, 1], wanted, atol=1e5 * tolerance)
    if dimension == 2:
        moment = -0.03 * wanted if kind == "linear" else -np.array([trail(a) for a in lagging]) * wanted
        np.testing.assert_allclose(found["driver_effort"][:, 2], -moment, atol=1e-5)
        np.testing.assert_allclose(found["force_torque"][:, 0, 2], moment, atol=1e-5)
    assert np.abs(found["energy_balance"]).max() < 1e-11 * found["energy_kinetic"].max()


def test_the_aligning_moment_turns_a_wheel_back_to_where_it_goes() -> None:
    """A free wheel in space, no lag: the angular acceleration about the normal is -t F_y over its moment of inertia."""
    slip = radians(3)
    for kind in ("linear", "pacejka"):
        source = pushed(kind, 3, slip)
        del source["forces"]["T"]["relaxation_length"]
        source["bodies"]["w"] |= {"angular_velocity": [0, V / 0.3, 0]}
        system = mbsim.assemble(mechanisms.model(source))
        t, q, v = system.start, system.q, system.v
        side = 5e4 * slip if kind == "linear" else magic(slip)
        arm = 0.03 if kind == "linear" else trail(slip)
        load = system.system.h(t, q, v)
        assert load[1] == pytest.approx(side, rel=1e-10) and load[5] == pytest.approx(-arm * side, rel=1e-10)


def test_a_step_of_the_slip_ratio() -> None:
    """A wheel whose spin is given: u' = -u.x - |V| u / sigma, and kappa = u / sigma goes to -u.x / |V|."""
    ratio, radius = 0.08, 0.3
    source = pushed("linear", 3, 0.0, slip_stiffness=4e4, longitudinal_relaxation_length=0.25)
    source["joints"] = {"axle": {"type": "cylindrical", "bodies": ["ground", "w"], "at": [0, 0, radius], "axis": [0, 1, 0]}}
    source["bodies"] = {"w": {"mass": 20, "inertia": [1, 2, 1], "position": [0, 0, radius]}, "belt": {"mass": 50, "inertia": [9, 9, 9]}}
    source["joints"]["bed"] = {"type": "prismatic", "bodies": ["ground", "belt"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    source["drivers"] = {
        "spin": {"joint": "axle", "angle": f"{V * (1 + ratio) / radius}*t"},
        "hold": {"joint": "axle", "displacement": 0},
        "belt": {"joint": "bed", "displacement": f"-{V}*t"},
    }
    source["forces"]["T"] |= {"road": "belt"}
    for coordinates in ({}, {"coordinates": "joint"}):
        found = mbsim.simulate({**source, **coordinates})
        lagging = ratio * (1.0 - np.exp(-V * found.time / 0.25))
        np.testing.assert_allclose(found["T.longitudinal_deflection"], 0.25 * lagging, atol=1e-10)
        np.testing.assert_allclose(found["force_vector"][:, 0, 0], 4e4 * lagging, atol=1e-4)


CASTER = """
name: caster
dimension: 2
parameters: {V: 8, a: 0.05, c: 0.2, k: 3.0e4, sigma: 0.3, trail: 0.02}
bodies:
  king: {mass: 1, inertia: 1, velocity: [V, 0]}
  arm: {mass: 4, inertia: 0.15, velocity: [V, 0], position: [-c, 0], points: {pin: [c, 0], wheel: [c - a, 0]}}
joints: {pin: {type: revolute, points: [king, arm.pin]}}
drivers:
  x: {coordinate: king.x, value: V*t}
  y: {coordinate: king.y, value: 0}
  turn: {coordinate: king.angle, value: 0}
forces:
  tyre:
    {type: linear_tyre, body: arm.wheel, axis: [0, 1], load: 2000, cornering_stiffness: k, relaxation_length: sigma, pneumatic_trail: trail}
simulation: {end: 1, step: 0.001}
"""


@pytest.mark.parametrize("speed", [2.0, 8.0, 40.0])
def test_a_caster_shimmies_as_in_the_closed_form(speed: float) -> None:
    """A wheel on an arm behind a pin that travels along x: three states in closed form (`caster`)."""
    wanted = np.sort_complex(np.linalg.eigvals(caster(speed, 0.05, 0.2, 3.0e4, 0.3, 0.02)))
    found = mbsim.modes(CASTER, at="start", parameters={"V": speed})
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(found.A)), wanted, rtol=1e-7)


def caster(speed: float, a: float, c: float, k: float, sigma: float, t: float) -> np.ndarray:
    """d/dt of (psi, psi', v). The wheel at -a ahead of the pin moves to its left with -a psi' - V psi."""
    side = k / sigma  # force to the left over the deflection
    return np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -(a + t) * side / (0.15 + 4 * c**2)], [speed, a, -speed / sigma]])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"relaxation_length": 0}, "relaxation_length: must be greater than 0"),
        ({"longitudinal_relaxation_length": 0.1}, "leave out longitudinal_relaxation_length"),
        ({"pneumatic_trail": -0.1}, "pneumatic_trail: must not be negative"),
        ({"trail": TRAIL}, "unknown key 'trail'"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], said: str) -> None:
    source = pushed("linear", 2, 0.1)
    source["forces"]["T"] |= change
    with pytest.raises(ModelError, match=said):
        mbsim.load_model(source)


def test_a_trail_that_grows_again_is_refused() -> None:
    source = pushed("pacejka", 2, 0.1)
    source["forces"]["T"]["trail"] = {**TRAIL, "curvature": 1.5}
    with pytest.raises(ModelError, match="curvature must not be greater than 1"):
        mbsim.load_model(source)
