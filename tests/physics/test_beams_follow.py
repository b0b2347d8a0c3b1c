"""Beams at a start that drivers lead: their nodes follow, so that no wave begins."""

from pathlib import Path
from typing import Any

import elastic_matrices
import numpy as np
import pytest

import mbsim
from mbsim.studies.runner.runner import Runner

STEEL = {"E": 2.0e11, "density": 7800, "nu": 0.3}
BLADE = {"section": {"rectangle": [0.02, 0.005]}, "material": STEEL}


def four_bar(**more: Any) -> dict[str, Any]:
    """A parallel crank and rocker of different lengths, upright, whose coupler bends; nothing damps it."""
    return {
        "name": "a driven four-bar whose coupler bends", "dimension": 2, "parameters": {"w": 10.0},
        "bodies": {"crank": {"mass": 1, "inertia": 0.01, "position": [0, 0.1]},
                   "rocker": {"mass": 1, "inertia": 0.02, "position": [0.6, 0.15]}},
        "joints": {
            "O": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "A": {"type": "revolute", "bodies": ["crank", "coupler.start"], "at": [0, 0.2]},
            "B": {"type": "revolute", "bodies": ["coupler.end", "rocker"], "at": [0.6, 0.3]},
            "C": {"type": "revolute", "bodies": ["ground", "rocker"], "at": [0.6, 0]},
        },
        "beams": {"coupler": {"from": [0, 0.2], "to": [0.6, 0.3], "elements": 4, **BLADE}},
        "drivers": {"turn": {"joint": "O", "angle": "w*t"}}, "simulation": {"end": 0.05, "output_step": 0.05},
    } | more  # fmt: skip


def test_a_coupler_moves_as_if_it_were_rigid() -> None:
    """Both pins move at -2 m/s at that moment, and so does all of it. A run takes hundreds of steps, from rest tens of thousands."""
    made = mbsim.assemble(four_bar())
    v = made.v.reshape(-1, 3)
    np.testing.assert_allclose(v[2:], np.tile([-2.0, 0.0, 0.0], (5, 1)), atol=1e-7)
    np.testing.assert_allclose(v[1], [-1.0, 0.0, 20.0 / 3.0], atol=1e-7)
    assert mbsim.simulate(made).attributes["counts"]["steps"] < 2000


@pytest.mark.parametrize("axis", [[0, 0, 1], [0.6, 0, 0.8]])
def test_a_curved_arm_in_space_turns_with_its_hub(axis: list[float]) -> None:
    made = mbsim.assemble({
        "name": "an arm on a hub", "gravity": [0, 0, -9.81],
        "bodies": {"hub": {"mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [0.1, 0, 0], "points": {"rim": [0.1, 0, 0]}},
                   "load": {"mass": 0.2, "inertia": [1e-4, 1e-4, 1e-4], "position": [1.0, 0.3, 0.2]}},
        "joints": {
            "axle": {"type": "revolute", "bodies": ["ground", "hub"], "at": [0, 0, 0], "axis": axis},
            "root": {"type": "fixed", "bodies": ["hub", "arm.start"], "at": [0.2, 0, 0]},
            "grip": {"type": "fixed", "bodies": ["arm.end", "load"], "at": [1.0, 0.3, 0.2]},
        },
        "beams": {"arm": {"points": [[0.2, 0, 0], [0.6, 0.2, 0.1], [1.0, 0.3, 0.2]], "elements": 3, **BLADE}},
        "drivers": {"turn": {"joint": "axle", "angle": "5*t"}}, "simulation": {"end": 0.01},
    })  # fmt: skip
    found = mbsim.forward_kinematics(made.system, 0.0, made.q, made.v)
    w = 5.0 * np.array(axis)
    for name, body in found.items():
        np.testing.assert_allclose(body["angular_velocity"], w, atol=1e-6, err_msg=name)
        np.testing.assert_allclose(body["velocity"], np.cross(w, body["position"]), atol=1e-6, err_msg=name)


def test_a_beam_that_has_to_bend_bends_as_under_a_load_at_its_end() -> None:
    """A cantilever whose tip is led across moves as x^2 (3 l - x) / (2 l^3), the line of a load at its end, but for shear."""
    made = mbsim.assemble({
        "name": "a tip that is led", "dimension": 2,
        "beams": {"arm": {"from": [0, 0], "to": [1, 0], "elements": 20, "clamped": ["start"], **BLADE}},
        "drivers": {"lead": {"coordinate": "arm_end.y", "value": "0.2*t"}}, "simulation": {"end": 0.01},
    })  # fmt: skip
    places = {name: k for k, name in enumerate(made.system.speeds)}
    nodes = [name.removeprefix("der(").removesuffix(".y)") for name in made.system.speeds if name.endswith(".y)")]
    x = np.array([made.q[3 * made.system.bodies.index(node)] for node in nodes])
    speeds = np.array([made.v[places[f"der({node}.y)"]] for node in nodes])
    np.testing.assert_allclose(speeds, 0.2 * x**2 * (3.0 - x) / 2.0, atol=2e-3)


def test_speeds_of_a_node_that_are_given_stay_as_they_are() -> None:
    given = four_bar(initial={"der(coupler_2.y)": 0.5})
    v = mbsim.assemble(given).v.reshape(-1, 3)
    assert not v[[3, 5]].any() and v[4, 1] == pytest.approx(0.5)  # the nodes inside are at rest but for that one, as the model says
    still = four_bar(drivers={})
    assert not mbsim.assemble(still).v.any()


@pytest.mark.parametrize("led", [{}, {"turn": {"joint": "O", "angle": "w*t"}}])
def test_a_coupler_follows_a_speed_that_is_given(led: dict[str, Any]) -> None:
    """Of the rocker, with which the driver agrees or which alone moves the mechanism."""
    made = mbsim.assemble(four_bar(drivers=led, initial={"der(rocker.angle)": 20.0 / 3.0}))
    v = made.v.reshape(-1, 3)
    np.testing.assert_allclose(v[2:], np.tile([-2.0, 0.0, 0.0], (5, 1)), atol=1e-7)
    np.testing.assert_allclose(v[0, 2], 10.0, atol=1e-7)


def test_a_speed_with_which_a_coupler_cannot_follow_is_met_all_the_same() -> None:
    """Both of its pins are told to go apart: it stretches."""
    made = mbsim.assemble(four_bar(drivers={}, initial={"der(crank.angle)": 10.0, "der(rocker.angle)": 7.0}))
    v = made.v.reshape(-1, 3)
    np.testing.assert_allclose([v[0, 2], v[1, 2]], [10.0, 7.0], atol=1e-9)
    np.testing.assert_allclose(v[2:, 0], np.linspace(-2.0, -2.1, 5), atol=1e-3)


def test_an_elastic_coupler_follows_its_driver(tmp_path: Path) -> None:
    """Both pins move at -2 m/s, so that no modal coordinate changes; and steps are few."""
    nodes, mass, stiffness = elastic_matrices.beam(EA=4.8e5, GJ=0.76, polar=1e-6, whole=0.6)
    part = elastic_matrices.write(tmp_path / "coupler.h5", nodes, 0.78 * mass, 41.7 * stiffness)
    made = mbsim.assemble({
        "name": "a four-bar with an elastic coupler",
        "bodies": {"crank": {"mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [0, 0.1, 0]},
                   "rocker": {"mass": 1, "inertia": [0.02, 0.02, 0.02], "position": [0.6, 0.1, 0]}},
        "elastic": {"coupler": {"matrices": part, "modes": 4, "position": [0, 0.2, 0]}},
        "joints": {
            "O": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 0, 1]},
            "A": {"type": "revolute", "bodies": ["crank", "coupler.hub"], "at": [0, 0.2, 0], "axis": [0, 0, 1]},
            "B": {"type": "spherical", "bodies": ["coupler.tip", "rocker"], "at": [0.6, 0.2, 0]},
            "C": {"type": "revolute", "bodies": ["ground", "rocker"], "at": [0.6, -0.1, 0], "axis": [0, 0, 1]},
        },
        "drivers": {"turn": {"joint": "O", "angle": "10*t"}}, "simulation": {"end": 0.1},
    })  # fmt: skip
    v = dict(zip(made.system.speeds, made.v, strict=True))
    np.testing.assert_allclose([v[f"der(coupler_{end}.x)"] for end in ("hub", "tip")], -2.0, atol=1e-7)
    assert max(abs(v[f"der(coupler_m{k}.{axis})"]) for k in (1, 2, 3) for axis in "xyz") < 1e-7
    assert mbsim.simulate(made).attributes["counts"]["steps"] < 700


def test_runs_of_a_study_begin_likewise() -> None:
    runner = Runner(mbsim.load_model(four_bar()), ["w"], {"last": "final(rocker.angle)"}, end=0.01)
    for w in (4.0, 7.0):
        _, v = runner.placed(np.array([w]))
        np.testing.assert_allclose(v, mbsim.assemble(mbsim.load_model(four_bar(), {"w": w})).v, atol=1e-12)


@pytest.mark.parametrize("elements", [4, 100, 400])
def test_long_rows_of_elements_follow_as_well(elements: int) -> None:
    """A bar that is clamped to a driven hub: all of it turns at 3 rad/s, by however many elements."""
    made = mbsim.assemble({
        "name": "a bar on a hub", "dimension": 2,
        "bodies": {"hub": {"mass": 1, "inertia": 0.01, "position": [0, 0], "points": {"rim": [0.1, 0]}}},
        "joints": {"axle": {"type": "revolute", "bodies": ["ground", "hub"], "at": [0, 0]}},
        "beams": {"bar": {"from": "hub.rim", "to": [1.1, 0], "elements": elements, "clamped": ["start"], **BLADE}},
        "drivers": {"turn": {"joint": "axle", "angle": "3*t"}}, "simulation": {"end": 0.01},
    })  # fmt: skip
    x, v = made.q.reshape(-1, 3)[:, 0], made.v.reshape(-1, 3)
    np.testing.assert_allclose(v, np.column_stack([0.0 * x, 3.0 * x, np.full(len(x), 3.0)]), atol=1e-8)


def test_what_is_free_to_swing_moves_the_least() -> None:
    """A bar that hangs from a slider: its hinge moves at 2 m/s, no strain changes, and it turns so that it moves the least."""
    made = mbsim.assemble({
        "name": "a bar on a slider", "dimension": 2,
        "bodies": {"slider": {"mass": 1, "inertia": 0.01, "position": [0, 0]}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": [0, 0], "axis": [1, 0]},
                   "pin": {"type": "revolute", "bodies": ["slider", "bar.start"], "at": [0, 0]}},
        "beams": {"bar": {"from": [0, 0], "to": [0, -1], "elements": 10, **BLADE}},
        "drivers": {"move": {"joint": "guide", "displacement": "2*t"}}, "simulation": {"end": 0.01},
    })  # fmt: skip
    place, v = made.q.reshape(-1, 3), made.v.reshape(-1, 3)
    (turn,) = np.unique(np.round(v[1:, 2], 8))
    np.testing.assert_allclose(v[1:, :2], np.column_stack([2.0 - turn * place[1:, 1], turn * place[1:, 0]]), atol=1e-7)
    s = np.linspace(0.0, 1.0, 11)  # of places below the hinge: least is the sum of (2 + turn s)^2 + turn^2 over the nodes
    assert turn == pytest.approx(-2.0 * s.sum() / ((s**2).sum() + len(s)), rel=1e-6)
