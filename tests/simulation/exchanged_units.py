"""Units for model exchange, and models with them, of several tests."""

import subprocess
from pathlib import Path
from typing import Any

import mechanisms
from simulation.test_fmu_controllers import ARM, LIBRARY, PID, archive

import mbsim

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


def make(folder: Path) -> Path:
    """Fill a folder with units for model exchange: of mbsim's own, and one of 60 lines of C."""
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


def arm(motor: str, **changed: Any) -> Any:
    return mechanisms.model(mechanisms.yaml.safe_load(ARM.replace("MOTOR", motor)) | changed)


def with_tanks(units: Path, **controllers: dict[str, Any]) -> dict[str, Any]:
    """An arm with tanks that do not act on it."""
    text: dict[str, Any] = mechanisms.yaml.safe_load(ARM.replace("MOTOR", "{}"))
    own = {name: {"type": "fmu", "file": f"{units}/tank.fmu", **block} for name, block in controllers.items()}
    return text | {"controllers": own}
