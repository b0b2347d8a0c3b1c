"""Balls and wheels on given surfaces, against spheres, planes and circles that are rows of their own; what is refused."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close
from test_rolling import ball_on, conserved, place, run

import mbsim

START: dict[str, Any] = {"position": [0.5, 0.1, -0.7], "velocity": [0.2, 0.6, 0.0], "angular_velocity": [3, 1, 2]}
TIGHT = {"integrator": "dop853", "rtol": 1e-10, "atol": 1e-12}
BOWL = "-sqrt(1 - x^2 - y^2)"


@pytest.mark.parametrize("method", ["lagrange", "svd", "cfa", "nullspace", "riemann"])
def test_a_bowl_equals_the_inside_of_a_sphere(method: str) -> None:
    sphere = run(ball_on({"sphere": {"radius": 1, "inside": True}}, **START), method, **TIGHT)
    given = run(ball_on({"surface": {"z": BOWL}}, **START), method, **TIGHT)
    close(given["q"], sphere["q"], atol=1e-8)
    close(given["v"], sphere["v"], atol=1e-7)
    close(given.select("multiplier", "c.height"), -sphere.select("multiplier", "c.height"), atol=1e-6)  # upwards, not out of the sphere
    conserved(given, method, 1e-8)


@pytest.mark.parametrize("settings", [{"method": "generalized_alpha"}, {"integrator": "radau"}, {"integrator": "radau", "order": 9}])
def test_implicit_steps_in_a_bowl(settings: dict[str, Any]) -> None:
    """Their tangents go through the place where the ball touches."""
    reference = run(ball_on({"surface": {"z": BOWL}}, **START), "lagrange", **TIGHT, end=1.0)
    source = ball_on({"surface": {"z": BOWL}}, **START) | {"simulation": {"end": 1.0}}
    given = mbsim.simulate(mechanisms.model(source), **settings, rtol=1e-7, atol=1e-9)
    close(place(given)[-1], place(reference)[-1], atol=1e-5)


def test_a_plate_that_shakes_equals_a_plane_that_does() -> None:
    law = "0.05*sin(8*t)"
    start = {**START, "position": [0.5, 0.1, 0.1]}
    plane = run(ball_on({"plane": {"point": [0, 0, law]}}, **start), "lagrange", **TIGHT)
    given = run(ball_on({"surface": {"z": law}}, **start), "lagrange", **TIGHT)
    close(given["q"], plane["q"], atol=1e-9)
    close(given["energy_work"], plane["energy_work"], atol=1e-9)


def wheel_on(surface: dict[str, Any], **body: Any) -> dict[str, Any]:
    """A homogeneous disk of radius 0.1."""
    wheel = {"mass": 2, "inertia": 0.01, **body}
    rolls = {"type": "rolling_disk", "center": "b", "radius": 0.1, **surface}
    return {"name": "wheel", "dimension": 2, "gravity": [0, -9.81], "bodies": {"b": wheel}, "constraints": {"c": rolls}}


def test_a_wheel_on_a_slope_equals_one_on_a_plane() -> None:
    start = {"position": [0.0, 0.2]}
    normal = [-0.6, 0.8]
    plane = run(wheel_on({"plane": {"normal": normal}}, **start), "lagrange", **TIGHT)
    given = run(wheel_on({"surface": {"y": "0.75*x"}}, **start), "lagrange", **TIGHT)
    close(given["q"], plane["q"], atol=1e-9)


def test_a_wheel_in_a_trough() -> None:
    """v^2 = 4/3 g (y_0 - y) of a homogeneous disk; its centre is on a circle of the radius 0.9, and it turns by the way it goes."""
    found = run(wheel_on({"surface": {"y": "-sqrt(1 - x^2)"}}, position=[0.45, -0.7794228634059948]), "lagrange", end=2.0, **TIGHT)
    x, y = found.select("body_position", "b")[:, :2].T
    v = np.linalg.norm(found.select("body_velocity", "b")[:, :2], axis=1)
    close(np.hypot(x, y), np.full(len(x), 0.9), atol=1e-9)
    close(v**2, 4 / 3 * 9.81 * (y[0] - y), atol=1e-8)
    angle = found.select("b.angle")
    turned = np.arctan2(x, -y) - np.arctan2(x[0], -y[0])  # of the centre about the middle of the trough
    close(angle - angle[0], -0.9 * turned / 0.1, atol=1e-8)
    assert np.ptp(x) > 0.8


def test_a_road_of_a_table() -> None:
    """A wheel rolls over a measured road and keeps its energy."""
    source = wheel_on({"surface": {"y": "road(x)"}}, position=[-1.5, 0.15], velocity=[1.0, 0.0])
    source["tables"] = {"road": {"points": [[-3, 0], [-1, 0.02], [-0.5, -0.02], [0, 0.03], [0.7, 0], [2, -0.05], [5, -0.1]]}}
    found = run(source, "lagrange", end=2.0, **TIGHT)
    conserved(found, "lagrange", 1e-8)
    assert found.select("body_position", "b")[-1, 0] > 0.0


def test_a_hollow_that_is_too_narrow() -> None:
    """A ball of 0.1 in a bowl whose radius of curvature is 0.05 at its bottom has no one point of contact there."""
    source = ball_on({"surface": {"z": "10*(x^2 + y^2)"}}, position=[0.0, 0.3, 1.0])
    with pytest.raises((mbsim.SimulationError, mbsim.StartError), match=r"c\.\w+"):
        run(source, "lagrange", end=5.0, **TIGHT)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"surface": {"z": "x*speed"}}, "speed"),
        ({"surface": {"z": "abs(x)"}}, "without `abs`"),
        ({"surface": {"z": "b.x"}}, "b.x"),
        ({"surface": {"y": "x"}}, "missing key 'z'"),
        ({"surface": {"z": "x"}, "plane": {}}, "give one surface"),
        ({"surface": {}}, "missing key 'z'"),
        ({"surface": {"z": "log(-1)*x"}}, "not defined"),
    ],
)
def test_wrong_surfaces_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(mbsim.ModelError, match=message):
        run(ball_on(given, position=[0, 0, 1]))


def test_what_rolls_on_given_surfaces_is_said() -> None:
    with pytest.raises(mbsim.ModelError, match="needs absolute coordinates"):
        run(ball_on({"surface": {"z": "0.1*x"}}, position=[0, 0, 1]), coordinates="joint")
    disk = ball_on({"surface": {"y": "0"}}, position=[0, 0, 1])
    disk["constraints"]["c"] |= {"type": "rolling_disk", "axis": [0, 1, 0]}
    with pytest.raises(mbsim.ModelError, match="use rolling_ball"):
        run(disk)
    both = wheel_on({"surface": {"y": "x"}, "plane": {}}, position=[0, 1])
    with pytest.raises(mbsim.ModelError, match="give one surface"):
        run(both)
    named = ball_on({"surface": {"z": "x"}}, position=[0, 0, 1])
    with pytest.raises(mbsim.ModelError, match="rename the parameter"):
        run(named | {"parameters": {"x": 1}})


@pytest.mark.slow
def test_frequencies_at_the_bottoms_of_two_bowls() -> None:
    """A solid ball swings as 7/5 (rho - R) u'' = -g u in each direction, rho the radius of curvature: 1/(2 a) of z = a x^2."""
    ball = {"mass": 2, "inertia": [0.008, 0.008, 0.008]}
    source = ball_on({"surface": {"z": "0.5*x^2 + 0.7*y^2"}}, position=[0, 0, 0.1])
    source["bodies"]["other"] = {**ball, "position": [2, 0, 0.1]}
    source["constraints"]["d"] = {"type": "rolling_ball", "center": "other", "radius": 0.1, "surface": {"z": "0.3*(x - 2)^2 + y^2"}}
    found = mbsim.modes(mechanisms.model(source | {"simulation": {"end": 1}}), "equilibrium").eigenvalues
    expected = np.sqrt(5 / 7 * 9.81 / (1 / (2 * np.array([0.3, 0.5, 0.7, 1.0])) - 0.1))
    close(np.sort(np.abs(found.imag[found.imag > 1e-3])), expected, atol=1e-6)
