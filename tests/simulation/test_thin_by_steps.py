"""Steps of Moreau and Jean that are longer than what is solid is thick."""

import numpy as np
import pytest

import mbsim
from mbsim.results import Result

BOX, PLATE, DISK = "{type: box, size: [0.1, 0.1, 0.1]}", "{type: box, size: [1, 0.01, 1]}", "{type: cylinder, radius: 0.05, length: 0.1}"
BALL, SLAB, CAPSULE = "{type: sphere, radius: 0.05}", "{type: box, size: [1, 1, 0.01]}", "{type: capsule, radius: 0.02, length: 0.2}"
PLANAR = {"box on plate": (BOX, PLATE, 0.055), "disk on plate": (DISK, PLATE, 0.055), "disk on disk": (DISK, DISK, 0.1)}
SPATIAL = {"ball on plate": (BALL, SLAB, 0.055), "capsule on box": (CAPSULE, BOX, 0.17), "cylinder on plate": (DISK, SLAB, 0.055)}


def _fallen(dimension: int, shape: str, ground: str, speed: float) -> Result:
    inertia, zeros = ("0.3", "0, ") if dimension == 2 else ("[0.3, 0.3, 0.3]", "0, 0, ")
    return mbsim.simulate(f"""
dimension: {dimension}
ground: {{shape: [{ground}]}}
bodies:
  a: {{mass: 2, inertia: {inertia}, position: [{zeros}1], velocity: [{zeros}{-speed!r}], shape: {shape}}}
contacts:
  pair: {{between: [a, ground]}}
simulation: {{end: 0.3, impacts: steps, step: 0.01}}
""")


@pytest.mark.parametrize("speed", [5.0, 37.0])
@pytest.mark.parametrize("case", [*PLANAR, *SPATIAL])
def test_what_is_thin_stops_what_is_fast(case: str, speed: float) -> None:
    """A step leads five or 37 times a plate's thickness: nothing passes, and what arrives stays on the side it came from."""
    dimension, (shape, ground, rests) = (2, PLANAR[case]) if case in PLANAR else (3, SPATIAL[case])
    assert np.asarray(_fallen(dimension, shape, ground, speed)["q"])[-1, dimension - 1] == pytest.approx(rests, abs=1e-9)


def test_what_is_too_fast_is_said() -> None:
    """A step is never cut without end."""
    with pytest.raises(mbsim.SimulationError, match=r"steps lead through what is solid of 'pair_\d+' \(0\.01 m\): take a shorter `step`"):
        _fallen(2, BOX, PLATE, 1e5)


@pytest.mark.parametrize("overlap", [1e-3, 1e-6])
def test_a_corner_tips_over_an_edge(overlap: float) -> None:
    """In a step it comes deeper below the top than it is behind the side: it has come in from above, and is stopped as by events."""
    angle = [
        np.asarray(
            mbsim.simulate(f"""
dimension: 2
gravity: [0, -9.81]
ground: {{shape: [{{type: box, size: [0.2, 0.1, 0.1]}}]}}
bodies:
  tall: {{mass: 1, inertia: 0.01, position: [{0.15 - overlap!r}, 0.5], shape: {{type: box, size: [0.1, 0.3, 0.1]}}}}
contacts:
  pair: {{between: [ground, tall], friction: 0.3}}
simulation: {{end: 0.36, {road}}}
""")["q"]
        )[-1, 2]
        for road in ("impacts: events", "impacts: steps, step: 0.002")
    ]
    assert angle[0] < -0.2 and angle[1] == pytest.approx(angle[0], rel=0.05)
