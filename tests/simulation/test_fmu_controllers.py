"""Units of others as controllers: they equal what is built in, runs go back with them, and what is wrong with one is said."""

import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.assembly.fmu_samples import FmuSamples
from mbsim.cli import main
from mbsim.model.file.errors import ModelError
from mbsim.model.file.fmu import binary_folder
from mbsim.system.native import VARIABLE

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C on this machine")

PID = """
name: pid
dimension: 2
parameters: {angle: 0, rate: 0, target: 1, kp: 60, ki: 30, kd: 12, T: 0.01}
bodies: {body: {mass: 1, inertia: 1}}
joints: {rail: {type: prismatic, bodies: [ground, body], at: [0, 0], axis: [1, 0]}}
forces: {none: {type: force, body: body, value: [0*(angle + rate + target + kp + ki + kd + T), 0]}}
states: {z: {rate: target - angle, unit: rad s}}
measures: {torque: {value: kp*(target - angle) + ki*(z + T*(target - angle)) - kd*rate, unit: N m}}
simulation: {step: 0.01, end: 1, method: lagrange, integrator: rk4}
"""
ARM = """
name: arm
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 2, inertia: 0.1, position: [0.5, 0]}}
joints: {shoulder: {type: revolute, bodies: [ground, arm], at: [0, 0]}}
controllers: {motor: MOTOR}
simulation: {end: 0.5, output_step: 0.01}
"""
BUILT_IN = "{type: pid, joint: shoulder, target: 1, kp: 60, ki: 30, kd: 12, sample: 0.01}"
SIGNALS = "inputs: {angle: shoulder.angle, rate: der(shoulder.angle)}"
UNIT = f"{{type: fmu, file: FILE, joint: shoulder, sample: 0.01, {SIGNALS}, outputs: [torque]}}"
KICK = {"kick": {"when": "arm.angle - 0.2", "do": {"set": {"der(arm.angle)": "0.5*der(arm.angle)"}}}}

GAIN = r"""
#include <stdlib.h>
#include <string.h>
typedef struct { void (*logger)(void *, const char *, int, const char *, const char *, ...); } Callbacks;
typedef struct { double in, gain; int whole, on, steps; const Callbacks *said; } Unit;
void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const Callbacks *c, int v, int l)
{
    Unit *u = strcmp(g, "gain") == 0 && k == 1 ? calloc(1, sizeof *u) : NULL;
    if (u) u->said = c;
    return u;
}
void fmi2FreeInstance(Unit *u) { free(u); }
int fmi2SetupExperiment(Unit *u, int d, double t, double s, int e, double x) { return 0; }
int fmi2EnterInitializationMode(Unit *u) { return 0; }
int fmi2ExitInitializationMode(Unit *u) { return 0; }
int fmi2SetReal(Unit *u, const unsigned *r, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) *(r[i] == 0 ? &u->in : &u->gain) = x[i];
    return 0;
}
int fmi2SetInteger(Unit *u, const unsigned *r, size_t n, const int *x) { u->whole = x[0]; return 0; }
int fmi2SetBoolean(Unit *u, const unsigned *r, size_t n, const int *x) { u->on = x[0]; return 0; }
int fmi2GetReal(Unit *u, const unsigned *r, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = r[i] == 1 ? (u->on ? -u->gain * u->whole * u->in : 0.0) : u->steps;
    return 0;
}
int fmi2DoStep(Unit *u, double t, double h, int k)
{
    if (t > 0.295) {
        u->said->logger(NULL, "gain", 3, "error", "the battery is empty");
        return 3;
    }
    u->steps++;
    return 0;
}
"""
DESCRIPTION = """<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="gain" guid="gain" generationTool="a tool">
<CoSimulation modelIdentifier="gain"/>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="count.steps" valueReference="2" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="gain" valueReference="3" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
<ScalarVariable name="whole" valueReference="4" causality="parameter" variability="fixed"><Integer start="1"/></ScalarVariable>
<ScalarVariable name="active" valueReference="5" causality="parameter" variability="fixed"><Boolean start="true"/></ScalarVariable>
<ScalarVariable name="title" valueReference="6" causality="parameter" variability="fixed"><String start=""/></ScalarVariable>
<ScalarVariable name="inner" valueReference="7" causality="local"><Real/></ScalarVariable>
</ModelVariables><ModelStructure/></fmiModelDescription>
"""
LIBRARY = f"binaries/{binary_folder(2)}/gain.so"


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a controller that mbsim has exported, for both versions, and with one of 40 lines of C that keeps no states."""
    folder = tmp_path_factory.mktemp("units")
    for fmi in (2, 3):
        parameters = ["target", "kp", "ki", "kd", "T"]
        mbsim.export(mechanisms.model(PID), folder / f"pid{fmi}.fmu", ["angle", "rate"], ["torque"], parameters, fmi=fmi, native=True)
    (folder / "gain.c").write_text(GAIN)
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", "gain.so", "gain.c"], cwd=folder, check=True)
    archive(folder / "gain.fmu", DESCRIPTION, {LIBRARY: (folder / "gain.so").read_bytes()})
    return folder


def archive(path: Path, description: str, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("modelDescription.xml", description)
        for name, data in files.items():
            made.writestr(name, data)


def arm(motor: str, **changed: Any) -> Any:
    return mechanisms.model(mechanisms.yaml.safe_load(ARM.replace("MOTOR", motor)) | changed)


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_exported_controller_equals_the_one_built_in(fmi: int, units: Path) -> None:
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid{fmi}.fmu")), allow_native=True)
    wanted = mbsim.simulate(arm(BUILT_IN))
    np.testing.assert_allclose(found["q"][:, :3], wanted["q"][:, :3], rtol=0, atol=1e-13)
    np.testing.assert_allclose(found["force_effort"], wanted["force_effort"], rtol=1e-11)
    np.testing.assert_array_equal(found["motor.angle"][1:-1], found["arm.angle"][1:-1])  # at samples
    assert found["force_effort"][0, 0] == pytest.approx(60.3)


@pytest.mark.parametrize(
    "settings",
    [{"method": "lagrange", "integrator": "rk4", "step": 0.004}, {"method": "generalized_alpha", "step": 0.005}, {"integrator": "lsoda"}],
    ids=["rk4", "generalized_alpha", "lsoda"],
)
def test_runs_that_go_back_find_the_unit_as_it_was(settings: dict[str, Any], units: Path) -> None:
    """An event is located by trials, and acts. The run is repeated from the state before."""
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid2.fmu"), events=KICK), allow_native=True, **settings)
    wanted = mbsim.simulate(arm(BUILT_IN, events=KICK), **settings)
    assert [event["event"] for event in found.events] == ["kick"]
    np.testing.assert_allclose(found["q"][:, :3], wanted["q"][:, :3], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "lagrange", "integrator": "rk4", "step": 0.004}, {"method": "generalized_alpha", "step": 0.005},
        {"method": "lagrange", "integrator": "dop853"},
    ],
    ids=["rk4", "generalized_alpha", "dop853"],
)  # fmt: skip
@pytest.mark.parametrize("unit", ["pid2", "pid3", "gain"])
def test_compiled_marches_call_units_themselves(unit: str, settings: dict[str, Any], units: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits of the march in Python from sample to sample; also up to where `gain` fails, whose states then stay as they were."""
    motor = f"{{type: fmu, file: {units}/gain.fmu, sample: 0.02, inputs: {{u: arm.angle}}, outputs: [y], joint: shoulder}}"
    model = arm(motor) if unit == "gain" else arm(UNIT.replace("FILE", f"{units}/{unit}.fmu"), events=KICK)
    monkeypatch.setenv(VARIABLE, "1")
    marched: list[str] = []
    found = []
    for called in (True, False):
        if not called:
            monkeypatch.setattr(FmuSamples, "called", lambda self: None)
        marched.append(type(mbsim.Stepper(model, **settings).inside().march.parts[0]).__name__)
        if unit == "gain":
            with pytest.raises(mbsim.SimulationError, match="the battery is empty") as raised:
                mbsim.simulate(model, **settings)
            found.append(raised.value.result)
        else:
            found.append(mbsim.simulate(model, **settings))
    assert marched == ["Raising", "SampledMarch"]
    rows = np.isin(found[0].time, found[1].time)  # of one that fails, all rows before that are kept, too
    assert rows.sum() == len(found[1].time) >= len(rows) - 1
    for name in ("q", "v", "force_effort"):
        np.testing.assert_array_equal(found[0][name][rows], found[1][name])
    assert np.isfinite(found[0]["q"]).all()


def test_parameters_and_outputs_that_laws_read(units: Path) -> None:
    """Whole numbers and Booleans arrive as such; a unit without a joint gives states that forces read. Runs begin anew."""
    motor = f"{{type: fmu, file: {units}/gain.fmu, sample: 0.02, inputs: {{u: arm.angle}}, outputs: [y, count.steps], parameters: GIVEN}}"
    law = {"spring": {"type": "joint_torque", "joint": "shoulder", "value": "motor.y"}}
    for given, stiffness in (("{gain: 2.5, whole: 3, active: 1}", 7.5), ("{gain: 2.5, whole: 3, active: 0}", 0.0)):
        made = mbsim.assemble(arm(motor.replace("GIVEN", given), forces=law, simulation={"end": 0.28, "output_step": 0.02}))
        for _ in range(2):
            found = mbsim.simulate(made, allow_native=True)
            np.testing.assert_allclose(found["motor.y"][1:], -stiffness * found["arm.angle"][1:], rtol=1e-12, atol=1e-15)
            np.testing.assert_array_equal(found["motor.count_steps"], np.arange(len(found.time)))


def test_a_unit_that_fails_ends_the_run_with_its_words(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    motor = f"{{type: fmu, file: {units}/gain.fmu, sample: 0.02, inputs: {{u: arm.angle}}, outputs: [y], joint: shoulder}}"
    path = tmp_path / "arm.yaml"
    path.write_text(ARM.replace("MOTOR", motor))
    monkeypatch.setenv(VARIABLE, "1")
    done = CliRunner().invoke(main, ["run", str(path), "-o", str(tmp_path / "arm.h5")])
    assert done.exit_code == 1
    assert "motor: fmi2DoStep of gain.fmu says error: the battery is empty" in done.output
    with mbsim.open_result(tmp_path / "arm.h5") as kept:
        assert 0.28 <= kept.time[-1] <= 0.32


def test_native_code_runs_where_it_is_allowed(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    path, output = tmp_path / "arm.yaml", str(tmp_path / "arm.h5")
    path.write_text(ARM.replace("MOTOR", UNIT.replace("FILE", f"{units}/pid2.fmu")))
    refused = CliRunner().invoke(main, ["run", str(path), "-o", output])
    assert refused.exit_code == 2 and "native code" in refused.output and "--allow-native" in refused.output
    assert mbsim.assemble(path).system.n_x == 3  # nothing of the unit runs for that
    allowed = CliRunner().invoke(main, ["run", str(path), "-o", output, "--allow-native"])
    assert allowed.exit_code == 0, allowed.output
    with pytest.raises(ValueError, match="native code"):  # what one command was allowed, the next one is not
        mbsim.Stepper(path)


def test_what_a_unit_remembers_is_not_copied(units: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    stepper = mbsim.Stepper(arm(UNIT.replace("FILE", f"{units}/pid2.fmu")))
    stepper.step(0.1)
    with pytest.raises(ValueError, match="not copied"):
        stepper.copy()
    wanted = mbsim.Stepper(arm(BUILT_IN)).step(0.1)
    assert stepper["arm.angle"] == pytest.approx(wanted["arm.angle"], abs=1e-13)


MOTOR = {"type": "fmu", "file": "gain.fmu", "sample": 0.01, "inputs": {"u": "arm.angle"}, "outputs": ["y"], "joint": "shoulder"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"inputs": {"v": "arm.angle"}}, "inputs.v: the unit has no input 'v'"),
    ({"inputs": {"inner": "1"}}, "it is of causality local"),
    ({"inputs": {"u": "arm.angel"}}, "did you mean 'arm.angle'"),
    ({"outputs": ["y", "count.step"], "effort": "y"}, "the unit has no output 'count.step'; did you mean 'count.steps'?"),
    ({"parameters": {"gian": 3}}, "the unit has no parameter 'gian'; did you mean 'gain'?"),
    ({"parameters": {"whole": 1.5}}, "the parameter 'whole' is a whole number (got 1.5)"),
    ({"parameters": {"title": 1}}, "'title' is of type String"),
    ({"outputs": ["y", "count.steps"]}, "missing key 'effort'"),
    ({"effort": "x"}, "'x' is none of `outputs`"),
    ({"target": 1}, "unknown key 'target'"),
    ({"sample": None}, "sample"),
    ({"inputs": 3}, "expected a block of names and values"),
    ({"file": "nowhere.fmu"}, "there is no file"),
    ({"file": "gain.c"}, "is no FMU"),
    ({"file": "tool.fmu"}, "needs the program that made it (a tool) to run"),
    ({"file": "exchange.fmu"}, "is for model exchange alone"),
    ({"file": "elsewhere.fmu"}, "has no library for this machine"),
    ({"file": "out.fmu"}, "leads out of the archive"),
    ({"file": "old.fmu"}, "is of FMI 1.0"),
    ({"file": "broken.fmu"}, "is no XML"),
]


@pytest.fixture(scope="module")
def spoilt(units: Path) -> Path:
    library = {LIBRARY: b""}
    archive(units / "tool.fmu", DESCRIPTION.replace('"gain"/>', '"gain" needsExecutionTool="true"/>'), library)
    archive(units / "exchange.fmu", DESCRIPTION.replace("CoSimulation", "ModelExchange"), library)
    archive(units / "elsewhere.fmu", DESCRIPTION, {"binaries/none/gain.so": b""})
    archive(units / "out.fmu", DESCRIPTION, library | {"../../etc/passwd": b""})
    archive(units / "old.fmu", DESCRIPTION.replace('"2.0"', '"1.0"'), library)
    archive(units / "broken.fmu", DESCRIPTION[:-30], library)
    return units


@pytest.mark.parametrize(("changed", "message"), WRONG, ids=lambda x: x if isinstance(x, str) else "")
def test_what_is_wrong_is_said_at_its_place(changed: dict[str, Any], message: str, spoilt: Path) -> None:
    text = mechanisms.yaml.safe_load(ARM.replace("MOTOR", "{}"))
    text["controllers"] = {"motor": {key: value for key, value in (MOTOR | changed).items() if value is not None}}
    path = spoilt / "arm.yaml"
    path.write_text(mechanisms.yaml.safe_dump(text))
    with pytest.raises(ModelError) as raised:
        mbsim.load_model(path)
    assert message in str(raised.value)
    assert f"{path}:" in str(raised.value) and "controllers.motor" in str(raised.value)


def test_the_file_is_looked_for_beside_the_model(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = units / "beside.yaml"
    path.write_text(ARM.replace("MOTOR", UNIT.replace("FILE", "pid2.fmu")))
    assert mbsim.simulate(path, allow_native=True).time[-1] == pytest.approx(0.5)


def test_a_model_with_a_unit_is_no_unit(units: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no unit contains others"):
        mbsim.export(arm(UNIT.replace("FILE", f"{units}/pid2.fmu")), tmp_path / "x.fmu")
