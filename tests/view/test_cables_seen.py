"""Where cables are drawn: the path is as long as the run says, in the plane and in space."""

from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.scene.motion import of_result
from mbsim.scene.parts import Strand, place
from mbsim.scene.read import scene_of
from mbsim.scene.solids import solids
from mbsim.scene.spans import path


def hanging(dimension: int) -> dict[str, Any]:
    """A block on two falls, which turns and swings."""

    def at(*x: float) -> list[float]:
        return [*x, 0.0][:dimension]

    z = {"axis": [0, 0, 1]} if dimension == 3 else {}
    leaning = {"axis": [0.1, 0.05, -1]} if dimension == 3 else {}
    spin: Any = [0.5, 1.0, -0.4] if dimension == 3 else 0.3
    inertia = [0.2, 0.2, 0.2] if dimension == 3 else 0.2
    block = {"mass": 5, "inertia": inertia, "position": at(0.1, -0.3), "angular_velocity": spin, "points": {"sheave": at(0, 0.3)}}
    path: list[Any] = [
        {"point": "ground", "at": [-0.3, 2, 0.1][:dimension]},
        {"center": "block.sheave", "radius": 0.2, "wraps": "counterclockwise", **z},
        {"center": "ground", "at": at(0.5, 2), "radius": 0.15, "wraps": "counterclockwise" if dimension == 3 else "clockwise", **leaning},
        {"point": "ground", "at": at(2, 1.5)},
    ]
    rope = {"type": "pulley_cable", "path": path, "EA": 1e4, "damping": 5}
    return {
        "dimension": dimension,
        "gravity": at(0, -9.81),
        "bodies": {"block": block},
        "forces": {"rope": rope},
        "simulation": {"end": 0.5},
    }


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_a_path_is_as_long_as_the_cable(dimension: int) -> None:
    result = mbsim.simulate(mechanisms.model(hanging(dimension)))
    scene, poses = scene_of(result), of_result(result)
    (cable,) = scene.cables
    for k in (0, len(poses.times) // 2, len(poses.times) - 1):
        points = path(cable, poses.at(k))
        length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        assert length == pytest.approx(float(result.select("force_length", "rope")[poses.rows[k]]), rel=1e-3)  # arcs are polygons
    drawn = [piece for piece in solids(scene, poses).stretches if isinstance(piece, Strand)]
    assert len(drawn) == 3
    for piece in drawn:
        start, _, scale = place(piece, poses)
        assert np.isfinite(start).all() and scale[:, 2].min() > 0.1


def test_results_of_before_have_no_cables() -> None:
    result = mbsim.simulate(mechanisms.shipped("pendulum"), end=0.01)
    assert scene_of(result).cables == []


def test_a_cable_that_has_left_a_circle_is_straight() -> None:
    path_of = ["ground", {"center": "ground", "at": [1, 0.05], "radius": 0.1, "wraps": "clockwise", "lifts": True}, "b"]
    source = {
        "dimension": 2,
        "bodies": {"b": {"mass": 1, "inertia": 1, "position": [2, -1], "velocity": [0, 3]}},
        "forces": {"c": {"type": "pulley_cable", "stiffness": 1, "path": path_of}},
        "simulation": {"end": 1, "output_step": 0.05},
    }
    result = mbsim.simulate(mechanisms.model(source))
    scene, poses = scene_of(result), of_result(result)
    counts = []
    for k in range(len(poses.times)):
        points = path(scene.cables[0], poses.at(k))
        length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        assert length == pytest.approx(float(result.select("force_length", "c")[poses.rows[k]]), rel=1e-3)
        counts.append(np.ptp(np.cross(points[1:-1] - points[0], points[-1] - points[0])[:, 2]) < 1e-9)
    assert any(counts) and not all(counts)
