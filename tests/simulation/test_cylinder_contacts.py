"""Cylinders on boxes, polyhedra and capsules in space: they stand, roll, tip and fall."""

from typing import Any

import numpy as np
import pytest

import mbsim

G = 9.81
R, LENGTH, MASS = 0.1, 0.3, 0.5
LYING = {"axis": [1, 0, 0], "angle": "deg(90)"}  # along y
TABLE = {"type": "box", "size": [1, 0.8, 0.2], "position": [0, 0, -0.1]}
PIPE = {"type": "capsule", "radius": 0.1, "length": 1, "position": [0, 0, -0.1], "rotation": {"axis": [0, 1, 0], "angle": "deg(90)"}}


def run(ground: dict[str, Any], place: list[float], end: float = 0.5, friction: float = 0.5, bounce: float = 0.0, **more: Any) -> Any:
    across = MASS * (3.0 * R * R + LENGTH * LENGTH) / 12.0
    can = {"mass": MASS, "inertia": [across, across, 0.5 * MASS * R * R], "position": place, **more}
    can["shape"] = {"type": "cylinder", "radius": R, "length": LENGTH}
    law = {"between": ["ground", "can"], "friction": friction, "restitution": bounce, "closing_speed": 1e-3}
    return mbsim.simulate(
        {
            "name": "can", "gravity": [0, 0, -G], "ground": {"shape": ground}, "bodies": {"can": can},
            "contacts": {"c": law}, "simulation": {"end": end, "output_step": 0.01},
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ground", "place"), [(TABLE, [0, 0, 0.15]), (TABLE, [0.48, 0, 0.15]), (PIPE, [0, 0, 0.15])], ids=["table", "half over", "pipe"]
)
def test_a_can_stands(ground: dict[str, Any], place: list[float]) -> None:
    """On a table, on a table with nearly half of it beyond the edge, and on a pipe, in an equilibrium that is not stable."""
    result = run(ground, place)
    np.testing.assert_allclose(result["body_position"][-1, 0], place, atol=1e-10)
    assert np.abs(result["v"][-1]).max() < 1e-9


def test_a_can_whose_middle_is_beyond_the_edge_tips() -> None:
    result = run(TABLE, [0.53, 0, 0.15], end=0.3)
    assert result["body_position"][-1, 0, 2] < 0.149
    assert np.abs(result["energy_balance"]).max() < 1e-8


def test_a_can_lands_flat_and_stays() -> None:
    result = run(TABLE, [0, 0, 0.2])
    first = next(e["time"] for e in result.events if e["do"] == "impact")
    assert first == pytest.approx(np.sqrt(2.0 * 0.05 / G), abs=1e-9)
    np.testing.assert_allclose(result["body_position"][-1, 0], [0, 0, 0.15], atol=1e-9)


def test_a_cylinder_rolls_down_the_slope_of_a_box() -> None:
    """With two thirds of g sin a; friction is above tan(a)/3."""
    a = np.deg2rad(20.0)
    slope = {"type": "box", "size": [4, 1, 0.4], "rotation": {"axis": [0, 1, 0], "angle": "deg(20)"}}
    n, down = np.array([np.sin(a), 0.0, np.cos(a)]), np.array([np.cos(a), 0.0, -np.sin(a)])
    start = (0.2 + R) * n - 1.0 * down
    result = run(slope, start.tolist(), end=0.6, orientation=LYING)
    way = (result["body_position"][-1, 0] - start) @ down
    assert way == pytest.approx(0.5 * (2.0 / 3.0) * G * np.sin(a) * 0.36, abs=1e-8)


def test_a_cylinder_dropped_on_its_rim_loses_no_energy_where_it_bounces() -> None:
    result = run(TABLE, [0, 0, 0.3], end=0.4, friction=0.0, bounce=1.0, orientation={"axis": [1, 0.3, 0], "angle": 0.4})
    assert any(e["do"] == "impact" for e in result.events)
    assert all(abs(e["energy"]) < 1e-9 for e in result.events if "energy" in e)
    assert np.abs(result["energy_balance"]).max() < 1e-8
