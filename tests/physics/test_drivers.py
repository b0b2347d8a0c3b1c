"""Drivers against closed forms: the motion, the effort that it needs and its work, in absolute and in joint coordinates."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.diagnosis.redundancy import redundancy
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
        ({"joint": "axle", "value": "5*t + 0.5*t^2"}, 1e-9),
        ({"joint": "axle", "speed": "5 + t"}, 1e-9),
        ({"coordinate": "der(axle.angle)", "value": "5 + t"}, 1e-9),
    ],
    ids=["angle", "value", "speed", "state"],
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
@pytest.mark.parametrize("by", ["points", "joint", "speed"])
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
    if by == "speed":
        source["drivers"]["jack"] = {"points": ["ground", "b.P"], "speed": "0.4*cos(4*t)"}
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


PAN_AND_TILT = {
    "position": (
        {"joint": "head", "coordinate": "angle1", "value": "3*t"},
        {"joint": "head", "coordinate": "angle2", "value": "0.9*sin(2*t)"},
    ),
    "speed": ({"joint": "head", "coordinate": "angle1", "speed": "3"}, {"joint": "head", "coordinate": "angle2", "speed": "1.8*cos(2*t)"}),
    "name": ({"coordinate": "head.angle1", "value": "3*t"}, {"coordinate": "der(head.angle2)", "value": "1.8*cos(2*t)"}),
}


@every_run
@pytest.mark.parametrize("form", PAN_AND_TILT)
@pytest.mark.parametrize("ground_first", [True, False])
def test_both_angles_of_a_universal_joint(ground_first: bool, form: str, method: str, coordinates: str) -> None:
    """A camera that pans at a steady speed W and tilts by a: the torques of Euler's equations about the two axes, no other power.

    With the ground as the second body the axis of the pan is the second one, and the camera turns backwards.
    """
    I, W = [0.3, 0.5, 0.2], 3.0
    source: dict[str, Any] = {
        "bodies": {"b": {"mass": 1, "inertia": I}},
        "joints": {"head": {"type": "universal", "bodies": ["ground", "b"], "at": [0, 0, 0], "axes": [[0, 0, 1], [1, 0, 0]]}},
        "drivers": dict(zip(("pan", "tilt"), PAN_AND_TILT[form], strict=True)),
    }
    if not ground_first:
        source["joints"]["head"] |= {"bodies": ["b", "ground"], "axes": [[1, 0, 0], [0, 0, 1]]}
        other = str.maketrans("12", "21")
        source["drivers"] = {
            name: driver | {"coordinate": driver["coordinate"].translate(other)} for name, driver in source["drivers"].items()
        }
    made = mbsim.assemble(mechanisms.model(source | {"simulation": {"end": 1}, "coordinates": coordinates}))
    found = redundancy(made.system, made.start, made.q)
    assert found.degrees_of_freedom == 0 and found.groups == []
    result = run(source, method, coordinates)
    t = result.time
    sign = 1.0 if ground_first else -1.0
    a, rate, second = sign * 0.9 * np.sin(2 * t), sign * 1.8 * np.cos(2 * t), sign * -3.6 * np.sin(2 * t)
    s, c = np.sin(a), np.cos(a)
    close(result.select("body_angular_velocity", "b", "z"), sign * W, atol=1e-8)
    x = np.stack([np.cos(W * t), sign * np.sin(W * t), 0 * t], axis=1)  # the axis of the tilt
    close(np.sum(result.select("body_angular_velocity", "b") * x, axis=1), rate, atol=1e-8)
    close(result.select("driver_effort", "pan"), sign * (2 * (I[1] - I[2]) * s * c * rate * sign * W), atol=1e-7)
    close(result.select("driver_effort", "tilt"), sign * (I[0] * second - (I[1] - I[2]) * s * c * W**2), atol=1e-7)
    torque = result.select("joint_torque", "head")  # the joint itself passes a couple across both axes only
    close(torque[:, 2], 0.0, atol=1e-7)
    close(np.sum(torque * x, axis=1), 0.0, atol=1e-7)
    assert np.abs(torque).max() > 0.5


@pytest.mark.parametrize("cut", [False, True], ids=["absolute", "cut"])
@pytest.mark.parametrize("pair", [["a", "b"], ["b", "a"]], ids=["forth", "back"])
@pytest.mark.parametrize("driven", ["first", "second", "both", "speeds", "table"])
def test_universal_joint_driven_in_a_mechanism(driven: str, pair: list[str], cut: bool) -> None:
    """Motion, efforts, reactions and work against joint coordinates, where both angles are coordinates; also through more than a turn."""
    first = {"joint": "u", "coordinate": "angle1", "value": "0.3*sin(2*t) + 8*t^2"}
    second = {"coordinate": "u.angle2", "value": "0.5*t - 0.4*sin(3*t) - 2*t^2"}
    drivers = {
        "first": {"one": first},
        "second": {"two": second},
        "both": {"one": first, "two": second},
        "speeds": {
            "one": {"joint": "u", "coordinate": "angle1", "speed": "1 + sin(3*t)"},
            "two": {**second, "coordinate": "der(u.angle2)"},
        },
        "table": {"one": {**first, "value": "bend(t)"}},
    }[driven]
    source: dict[str, Any] = {
        "gravity": [0.3, -9.81, 0.5],
        "tables": {"bend": {"points": [[0, 0], [0.3, 0.2], [0.6, 0.1], [1, 0.7]]}},
        "bodies": {"a": mechanisms.body_block(3, 0), "b": mechanisms.body_block(3, 1)},
        "joints": {
            "base": {"type": "revolute", "bodies": ["ground", "a"], "at": [0.1, 0.2, 0.3], "axis": [0.36, 0.48, 0.8]},
            "u": {"type": "universal", "bodies": pair, "at": [0.25, 0.15, -0.3], "axes": [[0.6, 0.8, 0], [-0.48, 0.36, 0.8]]},
        },
        "drivers": drivers,
        "measures": {f"m{k}": name for k, name in enumerate(["u.angle1", "u.angle2", "der(u.angle1)", "der(u.angle2)"])},
        "simulation": {"end": 1, "step": 2e-3, "output_step": 0.1},
    }
    precise = {"method": "lagrange", "integrator": "dop853", "rtol": 1e-11, "atol": 1e-11}
    tree = mbsim.simulate(mechanisms.model(source | {"coordinates": "joint"}), **precise)
    if cut:
        source["joints"]["u"]["cut"] = True
        source["joints"]["loose"] = {"type": "free", "bodies": ["ground", "b"]}
    result = mbsim.simulate(mechanisms.model(source | {"coordinates": "joint" if cut else "absolute"}), **precise)
    for name in ("body_position", "body_velocity", "driver_effort", "joint_force", "joint_torque", "energy_work", *source["measures"]):
        found = result[name][:, :2] if name.startswith("joint") else result[name]
        close(found, tree[name], atol=1e-8 * max(1.0, np.abs(tree[name]).max()))
    if driven in ("first", "both"):
        assert tree["m0"][-1] > 2 * np.pi
    t = tree.time
    for name, key, exact in (("one", "m0", 0.3 * np.sin(2 * t) + 8 * t**2), ("two", "m1", 0.5 * t - 0.4 * np.sin(3 * t) - 2 * t**2)):
        if name in drivers and driven in ("first", "second", "both"):
            close(result[key], exact, atol=1e-9)


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
