"""Friction that depends on a reaction which redundant rows leave open: the motion is one of many, and that is said."""

from typing import Any

import pytest

import mbsim

LOADED, GIVEN = {"coefficient": 0.3, "radius": 0.02}, {"torque": 0.1}


def door(second: str, friction: dict[str, float]) -> dict[str, Any]:
    """On a hinge that rubs, and on another joint above it."""
    hinge = {"type": "revolute", "bodies": ["ground", "door"], "at": [0, 0, 0], "axis": [0, 0, 1], "friction": friction}
    joints = {"hinge": hinge}
    if second:
        joints["upper"] = {"type": second, "bodies": ["ground", "door"], "at": [0, 0, 1], "axis": [0, 0, 1]}
    body = {"mass": 2, "inertia": [0.3, 0.3, 0.2], "position": [0.4, 0, 0.5], "angular_velocity": [0, 0, 1]}
    made = {"name": "door", "gravity": [0, 0, -9.81], "bodies": {"door": body}, "joints": joints}
    return made | {"initial": {"door.angular_velocity": [0, 0, 1]}, "simulation": {"end": 0.1}}


@pytest.mark.parametrize(
    ("second", "friction", "open_"),
    [("revolute", LOADED, True), ("cylindrical", LOADED, True), ("", LOADED, False), ("revolute", GIVEN, False)],
)
def test_friction_of_an_open_reaction_is_said(second: str, friction: dict[str, float], open_: bool) -> None:
    made = mbsim.assemble(mbsim.load_model(door(second, friction)))
    assert [("the friction of hinge depends on reactions" in one) for one in made.warnings] == [True] * open_
