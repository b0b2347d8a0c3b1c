"""Cylinders as wide, or as high, as what they fall onto: rims lie upon rims, and points of rims upon the ends of barrels."""

from typing import Any

import numpy as np
import pytest

import mbsim

G = 9.81
R, HALF = 0.1, 0.1
CAN: dict[str, Any] = {"type": "cylinder", "radius": R, "length": 2.0 * HALF}
BOX: dict[str, Any] = {"type": "box", "size": [2.0 * R, 2.0 * R, 2.0 * HALF]}
ROADS: dict[str, dict[str, Any]] = {"events": {"impacts": "events"}, "steps": {"impacts": "steps", "step": 2e-3}}


def _run(below: dict[str, Any], shape: dict[str, Any], place: list[float], road: str, end: float = 0.16, **more: Any) -> Any:
    """The shape falls onto what is fixed about the origin."""
    body = {"mass": 1, "inertia": [0.01, 0.01, 0.01], "position": place, "shape": shape, **more.pop("body", {})}
    return mbsim.simulate(
        {
            "name": "flush", "gravity": more.pop("gravity", [0, 0, -G]), "ground": {"shape": below}, "bodies": {"a": body},
            "contacts": {"each": {"between": ["ground", "a"], "friction": 0.3}}, "simulation": {"end": end, **ROADS[road]},
        }
    )  # fmt: skip


FALLS: dict[str, tuple[dict[str, Any], dict[str, Any], float, float]] = {  # what is below, what falls, its offset along x, its final height
    "centred": (CAN, CAN, 0.0, 2.0 * HALF),
    "next to the centre": (CAN, CAN, 3e-7, 2.0 * HALF),
    "aside": (CAN, CAN, 0.05, 2.0 * HALF),
    "hardly narrower": (CAN, {**CAN, "radius": R * (1.0 - 1e-7)}, 0.0, 2.0 * HALF),
    "hardly wider": (CAN, {**CAN, "radius": R * (1.0 + 1e-7)}, 0.0, 2.0 * HALF),
    "narrower": (CAN, {**CAN, "radius": 0.999 * R}, 0.0, 2.0 * HALF),
    "on a box": (BOX, CAN, 0.0, 2.0 * HALF),
    "a box": (CAN, BOX, 0.0, 2.0 * HALF),
    "a ball": (CAN, {"type": "sphere", "radius": R}, 0.0, HALF + R),
    "a capsule": (CAN, {"type": "capsule", "radius": R, "length": 0.2}, 0.0, HALF + R + 0.1),
}


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("case", FALLS)
def test_one_falls_onto_what_is_as_wide(case: str, road: str) -> None:
    """It comes to rest, and does not pass through."""
    below, shape, aside, height = FALLS[case]
    found = _run(below, shape, [aside, 0.0, height + 0.01], road)
    assert np.asarray(found["q"])[-1, :3] == pytest.approx([aside, 0.0, height], abs=1e-8)
    assert np.abs(np.asarray(found["v"])[-1]).max() < 1e-8


@pytest.mark.parametrize("tilt", [2e-5, 1e-3])
def test_one_falls_nearly_flat(tilt: float) -> None:
    """It rocks from one side of its rim to the other, each of which is about as far out as the edge is, until it stands."""
    found = _run(CAN, CAN, [0.0, 0.0, 2.0 * HALF + 0.01], "events", body={"orientation": {"axis": [0, 1, 0], "angle": tilt}})
    q = np.asarray(found["q"])
    assert q[-1, [1, 2]] == pytest.approx([0.0, 2.0 * HALF], abs=1e-8)
    assert q[:, 2].min() > 2.0 * HALF - 1e-8


@pytest.mark.parametrize(("shape", "tilt"), [(CAN, 0.1), (BOX, 0.03)])
def test_one_falls_tilted_by_steps(shape: dict[str, Any], tilt: float) -> None:
    """The edges on which it rocks have no place any more where it lies flat: what is left of their gaps moves nothing."""
    found = _run(CAN, shape, [0.0, 0.0, 0.25], "steps", 0.3, body={"orientation": {"axis": [0, 1, 0], "angle": tilt}})
    q = np.asarray(found["q"])
    assert q[-1, 2] == pytest.approx(2.0 * HALF, abs=1e-8)
    assert q[:, 2].min() > 2.0 * HALF - 5e-4


@pytest.mark.parametrize("road", ROADS)
def test_one_hits_another_one_along_their_axis(road: str) -> None:
    """Their axes lie on one line: the one that was at rest is as fast as the other one from then on, in a step that is 4 mm long."""
    turned = {"axis": [0, 1, 0], "angle": "deg(90)"}
    bodies = {
        name: {"mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [x, 0, 0], "orientation": turned, "shape": CAN, "velocity": [v, 0, 0]}
        for name, x, v in (("a", 0.0, 2.0), ("b", 0.25, 0.0))
    }
    found = mbsim.simulate(
        {"name": "along", "bodies": bodies, "contacts": {"each": {"between": ["a", "b"]}}, "simulation": {"end": 0.1, **ROADS[road]}}
    )
    v = np.asarray(found["v"])[-1]
    assert v[[0, 6]] == pytest.approx([1.0, 1.0], abs=1e-9)


@pytest.mark.parametrize("road", ROADS)
def test_one_falls_beside_another_one(road: str) -> None:
    """It slides down along the barrel, from above it until both are flush: nothing stops it at the rim."""
    found = _run(CAN, CAN, [2.0 * R, 0.0, 2.0 * HALF + 0.01], road, 0.2)
    assert np.asarray(found["q"])[-1, :3] == pytest.approx([2.0 * R, 0.0, 2.0 * HALF + 0.01 - 0.5 * G * 0.04], abs=1e-9)
