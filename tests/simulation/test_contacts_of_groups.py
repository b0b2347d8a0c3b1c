"""Contacts between more than two bodies: the same as each pair by itself."""

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim.model.file.errors import ModelError

PLACES = {"a": [-0.5, 0.012, 0.02], "b": [0.0, 0.0, 0.0], "c": [0.13, 0.1, -0.04], "d": [0.16, -0.05, 0.01]}
LAW = {"friction": 0.2, "restitution": 0.6}


def balls(contacts: dict[str, Any]) -> dict[str, Any]:
    """Four free balls of different masses, of which one flies into the others."""
    bodies = {
        name: {"mass": 1.0 + k, "inertia": [0.004 + 0.001 * k] * 3, "position": at, "shape": {"type": "sphere", "radius": 0.05}}
        for k, (name, at) in enumerate(PLACES.items())
    }
    bodies["a"]["velocity"] = [2.0, 0.0, 0.0]
    return {"name": "balls", "gravity": [0, 0, 0], "bodies": bodies, "contacts": contacts, "simulation": {"end": 1.5, "output_step": 0.05}}


@pytest.fixture(scope="module")
def hit() -> Any:
    return mbsim.simulate(balls({"pile": {"between": list(PLACES), **LAW}}))


def test_a_group_is_all_of_its_pairs(hit: Any) -> None:
    """To the last digit, and by the names of the pairs."""
    pairs = {f"pile_{x}_{y}": {"between": [x, y], **LAW} for x, y in combinations(PLACES, 2)}
    each = mbsim.simulate(balls(pairs))
    assert np.array_equal(np.asarray(hit["q"]), np.asarray(each["q"]))
    assert [line["event"] for line in hit.events] == [line["event"] for line in each.events]
    assert {line["event"] for line in hit.events} >= {"pile_a_b", "pile_b_d"}


def test_free_balls_keep_their_momentum(hit: Any) -> None:
    mass = np.array([1.0, 2.0, 3.0, 4.0])
    inertia = np.array([0.004, 0.005, 0.006, 0.007])
    x, u, omega = (np.asarray(hit[f"body_{name}"]) for name in ("position", "velocity", "angular_velocity"))
    linear = np.einsum("b,tbi->ti", mass, u)
    angular = np.einsum("b,tbi->ti", mass, np.cross(x, u)) + np.einsum("b,tbi->ti", inertia, omega)
    assert np.abs(linear - linear[0]).max() < 1e-12
    assert np.abs(angular - angular[0]).max() < 1e-12
    assert all(line["energy"] < 0.0 for line in hit.events if "energy" in line and line["do"] == "impact")


def test_several_bodies_touch_the_plane_of_the_last() -> None:
    """Two balls on a floor, and one in free fall until it lands on it: s = g t^2 / 2."""
    model = balls({"floor": {"bodies": [*PLACES, "ground"], "plane": {"normal": [0, 0, 1], "through": [0, 0, -0.09]}}})
    model["gravity"] = [0, 0, -10]
    lands = {line["event"]: line["time"] for line in mbsim.simulate(model).events if line["do"] == "impact"}
    falls = {f"floor_{name}": np.sqrt(2.0 * (at[2] + 0.04) / 10.0) for name, at in PLACES.items() if name != "c"}
    assert lands == pytest.approx(falls, 1e-9)


@pytest.mark.parametrize(
    ("contacts", "told"),
    [
        ({"pile": {"between": ["a", "b", "a"]}}, "a contact needs different bodies (got 'a' twice)"),
        ({"pile": {"between": ["a"]}}, "at least 2"),
        ({"floor": {"bodies": ["a", "ground", "b"], "plane": {"normal": [0, 0, 1]}}}, "put the ground last"),
        ({"x": {"between": ["a", "b", "c"]}, "x_a_b": {"between": ["a", "b"]}}, "two contacts would be called 'x_a_b'"),
        ({"pile": {"between": ["a", "b", "e"]}}, "'e'"),
    ],
)
def test_what_is_no_group(contacts: dict[str, Any], told: str) -> None:
    with pytest.raises(ModelError, match=re.escape(told)):
        mbsim.simulate(balls(contacts))
