"""Cylinders on cylinders in space: they roll and lie on each other, stand, tip and fall, g = 9.81 m/s2."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbsim

G = 9.81
R, LENGTH, MASS = 0.1, 0.3, 0.5
ALONG, ACROSS = {"axis": [1, 0, 0], "angle": "deg(90)"}, {"axis": [0, 1, 0], "angle": "deg(90)"}  # y, x
LOG = {"type": "cylinder", "radius": 0.2, "length": 1, "rotation": ALONG}  # its upper line is at z = 0.2
POST = {"type": "cylinder", "radius": 0.1, "length": 0.3, "position": [0, 0, -0.15]}  # its upper end is at z = 0


def can(place: list[float], radius: float = R, length: float = LENGTH, **more: Any) -> dict[str, Any]:
    across = MASS * (3.0 * radius * radius + length * length) / 12.0
    shape = {"type": "cylinder", "radius": radius, "length": length}
    return {"mass": MASS, "inertia": [across, across, 0.5 * MASS * radius * radius], "position": place, "shape": shape, **more}


def run(ground: Any, end: float, friction: float = 0.5, bounce: float = 0.0, **bodies: dict[str, Any]) -> Any:
    law = {"between": ["ground", *bodies], "friction": friction, "restitution": bounce, "closing_speed": 1e-3}
    return mbsim.simulate(
        {
            "name": "cans", "gravity": [0, 0, -G], "ground": {"shape": ground}, "bodies": bodies, "contacts": {"c": law},
            "simulation": {"end": end, "output_step": 0.01, "rtol": 1e-10, "atol": 1e-11},
        }
    )  # fmt: skip


def test_a_cylinder_rolls_off_another() -> None:
    """Without slip theta'' = 2/3 g sin(theta)/(R + r) for a full cylinder, theta the angle of the line of centres from the vertical."""
    start, apart = np.deg2rad(10.0), 0.3
    result = run(LOG, 0.4, can=can([apart * np.sin(start), 0, apart * np.cos(start)], orientation=ALONG))
    place = result["body_position"][-1, 0]
    found = solve_ivp(lambda _, y: [y[1], 2.0 / 3.0 * G * np.sin(y[0]) / apart], [0, 0.4], [start, 0], rtol=1e-12, atol=1e-13)
    assert np.arctan2(place[0], place[2]) == pytest.approx(found.y[0, -1], abs=1e-9)
    assert np.hypot(place[0], place[2]) == pytest.approx(apart, abs=1e-11)
    assert place[1] == pytest.approx(0.0, abs=1e-10)
    assert {line["event"] for line in result.events} == {"c_6", "c_8"}  # both rims of the one on the other


def test_two_barrels_lie_crosswise() -> None:
    """They touch at one point, at which the upper one is in equilibrium."""
    result = run(LOG, 0.3, can=can([0, 0, 0.3], length=0.6, orientation=ACROSS))
    np.testing.assert_allclose(result["body_position"][-1, 0], [0, 0, 0.3], atol=1e-12)
    assert [line["event"] for line in result.events] == ["c_1"]


def test_a_barrel_rocks_on_another() -> None:
    """As a board on a drum, which is stable where the drum is wider than the board is thick: the energy stays, and it comes back.

    In small motions (I + m r^2) phi'' = -m g (R - r) phi with the inertia I of the barrel about its centre and its radius r.
    """
    inertia, tilt = MASS * (3.0 * R * R + 0.36) / 12.0, 0.01
    turn = {"axis": [0, 1, 0], "angle": np.pi / 2.0 + tilt}
    # a board of the half thickness R that has rolled by tilt on a drum of 0.2
    s, c = np.sin(tilt), np.cos(tilt)
    place = [0.3 * s - 0.2 * tilt * c, 0, 0.3 * c + 0.2 * tilt * s]
    period = 2.0 * np.pi * np.sqrt((inertia + MASS * R * R) / (MASS * G * 0.1))
    result = run(LOG, round(period, 6), can=can(place, length=0.6, orientation=turn))
    assert np.abs(result["energy_balance"]).max() < 1e-10
    np.testing.assert_allclose(result["body_position"][-1, 0], place, atol=2e-6)
    assert np.abs(result["body_position"][:, 0, 0] + place[0]).min() < 1e-5  # on the other side meanwhile


@pytest.mark.parametrize(("x", "radius"), [(0.0, 0.1), (0.03, 0.1), (0.06, 0.1), (0.02, 0.05), (0.02, 0.15)])
def test_a_cylinder_stands_on_another(x: float, radius: float) -> None:
    result = run(POST, 0.3, can=can([x, 0, 0.15], radius))
    np.testing.assert_allclose(result["body_position"][-1, 0], [x, 0, 0.15], atol=1e-11)
    assert np.abs(result["v"][-1]).max() < 1e-10


def test_one_whose_middle_is_beyond_the_rim_tips() -> None:
    result = run(POST, 0.3, can=can([0.12, 0, 0.15]))
    assert result["body_position"][-1, 0, 2] < 0.14
    assert np.abs(result["energy_balance"]).max() < 1e-8


def test_a_tower_of_three() -> None:
    """One stands on another on the ground's, a little beside it."""
    result = run(POST, 0.2, low=can([0.02, 0, 0.15]), high=can([0.02, 0.03, 0.45]))
    np.testing.assert_allclose(result["body_position"][-1], [[0.02, 0, 0.15], [0.02, 0.03, 0.45]], atol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_a_cylinder_that_falls_on_another_keeps_the_energy(seed: int) -> None:
    """Without friction and loss, in random attitudes, onto the end, the rim and the barrel; nothing sinks in."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3).tolist()
    fallen = can([*rng.uniform(-0.18, 0.18, 2), 0.25], orientation={"axis": axis, "angle": float(rng.uniform(0.3, 2.8))})
    fallen["angular_velocity"] = rng.normal(size=3).tolist()
    result = run({**POST, "radius": 0.2}, 0.35, 0.0, 1.0, can=fallen)
    assert any(line["do"] == "impact" for line in result.events)
    assert all(abs(line["energy"]) < 1e-9 for line in result.events if "energy" in line)
    assert np.abs(result["energy_balance"]).max() < 1e-8
