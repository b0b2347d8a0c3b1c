"""Shapes that touch by name, that only are drawn or only touch, and pairs of a group that do not touch."""

import json
from typing import Any

import pytest

import mbsim
from mbsim import ModelError
from mbsim.assembly.assembled import Assembly

BALL = {"type": "sphere", "radius": 0.1}
PLANE = {"normal": [0, 0, 1]}
LEG = [
    {"type": "box", "size": [0.3, 0.3, 0.3], "role": "visual"},
    {**BALL, "role": "collision", "name": "foot"},
    {**BALL, "position": [0, 0, 0.3], "name": "knee"},
    {**BALL, "position": [0, 0.1, 0.3], "name": "knee"},
]


def assembled(contacts: dict[str, Any], dimension: int = 3) -> Assembly:
    places = {"leg": [0, 0, 1], "b": [1, 0, 1], "c": [2, 0, 1]}
    bodies = {
        name: {"mass": 1, "inertia": [1, 1, 1], "position": at, "shape": LEG if name == "leg" else BALL} for name, at in places.items()
    }
    if dimension == 2:
        shape = [{"type": "box", "size": [1, 1], "name": "brick"}, {"type": "cylinder", "radius": 0.1, "length": 0.1, "name": "wheel"}]
        bodies = {name: {"mass": 1, "inertia": 1, "position": at[:2], "shape": shape} for name, at in places.items()}
    return mbsim.assemble(mbsim.load_model({"dimension": dimension, "bodies": bodies, "contacts": contacts, "simulation": {"end": 1}}))


def names(made: Assembly) -> list[str]:
    assert made.unilaterals is not None
    return [one.name for one in made.unilaterals.each]


def test_shapes_touch_by_name_and_by_role() -> None:
    found = names(
        assembled({"one": {"bodies": ["leg.foot", "b", "ground"], "plane": PLANE}, "two": {"bodies": ["leg", "ground"], "plane": PLANE}})
    )
    assert found == ["one_leg_foot", "one_b", "two_1", "two_2", "two_3"]  # the box is drawn alone
    assert names(assembled({"k": {"between": ["leg.knee", "b"]}})) == ["k_1", "k_2"]
    several = {"k": {"bodies": ["leg.foot", "leg.knee", "ground"], "plane": PLANE}}
    assert names(assembled(several)) == ["k_leg_foot", "k_leg_knee_1", "k_leg_knee_2"]
    flat = assembled({"k": {"between": ["leg.wheel", "b.wheel"]}, "m": {"bodies": ["leg.brick", "ground"], "plane": {"normal": [0, 1]}}}, 2)
    assert names(flat) == ["k", "m_1", "m_2", "m_3", "m_4"]


def test_pairs_of_a_group_that_do_not_touch() -> None:
    found = names(assembled({"all": {"between": ["leg.foot", "b", "c"], "without": [["c", "leg.foot"]]}}))
    assert found == ["all_leg_foot_b", "all_b_c"]


def test_what_only_touches_is_not_drawn() -> None:
    made = assembled({"one": {"bodies": ["leg", "ground"], "plane": PLANE}})
    scene = json.loads(made.scene)
    (leg, *_) = scene["bodies"]
    assert [shape["type"] for shape in leg["shape"]] == ["box", "sphere", "sphere"]
    assert not any(key in shape for shape in leg["shape"] for key in ("role", "name"))


FAULTS = [
    ({"bodies": ["leg.toe", "ground"], "plane": PLANE}, "leg has no shape called 'toe' that touches; it has: foot, knee"),
    ({"bodies": ["b.toe", "ground"], "plane": PLANE}, "b has no shape called 'toe' that touches; it has: none"),
    ({"bodies": ["log.foot", "ground"], "plane": PLANE}, "unknown body 'log'; did you mean 'leg'?"),
    ({"bodies": ["b", "leg.foot"], "plane": PLANE}, "the plane is one of the body 'leg', not of its shapes (got 'leg.foot')"),
    (
        {"bodies": ["leg.foot", "ground"], "plane": PLANE, "radius": 0.1},
        "give 'leg.foot' or what touches by 'points' or 'radius', not both",
    ),
    ({"bodies": ["leg.foot", "leg", "ground"], "plane": PLANE}, "a contact needs different bodies (got 'leg' twice)"),
    ({"bodies": ["leg.foot", "leg.foot", "ground"], "plane": PLANE}, "a contact needs different bodies (got 'leg.foot' twice)"),
    ({"bodies": ["ground.floor", "leg"], "plane": PLANE}, "the first of 'bodies' touch the plane of the last one: put the ground last"),
    ({"between": ["leg.foot", "leg.knee"]}, "a contact needs different bodies (got 'leg' twice)"),
    ({"between": ["leg", "b"], "without": [["leg", "b"]]}, "without: no pair is left that touches"),
    ({"between": ["leg", "b", "c"], "without": [["leg", "leg"]]}, "without: nothing touches itself (got 'leg' twice)"),
    ({"between": ["leg", "b"], "without": [["leg", "c"]]}, "without: 'c' is not listed in 'between'"),
    ({"between": ["leg", "b", "c"], "without": [["leg", "c"], ["c", "leg"]]}, "without: 'c' and 'leg' come twice"),
    ({"bodies": ["leg", "ground"], "plane": PLANE, "without": [["leg", "ground"]]}, "'without' goes with 'between'"),
]


@pytest.mark.parametrize(("block", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_what_cannot_touch(block: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        assembled({"k": block})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [("role", "both", "role: unknown value 'both'; allowed: collision, visual"), ("name", "a foot", "name: 'a foot' cannot be a name")],
)
def test_wrong_keys_of_shapes(key: str, value: str, message: str) -> None:
    body = {"mass": 1, "inertia": [1, 1, 1], "shape": {**BALL, key: value}}
    with pytest.raises(ModelError) as caught:
        mbsim.load_model({"bodies": {"a": body}, "simulation": {"end": 1}})
    assert message in str(caught.value)
