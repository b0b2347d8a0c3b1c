"""Controllers of joints: a closed loop known in closed form, the same laws written by hand, what is recorded, what is refused."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import test_states as by_hand
from mechanisms import close, near, simulate

import mbsim
from mbsim.model.file.errors import ModelError
from mbsim.studies.runner.runner import Runner

BASE = by_hand.PLANAR[: by_hand.PLANAR.index("states:")]
END = "simulation: {end: 1.5, step: 0.005}\n"
MOTOR = "type: pid, joint: O, target: ref, kp: kp, ki: ki, kd: kd"


def with_controller(source: str) -> str:
    """The arm of test_states with a controller in place of the force and the state that do the same."""
    head, _, rest = source.partition("states:")
    return head + f"controllers: {{motor: {{{MOTOR}, integral_start: {by_hand.START}}}}}\nsimulation:" + rest.partition("simulation:")[2]


def arm(block: str, further: str = "", coordinates: str = "absolute") -> Any:
    source = f"{BASE}coordinates: {coordinates}\ncontrollers: {{motor: {{{block}}}}}\n{further}\n{END}"
    return mechanisms.model(source)


# By all methods test_states runs this arm, whose force and state do the same to the last bit.
@pytest.mark.parametrize(
    ("kind", "method"), [("planar", "svd"), ("spatial", "svd"), ("joint", "aba"), ("planar", "generalized_alpha"), ("joint", "rattle")]
)
def test_a_controlled_arm_moves_as_its_closed_form(kind: str, method: str) -> None:
    result = simulate(mechanisms.model(with_controller(by_hand.MODELS[kind])), method=method, output_step=0.05)
    near(method)(by_hand.motion(result), by_hand.closed_form(result.time), atol=2e-7)


WANTED = "kp*(ref + 0.1*sin(t) - O.angle) + kd*(0.1*cos(t) - der(O.angle)) + ki*z + 0.3*cos(O.angle)"


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_limit_feedforward_and_the_rate_of_the_target_are_those_written_by_hand(coordinates: str) -> None:
    """The equation of docs/model-file/controllers.md, with back-calculation; the rate of the target is exact."""
    block = f"{MOTOR.replace('ref', 'ref + 0.1*sin(t)')}, limit: [-3, 4], feedforward: 0.3*cos(O.angle)"
    limited = f"max(-3, min(4, {WANTED}))"
    hand = f"""{BASE}coordinates: {coordinates}
states: {{z: {{rate: "ref + 0.1*sin(t) - O.angle + ({limited} - ({WANTED}))/kp"}}}}
forces: {{motor: {{type: joint_torque, joint: O, value: "{limited}"}}}}
{END}"""
    first = mbsim.simulate(arm(block, coordinates=coordinates), method="svd")
    second = mbsim.simulate(mechanisms.model(hand), method="svd")
    close(first["q"], second["q"], atol=1e-13)
    close(first["states"], second["states"], atol=1e-13)
    effort = first.select("force", "motor")
    assert effort.max() == 4.0 and effort.min() >= -3.0
    close(first["controller_saturation"][:, 0], (effort == 4.0) * 1.0 - (effort == -3.0), atol=0.0)
    close(first["controller_error"][:, 0], 0.8 + 0.1 * np.sin(first.time) - first.select("force_length", "motor"), atol=1e-15)
    assert np.abs(first["energy_balance"]).max() < 1e-6


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_target_of_places_of_points_has_its_rate(coordinates: str) -> None:
    """It may contain points of bodies and of the ground, as a distance does; the rate of the ground's is zero."""
    source = f"""
name: an arm that follows another by a distance
dimension: 2
coordinates: {coordinates}
gravity: [0, -9.81]
ground: {{points: {{W: [1.5, 0.4]}}}}
bodies:
  arm: {{mass: 2, inertia: 0.1, position: [0.5, 0], points: {{E: [0.4, 0.1]}}}}
  other: {{mass: 1, inertia: 0.1, position: [3, 0]}}
joints:
  O: {{type: revolute, bodies: [ground, arm], at: [0, 0]}}
  P: {{type: revolute, bodies: [ground, other], at: [3, 0]}}
controllers: {{motor: {{type: pd, joint: P, target: "distance(arm.E, ground.W) + arm.E.y", kp: 5, kd: 2}}}}
measures: {{gap: "distance(arm.E, ground.W) + arm.E.y", rate: "der(distance(arm.E, ground.W)) + arm.E.velocity.y"}}
simulation: {{end: 0.5, step: 0.01}}
"""
    result = mbsim.simulate(mechanisms.model(source))
    angle, speed = result.select("force_length", "motor"), result.select("force_rate", "motor")
    close(result.select("force", "motor"), 5.0 * (result["gap"] - angle) + 2.0 * (result["rate"] - speed), atol=1e-12)
    assert np.ptp(result["rate"]) > 1.0


def test_an_integral_that_is_limited_does_not_wind_up() -> None:
    """Without the correction the overshoot is more than twice as large."""
    block = "type: pid, joint: O, target: 1, kp: 12, ki: 40, kd: 3, limit: 1.5"
    source = arm(block, "measures: {over: controller_error.motor, at_limit: controller_saturation.motor}")
    kept = mbsim.simulate(source, method="svd", end=6.0)
    slow = mbsim.simulate(arm(f"{block}, tracking_time: 1e6"), method="svd", end=6.0)
    assert -kept["over"].min() < 0.5 * -slow["controller_error"].min()
    close(kept["at_limit"], kept["controller_saturation"][:, 0], atol=0.0)
    assert {-1.0, 0.0, 1.0} >= set(kept["at_limit"]) and 1.0 in kept["at_limit"]


def test_a_target_in_a_table_and_a_filtered_target_have_exact_rates() -> None:
    """An ideal PD leaves the error that inertia demands: with `feedforward` of it there is none."""
    points = "[" + ", ".join(f"[{x!r}, {x**3!r}]" for x in np.linspace(0.0, 1.5, 7).tolist()) + "]"
    block = f"type: pd, joint: O, target: path(t), kp: 50, kd: 9, feedforward: {by_hand.INERTIA}*6*t"
    found = mbsim.simulate(arm(block, f"tables: {{path: {{points: {points}}}}}"), method="svd")
    close(found["controller_error"], 0.0 * found["controller_error"], atol=1e-7)  # a cubic spline through points of a cubic is that cubic
    filtered = mbsim.simulate(arm("type: pd, joint: O, target: soft, kp: 50, kd: 9", "states: {soft: (ref - soft)/0.2}"), method="svd")
    hand = "type: pd, joint: O, target: soft, target_rate: (ref - soft)/0.2, kp: 50, kd: 9"
    given = mbsim.simulate(arm(hand, "states: {soft: (ref - soft)/0.2}"), method="svd")
    close(filtered["q"], given["q"], atol=1e-14)
    close(filtered["controller_target"], filtered["states"], atol=0.0)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_body_may_have_the_name_of_its_joint(coordinates: str) -> None:
    """The controller's coordinate is the joint's, which begins at 0; the body is drawn at 0.3 rad."""
    source = f"""
dimension: 2
coordinates: {coordinates}
bodies: {{arm: {{mass: 2, inertia: 0.1, position: [0.5, 0], angle: 0.3}}}}
joints: {{{"arm" if coordinates == "absolute" else "hinge"}: {{type: revolute, bodies: [ground, arm], at: [0, 0]}}}}
controllers: {{motor: {{type: pd, joint: {"arm" if coordinates == "absolute" else "hinge"}, target: 0, kp: 100, kd: 5}}}}
simulation: {{end: 0.5, step: 0.01}}
"""
    result = mbsim.simulate(mechanisms.model(source), method="svd")
    close(result["controller_error"], 0.0 * result["controller_error"], atol=1e-12)


def test_a_stiff_controller_takes_large_implicit_steps() -> None:
    """kp 1e4: an arm that follows its target with steps of many times the period of the controller, and few corrections each."""
    block = "type: pd, joint: O, target: 0.5*t^2, kp: 1e4, kd: 400, limit: 1e3"
    result = mbsim.simulate(arm(block, coordinates="joint"), method="generalized_alpha", step=0.02)
    close(result["controller_error"][-1], [by_hand.INERTIA / 1e4], atol=1e-6)  # what inertia leaves at constant acceleration
    assert result.attributes["counts"]["evaluations"] < 5 * len(result.time)


def test_what_is_recorded(tmp_path: Any) -> None:
    xarray = pytest.importorskip("xarray")
    result = mbsim.simulate(arm(MOTOR), method="svd", output=tmp_path / "arm.h5")
    assert result.labels("controller") == ["motor"] and result.labels("state") == ["motor.integral"]
    assert result.units("controller_error", "motor") == "rad" and result.units("states", "motor.integral") == "rad s"
    assert result.units("force_effort", "motor") == "N m" and "force_power" in result
    assert result.evaluate("max(abs(controller_error:motor))") == by_hand.REFERENCE
    assert result.layout().controllers.names == ["motor"]
    result.close()
    with xarray.open_dataset(tmp_path / "arm.h5", engine="h5netcdf") as data:
        assert data["controller_error"].dims == ("time", "controller")
        assert float(data["controller_target"].sel(controller="motor")[0]) == by_hand.REFERENCE


def test_gains_vary_in_place() -> None:
    """A study changes parameters in the arrays of one assembled model."""
    model = arm(f"{MOTOR}, limit: 4")
    wanted = {"error": "final(controller_error:motor)", "at_limit": "mean(controller_saturation:motor)", "angle": "final(arm.angle)"}
    swept = Runner(model, ["kp", "kd"], wanted, simulation={"method": "svd"})
    for kp, kd in ((12.0, 2.5), (30.0, 1.0)):
        found = swept.run([kp, kd])
        whole = mbsim.simulate(mechanisms.model(model.text, parameters={"kp": kp, "kd": kd}), method="svd")
        assert not found.anew and not found.failed
        close(found.values, [whole.evaluate(text) for text in wanted.values()], atol=1e-13)


@pytest.mark.parametrize(
    ("block", "found"),
    [
        ("type: pid, joint: P, target: 1, kp: 1, ki: 1", "model.yaml:7:41: controllers.motor.joint: unknown joint 'P'"),
        ("type: pid, joint: O, coordinate: displacement, target: 1, ki: 1", "joint O (revolute) has no coordinate 'displacement'"),
        ("type: pid, joint: O, target: 1, kp: 1, ki: 1, limit: -3", "controllers.motor.limit: must be greater than 0 (got -3)"),
        ("type: pd, joint: O, target: 1, kp: 1, limit: [3, 2]", "the lower limit must be less than the upper one (got 3 and 2)"),
        ("type: pd, joint: O, target: 1, kp: 1, limit: [3]", "expected a number or [lower, upper]"),
        ("type: pid, joint: O, target: 1, ki: 1, limit: 3", "ki without kp, and with a limit, needs a 'tracking_time'"),
        ("type: pid, joint: O, target: 1, kp: 1", "missing key 'ki'"),
        ("type: pd, joint: O, target: 1, kp: 1, ki: 2", "unknown key 'ki'"),
        ("type: pd, joint: O, target: 1", "missing key 'kp' or 'kd'"),
        ("type: pd, joint: O, kp: 1", "missing key 'target'"),
        ("type: pd, joint: O, kp: 1, kd: 1, target_rate: 1", "missing key 'target' (it goes with 'kp')"),
        ("type: pid, joint: O, ki: 1, kd: 1, target_rate: 1", "missing key 'target' (it goes with 'ki')"),
        ("type: pd, target: 1, kp: 1", "controllers.motor: missing key 'joint'"),
        ("type: pd, joint: O, target: tt, kp: 1", "controllers.motor.target: unknown name 'tt'"),
        ("type: pd, joint: O, target: 1, kp: kq", "controllers.motor.kp: unknown name 'kq'"),
        ("type: pd, joint: O, target: 1, kp: -1", "controllers.motor.kp: must not be negative"),
        (
            "type: pd, joint: O, target: 1 + der(arm.x), kp: 1, kd: 1",
            "7:55: controllers.motor.target: the rate of 'der(arm.x)' is not known",
        ),
        ("type: pd, joint: O, target: 1, target_rate: 0, kp: 1", "missing key 'kd' (it goes with 'target_rate')"),
        ("type: pid, joint: O, target: 1, kp: 1, ki: 1, tracking_time: 1", "missing key 'limit' (it goes with 'tracking_time')"),
        ("type: pdi, joint: O, target: 1", "unknown controller 'pdi'; did you mean"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(block: str, found: str) -> None:
    with pytest.raises(ModelError, match=r"model\.yaml:\d+:\d+:") as error:
        mbsim.assemble(mechanisms.model(f"{BASE}controllers: {{motor: {{{block}}}}}\n{END}"))
    assert found in str(error.value)


def test_a_force_and_a_controller_have_different_names() -> None:
    force = "forces: {motor: {type: joint_torque, joint: O, value: 1}}"
    with pytest.raises(ModelError, match="the name 'motor' is already used in forces"):
        arm(MOTOR, force)


OWN_BASE = by_hand.OWN[: by_hand.OWN.index("states:")]


def own(block: str, further: str = "", base: str = OWN_BASE) -> Any:
    return mechanisms.model(f"{base}controllers: {{motor: {{{block}}}}}\n{further}\n{END}")


def test_a_coordinate_of_the_users_own_moves_as_its_closed_form() -> None:
    block = f"{MOTOR.replace('joint: O', 'coordinate: angle')}, integral_start: {by_hand.START}"
    result = simulate(own(block), method="svd", output_step=0.05)
    near("svd")(by_hand.motion(result), by_hand.closed_form(result.time), atol=2e-7)
    close(result["controller_error"][:, 0], by_hand.REFERENCE - result["q"][:, 0], atol=1e-15)
    assert result.labels("state") == ["motor.integral"] and result.units("states", "motor.integral") == "s"


def test_on_an_own_coordinate_it_does_what_it_does_in_the_joint() -> None:
    """Limits, a target in a table whose rate is derived, a gain that a study varies: the arm of the joint, to round-off."""
    tables = "tables: {path: {points: [[0, 0], [0.4, 0.5], [0.9, 0.3], [1.6, 1]]}}"
    block = "type: pid, joint: O, target: path(t) + 0.1*sin(t), kp: kp, ki: ki, kd: kd, limit: [-3, 4], feedforward: 0.3*cos(t)"
    own_block = block.replace("joint: O", "coordinate: angle")
    first, second = mbsim.simulate(arm(block, tables, "joint"), method="svd"), mbsim.simulate(own(own_block, tables), method="svd")
    for name in ("q", "states", "force_effort", "force_power", "controller_target", "controller_error", "controller_saturation"):
        close(second[name], first[name], atol=1e-11)
    assert np.ptp(second["controller_saturation"]) > 0.0
    swept = Runner(own(own_block, tables), ["kp"], {"error": "final(controller_error:motor)"}, simulation={"method": "svd"})
    for kp in (12.0, 30.0):
        found = swept.run([kp])
        whole = mbsim.simulate(own(own_block, tables, OWN_BASE.replace("kp: 12.0", f"kp: {kp}")), method="svd")
        assert not found.anew
        close(found.values, [whole.evaluate("final(controller_error:motor)")], atol=1e-12)


@pytest.mark.parametrize("coordinates", ["joint", "own"])
def test_a_controller_without_a_target_leads_the_rate(coordinates: str) -> None:
    """J w' = kd (2 - w): the rate comes exponentially to its target; target and error are those of the rate."""
    block, measures = "type: pd, joint: O, target_rate: 2, kd: 5", "measures: {e: controller_error.motor}"
    own_block = block.replace("joint: O", "coordinate: angle")
    model = arm(block, measures, "joint") if coordinates == "joint" else own(own_block, measures)
    result = mbsim.simulate(model, method="svd")
    close(result["controller_error"][:, 0], 2 * np.exp(-5 * result.time / by_hand.INERTIA), atol=1e-7)
    close(result["e"], result["controller_error"][:, 0], atol=0.0)
    assert np.all(result["controller_target"] == 2.0)
    assert result.units("controller_error", "motor") == ("rad s-1" if coordinates == "joint" else "1")


@pytest.mark.parametrize(
    ("block", "found"),
    [
        ("type: pd, target: 1, kp: 1", "controllers.motor: missing key 'coordinate'"),
        (
            "type: pd, coordinate: angel, target: 1, kp: 1",
            "motor.coordinate: unknown coordinate 'angel'; did you mean 'angle'?",
        ),
        ("type: pd, joint: O, coordinate: angle, target: 1, kp: 1", "controllers.motor.joint: unknown joint 'O'"),
        ("type: pd, coordinate: angle, target: 1 + der(angle), kd: 1", "motor.target: the rate of 'der(angle)' is not known"),
    ],
)
def test_what_is_wrong_on_an_own_coordinate(block: str, found: str) -> None:
    with pytest.raises(ModelError, match=r"model\.yaml:\d+:\d+:") as error:
        mbsim.assemble(own(block))
    assert found in str(error.value)
