"""Kinematics and inverse dynamics of mechanisms with contacts and play: they move as far as the first that closes."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from test_kinematics_with_stops import L, R, place, slider_crank

import mbsim
from mbsim.march.ending import SimulationError

WALL = {"bodies": ["slider", "ground"], "radius": 0.1, "plane": {"normal": [-1, 0], "through": [R + L + 0.05, 0]}}  # closed at -0.05
BOX = {"type": "box", "size": [0.2, 0.2]}


def beside_a_wall(coordinates: str = "absolute", **more: Any) -> dict[str, Any]:
    return slider_crank(coordinates) | {"contacts": {"wall": WALL}} | more


def carriage(path: dict[str, str], **more: Any) -> dict[str, Any]:
    """A box led along a path above a block of the ground, whose top is at y = 0 from x = -0.5 to 0.5."""
    return {
        "name": "a box led over a block", "dimension": 2,
        "ground": {"shape": {"type": "box", "size": [1, 0.4], "position": [0, -0.2]}},
        "bodies": {"box": {"mass": 1, "inertia": 0.01, "position": [-1, 0.3], "shape": BOX}},
        "drivers": {x: {"coordinate": f"box.{x}", "value": value} for x, value in path.items()},
        "contacts": {"touch": {"between": ["box", "ground"]}}, "simulation": {"end": 2, "output_step": 0.02},
    } | more  # fmt: skip


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(("range_", "bracket"), [("2:-1:31", (0.01, 2.0)), ("1:5.9:36", (4.0, 6.2)), ("1:-1:2", (0.01, 1.0))])
def test_it_ends_where_a_contact_closes(coordinates: str, range_: str, bracket: tuple[float, float]) -> None:
    """Also where both rows about it are free: the last cycle has two rows."""
    with pytest.raises(SimulationError, match=r"wall closes at O\.angle = .* rad: O\.angle cannot go farther") as caught:
        mbsim.kinematics(beside_a_wall(coordinates), f"O.angle={range_}")
    exact = brentq(lambda angle: place(angle) + 0.05, *bracket, xtol=1e-14)
    result = caught.value.result
    assert result is not None and caught.value.time == pytest.approx(exact, abs=1e-10) == result.time[-1]
    assert result.select("body_position", "slider", "x")[-1] == pytest.approx(R + L - 0.05, abs=1e-11)
    free = mbsim.kinematics(slider_crank(coordinates), f"O.angle={range_}")
    assert result.names() == free.names() and np.array_equal(result["q"][:-1], free["q"][: len(result.time) - 1])


@pytest.mark.parametrize("what", [mbsim.kinematics, mbsim.inverse])
def test_drivers_end_there_as_a_run_does(what: Any) -> None:
    model = beside_a_wall(drivers={"motor": {"joint": "O", "angle": "1 - 2*t"}})
    with pytest.raises(SimulationError, match=r"wall closes at t = .* s: the drivers cannot go farther") as caught:
        what(model)
    with pytest.raises(SimulationError, match="leads the motion beyond what is closed") as stopped:
        mbsim.simulate(model, rtol=1e-10, atol=1e-10)
    assert caught.value.time == pytest.approx(stopped.value.time, abs=1e-9)
    assert caught.value.time == pytest.approx(0.5 - 0.5 * brentq(lambda angle: place(angle) + 0.05, 0.01, 1.0), abs=1e-9)


def test_a_start_beyond_a_contact_has_no_row() -> None:
    with pytest.raises(SimulationError, match=r"the first row, at O\.angle = 0\.1 rad: wall is 0\.048\d* m beyond closed"):
        mbsim.kinematics(beside_a_wall(), "O.angle=0.1:4:21")


def test_a_side_counts_between_its_ends() -> None:
    """A box that is led down beside the block passes; one led against its side, or onto its top, does not."""
    beside = mbsim.kinematics(carriage({"x": "-1", "y": "0.3 - t/2", "angle": "0"}))
    assert beside.select("body_position", "box", "y")[-1] == pytest.approx(-0.7)
    with pytest.raises(SimulationError, match=r"closes at t = 0\.4 s"):  # y = 0.1 at the corner of the box
        mbsim.kinematics(carriage({"x": "-0.5", "y": "0.3 - t/2", "angle": "0"}))
    with pytest.raises(SimulationError, match=r"closes at t = 0\.8 s"):  # x = -0.6 at the side of the block
        mbsim.kinematics(carriage({"x": "-1 + t/2", "y": "-0.2", "angle": "0"}))


def test_what_slides_along_a_contact_goes_on_and_its_load_is_not_known() -> None:
    model = carriage({"x": "-0.2 + t/8", "y": "0.1", "angle": "0"})
    assert mbsim.kinematics(model).time[-1] == pytest.approx(2.0)
    with pytest.raises(SimulationError, match="is closed there, so that it may carry a load, which no prescribed motion tells"):
        mbsim.inverse(model)


@pytest.mark.parametrize("what", [mbsim.kinematics, mbsim.inverse])
def test_wheels_with_play_that_are_both_driven_end_at_a_flank(what: Any) -> None:
    model: dict[str, Any] = {
        "name": "play", "dimension": 2,
        "bodies": {"a": {"mass": 1, "inertia": 0.02, "position": [0, 0]}, "b": {"mass": 3, "inertia": 0.05, "position": [0.3, 0]}},
        "joints": {
            "A": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
            "B": {"type": "revolute", "bodies": ["ground", "b"], "at": [0.3, 0]},
            "mesh": {"type": "gear", "joints": ["A", "B"], "teeth": [20, 40], "backlash": {"play": 0.02}},
        },
        "drivers": {"first": {"joint": "A", "angle": "t"}, "second": {"joint": "B", "angle": "-t/2 + 0.02*t^2"}},
        "simulation": {"end": 2},
    }  # fmt: skip
    with pytest.raises(SimulationError, match="mesh_upper closes at t = ") as caught:
        what(model)
    assert caught.value.time == pytest.approx(np.sqrt(0.5), abs=1e-10)
    with pytest.raises(SimulationError, match=r"'mesh_upper'.*leads the motion beyond what is closed") as stopped:
        mbsim.simulate(model | {"joints": model["joints"] | {"B": model["joints"]["B"] | {"friction": {"torque": 0.1}}}})
    assert "jams" not in str(stopped.value)


def test_gaps_in_own_coordinates_end_a_motion() -> None:
    model = {
        "name": "a point over waves", "coordinates": ["x", "y"], "energy": {"kinetic": "(der(x)^2 + der(y)^2)/2", "potential": "9.81*y"},
        "drivers": {"across": {"coordinate": "x", "value": "t"}, "down": {"coordinate": "y", "value": "1 - t/2"}},
        "contacts": {"floor": {"gap": "y - 0.1*sin(3*x)"}}, "simulation": {"end": 3},
    }  # fmt: skip
    with pytest.raises(SimulationError, match="floor closes") as caught:
        mbsim.kinematics(model)
    assert caught.value.time == pytest.approx(brentq(lambda t: 1.0 - t / 2.0 - 0.1 * np.sin(3.0 * t), 1.8, 2.3), abs=1e-10)


def test_what_contacts_alone_would_lead_is_free() -> None:
    model = slider_crank() | {"contacts": {"wall": WALL}}
    with pytest.raises(ValueError, match=r"leave 1 degree of freedom: .*; contacts and play \(wall\) hold nothing while they are open"):
        mbsim.kinematics(model)


@pytest.mark.parametrize(("more", "said"), [
    ({"stops": {"upper": 0.5}}, r"at t = 0\.52 s: arm\.angle = 0\.52 is beyond its stop arm_upper"),
    ({}, r"at t = 0\.52 s: wall is 0\.01\d* m beyond closed"),
])  # fmt: skip
def test_a_table_of_a_tree_that_leads_too_far_is_refused(more: dict[str, Any], said: str) -> None:
    model: dict[str, Any] = {
        "name": "an arm", "dimension": 2, "coordinates": "joint",
        "bodies": {"link": {"mass": 1, "inertia": 0.1, "position": [0.5, 0], "points": {"tip": [0.5, 0]}}},
        "joints": {"arm": {"type": "revolute", "bodies": ["ground", "link"], "at": [0, 0], **more}},
        "contacts": {"wall": {"bodies": ["link", "ground"], "points": ["tip"],
                              "plane": {"normal": [0, -1], "through": [0, 2.0 if more else float(np.sin(0.505))]}}},
        "simulation": {"end": 1},
    }  # fmt: skip
    times = np.linspace(0.0, 1.0, 51)
    table = {"time": times, "arm.angle": times}
    with pytest.raises(ValueError, match=said):
        mbsim.inverse(model, table)
    short = {"time": times[:25], "arm.angle": times[:25]}
    arm = {key: value for key, value in model["joints"]["arm"].items() if key != "stops"}
    free = mbsim.inverse(model | {"contacts": {}, "joints": {"arm": arm}}, short)
    np.testing.assert_array_equal(mbsim.inverse(model, short)["driver_effort"], free["driver_effort"])
