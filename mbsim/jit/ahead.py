"""Compiling ahead of a run, by two processes where much is not compiled yet."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module

from mbsim.jit.folder import CACHE_FOLDER
from mbsim.jit.kernels import Kernel

_asked = set[str]()  # modules that this process has had compiled beside


def compile_kernels(*modules: str) -> None:
    """Compile, or load, the kernels that these modules have at their top, and what these call by name."""
    for name in modules:
        for one in list(vars(import_module(name)).values()):
            have_ready(one)


def have_ready(made: object) -> None:
    """Compile, or load, a kernel, also one whose first arguments are given. Anything else stays as it is."""
    made = made.func if isinstance(made, partial) else made
    if isinstance(made, Kernel):
        _ = made.address


def is_kept(module: str) -> bool:
    """Whether an earlier run compiled kernels of a module with these sources."""
    try:
        return any(name.startswith(f"{module}.") for name in os.listdir(CACHE_FOLDER))
    except OSError:
        return False


@contextmanager
def compiling_beside(*modules: str) -> Iterator[None]:
    """Compile the kernels of these modules in a second process if no earlier run did; both processes fill the same cache.

    A program that makes many runs starts the second process for the first of them, even where the cache keeps nothing.
    """
    missing = [module for module in modules if module not in _asked and not is_kept(module)]
    _asked.update(missing)
    if not missing:
        yield
        return
    line = f"from mbsim.jit import compile_kernels; compile_kernels(*{missing!r})"
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths}
    import subprocess  # of a first run alone

    child = subprocess.Popen([sys.executable, "-c", line], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
        child.wait()  # should it fail, this process compiles and says why
    finally:
        child.kill()
        child.wait()
