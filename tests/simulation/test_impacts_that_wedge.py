"""A block on a rail hits a floor at an angle: it moves along the rail alone, so its impulse has one direction that matters."""

import numpy as np
import pytest

import mbsim
from mbsim.results import Result

RAIL = """
dimension: 2
coordinates: joint
bodies: {block: {mass: 1, inertia: 0.1, position: [0, 0.5], points: {tip: [0, -0.1]}}}
joints: {rail: {type: prismatic, bodies: [ground, block], at: [0, 0.5], axis: ["cos(deg(ANGLE))", "sin(deg(ANGLE))"]}}
contacts: {floor: {bodies: [block, ground], points: [tip], plane: {normal: [0, 1]}, friction: 0.5, restitution: 0.4}}
initial: {der(rail.displacement): -2}
simulation: {end: 1.5, impact_law: LAW}
"""


def slides(angle: float, law: str) -> Result:
    return mbsim.simulate(RAIL.replace("ANGLE", str(angle)).replace("LAW", law))


def test_a_steep_rail_rebounds_as_each_law_says() -> None:
    """Newton: 0.4 of the speed. Poisson: 0.4 of the normal impulse that brought the block to rest, against friction at its bound.

    Along the rail a normal impulse P counts as P sin a, and friction as at most 0.5 P cos a. What brings the block to rest is not unique:
    both add up to its momentum.
    """
    assert slides(70, "newton")["v"][-1, 0] == pytest.approx(0.8, rel=1e-12)
    s, c = np.sin(np.deg2rad(70)), np.cos(np.deg2rad(70))
    most, least = 2.0 / (s - 0.5 * c), 2.0 / (s + 0.5 * c)
    result = slides(70, "poisson")
    assert least <= result["v"][-1, 0] / (0.4 * (s - 0.5 * c)) <= most
    assert result.events[0]["unique"] is False
    assert "unique" not in slides(70, "newton").events[0]


def test_a_flat_rail_wedges() -> None:
    """Below the angle of friction nothing rebounds: Newton's law has no solution, and says which law has one."""
    with pytest.raises(mbsim.SimulationError, match=r"no solution by Newton's law at 'floor': .* wedges, .* \(`impact_law: poisson`\)"):
        slides(20, "newton")
    result = slides(20, "poisson")
    assert [line["do"] for line in result.events] == ["impact", "sticks"] and result["v"][-1, 0] == 0.0
