"""Tyres: the magic formula with published coefficients, single-track cars in closed form, the spring of a leaning wheel."""

from math import atan, degrees, exp, radians, sin, tan
from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim.model.file.errors import ModelError

RADIUS, SPEED = 0.3, 20.0
# Bakker, Nyborg & Pacejka, SAE 870421 (1987), table 1: a_1 ... a_8 for forces in N, loads in kN, angles in degrees, slips in percent.
SIDE = (-22.1, 1011.0, 1078.0, 1.82, 0.208, 0.000, -0.354, 0.707)
BRAKE = (-21.3, 1144.0, 49.6, 226.0, 0.069, -0.006, 0.056, 0.486)
LOADS = (2.0, 4.0, 6.0, 8.0)  # kN


def published(a: tuple[float, ...], load: float, shape: float, side: bool) -> tuple[float, float, float, float]:
    """B, C, D, E."""
    D = a[0] * load**2 + a[1] * load
    BCD = a[2] * sin(a[3] * atan(a[4] * load)) if side else (a[2] * load**2 + a[3] * load) / exp(a[4] * load)
    return BCD / (shape * D), shape, D, a[5] * load**2 + a[6] * load + a[7]


def magic(x: float, B: float, C: float, D: float, E: float) -> float:
    """The formula as it is printed."""
    return D * sin(C * atan((1 - E) * B * x + E * atan(B * x)))


def curve(a: tuple[float, ...], load: float, shape: float, side: bool) -> dict[str, float]:
    """The block of the model file at a load in kN."""
    B, C, D, E = published(a, load, shape, side)
    slope = B * C * D * (degrees(1) if side else 100.0)  # by rad, by the slip itself
    return {"stiffness": slope / (1e3 * load), "peak": D / (1e3 * load), "shape": C, "curvature": E}


def wheel(force: dict[str, Any], velocity: list[float], spin: float, **body: Any) -> Any:
    block = {"mass": 20, "inertia": [1, 2, 1], "position": [0, 0, RADIUS], "velocity": velocity, "angular_velocity": [0, spin, 0], **body}
    source = {
        "name": "wheel",
        "bodies": {"w": block},
        "forces": {"T": {"body": "w", "axis": [0, 1, 0], "radius": RADIUS, **force}},
        "simulation": {"end": 1e-3, "step": 1e-4},
    }
    return mbsim.simulate(mbsim.load_model(source))


@pytest.mark.parametrize("load", LOADS)
def test_pure_slips_are_the_published_formula(load: float) -> None:
    curves = {"lateral": curve(SIDE, load, 1.30, True), "longitudinal": curve(BRAKE, load, 1.65, False)}
    force = {"type": "pacejka_tyre", "load": 1e3 * load, **curves}
    for angle in (-12.0, 1.0, 4.0, 8.0, 15.0):  # degrees
        found = wheel(force, [SPEED, -SPEED * tan(radians(angle)), 0], SPEED / RADIUS)["force_vector"][0, 0]
        assert found[1] == pytest.approx(magic(angle, *published(SIDE, load, 1.30, True)), rel=1e-10)
        assert found[0] == pytest.approx(0.0, abs=1e-6)
        assert found[2] == 1e3 * load
    for slip in (-60.0, -10.0, 3.0, 20.0):  # percent
        found = wheel(force, [SPEED, 0, 0], SPEED * (1 + slip / 100) / RADIUS)["force_vector"][0, 0]
        assert found[0] == pytest.approx(magic(slip, *published(BRAKE, load, 1.65, False)), rel=1e-10)


def test_the_peak_of_the_published_side_force() -> None:
    """At 4 kN, D = -22.1 16 + 1011 4 = 3690.4 N by hand; the curve has it where its inner arc tangent is pi / (2 C)."""
    force = {"type": "pacejka_tyre", "load": 4000, "lateral": curve(SIDE, 4.0, 1.30, True)}
    sides = [wheel(force, [SPEED, -SPEED * tan(radians(a)), 0], SPEED / RADIUS)["force_vector"][0, 0, 1] for a in np.linspace(4, 20, 65)]
    assert max(sides) == pytest.approx(3690.4, rel=1e-4)


def test_combined_slips_stay_within_the_ellipse_and_change_with_the_load() -> None:
    curves = {"lateral": curve(SIDE, 4.0, 1.30, True), "longitudinal": curve(BRAKE, 4.0, 1.65, False)}
    curves["lateral"]["peak_change"] = -0.1
    force = {"type": "pacejka_tyre", "load": 6000, "nominal_load": 4000, **curves}
    for slip in (0.02, 0.1, 0.4):
        for angle in (1.0, 6.0, 14.0):
            fx, fy, _ = wheel(force, [SPEED, -SPEED * tan(radians(angle)), 0], SPEED * (1 + slip) / RADIUS)["force_vector"][0, 0]
            most_x, most_y = 6000 * curves["longitudinal"]["peak"], 6000 * (curves["lateral"]["peak"] - 0.05)
            assert (fx / most_x) ** 2 + (fy / most_y) ** 2 <= 1.0 + 1e-12
            alone = wheel(force, [SPEED, -SPEED * tan(radians(angle)), 0], SPEED / RADIUS)["force_vector"][0, 0, 1]
            assert 0.0 < fy < alone


CAR = """
name: single track
dimension: 2
parameters: {m: 1500, a: 1.2, b: 1.5, V: 20, steer: 0.01, kf: 9e4, kr: 1.1e5}
bodies: {car: {mass: m, inertia: 2500, velocity: [V, 0], points: {front: [a, 0], rear: [-b, 0]}}}
forces:
  front: {type: %s, body: car.front, axis: [-sin(steer), cos(steer)], load: 8200, %s}
  rear: {type: %s, body: car.rear, axis: [0, 1], load: 6500, %s}
  engine: {type: force, body: car, value: [push*cos(car.angle), push*sin(car.angle)]}
let: {push: "2e5*(V - der(car.x)*cos(car.angle) - der(car.y)*sin(car.angle))"}
simulation: {end: 4, rtol: 1e-9, atol: 1e-10, output_step: 0.1}
"""


@pytest.mark.parametrize("tyre", ["linear", "pacejka"])
def test_a_car_turns_as_in_the_closed_form(tyre: str) -> None:
    """The steady yaw rate V steer / (L + m V^2 (b k_r - a k_f) / (L k_f k_r)) of the single track, for small angles."""
    m, a, b, V, steer, kf, kr = 1500, 1.2, 1.5, 20.0, 0.001, 9e4, 1.1e5
    if tyre == "linear":
        laws = ["linear_tyre", "cornering_stiffness: kf", "linear_tyre", "cornering_stiffness: kr"]
    else:
        curves = [f"lateral: {{stiffness: {k / n}, peak: 1, shape: 1.3, curvature: -1}}" for k, n in ((kf, 8200), (kr, 6500))]
        laws = ["pacejka_tyre", curves[0], "pacejka_tyre", curves[1]]
    found = mbsim.simulate(mbsim.load_model(CAR % tuple(laws)), parameters={"steer": steer})
    wanted = V * steer / (a + b + m * V**2 * (b * kr - a * kf) / ((a + b) * kf * kr))
    assert found["v"][-1, 2] == pytest.approx(wanted, rel=1e-3)


def test_a_leaning_wheel_on_its_spring_keeps_its_energy() -> None:
    """Without slip stiffness the road pushes by the spring alone, also a wheel that leans and turns: energy stays, and thrust is radial."""
    force = {"type": "linear_tyre", "stiffness": 2e5, "cornering_stiffness": 0}
    block = {"mass": 20, "inertia": [1, 2, 1], "position": [0, 0, 0.28], "angular_velocity": [2.0, 30, 1.0], "velocity": [9, 0, 0]}
    block["orientation"] = {"axis": [1, 0, 0], "angle": 0.3}
    source = {
        "name": "leaning",
        "bodies": {"w": block},
        "forces": {"T": {"body": "w", "axis": [0, 0.955336489125606, 0.29552020666133955], "radius": RADIUS, **force}},
        "simulation": {"end": 0.02, "rtol": 1e-10, "atol": 1e-12},
    }
    found = mbsim.simulate(mbsim.load_model(source))
    assert np.ptp(found["energy_potential"]) > 1.0
    assert np.abs(found["energy_balance"]).max() < 1e-7
    assert np.abs(found["energy_work"]).max() < 1e-9


def test_a_leaning_wheel_is_pushed_to_where_it_leans_and_friction_bounds_the_force() -> None:
    lean = 0.2  # about x: the top leans to the right, -y
    upright = {"orientation": {"axis": [1, 0, 0], "angle": lean}, "position": [0, 0, RADIUS * np.cos(lean)]}
    force = {"type": "linear_tyre", "load": 4000, "cornering_stiffness": 5e4, "slip_stiffness": 6e4, "camber_stiffness": 900}
    axis = [0, float(np.cos(lean)), float(np.sin(lean))]
    spin = [0, float(SPEED / RADIUS * np.cos(lean)), float(SPEED / RADIUS * np.sin(lean))]
    found = wheel({**force, "axis": axis}, [SPEED, 0, 0], 0.0, **{**upright, "angular_velocity": spin})["force_vector"][0, 0]
    np.testing.assert_allclose(found, [0, -900 * lean, 4000], atol=1e-6)
    bound = wheel({**force, "friction": 0.5}, [SPEED, -3, 0], 1.2 * SPEED / RADIUS)["force_vector"][0, 0]
    assert np.hypot(*bound[:2]) == pytest.approx(2000)
    assert bound[1] / bound[0] == pytest.approx(5e4 * atan(3 / SPEED) / (6e4 * 0.2))


BAD = [
    ({"load": 1000}, "missing key 'cornering_stiffness'"),
    ({"load": 1000, "stiffness": 1, "cornering_stiffness": 1}, "give either 'load' or 'stiffness'"),
    ({"load": 1000, "damping": 1, "cornering_stiffness": 1}, "missing key 'stiffness' (it goes with 'damping')"),
    ({"load": 1000, "cornering_stiffness": 1, "road": "w"}, "a tyre needs two different bodies (got 'w' twice)"),
    (
        {"load": 1000, "cornering_stiffness": 1, "normal": [0, 1, 0]},
        "the axis is along the normal of the road: a wheel that lies flat has no point of contact",
    ),
    ({"type": "pacejka_tyre", "stiffness": 1e5, "lateral": {"stiffness": 1, "peak": 1, "shape": 1}}, "missing key 'nominal_load'"),
    ({"type": "pacejka_tyre", "load": 1, "lateral": {"stiffness": 1, "peak": 1, "shape": 1, "curvature": 2}}, "must not be greater than 1"),
]


@pytest.mark.parametrize(("keys", "message"), BAD)
def test_wrong_tyres_are_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        wheel({"type": "linear_tyre", **keys}, [1, 0, 0], 0)
    assert message in str(caught.value)
