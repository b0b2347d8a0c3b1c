"""Kernels that earlier runs compiled, of a file of the user's: found again, made anew where they are damaged, never another's."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mbsim
from mbsim import jit
from mbsim.jit.fastload import code, image

pytestmark = pytest.mark.skipif(not (jit.COMPILES and image.SUPPORTED), reason="images are for compiled code on Linux on x86-64")

# `four_times` calls `twice` by name: a symbol, for which the address of `twice` is put in when `four_times` is loaded.
SOURCE = """
from mbsim import jit

@jit.kernel(jit.f8(jit.f8))
def twice(x):
    return 2.0 * x

@jit.kernel(jit.f8(jit.f8))
def four_times(x):
    return twice(twice(x))
"""
CODE = """
import sys
from mbsim.jit import kernels
compiled = []
kernels._announce = lambda: compiled.append(1)
import users
print(users.four_times(3.0), users.twice(3.0), len(compiled), "numba" in sys.modules)
"""


class User:
    """Runs the file in processes of its own, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        (folder / "users.py").write_text(SOURCE)
        self.folder, self.cache = folder, folder / "cache"

    def run(self, code: str = CODE, **environment: str) -> list[str]:
        path = os.pathsep.join([str(self.folder), str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        variables = os.environ | {"PYTHONPATH": path, "MBSIM_CACHE_DIR": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"} | environment
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=variables)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    def file(self, pattern: str) -> Path:
        (found,) = self.cache.rglob(pattern)
        return found


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def test_a_cache_that_numba_filled_harms_no_images(user: User) -> None:
    """And the other way round."""
    assert user.run(MBSIM_NO_IMAGES="1") == ["12.0", "6.0", "2", "True"]
    assert not list(user.cache.rglob("*.image"))
    assert user.run() == ["12.0", "6.0", "2", "True"]
    assert user.run() == ["12.0", "6.0", "0", "False"]
    assert user.run(MBSIM_NO_IMAGES="1") == ["12.0", "6.0", "0", "True"]


def test_stock_numba_does_all_where_the_switch_is_off(user: User) -> None:
    """Equal numbers, and what it compiles is found again in its own cache."""
    off = {"MBSIM_FASTLOAD": "0"}
    assert user.run(**off) == ["12.0", "6.0", "2", "True"]
    assert user.run(**off) == ["12.0", "6.0", "0", "True"]
    assert not list(user.cache.rglob("*.image")) and not list(user.cache.rglob("*.numba"))
    assert len(list(user.cache.rglob("stock/**/*.nbc"))) == 2
    assert user.run() == ["12.0", "6.0", "2", "True"]  # the two ways keep nothing for each other


HELPED = """
from mbsim import jit

@jit.helper
def twice(x):
    return 2.0 * x

@jit.kernel(jit.f8(jit.f8))
def four_times(x):
    return twice(twice(x))
"""
STOCK = """
from numba.core.event import install_recorder
with install_recorder("numba:compile") as recorder:
    import users
    print(users.four_times(1.0), sum(event.is_start for _, event in recorder.buffer))
"""


def test_stock_numba_keeps_what_calls_helpers(user: User) -> None:
    """What has the address of a Python object in it is not kept. Without optimisation no such address is removed as unused."""
    (user.folder / "users.py").write_text(HELPED)
    first, second = (user.run(STOCK, MBSIM_FASTLOAD="0", NUMBA_OPT="0") for _ in range(2))
    assert first[0] == second[0] == "4.0" and int(first[1]) > 0 == int(second[1])


def test_whatever_is_lost_or_damaged_is_made_anew(user: User) -> None:
    assert user.run() == ["12.0", "6.0", "2", "True"]
    called, caller = (user.file(f"users.{name}") for name in ("twice.*.image", "four_times.*.image"))
    whole = {path: path.read_bytes() for path in (called, caller)}
    called.unlink()
    assert user.run() == ["12.0", "6.0", "1", "True"]
    called.write_bytes(whole[called][:-1])
    caller.write_bytes(whole[called])
    assert user.run() == ["12.0", "6.0", "2", "True"]
    assert {path: path.read_bytes() for path in (called, caller)} == whole
    assert user.run() == ["12.0", "6.0", "0", "False"]
    assert user.run(MBSIM_NO_IMAGES="1") == ["12.0", "6.0", "2", "True"]
    kept = user.file("users.twice.*.numba")
    kept.write_bytes(kept.read_bytes()[:-2] + b"xx")  # a pickle that is never looked into
    assert user.run(MBSIM_NO_IMAGES="1") == ["12.0", "6.0", "1", "True"]


def test_a_changed_file_is_compiled_whatever_it_is_called(user: User) -> None:
    """`mbsim_users` is not of mbsim."""
    for factor in ("2.0", "5.0"):
        (user.folder / "mbsim_users.py").write_text(SOURCE.replace("2.0", factor))
        assert user.run(CODE.replace("users", "mbsim_users"))[1] == str(3.0 * float(factor))


def scaled(factor: Any) -> Any:
    @jit.kernel(jit.f8(jit.f8))
    def product(x: Any) -> Any:
        return factor * x

    return product


def applied(function: Any) -> Any:
    @jit.kernel(jit.f8(jit.f8))
    def application(x: Any) -> Any:
        return function(x)

    return application


def test_kernels_of_one_function_are_told_apart_by_what_they_are_closed_over() -> None:
    assert [scaled(factor)(3.0) for factor in (2.0, 5.0, 2.0)] == [6.0, 15.0, 6.0]
    assert scaled(2.0)._key == scaled(2.0)._key != scaled(5.0)._key


def test_a_kernel_that_is_closed_over_another_function_is_not_kept() -> None:
    helpers = [jit.helper(lambda x: 2.0 * x), jit.helper(lambda x: 5.0 * x)]
    made = [applied(helper) for helper in helpers]
    assert [kernel(3.0) for kernel in made] == [6.0, 15.0]
    assert [kernel._key for kernel in made] == ["", ""]


def test_code_without_a_file_is_known_by_its_constants() -> None:
    keys = set()
    for factor in ("2.0", "5.0"):
        namespace: dict[str, Any] = {"jit": jit, "__name__": "typed"}
        exec(f"@jit.kernel(jit.f8(jit.f8))\ndef product(x):\n    return {factor} * x\n", namespace)
        assert namespace["product"](3.0) == 3.0 * float(factor)
        keys.add(namespace["product"]._key)
    assert len(keys) == 2


def test_want_of_memory_leaves_no_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be gone in the next run; that memory must not be run will not."""

    def refuse(_: Any) -> int:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(code, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(image, "load", refuse)
    assert scaled(7.0)(3.0) == 21.0
    assert not list(tmp_path.glob("*.none"))


def test_the_source_of_a_generated_module_is_derived_again_where_its_file_is_gone() -> None:
    """Its code alone is left where the file is damaged; derivatives are made from the source."""
    from mbsim.system import codegen

    text = '"""Of a test."""\n\nX = 1\n'
    module = codegen.cached_module("of a source that goes", lambda: text)
    codegen._path(module.__name__).unlink(missing_ok=True)
    assert module.X == 1 and module.__dict__["__source__"]() == text
