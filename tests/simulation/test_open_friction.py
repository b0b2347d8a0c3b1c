"""Friction that depends on a reaction which redundant rows leave open: the motion is one of many, and that is said."""

from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim.model.file.errors import ModelError

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


def shared(share: str, second: str = "revolute", friction: dict[str, float] = LOADED) -> Any:
    return mbsim.load_model(door(second, friction), simulation={"share": share})


def test_the_shortest_reactions_are_taken_without_a_warning_where_they_are_meant() -> None:
    assert not mbsim.assemble(shared("minimum_norm")).warnings
    warned = mbsim.simulate(shared("auto"))
    assert (np.asarray(mbsim.simulate(shared("minimum_norm"))["q"]) == np.asarray(warned["q"])).all()


def test_a_motion_that_is_not_unique_is_refused_where_that_is_asked_for() -> None:
    with pytest.raises(ModelError, match=r"joints.hinge.friction: the friction of hinge depends on .* freer, or .*share: minimum_norm"):
        mbsim.assemble(shared("unique"))
    for second, friction in (("", LOADED), ("revolute", GIVEN)):
        assert not mbsim.assemble(shared("unique", second, friction)).warnings


def test_the_model_says_how_reactions_share() -> None:
    with pytest.raises(ValueError, match="belongs to the model"):
        mbsim.simulate(shared("auto"), share="unique")
