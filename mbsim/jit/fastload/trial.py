"""Whether fastload works with the Numba at hand. A series that it was not tested with is tried once, and left to itself where that fails.

fastload replaces parts of Numba that nobody promised to keep (tests/jit/test_numba_names.py lists them). The trial compiles two small
kernels, one of which calls the other by its name, keeps them, loads them and compares what they return. It runs in a process of its own,
because code that is wrong may end one. What it found is kept beside the kernels.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mbsim.jit import entries
from mbsim.jit.fastload.code import FastCode
from mbsim.jit.folder import CACHE_FOLDER, NUMBA_VERSION
from mbsim.jit.signatures import A1, Signature, converter, f8, machine_types
from mbsim.jit.stock import Source

TESTED = ("0.68",)  # series of Numba
CHILD = "from mbsim.jit.fastload import trial; print(trial.tried())"
NAME = "fastload.trial"


def reason() -> str:
    """Why fastload is not used with this Numba; empty where it is."""
    if ".".join(NUMBA_VERSION.split(".")[:2]) in TESTED:
        return ""
    path = CACHE_FOLDER / NAME
    kept = entries.read(path, NAME.encode())
    if kept is not None:
        return kept.decode()
    found = _tried_beside()
    entries.write(path, NAME.encode(), found.encode())
    return found


def _tried_beside() -> str:
    """What the trial finds in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    import subprocess

    done = subprocess.run([sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout.splitlines()[-1]
    return " ".join([f"the trial ended with exit code {done.returncode}", *done.stderr.splitlines()[-1:]])


class _Named:
    """A kernel as another one sees it that calls it by name."""

    def __init__(self, function: Callable[..., Any], signature: Signature, name: str) -> None:
        key = f"{NAME}.{name}"
        for suffix in ("image", "none", "numba"):
            entries.discard(CACHE_FOLDER / f"{key}.{suffix}")
        self.signature = signature
        self._code = FastCode(Source(function, signature, False, key, lambda: None))
        self._address = self._code.address()

    @property
    def _numba_type_(self) -> Any:
        return self._code.numba_type

    def again(self) -> None:
        """Load what was kept."""
        self._code = FastCode(self._code.source)
        self._address = self._code.address()

    def __call__(self, *arguments: object) -> float:
        kinds = self.signature.arguments
        words = [word for kind, value in zip(kinds, arguments, strict=True) for word in converter(kind)(value)]
        types = [part for kind in kinds for part in machine_types(kind)]
        out = ctypes.c_double()
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *types)(self._address)
        failed = function(ctypes.byref(out), ctypes.byref(ctypes.c_void_p()), *words)
        return float("nan") if failed else out.value


class _Contained:
    """A helper as its callers see it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        from mbsim.jit.compiler import CodeType, dispatcher
        from mbsim.jit.fastload.frontend import Frontend

        self._made = dispatcher(function, False, frontend=Frontend)  # the type does not hold it
        self._numba_type_ = CodeType(self._made)

    def __call__(self, x: float, *_: float) -> float:
        raise NotImplementedError("for kernels alone")


def tried() -> str:
    """What is wrong with two small kernels and their helpers; empty where nothing is."""

    def weigh(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += (i + 1) * x[i]
            x[i] = 0.0
        return total

    def tripled(x):
        return 3.0 * x

    def scaled(x, factor):  # a helper that calls a helper, which the kernel calls, too
        return factor * helper(x)

    def call(x, factor):
        return factor * inner(x) + other(1.0, factor) + helper(2.0)

    try:
        helper, other = _Contained(tripled), _Contained(scaled)
        inner = _Named(weigh, f8(A1), "inner")
        outer = _Named(call, f8(A1, f8), "outer")
        for _ in range(2):
            x = np.array([1.0, 2.0, 3.0])
            found = outer(x, 2.0)
            if found != 40.0 or x.any():
                return f"a kernel that returns 40 and clears its argument returned {found} and left {x}"
            inner.again()
            outer.again()
    except Exception as error:  # whatever a changed Numba raises
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""
