"""Drivers against closed forms: the motion, the effort that it needs and its work, in absolute and in joint coordinates."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.analysis.redundancy import redundancy
from mbsim.results import Result

RUNS = [("svd", "absolute"), ("lagrange", "absolute"), ("cfa", "absolute"), ("svd", "joint"), ("lagrange", "joint")]
every_run = pytest.mark.parametrize(("method", "coordinates"), RUNS)


def run(source: dict[str, Any], method: str, coordinates: str, end: float = 2.0, step: float = 2e-3) -> Result:
    model = mechanisms.model({**source, "coordinates": coordinates, "simulation": {"end": end, "step": step}})
    result = mbsim.simulate(model, method=method)
    close(result["energy_balance"], 0.0, atol=2e-10)
    close(result["residual_position"], 0.0, atol=1e-9)
    close(result["residual_velocity"], 0.0, atol=1e-9)
    return result


@every_run
def test_point_along_a_curve(method: str, coordinates: str) -> None:
    """The force on a point mass is m (r'' - g); its work is the gain of energy."""
    source = {
        "dimension": 2,
        "gravity": [0, -9.81],
        "bodies": {"b": {"mass": 0.5, "inertia": 0.1, "position": [1.2, 0]}},
        "drivers": {
            "tool": {"point": "b", "x": "1 + 0.2*cos(3*t)", "y": "0.1*sin(3*t)"},
            "turn": {"coordinate": "b.angle", "value": "t^2"},
        },
    }
    result = run(source, method, coordinates)
    t = result.time
    assert result.labels("driver") == ["tool.x", "tool.y", "turn"]
    close(result.select("driver_effort", "tool.x"), -0.5 * 1.8 * np.cos(3 * t), atol=1e-9)
    close(result.select("driver_effort", "tool.y"), 0.5 * (9.81 - 0.9 * np.sin(3 * t)), atol=1e-9)
    close(result.select("driver_effort", "turn"), 0.2, atol=1e-10)
    gained = 0.5 * 9.81 * 0.1 * np.sin(3 * t) + 0.25 * ((0.6 * np.sin(3 * t)) ** 2 + (0.3 * np.cos(3 * t)) ** 2 - 0.09) + 0.05 * 4 * t**2
    close(result["energy_work"], gained, atol=1e-9)


FAN = {
    "bodies": {"b": {"mass": 2, "inertia": [1, 1, 0.4], "position": [0, 0, 0]}},
    "joints": {"axle": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
}


@every_run
@pytest.mark.parametrize(
    ("driver", "atol"),
    [
        ({"joint": "axle", "angle": "5*t + 0.5*t^2"}, 1e-9),
        ({"joint": "axle", "speed": "5 + t"}, 1e-9),
        ({"coordinate": "der(axle.angle)", "value": "5 + t"}, 1e-9),
    ],
    ids=["angle", "speed", "state"],
)
def test_many_turns(driver: dict[str, Any], atol: float, method: str, coordinates: str) -> None:
    """The torque is I times the angular acceleration over a dozen turns; a start at rest is brought to the driven speed."""
    result = run({**FAN, "drivers": {"motor": driver}}, method, coordinates, end=8.0)
    t = result.time
    close(result.select("driver_effort", "motor"), 0.4, atol=1e-8)
    close(result.select("body_angular_velocity", "b", "z"), 5 + t, atol=1e-9)
    close(result["energy_work"], 0.2 * ((5 + t) ** 2 - 25), atol=1e-8)
    half = 0.5 * (5 * t[-1] + 0.5 * t[-1] ** 2)
    close(np.abs(result.select("body_orientation", "b")[-1][[0, 3]]), np.abs([np.cos(half), np.sin(half)]), atol=1e-7)


@every_run
@pytest.mark.parametrize("by", ["points", "joint"])
def test_hydraulic_cylinder(by: str, method: str, coordinates: str) -> None:
    """A column on a guide that is lifted: the thrust is m (g + L'')."""
    source: dict[str, Any] = {
        "gravity": [0, 0, -9.81],
        "bodies": {"b": {"mass": 3, "inertia": [1, 1, 1], "position": [0, 0, 1], "points": {"P": [0, 0, -0.2]}}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "b"], "at": [0, 0, 1], "axis": [0, 0, 1]}},
        "drivers": {"jack": {"points": ["ground", "b.P"], "length": "0.8 + 0.1*sin(4*t)"}},
    }
    if by == "joint":
        source["joints"]["rod"] = {"type": "distance", "points": ["ground", "b.P"]}
        source["drivers"]["jack"] = {"joint": "rod", "length": "0.8 + 0.1*sin(4*t)"}
    result = run(source, method, coordinates)
    t = result.time
    close(result.select("driver_effort", "jack"), 3 * (9.81 - 1.6 * np.sin(4 * t)), atol=1e-8)
    close(result.select("body_position", "b", "z"), 1 + 0.1 * np.sin(4 * t), atol=1e-9)


@every_run
def test_angular_speed_about_a_body_axis(method: str, coordinates: str) -> None:
    """A free body whose spin is driven: torque about that axis I3 w3' + (I2 - I1) w1 w2; Euler's equations leave the others free."""
    source = {
        "bodies": {"b": {"mass": 1, "inertia": [0.2, 0.3, 0.4], "angular_velocity": [0.5, 0.2, 0.1]}},
        "drivers": {"wheel": {"coordinate": "b.omega.z", "value": "0.1 + 2*t"}},
    }
    result = run(source, method, coordinates, step=1e-3)
    w = [result.select("v", f"b.omega.{c}") for c in "xyz"]
    close(w[2], 0.1 + 2 * result.time, atol=1e-9)
    close(result.select("driver_effort", "wheel"), 0.4 * 2 + (0.3 - 0.2) * w[0] * w[1], atol=1e-9)


def test_ones_own_coordinate() -> None:
    source = {
        "coordinates": ["s", "theta"],
        "energy": {"kinetic": "(2*der(s)^2 + 2*der(s)*der(theta)*cos(theta) + der(theta)^2)/2", "potential": "-9.81*cos(theta)"},
        "simulation": {"end": 2, "step": 1e-3},
    }
    position = mbsim.simulate(mechanisms.model({**source, "drivers": {"d": {"coordinate": "s", "value": "0.1*(1 - cos(3*t))"}}}))
    speed = mbsim.simulate(mechanisms.model({**source, "drivers": {"d": {"coordinate": "der(s)", "value": "0.3*sin(3*t)"}}}))
    close(position["q"], speed["q"], atol=1e-9)
    close(position["driver_effort"], speed["driver_effort"], atol=1e-8)
    for result in (position, speed):
        a, q, v = result["acceleration"], result["q"], result["v"]
        force = 2 * a[:, 0] + a[:, 1] * np.cos(q[:, 1]) - v[:, 1] ** 2 * np.sin(q[:, 1])
        close(result["driver_effort"][:, 0], force, atol=1e-9)
        close(result["energy_balance"], 0.0, atol=1e-9)


def twice(second: str) -> dict[str, Any]:
    drivers = {"motor": {"joint": "axle", "angle": "2*t"}, "other": {"coordinate": "b.omega.z", "value": second}}
    return {**FAN, "drivers": drivers, "simulation": {"end": 1, "step": 1e-3}}


def test_a_driver_that_says_the_same_again_is_redundant() -> None:
    made = mbsim.assemble(mechanisms.model(twice("2")))
    assert redundancy(made.system, made.start, made.q).groups == [["motor", "other"]]
    close(mbsim.simulate(mechanisms.model(twice("2")), method="svd")["residual_velocity"], 0.0, atol=1e-9)


def test_drivers_that_contradict_each_other_are_named() -> None:
    with pytest.raises(mbsim.ModelError, match=r"velocity residuals of motor .* other .* remain; they contradict each other"):
        mbsim.assemble(mechanisms.model(twice("3")))
    later = {**FAN, "drivers": {"motor": {"joint": "axle", "angle": "2*t"}, "other": {"point": "b.tip", "x": "cos(2*t) + t^3"}}}
    later["bodies"] = {"b": {**FAN["bodies"]["b"], "points": {"tip": [1, 0, 0]}}}
    for method in ("svd", "lagrange", "cfa"):
        with pytest.raises(mbsim.SimulationError, match=r"stopped at t = 0\.?\d* s: .*other"):
            mbsim.simulate(mechanisms.model({**later, "simulation": {"end": 1, "step": 1e-3}}), method=method)


@pytest.mark.parametrize("method", ["svd", "lagrange", "nullspace", "riemann", "cfa", "rattle"])
def test_speeds_that_part_in_the_run_end_it_with_their_names(method: str) -> None:
    """Two drivers of one speed agree until 0.5 s; the result ends there."""
    model = mechanisms.model({
        "name": "two motors on one shaft", "dimension": 2, "bodies": {"b": {"mass": 1, "inertia": 1}},
        "joints": {"O": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0]}},
        "drivers": {
            "one": {"joint": "O", "speed": "1 + t"},
            "two": {"coordinate": "der(b.angle)", "value": "1 + t + max(0, t - 0.5)^2"},
        },
        "simulation": {"end": 1, "step": 0.01},
    })  # fmt: skip
    with pytest.raises(mbsim.SimulationError, match=r"one.*two|cannot be restored|contradict") as caught:
        mbsim.simulate(model, method=method)
    assert 0.49 <= caught.value.time <= 0.55
    assert caught.value.result is not None and 0.49 <= caught.value.result["time"][-1] <= caught.value.time + 1e-9
