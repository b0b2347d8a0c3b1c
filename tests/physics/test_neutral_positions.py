"""Positions in which nothing pulls back and nothing pushes away: what round-off makes of the small motions there is no growth."""

from pathlib import Path

import pytest
from redundant_mechanisms import ROBERVAL

import mbsim

TROUGH = """
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 0.1, inertia: 0.0001, position: [-0.06, 0.30], shape: {type: cylinder, radius: 0.05, length: 0.1}}
  b: {mass: 0.1, inertia: 0.0001, position: [0.06, 0.31], shape: {type: cylinder, radius: 0.05, length: 0.1}}
  c: {mass: 0.1, inertia: 0.0001, position: [0.01, 0.42], shape: {type: cylinder, radius: 0.05, length: 0.1}}
contacts:
  left: {bodies: [a, b, c, ground], plane: {normal: [1, 1]}, friction: 0.3}
  right: {bodies: [a, b, c, ground], plane: {normal: [-1, 1]}, friction: 0.3}
  balls: {between: [a, b, c], friction: 0.3}
simulation: {end: 1}
"""
BEAMS = (Path(__file__).parents[2] / "docs" / "model-file" / "beams.md").read_text(encoding="utf-8")
HUNG = "name: a cable with a weight" + BEAMS.partition("name: a cable with a weight")[2].partition("```")[0]


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_balance_of_roberval_rests_in_any_position(coordinates: str) -> None:
    """Wherever on its pans the weights lie. In absolute coordinates it swung at 3e-8 Hz."""
    found = mbsim.modes(f"coordinates: {coordinates}\n{ROBERVAL}")
    assert found.spectrum.zeros == len(found.eigenvalues) == 2
    assert found.stable


def test_a_balance_with_a_weak_spring_swings() -> None:
    """A millionth of a N m/rad is not taken for round-off."""
    spring = "  s: {type: rotational_spring_damper, joint: a, stiffness: 1e-6}\n"
    found = mbsim.modes(ROBERVAL.replace("simulation", f"{spring}simulation"))
    J = 0.05 + 0.05 + 2 * 0.5 * 0.3**2
    assert found.modes[0].eigenvalue.imag == pytest.approx((1e-6 / J) ** 0.5, rel=1e-6)


def test_balls_in_a_trough_turn_freely() -> None:
    """Six contacts hold their centres. Their free turns were told to grow at 3e-23 per second."""
    found = mbsim.equilibrium(TROUGH)
    assert found.stable
    assert not found.to_dict()["warnings"]


def test_a_weight_that_turns_on_its_hook_beside_stiff_beams() -> None:
    """One of both zeros of the turn was 3e-12 per second beside motions of 4e4 per second."""
    found = mbsim.modes(HUNG)
    assert {"weight.rotation.z", "weight.omega.z"} == set(found.cyclic)
    assert found.stable
