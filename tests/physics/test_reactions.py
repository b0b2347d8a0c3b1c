"""Reactions and driver efforts against equilibrium and power written out by hand; local axes; redundant constraints."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, close
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.results import Result

G = 9.81


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def first_row(source: Any, method: str, step: float = 1e-4) -> Result:
    return mbsim.simulate(mechanisms.model(source), method=method, end=step, step=step)


def test_beam_on_a_hinge_and_a_rod(method: str) -> None:
    """Six equations of equilibrium of two bodies, each with its weight, for the six components of three hinge forces."""
    source = """
name: beam and strut
dimension: 2
gravity: [0, -9.81]
bodies:
  beam:  {mass: 12, inertia: 4, position: [1, 0]}
  strut: {mass: 3, inertia: 0.5, position: [2.5, 0.75], angle: "atan2(1.5, 1)"}
joints:
  O: {type: revolute, bodies: [ground, beam], at: [0, 0]}
  P: {type: revolute, bodies: [beam, strut], at: [2, 0]}
  Q: {type: revolute, bodies: [ground, strut], at: [3, 1.5]}
forces: {load: {type: force, body: beam, at: [1.5, 0], value: [20, -300]}}
simulation: {end: 1}
"""
    result = mbsim.simulate(mechanisms.model(source), method=method, end=0.1, step=0.01)
    # unknowns: O on the beam, P on the strut, Q on the strut; moments about (0, 0) and about (2, 0)
    A = np.array([
        [1, 0, -1, 0, 0, 0],
        [0, 1, 0, -1, 0, 0],
        [0, 0, 0, -2, 0, 0],
        [0, 0, 1, 0, 1, 0],
        [0, 0, 0, 1, 0, 1],
        [0, 0, 0, 0, -1.5, 1.0],
    ])  # fmt: skip
    b = -np.array([20, -12 * G - 300, -12 * G - 1.5 * 300, 0, -3 * G, -0.5 * 3 * G])
    x = np.linalg.solve(A, b)
    for row in (0, -1):
        for k, name in enumerate("OPQ"):
            close(result.select("joint_force", name)[row], [*x[2 * k : 2 * k + 2], 0], atol=1e-9)
            close(result.select("joint_torque", name)[row], 0.0, atol=1e-9)
    close(result["v"], 0.0, atol=1e-12)
    assert result["joint_reaction_unique"].all()


@pytest.mark.parametrize("ground_first", [True, False])
@pytest.mark.parametrize("dimension", [2, 3])
def test_cantilever(method: str, dimension: int, ground_first: bool) -> None:
    """A beam of length 2 welded to the wall at (0, 1): the wall carries its weight and the moment of it."""
    pair = ["ground", "beam"] if ground_first else ["beam", "ground"]
    source = {
        "name": "cantilever",
        "dimension": dimension,
        "gravity": [0, -G, 0][:dimension],
        "bodies": {"beam": {"mass": 5, "inertia": 2 if dimension == 2 else [0.1, 2, 2], "position": [1, 1, 0.2][:dimension]}},
        "joints": {"wall": {"type": "fixed", "bodies": pair, "at": [0, 1, 0][:dimension]}},
        "forces": {"tip": {"type": "force", "body": "beam", "at": [2, 1, 0.2][:dimension], "value": [7, 0, 3][:dimension]}},
        "simulation": {"end": 1},
    }
    result = first_row(source, method)
    arms, loads = np.array([[1, 0, 0.2], [2, 0, 0.2]]), np.array([[0, -5 * G, 0], [7, 0, 3.0]])
    if dimension == 2:
        arms[:, 2] = loads[:, 2] = 0.0
    sign = 1.0 if ground_first else -1.0
    for name, expected in (("force", -loads.sum(axis=0)), ("torque", -np.cross(arms, loads).sum(axis=0))):
        close(result.select(f"joint_{name}", "wall")[0], sign * expected, atol=1e-9)
        close(result.select(f"joint_{name}_local", "wall")[0], sign * expected, atol=1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_slide_down_an_inclined_guide(method: str, dimension: int) -> None:
    """The block slides freely: the guide carries the normal part of the weight, and a torque its point not being the centre."""
    angle = 0.5
    e, n = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
    centre, point = np.array([0.3, 0.9, 0.4 * (dimension - 2)]), np.array([0.1, 0.7, 0.0])
    joint = {"type": "prismatic", "bodies": ["ground", "block"], "at": point[:dimension].tolist(), "axis": e[:dimension].tolist()}
    inertia = 0.3 if dimension == 2 else [0.3, 0.4, 0.5]
    source = {
        "name": "slide",
        "dimension": dimension,
        "gravity": [0, -G, 0][:dimension],
        "bodies": {"block": {"mass": 2, "inertia": inertia, "position": centre[:dimension].tolist()}},
        "joints": {"guide": joint},
        "simulation": {"end": 1},
    }
    result = mbsim.simulate(mechanisms.model(source), method=method, end=0.4, step=0.01)
    normal = 2 * G * np.cos(angle) * n
    torque = np.cross(centre - point, normal)  # no moment about the centre of mass: torque = -(point - centre) x force
    for row in (0, -1):
        close(result["acceleration"][row][:2], -G * np.sin(angle) * e[:2], atol=1e-9)
        close(result.select("joint_force", "guide")[row], normal, atol=1e-9)
        close(result.select("joint_torque", "guide")[row], torque, atol=1e-9)
        local = result.select("joint_force_local", "guide")[row]
        along = 0 if dimension == 2 else 2  # the joint's x axis is the guide's direction in the plane, its z axis in space
        close(local[along], 0.0, atol=1e-9)
        close(np.linalg.norm(local), np.linalg.norm(normal), atol=1e-9)
        if dimension == 2:
            close(local, [0, 2 * G * np.cos(angle), 0], atol=1e-9)


def test_local_axes_turn_with_the_second_body(method: str) -> None:
    """A rod swings on a pin: seen in the rod the force is along and across it."""
    result = mbsim.simulate(mechanisms.shipped("pendulum"), method=method, end=0.5, step=1e-3)
    angle, omega = result.select("rod.angle"), result.select("der(rod.angle)")
    alpha = result.select("acceleration", "der(rod.angle)")
    along = -0.5 * omega**2 + G * np.sin(angle)  # m = 1, centre of mass at 0.5
    across = 0.5 * alpha + G * np.cos(angle)
    close(result.select("joint_force_local", "pin"), np.stack([along, across, 0 * along], axis=1), atol=1e-8)


def test_whole_chain_of_reactions_balances_every_body(method: str) -> None:
    """Newton and Euler for each body of a spatial chain of every joint, from the recorded forces and torques alone."""
    source = mechanisms.chain(3)
    model = mechanisms.model(source)
    made = mbsim.assemble(model)
    result = mbsim.simulate(made, method=method, end=0.3, step=1e-3)
    force, torque = result["joint_force"][-1], result["joint_torque"][-1]
    q, v, a = (result[name][-1] for name in ("q", "v", "acceleration"))
    count = len(made.system.bodies)
    net_force, net_moment = np.zeros((count, 3)), np.zeros((count, 3))
    plain = mechanisms.model({**source, "joints": {}, "drivers": {}})
    _, h, *_ = mbsim.assemble(plain).system.terms(0.3, q, v)
    for joint, f, m in zip(made.system.joints, force, torque, strict=True):
        R = Rotation.from_quat(np.roll(q[7 * joint.second + 3 : 7 * joint.second + 7], -1))
        place = q[7 * joint.second : 7 * joint.second + 3] + R.apply(joint.second_point)
        for body, sign in ((joint.second, 1.0), (joint.first, -1.0)):
            if body >= 0:
                net_force[body] += sign * f
                net_moment[body] += sign * (m + np.cross(place - q[7 * body : 7 * body + 3], f))
    M = made.system.M(0.3, q)
    for b in range(count):
        R = Rotation.from_quat(np.roll(q[7 * b + 3 : 7 * b + 7], -1))
        o = 6 * b
        left = M[o : o + 6, o : o + 6] @ a[o : o + 6] - h[o : o + 6]
        # off the constraints, where baumgarte leaves it, a joint's two points differ and the moment with them
        atol = 1e-5 if method == "baumgarte" else 1e-8
        close(left, [*net_force[b], *R.inv().apply(net_moment[b])], atol=atol)


@pytest.mark.parametrize("dimension", [2, 3])
def test_effort_of_a_driver(method: str, dimension: int) -> None:
    """A crank turned at a given rate: the torque is that of the weight and of the inertia, its power what the energy gains."""
    axis = {"axis": [0, 0, 1]} if dimension == 3 else {}
    source = {
        "name": "driven crank",
        "dimension": dimension,
        "gravity": [0, -G, 0][:dimension],
        "bodies": {"crank": {"mass": 2, "inertia": 0.3 if dimension == 2 else [0.1, 0.25, 0.3], "position": [0.5, 0, 0][:dimension]}},
        "joints": {"O": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0] * dimension, **axis}},
        "drivers": {"motor": {"joint": "O", "angle": "2*t + sin(3*t)/2"}},
        "simulation": {"end": 6, "step": 2e-3},
    }
    result = mechanisms.simulate(mechanisms.model(source), method=method)
    t = result.time
    angle, rate, second = 2 * t + np.sin(3 * t) / 2, 2 + 1.5 * np.cos(3 * t), -4.5 * np.sin(3 * t)
    effort = (0.3 + 2 * 0.25) * second + 2 * G * 0.5 * np.cos(angle)
    near = mechanisms.near(method)
    near(result.select("driver_effort", "motor"), effort, 1e-8)
    near(result["energy_work"], 0.4 * (rate**2 - rate[0] ** 2) + G * np.sin(angle), 1e-7)
    near(result["energy_balance"], 0.0, 1e-7)
    # several turns: the angle in space is right beyond half a turn too
    near(result.select("body_position", "crank", "x"), 0.5 * np.cos(angle), 1e-9)


def test_effort_of_a_driven_slide(method: str) -> None:
    """Bodies the other way round: the effort is along the joint's own displacement, first body to second."""
    source = {
        "name": "lift",
        "dimension": 3,
        "gravity": [0, 0, -G],
        "bodies": {"cabin": {"mass": 4, "inertia": [1, 1, 1], "position": [0, 0, 1]}},
        "joints": {"rail": {"type": "prismatic", "bodies": ["cabin", "ground"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "drivers": {"rope": {"joint": "rail", "displacement": "-t^2"}},
        "simulation": {"end": 1, "step": 1e-2},
    }
    result = mechanisms.simulate(mechanisms.model(source), method=method)
    near = mechanisms.near(method)
    near(result.select("body_position", "cabin", "z"), 1 + result.time**2, 1e-9)
    near(result.select("driver_effort", "rope"), -4 * (G + 2), 1e-9)
    near(result["energy_work"], 4 * (G + 2) * result.time**2, 1e-8)


def test_power_balance_of_the_driven_slider_crank(method: str) -> None:
    """Work recorded = integral of the motor's torque times its rate + of the gas force times the slider's speed."""
    result = mechanisms.simulate(mechanisms.shipped("slider_crank"), method=method, step=5e-4)
    rate, t = 2 * np.pi * 300 / 60, result.time
    gas = -200 * (1 + np.sin(rate * t))
    power = result.select("driver_effort", "motor") * rate + gas * result.select("der(slider.x)")
    simpson = (power[:-2:2] + 4 * power[1:-1:2] + power[2::2]) / 3 * (t[1] - t[0])
    near = mechanisms.near(method)
    near(result["energy_work"][::2], np.concatenate([[0], np.cumsum(simpson)]), 5e-6)  # of 480 J
    near(result["energy_balance"], 0.0, 5e-6)


# Redundant constraints


@pytest.mark.parametrize("copies", [2, 3])
@pytest.mark.parametrize("dimension", [2, 3])
def test_parallel_hinges_move_as_one(method: str, dimension: int, copies: int) -> None:
    settings = {"method": method, "end": 2.0, "step": 1e-3}
    one = mbsim.simulate(mechanisms.model(mechanisms.parallel_pendulum(dimension, 1)), **settings)
    many = mbsim.simulate(mechanisms.model(mechanisms.parallel_pendulum(dimension, copies)), **settings)
    close(many["q"], one["q"], atol=1e-9)
    close(many["v"], one["v"], atol=1e-9)
    close(many["joint_force"].sum(axis=1), one["joint_force"][:, 0], atol=1e-7)
    close(many["joint_force"], np.repeat(one["joint_force"] / copies, copies, axis=1), atol=1e-7)  # the shortest multipliers
    assert one["joint_reaction_unique"].all() and one["multiplier_unique"].all()
    assert not many["joint_reaction_unique"].any() and not many["multiplier_unique"].any()


def test_names_of_what_is_redundant() -> None:
    made = mbsim.assemble(mechanisms.model(mechanisms.parallel_pendulum(3, 2)))
    found = mbsim.redundancy(made.system, 0.0, made.q)
    assert (found.rank, found.degrees_of_freedom) == (5, 1)
    assert not found.unique.any()
    named = {name for group in found.groups for name in group}
    assert named == {f"pin{k}[{i}]" for k in range(2) for i in range(5)}
    # the same rows of the two hinges depend on each other, and on nothing else
    assert all({name[4:] for name in group} == {group[0][4:]} for group in found.groups)


def test_only_the_doubled_hinge_is_flagged(method: str) -> None:
    """A free four-bar whose hinge B is doubled: the same motion, the other reactions unique and unchanged."""
    text = (mechanisms.MODELS / "four_bar.yaml").read_text()
    doubled = text.replace("\ninitial:", "\n  B2: {type: revolute, points: [coupler.B, rocker.B]}\ninitial:")
    assert doubled != text
    settings = {"method": method, "end": 1.0, "step": 1e-3}
    one, two = (mbsim.simulate(mechanisms.model(x), **settings) for x in (text, doubled))
    close(two["q"], one["q"], atol=1e-8)
    assert dict(zip(two.labels("joint"), two["joint_reaction_unique"], strict=True)) == {
        "O": True, "A": True, "B": False, "C": True, "B2": False,
    }  # fmt: skip
    for name in "OAC":
        close(two.select("joint_force", name), one.select("joint_force", name), atol=1e-4)
    total = two.select("joint_force", "B") + two.select("joint_force", "B2")
    close(total, one.select("joint_force", "B"), atol=1e-4)


def test_reactions_of_a_redundant_loop_in_joint_coordinates() -> None:
    """A spatial four-bar of parallel hinges with a pendulum on its coupler: the loop's reactions are open, the pendulum's is not."""
    bodies: dict[str, Any] = {
        name: {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "position": position}
        for name, position in {"crank": [0, 0.5, 0], "coupler": [1, 1, 0], "rocker": [2, 0.5, 0], "hung": [1, 0.5, 0]}.items()
    }
    hinges = {
        "O": ("ground", "crank", 0, 0),
        "A": ("crank", "coupler", 0, 1),
        "B": ("coupler", "rocker", 2, 1),
        "C": ("rocker", "ground", 2, 0),
    }
    hinges["hook"] = ("coupler", "hung", 1, 1)
    joints: dict[str, Any] = {
        name: {"type": "revolute", "bodies": [i, j], "at": [x, y, 0], "axis": [0, 0, 1]} for name, (i, j, x, y) in hinges.items()
    }
    source = {"gravity": [0, -9.81, 0], "bodies": bodies, "joints": joints, "simulation": {"end": 0.01}}
    expected = {"O": 0, "A": 0, "B": 0, "C": 0, "hook": 1}
    for coordinates in ({}, {"coordinates": "joint"}):
        result = mbsim.simulate(mechanisms.model(source | coordinates), method="lagrange")
        assert dict(zip(result.labels("joint"), result["joint_reaction_unique"], strict=True)) == expected, coordinates
    # a ball and a universal joint in the same loop leave no row over
    joints["C"] = {"type": "spherical", "bodies": ["rocker", "ground"], "at": [2, 0, 0]}
    joints["B"] = {"type": "universal", "bodies": ["coupler", "rocker"], "at": [2, 1, 0], "axes": [[0, 0, 1], [1, 0, 0]]}
    for coordinates in ({}, {"coordinates": "joint"}):
        result = mbsim.simulate(mechanisms.model(source | coordinates), method="lagrange")
        assert result["joint_reaction_unique"].all() and result["multiplier_unique"].all(), coordinates
