"""A cylinder on its side that resists rolling: both rims touch, and what lies in line with them they share in more than one way."""

import numpy as np
import pytest

import mbsim
from mbsim.results import Result

G, MASS, RADIUS, HALF, INERTIA, LENGTH, SPEED, ARM = 9.81, 2.0, 0.14, 0.25, 0.0196, 0.01, 0.3, 0.2
ROLLER = """
gravity: [0, 0, -9.81]
parameters: {lift: 0, spin: 0}
bodies:
  roller: {mass: 2, inertia: [0.055, 0.055, 0.0196], position: [0, 0, 0.14], orientation: {axis: [1, 0, 0], angle: pi/2},
    velocity: [0.3, 0, 0], angular_velocity: [0, 0.3/0.14, spin], SHAPE}
contacts: {floor: {bodies: [roller, ground], plane: {normal: [0, 0, 1]}, friction: 0.4, rolling_resistance: 0.01}}
forces: {lift: {type: force, body: roller, at: [0, 0.2, 0.14], value: [0, 0, lift]}}
simulation: {end: 1.5}
"""
SHAPES = {"cylinder": "shape: {type: cylinder, radius: 0.14, length: 0.5}", "capsule": "shape: {type: capsule, radius: 0.14, length: 0.5}"}


def rolls(shape: str = "cylinder", method: str = "auto", **parameters: float) -> Result:
    return mbsim.simulate(mbsim.load_model(ROLLER.replace("SHAPE", SHAPES[shape]), parameters=parameters), method=method)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lift", [0.0, 6.0, 10.0])
def test_a_roller_under_an_uneven_load_comes_to_rest_when_it_has_to(shape: str, lift: float) -> None:
    """Its couple goes by the sum of both normal forces. The shortest couples at rest, in N m beside N, were beyond their bounds."""
    result = rolls(shape, lift=lift)
    load = MASS * G - lift
    slows = LENGTH * load / RADIUS / (MASS + INERTIA / RADIUS**2)
    rests = [event["time"] for event in result.attributes["events"] if event["do"] == "sticks" and event["event"].endswith("rolling")]
    assert rests == pytest.approx([SPEED / slows] * 2, abs=1e-8)
    assert result["body_position"][-1, 0, 0] == pytest.approx(0.5 * SPEED**2 / slows, abs=1e-8)
    forces = result.to_xarray()["multiplier"].sel(constraint=["floor_1", "floor_2"])
    rolling = forces[np.asarray(result["time"]) < rests[0] - 1e-6][-1]
    assert sorted(rolling.values) == pytest.approx([0.5 * (load - lift * ARM / HALF), 0.5 * (load + lift * ARM / HALF)], abs=1e-7)


@pytest.mark.parametrize("method", ["svd", "lagrange", "nullspace", "riemann", "cfa"])
def test_methods_share_a_load_by_the_same_multipliers(method: str) -> None:
    """The shortest ones of all that give the same reaction, couples over their length: they hardly take part, as they are weak."""
    result = rolls(method=method, lift=6.0)
    by = 6.0 * ARM / (HALF**2 + LENGTH**2)
    normal, couple = 0.5 * (MASS * G - 6.0), 0.5 * by * LENGTH**2
    found = result.to_xarray()["multiplier"][-1]
    assert sorted(found.sel(constraint=["floor_1", "floor_2"]).values) == pytest.approx(
        [normal - 0.5 * by * HALF, normal + 0.5 * by * HALF], abs=1e-9
    )
    for name in ("floor_1_rolling", "floor_2_rolling"):
        assert np.abs(found.sel(constraint=[f"{name}.slip0", f"{name}.slip1"]).values) == pytest.approx([couple, 0.0], abs=1e-9)
