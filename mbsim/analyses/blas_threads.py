"""One thread for the linear algebra of a library's solver (`bdf`, `radau`), whose matrices are small: `one_thread`.

OpenBLAS hands even a product of 100 x 100 numbers to threads, which wait for each other longer than the product takes. Its wheels of NumPy
and SciPy have a function that sets their number. It holds for the whole process, so runs in several threads share one setting.
"""

import ctypes
import importlib.util
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")  # where the user sets one, it stays
PACKAGES = ("numpy", "scipy")
_lock = threading.Lock()
_marches = 0  # that go on
_before: list[int] = []  # threads of each library, before the first of them


class Unthreaded:
    """A march of a library's solver, with one thread for its linear algebra. Everything else is the march's own."""

    def __init__(self, march: Callable[..., int]) -> None:
        self._march = march

    def __call__(self, *arguments: Any) -> int:
        """March; see the contract MARCH."""
        with one_thread():
            return self._march(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._march, name)


@contextmanager
def one_thread() -> Iterator[None]:
    """Within this, the OpenBLAS of NumPy and of SciPy use one thread. Nothing happens where they use another library, or a variable is set."""
    if any(name in os.environ for name in VARIABLES):
        yield
        return
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _marches
    with _lock:
        _marches += 1
        if _marches == 1:
            _before[:] = [get() for get, _ in libraries()]
            for _, put in libraries():
                put(1)


def _leave() -> None:
    global _marches
    with _lock:
        _marches -= 1
        if _marches == 0:
            for (_, put), count in zip(libraries(), _before, strict=True):
                put(count)


@cache
def libraries() -> tuple[tuple[Callable[[], int], Callable[[int], None]], ...]:
    """What reads and what sets the number of threads, of each OpenBLAS that came with NumPy and SciPy."""
    found = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            continue
        home = Path(spec.origin).parent
        for path in sorted([*home.parent.glob(f"{package}.libs/*openblas*"), *home.glob(".dylibs/*openblas*")]):
            with suppress(OSError):
                found += _functions(ctypes.CDLL(str(path)))  # it is loaded already: this is a handle to it
    return tuple(found)


def _functions(library: ctypes.CDLL) -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    for prefix in ("scipy_openblas", "openblas"):
        for suffix in ("64_", ""):
            with suppress(AttributeError):
                get, put = (getattr(library, f"{prefix}_{verb}_num_threads{suffix}") for verb in ("get", "set"))
                put.argtypes, put.restype = [ctypes.c_int], None
                return [(get, put)]
    return []
