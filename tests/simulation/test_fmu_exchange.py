"""Units for model exchange as continuous controllers: they equal what is built in, events are located, what is wrong is said."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import fmpy
import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner
from simulation.test_fmu_controllers import ARM, LIBRARY, PID, archive

import mbsim
from mbsim.cli import main
from mbsim.model.file.errors import ModelError
from mbsim.system.native import VARIABLE

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C on this machine")

PID_NOW = PID.replace("T: 0.01", "T: 0")
BODY = """
dimension: 2
bodies: {body: {mass: 1, inertia: 1}}
joints: {rail: {type: prismatic, bodies: [ground, body], at: [0, 0], axis: [1, 0]}}
simulation: {step: 0.01, end: 10, method: lagrange, integrator: rk4}
"""
HELD_PD = f"""
name: pd
{BODY}
parameters: {{angle: 0, rate: 0, kp: 60, kd: 12}}
forces: {{none: {{type: force, body: body, value: [0*(angle + rate + kp + kd), 0]}}}}
states: {{u: {{sample: 0.01, next: kp*(1 - angle) - kd*rate, unit: N m}}}}
measures: {{torque: {{value: u, unit: N m}}}}
"""
EVENTS = """
  left: {when: x + 0.5*v + 0.05, direction: down, do: {switch: {F: 1}}}
  right: {when: x + 0.5*v - 0.05, direction: up, do: {switch: {F: -1}}}
"""
RELAY = f"""
name: relay
{BODY}
parameters: {{x: 0, v: 0, F: 1}}
forces: {{none: {{type: force, body: body, value: [0*(x + v + F), 0]}}}}
events: {EVENTS}
measures: {{force: {{value: F, unit: N}}}}
"""
SATELLITE = """
name: satellite
dimension: 2
bodies: {sat: {mass: 1, inertia: 1, position: [-0.2, 0], velocity: [0.1, 0]}}
simulation: {end: 3, output_step: 0.1}
"""
PENDULUM = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies: {bob: {mass: 1, inertia: 0.1, position: [1, 0]}}
joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0]}}
simulation: {end: 5, output_step: 0.5}
"""
CONTINUOUS = "{type: pid, joint: shoulder, target: 1, kp: 60, ki: 30, kd: 12}"
SIGNALS = "inputs: {angle: shoulder.angle, rate: der(shoulder.angle)}"
UNIT = f"{{type: fmu, file: FILE, joint: shoulder, {SIGNALS}, outputs: [torque]}}"
FINE = {"rtol": 1e-12, "atol": 1e-13}

TANK = r"""
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef struct { void (*logger)(void *, const char *, int, const char *, const char *, ...); } Callbacks;
typedef struct { int again, ends, nominals, values, rings; double next; } Info;
typedef struct { double t, x, u, k, gain, rings, next, weak; const Callbacks *said; } Unit;
void *fmi2Instantiate(const char *n, int kind, const char *g, const char *r, const Callbacks *c, int v, int l)
{
    Unit *u = kind == 0 ? calloc(1, sizeof *u) : NULL;
    if (u) { u->said = c; u->k = 2; u->gain = 3; u->next = 0.1; }
    return u;
}
void fmi2FreeInstance(Unit *u) { free(u); }
int fmi2SetupExperiment(Unit *u, int d, double t, double s, int e, double x) { u->t = t; return 0; }
int fmi2EnterInitializationMode(Unit *u) { return 0; }
int fmi2ExitInitializationMode(Unit *u) { return 0; }
int fmi2EnterEventMode(Unit *u) { return 0; }
int fmi2EnterContinuousTimeMode(Unit *u) { return 0; }
int fmi2SetTime(Unit *u, double t) { u->t = t; return 0; }
int fmi2NewDiscreteStates(Unit *u, Info *said)
{
    memset(said, 0, sizeof *said);
    if (u->t >= u->next) { u->rings += 1; u->next = 0.1 * (u->rings + 1); }
    if (u->x >= 0.4 && u->weak < 0) { u->x = 0.1; said->values = 1; }
    said->rings = 1;
    said->next = u->next;
    return 0;
}
int fmi2CompletedIntegratorStep(Unit *u, int k, int *e, int *s) { *e = *s = 0; return 0; }
int fmi2SetContinuousStates(Unit *u, const double *x, size_t n) { u->x = x[0]; return 0; }
int fmi2GetContinuousStates(Unit *u, double *x, size_t n) { x[0] = u->x; return 0; }
int fmi2GetEventIndicators(Unit *u, double *z, size_t n) { z[0] = u->x - 0.4; return 0; }
int fmi2GetDerivatives(Unit *u, double *x, size_t n)
{
    if (u->weak > 0 && u->t > u->weak) {
        u->said->logger(NULL, "tank", 3, "error", "the tank is leaking");
        return 3;
    }
    if (u->weak < -1 && u->t > -u->weak / 10) {
        u->said->logger(NULL, "tank", 2, "error", "the tank is not defined there");
        return 2;
    }
    x[0] = u->u - u->k * u->x;
    return 0;
}
int fmi2SetReal(Unit *u, const unsigned *r, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) *(r[i] == 0 ? &u->u : r[i] == 5 ? &u->k : &u->weak) = x[i];
    return 0;
}
int fmi2GetInteger(Unit *u, const unsigned *r, size_t n, int *x) { x[0] = (int)u->rings; return 0; }
int fmi2GetBoolean(Unit *u, const unsigned *r, size_t n, int *x) { x[0] = (int)u->rings % 2 == 0; return 0; }
int fmi2GetReal(Unit *u, const unsigned *r, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = r[i] == 1 ? u->x : r[i] == 2 ? u->u - u->k * u->x : r[i] == 3 ? u->gain * u->u : r[i] == 4 ? u->rings : u->x;
    return 0;
}
"""
SAID = """<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="gain" guid="tank" generationTool="a tool" numberOfEventIndicators="1">
<ModelExchange modelIdentifier="gain" completedIntegratorStepNotNeeded="true"/>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="level" valueReference="1" causality="local"><Real/></ScalarVariable>
<ScalarVariable name="der(level)" valueReference="2" causality="local"><Real derivative="2"/></ScalarVariable>
<ScalarVariable name="y" valueReference="3" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="rings" valueReference="4" causality="output" variability="discrete"><Real/></ScalarVariable>
<ScalarVariable name="k" valueReference="5" causality="parameter" variability="fixed"><Real start="2"/></ScalarVariable>
<ScalarVariable name="weak" valueReference="6" causality="parameter" variability="fixed"><Real start="0"/></ScalarVariable>
<ScalarVariable name="slow" valueReference="7" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="count" valueReference="8" causality="output"><Integer/></ScalarVariable>
<ScalarVariable name="even" valueReference="9" causality="output"><Boolean/></ScalarVariable>
<ScalarVariable name="title" valueReference="10" causality="output"><String/></ScalarVariable>
</ModelVariables>
<ModelStructure>
<Outputs><Unknown index="4"/><Unknown index="5" dependencies=""/><Unknown index="8" dependencies="2"/></Outputs>
<Derivatives><Unknown index="3"/></Derivatives>
</ModelStructure></fmiModelDescription>
"""


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with units for model exchange: of mbsim's own, and one of 60 lines of C."""
    folder = tmp_path_factory.mktemp("exchanged")
    for fmi in (2, 3):
        given: dict[str, Any] = {"fmi": fmi, "native": True, "kind": "me"}
        mbsim.export(mechanisms.model(PID_NOW), folder / f"pid{fmi}.fmu", ["angle", "rate"], ["torque"], ["target", "kp"], **given)
        mbsim.export(mechanisms.model(HELD_PD), folder / f"pd{fmi}.fmu", ["angle", "rate"], ["torque"], **given)
        mbsim.export(mechanisms.model(RELAY), folder / f"relay{fmi}.fmu", ["x", "v"], ["force"], **given)
        mbsim.export(mechanisms.model(PENDULUM), folder / f"pendulum{fmi}.fmu", [], ["bob.angle"], **given)
    (folder / "tank.c").write_text(TANK)
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", "tank.so", "tank.c"], cwd=folder, check=True)
    archive(folder / "tank.fmu", SAID, {LIBRARY: (folder / "tank.so").read_bytes()})
    return folder


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")


def arm(motor: str, **changed: Any) -> Any:
    return mechanisms.model(mechanisms.yaml.safe_load(ARM.replace("MOTOR", motor)) | changed)


def with_tanks(units: Path, **controllers: dict[str, Any]) -> dict[str, Any]:
    """An arm with tanks that do not act on it."""
    text: dict[str, Any] = mechanisms.yaml.safe_load(ARM.replace("MOTOR", "{}"))
    own = {name: {"type": "fmu", "file": f"{units}/tank.fmu", **block} for name, block in controllers.items()}
    return text | {"controllers": own}


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("fmi", [2, 3])
def test_an_exported_controller_equals_the_one_built_in(fmi: int, coordinates: str, units: Path) -> None:
    """Its integral is a state of the model. A run that is repeated has the same bits."""
    given = {"coordinates": "joint"} if coordinates == "joint" else {}
    model = arm(UNIT.replace("FILE", f"{units}/pid{fmi}.fmu"), **given)
    found = [mbsim.simulate(model, **FINE) for _ in range(2)]
    wanted = mbsim.simulate(arm(CONTINUOUS, **given), **FINE)
    np.testing.assert_allclose(found[0]["q"], wanted["q"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found[0]["force_effort"], wanted["force_effort"], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found[0]["motor.torque"], found[0]["force_effort"][:, 0])
    np.testing.assert_allclose(found[0]["motor.angle"], found[0]["shoulder.angle" if given else "arm.angle"], rtol=0, atol=1e-15)
    np.testing.assert_allclose(found[0]["motor.z"], wanted["motor.integral"], rtol=0, atol=1e-11)
    for name in ("q", "v", "states"):
        np.testing.assert_array_equal(found[0][name], found[1][name])


@pytest.mark.parametrize(
    ("settings", "near"),
    [
        ({"integrator": "rk4", "step": 0.002}, 1e-9), ({"integrator": "rk45", "rtol": 1e-10, "atol": 1e-11}, 1e-8),
        ({"integrator": "predictor_corrector", "step": 0.002}, 1e-9),
    ],
    ids=["rk4", "rk45", "predictor_corrector"],
)  # fmt: skip
def test_explicit_integrators_take_units(settings: dict[str, Any], near: float, units: Path) -> None:
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid2.fmu")), **settings)
    np.testing.assert_allclose(found["q"], mbsim.simulate(arm(CONTINUOUS), **settings)["q"], rtol=0, atol=near)


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


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_unit_hears_of_completed_steps(fmi: int, units: Path) -> None:
    """A pendulum in absolute coordinates, which asks then to put its states back onto its constraints."""
    motor = f"{{type: fmu, file: {units}/pendulum{fmi}.fmu, outputs: [bob.angle]}}"
    found = mbsim.simulate(arm(motor, simulation={"end": 5, "output_step": 0.5}), rtol=1e-10, atol=1e-11)
    wanted = mbsim.simulate(mechanisms.model(PENDULUM), **FINE)
    np.testing.assert_allclose(found["motor.bob_angle"], wanted["bob.angle"], rtol=0, atol=1e-7)
    length = np.hypot(found["motor.bob_x"], found["motor.bob_y"])
    np.testing.assert_allclose(length, 1.0, rtol=0, atol=1e-9)


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


def test_a_unit_without_states(units: Path) -> None:
    archive(units / "gain.fmu", SAID.replace('<Unknown index="3"/>', ""), {LIBRARY: (units / "tank.so").read_bytes()})
    text = with_tanks(units, gain={"inputs": {"u": "arm.angle"}, "outputs": ["y"]})
    text["controllers"]["gain"]["file"] = f"{units}/gain.fmu"
    found = mbsim.simulate(mechanisms.model(text), **FINE)
    np.testing.assert_allclose(found["gain.y"], 3.0 * found["arm.angle"], rtol=1e-14)


@pytest.mark.parametrize("fmi", [2, 3])
def test_as_fmpy_finds_it(fmi: int, units: Path) -> None:
    """FMPy with CVODE as the peer: the same unit, in the hands of another program."""
    file = f"{units}/pendulum{fmi}.fmu"
    found = mbsim.simulate(arm(f"{{type: fmu, file: {file}, outputs: [bob.angle]}}", simulation={"end": 2, "output_step": 0.5}), **FINE)
    given = {"fmi_type": "ModelExchange", "relative_tolerance": 1e-9, "output": ["bob.angle"]}
    peer = fmpy.simulate_fmu(file, stop_time=2.0, output_interval=0.5, **given)
    for time, angle in zip(found.time, found["motor.bob_angle"], strict=True):
        near = np.argmin(np.abs(peer["time"] - time))
        assert abs(peer["time"][near] - time) < 1e-9
        assert angle == pytest.approx(float(peer["bob.angle"][near]), abs=2e-5)


def test_units_read_each_other_in_order(units: Path) -> None:
    """The second gives what the first reads, and its output follows its input at once."""
    first = {"inputs": {"u": "second.y + t"}, "outputs": ["y"]}
    second = {"inputs": {"u": "2*first.slow"}, "outputs": ["y", "slow"]}
    text = with_tanks(units, first=first | {"outputs": ["y", "slow"]}, second=second)
    text["measures"] = {"sum": {"value": "first.y + second.y", "unit": "1"}}
    found = mbsim.simulate(mechanisms.model(text), **FINE)
    np.testing.assert_allclose(found["second.y"], 6.0 * found["first.slow"], rtol=1e-14)
    np.testing.assert_allclose(found["first.y"], 3.0 * (found["second.y"] + found.time), rtol=1e-14)
    np.testing.assert_allclose(found["first.slow"], found["first.level"], rtol=1e-14)
    np.testing.assert_allclose(found["sum"], found["first.y"] + found["second.y"], rtol=1e-14)
    assert found["first.level"][-1] > 0.01


def test_functions_of_python_act_beside_units(units: Path) -> None:
    """The system has other parameters then, which hold the addresses of the units, too."""
    text = mechanisms.yaml.safe_load(ARM.replace("MOTOR", UNIT.replace("FILE", f"{units}/pid2.fmu")))
    text["forces"] = {"wind": {"type": "joint_torque", "joint": "shoulder", "value": "sin(3*t)"}}
    found = mbsim.simulate(mechanisms.model(text), forces={"wind": lambda t, q, v: np.sin(3.0 * t)}, **FINE)
    np.testing.assert_allclose(found["q"], mbsim.simulate(mechanisms.model(text), **FINE)["q"], rtol=0, atol=1e-11)
    assert np.abs(found["motor.torque"]).max() > 10.0


def test_a_force_between_two_points_reads_a_unit(units: Path) -> None:
    """The unit gives three times the elongation: a spring."""
    text = mechanisms.yaml.safe_load(SATELLITE)
    text["bodies"]["sat"] |= {"position": [1.5, 0.2], "points": {"A": [0.1, 0]}}
    text["ground"] = {"points": {"O": [0, 0]}}
    unit = {"type": "fmu", "file": f"{units}/tank.fmu", "inputs": {"u": "distance(sat.A, ground.O) - 1"}, "outputs": ["y"]}
    strut = {"type": "spring_damper", "points": ["ground.O", "sat.A"]}
    found = mbsim.simulate(
        mechanisms.model(text | {"controllers": {"spring": unit}, "forces": {"strut": strut | {"value": "spring.y"}}}), **FINE
    )
    wanted = mbsim.simulate(mechanisms.model(text | {"forces": {"strut": strut | {"stiffness": 3, "free_length": 1}}}), **FINE)
    last = np.searchsorted(found.time, wanted.time + 1e-9) - 1
    np.testing.assert_allclose(found["q"][last], wanted["q"], rtol=0, atol=1e-10)


def test_algebraic_loops_are_refused_by_their_names(units: Path, tmp_path: Path) -> None:
    loop = {"first": {"inputs": {"u": "second.y"}, "outputs": ["y"]}, "second": {"inputs": {"u": "first.y"}, "outputs": ["y"]}}
    for given, chain in (
        (loop, "first.u <- second.y <- second.u <- first.y <- first.u"),
        ({"a": {"inputs": {"u": "a.y"}, "outputs": ["y"]}}, "a.u <- a.y <- a.u"),
    ):
        path = tmp_path / "arm.yaml"
        path.write_text(mechanisms.yaml.safe_dump(with_tanks(units, **given)))
        done = CliRunner().invoke(main, ["run", str(path)])
        assert done.exit_code == 2
        assert f"an algebraic loop, {chain}" in done.output
        assert "arm.yaml:" in done.output and ".inputs.u" in done.output


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


def test_studies_have_instances_of_their_own(units: Path) -> None:
    """Runs of a sweep in two processes have the numbers of runs alone."""
    text = mechanisms.yaml.safe_load(
        ARM.replace("MOTOR", UNIT.replace("FILE", f"{units}/pid2.fmu").replace("}, outputs", "}, parameters: {kp: gain}, outputs"))
    )
    text["parameters"] = {"gain": 60}
    text["simulation"] = text["simulation"] | FINE
    vary, outputs = {"gain": [40, 60, 80]}, {"end": "final(arm.angle)"}
    found = mbsim.study(mechanisms.model(text), vary, outputs, executor="processes", workers=2)
    for gain, value in zip((40, 60, 80), found["end"].values.ravel(), strict=True):
        alone = mbsim.simulate(mechanisms.model(text | {"parameters": {"gain": gain}}))
        assert value == pytest.approx(alone["arm.angle"][-1], abs=1e-12)


@pytest.mark.parametrize("settings", [{"method": "generalized_alpha"}, {"method": "rattle"}], ids=str)
def test_methods_that_need_derivatives_of_laws_are_refused(settings: dict[str, Any], units: Path) -> None:
    word = settings["method"]
    with pytest.raises(
        ValueError, match=f"{word} needs derivatives of what the units for model exchange .motor. do.*dop853.*with `sample`"
    ):
        mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid2.fmu")), **settings)


@pytest.mark.parametrize("integrator", ["lsoda", "bdf", "radau"])
def test_implicit_integrators_take_units(integrator: str, units: Path) -> None:
    """Their Jacobians are differences; events are located in Python."""
    settings = {"integrator": integrator, "rtol": 1e-9, "atol": 1e-11}
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid3.fmu")), **settings)
    np.testing.assert_allclose(found["q"], mbsim.simulate(arm(CONTINUOUS), **settings)["q"], rtol=0, atol=1e-8)
    tank = {"inputs": {"u": "1"}, "outputs": ["y"], "parameters": {"weak": -1}}
    model = mechanisms.model(with_tanks(units, tank=tank) | {"simulation": {"end": 0.9, "output_step": 0.05}})
    found = mbsim.simulate(model, **settings)
    assert next(event["time"] for event in found.events if event["event"] == "tank.indicator.z1") == pytest.approx(0.8047189562, abs=1e-8)
    assert found["tank.level"][-1] == pytest.approx(0.5 - 0.4 * np.exp(-2.0 * (0.9 + np.log(0.2) / 2.0)), abs=1e-7)


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


def test_what_does_not_know_units_says_so(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = arm(UNIT.replace("FILE", f"{units}/pid2.fmu"))
    for analysis in (mbsim.equilibrium, mbsim.modes):
        with pytest.raises(ValueError, match=r"the model has units .type: fmu., which run in motions only: motor"):
            analysis(model)
    with pytest.raises(ValueError, match="not copied"):
        mbsim.Stepper(model).step(0.1).copy()
    with pytest.raises(ValueError, match="no unit contains others"):
        mbsim.export(model, tmp_path / "x.fmu")
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(ValueError, match="native code"):
        mbsim.simulate(model)
    assert mbsim.assemble(model).system.units.controllers == ("motor",)  # nothing of the unit runs for that


def test_steppers_have_the_numbers_of_runs(units: Path) -> None:
    model = arm(UNIT.replace("FILE", f"{units}/pid2.fmu"))
    stepper = mbsim.Stepper(model, **FINE)
    for _ in range(2):
        stepper.reset()
        while stepper.time < 0.5 - 1e-9:
            stepper.step(0.1)
        assert stepper["arm.angle"] == pytest.approx(mbsim.simulate(model, **FINE)["arm.angle"][-1], abs=1e-11)


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
