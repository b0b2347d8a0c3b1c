"""The march of many runs by rk4 on a GPU (`cuda_march.py`): whether there is one, and what goes there and comes back.

numba-cuda (the extra `mbsim[cuda]`) compiles it when a study begins. It runs in Numba's simulator of CUDA too (NUMBA_ENABLE_CUDASIM=1),
which tests use: that calls the functions as Python.
"""

import importlib.util
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mbsim.contracts import WATCH_LIMIT
from mbsim.jit.straight.scalar import FUNCTIONS
from mbsim.march.formulation import Formulation
from mbsim.straight.forms import LanesError
from mbsim.studies.lanes.tiles import Tile
from mbsim.system.system import Floats

THREADS = 128  # of a block: a multiple of what a processor of the GPU runs together
PACKAGE = "numba_cuda"
MISSING = "it needs numba-cuda: pip install 'mbsim[cuda]'"
NO_GPU = "CUDA finds no GPU here"
_IN_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}  # names of the simulator's functions


def find_cuda() -> Any:
    """`numba.cuda`, where it can run something. Raises LanesError."""
    from numba import config

    if not config.ENABLE_CUDASIM and importlib.util.find_spec(PACKAGE) is None:
        raise LanesError(MISSING)
    from numba import cuda

    if not cuda.is_available():
        raise LanesError(NO_GPU)
    return cuda


def functions_of() -> dict[str, Any]:
    """The functions of numbers that straight-line code calls: those of CUDA's library, or of NumPy in the simulator.

    They give a number where there is none, as processors do it: what is out of range has a guard.
    """
    from numba import config

    if config.ENABLE_CUDASIM:
        return {name: getattr(np, _IN_NUMPY.get(name, name)) for name in FUNCTIONS}
    from numba.cuda import libdevice

    return {name: getattr(libdevice, name) for name in FUNCTIONS}


def failures_of() -> tuple[type[Exception], ...]:
    """What compiling for CUDA and running there raise, as where the memory of the GPU is not enough."""
    from numba.core.errors import NumbaError
    from numba.cuda.cudadrv import driver, error

    compilers = (getattr(error, name) for name in ("CudaSupportError", "NvvmError", "NvrtcError") if hasattr(error, name))
    return NumbaError, driver.CudaAPIError, driver.LinkerError, *compilers


class CudaMarch:
    """Marches what tiles have been filled with, all of it at once."""

    def __init__(self, tile: Tile, formulation: Formulation, times: Floats, step: float, limit: float) -> None:
        """`times` (k,) of the rows, s; `step` s; `limit`: of the turning. Raises LanesError."""
        self._cuda = cuda = find_cuda()
        from mbsim.studies.lanes.cuda_march import make_march

        self._march, lists = make_march(tile.programs, functions_of())
        steps = np.maximum(1, np.ceil(np.diff(times) / step - 1e-9)).astype(np.int64)
        self._steps, self._times, self._lists = (cuda.to_device(x) for x in (steps, times, lists))
        self._limit, self._way = float(limit), float(formulation.work.watch[WATCH_LIMIT])
        self._height = len(times) * tile.wide(0).shape[1]

    def __call__(self, slots: Floats) -> Floats:
        """The rows (k width, runs) of runs from their slots (count, runs), which become those at the end. Raises LanesError."""
        try:
            return self._marched(slots)
        except failures_of() as error:
            told = " ".join(str(error).split())[:200] or type(error).__name__
            raise LanesError(f"CUDA does not march it: {told}") from None

    def _marched(self, slots: Floats) -> Floats:
        cuda, runs = self._cuda, slots.shape[1]
        on_device, rows = cuda.to_device(slots), cuda.device_array((self._height, runs))
        blocks = math.ceil(runs / THREADS)
        call: Callable[..., None] = self._march[blocks, THREADS]
        with np.errstate(all="ignore"):
            call(self._times, self._steps, self._limit, self._way, self._lists, on_device, rows)
        on_device.copy_to_host(slots)
        found: Floats = rows.copy_to_host()
        return found
