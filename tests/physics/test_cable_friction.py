"""Dry friction of cables on rims: Eytelwein's formula where they slide, rest where they do not, and equations derived and integrated here.

T_1/T_2 = exp(mu angle): L. Euler, Remarques sur l'effet du frottement dans l'equilibre, 1762; J. A. Eytelwein, Handbuch der Statik, 1808.
"""

from math import atan2, exp, hypot, log, pi, sqrt, tanh
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close
from scipy.integrate import solve_ivp

import mbsim
from mbsim.model.file.errors import ModelError

G, MU = 9.81, 0.2
PRECISE = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12}
METHODS = ("lagrange", "nullspace", "svd", "riemann", "cfa")


def model(bodies: dict[str, Any], joints: dict[str, Any], path: list[Any], rest: dict[str, Any] | None = None) -> Any:
    source = {"dimension": 2, "gravity": [0, -G], "bodies": bodies, "joints": joints, "simulation": {"end": 0.5, "output_step": 0.05}}
    return mechanisms.model(source | {"constraints": {"rope": {"type": "pulley_cable", "path": path}}} | (rest or {}))


def slide(body: str, x: float) -> dict[str, Any]:
    return {"type": "prismatic", "bodies": ["ground", body], "at": [x, 0], "axis": [0, 1]}


def circle(center: str, at: list[float], radius: float, wraps: str, **keys: Any) -> dict[str, Any]:
    return {"center": center, "at": at, "radius": radius, "wraps": wraps, **keys}


def weights(left: float, right: float, speed: float = 0.0, **keys: Any) -> Any:
    """Two weights on a rope over a fixed drum; the left one begins downwards with a speed."""
    bodies = {
        "left": {"mass": left, "inertia": 0.01, "position": [-0.2, 0], "velocity": [0, -speed]},
        "right": {"mass": right, "inertia": 0.01, "position": [0.2, -0.5], "velocity": [0, speed]},
    }
    path = ["left", circle("ground", [0, 2], 0.2, "clockwise", friction=MU, **keys), "right"]
    return model(bodies, {"l": slide("left", -0.2), "r": slide("right", 0.2)}, path)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("left", "right"), [(4.0, 1.0), (1.0, 4.0)])
def test_the_heavier_weight_slides_down(method: str, left: float, right: float) -> None:
    """m1 (g - a) = exp(mu pi) m2 (g + a); the multiplier is the mean tension, half of the friction is what each side has more or less."""
    result = mbsim.simulate(weights(left, right), method=method, **PRECISE)
    heavy, light, E, t = max(left, right), min(left, right), exp(MU * pi), result["time"]
    a = G * (heavy - light * E) / (heavy + light * E)
    assert a > 0.0
    fallen = -result.select("body_position", "left" if left > right else "right")[:, 1]
    close(fallen - fallen[0], 0.5 * a * t**2, atol=1e-10)
    T_1, T_2 = heavy * (G - a), light * (G + a)
    close(T_1 / T_2, E, atol=1e-12)
    close(result.select("multiplier", "rope"), 0.5 * (T_1 + T_2), atol=1e-8)
    close(np.abs(result.select("force_effort", "rope_friction")), T_1 - T_2, atol=1e-8)


@pytest.mark.parametrize(
    ("left", "static", "holds"),
    [(1.85, {}, True), (1.9, {}, False), (2.5, {"static": 0.3}, True), (2.6, {"static": 0.3}, False)],
)
def test_what_the_friction_holds_rests(left: float, static: dict[str, float], holds: bool) -> None:
    """exp(0.2 pi) = 1.8745, exp(0.3 pi) = 2.5663."""
    result = mbsim.simulate(weights(left, 1.0, **static), **PRECISE)
    fallen = result.select("body_position", "left")[:, 1]
    assert (np.ptp(fallen) < 1e-14) == holds
    if holds:
        (touching,) = mbsim.equilibrium(weights(left, 1.0, **static)).touching
        assert touching.name == "rope_friction" and touching.sticks
        close(touching.used, tanh(0.5 * log(left)) / tanh(0.5 * static.get("static", MU) * pi), atol=1e-12)


def test_a_sliding_rope_comes_to_rest_and_stays() -> None:
    """A ratio of 1.5 is held, so the weights are slowed down by (m1 g - E m2 g)/(m1 + E m2)."""
    result = mbsim.simulate(weights(1.5, 1.0, speed=0.4), end=1.0, **PRECISE)
    E, t = exp(MU * pi), result["time"]
    a = G * (1.5 - E) / (1.5 + E)
    stop = -0.4 / a
    t = np.minimum(t, stop)
    close(-result.select("body_position", "left")[:, 1], 0.4 * t + 0.5 * a * t**2, atol=1e-9)
    late = result["time"] > stop + 0.05
    assert late.sum() > 5 and (np.abs(result.select("body_velocity", "left")[late]) < 1e-12).all()
    close(result.select("multiplier", "rope_friction")[late], np.full(late.sum(), 0.5 * G), atol=1e-9)


def test_a_capstan_of_several_turns() -> None:
    result = mbsim.simulate(weights(200.0, 1.0, turns=2), **PRECISE)
    E, t = exp(MU * 5.0 * pi), result["time"]
    a = G * (200.0 - E) / (200.0 + E)
    close(-result.select("body_position", "left")[:, 1], 0.5 * a * t**2, atol=1e-9)


def test_the_angle_changes_with_the_motion() -> None:
    """A weight pulls a slider along a rail below the drum: the cable lies on less and less of it. Lagrange's equations of one freedom."""
    R, h, m, M = 0.2, 1.5, 3.0, 2.0
    bodies = {
        "left": {"mass": m, "inertia": 0.01, "position": [-R, 0]},
        "right": {"mass": M, "inertia": 0.01, "position": [1.5, 2.0 - h]},
    }
    rail = {"type": "prismatic", "bodies": ["ground", "right"], "at": [1.5, 2.0 - h], "axis": [1, 0]}
    path = ["left", circle("ground", [0, 2], R, "clockwise", friction=0.35), "right"]
    result = mbsim.simulate(model(bodies, {"l": slide("left", -R), "r": rail}, path), end=0.6, output_step=0.02, **PRECISE)

    def straight(x: float) -> tuple[float, float, float, float]:
        """Length of the straight part to the slider, direction of the cable on its way there, and how much of the drum it lies on."""
        ell = sqrt(x * x + h * h - R * R)
        ux, uy = (ell * x - R * h) / (x * x + h * h), (-ell * h - R * x) / (x * x + h * h)
        return ell, ux, uy, 0.5 * pi - atan2(uy, ux)

    def rates(t: float, z: np.ndarray) -> list[float]:
        x, v = z
        _, ux, _, angle = straight(x)
        # length of the cable: drop + R angle + ell; its rate along the slider is that of the end along the cable
        slope, E = ux, exp(0.35 * angle)
        step = 1e-6
        second = (straight(x + step)[1] - straight(x - step)[1]) / (2 * step)  # d(ux)/dx
        # drop_dd = -(ux x_dd + second v^2); m (g - drop_dd) = T_1, M x_dd = -T_2 ux, T_1 = E T_2
        # m (g + ux a + second v^2) = -E M a/ux
        a = -m * (G + second * v * v) / (m * slope + E * M / slope)
        return [v, a]

    t = result["time"]
    expected = solve_ivp(rates, (0.0, 0.6), [1.5, 0.0], "DOP853", t, rtol=1e-11, atol=1e-12)
    close(result.select("body_position", "right")[:, 0], expected.y[0], atol=2e-9)
    turned = straight(1.5)[3] - straight(float(expected.y[0][-1]))[3]
    assert abs(turned) > 0.1  # rad


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_band_brake_stops_a_drum(sense: float) -> None:
    """The band is fixed at one end and pulled by a weight at the other: the torque is m g R (E - 1) or m g R (1 - 1/E) by the sense."""
    R, I, m = 0.3, 0.4, 5.0
    bodies = {
        "drum": {"mass": 10, "inertia": I, "position": [0, 0], "angular_velocity": sense * 8.0},
        "weight": {"mass": m, "inertia": 0.01, "position": [R, -1]},
    }
    joints = {"axle": {"type": "revolute", "bodies": ["ground", "drum"], "at": [0, 0]}, "w": slide("weight", R)}
    path = [{"point": "ground", "at": [-R, -1]}, circle("drum", [0, 0], R, "clockwise", friction=0.3), "weight"]
    result = mbsim.simulate(model(bodies, joints, path), end=1.0, output_step=0.01, **PRECISE)
    E, t = exp(0.3 * pi), result["time"]
    torque = m * G * R * (E - 1.0 if sense < 0.0 else 1.0 - 1.0 / E)  # the drum drags the band from its fixed end where it turns clockwise
    stop = 8.0 * I / torque
    assert stop < 0.9
    close(sense * result.select("body_angular_velocity", "drum")[:, 2], np.maximum(0.0, 8.0 - torque / I * t), atol=1e-8)
    assert (np.abs(result.select("body_velocity", "weight")) < 1e-10).all()


def test_what_does_not_slide_grips() -> None:
    """A light pulley turns with the rope, as one that grips."""

    def atwood(keys: dict[str, Any]) -> Any:
        bodies = {
            "left": {"mass": 3, "inertia": 0.01, "position": [-0.2, 0]},
            "right": {"mass": 2, "inertia": 0.01, "position": [0.2, -0.5]},
            "wheel": {"mass": 1, "inertia": 0.06, "position": [0, 2]},
        }
        axle = {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 2]}
        path = ["left", circle("wheel", [0, 2], 0.2, "clockwise", **keys), "right"]
        return mbsim.simulate(model(bodies, {"l": slide("left", -0.2), "r": slide("right", 0.2), "axle": axle}, path), **PRECISE)

    rubs, grips, slips = atwood({"friction": 0.2}), atwood({"grips": True}), atwood({"friction": 0.02})
    close(rubs["body_position"], grips["body_position"], atol=1e-10)
    mean, apart = rubs.select("multiplier", "rope"), rubs.select("multiplier", "rope_friction")
    close(mean + 0.5 * apart, grips.select("multiplier", "rope.part1"), atol=1e-8)
    # one that slides: T_1 = E T_2, and the wheel is turned by their difference
    E = exp(0.02 * pi)
    a = G * (3 - 2 * E) / (3 + 2 * E)
    alpha = (3 * (G - a) - 2 * (G + a)) * 0.2 / 0.06
    assert alpha * 0.2 < a
    t = slips["time"]
    close(slips.select("body_angular_velocity", "wheel")[:, 2], alpha * t, atol=1e-9)
    close(-slips.select("body_position", "left")[:, 1], 0.5 * a * t**2, atol=1e-10)


def test_in_space_as_in_the_plane() -> None:
    bodies = {
        "left": {"mass": 4, "inertia": [0.01, 0.01, 0.01], "position": [-0.2, 0, 0]},
        "right": {"mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [0.2, 0, -0.5]},
    }
    joints = {name: {"type": "prismatic", "bodies": ["ground", name], "at": bodies[name]["position"], "axis": [0, 0, 1]} for name in bodies}
    path = ["left", circle("ground", [0, 0, 2], 0.2, "counterclockwise", axis=[0, 1, 0], friction=MU), "right"]
    source = {"gravity": [0, 0, -G], "bodies": bodies, "joints": joints, "simulation": {"end": 0.5, "output_step": 0.05}}
    made = mechanisms.model(source | {"constraints": {"rope": {"type": "pulley_cable", "path": path}}})
    result = mbsim.simulate(made, **PRECISE)
    E, t = exp(MU * pi), result["time"]
    close(-result.select("body_position", "left")[:, 2], 0.5 * G * (4 - E) / (4 + E) * t**2, atol=1e-10)


def test_two_drums_with_a_gripping_wheel_between_them() -> None:
    """Each part between the ends and the wheel has a circle with friction of its own."""
    bodies = {
        "left": {"mass": 6, "inertia": 0.01, "position": [-0.2, 0]},
        "right": {"mass": 1, "inertia": 0.01, "position": [2.2, -0.5]},
        "wheel": {"mass": 1, "inertia": 0.06, "position": [1, 1.5]},
    }
    axle = {"type": "revolute", "bodies": ["ground", "wheel"], "at": [1, 1.5]}
    path = [
        "left", circle("ground", [0, 2], 0.2, "clockwise", friction=0.1), circle("wheel", [1, 1.5], 0.2, "counterclockwise", grips=True),
        circle("ground", [2, 2], 0.2, "clockwise", friction=0.15), "right",
    ]  # fmt: skip
    result = mbsim.simulate(model(bodies, {"l": slide("left", -0.2), "r": slide("right", 2.2), "axle": axle}, path), **PRECISE)
    # tangents from a circle to one below it on the other side of the cable: sin of the slope from the distance of the centres
    apart = hypot(1.0, 0.5)
    slope = np.arcsin(0.4 / apart) + np.arctan2(0.5, 1.0)
    E_1, E_2 = exp(0.1 * (0.5 * pi + slope)), exp(0.15 * (0.5 * pi + slope))
    # 6 (g - a) = E_1 T, (g + a) E_2 = T', T - T' = I a/r^2
    a = (6 * G / E_1 - E_2 * G) / (6 / E_1 + E_2 + 0.06 / 0.04)
    t = result["time"]
    close(-result.select("body_position", "left")[:, 1], 0.5 * a * t**2, atol=1e-10)


TEXT = """dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [-0.2, 0]}
  b: {mass: 1, inertia: 1, position: [0.2, 0]}
KIND:
  rope:
    type: pulley_cable
    path: [a, {center: ground, at: [0, 2], radius: 0.2, wraps: clockwise, KEYS}, b]
    MORE
simulation: {end: 1}
"""
TWO = "friction: 0.2}, {center: ground, at: [1, 2], radius: 0.1, wraps: clockwise, friction: 0.1"


@pytest.mark.parametrize(
    ("kind", "keys", "more", "said"),
    [
        ("constraints", "friction: -0.1", "", "cable.yaml:8:85: constraints.rope.path[1].friction: must not be negative (got -0.1)"),
        ("constraints", "friction: 0.2, static: 0.1", "", "static goes with 'friction', and is not less than it"),
        ("constraints", "static: 0.1", "", "static goes with 'friction'"),
        ("constraints", "friction: 0.2, grips: true", "", "a pulley that grips holds by any friction that is needed"),
        ("constraints", "friction: 0.2", "slack: true", "leave out 'friction', or 'slack'"),
        ("constraints", "friction: 0.2", "locked: false", "leave out 'locked', or 'friction'"),
        ("constraints", TWO, "", "one circle with friction between"),
        ("forces", "friction: 0.2", "EA: 100", "a cable that stretches slides without friction"),
    ],
)  # fmt: skip
def test_what_cannot_rub_says_why(kind: str, keys: str, more: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "cable.yaml"
    path.write_text(TEXT.replace("KIND", kind).replace("KEYS", keys).replace("MORE", more))
    with pytest.raises(ModelError) as caught:
        mbsim.load_model(path)
    assert said in str(caught.value)


def test_joint_coordinates_do_not_know_it(tmp_path: Path) -> None:
    path = tmp_path / "cable.yaml"
    path.write_text("coordinates: joint\n" + TEXT.replace("KIND", "constraints").replace("KEYS", "friction: 0.2").replace("MORE", ""))
    with pytest.raises(ModelError, match="friction on a rim depends on the tension"):
        mbsim.load_model(path)
