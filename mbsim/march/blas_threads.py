"""One thread for linear algebra whose matrices are small, as of a library's solver (`bdf`, `radau`) or of an equilibrium: `one_thread`.

OpenBLAS hands even a product of 100 x 100 numbers to threads, which wait for each other longer than the product takes. Its wheels of NumPy
and SciPy have a function that sets their number. It holds for the whole process, so runs in several threads share one setting.
"""

import ctypes
import importlib.util
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")  # where the user sets one, it stays
PACKAGES = ("numpy", "scipy")
SMALL, LARGE = 40, 600  # speeds: OpenBLAS takes one thread by itself below, and several are worth it above


class Unthreaded:
    """A march of a library's solver, with one thread for its linear algebra. Everything else is the march's own."""

    def __init__(self, march: Callable[..., int]) -> None:
        self._march = march

    def __call__(self, *arguments: object) -> int:
        """March; see the contract MARCH."""
        with one_thread():
            return self._march(*arguments)

    def __getattr__(self, name: str) -> object:
        return getattr(self._march, name)


class _Marches:
    """Those that go on: the first sets the number of threads, the last sets back what it was."""

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0
        self._before: list[int] = []  # threads of each library

    def begin(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1:
                self._before = [get() for get, _ in libraries()]
                for _, put in libraries():
                    put(1)

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                for (_, put), count in zip(libraries(), self._before, strict=True):
                    put(count)


_marches = _Marches()


def for_system(n_v: int) -> AbstractContextManager[None]:
    """One thread for what a run of n_v speeds does beside its march (ranks, observers, tangents), where matrices are not tiny or large."""
    return one_thread() if SMALL < n_v <= LARGE else nullcontext()


@contextmanager
def one_thread() -> Iterator[None]:
    """Within this, the OpenBLAS of NumPy and of SciPy use one thread.

    Nothing happens where they use another library, or where the user has set one of VARIABLES.
    """
    if any(name in os.environ for name in VARIABLES):
        yield
        return
    _marches.begin()
    try:
        yield
    finally:
        _marches.end()


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
