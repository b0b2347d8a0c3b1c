"""Assembly of the start: what is fixed stays, the rest changes least in the mass norm, contradictions name the constraints."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from mechanisms import close

import mbsim
from mbsim.assembly import assemble_system
from mbsim.diagnosis import consistent as start

FOUR_BAR = (mechanisms.MODELS / "four_bar.yaml").read_text()


def refused(text: str) -> str:
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.assemble(mechanisms.model(text))
    return str(caught.value)


def test_fixed_coordinates_stay_and_the_rest_follows() -> None:
    text = FOUR_BAR.replace("initial: {", "initial: {crank.angle: 1.3, ").replace("fix: [", "fix: [crank.angle, ")
    made = mbsim.assemble(mechanisms.model(text))
    system = made.system
    assert made.q[system.coordinates.index("crank.angle")] == 1.3
    assert made.v[system.speeds.index("der(crank.angle)")] == 8.0
    close(system.phi(0.0, made.q), 0.0, atol=1e-12)
    close(system.C(0.0, made.q) @ made.v, 0.0, atol=1e-11)
    assert made.correction[0] > 0.01


def test_change_of_position_and_velocity_is_the_smallest_in_the_mass_norm() -> None:
    """Stationarity of (d' M d)/2 on the constraints: M d lies in the range of C'."""
    made = mbsim.assemble(mechanisms.shipped("spatial_slider_crank"))
    system, rng = made.system, np.random.default_rng(4)
    given_v = rng.standard_normal(system.n_v)
    found = assemble_system(system, 0.0, made.q, given_v)
    C, M = system.C(0.0, made.q), system.M(0.0, made.q)
    free = np.linalg.svd(C)[2][np.linalg.matrix_rank(C) :]
    close(free @ M @ (found.v - given_v), 0.0, atol=1e-10)
    close(C @ found.v, 0.0, atol=1e-10)
    # positions: to first order in a small disturbance
    e = 1e-5
    moved = assemble_system(system, 0.0, system.move(made.q, e * rng.standard_normal(system.n_v)), given_v)
    close(system.phi(0.0, moved.q), 0.0, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-4, 1e-5])
def test_position_change_is_mass_weighted(scale: float) -> None:
    """Two points that must meet share the way in inverse proportion to their masses."""
    text = """
name: two points
coordinates: [x, y]
parameters: {gap: 1}
energy: {kinetic: (der(x)^2 + 3*der(y)^2)/2}
constraints: {meet: {type: holonomic, equation: y - x}, }
initial: {x: 0, y: gap, der(x): 0, der(y): 1}
simulation: {end: 1}
"""
    made = mbsim.assemble(mechanisms.model(text, parameters={"gap": scale}))
    close(made.q, 0.75 * scale, atol=1e-14)
    close(made.v, 0.75, atol=1e-14)


def test_drivers_set_the_velocities() -> None:
    made = mbsim.assemble(mechanisms.shipped("slider_crank"))
    rate = 2 * np.pi * 300 / 60
    assert made.v[made.system.speeds.index("der(crank.angle)")] == pytest.approx(rate, rel=1e-12)
    close(made.system.C(0.0, made.q) @ made.v + made.system.xi(0.0, made.q), 0.0, atol=1e-10)


def test_start_at_another_time() -> None:
    text = (mechanisms.MODELS / "slider_crank.yaml").read_text().replace("{end: 0.4,", "{start: 0.01, end: 0.4,")
    made = mbsim.assemble(mechanisms.model(text))
    assert made.q[made.system.coordinates.index("crank.angle")] == pytest.approx(2 * np.pi * 300 / 60 * 0.01, abs=1e-10)
    result = mbsim.simulate(made, end=0.02)
    assert result.time[0] == 0.01


def test_redundant_but_consistent_constraints_assemble() -> None:
    made = mbsim.assemble(mechanisms.model(mechanisms.parallel_pendulum(3, 3)))
    close(made.system.phi(0.0, made.q), 0.0, atol=1e-12)


def test_contradiction_names_constraints_residuals_and_place() -> None:
    text = """name: contradiction
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2}
constraints:
  free_one: {type: holonomic, equation: y - 2}
  left: {type: holonomic, equation: x - 1}
  right: {type: holonomic, equation: x + 1}
initial: {x: 0.2}
simulation: {end: 1}
"""
    message = refused(text)
    assert message.startswith("model.yaml:6:9: constraints.left: the start cannot be assembled")
    assert "left (-1)" in message and "right (1)" in message
    assert "free_one" not in message


def test_contradiction_with_what_is_fixed() -> None:
    message = refused(
        FOUR_BAR.replace("initial: {", "initial: {rocker.angle: 0.1, ").replace("fix: [", "fix: [rocker.angle, crank.angle, ")
    )
    assert "position residuals" in message and "fix" in message
    assert "B[" in message or "A[" in message


def test_contradictory_velocities() -> None:
    message = refused(
        FOUR_BAR.replace("initial: {", "initial: {rocker.angular_velocity: 0, ").replace("fix: [", "fix: [rocker.angular_velocity, ")
    )
    assert "velocity residuals" in message and "fix" in message


def test_out_of_reach() -> None:
    text = FOUR_BAR.replace("at: [d, 0]}", "at: [d, 0]}\n  X: {type: revolute, bodies: [ground, rocker], at: [20, 0]}")
    assert "X[0]" in refused(text)


DRIVEN_HINGE = """
name: driven hinge
dimension: 3
bodies: {arm: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}
joints: {O: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}}
drivers: {motor: {joint: O, angle: START + t}}
simulation: {end: 1, step: 0.01}
"""


@pytest.mark.parametrize("angle", [1.2, -1.2])
def test_spatial_driver_starts_within_a_quarter_turn(angle: float) -> None:
    made = mbsim.assemble(mechanisms.model(DRIVEN_HINGE.replace("START", str(angle))))
    close(made.q[:2], [np.cos(angle), np.sin(angle)], atol=1e-10)


def test_spatial_driver_on_the_wrong_branch_is_refused() -> None:
    message = refused(DRIVEN_HINGE.replace("START", "3"))
    assert message.startswith("model.yaml:6:") and "drivers.motor" in message
    assert "3 rad" in message and "quarter turn" in message


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(
    ("joint", "angle"),
    [
        ({"type": "revolute", "axis": [0, 0, 1]}, "angle"),
        ({"type": "universal", "axes": [[0, 0, 1], [1, 0, 0]]}, "angle1"),
        ({"type": "universal", "axes": [[1, 0, 0], [0, 0, 1]]}, "angle2"),
    ],
)
def test_wrong_branch_of_any_angle_between_bodies(joint: dict[str, Any], angle: str, coordinates: str) -> None:
    """In absolute coordinates, and of a joint that is cut."""
    source = {
        "coordinates": coordinates,
        "bodies": {"arm": {"mass": 1, "inertia": [1, 1, 1], "position": [1, 0, 0]}},
        "joints": {
            "float": {"type": "free", "bodies": ["ground", "arm"]},
            "O": {**joint, "bodies": ["ground", "arm"], "at": [0, 0, 0], "cut": True},
        },
        "drivers": {"motor": {"joint": "O", "coordinate": angle, "value": "t - 2.5"}},
        "simulation": {"end": 1},
    }
    message = refused(yaml.safe_dump(source, sort_keys=False))
    assert "drivers.motor: at the start the angle is -2.5 rad, more than a quarter turn from" in message
    source["drivers"] = {"motor": {"joint": "O", "coordinate": angle, "value": "t + 1.2"}}
    made = mbsim.assemble(mechanisms.model(source))
    assert made.system.cuts == (["O"] if coordinates == "joint" else [])


def test_start_of_a_system_made_in_python() -> None:
    system = mbsim.callable_system(
        ["x", "y"], lambda t, q: np.eye(2), lambda t, q, v: np.zeros(2), lambda t, q: [[2 * q[0], 0.0]], lambda t, q, v: [2 * v[0] ** 2],
        phi=lambda t, q: [q[0] ** 2 + 1], rows=["impossible"],
    )  # fmt: skip
    with pytest.raises(mbsim.StartError, match=r"position residuals of impossible \(1") as caught:
        mbsim.simulate(system, [0.5, 0.0], [0.0, 0.0], end=1.0)
    assert caught.value.residuals[0][0] == "impossible"
    with pytest.raises(ValueError, match="expected 2 finite numbers, of x, y"):
        mbsim.simulate(system, np.zeros(3), np.zeros(2), end=1.0)


ELBOW = (0.7641659581624685, 0.5742179608726803)  # coupler and rocker of the four-bar: drawn elbow down, where plain Newton ends elbow up


def elbow(q: np.ndarray, names: list[str]) -> float:
    return float(np.sin(q[names.index("rocker.angle")] - q[names.index("coupler.angle")]))


def test_the_drawn_assembly_mode_is_kept() -> None:
    """From this drawing the damped Newton of full residuals goes to the other elbow."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    system, names = made.system, made.system.coordinates
    fixed = np.array([name.startswith("crank") for name in names])
    drawn = made.q.copy()
    drawn[names.index("coupler.angle")], drawn[names.index("rocker.angle")] = ELBOW
    assert elbow(drawn, names) < 0.0
    thrown, phi = start._descend(system, 0.0, drawn, start._stepper(system, fixed), start.Units.of(system, 0.0, drawn))
    assert np.abs(phi).max() < 1e-9 and elbow(thrown, names) > 0.0
    found = start.assemble_position(system, 0.0, drawn, fixed)
    close(system.phi(0.0, found), 0.0, atol=1e-11)
    assert elbow(found, names) < 0.0


def test_no_drawing_is_thrown_to_the_other_assembly_mode() -> None:
    """Sixty rough drawings: each ends on its own side, or is refused; plain Newton changes sides in a quarter of them."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    system, names, rng = made.system, made.system.coordinates, np.random.default_rng(0)
    fixed = np.array([name.startswith("crank") for name in names])
    step = start._stepper(system, fixed)
    kept = changed = 0
    for _ in range(60):
        drawn = made.q.copy()
        for name in ("coupler.angle", "rocker.angle"):
            drawn[names.index(name)] += rng.uniform(-1.5, 1.5)
        thrown, phi = start._descend(system, 0.0, drawn, step, start.Units.of(system, 0.0, drawn))
        changed += int(np.abs(phi).max() < 1e-9 and elbow(thrown, names) * elbow(drawn, names) < 0.0)
        try:
            found = start.assemble_position(system, 0.0, drawn, fixed)
        except mbsim.StartError:
            continue
        kept += 1
        assert elbow(found, names) * elbow(drawn, names) > 0.0
    assert kept > 36 and changed > 12


def test_a_mode_that_cannot_be_reached_is_refused_with_its_place() -> None:
    """The way from this drawing to its own side leads through a straight elbow."""
    text = FOUR_BAR.replace("initial: {", "initial: {coupler.angle: 1.2, rocker.angle: 0.2, ").replace(
        "fix: [", "fix: [crank.position, crank.angle, "
    )
    message = refused(text)
    assert message.startswith("model.yaml:") and "joints." in message
    assert "position residuals of" in message and "in another assembly mode: draw the bodies nearer to their places" in message


WRONG_STARTS = {
    "q: expected 3 finite numbers, of rod.x, rod.y, rod.angle; or some of them by name (got [1, 2])": {"q": [1, 2]},
    "q: expected 3 finite numbers, of rod.x, rod.y, rod.angle; or some of them by name (got rod)": {"q": "rod"},
    "v: expected 3 finite numbers, of der(rod.x), der(rod.y), der(rod.angle); or some of them by name (got [0, 0, nan])": {
        "v": [0, 0, np.nan]
    },
    "q: unknown name 'rod.angl'; did you mean 'rod.angle'?": {"q": {"rod.angl": 1}},
}


@pytest.mark.parametrize("message", WRONG_STARTS)
def test_a_start_that_does_not_fit_is_refused(message: str) -> None:
    with pytest.raises(ValueError) as caught:
        mbsim.simulate("pendulum", end=0.01, step=0.001, **WRONG_STARTS[message])
    assert str(caught.value) == message


def test_a_start_by_names() -> None:
    """The others are the model's: the same as all numbers."""
    made = mbsim.assemble(mbsim.load_model("pendulum"))
    how = {"end": 0.01, "step": 0.001}
    named = mbsim.simulate(made, q={"rod.angle": 0.4}, v={"der(rod.angle)": 1.0}, **how)
    listed = mbsim.simulate(made, [0.5, 0.0, 0.4], [0.0, 0.0, 1.0], **how)
    np.testing.assert_array_equal(named["q"], listed["q"])
    np.testing.assert_array_equal(named["v"], listed["v"])
    assert named["rod.angle"][0] > 0.1 and named["der(rod.angle)"][0] > 0.1  # assembled, with the place drawn along


def test_a_run_with_other_parameters() -> None:
    """As the file with these numbers; an assembled model has its numbers already. What is wrong is headed as what was given."""
    how = {"end": 0.01, "step": 0.001}
    given = mbsim.simulate("pendulum", parameters={"l": "2*0.75"}, **how)
    read = mbsim.simulate(mbsim.load_model("pendulum", {"l": 1.5}), **how)
    np.testing.assert_array_equal(given["q"], read["q"])
    assert not np.array_equal(given["q"], mbsim.simulate("pendulum", **how)["q"])
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.simulate("pendulum", parameters={"x": "a"}, **how)
    assert str(caught.value) == "given parameters: unknown parameter 'x'; allowed: l, m"
    with pytest.raises(ValueError, match=r"^parameters go with a model; a system that is assembled has its numbers$"):
        mbsim.simulate(mbsim.assemble(mbsim.load_model("pendulum")), parameters={"l": 1.5}, **how)


def test_what_models_say_of_themselves() -> None:
    """A few lines in an interpreter; in a notebook a table, in which nothing of the file is markup."""
    model = mbsim.load_model({"name": "<b>", "dimension": 2, "bodies": {"b": {"mass": 1, "inertia": 2}}, "simulation": {"end": 1}})
    assert repr(model) == "<mbsim model: <b>>\n  in the plane, in absolute coordinates\n  bodies: b"
    assert "&lt;b&gt;" in model._repr_html_() and "<b>&lt;" in model._repr_html_() and "<b><" not in model._repr_html_()
    assert (
        repr(mbsim.assemble(model))
        == "<mbsim assembled model: <b>>\n  3 speeds, 0 constraint rows, start at 0 s\n  b.x = 0, b.y = 0, b.angle = 0"
    )
    own = mbsim.load_model("double_pendulum")
    assert repr(own).splitlines()[1].startswith("  own coordinates ")


def test_a_speed_that_constraints_change_a_little_is_said() -> None:
    """The centre of a rod that turns at 200 rad/s about a pin is given 0.05 m/s too slow: the rod gets 199.97 rad/s or so."""
    source = {
        "name": "rod", "dimension": 2, "bodies": {"a": {"mass": 2, "inertia": 0.1, "position": [0.4, 0]}},
        "joints": {"j": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]}},
        "initial": {"der(a.angle)": 200, "der(a.y)": 79.95}, "simulation": {"end": 1},
    }  # fmt: skip
    made = mbsim.assemble(mechanisms.model(source))
    expected = (0.1 * 200 + 2 * 0.4 * 79.95) / (0.1 + 2 * 0.16)
    close(made.v[2], expected, 1e-12)
    assert any(f"der(a.angle) 200 -> {expected:.6g}" in note for note in made.notes), made.notes
