"""Units in memory: a thousand instances of both kinds without Python, and the libraries that they need."""

import shutil
import subprocess
from pathlib import Path

import mechanisms
import pytest
from exported import SAMPLED, SHOWN, cart, compiled, needs_compiler
from test_unit_events import eventful

from mbsim import export
from mbsim.programs.unit import unit_of

fmpy = pytest.importorskip("fmpy")
pytestmark = needs_compiler
INSTANCES = """
int main(void)
{
    for (int k = 0; k < 1000; k++) {
        fmi2Component a = fmi2Instantiate("a", fmi2ModelExchange, identity, "", NULL, 0, 0);
        fmi2Component b = fmi2Instantiate("b", fmi2CoSimulation, identity, "", NULL, 0, 0);
        fmi2EventInfo info;
        double x[STATES], rates[STATES], seed = 1.0, value;
        unsigned int push = 0, of = INPUTS;
        int event, ends;
        size_t size;
        fmi2FMUstate kept = NULL, again = NULL;
        if (a == NULL || b == NULL || fmi2Instantiate("c", fmi2CoSimulation, "another", "", NULL, 0, 0) != NULL) return 1;
        fmi2Component both[] = {a, b};
        for (int i = 0; i < 2; i++) {
            fmi2SetupExperiment(both[i], 0, 0.0, 0.0, 0, 0.0);
            fmi2EnterInitializationMode(both[i]);
            if (fmi2ExitInitializationMode(both[i]) != fmi2OK) return 2;
        }
        fmi2NewDiscreteStates(a, &info);
        fmi2EnterContinuousTimeMode(a);
        for (int i = 0; i < 5; i++) {
            fmi2GetContinuousStates(a, x, STATES);
            if (fmi2GetDerivatives(a, rates, STATES) != fmi2OK) return 3;
            for (int j = 0; j < STATES; j++) x[j] += 1e-3 * rates[j];
            fmi2SetTime(a, 1e-3 * (i + 1));
            fmi2SetContinuousStates(a, x, STATES);
            if (fmi2CompletedIntegratorStep(a, 1, &event, &ends) != fmi2OK) return 4;
            if (fmi2DoStep(b, 0.01 * i, 0.01, 1) != fmi2OK) return 5;
            if (fmi2GetDirectionalDerivative(a, &of, 1, &push, 1, &seed, &value) != fmi2OK) return 6;
        }
        for (int i = 0; i < 2; i++) {
            fmi2GetFMUstate(both[i], &kept);
            fmi2SerializedFMUstateSize(both[i], kept, &size);
            char *bytes = malloc(size);
            if (fmi2SerializeFMUstate(both[i], kept, bytes, size) != fmi2OK) return 7;
            if (fmi2DeSerializeFMUstate(both[i], bytes, size, &again) != fmi2OK) return 8;
            fmi2SetFMUstate(both[i], again);
            free(bytes);
            fmi2FreeFMUstate(both[i], &kept);
            fmi2FreeFMUstate(both[i], &again);
            fmi2Reset(both[i]);
            fmi2FreeInstance(both[i]);
        }
    }
    return 0;
}
"""


WITH_EVENTS = """
int main(void)
{
    for (int k = 0; k < 200; k++) {
        fmi2Component a = fmi2Instantiate("a", fmi2ModelExchange, identity, "", NULL, 0, 0);
        fmi2Component b = fmi2Instantiate("b", fmi2CoSimulation, identity, "", NULL, 0, 0);
        fmi2Component both[] = {a, b};
        fmi2EventInfo info;
        fmi2FMUstate kept = NULL;
        double x[STATES], rates[STATES], z[EVENT_COUNT], before[EVENT_COUNT], force = 0.1 * k;
        unsigned int push = 0;
        int event, ends;
        for (int i = 0; i < 2; i++) {
            fmi2SetupExperiment(both[i], 0, 0.0, 0.0, 0, 0.0);
            fmi2EnterInitializationMode(both[i]);
            fmi2SetReal(both[i], &push, 1, &force);
            if (fmi2ExitInitializationMode(both[i]) != fmi2OK) return 1;
        }
        fmi2NewDiscreteStates(a, &info);
        fmi2EnterContinuousTimeMode(a);
        fmi2GetEventIndicators(a, before, EVENT_COUNT);
        for (int i = 0; i < 100; i++) {
            fmi2GetContinuousStates(a, x, STATES);
            if (fmi2GetDerivatives(a, rates, STATES) != fmi2OK) return 2;
            for (int j = 0; j < STATES; j++) x[j] += 5e-3 * rates[j];
            fmi2SetTime(a, 5e-3 * (i + 1));
            fmi2SetContinuousStates(a, x, STATES);
            if (fmi2CompletedIntegratorStep(a, 1, &event, &ends) != fmi2OK) return 3;
            if (fmi2GetEventIndicators(a, z, EVENT_COUNT) != fmi2OK) return 4;
            for (int j = 0; j < EVENT_COUNT; j++) event |= (z[j] > 0.0) != (before[j] > 0.0);
            if (event) {
                fmi2EnterEventMode(a);
                if (fmi2NewDiscreteStates(a, &info) != fmi2OK) return 5;
                fmi2EnterContinuousTimeMode(a);
            }
            fmi2GetEventIndicators(a, before, EVENT_COUNT);
            force += 0.01;
            fmi2SetReal(b, &push, 1, &force);
            if (fmi2DoStep(b, 0.01 * i, 0.01, 1) != fmi2OK) return 6;
        }
        for (int i = 0; i < 2; i++) {
            int64_t happened = 0;
            for (int j = 0; j < EVENT_COUNT; j++) happened += ((struct Instance *)both[i])->unit->words[COUNTS + j];
            if (happened == 0) return 7;
            fmi2GetFMUstate(both[i], &kept);
            fmi2Reset(both[i]);
            fmi2SetFMUstate(both[i], kept);
            fmi2FreeFMUstate(both[i], &kept);
            fmi2FreeInstance(both[i]);
        }
    }
    return 0;
}
"""


SANITIZED = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind on this machine")


@pytest.mark.slow
@pytest.mark.parametrize("events", [False, True], ids=["without events", "with events"])
@pytest.mark.parametrize(
    ("flags", "under"),
    [(SANITIZED, []), pytest.param(["-O2"], ["valgrind", "--error-exitcode=9", "--leak-check=full"], marks=needs_valgrind)],
    ids=["sanitizers", "valgrind"],
)
def test_a_thousand_instances_leave_nothing_behind(flags: list[str], under: list[str], events: bool, tmp_path: Path) -> None:
    """Nothing is read or written outside, nothing leaks, without Python: both kinds, states and derivatives, events."""
    text = eventful() if events else cart()
    text["controllers"] = SAMPLED
    shown = SHOWN[:2] if events else SHOWN
    unit = unit_of(mechanisms.model(text), ["push"], shown, kind="both", method="lagrange", integrator="rk4")
    compiled(unit, 2, tmp_path, "-g", *flags, "-o", "unit", more=WITH_EVENTS if events else INSTANCES)
    subprocess.run([*under, tmp_path / "unit"], check=True, timeout=300)


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_unit_of_both_kinds_needs_the_c_library_alone(fmi: int, tmp_path: Path) -> None:
    export(mechanisms.model(cart()), tmp_path / "cart.fmu", ["push"], SHOWN, kind="both", fmi=fmi, method="lagrange", native=True)
    library = next(Path(fmpy.extract(str(tmp_path / "cart.fmu"), str(tmp_path / "it"))).glob("binaries/*/*"))
    needed = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    assert {line.split("[")[1].partition(".")[0] for line in needed.splitlines() if "(NEEDED)" in line} <= {"libm", "libc"}
    shown = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    assert all(line.split()[-1].startswith(f"fmi{fmi}") for line in shown.splitlines())
