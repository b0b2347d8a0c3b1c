"""States of the user's: a PI-controlled arm whose closed loop is linear and known in closed form, and friction whose bristles are a state.

J angle'' = k_p e + k_i x - k_d angle',  x' = e,  e = reference - angle:  y' = A y + b with y = [angle, angle', x].
"""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import ADAPTIVE, METHODS, TREE_METHODS, close, near, simulate
from scipy.linalg import expm

import mbsim
from mbsim.model.file.errors import ModelError

KP, KI, KD, REFERENCE, START = 12.0, 20.0, 2.5, 0.8, 0.1
INERTIA = 0.1 + 2.0 * 0.5**2  # kg m2, about O
PARAMETERS = f"parameters: {{kp: {KP}, ki: {KI}, kd: {KD}, ref: {REFERENCE}}}"
LAW = "kp*(ref - O.angle) + ki*integral - kd*der(O.angle)"
PLANAR = f"""
name: arm
dimension: 2
{PARAMETERS}
bodies: {{arm: {{mass: 2, inertia: 0.1, position: [0.5, 0]}}}}
joints: {{O: {{type: revolute, bodies: [ground, arm], at: [0, 0]}}}}
states: {{integral: {{rate: ref - O.angle, start: {START}, unit: rad s}}}}
forces: {{motor: {{type: joint_torque, joint: O, value: {LAW}}}}}
simulation: {{end: 1.5, step: 0.005}}
"""
SPATIAL = PLANAR.replace("dimension: 2", "dimension: 3").replace("0]", "0, 0]").replace("0.1, position", "[0.1, 0.1, 0.1], position")
SPATIAL = SPATIAL.replace("at: [0, 0, 0]", "at: [0, 0, 0], axis: [0, 0, 1]")
JOINT = PLANAR.replace("bodies: {arm", "coordinates: joint\nbodies: {arm")
OWN = f"""
name: arm
coordinates: [angle]
{PARAMETERS}
energy: {{kinetic: {INERTIA}*der(angle)^2/2}}
states: {{integral: {{rate: ref - angle, start: {START}, unit: rad s}}}}
forces: {{motor: {{type: generalized, coordinate: angle, value: kp*(ref - angle) + ki*integral - kd*der(angle)}}}}
simulation: {{end: 1.5, step: 0.005}}
"""
MODELS = {"planar": PLANAR, "spatial": SPATIAL, "joint": JOINT, "own": OWN}


def closed_form(times: np.ndarray) -> np.ndarray:
    """[angle, angle', x] (k, 3) at these times, from rest at angle 0."""
    A = np.array([[0.0, 1.0, 0.0], [-KP / INERTIA, -KD / INERTIA, KI / INERTIA], [-1.0, 0.0, 0.0]])
    b = np.array([0.0, KP * REFERENCE / INERTIA, REFERENCE])
    whole = np.block([[A, b[:, None]], [np.zeros((1, 4))]])  # of [y; 1]
    return np.array([(expm(whole * t) @ [0.0, 0.0, START, 1.0])[:3] for t in times])


def motion(result: Any) -> np.ndarray:
    """[angle, angle', x] (k, 3) of a run."""
    if "body_position" in result:
        position, omega = result["body_position"][:, 0], result["body_angular_velocity"][:, 0, 2]
        angle = np.unwrap(np.arctan2(position[:, 1], position[:, 0]))
    else:
        angle, omega = result["q"][:, 0], result["v"][:, 0]
    return np.column_stack([angle, omega, result["states"][:, 0]])


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("method", sorted({*METHODS, *TREE_METHODS}))
def test_a_controlled_arm_moves_as_its_closed_form(kind: str, method: str) -> None:
    if method not in (TREE_METHODS if kind == "joint" else METHODS):
        pytest.skip("not of these coordinates")
    result = simulate(mechanisms.model(MODELS[kind]), method=method, output_step=0.05)
    near(method)(motion(result), closed_form(result.time), atol=2e-7)


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_integrators_that_control_the_error_know_the_state(integrator: str) -> None:
    result = mbsim.simulate(mechanisms.model(PLANAR), method="svd", integrator=integrator, rtol=1e-8, atol=1e-8, output_step=0.05)
    close(motion(result), closed_form(result.time), atol=1e-5)


@pytest.mark.parametrize("method", ["rattle", "generalized_alpha"])
def test_fast_states_need_no_small_steps_of_an_implicit_rule(method: str) -> None:
    """A filter with a time constant of a fiftieth of the step: the arm moves as with none."""
    lag = PLANAR.replace("unit: rad s}", f"unit: rad s}}, effort: {{rate: ({LAW} - effort)/1e-4, start: {KP * REFERENCE + KI * START}}}")
    result = mbsim.simulate(mechanisms.model(lag.replace(f"value: {LAW}", "value: effort")), method=method, output_step=0.05)
    close(motion(result), closed_form(result.time), atol=2e-3)  # the lag itself is worth 1e-4 s


def test_a_state_is_recorded_with_its_name_and_unit(tmp_path: Any) -> None:
    xarray = pytest.importorskip("xarray")
    source = PLANAR + "measures: {twice: 2*integral, error: {value: integral, unit: s}}\n"
    made = mbsim.assemble(mechanisms.model(source))
    assert made.system.states == ["integral"] and made.system.n_x == 1 and made.system.n_c == 3
    result = mbsim.simulate(made, output=tmp_path / "arm.h5")
    assert result.labels("state") == ["integral"] and result.units("states", "integral") == "rad s"
    assert result.labels("coordinate") == ["arm.x", "arm.y", "arm.angle"]
    close(result["twice"], 2.0 * result["states"][:, 0], atol=0.0)
    result.close()
    with xarray.open_dataset(tmp_path / "arm.h5", engine="h5netcdf") as data:
        assert data["states"].dims == ("time", "state")
        assert float(data["states"].sel(state="integral")[0]) == START
        assert str(data["state_units"].values[0]) == "rad s"


def test_a_run_stops_at_a_state() -> None:
    result = mbsim.simulate(mechanisms.model(PLANAR), stop="integral - 0.25", method="svd", integrator="dop853", rtol=1e-10, atol=1e-10)
    assert 0.1 < result.time[-1] < 1.4
    close(result["states"][-1, 0], 0.25, atol=1e-9)
    close(closed_form(result.time[-1:])[0, 2], 0.25, atol=1e-8)


def test_the_rates_of_a_system_are_those_of_its_states() -> None:
    made = mbsim.assemble(mechanisms.model(SPATIAL))
    system, q = made.system, made.q.copy()
    q[:7] = 0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 0.0, np.cos(0.15), 0.0, 0.0, np.sin(0.15)  # turned by 0.3 rad
    close(system.rates(0.0, q, np.zeros(6))[-1], REFERENCE - 0.3, atol=1e-12)
    close(system.move(q, np.ones(6))[-1], q[-1], atol=0.0)


def test_inverse_dynamics_says_that_it_holds_states() -> None:
    from mbsim.analyses.inverse import inverse

    source = PLANAR.replace("simulation:", "drivers: {turn: {joint: O, angle: 0.2*t}}\nsimulation:")
    result = inverse(mbsim.assemble(mechanisms.model(source)))
    close(result["states"][:, 0], START, atol=0.0)
    assert any("holds the states at their starts: integral = 0.1" in note for note in result.attributes["notes"])
    effort = result["driver_effort"][:, 0]  # against the motor, whose reference is 0.8
    close(effort, -(KP * (REFERENCE - 0.2 * result.time) + KI * START - KD * 0.2), atol=1e-9)


def test_a_state_named_pi_is_the_state_and_said_so() -> None:
    made = mbsim.assemble(mechanisms.model(PLANAR.replace("integral", "pi")))
    assert any("pi is the state" in note for note in made.notes)
    result = mbsim.simulate(made, method="svd", output_step=0.05)
    close(motion(result), closed_form(result.time), atol=2e-7)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("states: {x: {rate: ref - O.angel}}", "unknown name 'O.angel'; did you mean 'O.angle'?"),
        ("states: {x: {start: 1}}", "missing key 'rate'"),
        ("states: {x: {rate: 1, start: t}}", "unknown name 't'"),
        ("states: {x: {rate: 1, initial: 2}}", "unknown key 'initial'"),
        ("states: {ref: {rate: 1}}", "the name 'ref' is already used in parameters"),
        ("states: {arm: {rate: 1}}", "the name 'arm' is already used in bodies"),
        ("states: {sin: 1}", "'sin' cannot be a name: it is a function in expressions"),
        ("states: {x: {rate: 1, unit: [m]}}", "expected a unit"),
        ("states: [x]", "expected a mapping of names"),
        ("states: {x: 1}\ndrivers: {d: {joint: O, angle: x}}", "'x' is a state; laws of forces, rates of states"),
        ("states: {x: 1}\nconstraints: {c: {type: holonomic, equation: arm.x - x}}", "'x' is a state; laws of forces, rates of states"),
        ("states: {x: 1, z: {rate: x + y}}", "unknown name 'y'"),
        ("states: {x: 1}\nmeasures: {x: 2}", "the name 'x' is already used in states"),
    ],
)
def test_what_is_wrong_with_states_is_said_at_its_place(line: str, found: str) -> None:
    source = PLANAR.replace(f"states: {{integral: {{rate: ref - O.angle, start: {START}, unit: rad s}}}}", line).replace("ki*integral", "0")
    with pytest.raises(ModelError, match=r"model\.yaml:") as error:
        mechanisms.model(source)
    assert found in str(error.value)


def test_a_joint_that_the_tree_does_not_have_is_refused_in_a_rate() -> None:
    with pytest.raises(ModelError, match=r"arm\.angle"):
        mbsim.assemble(mechanisms.model(JOINT.replace("rate: ref - O.angle", "rate: ref - arm.angle")))


BLOCK = """
name: block on a rail
dimension: 2
coordinates: COORDINATES
bodies: {block: {mass: 1, inertia: 0.1}}
joints: {rail: {type: prismatic, bodies: [ground, block], at: [0, 0], axis: [1, 0]}}
forces:
  pull: {type: joint_torque, joint: rail, value: "PULL"}
  friction: {type: bristle_friction, joint: rail, coulomb: 1, static: 1.5, stribeck_speed: 0.01, stiffness: 1e4, damping: 60, viscous: 0.4}
measures: {bend: friction.deflection}
simulation: {end: 2, method: METHOD, integrator: bdf, rtol: 1e-8, atol: 1e-10}
"""


@pytest.mark.parametrize(("coordinates", "method"), [("absolute", "svd"), ("joint", "aba")])
def test_bristles_hold_and_slide_as_published(coordinates: str, method: str) -> None:
    """Held below static friction, the bristles bend by force / stiffness; sliding, the speed is that at which all forces balance.

    At a constant speed v the bristles' force is g(v) (Canudas de Wit et al. 1995, eq. 5).
    """
    source = BLOCK.replace("COORDINATES", coordinates).replace("METHOD", method)
    held = mbsim.simulate(mechanisms.model(source.replace("PULL", "1.2*min(t, 1)")))
    close(held["bend"][-1], 1.2e-4, atol=1e-8)
    close(held["v"][-1], 0.0, atol=1e-6)
    sliding = mbsim.simulate(mechanisms.model(source.replace("PULL", "3")), end=30.0)
    speed = sliding["v"][-1][0]
    close(1.0 + 0.5 * np.exp(-((speed / 0.01) ** 2)) + 0.4 * speed, 3.0, atol=1e-4)
    close(sliding["bend"][-1], (1.0 + 0.5 * np.exp(-((speed / 0.01) ** 2))) / 1e4, atol=1e-9)


def test_values_of_bristles_do_not_change_the_code() -> None:
    """Numbers of a force with a state stand among the parameters, so a sweep over them derives and compiles once."""
    source = BLOCK.replace("COORDINATES", "absolute").replace("METHOD", "svd").replace("PULL", "1")
    first, second = (mechanisms.system(source.replace("stiffness: 1e4", f"stiffness: {k}")) for k in (1e4, 2e4))
    assert first.functions.dynamics is second.functions.dynamics and first.functions.rates is second.functions.rates
