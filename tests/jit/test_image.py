"""Machine code that is kept as a file and run without Numba: the same numbers, and what happens to files that are not whole."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim import jit
from mbsim.jit import kernels
from mbsim.jit.fastload import code, image

pytestmark = pytest.mark.skipif(not (jit.COMPILES and image.SUPPORTED), reason="images are for compiled code on Linux on x86-64")

RUN = """
import json, sys
import mbsim
out = []
for model, method, integrator in json.load(sys.stdin):
    result = mbsim.simulate(mbsim.load_model(model), method=method, integrator=integrator, end=0.05)
    out.append([result["q"].tolist(), result["acceleration"].tolist()])
print(json.dumps([out, sorted({name.partition(".")[0] for name in sys.modules} & {"numba", "llvmlite"})]))
"""
CASES = [
    ("pendulum_dae", "lagrange", "rk4"), ("four_bar", "cfa", "dop853"), ("spatial_slider_crank", "lagrange", "rk45"),
    ("planetary_gear", "riemann", "rk4"), ("rolling_disk", "svd", "bdf"), ("space_robot", "aba", "rk4"),
]  # fmt: skip
ASKED = [(str(mechanisms.MODELS / f"{name}.yaml"), *rest) for name, *rest in CASES]


def process(code: str = RUN, stdin: str = json.dumps(ASKED), **environment: str) -> str:
    path = os.pathsep.join([str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": path} | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def loaded() -> Any:
    """From images, in a process that finds all of them."""
    process()
    return json.loads(process())


def test_a_process_that_finds_its_kernels_imports_no_compiler(loaded: Any) -> None:
    assert loaded[1] == []


EVALUATE = """
import json, sys
import mbsim
out = []
for model in json.load(sys.stdin):
    made = mbsim.assemble(mbsim.load_model(model))
    terms, energy = made.system.terms(made.start, made.q, made.v), made.system.energy(made.start, made.q, made.v)
    out.append([*(x.tolist() for x in terms[:5]), terms[5], *energy])
print(json.dumps([out, sorted({name.partition(".")[0] for name in sys.modules} & {"numba", "llvmlite"})]))
"""


@pytest.mark.slow  # the quick ring by stock Numba, which .ci/run runs, compares more
def test_numba_loads_the_same_numbers() -> None:
    """What other systems do, and a file system or a kernel that forbids memory which is written and run; at the start of two models.

    A run takes kernels that Numba does not find, because an image of them was made without its file, and compiles for half a minute.
    """
    models = json.dumps([str(mechanisms.MODELS / f"{name}.yaml") for name in ("four_bar", "pendulum_dae")])
    process(EVALUATE, models)
    images, none = json.loads(process(EVALUATE, models))
    found, modules = json.loads(process(EVALUATE, models, MBSIM_NO_IMAGES="1"))
    assert (none, modules) == ([], ["llvmlite", "numba"])
    assert found == images


@pytest.mark.slow
def test_numba_runs_to_the_same_numbers(loaded: Any) -> None:
    found, modules = json.loads(process(RUN, json.dumps(ASKED[:1]), MBSIM_NO_IMAGES="1"))
    assert modules == ["llvmlite", "numba"]
    assert found == loaded[0][:1]


@jit.kernel(jit.f8(jit.A1))
def roots(x: Any) -> Any:
    """Something that calls the C library, has constants, and a loop that is vectorised."""
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sqrt(x[i]) * 1.25
    return total + np.sin(x[0]) ** 2.5 + np.arctan2(x[0], 3.0)


def compiled(kernel: Any) -> tuple[bytes, str]:
    from mbsim.jit.fastload import lean

    made, name = lean.object_code(kernel._code._compile(kept=False))
    return made, name


def called(made: image.Image) -> float:
    """`roots` of an image, by a kernel that is given its address."""
    twin = object.__new__(jit.Kernel)
    twin.__dict__.update({name: value for name, value in vars(roots).items() if name not in ("address", "_function")})
    twin.address = image.load(made)
    return float(twin(np.arange(1.0, 12.0)))


def test_an_image_runs_wherever_it_is_put() -> None:
    made = image.from_object(*compiled(roots))
    x = np.arange(1.0, 12.0)
    expected = roots.py_func(x)
    assert roots(x) == pytest.approx(expected, rel=1e-14)
    for _ in range(3):
        assert called(made) == pytest.approx(expected, rel=1e-14)
    assert {name for _, name, _ in made.outside} <= {"sin", "pow", "atan2", "sqrt"}


def test_a_large_image_has_memory_of_its_own() -> None:
    made = image.from_object(*compiled(roots))
    padded = made._replace(code=made.code + bytes(3 << 20))
    assert called(padded) == called(made)


def test_an_image_survives_its_file(tmp_path: Path) -> None:
    made = image.from_object(*compiled(roots))
    path = tmp_path / "roots.image"
    image.write(path, b"roots", made)
    assert image.read(path, b"roots") == made
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damage", ["cut", "empty", "zeros", "other", "missing"])
def test_a_file_that_is_not_whole_is_no_image(tmp_path: Path, damage: str) -> None:
    made = image.from_object(*compiled(roots))
    path = tmp_path / "roots.image"
    image.write(path, b"roots", made)
    whole = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes({"cut": whole[: len(whole) // 2], "empty": b"", "zeros": bytes(len(whole)), "other": b"\x1f\x8b text"}[damage])
    assert image.read(path, b"roots") is None
    assert not path.exists()


def test_a_damaged_cache_is_compiled_anew(tmp_path: Path) -> None:
    """A kernel of a file of the user's: its image is cut, then the file is changed."""
    source = "from mbsim import jit\n\n@jit.kernel(jit.f8(jit.f8))\ndef twice(x):\n    return FACTOR * x\n"
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import users; print(users.twice(3.0), 'numba' in sys.modules)"
    cache = tmp_path / "cache"

    def run(factor: str) -> list[str]:
        (tmp_path / "users.py").write_text(source.replace("FACTOR", factor))
        return process(code, "", MBSIM_CACHE_DIR=str(cache), PYTHONDONTWRITEBYTECODE="1").split()

    assert run("2.0") == ["6.0", "True"]
    assert run("2.0") == ["6.0", "False"]
    (kept,) = cache.rglob("users.twice*.image")
    kept.write_bytes(kept.read_bytes()[:-20])
    assert run("2.0") == ["6.0", "True"]
    assert run("2.0") == ["6.0", "False"]
    assert run("5.0") == ["15.0", "True"]


def test_a_full_disk_is_no_reason_to_give_images_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(code, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(os, "replace", refuse)

    @jit.kernel(jit.f8(jit.f8))
    def fourfold(x: Any) -> Any:
        return 4.0 * x

    assert fourfold(2.0) == 8.0
    assert list(tmp_path.iterdir()) == []  # no image, and no mark that there can be none


def test_an_object_with_other_references_is_refused() -> None:
    code, name = compiled(roots)
    (table,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    bad = bytearray(code)
    for i in range(count):
        kind, flags, _, offset, length, _, info = struct.unpack_from("<IQQQQII", code, table + i * size + 4)
        target_flags = struct.unpack_from("<Q", code, table + info * size + 8)[0] if kind == 4 else 0
        if kind == 4 and length and target_flags & 4:  # of code
            struct.pack_into("<I", bad, offset + 8, 10)  # R_X86_64_32
    assert bytes(bad) != code and flags >= 0
    with pytest.raises(image.UnsupportedError, match="relocation of type 10"):
        image.from_object(bytes(bad), name)
    with pytest.raises(image.UnsupportedError, match="no function other"):
        image.from_object(code, "other")
    renamed = code.replace(b"\0atan2\0", b"\0atanX\0")
    with pytest.raises(image.UnsupportedError, match="there is no function atanX"):
        image.from_object(renamed, name)


def test_a_kernel_that_another_one_calls_is_a_symbol() -> None:
    """Its code is not a part of the caller's, whose image says whom it calls and can be loaded where that one is."""

    @jit.kernel(jit.f8(jit.A1))
    def twice_the_roots(x: Any) -> Any:
        return roots(x) + roots(x)

    x = np.arange(1.0, 12.0)
    assert twice_the_roots(x) == 2.0 * roots(x)
    symbol = roots._code.symbol
    made = image.from_object(*compiled(twice_the_roots))
    assert {name for _, name, _ in made.outside} == {symbol}  # and nothing of what that one calls
    address, known = image.kernels.pop(symbol), image.known.pop(symbol)
    try:
        with pytest.raises(image.UnsupportedError, match=symbol):
            image.load(made)
        image.known[symbol] = known
        image.load(made)  # loads it first
        assert symbol in image.kernels
    finally:
        image.kernels[symbol], image.known[symbol] = address, known


def test_where_memory_must_not_be_run_numba_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Now, and in later runs without trying again, or compiling again."""

    def refuse(_: Any) -> int:
        raise PermissionError(13, "memory that is written cannot be run")

    monkeypatch.setattr(code, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(image, "load", refuse)
    compiled: list[int] = []
    monkeypatch.setattr(kernels, "_announce", lambda: compiled.append(1))

    def thrice(x: Any) -> Any:
        return 3.0 * x

    thrice.__qualname__ = f"thrice{os.getpid()}"
    assert jit.kernel(jit.f8(jit.f8))(thrice)(2.0) == 6.0
    assert len(compiled) >= 1
    (mark,) = tmp_path.glob("*.none")
    compiled.clear()
    monkeypatch.setattr(image, "read", None)  # the image is not looked at
    assert jit.kernel(jit.f8(jit.f8))(thrice)(2.0) == 6.0
    assert compiled == [] and mark.exists()
