"""The relative tolerance of a run is told to its units, of both versions and both kinds."""

import shutil
import subprocess
from pathlib import Path

import mechanisms
import numpy as np
import pytest
from simulation.test_fmu_controllers import ARM, archive

import mbsim
from mbsim.model.file.fmu import binary_folder
from mbsim.system.native import VARIABLE

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C on this machine")
NONE = -1.0  # what the unit shows where it is told of no tolerance

HEARS = r"""
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int again, ends, nominals, values, rings; double next; } Info;
typedef struct { double told; } Unit;
static int hear(Unit *u, int defined, double x) { u->told = defined ? x : -1.0; return 0; }
void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const void *c, int v, int l) { return calloc(1, sizeof(Unit)); }
void *fmi3InstantiateModelExchange(const char *n, const char *g, const char *r, bool v, bool l, void *e, void *m)
{ return calloc(1, sizeof(Unit)); }
void *fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, bool v, bool l, bool w, bool a, const unsigned *i, size_t k,
                                  void *e, void *m, void *s)
{ return calloc(1, sizeof(Unit)); }
int fmi2SetupExperiment(Unit *u, int d, double x, double t, int e, double s) { return hear(u, d, x); }
int fmi2EnterInitializationMode(Unit *u) { return 0; }
int fmi3EnterInitializationMode(Unit *u, bool d, double x, double t, bool e, double s) { return hear(u, d, x); }
int fmi2NewDiscreteStates(Unit *u, Info *said) { memset(said, 0, sizeof *said); return 0; }
int fmi3UpdateDiscreteStates(Unit *u, bool *a, bool *b, bool *c, bool *d, bool *e, double *t)
{ *a = *b = *c = *d = *e = false; return 0; }
int fmi2GetReal(Unit *u, const unsigned *r, size_t n, double *x) { for (size_t i = 0; i < n; i++) x[i] = u->told; return 0; }
int fmi3GetFloat64(Unit *u, const unsigned *r, size_t n, double *x, size_t m) { return fmi2GetReal(u, r, n, x); }
int fmi2DoStep(Unit *u, double t, double h, int k) { return 0; }
int fmi3DoStep(Unit *u, double t, double h, bool k, bool *e, bool *s, bool *y, double *l) { *e = *s = *y = false; return 0; }
#define BOTH(name, ...) int fmi2##name(__VA_ARGS__) { return 0; } int fmi3##name(__VA_ARGS__) { return 0; }
BOTH(ExitInitializationMode, Unit *u)
BOTH(EnterEventMode, Unit *u)
BOTH(EnterContinuousTimeMode, Unit *u)
BOTH(SetTime, Unit *u, double t)
BOTH(SetContinuousStates, Unit *u, const double *x, size_t n)
BOTH(GetContinuousStates, Unit *u, double *x, size_t n)
BOTH(GetEventIndicators, Unit *u, double *x, size_t n)
BOTH(CompletedIntegratorStep, Unit *u, int k, void *e, void *s)
int fmi2GetDerivatives(Unit *u, double *x, size_t n) { return 0; }
int fmi3GetContinuousStateDerivatives(Unit *u, double *x, size_t n) { return 0; }
int fmi2SetReal(Unit *u, const unsigned *r, size_t n, const double *x) { return 0; }
int fmi3SetFloat64(Unit *u, const unsigned *r, size_t n, const double *x, size_t m) { return 0; }
void fmi2FreeInstance(Unit *u) { free(u); }
void fmi3FreeInstance(Unit *u) { free(u); }
"""
SAID = {
    2: """<fmiModelDescription fmiVersion="2.0" modelName="hears" guid="hears"><KIND modelIdentifier="hears"/>
<ModelVariables><ScalarVariable name="told" valueReference="0" causality="output"><Real/></ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="1" dependencies=""/></Outputs></ModelStructure></fmiModelDescription>""",
    3: """<fmiModelDescription fmiVersion="3.0" modelName="hears" instantiationToken="hears"><KIND modelIdentifier="hears"/>
<ModelVariables><Float64 name="told" valueReference="0" causality="output"/></ModelVariables>
<ModelStructure><Output valueReference="0" dependencies=""/></ModelStructure></fmiModelDescription>""",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("hears")
    (folder / "hears.c").write_text(HEARS)
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", "hears.so", "hears.c"], cwd=folder, check=True)
    return (folder / "hears.so").read_bytes()


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
@pytest.mark.parametrize("fmi", [2, 3])
def test_units_hear_the_tolerance_of_a_run(fmi: int, kind: str, library: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal steps have none."""
    monkeypatch.setenv(VARIABLE, "1")
    archive(tmp_path / "hears.fmu", SAID[fmi].replace("KIND", kind), {f"binaries/{binary_folder(fmi)}/hears.so": library})
    sample = ", sample: 0.01" if kind == "CoSimulation" else ""
    model = mechanisms.model(ARM.replace("MOTOR", f"{{type: fmu, file: {tmp_path}/hears.fmu, outputs: [told]{sample}}}"))
    for settings, told in (
        ({"rtol": 1e-7, "atol": 1e-9}, 1e-7), ({"integrator": "rk4", "step": 0.01}, NONE), ({"integrator": "lsoda", "rtol": 1e-5}, 1e-5),
    ):  # fmt: skip
        found = mbsim.simulate(model, end=0.05, **settings)
        np.testing.assert_array_equal(found["motor.told"], told)
