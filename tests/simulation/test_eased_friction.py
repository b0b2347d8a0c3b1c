"""Friction that two points share in any way: the one that is pressed by less carries less, until no way is left within the bounds."""

import numpy as np
import pytest
from scipy.optimize import brentq

import mbsim
from mbsim.results import Result

MU, LIGHT, HEAVY, ACROSS = 0.4, 4.41, 9.21, 1.2  # N: what presses both ends, and what pushes the light one across at first
ROD = """
gravity: [0, 0, -9.81]
parameters: {pull: 3.4}
bodies:
  rod: {mass: 2, inertia: [0.055, 0.055, 0.0196], position: [0, 0, 0.14], orientation: {axis: [1, 0, 0], angle: pi/2},
    shape: {type: capsule, radius: 0.14, length: 0.5}}
contacts: {floor: {bodies: [rod, ground], plane: {normal: [0, 0, 1]}, friction: 0.4}}
forces:
  lift: {type: force, body: rod, at: [0, 0.2, 0.14], value: [0, 0, 6]}
  along: {type: force, body: rod, at: [0, 0, 0], value: [0, pull*t, 0]}
  across: {type: force, body: rod, at: [0, 0.25, 0], value: ["1.2*(1 - t/2)", 0, 0]}
simulation: {end: 1}
"""


def moved(pull: float) -> Result:
    return mbsim.simulate(mbsim.load_model(ROD, parameters={"pull": pull}))


def test_a_rod_rests_as_long_as_any_share_of_its_load_holds() -> None:
    """Equal shares are beyond the bound of the light end from 0.75 s on. The heavy end takes over, and nothing slips."""
    result = moved(3.4)
    assert {event["do"] for event in result.attributes["events"]} == {"sticks"}
    assert np.abs(np.asarray(result["body_velocity"])).max() < 1e-14
    found = result.to_xarray()["multiplier"][-1]
    for name, pressed in (("floor_1", LIGHT), ("floor_2", HEAVY)):
        assert float(found.sel(constraint=name)) == pytest.approx(pressed, abs=1e-9)
        assert np.linalg.norm(found.sel(constraint=[f"{name}_stick.slip0", f"{name}_stick.slip1"])) < MU * pressed
    along = [float(found.sel(constraint=f"floor_{k}_stick.slip1")) for k in (1, 2)]
    assert sum(along) == pytest.approx(-3.4, abs=1e-9)
    assert float(found.sel(constraint="floor_1_stick.slip0")) == pytest.approx(-0.5 * ACROSS, abs=1e-9)


def test_it_slips_when_both_ends_are_at_their_bounds() -> None:
    result = moved(6.0)
    slips = [event["time"] for event in result.attributes["events"] if event["do"] == "slips"]
    limit = brentq(lambda t: 6.0 * t - np.sqrt((MU * LIGHT) ** 2 - (ACROSS * (1.0 - 0.5 * t)) ** 2) - MU * HEAVY, 0.0, 1.0)
    assert slips[-1] == pytest.approx(limit, abs=1e-6)
    assert slips == pytest.approx([limit] * len(slips), abs=1e-4)
