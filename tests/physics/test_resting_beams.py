"""Equilibria of stiff beams with stops, contacts and dry friction, which round-off of their stiffness must not hinder."""

import mechanisms
import pytest

import mbsim

LINK = "section: {rectangle: [0.004, 0.02]}, material: {E: 7e10, density: 2700}, elements: 3"
FOUR_BAR = f"""
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {{mass: 0.4, inertia: 2e-3, position: [0, 0.06], points: {{A: [0, 0.06]}}}}
beams:
  coupler: {{from: crank.A, to: [0.4, 0.3], {LINK}}}
  rocker: {{from: coupler.end, to: [0.45, 0], {LINK}}}
joints:
  O: {{type: revolute, bodies: [ground, crank], at: [0, 0]}}
  A: {{type: revolute, bodies: [crank, coupler.start], at: [0, 0.12]}}
  B: {{type: revolute, bodies: [coupler.end, rocker.start], at: [0.4, 0.3] BOUND}}
  C: {{type: revolute, bodies: [ground, rocker.end], at: [0.45, 0] RUB}}
simulation: {{end: 1}}
"""


BOUND, RUB = ", stops: {lower: -2, upper: 2}", ", friction: {torque: 0.02}"


def balance(bound: str = "", rub: str = "") -> dict[str, float]:
    return mbsim.equilibrium(mechanisms.model(FOUR_BAR.replace(" BOUND", bound).replace(" RUB", rub))).q


@pytest.mark.parametrize(("bound", "rub"), [(BOUND, ""), ("", RUB)], ids=["stop", "friction"])
def test_what_does_not_act_changes_nothing(bound: str, rub: str) -> None:
    """A stop that is far, and friction that does not hold the start."""
    assert balance(bound, rub) == pytest.approx(balance(), abs=1e-9)


def test_kinematics_name_beams() -> None:
    """Not each coordinate of their nodes."""
    model = FOUR_BAR.replace(" BOUND", "").replace(" RUB", "") + "drivers: {d: {joint: O, angle: t}}\n"
    with pytest.raises(ValueError, match=r"the drivers leave 18 degrees of freedom, of coupler, rocker, which bend by forces"):
        mbsim.kinematics(mechanisms.model(model))
