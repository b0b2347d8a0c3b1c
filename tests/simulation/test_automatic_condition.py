"""`auto` looks at the condition of what a method factors."""

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbsim

MODEL = Path(__file__).parents[1] / "failing" / "trailer_without_inertia.yaml"


@pytest.mark.parametrize("inertia", [1e-14, 1e-11])
def test_a_mass_matrix_that_is_next_to_singular(inertia: float) -> None:
    """The constraint holds the direction without inertia, and N' M N is as good as any; `lagrange` stopped, or lost seven digits."""
    result = mbsim.simulate(MODEL, parameters={"J": inertia})
    assert result.attributes["method"] == "svd" and "next to singular" in result.attributes["choices"]["method"]
    assert np.abs(result["residual_acceleration"]).max() < 1e-12
    assert np.abs(result["energy_balance"]).max() < 1e-7


def test_elsewhere_it_stays_with_what_is_faster() -> None:
    result = mbsim.simulate(MODEL, parameters={"J": 0.1}, end=0.1)
    assert result.attributes["method"] == "lagrange"


def test_what_the_user_asks_for_is_used() -> None:
    assert mbsim.simulate(MODEL, parameters={"J": 1e-6}, end=0.1, method="lagrange").attributes["method"] == "lagrange"


ALIGNED = MODEL.parent / "euler_angles_that_align.yaml"


def exact(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """theta and psi of the damped pendulum: A theta_ddot = -2 theta - 0.9 theta_dot, J psi_ddot = 0.1 cos 3 t."""
    d = 0.9 / 0.4
    w = np.sqrt(2.0 / 0.2 - d * d)
    theta = np.exp(-d * t) * (0.5 * np.cos(w * t) + (-0.2 + 0.5 * d) / w * np.sin(w * t))
    return theta, (1.0 - np.cos(3.0 * t)) / 9.0


def test_a_matrix_that_becomes_singular_on_the_way() -> None:
    """`lagrange`, which auto takes at the start, stopped at 3.85 s with the mass matrix singular."""
    result = mbsim.simulate(ALIGNED)
    theta, psi = exact(result.time)
    assert result.attributes["method"] == "svd" and result.time[-1] == 12.0
    assert "becomes" in result.attributes["choices"]["method"]
    assert np.abs(result["q"] - np.stack([np.full(len(theta), 0.3), theta, psi], axis=1)).max() < 1e-8


def test_a_method_that_is_asked_for_says_what_it_loses() -> None:
    """Rows before `lagrange` stops have lost a thousandth of their accelerations."""
    with pytest.raises(mbsim.SimulationError, match="mass matrix is singular") as stopped:
        mbsim.simulate(ALIGNED, method="lagrange")
    assert stopped.value.result is not None
    (note,) = [note for note in stopped.value.result.attributes["notes"] if "accelerations of lagrange are off" in note]
    assert "`method: svd`" in note
    assert not [note for note in mbsim.simulate(ALIGNED, method="lagrange", end=1.0).attributes["notes"] if "accelerations of" in note]


def test_what_factors_no_mass_matrix_says_nothing() -> None:
    result = mbsim.simulate(ALIGNED, method="nullspace")
    assert not [note for note in result.attributes["notes"] if "accelerations of" in note]


@pytest.mark.parametrize("end", [0.2, 12.0])
def test_a_run_that_begins_anew_leaves_one_result(tmp_path: Path, end: float) -> None:
    path = tmp_path / "out.h5"
    mbsim.simulate(ALIGNED, end=end, output=path)
    with mbsim.open_result(path) as result:
        assert result.attributes["status"] == "complete" and result.time[0] == 0.0 and np.isclose(result.time[-1], end)


def test_joint_coordinates_far_from_the_root_of_their_tree() -> None:
    """M is singular to round-off; absolute coordinates, which do not know of it, say nothing."""
    joint = mbsim.simulate(ALIGNED.parent / "rail_far_away.yaml", method="svd").attributes["notes"]
    (note,) = [note for note in joint if "accelerations of svd are off" in note]
    assert "`method: aba`" in note


@pytest.mark.parametrize("mass", [1e-12, 1e-14])
def test_a_light_arm_is_no_singular_position(mass: float) -> None:
    """A bob of 1 kg on it: rows were taken for dependent in the metric of the masses, and the run stopped at its start."""
    arm = {"mass": mass, "inertia": mass, "position": [0, -0.5], "velocity": [0.25, 0], "angular_velocity": 0.5}
    bob = {"mass": 1, "inertia": 1e-3, "position": [0, -1], "velocity": [0.5, 0]}
    pin = {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]}
    hinge = {"type": "revolute", "bodies": ["arm", "bob"], "at": [0, -1]}
    model = {"name": "light", "dimension": 2, "gravity": [0, -9.81], "bodies": {"arm": arm, "bob": bob}}
    run = mbsim.simulate(model | {"joints": {"pin": pin, "hinge": hinge}, "simulation": {"end": 0.2}})
    assert run.attributes["method"] == "svd"
    exact = solve_ivp(lambda t, y: [y[1], -9.81 * np.sin(y[0])], (0.0, 0.2), [0.0, 0.5], method="DOP853", rtol=1e-12, atol=1e-13).y[0, -1]
    np.testing.assert_allclose(run["body_position"][-1, 1, 0], np.sin(exact), atol=1e-7)


@pytest.mark.parametrize("joint", [False, True])
def test_equal_steps_over_a_jump_of_a_driver_keep_their_order(joint: bool) -> None:
    """By independent speeds a cart whose acceleration jumps took its pendulum 1e-3 m away with steps of 1 ms: order one, and no word."""
    cart, rod = {"mass": 1, "inertia": 0.1, "position": [0, 0]}, {"mass": 1, "inertia": 0.03, "position": [0, -0.3]}
    rail = {"type": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0], "axis": [1, 0]}
    model = {
        "name": "cart", "dimension": 2, "gravity": [0, -9.81], "bodies": {"cart": cart, "rod": rod},
        "joints": {"rail": rail, "pin": {"type": "revolute", "bodies": ["cart", "rod"], "at": [0, 0]}},
        "drivers": {"motor": {"joint": "rail", "displacement": "step(t, 0.2, 0, 0.7, 0.5)"}}, "simulation": {"end": 1},
    } | ({"coordinates": "joint"} if joint else {})  # fmt: skip
    exact = mbsim.simulate(model, rtol=1e-11, atol=1e-12)["body_position"][-1]
    run = mbsim.simulate(model, step=1e-3)
    assert run.attributes["method"] == "lagrange" and "jumps of what is prescribed" in run.attributes["choices"]["method"]
    np.testing.assert_allclose(run["body_position"][-1], exact, atol=1e-9)
    asked = mbsim.simulate(model, step=1e-3, method="svd")
    assert any("are of order one" in note for note in asked.attributes["notes"])
    assert not any("are of order one" in note for note in run.attributes["notes"])
    led = {"length": {"type": "distance", "bodies": ["ground", "cart"], "at": [[-1, 0], [0, 0]], "length": "1 + step(t, 0.2, 0, 0.7, 0.5)"}}
    by_rod = {key: value for key, value in model.items() if key != "drivers"} | {"joints": model["joints"] | led}
    assert mbsim.simulate(by_rod, step=1e-3).attributes["method"] == "lagrange"
    smooth = model | {"drivers": {"motor": {"joint": "rail", "displacement": "0.5*t^2"}}}
    assert mbsim.simulate(smooth, step=1e-3).attributes["method"] == "svd"
