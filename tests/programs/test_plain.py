"""Models as plain C: the numbers of the ordinary library, inputs, what is refused, and what the files need."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import exported
import mechanisms
import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from exported import CART, WARNED, needs_compiler

import mbsim
from mbsim import export
from mbsim.cli import main
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.straight_text import number_text

pytestmark = needs_compiler
# Own coordinates, loops by a basis that is held, drivers, rolling, quaternions, trees, rows that come near each other.
MODELS = [
    "double_pendulum", "four_bar", "slider_crank", "rolling_disk", "chrono_universal", "heavy_top", "planetary_gear", "space_robot",
    "quick_return_delft",
]  # fmt: skip
PLAIN_INPUTS = {"outputs": ["cart.x", "pole.angle", "der(pole.angle)", "multiplier.rail[0]", "given", "energy_work"], "inputs": ["push"]}


def built(folder: Path, source: Any, *flags: str, **given: Any) -> Path:
    """Export a model as plain C and compile the example. Warnings of the compiler are errors."""
    folder.mkdir(exist_ok=True)
    files = export(source, folder / "unit.c", plain=True, **given)
    assert [path.name for path in files] == ["unit.c", "unit.h", "unit_main.c"]
    done = subprocess.run(
        ["cc", *WARNED, *flags, "-o", "unit", "unit.c", "unit_main.c", "-lm"], cwd=folder, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder / "unit"


@pytest.mark.parametrize("name", MODELS)
def test_plain_c_gives_the_numbers_of_the_library(name: str, tmp_path: Path) -> None:
    """A second, or the whole run where that is shorter; each number to 1e-12 of its largest value, or of 1."""
    path = mechanisms.MODELS / f"{name}.yaml"
    given = {"integrator": "rk4", "end": min(1.0, mbsim.load_model(path).simulation.end)}
    require_alike(path, tmp_path, **given)


def test_plain_c_looks_tables_up(tmp_path: Path) -> None:
    """The cam without its spring, which chooses by a comparison; it goes through all pieces of its table in 0.2 s."""
    text = yaml.safe_load((mechanisms.MODELS / "cam_follower.yaml").read_text())
    for name in ("forces", "measures", "reference"):
        del text[name]
    text["tables"]["lift"]["file"] = str(mechanisms.MODELS / "cam_lift.csv")
    require_alike(text, tmp_path, integrator="rk4", end=0.21, outputs=["follower.y", "der(follower.y)", "multiplier.contact"])


def require_alike(source: Any, tmp_path: Path, **given: Any) -> None:
    """Each number of plain C is that of the library to 1e-12 of its largest value, or of 1."""
    plain = exported.table(built(tmp_path / "plain", source, **given))
    (tmp_path / "other").mkdir()
    other = exported.table(exported.program(tmp_path / "other", source, native=True, **given))
    assert list(plain) == list(other) and len(plain["time"]) == len(other["time"]) > 50
    for column, wanted in other.items():
        assert np.abs(plain[column] - wanted).max() <= 1e-12 * max(1.0, float(np.abs(wanted).max())), column


@pytest.mark.parametrize("method", ["lagrange", "nullspace", "cfa", "svd"])
def test_methods_are_corrected_as_in_the_library(method: str, tmp_path: Path) -> None:
    """With steps that are long enough for positions and speeds to be corrected, and for bases to be renewed."""
    given = {"integrator": "rk4", "method": method, "drift": "full", "step": 1.5e-3, "output_step": 0.012, "end": 0.6}
    path = mechanisms.MODELS / "four_bar.yaml"
    plain = exported.table(built(tmp_path / "plain", path, **given))
    (tmp_path / "other").mkdir()
    for column, wanted in exported.table(exported.program(tmp_path / "other", path, native=True, **given)).items():
        assert np.abs(plain[column] - wanted).max() <= 1e-11 * max(1.0, float(np.abs(wanted).max())), column


class Shared:
    """The functions of a unit, loaded by ctypes."""

    def __init__(self, folder: Path, source: Any, **given: Any) -> None:
        export(source, folder / "unit.c", plain=True, **given)
        subprocess.run(["cc", "-std=c99", "-O2", "-fPIC", "-shared", "-o", "unit.so", "unit.c", "-lm"], cwd=folder, check=True)
        self.c = ctypes.CDLL(str(folder / "unit.so"))
        self.c.unit_message.restype = ctypes.c_char_p
        for name in ("output", "time", "get"):
            getattr(self.c, f"unit_{name}").restype = ctypes.c_double
        text = (folder / "unit.h").read_text()
        slots = int(text.partition("double s[")[2].partition("]")[0])
        self.size = 8 * (slots + 3) + 64
        self.outputs = len(PLAIN_INPUTS["outputs"])

    def begin(self) -> Any:
        memory = ctypes.create_string_buffer(self.size)
        self.c.unit_reset(memory)
        return memory

    def step(self, memory: Any, h: float) -> int:
        return int(self.c.unit_step(memory, ctypes.c_double(h)))

    def shown(self, memory: Any) -> list[float]:
        return [float(self.c.unit_output(memory, k)) for k in range(self.outputs)]


def test_inputs_hold_and_copies_go_on_alike(tmp_path: Path) -> None:
    """The numbers are those of a Stepper with the same inputs."""
    model = mechanisms.model(CART)
    unit, stepper = Shared(tmp_path, model, **PLAIN_INPUTS), mbsim.Stepper(model, inputs=["push"])
    one = unit.begin()
    for k in range(20):
        push = 3.0 * np.sin(k)
        assert unit.c.unit_set(one, 0, ctypes.c_double(push)) == 0 and unit.c.unit_get(one, 0) == push
        assert unit.shown(one)[4] == push
        stepper.step(0.02, push=push)
        assert unit.step(one, 0.02) == 0
        wanted = [stepper["cart.x"], stepper["pole.angle"], stepper["der(pole.angle)"]]
        np.testing.assert_allclose(unit.shown(one)[:3], wanted, rtol=1e-12, atol=1e-13)
    copy = ctypes.create_string_buffer(bytes(one), unit.size)
    for memory in (one, copy):
        assert unit.step(memory, 0.1) == 0
    assert unit.shown(one) == unit.shown(copy) and unit.c.unit_time(one) == unit.c.unit_time(copy)


def test_what_is_no_step_and_no_input_is_said(tmp_path: Path) -> None:
    unit = Shared(tmp_path, mechanisms.model(CART), **PLAIN_INPUTS)
    one = unit.begin()
    assert unit.step(one, -1.0) == -1 and b"greater than 0" in unit.c.unit_message(one)
    assert unit.step(one, float("nan")) == -1 and unit.step(one, 1e300) == -1
    assert unit.c.unit_set(one, 1, ctypes.c_double(0.0)) == -1 and b"no such input" in unit.c.unit_message(one)
    assert unit.c.unit_set(one, 0, ctypes.c_double(float("inf"))) == -1 and b"finite" in unit.c.unit_message(one)
    assert np.isnan(unit.c.unit_output(one, 99)) and np.isnan(unit.c.unit_get(one, 1))
    before = unit.shown(one)
    assert unit.c.unit_set(one, 0, ctypes.c_double(1e300)) == 0
    assert unit.step(one, 1.0) == -1 and b"unbounded" in unit.c.unit_message(one) and unit.c.unit_time(one) == 0.0
    assert unit.c.unit_set(one, 0, ctypes.c_double(0.0)) == 0 and unit.shown(one) == before and unit.step(one, 0.02) == 0


def test_a_run_stops_before_rows_meet(tmp_path: Path) -> None:
    """Coupled four-bars come to a place where all rods lie on one line, and the method holds the rank."""
    path = built(tmp_path, mechanisms.MODELS / "n_four_bar_2.yaml", integrator="rk4")
    done = subprocess.run([path], check=False, capture_output=True, text=True)
    assert done.returncode == 1 and "near a singular position" in done.stderr
    assert len(done.stdout.splitlines()) > 50 and "nan" not in done.stdout


def test_no_memory_is_allocated_and_c_plus_plus_takes_it(tmp_path: Path) -> None:
    export(mechanisms.MODELS / "four_bar.yaml", tmp_path / "unit.c", plain=True, integrator="rk4")
    subprocess.run(["cc", *WARNED, "-c", "unit.c"], cwd=tmp_path, check=True)
    asked = subprocess.run(["nm", "-u", "unit.o"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert {line.split()[-1] for line in asked.splitlines()} <= {"ceil", "floor", "rint", "sqrt", "pow", "memcpy", "memset", "memmove"}
    subprocess.run(["cc", "-x", "c++", "-Wall", "-Werror", "-c", "unit.c", "-o", "unit_cpp.o"], cwd=tmp_path, check=True)


LAWS = [
    ({"forces": {"push": {"type": "force", "body": "cart", "value": ["if_else(cart.x > 0, push, 0)", 0]}}}, {}, "chooses by a comparison"),
    ({}, {"integrator": "dop853"}, "steps of equal size: name rk4"),
    ({}, {"method": "generalized_alpha", "step": 1e-3}, "no code for the implicit steps of generalized_alpha"),
    ({}, {"outputs": ["joint_force:pin"]}, "plain C shows coordinates"),
    ({}, {"method": "baumgarte", "integrator": "rk4"}, "has no straight-line equations"),
    (
        {"drivers": {"motor": {"joint": "pin", "angle": "push*t"}}, "forces": {}},
        {"inputs": ["push"]},
        "'push' moves a constraint",
    ),
    *(
        ({"joints": {**exported.cart()["joints"], "rail_too": {**exported.cart()["joints"]["rail"], "at": [0.3, 0]}}}, given, message)
        for given, message in (
            ({"method": "svd", "integrator": "rk4"}, "rows of constraints depend on each other at the start"),
            ({"method": "lagrange", "integrator": "rk4"}, "rows of constraints depend on each other"),
        )
    ),
]


@pytest.mark.parametrize(("changed", "given", "message"), LAWS, ids=[message for _, _, message in LAWS])
def test_what_plain_c_cannot_have(changed: dict[str, Any], given: dict[str, Any], message: str, tmp_path: Path) -> None:
    text = exported.cart()
    del text["measures"]
    with pytest.raises(NotExportedError, match=r"plain C.*leave --plain out|plain C.*settings") as found:
        export({**text, **changed}, tmp_path / "unit.c", plain=True, **{"outputs": ["cart.x"], **given})
    assert message in str(found.value) and not list(tmp_path.iterdir())


def test_the_command_writes_plain_c(tmp_path: Path) -> None:
    runner, model, out = CliRunner(), str(mechanisms.MODELS / "double_pendulum.yaml"), str(tmp_path / "dp.c")
    done = runner.invoke(main, ["export", model, "-o", out, "--plain", "--integrator", "rk4"])
    assert done.exit_code == 0 and done.stdout.split() == [out, out[:-1] + "h", out[:-2] + "_main.c"]
    assert runner.invoke(main, ["export", model, "-o", out[:-1] + "fmu", "--plain"]).exit_code == 2
    assert runner.invoke(main, ["export", model, "-o", out, "--plain", "--native", "--force"]).exit_code == 2
    assert runner.invoke(main, ["export", model, "-o", out, "--plain", "--integrator", "rk4"]).exit_code == 0  # over its own


@pytest.mark.parametrize("value", [0.1, -0.1, 1e-320, 1e300, -0.0, 3.0, float("inf"), -float("inf"), float("nan")])
def test_numbers_in_c_are_the_same_bits(value: float) -> None:
    text = number_text(value).strip("()")
    assert text.lstrip("-") in ("INFINITY", "NAN") or np.float64(text).tobytes() == np.float64(value).tobytes()


MANY = """
#include <cstdio>
#include "unit.c"
#include "other.c" /* names inside the files do not meet, and macros end with them */
template <typename T> static T check(T Q) { return Q; }
#ifdef CPU /* a thread of CUDA by another, one after the other */
static struct { int x; } blockIdx, blockDim, threadIdx;
#define __global__
#endif
__global__ void march(unit_unit *units, int count, int steps, double h)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) {
        unit_set(&units[k], 0, 0.1 * k);
        for (int i = 0; i < steps && unit_step(&units[k], h) == 0; i++) {}
    }
}
int main()
{
    static unit_unit units[12];
    for (int k = 0; k < 12; k++) unit_reset(check(&units[k]));
#ifdef CPU
    blockDim.x = 4;
    for (blockIdx.x = 2; blockIdx.x >= 0; blockIdx.x--)
        for (threadIdx.x = 0; threadIdx.x < 4; threadIdx.x++) march(units, 12, 50, 0.02);
    for (int k = 0; k < 12; k++) {
        unit_unit *one = check(&units[k]);
        std::printf("%.17g %.17g %.17g\\n", unit_time(one), unit_output(one, 0), unit_output(one, 1));
    }
#endif
    return 0;
}
"""


def test_threads_of_cuda_take_the_steps_of_a_stepper_on_the_processor(tmp_path: Path) -> None:
    """The source that CUDA would compile, as C++ with a loop in place of threads."""
    model = mechanisms.model(CART)
    export(model, tmp_path / "unit.c", plain=True, **PLAIN_INPUTS)
    export(mechanisms.MODELS / "double_pendulum.yaml", tmp_path / "other.c", plain=True, integrator="rk4")
    (tmp_path / "many.cpp").write_text(MANY)
    flags = ["-x", "c++", "-O2", "-Wall", "-Werror", "-DCPU", "-D__CUDACC__", "-D__host__=", "-D__device__="]
    subprocess.run(["cc", *flags, "-o", "many", "many.cpp", "-lm"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "many"], check=True, capture_output=True, text=True)
    stepper = mbsim.Stepper(model, inputs=["push"])
    for k, line in enumerate(done.stdout.splitlines()):
        stepper.reset()
        for _ in range(50):
            stepper.step(0.02, push=0.1 * k)
        wanted = [1.0, stepper["cart.x"], stepper["pole.angle"]]
        np.testing.assert_allclose([float(x) for x in line.split()], wanted, rtol=1e-12, atol=1e-13)
    assert k == 11


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no compiler of CUDA on this machine")
def test_the_compiler_of_cuda_takes_plain_c(tmp_path: Path) -> None:
    export(mechanisms.model(CART), tmp_path / "unit.c", plain=True, **PLAIN_INPUTS)
    export(mechanisms.MODELS / "double_pendulum.yaml", tmp_path / "other.c", plain=True, integrator="rk4")
    (tmp_path / "many.cu").write_text(MANY)
    subprocess.run(["nvcc", "-Werror", "all-warnings", "-ptx", "many.cu", "-o", "many.ptx"], cwd=tmp_path, check=True)
    assert ".entry" in (tmp_path / "many.ptx").read_text()
