"""Joints, drivers and constraints that come and go: closed forms, all joints and methods, both coordinates; what is refused."""

import pickle
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import INTEGRATORS, close

import mbsim
from mbsim import registry
from mbsim.march.settings import resolve
from mbsim.march.stretch import Stretch
from mbsim.model.file.errors import ModelError
from mbsim.results import Result

CLUTCH = """
name: clutch
dimension: 2
gravity: [0, 0]
bodies:
  a: {mass: 1, inertia: 2, position: [0, 0], angular_velocity: 10}
  b: {mass: 1, inertia: 3, position: [0, 0]}
joints:
  pa: {type: revolute, bodies: [ground, a], at: [0, 0]}
  pb: {type: revolute, bodies: [ground, b], at: [0, 0]}
  clutch: {type: fixed, bodies: [a, b], at: [0, 0], locked: false}
events:
  engage: {when: t - 1, do: {lock: clutch}}
  release: {when: t - 1.5, do: {unlock: clutch}}
measures:
  carried: joint_torque.clutch.z
simulation: {end: 2}
"""
# A rod that flies and is caught at the point of it that passes (0.3, 0) of the ground at 0.2 s, for 0.3 s.
HOOK = """
name: hook
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 2, inertia: 0.5, position: [0, 0], velocity: [1, 3], angular_velocity: 2}
joints:
  pin: {type: revolute, bodies: [ground, rod], at: [0.3, 0], locked: false}
events:
  catch: {when: t - 0.2, do: {lock: pin}}
  free: {when: t - 0.5, do: {unlock: pin}}
simulation: {end: 1}
"""
# Two bodies that fly and turn, and are joined twice.
GRIP = """
name: grip
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  hand: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [0, 0, 0], velocity: [0, 0, 3], angular_velocity: [1, 2, 3]}
  thing:
    mass: 1
    inertia: [0.1, 0.2, 0.25]
    position: [1, 0, 0.2]
    velocity: [-1, 0, 2]
    angular_velocity: [-3, 0.5, 1]
    orientation: {axis: [1, 2, 2], angle: 0.7}
joints:
  grip: {JOINT, locked: false}
events:
  catch: {when: t - 0.2, do: {lock: grip}}
  free: {when: t - 0.5, do: {unlock: grip}}
  again: {when: t - 0.6, do: {lock: grip}}
simulation: {end: 0.8}
"""
AXES = {"universal": "axes: [[1, 0, 0], [0, 1, 0]]", "constant_velocity": "axes: [[1, 0, 0], [1, 0, 0]]"}
AXES["pin_in_slot"] = "axis: [0, 0, 1], pin: [1, 0, 0]"
AXES["perpendicular_axes"] = AXES["universal"]
PENDULUM = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
ground: {points: {P: [0, 2]}}
bodies: {arm: {mass: 1, inertia: 0.2, position: [1, 0]}}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0]}
  first: {type: fixed, bodies: [ground, arm], at: [0, 0], locked: false}
  second: {type: fixed, bodies: [ground, arm], at: [1, 0], locked: false}
  rod: {type: distance, points: [ground.P, arm], length: 0.3, locked: false}
events:
  EVENTS
simulation: {end: 1}
"""


def joint_words() -> list[str]:
    """Joints between two bodies that stand anywhere: couplings and those of the plane are tested by themselves."""
    found = []
    for word in registry.names("joints"):
        leaf = registry.leaf("joints", word)
        if 3 in getattr(leaf, "ROWS", {}) and leaf.ROWS[3]:
            found.append(word)
    return found


def of_joint(word: str) -> str:
    """The keys of a joint of GRIP."""
    if word == "distance":
        return "type: distance, points: [hand, thing]"
    fields = registry.leaf("joints", word).model_fields
    more = AXES.get(word, "axis: [0, 0, 1]" if "axis" in fields else "")
    more += ", pitch: 0.1" if "pitch" in fields else ""
    return f"type: {word}, bodies: [hand, thing], at: [0.4, 0.1, 0]" + (f", {more}" if more else "")


def event(result: Result, name: str) -> dict[str, Any]:
    return next(e for e in result.events if e["event"] == name)


def in_joint_coordinates(text: str) -> str:
    return "coordinates: joint\n" + text.lstrip()


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_clutch_loses_its_energy(coordinates: str) -> None:
    """w = J1 w1 / (J1 + J2), and 1/2 J1 J2 / (J1 + J2) w1^2 = 60 J are lost; the impulse is J2 w."""
    text = CLUTCH
    if coordinates == "joint":
        text = (
            in_joint_coordinates(text)
            .replace(", angular_velocity: 10", "")
            .replace("simulation", "initial: {der(pa.angle): 10}\nsimulation")
        )
    result = mbsim.simulate(mechanisms.model(text))
    assert [e["event"] for e in result.events] == ["engage", "release"]
    engaged = event(result, "engage")
    assert engaged["locked"] == ["clutch"] and event(result, "release")["unlocked"] == ["clutch"]
    assert engaged["energy"] == pytest.approx(-60.0, abs=1e-12)
    assert engaged["impulses"]["clutch[2]"] == pytest.approx(12.0, abs=1e-12)
    assert result["energy_work"][-1] == pytest.approx(-60.0, abs=1e-10)
    close(result["v"][-1][result["v"][-1] > 1.0], [4.0, 4.0], atol=1e-12)
    assert np.abs(result["energy_balance"]).max() < 1e-10


def test_what_does_not_hold_carries_nothing() -> None:
    """A torque on one disc goes through the clutch, in proportion to the inertias, while that is closed; rows have all names throughout."""
    text = CLUTCH.replace("events:", "forces: {T: {type: torque, body: a, value: 5}}\nevents:")
    result = mbsim.simulate(mechanisms.model(text))
    t = result.time
    closed = (t > 1.0) & (t <= 1.5)
    close(result["carried"][closed], 5.0 * 3.0 / 5.0, atol=1e-9)
    assert not result["carried"][(t <= 1.0) | (t > 1.5)].any()
    assert result["multiplier"].shape[1] == 7
    assert not result["multiplier"][~closed][:, 4:].any()


@pytest.mark.parametrize("method", registry.names("methods"))
def test_a_hook_catches_with_every_method(method: str) -> None:
    """The rod keeps its angular momentum about the point of the ground at which it is caught."""
    text = in_joint_coordinates(HOOK) if registry.declaration("methods", method, "TREES_ONLY", False) or method in ("aba", "kane") else HOOK
    settings: dict[str, Any] = {"step": 1e-3} if method == "rattle" else {}
    result = mbsim.simulate(mechanisms.model(text), method=method, **settings)
    x, v = np.array([0.2, 0.6 - 0.5 * 9.81 * 0.04]), np.array([1.0, 3.0 - 9.81 * 0.2])
    s = x - np.array([0.3, 0.0])
    J = 0.5 + 2.0 * s @ s
    w = (0.5 * 2.0 + 2.0 * (s[0] * v[1] - s[1] * v[0])) / J
    lost = 0.5 * J * w * w - 0.5 * 0.5 * 4.0 - 0.5 * 2.0 * v @ v
    caught = event(result, "catch")
    assert caught["energy"] == pytest.approx(lost, abs=1e-8)
    turning = next(pair for name, pair in caught["changes"].items() if "angle" in name and name.startswith("der"))
    assert turning[1] == pytest.approx(w, abs=1e-8)
    assert np.abs(result["energy_balance"]).max() < 1e-5
    assert np.abs(result["residual_position"]).max() < 1e-9


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_order_is_kept(integrator: str) -> None:
    """Steps end at what comes and goes: the end agrees with that of tight tolerances."""
    exact = mbsim.simulate(mechanisms.model(HOOK), rtol=1e-11, atol=1e-12)
    settings: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-9} if integrator in mechanisms.ADAPTIVE else {"step": 2e-3}
    result = mbsim.simulate(mechanisms.model(HOOK), integrator=integrator, **settings)
    close(result["q"][-1], exact["q"][-1], atol=3e-6)


@pytest.mark.parametrize("word", joint_words())
def test_every_joint_comes_and_goes(word: str) -> None:
    """In space, in absolute and in joint coordinates: the same motion, energy and momentum."""
    text = GRIP.replace("JOINT", of_joint(word))
    absolute = mbsim.simulate(mechanisms.model(text))
    joint = mbsim.simulate(mechanisms.model(in_joint_coordinates(text)))
    for result in (absolute, joint):
        assert [e["event"] for e in result.events] == ["catch", "free", "again"]
        assert np.abs(result["energy_balance"]).max() < 1e-6
        assert np.abs(result["residual_position"]).max() < 1e-9
    close(joint["body_position"][-1], absolute["body_position"][-1], atol=2e-7)
    close(event(joint, "again")["energy"], event(absolute, "again")["energy"], atol=1e-7)
    speeds = absolute["body_velocity"]
    momentum = 2.0 * speeds[:, 0] + 1.0 * speeds[:, 1] + 3.0 * 9.81 * absolute.time[:, None] * np.array([0.0, 0.0, 1.0])
    close(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-7)


def test_a_pin_of_a_four_bar_breaks() -> None:
    """Without the pin the linkage is open: one row of two numbers less, and the energy stays."""
    text = mbsim.load_model("four_bar").text + "\nevents:\n  snap: {when: t - 0.3, do: {unlock: B}}\n"
    result = mbsim.simulate(mechanisms.model(text))
    after = result.time > 0.3
    joints = list(mbsim.load_model("four_bar").joints)
    forces = result["joint_force"][:, joints.index("B")]
    assert not forces[after].any() and np.abs(forces[~after]).max() > 10.0
    assert np.abs(result["energy_balance"]).max() < 1e-3


@pytest.mark.parametrize("settings", [{}, {"method": "generalized_alpha"}, {"integrator": "rk4", "step": 1e-3}, {"integrator": "radau"}])
def test_redundant_locks(settings: dict[str, Any]) -> None:
    """A pendulum that is fixed twice stands still; let go it falls on."""
    events = "a: {when: t - 0.2, do: {lock: [first, pin]}}\n  b: {when: t - 0.4, do: {lock: second}}\n"
    events += "  c: {when: t - 0.6, do: {unlock: [first, second]}}"
    result = mbsim.simulate(mechanisms.model(PENDULUM.replace("EVENTS", events)), **settings)
    stands = (result.time > 0.2) & (result.time <= 0.6)
    close(result["arm.angle"][stands], result["arm.angle"][stands][0], atol=1e-9)
    assert np.abs(result["v"][stands]).max() < 1e-9
    assert abs(result["v"][-1][2]) > 1.0


@pytest.mark.parametrize("integrator", ["dop853", "rk4"])
def test_rows_that_were_seen_before_need_no_new_system(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grips and lets go three times, each time elsewhere on the thing: three systems in all, and the numbers of as many as there are."""
    more = "  free_again: {when: t - 0.65, do: {unlock: grip}}\n  third: {when: t - 0.7, do: {lock: grip}}\nsimulation"
    text = mechanisms.model(GRIP.replace("JOINT", of_joint("revolute")).replace("simulation", more))
    settings = {"step": 0.01} if integrator == "rk4" else {"rtol": 1e-10, "atol": 1e-12}
    made: list[Stretch] = []
    begin = Stretch._begin

    def counted(self: Stretch, *given: Any) -> None:
        made.append(self)
        begin(self, *given)

    monkeypatch.setattr(Stretch, "_begin", counted)
    result = mbsim.simulate(text, integrator=integrator, **settings)
    assert len(made) == 6 and len({id(one) for one in made}) == 3
    monkeypatch.setattr(Stretch, "begins_again", lambda self, assembly: False)
    monkeypatch.setattr(Stretch, "begins_at", lambda self, *given: False)
    other = mbsim.simulate(text, integrator=integrator, **settings)
    assert len({id(one) for one in made[6:]}) == 6
    assert [e["event"] for e in result.events] == [e["event"] for e in other.events] and len(result.events) == 5
    close(result["q"][-1], other["q"][-1], atol=1e-12)
    close(result["v"][-1], other["v"][-1], atol=1e-12)
    assert result["residual_position"].max() < 1e-9 and np.abs(result["energy_balance"]).max() < 1e-6


def test_a_stepper_locks() -> None:
    """Bit for bit as `simulate` with equal steps; copies and pickles made while the clutch is closed go on alike; reset opens it."""
    text, settings = mechanisms.model(CLUTCH), {"integrator": "rk4", "step": 0.01, "method": "svd"}
    result = mbsim.simulate(text, output_step=0.1, **settings)
    stepper = mbsim.Stepper(text, **settings)
    others: list[mbsim.Stepper] = []
    for k in range(20):
        stepper.step(0.1)
        if k == 12:
            others = [stepper.copy(), pickle.loads(pickle.dumps(stepper))]
    assert np.array_equal(stepper.state.q, result["q"][-1])
    for other in others:
        for _ in range(7):
            other.step(0.1)
        assert np.array_equal(other.state.q, stepper.state.q) and np.array_equal(other.state.v, stepper.state.v)
        assert len(other.events) == 2
    last = stepper.state
    stepper.reset()
    assert not stepper.outputs()["carried"]
    for k in range(20):
        stepper.step(0.1)
        if k == 4:
            assert np.array_equal(stepper.state.q, result["q"][5])
    assert np.array_equal(stepper.state.q, last.q)


def test_a_file_and_a_measure(tmp_path: Any) -> None:
    result = mbsim.simulate(mechanisms.model(CLUTCH), output=tmp_path / "clutch.h5")
    again = mbsim.open_result(tmp_path / "clutch.h5")
    assert again.events == result.events


def test_what_is_far_is_not_locked() -> None:
    with pytest.raises(mbsim.SimulationError, match=r"the event 'd': 'rod' cannot be locked there: it is off by 2\.24"):
        mbsim.simulate(mechanisms.model(PENDULUM.replace("EVENTS", "d: {when: t - 0.3, do: {lock: rod}}")))


def test_a_rope_tightens() -> None:
    """A distance of given length is locked where the distance is that."""
    text = """
name: rope
dimension: 2
gravity: [0, -9.81]
ground: {points: {O: [0, 0]}}
bodies: {b: {mass: 1, inertia: 1, position: [0, 0.5]}}
joints: {rope: {type: distance, points: [ground.O, b], length: 2, locked: false}}
events: {taut: {when: sqrt(b.x^2 + b.y^2) - 2, direction: up, do: {lock: rope}}}
simulation: {end: 1.5}
"""
    result = mbsim.simulate(mechanisms.model(text))
    assert event(result, "taut")["time"] == pytest.approx(np.sqrt(2.0 * 2.5 / 9.81), abs=1e-10)
    assert event(result, "taut")["energy"] == pytest.approx(-9.81 * 2.5, abs=1e-8)
    assert result["b.y"][-1] == pytest.approx(-2.0, abs=1e-9)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("{lock: rodd}", "unknown joint, driver or constraint 'rodd'; did you mean 'rod'"),
        ("{lock: rod, unlock: rod}", "'rod' cannot be locked and unlocked at once"),
        ("{lock: [rod, rod]}", "'rod' is given twice"),
        ("{lock: []}", "or a list of names"),
        ("{lock: 3}", "expected the name of a joint, a driver or a constraint"),
        ("{lok: rod}", "unknown action 'lok'; did you mean 'lock'"),
    ],
)
def test_bad_input(action: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        mbsim.load_model(PENDULUM.replace("EVENTS", f"d: {{when: t - 0.3, do: {action}}}"))


@pytest.mark.parametrize("method", ["differences", "direct"])
def test_sensitivities_go_through_locks(method: str) -> None:
    """w = J1 w1 / (J1 + J2): dw/dJ1 = J2 w1 / (J1 + J2)^2."""
    text = CLUTCH.replace("inertia: 2,", "inertia: J,").replace("gravity", "parameters: {J: 2}\ngravity")
    varied, outputs = {"J": {"from": 1, "to": 3}}, {"w": "final(der(b.angle))"}
    found = mbsim.sensitivity(mechanisms.model(text), varied, outputs, method=method)
    assert found.array("derivative")[0, 0] == pytest.approx(10.0 * 3.0 / 25.0, rel=1e-6)


def test_what_is_prescribed_without_a_run() -> None:
    """`kinematics` sees the mechanism as it is at the start, with all rows in the result."""
    text = CLUTCH.replace("measures:", "drivers: {w: {joint: pa, angle: t}, u: {joint: pb, angle: t^2}}\nmeasures:")
    result = mbsim.kinematics(mechanisms.model(text))
    assert result["multiplier"].shape[1] == 9 and not result["carried"].any()


def test_the_method_is_that_of_all_rows() -> None:
    """A tree that gets rows in a run is marched from the start by a method that takes them."""
    text = in_joint_coordinates(HOOK)
    model = mechanisms.model(text)
    assert resolve(model.simulation, mbsim.assemble(model).whole).method == mbsim.simulate(model).attributes["method"] == "svd"


LOADED = """
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 2, inertia: 0.1, position: [0.5, 0]}
  b: {mass: 2, inertia: 0.1, position: [1.5, 0]}
joints:
  pin: {type: revolute, bodies: [ground, a], at: [0, 0], friction: {coefficient: 0.3, radius: 0.1}, stops: {lower: -2, upper: 3}}
  knee: {type: revolute, bodies: [a, b], at: [1, 0]}
events:
  go: {when: b.x - 1.2, do: {unlock: pin}, once: true}
simulation: {end: 0.9, rtol: 1.0e-10, atol: 1.0e-11}
"""


def test_friction_that_a_reaction_loads_ends_with_the_joint() -> None:
    """It ended in a Python error, as the rows of the reaction are gone. Two links fly on: no force but gravity, no couple."""
    result = mbsim.simulate(LOADED)
    assert [line["do"] for line in result.events] == ["slips", "unlock"]
    flies = result.time >= result.events[-1]["time"]
    q, v, t = result["q"][flies], result["v"][flies], result.time[flies]
    x, y, w = (v[:, [k, k + 3]] for k in range(3))
    np.testing.assert_allclose(x.sum(axis=1), x[0].sum(), atol=1e-9)
    np.testing.assert_allclose(y.sum(axis=1) + 2 * 9.81 * t, y[0].sum() + 2 * 9.81 * t[0], atol=1e-8)
    arm = q[:, :2] - q[:, 3:5]  # about the centre of both, by the first of two equal masses
    spin = 0.1 * w.sum(axis=1) + (arm[:, 0] * (y[:, 0] - y[:, 1]) - arm[:, 1] * (x[:, 0] - x[:, 1]))
    np.testing.assert_allclose(spin, spin[0], atol=1e-9)
    by_steps = mbsim.simulate(LOADED, impacts="steps", step=1e-3)  # of order one while it rubs
    np.testing.assert_allclose(by_steps["v"][-1], v[-1], atol=1e-3)
