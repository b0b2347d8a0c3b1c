"""Models as libraries of C: the numbers of a run, without Python; inputs; states; what the files are."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import exported
import mechanisms
import numpy as np
import pytest
from exported import CART, needs_compiler

import mbsim
from mbsim import export
from mbsim.programs.outputs import NotExportedError

pytestmark = needs_compiler
SHIPPED = [
    "four_bar",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("slider_crank", "space_robot", "rolling_disk", "whipple_bicycle")),
]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_program_without_python_gives_the_numbers_of_a_run(name: str, tmp_path: Path) -> None:
    path = mechanisms.MODELS / f"{name}.yaml"
    result = mbsim.simulate(path)
    found = exported.table(exported.program(tmp_path, path, native=True))
    np.testing.assert_array_equal(found["time"], result.time)
    for k, coordinate in enumerate(result.labels("coordinate")):
        np.testing.assert_allclose(found[coordinate], result["q"][:, k], rtol=1e-12, atol=1e-12)
    for k, speed in enumerate(result.labels("speed")):
        np.testing.assert_allclose(found[speed], result["v"][:, k], rtol=1e-12, atol=1e-12)


DRILL = """
bodies: {spindle: {mass: 2, inertia: [0.01, 0.01, 0.001]}}
joints: {sleeve: {type: cylindrical, bodies: [ground, spindle], at: [0, 0, 0], axis: [0, 0, 1]}}
drivers:
  turn: {joint: sleeve, coordinate: angle, speed: "SPEED"}
  feed: {coordinate: der(spindle.z), value: FEED}
simulation: {end: 0.3, step: 1e-3, output_step: 0.01, integrator: rk4}
"""


@pytest.mark.parametrize(("speed", "feed"), [("100", -0.01), ("step(t, 0.1, 0, 0.1001, 500)", 100.0)])
def test_a_body_that_turns_far_is_no_singular_position(speed: str, feed: float, tmp_path: Path) -> None:
    """Its rows turn by 60 degrees before the orientation is due: a run asks Python whether they became dependent, and a unit stopped.

    Before the second look no rate is known; where it begins to turn later, the rows were constant until then.
    """
    model = mechanisms.model(DRILL.replace("SPEED", speed).replace("FEED", str(feed)))
    result, found = mbsim.simulate(model), exported.table(exported.program(tmp_path, model, native=True))
    assert len(found["time"]) == len(result["q"])
    np.testing.assert_allclose(found["spindle.z"], feed * np.asarray(result.time), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["spindle.omega.z"][-1], result["v"][-1, 5], rtol=1e-12)


def test_a_program_needs_the_c_library_alone(tmp_path: Path) -> None:
    program = exported.program(tmp_path, mechanisms.model(CART))
    needed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    libraries = {line.split()[0].rpartition("/")[2].partition(".")[0] for line in needed.splitlines()}
    assert libraries <= {"linux-vdso", "libm", "libc", "ld-linux-x86-64", "ld-linux-aarch64"}
    asked = subprocess.run(["nm", "-u", tmp_path / "libunit_kernels.a"], check=True, capture_output=True, text=True).stdout
    foreign = {line.split()[1] for line in asked.splitlines() if line.strip().startswith("U ") and "mbsim_" not in line}
    assert foreign <= {"memset", "memcpy", "memmove", "pow", "sincos", "sin", "cos", "atan2", "ceil", "floor", "exp", "log", "rint"}


class Library:
    """The functions of a unit, loaded by ctypes."""

    def __init__(self, folder: Path, source: Any, **given: Any) -> None:
        export(source, folder / "unit.c", **given)
        files = ["unit.c", "-Wl,--whole-archive", "libunit_kernels.a", "-Wl,--no-whole-archive", "-lm"]
        subprocess.run(
            ["cc", "-std=c99", "-O2", "-fPIC", "-fno-strict-aliasing", "-shared", "-o", "unit.so", *files], cwd=folder, check=True
        )
        self.c = ctypes.CDLL(str(folder / "unit.so"))
        self.c.unit_create.restype = ctypes.c_void_p
        self.c.unit_message.restype = ctypes.c_char_p
        self.c.unit_state_size.restype = ctypes.c_size_t
        for name in ("output", "time", "get"):
            getattr(self.c, f"unit_{name}").restype = ctypes.c_double

    def create(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.c.unit_create())

    def step(self, unit: ctypes.c_void_p, h: float) -> int:
        return int(self.c.unit_step(unit, ctypes.c_double(h)))

    def set(self, unit: ctypes.c_void_p, index: int, value: float) -> int:
        return int(self.c.unit_set(unit, index, ctypes.c_double(value)))

    def outputs(self, unit: ctypes.c_void_p, count: int) -> list[float]:
        return [self.c.unit_output(unit, i) for i in range(count)]


def test_inputs_and_states(tmp_path: Path) -> None:
    """The numbers of a stepper with the same inputs; a state that is restored goes on with the same bits, also in another instance."""
    library = Library(
        tmp_path, mechanisms.model(CART), inputs=["push"], outputs=["cart.x", "pole.angle", "der(cart.x)", "given"], native=True
    )
    c, unit = library.c, library.create()
    stepper = mbsim.Stepper(mechanisms.model(CART), ["push"])
    random = np.random.default_rng(3)
    kept = ctypes.create_string_buffer(c.unit_state_size())
    after: list[list[float]] = []
    forces = random.normal(size=60)
    for k, force in enumerate(forces):
        if k == 30:
            c.unit_save(unit, kept)
        assert library.set(unit, 0, force) == 0 and library.step(unit, 0.01) == 0
        stepper.step(0.01, push=float(force))
        found = library.outputs(unit, 4)
        assert found[:3] == [stepper[name] for name in ("cart.x", "pole.angle", "der(cart.x)")]
        assert found[3] == force == c.unit_get(unit, 0) and c.unit_time(unit) == stepper.time
        after += [found] if k >= 30 else []
    other = library.create()
    for again in (unit, other):
        assert c.unit_restore(again, kept) == 0
        for k, force in enumerate(forces[30:]):
            assert library.set(again, 0, force) == 0 and library.step(again, 0.01) == 0
            assert library.outputs(again, 4) == after[k]
    c.unit_reset(other)
    assert c.unit_time(other) == 0.0 and c.unit_get(other, 0) == 0.0
    assert library.step(other, -1.0) == -1 and b"greater than 0" in c.unit_message(other)
    assert library.set(other, 7, 1.0) == -1 and library.set(other, 0, float("nan")) == -1
    assert c.unit_restore(other, ctypes.create_string_buffer(c.unit_state_size())) == -1
    for each in (unit, other):
        c.unit_free(each)


SAMPLED = {"controllers": {"lead": {"type": "pid", "joint": "rail", "target": "0.1*sin(3*t)", "kp": 40, "kd": 8, "ki": 5, "sample": 0.01}}}
FURTHER: list[dict[str, Any]] = [
    {"method": "generalized_alpha"},
    {"method": "lagrange", "integrator": "dop853", "rtol": 1e-8},
    {"method": "lagrange", "integrator": "predictor_corrector"},
    {"method": "lagrange", "integrator": "rk4", "sampled": True},
]


@pytest.mark.parametrize("settings", FURTHER, ids=lambda settings: "-".join(map(str, settings.values())))
def test_every_march_gives_the_bits_of_a_stepper(settings: dict[str, Any], tmp_path: Path) -> None:
    """Steps of unequal size, and inputs that jump; also where samples end parts of a step."""
    text = mechanisms.yaml.safe_load(CART)
    del text["simulation"]["method"], text["simulation"]["integrator"]
    how = {name: value for name, value in settings.items() if name != "sampled"}
    if "sampled" in settings:
        text |= SAMPLED
    if "rtol" in settings:
        del text["simulation"]["step"]
    names = ["cart.x", "pole.angle", "der(cart.x)"]
    library = Library(tmp_path, mechanisms.model(text), inputs=["push"], outputs=names, native=True, **how)
    unit, stepper, random = library.create(), mbsim.Stepper(mechanisms.model(text), ["push"], **how), np.random.default_rng(5)
    for k in range(60):
        h, force = 0.01 if k < 20 else random.uniform(0.001, 0.02), 0.0 if k < 20 else random.normal()
        assert library.set(unit, 0, force) == 0 and library.step(unit, h) == 0
        stepper.step(h, push=force)
        assert library.outputs(unit, 3) == [stepper[name] for name in names]
    library.c.unit_free(unit)


SHARED = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def test_a_shared_library_is_compiled_at_once(tmp_path: Path) -> None:
    """Its header and the example beside it; rows are those of the other library; names of kernels do not leave it."""
    wanted = exported.table(exported.program(tmp_path, mechanisms.model(CART)))
    folder = tmp_path / "shared"
    folder.mkdir()
    files = export(mechanisms.model(CART), folder / f"cart{SHARED}")
    assert files == [folder / f"cart{SHARED}", folder / "cart.h", folder / "cart_main.c"] and sorted(files) == sorted(folder.iterdir())
    subprocess.run(["cc", "-std=c99", "-o", "cart", "cart_main.c", str(files[0]), "-lm"], cwd=folder, check=True)
    found = exported.table(folder / "cart")
    for name, values in wanted.items():
        np.testing.assert_array_equal(found[name], values)
    given = subprocess.run(["nm", "-D", "--defined-only", files[0]], check=True, capture_output=True, text=True).stdout
    assert given and all(line.split()[2].startswith("cart_") for line in given.splitlines())


def test_a_shared_library_is_of_this_machine_and_takes_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = ".dll" if SHARED != ".dll" else ".so"
    with pytest.raises(NotExportedError, match=f"a shared library of this machine ends with \\{SHARED}"):
        export(mechanisms.model(CART), tmp_path / f"cart{foreign}")
    with pytest.raises(NotExportedError, match=r"plain: of \.c files"):
        export(mechanisms.model(CART), tmp_path / f"cart{SHARED}", plain=True)
    monkeypatch.setattr("mbsim.programs.link.shutil.which", lambda name: None)
    monkeypatch.setattr("mbsim.programs.link.find_spec", lambda name: None)
    with pytest.raises(NotExportedError, match="a shared library takes a compiler of C, and there is none: install gcc"):
        export(mechanisms.model(CART), tmp_path / f"cart{SHARED}")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_memory_is_sound(tmp_path: Path) -> None:
    """Under the address sanitizer and that of undefined behaviour: nothing is read or written outside, nothing leaks."""
    program = exported.program(tmp_path, mechanisms.model(CART), "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    assert len(exported.table(program)["time"]) == 51


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no compiler of C++ on this machine")
@pytest.mark.parametrize("compiler", [["cc", "-std=c99"], ["c++", "-std=c++17"]], ids=["c", "c++"])
def test_all_of_it_compiles_as_c_and_as_cpp(compiler: list[str], tmp_path: Path) -> None:
    """With what compilers warn of; the rows are those of the example in C."""
    wanted = exported.table(exported.program(tmp_path, mechanisms.model(CART)))
    warned = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fno-strict-aliasing"]
    language = ["-x", "c++"] if compiler[0] == "c++" else []
    for name in ("unit", "unit_main"):
        subprocess.run([*compiler, *warned, *language, "-c", f"{name}.c", "-o", f"{name}.o"], cwd=tmp_path, check=True)
    subprocess.run([compiler[0], "-o", "other", "unit.o", "unit_main.o", "libunit_kernels.a", "-lm"], cwd=tmp_path, check=True)
    found = exported.table(tmp_path / "other")
    for name, values in wanted.items():
        np.testing.assert_array_equal(found[name], values)
