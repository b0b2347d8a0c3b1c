"""What is wrong with the path of a cable, in the words that the user reads; and what stops a run that cannot go on with it."""

from typing import Any

import mechanisms
import pytest

import mbsim
from mbsim.model.file.errors import ModelError

WHEEL = {"center": "ground", "at": [0, 2], "radius": 0.2, "wraps": "clockwise"}
CABLE = {"type": "pulley_cable", "path": ["a.hook", WHEEL, "b"]}
Z = {"axis": [0, 0, 1]}


def source(dimension: int = 2, **rest: Any) -> dict[str, Any]:
    def at(*x: float) -> list[float]:
        return [*x, 0.0][:dimension]

    inertia = 0.01 if dimension == 2 else [0.01, 0.01, 0.01]
    bodies = {
        "a": {"mass": 3, "inertia": inertia, "position": at(-0.2, 0), "points": {"hook": at(0, 0.05)}},
        "b": {"mass": 2, "inertia": inertia, "position": at(0.2, 0)},
    }
    return {"dimension": dimension, "gravity": at(0, -9.81), "bodies": bodies, "simulation": {"end": 1}} | rest


def with_path(*stations: Any, **keys: Any) -> dict[str, Any]:
    return {"type": "pulley_cable", "path": list(stations), **keys}


CASES: list[tuple[dict[str, Any], str]] = [
    (with_path("a.hok", "b"), "constraints.c.path[0]: unknown point 'hok' of a; did you mean 'hook'?"),
    (with_path("a", {**WHEEL, "radius": -0.2}, "b"), "constraints.c.path[1].radius: must be greater than 0 (got -0.2)"),
    (with_path("a", {**WHEEL, "wraps": "clock"}, "b"), "constraints.c.path[1].wraps: unknown value 'clock'; did you mean 'clockwise'?"),
    (
        with_path("a", {"point": "ground", "radius": 1, "turns": 2}, "b"),
        "constraints.c.path[1]: 'radius', 'turns': only a circle has that; give its 'center' in place of 'point'",
    ),
    (with_path("a", {"centre": "b"}), "constraints.c.path[1].centre: unknown key 'centre'; did you mean 'center'?"),
    (with_path("a", {"center": "b", "wraps": "clockwise"}), "constraints.c.path[1]: missing key 'radius' (it goes with 'center')"),
    (with_path("a", {"point": "b", "center": "b"}), "constraints.c.path[1]: give exactly one of 'point' and 'center'"),
    (
        with_path({"point": "a.hook", "at": [0, 1]}, "b"),
        "constraints.c.path[0]: give the place either as 'a.hook' or by 'at', not both",
    ),
    (with_path("a", {**WHEEL, **Z}, "b"), "constraints.c.path[1].axis: expected 2 numbers"),
    (with_path("a", {**WHEEL, "turns": 0.5}, "b"), "constraints.c.path[1]: turns are a whole number from 0 to 1000 (got 0.5)"),
    (with_path("a"), "constraints.c.path: expected at least 2 items (got 1: ['a'])"),
    (with_path("a", "a.hook"), "constraints.c.path: a cable needs two different bodies (got 'a' only)"),
    (
        with_path({**WHEEL, "grips": True}, "b"),
        "constraints.c.path[0].grips: a cable that ends at a circle is wound on it, as on a drum: leave out this key",
    ),
    (
        with_path("a", {**WHEEL, "lifts": True}, "b"),
        "constraints.c.path[1].lifts: a cable that does not stretch does not leave its circles: leave out 'lifts', or give a force",
    ),
    (CABLE | {"length": -1}, "constraints.c: length must be greater than 0 (got -1)"),
    (CABLE | {"restitution": 0.2}, "constraints.c: 'restitution' goes with 'slack: true'"),
    (CABLE | {"slack": True, "locked": False}, "constraints.c: a cable that may go slack comes and goes by itself: leave out 'locked'"),
    (
        with_path("a", {**WHEEL, "grips": True}, "b", slack=True),
        "constraints.c: a cable that may go slack is known of smooth pulleys only: leave out 'grips', or give a force pulley_cable",
    ),
    (
        with_path("a", {**WHEEL, "grips": True}, "b", length=4),
        "constraints.c: a pulley that grips parts the cable, and each part is as long as it is drawn: leave out 'length'",
    ),
    (
        with_path("a", {**WHEEL, "at": [0.1, 0.1]}, "b"),
        "constraints.c.path[1]: no straight line leads there: one lies inside of the other, or the circles cut each other "
        "(the centres are 0.316228 apart, with radii 0.5 and 0)",
    ),
    (
        with_path("a", {"point": "ground", "at": [-0.2, 0]}, "b"),
        "constraints.c.path[1]: the cable goes on to the point where it is: a straight part needs a length",
    ),
    (
        with_path("a", {"point": "ground", "at": [-0.2, 0]}, "b", length=1, slack=True),  # a force pulls while it is taut
        "constraints.c.path[1]: the cable goes on to the point where it is: a straight part needs a length",
    ),
]
CASES[-3][0]["path"][1]["radius"] = 0.5


@pytest.mark.parametrize(("block", "message"), CASES)
def test_paths(block: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        mbsim.assemble(mechanisms.model(source(constraints={"c": block})))
    (problem,) = caught.value.problems
    assert str(problem).partition(": ")[2].startswith(message) or message in str(problem)
    assert problem.line is not None


FORCES: list[tuple[dict[str, Any], str]] = [
    ({}, "forces.c: give exactly one of 'stiffness', 'EA' and 'value'"),
    ({"stiffness": 1, "EA": 2}, "forces.c: give exactly one of 'stiffness', 'EA' and 'value'"),
    ({"value": "length", "damping": 2}, "forces.c: give either 'value' or damping, not both"),
    ({"value": "lenght"}, "forces.c.value: unknown name 'lenght'; did you mean 'length'?"),
    ({"EA": 0}, "forces.c.EA: must be greater than 0 (got 0)"),
    ({"stiffness": 1, "free_length": 0}, "forces.c.free_length: must be greater than 0 (got 0)"),
]


@pytest.mark.parametrize(("keys", "message"), FORCES)
def test_forces(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        mechanisms.model(source(forces={"c": CABLE | keys}))
    (problem,) = caught.value.problems
    assert message in str(problem)


def test_all_at_once() -> None:
    blocks = {f"c{k}": block for k, (block, _) in enumerate(CASES[:-3])}
    with pytest.raises(ModelError) as caught:
        mechanisms.model(source(constraints=blocks))
    assert len(caught.value.problems) == len(blocks)


def test_space_needs_axes_across_the_cable() -> None:
    wheel = {"center": "ground", "at": [0, 2, 0], "radius": 0.2, "wraps": "clockwise"}
    with pytest.raises(ModelError, match=r"path\[1\]: missing key 'axis' \(a circle needs one in three dimensions\)"):
        mechanisms.model(source(3, constraints={"c": with_path("a", wheel, "b")}))
    drum = {"center": "b", "radius": 0.1, "wraps": "clockwise", "axis": [0, 1, 0]}
    with pytest.raises(ModelError, match=r"path\[2\]: the cable leaves the plane of a circle by more than 60 degrees on its way there"):
        mbsim.assemble(mechanisms.model(source(3, constraints={"c": with_path("a", wheel | Z, drum)})))


def test_drums_of_several_radii_need_joint_coordinates_in_space() -> None:
    made = source(3)
    made["joints"] = {x: {"type": "revolute", "bodies": ["ground", x], "at": made["bodies"][x]["position"], **Z} for x in ("a", "b")}
    drums = [{"center": x, "radius": r, "wraps": "clockwise", **Z} for x, r in (("a", 0.1), ("b", 0.15))]
    made["constraints"] = {"c": with_path(drums[0], {**WHEEL, "at": [0, 2, 0], **Z}, drums[1])}
    with pytest.raises(ModelError, match=r"path\[2\]: drums and pulleys of several radii turn.*use `coordinates: joint`"):
        mbsim.assemble(mechanisms.model(made))
    mbsim.assemble(mechanisms.model(made | {"coordinates": "joint"}))


def test_slack_needs_absolute_coordinates() -> None:
    with pytest.raises(ModelError, match="a cable that may go slack needs absolute coordinates: leave out `coordinates: joint`"):
        mechanisms.model(source(coordinates="joint", constraints={"c": CABLE | {"slack": True}}))


def test_a_straight_part_that_turns_too_far_stops_the_run() -> None:
    """An elastic string that winds up on a peg: its length would not be known."""
    made = source(gravity=[0, 0])
    made["bodies"]["b"] |= {"velocity": [0, 3]}
    made["bodies"]["a"] |= {"velocity": [0, 0]}
    peg = {"center": "ground", "at": [-1, 0], "radius": 0.1, "wraps": "clockwise"}
    made["forces"] = {"c": with_path(peg, "b", stiffness=100)}
    made["simulation"] = {"end": 5}
    reason = r"the straight part c\.strand0 of the cable c is not known: .*or this part has turned by 0\.75 pi since the drawing"
    with pytest.raises(mbsim.SimulationError, match=reason):
        mbsim.simulate(mechanisms.model(made))


def test_a_path_longer_than_the_cable_is_refused() -> None:
    made = source(constraints={"c": CABLE | {"slack": True, "length": 4}})
    with pytest.raises(mbsim.SimulationError, match="the path of 'c' is longer than the cable, by 0"):
        mbsim.simulate(mechanisms.model(made))


def test_a_load_that_is_hoisted_into_its_drum_stops_the_run() -> None:
    made = source()
    made["bodies"]["a"]["position"] = [0.25, -1]
    made["joints"] = {
        "guide": {"type": "prismatic", "bodies": ["ground", "a"], "at": [0.25, -1], "axis": [0, 1]},
        "axle": {"type": "revolute", "bodies": ["ground", "b"], "at": [0.2, 0]},
    }
    drum = {"center": "b", "at": [0.2, 0], "radius": 0.1, "wraps": "counterclockwise"}
    made["constraints"] = {"c": with_path("a", drum)}
    made["drivers"] = {"motor": {"joint": "axle", "angle": "15*t"}}
    with pytest.raises(mbsim.SimulationError, match=r"stopped at t = .* the straight part c\.strand0 of the cable c is not known"):
        mbsim.simulate(mechanisms.model(made))
