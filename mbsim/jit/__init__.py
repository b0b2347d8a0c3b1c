"""The interface of the compiler: decorators, array types, work arrays by name, the cache folder.

Kernels that meet only through `Function(signature)` are compiled once each, cached on disk and joined at run time by pointer
(some nanoseconds a call), so methods x integrators x systems never multiply compile time. A program whose kernels an earlier one compiled
loads them without Numba (`fastload`); `compiler` says what is asked of Numba. `NUMBA_DISABLE_JIT=1` runs everything as Python.
"""

from typing import Any

from mbsim.jit.ahead import compile_kernels, compiling_beside, have_ready, is_kept
from mbsim.jit.folder import CACHE_FOLDER, NUMBA_VERSION
from mbsim.jit.kernels import (
    COMPILES,
    GIVEN,
    Helper,
    Kernel,
    Made,
    bound,
    flush_subnormals,
    fused,
    has_compiled,
    helper,
    index,
    inlined,
    is_cold,
    kernel,
    restore_subnormals,
    summed,
    unfolded,
)
from mbsim.jit.late import LateKernel, late_kernel
from mbsim.jit.signatures import A1, A2, I1, I2, Block, Compiled, Function, Indices, Matrix, Packed, Table, Vector, f8, i8, void
from mbsim.jit.workspaces import Workspace, indices, matrix, vector


def __getattr__(name: str) -> Any:
    if name == "objmode":  # a stretch of plain Python inside a kernel: how a user's own callables are reached
        import numba

        return numba.objmode
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
