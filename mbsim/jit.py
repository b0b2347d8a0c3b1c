"""The one place that knows Numba: decorators, array types, the contracts between systems, methods and integrators, the cache folder.

Kernels that meet only through `FunctionType(signature)` are compiled once each, cached on disk and joined at run time by pointer
(about 10 ns a call), so methods x integrators x systems never multiply compile time. `NUMBA_DISABLE_JIT=1` runs everything as Python.
"""

import hashlib
import logging
import os
import platform
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

log = logging.getLogger("mbsim")

_PACKAGE = Path(__file__).parent
_COMPILED = ("jit.py", "kernels/*.py", "system/*.py", "model/symbolic.py", "methods/*.py", "integrators/*.py")


def _digest() -> str:
    """Hash of every source that ends up in machine code: a cached caller does not notice that a callee in another file changed."""
    sources = sorted(path for pattern in _COMPILED for path in _PACKAGE.glob(pattern))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources) + sys.version.encode()).hexdigest()[:16]


def _cache_folder() -> Path:
    """`$MBSIM_CACHE_DIR`, else the user's cache folder, else a temporary one with a warning (Numba itself would raise at import)."""
    chosen = os.environ.get("MBSIM_CACHE_DIR")
    if chosen:
        base = Path(chosen)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "mbsim"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "mbsim"
    folder = base / _digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        folder = Path(tempfile.mkdtemp(prefix="mbsim-cache-"))
        warnings.warn(f"compiled code cannot be kept in {base} ({error.strerror}); it is compiled anew for this run", stacklevel=2)
    return folder


CACHE_FOLDER = _cache_folder()
os.environ["NUMBA_CACHE_DIR"] = str(CACHE_FOLDER)  # read by numba at import; another program's setting must not mix with ours

import llvmlite.binding  # noqa: E402  (after the cache folder is set)
import numba  # noqa: E402
from llvmlite import ir  # noqa: E402
from numba import extending, types  # noqa: E402
from numba.core.caching import CompileResultCacheImpl, FunctionCache  # noqa: E402
from numba.core.dispatcher import Dispatcher  # noqa: E402
from numba.core.errors import NumbaExperimentalFeatureWarning  # noqa: E402

numba.config.CACHE_DIR = str(CACHE_FOLDER)  # in case numba was imported before mbsim
warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
NUMBA_VERSION = numba.__version__
COMPILES = not numba.config.DISABLE_JIT


def is_cold() -> bool:
    """True when nothing was compiled yet with these sources, so that the first run will take a while."""
    return COMPILES and not any(CACHE_FOLDER.rglob("*.nbi"))


class _LeanResults(CompileResultCacheImpl):
    """Machine code without the bitcode that Numba stores beside it for inlining elsewhere: parsing it was most of a kernel's loading.

    What Numba reads off the bitcode otherwise, the names that the code defines, is stored in its place.
    """

    def reduce(self, cres: Any) -> Any:
        name, kind, (code, _) = cres.library.serialize_using_object_code()
        module = cres.library._get_module_for_linking()
        names = [x.name for group in (module.functions, module.global_variables) for x in group if not x.is_declaration]
        empty = llvmlite.binding.parse_assembly(f'target triple = "{llvmlite.binding.get_process_triple()}"').as_bitcode()
        return names, ((name, kind, (code, empty)), *cres._reduce()[1:])

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        names, result = payload
        target_context.codegen()._engine._defined_symbols.update(names)
        return super().rebuild(target_context, result)


class _Cache(FunctionCache):
    """Numba's cache of one kernel, and a word to the user the first time that something has to be compiled."""

    announced = False
    registers = False  # kernels that call back into Python need what Numba registers, also when they come from the cache

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba's own method first registers all that its compiler knows, for which it imports scipy.linalg too: a third of a warm start.
        # What is compiled already needs none of it, and compiling does it anyway.
        if self.registers:
            target_context.refresh()
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        if found is None and not _Cache.announced:
            _Cache.announced = True
            log.info("Compiling kernels that no earlier run needed, up to 20 s; they are kept in %s", CACHE_FOLDER)
        return found


class _LeanCache(_Cache):
    _impl_class = _LeanResults


def kernel(signature: Any, allocates: bool = False, linked: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile to `signature` at import and cache on disk: what is reached through a contract or called from Python.

    Numba's reference counting is off unless the kernel `allocates`: counting views of the work arrays up and down, atomically, took
    two thirds of the time of a small system's step. `linked`: another kernel calls this one by name.
    """
    if not COMPILES:
        return numba.njit(signature, error_model="numpy")

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(function, error_model="numpy", _nrt=allocates)
        dispatcher._cache = _Cache(function) if linked else _LeanCache(function)
        dispatcher._cache.registers = allocates
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        _remember(dispatcher)
        return dispatcher

    return compiled


def _remember(dispatcher: Any) -> None:
    """Keep for this kernel what Numba finds anew, in 0.1 ms a function, whenever Python passes functions: their type and addresses.

    That was a third of a short run. Three of Numba's methods are shadowed in this one instance, and ask the original the first time.
    """
    look_up, typeof, only = dispatcher.get_compile_result, dispatcher.typeof_pyval, next(iter(dispatcher.overloads.values()))
    types_of = only.signature.args, only.signature.return_type
    only.library.get_pointer_to_function = cache(only.library.get_pointer_to_function)
    dispatcher.get_compile_result = lambda asked: only if (asked.args, asked.return_type) == types_of else look_up(asked)
    dispatcher.typeof_pyval = lambda value: _type_of_kernels(value) if _are_kernels(value) else typeof(value)


def _are_kernels(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(x, Dispatcher) for x in value)


_type_of_kernels = lru_cache(maxsize=64)(numba.typeof)  # as many systems and methods as a program uses in turns


@contextmanager
def compiling_beside(*modules: str) -> Iterator[None]:
    """Compile these modules' kernels in a second process meanwhile, when nothing is compiled yet; both fill the same cache."""
    if not is_cold():
        yield
        return
    lines = "; ".join(f"import {module}" for module in modules)
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths}
    child = subprocess.Popen([sys.executable, "-c", lines], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
        child.wait()  # should it fail, the import here compiles and says why
    finally:
        child.kill()
        child.wait()


def helper(function: Callable[..., Any]) -> Any:
    """Compile into the kernels that call it; never loaded on its own, so a warm start does not pay for it."""
    return numba.njit(function, error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def fused(function: Callable[..., Any]) -> Any:
    """A helper whose products and sums may be rounded once, not twice: a third quicker where it is all multiply and add."""
    return numba.njit(function, error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, fastmath={"contract"})


@helper
def index(x):
    """x >= 0 from a table: so that Numba does not ask at each use whether to count from the end, a fifth of the time of a sweep."""
    return x & 0x7FFFFFFF


def inlined(compiled: Any) -> Any:
    """A kernel's source once more as a helper, for another kernel to contain."""
    return helper(getattr(compiled, "py_func", compiled))


if COMPILES and platform.machine() in ("x86_64", "AMD64"):
    _FLUSH = 0x8040  # of the control register MXCSR: results and operands below 2.2e-308 count as zero

    def _control(write: bool) -> Any:
        """An intrinsic that reads, or writes, the floating-point control register of this thread."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = ir.IntType(8).as_pointer()
            slot = builder.alloca(ir.IntType(32))
            if write:
                builder.store(builder.trunc(arguments[0], ir.IntType(32)), slot)
            name = "llvm.x86.sse.ldmxcsr" if write else "llvm.x86.sse.stmxcsr"
            access = builder.module.declare_intrinsic(name, (), ir.FunctionType(ir.VoidType(), [pointer]))
            builder.call(access, [builder.bitcast(slot, pointer)])
            return arguments[0] if write else builder.zext(builder.load(slot), ir.IntType(64))

        if write:
            return extending.intrinsic(lambda context, word: (types.int64(types.int64), generate))
        return extending.intrinsic(lambda context: (types.int64(), generate))

    _read_control, restore_subnormals = _control(False), _control(True)

    @helper
    def flush_subnormals():
        """Count numbers below 2.2e-308 as zero, and return what `restore_subnormals` needs.

        Arithmetic with them takes a hundred times as long, and what comes to rest, or lies far down a chain, makes many of them.
        """
        kept = _read_control()
        restore_subnormals(kept | _FLUSH)
        return kept

else:

    @helper
    def flush_subnormals():
        """Nothing to be done, or not known how, on this kind of processor."""
        return 0

    @helper
    def restore_subnormals(kept):
        return kept


class Arrays(NamedTuple):
    """What a system is made of. Constant in a run but for `laws`, `frames`, `jacobian`, `tree_work`, `wrenches`, `gauge_values`: scratch.

    `n_b` bodies, `b` = 3 (planar) or 6 (spatial) speeds a body, `m` rows of C. Index `n_b` in `frames` is the ground.
    """

    parameters: np.ndarray  # (n_parameters,) the user's, in the file's order
    laws: np.ndarray  # (n_laws, 3) value, first and second time derivative of each law at the last evaluation
    masses: np.ndarray  # (n_b, 10) mass, inertia about the centre of mass in body axes, row by row (planar: [1] only)
    gravity: np.ndarray  # (3,) m/s2
    frames: np.ndarray  # (n_b + 1, 18) pose and velocity of each body at the last evaluation
    primitives: np.ndarray  # (n_primitives, 5) kind, first row, first body, second body, law (-1: none)
    geometry: np.ndarray  # (n_primitives, 16) points and vectors of each primitive in body axes; a constant in [7] (plane), [15] (space)
    loads: np.ndarray  # (n_loads, 4) kind, first body, second body, first law (-1: constant)
    load_data: np.ndarray  # (n_loads, 9) points in body axes and constants of each load
    jacobian: np.ndarray  # (m, 2 b) the two body blocks of each row of C
    row_bodies: np.ndarray  # (m, 2) the bodies of these blocks, n_b = ground, -1 = a row of the user's equation or of a joint coordinate
    # in joint coordinates only, else empty; columns in mbsim.kernels.trees
    tree: np.ndarray  # (n_nodes, 10) motions of the joints, parents first
    tree_data: np.ndarray  # (n_nodes, 37) their geometry and inertia, constant
    tree_work: np.ndarray  # (n_nodes, 136) what was found at the last evaluation, and a tree method's scratch
    wrenches: np.ndarray  # (b n_b,) loads on the bodies; empty where there are none
    # of models with gauges, else empty: scalars between two bodies that loads act along and laws read (system/*_extended.py)
    gauges: np.ndarray  # (n_gauges, 5) kind, first body, second body, coordinate and speed (of a STATE, else -1)
    gauge_data: np.ndarray  # (n_gauges, 24) as in geometry; of an ABOUT the joint's axes in both bodies as quaternions from 16 on
    gauge_values: np.ndarray  # (n_gauges, 5 + 2 b) value, rate, second rate at constant v, angle in (-pi, pi], effort; gradient
    tables: np.ndarray  # (k, 6) the user's tables, a row each, then the pieces of their splines; notes arguments outside (kernels.tables)


class Work(NamedTuple):
    """What a method overwrites. Allocated once a run; there is no allocation in the step loop."""

    M: np.ndarray  # (n, n) mass matrix; structural zeros are written once, at allocation; (0, 0) where the method reads Arrays.masses
    h: np.ndarray  # (n,) applied and gyroscopic forces
    C: np.ndarray  # (m, n) velocity constraint matrix; structural zeros as in M; (0, 0) where the method reads Arrays.jacobian
    xi: np.ndarray  # (m,) C v + xi = 0
    eta: np.ndarray  # (m,) C v_dot + eta = 0
    phi: np.ndarray  # (n_holonomic,) position residual
    v: np.ndarray  # (n,) velocity
    a: np.ndarray  # (n,) v_dot
    lam: np.ndarray  # (m,) multipliers, C' lam is the generalised reaction
    power: np.ndarray  # (1,) W, of non-conservative forces
    skyline: np.ndarray  # (n,) first column of each row of M that can be other than zero
    dense: np.ndarray  # (max(m, n),) zeros: the skyline of a full matrix
    matrices: tuple  # seven; [3] (max(m, n), n), [4] (max(m, n), max(m, n)), [5] (n, n) are free for `project`, the rest is the method's
    vectors: tuple  # six; [2], [3], [4] (m,) and [5] (n,) likewise
    indices: tuple  # two integer vectors; [1] (m,) likewise
    status: np.ndarray  # (6,) see the STATUS constants
    counts: np.ndarray  # (8,) see the COUNT constants
    settings: np.ndarray  # (24,) see the SETTING constants
    event: np.ndarray  # (3,) the stop expression after the last accepted step, after the last step, and the time of that one where refused
    row: np.ndarray  # (n_q + 2 n + m + 1,) scratch of the length of an output row, for the integrators
    beside: np.ndarray  # (2 + n_q + n,) t (or NaN), weakest pivot found last, q, v: a state beside a singular position
    plan: np.ndarray  # (k, 8) what a method with a `plan` works out from the system before the run; (1, 8) zeros for the others


# Work.status
STATUS_CODE, STATUS_INDEX, STATUS_RANK, STATUS_FRESH, STATUS_CHANGED, STATUS_NEAR = 0, 1, 2, 3, 4, 5
# CHANGED: what ACCEPT said last was CHANGED; NEAR: other than zero close to a singular position, where `project` goes to round-off
# what Work.status[STATUS_CODE] and the return value of RHS, ACCEPT and EXPAND say; STATUS_INDEX is the speed or constraint row to
# blame; NOT_FINITE: the entry of [z; constraint rows]
OK, SINGULAR_MASS, DEPENDENT_CONSTRAINTS, NOT_FINITE, DRIFT_REMAINS = 0, 1, 2, 3, 4
# further: an iteration of a step did not converge; an integrator's step became too small; the stop expression crossed zero (the step
# is not taken: the driver locates the crossing); what an integrator in Python says itself
NO_CONVERGENCE, STEP_TOO_SMALL, STOPPED, SOLVER_FAILED = 5, 6, 7, 8
CHANGED = -1  # ACCEPT only: z has a new meaning (a renewed basis); a multistep integrator restarts its history
# Work.counts
COUNT_STEPS, COUNT_EVALUATIONS, COUNT_FACTORISATIONS, COUNT_SVDS, COUNT_CORRECTIONS, COUNT_ITERATIONS, COUNT_REJECTED = 0, 1, 2, 3, 4, 5, 6
COUNT_NAMES = ("steps", "evaluations", "factorisations", "svds", "corrections", "iterations", "rejected")
# Work.settings; the options of the method and of the integrator follow from METHOD and INTEGRATOR on, in the order of their OPTIONS
SETTING_DRIFT, SETTING_TOLERANCE, SETTING_RHEONOMIC, SETTING_STEP, SETTING_EVENT, SETTING_INDEPENDENT = 0, 1, 2, 3, 4, 5
SETTING_METHOD, SETTING_INTEGRATOR, SETTINGS = 8, 16, 24
DRIFT_NONE, DRIFT_POSITION, DRIFT_FULL = 0.0, 1.0, 2.0

f8, i8 = types.float64, types.int64
A1, A2, I1, I2 = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]

_vector, _matrix, _index, _table = np.zeros(1), np.zeros((1, 1)), np.zeros(1, np.int64), np.zeros((1, 1), np.int64)
ARRAYS = numba.typeof(
    Arrays(
        _vector, _matrix, _matrix, _vector, _matrix, _table, _matrix, _table, _matrix, _matrix, _table,
        _table, _matrix, _matrix, _vector, _table, _matrix, _matrix, _matrix,
    )
)  # fmt: skip
WORK = numba.typeof(
    Work(
        _matrix, _vector, _matrix, _vector, _vector, _vector, _vector, _vector, _vector, _vector,
        _index, _index, (_matrix,) * 7, (_vector,) * 6, (_index,) * 2, _index, _index, _vector, _vector, _vector, _vector, _table,
    )
)  # fmt: skip

# The contracts. `constraints` comes first at a state; `dynamics` may use the poses it left in `arrays.frames`. Of systems of bodies, an
# empty C or M is not filled: who passes one reads `arrays.jacobian` and `arrays.masses`. With equations of the user's, C must be there.
CONSTRAINTS = types.void(ARRAYS, f8, A1, A2, A1)  # t q -> C xi
DYNAMICS = types.void(ARRAYS, f8, A1, A1, A2, A1, A1, A1)  # t q v -> M h eta power
RESIDUAL = types.void(ARRAYS, f8, A1, A1)  # t q -> phi
RATES = types.void(ARRAYS, A1, A1, A1)  # q v -> q_dot = N(q) v
MOVE = types.void(ARRAYS, A1, A1)  # q d -> q (+) d in place, unit quaternions kept unit
ENERGY = types.void(ARRAYS, f8, A1, A1, A1)  # t q v -> kinetic, potential, balance energy (J)
EVENT = ENERGY  # t q v -> the stop expression, in out[0]
SYSTEM = types.Tuple(tuple(types.FunctionType(s) for s in (CONSTRAINTS, DYNAMICS, RESIDUAL, RATES, MOVE, ENERGY, EVENT)))
RHS = types.int64(SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t z -> z_dot; z = [speeds of the method; q; work done]
PROJECT = types.int64(SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t q v -> q and v on the constraints, in place; v may be empty
START = types.int64(SYSTEM, ARRAYS, WORK, f8, A1, A1, A1)  # t q v -> z[:n_v], the method's speeds
ACCEPT = types.int64(types.FunctionType(PROJECT), types.FunctionType(START), SYSTEM, ARRAYS, WORK, f8, A1)  # after a step, t z
EXPAND = types.int64(types.FunctionType(RHS), SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t z -> output row [q; v; v_dot; lam; work done]
METHOD = types.Tuple(tuple(types.FunctionType(s) for s in (RHS, ACCEPT, EXPAND, PROJECT, START)))
STEP = types.int64(METHOD, SYSTEM, ARRAYS, WORK, f8, f8, A1, A2)  # t dt z scratch: one step, in place; not yet accepted
MARCH = types.int64(METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)  # times, largest step, z, rows, clock, scratch -> rows filled
MARCH_STEPS = types.int64(types.FunctionType(STEP), METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)  # MARCH by steps of equal size
MEASURE = types.void(ARRAYS, A1, A1)  # q v -> arrays.gauge_values
OBSERVE = types.void(SYSTEM, ARRAYS, WORK, I2, A1, A2, A2)  # joint table, times, rows -> out (analysis.observe)
objmode = numba.objmode  # a stretch of plain Python inside a kernel: how a user's own callables are reached
