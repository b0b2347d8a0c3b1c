"""Boxes of one width: corners fall onto corners, and are on the planes of two sides at one time."""

from math import sqrt

import numpy as np
import pytest

import mbsim
from mbsim.results import Result

G = 9.81
ROADS = {"events": "impacts: events", "steps": "impacts: steps, step: 0.002", "long steps": "impacts: steps, step: 0.01"}


def _planar(ground: str, place: str, end: float, road: str, friction: float = 0.0, speed: str = "[0, 0]") -> Result:
    return mbsim.simulate(f"""
dimension: 2
gravity: [0, {-G}]
ground: {{shape: [{ground}]}}
bodies:
  a: {{mass: 2, inertia: 0.3, position: {place}, velocity: {speed}, shape: {{type: box, size: [1, 1, 1]}}}}
contacts:
  pair: {{between: [a, ground], friction: {friction}}}
simulation: {{end: {end}, {road}}}
""")


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_one_falls_onto_another_one(dimension: int, road: str) -> None:
    """They come to rest one upon the other."""
    inertia, up = ("0.3", "") if dimension == 2 else ("[0.3, 0.3, 0.3]", "0, ")
    bodies = "\n".join(
        f"  {name}: {{mass: 2, inertia: {inertia}, position: [0, {up}{height}], shape: {{type: box, size: [1, 1, 1]}}}}"
        for name, height in (("a", 0.6), ("b", 1.8))
    )
    found = mbsim.simulate(f"""
dimension: {dimension}
gravity: [0, {up}{-G}]
bodies:
{bodies}
contacts:
  floor: {{bodies: [a, ground], plane: {{normal: [0, {up}1]}}, friction: 0.3}}
  pair: {{between: [a, b], friction: 0.3}}
simulation: {{end: 1.5, {ROADS[road]}}}
""")
    q, width = np.asarray(found["q"])[-1], 3 if dimension == 2 else 7
    assert q[dimension - 1 :: width] == pytest.approx([0.5, 1.5], abs=1e-9)
    assert q[0::width] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert np.abs(np.asarray(found["v"])[-1]).max() < 1e-9


@pytest.mark.parametrize("road", ROADS)
def test_one_falls_beside_another_one(road: str) -> None:
    """It slides down along the side, and nothing stops it at the corner."""
    for wide in (1.0, 0.3, 3.0):
        found = _planar(f"{{type: box, size: [{wide}, 1, 1]}}", f"[{0.5 + 0.5 * wide}, 1.3]", 0.6, ROADS[road])
        assert np.asarray(found["q"])[-1] == pytest.approx([0.5 + 0.5 * wide, 1.3 - 0.5 * G * 0.36, 0.0], abs=1e-9)


@pytest.mark.parametrize(("wide", "tall", "overlap"), [(1.0, 1.0, 0.0), (0.5, 3.0, 1e-11), (0.5, 3.0, 3e-10)])
def test_one_falls_beside_another_one_with_friction(wide: float, tall: float, overlap: float) -> None:
    """An overlap that is less than what counts as touching is none, however tall the box is; nothing presses it, so nothing rubs."""
    place = 0.5 + 0.5 * wide - overlap
    found = mbsim.simulate(f"""
dimension: 2
gravity: [0, {-G}]
bodies:
  b: {{mass: 2, inertia: 0.3, position: [0, 0.5], shape: {{type: box, size: [1, 1, 1]}}}}
  a: {{mass: 2, inertia: 0.3, position: [{place!r}, {1.3 + 0.5 * tall}], shape: {{type: box, size: [{wide}, {tall}, 1]}}}}
contacts:
  floor: {{bodies: [b, ground], plane: {{normal: [0, 1]}}, friction: 0.3}}
  pair: {{between: [a, b], friction: 0.3}}
simulation: {{end: 0.4}}
""")
    fallen = 1.3 + 0.5 * tall - 0.5 * G * 0.16
    assert np.asarray(found["q"])[-1] == pytest.approx([0.0, 0.5, 0.0, place, fallen, 0.0], abs=2e-9)


@pytest.mark.parametrize("road", ROADS)
def test_one_slides_over_a_joint_of_the_floor(road: str) -> None:
    """Boxes of one height, side by side, are a floor."""
    tiles = ", ".join(f"{{type: box, size: [1, 1, 1], position: [{x}, 0]}}" for x in (-1.0, 0.0, 1.0))
    found = _planar(tiles, "[-0.9, 1.0]", 0.5, ROADS[road], 0.2, "[2.5, 0]")
    far = 2.5 * 0.5 - 0.5 * 0.2 * G * 0.25
    assert np.asarray(found["q"])[-1] == pytest.approx([-0.9 + far, 1.0, 0.0], abs=1e-9)


def test_a_corner_hits_a_corner() -> None:
    """Where no side parts both, it still does not go through."""
    turned = np.pi / 4.0
    found = mbsim.simulate(f"""
dimension: 2
gravity: [0, {-G}]
ground: {{shape: {{type: box, size: [1, 1, 1], rotation: {turned!r}}}}}
bodies:
  a: {{mass: 2, inertia: 0.3, position: [0, 1.6], angle: {turned!r}, shape: {{type: box, size: [1, 1, 1]}}}}
contacts:
  pair: {{between: [a, ground]}}
simulation: {{end: 0.3}}
""")
    hits = [line["time"] for line in found.events if line["do"] == "impact"]
    assert hits and hits[0] == pytest.approx(sqrt(2.0 * (1.6 - sqrt(2.0)) / G), rel=1e-6)


def test_a_tall_one_slides_down_at_the_edge_of_a_low_one() -> None:
    """Nothing loads the contact. Friction would wedge it if something did: its two points are 6 mm apart and 5 cm beside the middle."""
    found = mbsim.simulate(f"""
dimension: 2
gravity: [0, {-G}]
bodies:
  low: {{mass: 1, inertia: 0.01, position: [0, 0.05], shape: {{type: box, size: [0.2, 0.1, 0.1]}}}}
  tall: {{mass: 1, inertia: 0.01, position: [0.15, 0.5], shape: {{type: box, size: [0.1, 0.3, 0.1]}}}}
contacts:
  floor: {{bodies: [low, tall, ground], plane: {{normal: [0, 1]}}, friction: 0.3}}
  pair: {{between: [low, tall], friction: 0.3}}
simulation: {{end: 0.3, impacts: events}}
""")
    assert np.asarray(found["q"])[-1] == pytest.approx([0.0, 0.05, 0.0, 0.15, 0.15, 0.0], abs=1e-9)
