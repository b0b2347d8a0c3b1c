"""Equilibria and linear systems of models with continuous units: as with the same controllers as laws."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner
from simulation.exchanged_units import CONTINUOUS, PID_NOW, SAID, TANK, UNIT, arm
from simulation.test_fmu_controllers import ARM, LIBRARY, archive

import mbsim
from mbsim.cli import main
from mbsim.model.file.fmu import binary_folder
from mbsim.system.native import VARIABLE

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C on this machine")

# x' = sin(u) - 2 x, y = 3 u + x^2 + u^2 x, with exact derivatives
LAG = r"""
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int again, ends, nominals, values, rings; double next; } Info;
typedef struct { double x, u; } Unit;
void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const void *c, int v, int l)
{
    Unit *u = calloc(1, sizeof *u);
    u->x = 0.1;
    return u;
}
void fmi2FreeInstance(Unit *u) { free(u); }
int fmi2SetupExperiment(Unit *u, int d, double x, double t, int e, double s) { return 0; }
int fmi2EnterInitializationMode(Unit *u) { return 0; }
int fmi2ExitInitializationMode(Unit *u) { return 0; }
int fmi2EnterEventMode(Unit *u) { return 0; }
int fmi2EnterContinuousTimeMode(Unit *u) { return 0; }
int fmi2NewDiscreteStates(Unit *u, Info *said) { memset(said, 0, sizeof *said); return 0; }
int fmi2CompletedIntegratorStep(Unit *u, int k, int *e, int *s) { *e = *s = 0; return 0; }
int fmi2SetTime(Unit *u, double t) { return 0; }
int fmi2SetContinuousStates(Unit *u, const double *x, size_t n) { u->x = x[0]; return 0; }
int fmi2GetContinuousStates(Unit *u, double *x, size_t n) { x[0] = u->x; return 0; }
int fmi2GetDerivatives(Unit *u, double *x, size_t n) { x[0] = sin(u->u) - 2 * u->x; return 0; }
int fmi2SetReal(Unit *u, const unsigned *r, size_t n, const double *x) { u->u = x[0]; return 0; }
int fmi2GetReal(Unit *u, const unsigned *r, size_t n, double *y)
{
    for (size_t i = 0; i < n; i++) y[i] = r[i] == 1 ? u->x : 3 * u->u + u->x * u->x + u->u * u->u * u->x;
    return 0;
}
int fmi2GetDirectionalDerivative(Unit *u, const unsigned *of, size_t n, const unsigned *by, size_t m, const double *d, double *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t k = 0; k < m; k++) {
            if (of[i] == 2) out[i] += by[k] == 0 ? cos(u->u) * d[k] : -2 * d[k];
            else out[i] += by[k] == 0 ? (3 + 2 * u->u * u->x) * d[k] : (2 * u->x + u->u * u->u) * d[k];
        }
    }
    return 0;
}
"""
LAG_SAID = """<fmiModelDescription fmiVersion="2.0" modelName="lag" guid="lag" numberOfEventIndicators="0">
<ModelExchange modelIdentifier="lag" completedIntegratorStepNotNeeded="true" providesDirectionalDerivative="true"/><ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="x" valueReference="1" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="der(x)" valueReference="2" causality="local"><Real derivative="2"/></ScalarVariable>
<ScalarVariable name="y" valueReference="3" causality="output"><Real/></ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="2" dependencies="2"/><Unknown index="4"/></Outputs>
<Derivatives><Unknown index="3"/></Derivatives></ModelStructure>
</fmiModelDescription>
"""
TWO = """
name: two bars
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 2, inertia: 0.1, position: [0.5, 0]}
  tip: {mass: 1, inertia: 0.05, position: [1.4, 0]}
joints:
  shoulder: {type: revolute, bodies: [ground, arm], at: [0, 0]}
  elbow: {type: revolute, bodies: [arm, tip], at: [1, 0]}
forces:
  lift: {type: joint_torque, joint: shoulder, value: 30 - 40*shoulder.angle - 3*der(shoulder.angle) - 2*SECOND}
  hold: {type: joint_torque, joint: elbow, value: 4 - 20*elbow.angle - der(elbow.angle) - FIRST + 0.5*X1}
simulation: {end: 1}
"""
U1 = "shoulder.angle + 0.1*der(elbow.angle) - 0.3*X2"
U2 = "0.2*elbow.angle - 0.1*FIRST"


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the lag, with a controller that mbsim exports, and with a unit that gives no derivatives."""
    folder: Path = tmp_path_factory.mktemp("lags")
    for name, text, said in (("lag", LAG, LAG_SAID), ("gain", TANK, SAID)):
        (folder / f"{name}.c").write_text(text)
        subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", f"{name}.so", f"{name}.c", "-lm"], cwd=folder, check=True)
        archive(folder / f"{name}.fmu", said, {f"binaries/{binary_folder(2)}/{name}.so": (folder / f"{name}.so").read_bytes()})
    assert f"binaries/{binary_folder(2)}/gain.so" == LIBRARY
    for fmi in (2, 3):
        given: dict[str, Any] = {"fmi": fmi, "native": True, "kind": "me"}
        mbsim.export(mechanisms.model(PID_NOW), folder / f"pid{fmi}.fmu", ["angle", "rate"], ["torque"], ["target", "kp"], **given)
    return folder


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")


def written(text: str, **words: str) -> str:
    for word, said in words.items():
        text = text.replace(word, said)
    return text


def both(units: Path, coordinates: str) -> tuple[Any, Any]:
    """Two bars with two units, of which one reads the other, and with laws in place of these."""
    words = {"SECOND": "second.y", "FIRST": "first.y", "X1": "first.x", "X2": "second.x"}
    unit = {"type": "fmu", "file": f"{units}/lag.fmu", "outputs": ["y", "x"]}
    text = mechanisms.yaml.safe_load(written(TWO, **words))
    text["controllers"] = {
        "first": unit | {"inputs": {"u": written(U1, **words)}},
        "second": unit | {"inputs": {"u": written(U2, **words)}},
    }
    states = {"X1": "a", "X2": "b"}
    u1 = f"({written(U1, **states)})"
    y1 = f"(3*{u1} + a^2 + {u1}^2*a)"
    u2 = f"({written(U2, **states, FIRST=y1)})"
    y2 = f"(3*{u2} + b^2 + {u2}^2*b)"
    known = mechanisms.yaml.safe_load(written(TWO, SECOND=y2, FIRST=y1, **states))
    known["states"] = {"a": {"rate": f"sin({u1}) - 2*a", "start": 0.1}, "b": {"rate": f"sin({u2}) - 2*b", "start": 0.1}}
    given = {"coordinates": "joint"} if coordinates == "joint" else {}
    return mechanisms.model(text | given), mechanisms.model(known | given)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_units_that_read_each_other_equal_laws(coordinates: str, units: Path) -> None:
    """Equilibrium, modes and a linear system with outputs of units, to round-off."""
    model, wanted = both(units, coordinates)
    found, known = mbsim.equilibrium(model), mbsim.equilibrium(wanted)
    np.testing.assert_allclose([found[name] for name in ("first.x", "second.x")], [known[name] for name in "ab"], rtol=0, atol=1e-13)
    n = found.made.system.n_c
    np.testing.assert_allclose(found.q[:n], known.q[:n], rtol=0, atol=1e-13)
    assert abs(found["first.x"]) > 0.01
    modes, known_modes = mbsim.modes(model), mbsim.modes(wanted)
    assert [name.replace("first.x", "a").replace("second.x", "b") for name in modes.variables] == list(known_modes.variables)
    np.testing.assert_allclose(modes.A, known_modes.A, rtol=0, atol=1e-12 * np.abs(known_modes.A).max())
    np.testing.assert_allclose(modes.eigenvalues, known_modes.eigenvalues, rtol=1e-11)
    assert modes.notes() == known_modes.notes()
    rate = "der(arm.angle)" if coordinates == "absolute" else "der(shoulder.angle)"
    for at in ("start", "equilibrium"):
        one = mbsim.linearize(model, ["force:lift"], ["first.x", rate], at)
        two = mbsim.linearize(wanted, ["force:lift"], ["a", rate], at)
        for name in "ABCD":
            size = max(1.0, np.abs(getattr(two, name)).max())
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=0, atol=1e-12 * size)


def test_outputs_of_units_are_outputs_of_a_linear_system(units: Path) -> None:
    """y = 3 u + x^2 + u^2 x of the second at its state, by the input that its law gives it."""
    model, _ = both(units, "joint")
    found = mbsim.equilibrium(model)
    linear = mbsim.linearize(model, ["force:lift"], ["second.y", "second.u"], "equilibrium")
    u, x = found["second.u"], found["second.x"]
    by_x = np.array([name == "second.x" for name in linear.states], float)
    np.testing.assert_allclose(linear.C[0], (3 + 2 * u * x) * linear.C[1] + (2 * x + u * u) * by_x, rtol=0, atol=1e-9)
    assert np.abs(linear.C[1]).max() > 0.01


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_exported_controller_equals_the_one_built_in(fmi: int, units: Path) -> None:
    """Its torque is a measure, whose derivatives are differences: ten digits. What moves in the unit alone has zeros of its own."""
    model, wanted = arm(UNIT.replace("FILE", f"{units}/pid{fmi}.fmu")), arm(CONTINUOUS)
    found, known = mbsim.equilibrium(model), mbsim.equilibrium(wanted)
    assert found["motor.z"] == pytest.approx(known["motor.integral"], abs=1e-12)
    modes, known_modes = mbsim.modes(model), mbsim.modes(wanted)
    names = [name.replace("integral", "z") for name in known_modes.variables]
    places = [list(modes.variables).index(name) for name in names]
    np.testing.assert_allclose(modes.A[np.ix_(places, places)], known_modes.A, rtol=0, atol=1e-9)
    moving = sorted(modes.eigenvalues, key=abs)[-3:]
    np.testing.assert_allclose(np.sort_complex(moving), np.sort_complex(known_modes.eigenvalues), rtol=1e-9)


@pytest.mark.parametrize("command", ["equilibrium", "modes"])
def test_what_is_refused(command: str, units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "arm.yaml"
    unit = f"{{type: fmu, file: {units}/gain.fmu, inputs: {{u: arm.angle}}, outputs: [y], joint: shoulder}}"
    path.write_text(mechanisms.yaml.safe_dump(mechanisms.yaml.safe_load(ARM.replace("MOTOR", unit))))
    done = CliRunner().invoke(main, [command, str(path)])
    assert done.exit_code == 2, done.output
    assert "motor gives none (providesDirectionalDerivative)" in " ".join(done.output.split())
    with pytest.raises(mbsim.ModelError, match=r"an equilibrium needs units .type: fmu. that run"):
        mbsim.assemble(arm(UNIT.replace("FILE", f"{units}/pid2.fmu"), simulation={"end": 1, "start_from": "equilibrium"}))
    monkeypatch.delenv(VARIABLE)
    path.write_text(path.read_text().replace("gain.fmu", "pid2.fmu").replace("u: arm.angle", "angle: arm.angle").replace("- y", "- torque"))
    done = CliRunner().invoke(main, [command, str(path)])
    assert done.exit_code == 2, done.output
    assert f"{VARIABLE}=1" in done.output
