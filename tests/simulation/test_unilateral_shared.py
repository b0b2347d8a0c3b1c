"""Loads that do not determine the forces of contacts: what is at rest stays as long as some forces keep it, g = 9.81 m/s2."""

from math import asin, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbsim

G = 9.81

CRATE = """
dimension: 2
gravity: [0, -9.81]
parameters: {k: 2}
bodies: {crate: {mass: 1, inertia: 0.02, position: [0, 0.1], points: {left: [-0.2, -0.1], right: [0.2, -0.1]}}}
contacts: {floor: {bodies: [crate, ground], points: [left, right], plane: {normal: [0, 1]}, friction: 0.4}}
forces: {push: {type: force, body: crate, value: [k*t, 0]}}
simulation: {end: 3}
"""


def test_two_corners_hold_until_both_together_do_not():
    """The sum of both frictions counts, mu m g, not twice that of the corner that is pressed less (which would give way earlier)."""
    result = mbsim.simulate(CRATE)
    at = 0.4 * G / 2.0  # s: k t = mu m g
    x, t = np.asarray(result["q"])[:, 0], np.asarray(result.time)
    assert np.abs(x[t < at - 1e-6]).max() < 1e-13
    assert x[-1] == pytest.approx(2.0 / 6.0 * (3.0 - at) ** 3, abs=1e-9)  # m x'' = k (t - at)
    assert np.abs(np.asarray(result["q"])[:, 2]).max() < 1e-12


HELD = """
dimension: 2
gravity: [0, -9.81]
bodies: {lid: {mass: 1, inertia: 0.02, position: [1, 0], points: {left: [-0.2, -0.1], right: [0.2, -0.1]}}}
joints: {hinge: {type: revolute, bodies: [ground, lid], at: [0, 0.3], friction: {torque: 1}}}
contacts: {floor: {bodies: [lid, ground], points: [left, right], plane: {normal: [0, 1], through: [0, -0.1]}, friction: 0.5}}
forces: {push: {type: force, body: lid, value: [0, 30*sin(4*t)]}}
simulation: {end: 1}
"""


def test_a_lid_with_friction_in_its_hinge_rests_on_two_corners():
    """Five forces along one freedom. It stays until friction of the hinge alone, 1 N m, does not keep it down: 1 m (F - m g) = 1 N m."""
    result = mbsim.simulate(HELD)
    at = asin((G + 1.0) / 30.0) / 4.0
    angle, t = np.asarray(result["q"])[:, 2], np.asarray(result.time)
    assert np.abs(angle[t < at - 1e-6]).max() < 1e-12
    assert next(line["time"] for line in result.events if line["do"] == "open") <= at + 1e-9
    assert angle[np.searchsorted(t, at + 0.02)] > 1e-6


ROD = """
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, position: [1, 0], points: {end: [0, 0]}}}
joints: {hinge: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
contacts: {floor: {bodies: [rod, ground], points: [end], plane: {normal: [0, 1]}}}
forces: {lift: {type: force, body: rod, value: [0, 12*sin(8*t)]}}
simulation: {end: 2}
"""


def test_what_rests_from_the_start_on_opens_at_its_time_although_nothing_bounds_the_first_step():
    result = mbsim.simulate(ROD)
    opens = next(line for line in result.events if line["do"] == "open")
    assert opens["time"] == pytest.approx(asin(G / 12.0) / 8.0, abs=1e-9)


TABLE = """
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 1, inertia: [0.2, 0.2, 0.3], position: [0, 0, 1], points: {a: [1, 1, -1], b: [-1, 1, -1], c: [-1, -1, -1], d: [1, -1, -1]}}
contacts: {floor: {bodies: [table, ground], points: [a, b, c, d], plane: {normal: [0, 0, 1]}}}
forces: {load: {type: force, body: table, at: [0.9, 0.9, 1], value: [0, 0, -20*t]}}
simulation: {end: 3}
"""


def test_a_table_stands_on_three_legs_where_four_equal_shares_would_pull():
    """By the least sum of squares leg c would pull from 20 t (0.9 + 0.9 - 1) = m g on, t = 0.61 s; three legs carry all."""
    result = mbsim.simulate(TABLE)
    assert np.abs(np.asarray(result["v"])).max() < 1e-12
    forces = result.to_xarray()["multiplier"].sum("constraint")
    assert np.asarray(forces) == pytest.approx(G + 20.0 * np.asarray(result.time), rel=1e-9)


WEDGED = """
dimension: 2
gravity: [0, -9.81]
bodies: {beam: {mass: 1, inertia: 0.05, position: [0, 0], points: {left: [-0.5, 0], right: [0.5, 0]}}}
contacts: {posts: {bodies: [beam, ground], points: [left, right], plane: {normal: [0, 1]}}}
forces: {lift: {type: force, body: beam, value: [0, 6*t^2]}}
simulation: {end: 1.5}
"""


def test_both_ends_of_a_beam_leave_together():
    result = mbsim.simulate(WEDGED)
    at = sqrt(G / 6.0)
    assert [line["time"] for line in result.events if line["do"] == "open"] == pytest.approx([at, at], abs=1e-9)
    height = (6.0 / 12.0) * (1.5**4 - at**4) - 6.0 * at**3 / 3.0 * (1.5 - at) - 0.5 * G * (1.5 - at) ** 2
    assert np.asarray(result["q"])[-1, 1] == pytest.approx(height, abs=1e-9)
    assert abs(np.asarray(result["q"])[-1, 2]) < 1e-9 * pi


TIPS = """
gravity: [0, 0, -9.81]
bodies:
  table:
    mass: 10
    inertia: [1, 1, 1]
    position: [0, 0, 0.7]
    points: {a: [0.5, 0.5, -0.7], b: [-0.5, 0.5, -0.7], c: [-0.5, -0.5, -0.7], d: [0.5, -0.5, -0.7]}
forces: {load: {type: force, body: table, at: [0.8, 0, 0.7], value: [0, 0, -165*sin(t)]}}
contacts: {floor: {bodies: [table, ground], points: [a, b, c, d], plane: {normal: [0, 0, 1]}, friction: 0.9}}
simulation: {end: 2.2}
"""


def test_a_table_on_rough_legs_tips_and_falls_back() -> None:
    """About two legs; that these carry it no longer was once not seen, and it fell through the floor."""
    result = mbsim.simulate(TIPS)
    inertia = 1.0 + 10.0 * (0.5**2 + 0.7**2)  # about the edge that stays

    def rates(t: float, z: np.ndarray) -> list[float]:
        c, s = np.cos(z[0]), np.sin(z[0])
        return [z[1], (10.0 * G * (-0.5 * c + 0.7 * s) + 165.0 * np.sin(t) * (0.3 * c + 0.7 * s)) / inertia]

    def back(_: float, z: np.ndarray) -> float:
        return z[0]

    back.terminal, back.direction = True, -1  # type: ignore[attr-defined]
    tips = asin(10.0 * G * 0.5 / (165.0 * 0.3))
    own = solve_ivp(rates, (tips, 3.0), [0.0, 0.0], rtol=1e-12, atol=1e-14, events=back)
    opened = [line for line in result.events if line["do"] == "open"]
    assert [line["event"] for line in opened[:2]] == ["floor_2", "floor_3"]
    assert [line["time"] for line in opened[:2]] == pytest.approx([tips, tips], abs=1e-8)
    hits = [line["time"] for line in result.events if line["do"] == "impact"]
    assert hits[:2] == pytest.approx([own.t_events[0][0]] * 2, abs=1e-6)
    assert np.asarray(result.select("table.z"))[-1] == pytest.approx(0.7, abs=1e-6)
