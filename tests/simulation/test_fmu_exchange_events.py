"""Units for model exchange: their events, how they fail, and what is wrong with one is said at its place."""

import shutil
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner
from simulation.exchanged_units import CONTINUOUS, EVENTS, FINE, SAID, SATELLITE, UNIT, arm, with_tanks
from simulation.test_fmu_controllers import ARM, LIBRARY, archive

import mbsim
from mbsim.cli import main
from mbsim.model.file.errors import ModelError
from mbsim.system.native import VARIABLE

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C on this machine")


@pytest.fixture(scope="module")
def units(exchanged: Path) -> Path:
    return exchanged


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")


@pytest.mark.parametrize("fmi", [2, 3])
def test_events_at_times_of_a_unit_are_hit(fmi: int, units: Path) -> None:
    """A unit that takes samples: each is an event at a time of its own. The run has the numbers of the controller with samples."""
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pd{fmi}.fmu")), **FINE)
    built_in = "{type: pd, joint: shoulder, target: 1, target_rate: 0, kp: 60, kd: 12, sample: 0.01}"
    wanted = mbsim.simulate(arm(built_in), **FINE)
    assert [event["event"] for event in found.events] == ["motor.time"] * 50
    np.testing.assert_allclose([event["time"] for event in found.events], 0.01 * np.arange(1, 51), rtol=0, atol=1e-15)
    last = np.searchsorted(found.time, wanted.time + 1e-9) - 1  # after the event
    np.testing.assert_allclose(found["q"][last], wanted["q"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["motor.torque"][last], wanted["force_effort"][:, 0], rtol=1e-11)
    before = np.searchsorted(found.time, wanted.time[1:] - 1e-9)  # of two rows at an event the first has what was before
    np.testing.assert_array_equal(found["motor.torque"][before], found["motor.torque"][before - 1])


@pytest.mark.parametrize("fmi", [2, 3])
def test_indicators_of_a_unit_are_located(fmi: int, units: Path) -> None:
    """A relay in a unit against the same relay as events of the model."""
    given = mechanisms.yaml.safe_load(SATELLITE)
    relay = {"type": "fmu", "file": f"{units}/relay{fmi}.fmu", "inputs": {"x": "sat.x", "v": "der(sat.x)"}, "outputs": ["force"]}
    unit = {"controllers": {"relay": relay}, "forces": {"jet": {"type": "force", "body": "sat", "value": ["relay.force", 0]}}}
    built_in = {"parameters": {"F": 1}, "forces": {"jet": {"type": "force", "body": "sat", "value": ["F", 0]}}}
    events = mechanisms.yaml.safe_load(EVENTS.replace("x +", "sat.x +").replace("*v", "*der(sat.x)"))
    found = mbsim.simulate(mechanisms.model(given | unit), **FINE)
    wanted = mbsim.simulate(mechanisms.model(given | built_in | {"events": events}), **FINE)
    times = [event["time"] for event in found.events if "changes" in event and "relay.force" in event["changes"]]
    assert len(times) > 10
    np.testing.assert_allclose(times, [event["time"] for event in wanted.events], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["q"][-1], wanted["q"][-1], rtol=0, atol=1e-10)


def test_a_unit_of_C_against_its_solution(units: Path) -> None:
    """x' = u - k x, a feedthrough, a clock and a jump: x = (1 - exp(-k t))/k up to 0.4, from 0.1 anew."""
    tank = {"inputs": {"u": "1"}, "outputs": ["count", "y", "even", "rings"], "parameters": {"weak": -1}}
    model = mechanisms.model(with_tanks(units, tank=tank) | {"simulation": {"end": 1, "output_step": 0.05}})
    found = mbsim.simulate(model, **FINE)
    jump = -np.log(1.0 - 0.8) / 2.0
    at = [event["time"] for event in found.events if event["event"] == "tank.indicator.z1"]
    assert at[0] == pytest.approx(jump, abs=1e-12)
    t = found.time
    wanted = np.where(t <= at[0], (1.0 - np.exp(-2.0 * t)) / 2.0, 0.5 - 0.4 * np.exp(-2.0 * (t - at[0])))
    np.testing.assert_allclose(found["tank.level"], wanted, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(found["tank.y"], np.full(len(t), 3.0))
    after = np.searchsorted(t, 0.1 * np.arange(1, 10) + 1e-6)
    np.testing.assert_array_equal(found["tank.rings"][after], np.arange(1, 10))
    np.testing.assert_array_equal(found["tank.count"][after], np.arange(1, 10))
    np.testing.assert_array_equal(found["tank.even"][after], np.arange(1, 10) % 2 == 0)


def test_what_a_unit_discards_makes_trials_shorter(units: Path) -> None:
    """It is asked beyond where it is defined, and the run ends there, not before."""
    tank = {"inputs": {"u": "1"}, "outputs": ["y"], "parameters": {"weak": -4.5}}
    model = mechanisms.model(with_tanks(units, tank=tank) | {"simulation": {"end": 1, "output_step": 0.05}})
    with pytest.raises(mbsim.SimulationError, match=r"fmi2GetDerivatives of tank.fmu says discard: the tank is not") as raised:
        mbsim.simulate(model, **FINE)
    assert raised.value.time == pytest.approx(0.45, abs=1e-6)


def test_a_unit_that_fails_ends_the_run_with_its_words(units: Path, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    tank = {"inputs": {"u": "1"}, "outputs": ["y"], "parameters": {"weak": 0.25}}
    path.write_text(mechanisms.yaml.safe_dump(with_tanks(units, tank=tank)))
    done = CliRunner().invoke(main, ["run", str(path), "-o", str(tmp_path / "arm.h5")])
    assert done.exit_code == 1
    assert "tank: fmi2GetDerivatives of tank.fmu says error: the tank is leaking" in done.output
    with mbsim.open_result(tmp_path / "arm.h5") as kept:
        assert 0.1 <= kept.time[-1] <= 0.251


def test_events_of_the_model_go_on_with_the_unit(units: Path) -> None:
    """A kick, and a lock, after which the run goes on with another system."""
    events = {
        "kick": {"when": "motor.torque - 40", "direction": "down", "once": True, "do": {"set": {"der(arm.angle)": "0.5*der(arm.angle)"}}},
        "catch": {"when": "t - 0.4", "do": {"lock": "grip"}},
    }
    joints = mechanisms.yaml.safe_load(ARM.replace("MOTOR", "{}"))["joints"]
    joints["grip"] = {"type": "fixed", "bodies": ["ground", "arm"], "at": [0.5, 0], "locked": False}
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid3.fmu"), events=events, joints=joints), **FINE)
    own = events | {"kick": events["kick"] | {"when": "force_effort - 40"}}
    integral = "60*(1 - arm.angle) + 30*motor.integral - 12*der(arm.angle) - 40"
    own["kick"] = events["kick"] | {"when": integral}
    wanted = mbsim.simulate(arm(CONTINUOUS, events=own, joints=joints), **FINE)
    assert [event["event"] for event in found.events] == ["kick", "catch"]
    np.testing.assert_allclose(found.events[0]["time"], wanted.events[0]["time"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found["q"][-1], wanted["q"][-1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found["motor.z"][-1], wanted["motor.integral"][-1], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "joint", [{"stops": {"upper": 0.6, "restitution": 0.3}}, {"friction": {"coefficient": 0.3, "radius": 0.05}}], ids=str
)
def test_stops_and_friction_go_on_with_the_unit(joint: dict[str, Any], units: Path) -> None:
    """A run goes through several systems then, which share the instance."""
    given: dict[str, Any] = {"joints": {"shoulder": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]} | joint}}
    given["simulation"] = {"end": 1.2, "output_step": 0.05}
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid2.fmu"), **given), **FINE)
    wanted = mbsim.simulate(arm(CONTINUOUS, **given), **FINE)
    assert len(found.events) == len(wanted.events) > 0
    np.testing.assert_allclose(found["q"][-1], wanted["q"][-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["motor.z"][-1], wanted["motor.integral"][-1], rtol=0, atol=1e-9)


TANK_BLOCK = {"type": "fmu", "file": "tank.fmu", "inputs": {"u": "arm.angle"}, "outputs": ["y"], "joint": "shoulder"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"inputs": {"v": "arm.angle"}}, "inputs.v: the unit has no input 'v'"),
    ({"inputs": {"u": "der(der(arm.angle))"}}, "inputs.u"),
    ({"inputs": {"u": "motor.z"}}, "inputs.u"),
    ({"outputs": ["x"], "effort": "x"}, "the unit has no output 'x'"),
    ({"outputs": ["y", "title"], "effort": "y"}, "'title' is of type String"),
    ({"parameters": {"kk": 3}}, "the unit has no parameter 'kk'"),
    ({"offset": 0.1}, "missing key 'sample' (it goes with 'offset')"),
    ({"sample": 0.1}, "is for model exchange alone: leave out `sample`"),
    ({"file": "nowhere.fmu"}, "there is no file"),
    ({"file": "sampled.fmu"}, "is for co-simulation alone: give `sample`"),
    ({"file": "neither.fmu"}, "is neither for co-simulation nor for model exchange"),
    ({"file": "tool.fmu"}, "needs the program that made it (a tool) to run"),
    ({"file": "elsewhere.fmu"}, "has no library for this machine"),
    ({"file": "old.fmu"}, "is of FMI 1.0"),
    ({"file": "lost.fmu"}, "does not say of which state its derivative 1 is"),
]


@pytest.fixture(scope="module")
def spoilt(units: Path) -> Path:
    library = {LIBRARY: b""}
    archive(units / "sampled.fmu", SAID.replace("ModelExchange", "CoSimulation"), library)
    archive(units / "neither.fmu", SAID.replace("ModelExchange", "Nothing"), library)
    archive(units / "tool.fmu", SAID.replace('"gain" completed', '"gain" needsExecutionTool="true" completed'), library)
    archive(units / "elsewhere.fmu", SAID, {"binaries/none/gain.so": b""})
    archive(units / "old.fmu", SAID.replace('"2.0"', '"1.0"'), library)
    archive(units / "lost.fmu", SAID.replace(' derivative="2"', ""), library)
    return units


@pytest.mark.parametrize(("changed", "message"), WRONG, ids=lambda x: x if isinstance(x, str) else "")
def test_what_is_wrong_is_said_at_its_place(changed: dict[str, Any], message: str, spoilt: Path) -> None:
    text = mechanisms.yaml.safe_load(ARM.replace("MOTOR", "{}"))
    text["controllers"] = {"motor": TANK_BLOCK | changed}
    path = spoilt / "arm.yaml"
    path.write_text(mechanisms.yaml.safe_dump(text))
    with pytest.raises(ModelError) as raised:
        mbsim.load_model(path)
    assert message in str(raised.value)
    assert f"{path}:" in str(raised.value) and "controllers.motor" in str(raised.value)
