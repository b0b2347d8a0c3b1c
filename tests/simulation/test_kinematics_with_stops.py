"""Kinematics of mechanisms whose joints have rigid stops and dry friction: they move as far as the first stop."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import mbsim
from mbsim.march.ending import SimulationError

R, L = 0.2, 0.5


def slider_crank(coordinates: str = "absolute", **of_slide: Any) -> dict[str, Any]:
    bodies = {
        "crank": {"mass": 1, "inertia": 0.01, "position": [R / 2, 0]},
        "rod": {"mass": 1.5, "inertia": 0.03, "position": [R + L / 2, 0]},
        "slider": {"mass": 2, "inertia": 0.01, "position": [R + L, 0]},
    }
    hinges = {name: {"type": "revolute", "bodies": pair, "at": [x, 0]} for name, pair, x in
              (("O", ["ground", "crank"], 0), ("A", ["crank", "rod"], R), ("B", ["rod", "slider"], R + L))}  # fmt: skip
    slide = {"type": "prismatic", "bodies": ["ground", "slider"], "at": [R + L, 0], "axis": [1, 0], **of_slide}
    model = {"name": "slider-crank", "dimension": 2, "bodies": bodies, "joints": hinges | {"C": slide}, "simulation": {"end": 1}}
    return model | ({"coordinates": "joint"} if coordinates == "joint" else {})


def place(angle: float) -> float:
    return float(R * np.cos(angle) + np.sqrt(L**2 - R**2 * np.sin(angle) ** 2) - R - L)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(("range_", "bracket"), [("2:-1:31", (0.01, 2.0)), ("1:5.9:36", (4.0, 6.2))])
def test_it_ends_at_the_stop(coordinates: str, range_: str, bracket: tuple[float, float]) -> None:
    model = slider_crank(coordinates, stops={"upper": -0.05, "lower": -1}, friction={"force": 3})
    with pytest.raises(SimulationError, match=r"the stop C_upper is reached at O\.angle = .* rad: O\.angle cannot go farther") as caught:
        mbsim.kinematics(model, f"O.angle={range_}")
    exact = brentq(lambda angle: place(angle) + 0.05, *bracket, xtol=1e-14)
    result = caught.value.result
    assert result is not None and caught.value.time == pytest.approx(exact, abs=1e-10) == result.time[-1]
    assert result.select("body_position", "slider", "x")[-1] == pytest.approx(R + L - 0.05, abs=1e-12)
    assert any("the dry friction of C is a force, and is left out" in note for note in result.attributes["notes"])


def test_a_cycle_that_reaches_no_stop_is_that_without_stops() -> None:
    stopped, free = (mbsim.kinematics(slider_crank(**more), "crank.angle=1:5:21") for more in ({"stops": {"upper": -0.05}}, {}))
    assert np.array_equal(stopped["q"], free["q"]) and np.array_equal(stopped["v"], free["v"])


def test_a_cycle_that_begins_beyond_a_stop_has_no_row() -> None:
    with pytest.raises(
        SimulationError, match=r"the first row, at crank\.angle = 0\.1 rad: C\.displacement = -0\.0013.* is beyond its stop C_upper"
    ):
        mbsim.kinematics(slider_crank(stops={"upper": -0.05}), "crank.angle=0.1:4:21")


def test_drivers_stop_there_too() -> None:
    model = slider_crank(backlash={"lower": -0.2, "upper": 0.1}) | {"drivers": {"motor": {"joint": "O", "angle": "2*t"}}}
    with pytest.raises(SimulationError, match=r"the stop C_lower is reached at t = .* s: the drivers cannot go farther") as caught:
        mbsim.kinematics(model)
    assert 2.0 * caught.value.time == pytest.approx(brentq(lambda angle: place(angle) + 0.2, 0.1, 3.0), abs=1e-10)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_inverse_dynamics_has_the_friction_of_a_run(coordinates: str) -> None:
    """The efforts of the driver are those of a run of the same motion; where the slide turns back, friction jumps."""
    hinge = {"torque": 0.4}
    model = slider_crank(coordinates, friction={"force": 12}, stops={"lower": -1})
    model["joints"]["A"]["friction"] = hinge
    model |= {"drivers": {"motor": {"joint": "O", "angle": "0.3 + 6*t"}}, "simulation": {"end": 1, "output_step": 0.01}}
    run = mbsim.simulate(model, rtol=1e-11, atol=1e-12)
    found = mbsim.inverse(model)
    rows = [int(np.abs(run.time - t).argmin()) for t in found.time]
    assert np.abs(run.time[rows] - found.time).max() < 1e-12
    efforts, expected = found.select("driver_effort", "motor"), run.select("driver_effort", "motor")[rows]
    assert np.abs(efforts - expected)[1:-1].max() < 1e-7 * np.abs(expected).max()
    assert np.ptp(efforts - mbsim.inverse(model | {"joints": slider_crank(coordinates)["joints"]}).select("driver_effort", "motor")) > 2.0
    assert any("the dry friction of A, C acts against the motion" in note for note in found.attributes["notes"])


def test_inverse_dynamics_ends_at_a_stop_and_refuses_what_reactions_load() -> None:
    driven = {"drivers": {"motor": {"joint": "O", "angle": "2*t"}}}
    with pytest.raises(SimulationError, match=r"the stop C_lower is reached at t = "):
        mbsim.inverse(slider_crank(stops={"lower": -0.2}) | driven)
    with pytest.raises(ValueError, match=r"inverse dynamics does not know .* \(C_friction\)"):
        mbsim.inverse(slider_crank(friction={"coefficient": 0.1}) | driven)


def test_a_stop_that_is_reached_on_a_row_ends_there() -> None:
    """The row was there twice, and curves through the rows could not be found."""
    pin = {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0], "stops": {"lower": -0.7}}
    model = {
        "name": "arm", "dimension": 2, "bodies": {"b": {"mass": 1, "inertia": 0.1, "position": [0.5, 0]}}, "joints": {"p": pin},
        "drivers": {"m": {"joint": "p", "angle": "-0.5*t"}}, "simulation": {"end": 2, "step": 0.001},
    }  # fmt: skip
    for analysis in (mbsim.kinematics, mbsim.inverse):
        with pytest.raises(SimulationError, match=r"the stop p_lower is reached at t = 1\.4 s") as caught:
            analysis(model)
        assert caught.value.result is not None and (np.diff(caught.value.result.time) > 5e-4).all()
        assert caught.value.result.time[-1] == pytest.approx(1.4, abs=1e-12)


def test_friction_of_a_cable_on_a_rim_is_left_out() -> None:
    """Kinematics know its length alone; inverse dynamics do not know its tensions."""
    pulley = {"center": "ground", "at": [0, 0], "radius": R, "wraps": "clockwise"}
    model: dict[str, Any] = {
        "dimension": 2,
        "bodies": {"a": {"mass": 3, "inertia": 0.1, "position": [-R, -1]}, "b": {"mass": 1, "inertia": 0.1, "position": [R, -1]}},
        "joints": {
            name: {"type": "prismatic", "bodies": ["ground", name], "at": [x, -1], "axis": [0, 1]} for name, x in (("a", -R), ("b", R))
        },
        "constraints": {"rope": {"type": "pulley_cable", "path": ["a", {**pulley, "friction": 0.2}, "b"]}},
        "drivers": {"lift": {"joint": "a", "displacement": "0.1*sin(3*t)"}},
        "simulation": {"end": 1},
    }
    found = mbsim.kinematics(model)
    assert "the dry friction of rope is a force, and is left out" in found.attributes["notes"]
    assert found["q"][:, mbsim.assemble(model).system.coordinates.index("b.y")] + 1 == pytest.approx(
        -0.1 * np.sin(3 * found.time), abs=1e-12
    )
    with pytest.raises(ValueError, match="rope_friction"):
        mbsim.inverse(model)
