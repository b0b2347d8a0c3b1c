"""A run whose driver comes to a dead point: it stops there, and says so. It told of a motion that comes to rest."""

import numpy as np
import pytest

import mbsim

FOUR_BAR = """
name: double rocker
dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0, 1], angle: pi/2, points: {pin: [1, 0]}}
  coupler: {mass: 1, inertia: 0.1, position: [1.1, 2.1], points: {A: [-1.1, -0.1], B: [0.9, 0.2]}}
  rocker: {mass: 1, inertia: 0.1, position: [3, 1.15]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, points: [crank.pin, coupler.A]}
  B: {type: revolute, bodies: [coupler, rocker], at: [2, 2.3]}
  C: {type: revolute, bodies: [ground, rocker], at: [4, 0]}
drivers: {motor: {joint: O, angle: t}}
simulation: {end: 3}
"""


def dead_point() -> float:
    """The angle by which the crank turns until coupler and rocker are stretched: the law of cosines."""
    crank, coupler, rocker, base = 2.0, np.hypot(2.0, 0.3), np.hypot(2.0, 2.3), 4.0
    return float(np.arccos((crank**2 + base**2 - (coupler + rocker) ** 2) / (2.0 * crank * base)) - np.pi / 2.0)


@pytest.mark.parametrize("method", ["svd", "lagrange"])
def test_a_driver_that_cannot_go_farther_is_named(method: str) -> None:
    with pytest.raises(
        mbsim.SimulationError, match="the driver motor cannot go farther: this is a dead point, a singular position of"
    ) as caught:
        mbsim.simulate(FOUR_BAR, method=method)
    assert caught.value.time == pytest.approx(dead_point(), abs=1e-6)
