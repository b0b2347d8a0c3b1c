"""A system as Python over traced numbers: its kernels, with the numbers of its arrays that vary as inputs."""

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from mbsim.contracts import Arrays
from mbsim.jit.straight.graph import TraceError
from mbsim.jit.straight.retarget import Retarget
from mbsim.straight.linear import Matrix, Number, Numbers
from mbsim.system.system import Floats, System

SCRATCH = ("laws", "frames", "jacobian", "row_shares", "tree_work", "wrenches", "relative_values")  # of Arrays: see there
MOVED_BY = 0.1  # m, rad: what coordinates differ by between two states at which it is looked what an evaluation writes


class Terms(NamedTuple):
    """What a system's kernels give at a state."""

    M: Matrix
    h: Numbers
    C: Matrix
    xi: Numbers
    eta: Numbers
    power: Number


class _Stale:
    """A number of an evaluation before, and what is computed from it: nothing of it may be left in what an evaluation gives."""

    __array_ufunc__ = None

    def _spoiled(self, *_: object) -> "_Stale":
        return self

    def _decided(self, *_: object) -> NoReturn:
        raise TraceError("an evaluation is decided by what the one before left")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __abs__ = __pow__ = _spoiled
    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = __index__ = _decided


def _given(values: Any) -> Any:
    """What an evaluation gives. Raises TraceError for what follows from the evaluation before."""
    if any(isinstance(x, _Stale) for x in values.reshape(-1)):
        raise TraceError("an evaluation reads what the one before left")
    return values.tolist()


class TracedSystem:
    """The kernels of a system over the numbers of a graph."""

    def __init__(self, system: System, run: Retarget, varied: Sequence[tuple[str, int]], written: "dict[str, Any]") -> None:
        """`varied`: name of the array and flat place of each number that is an input; `written` (`find_written`)."""
        self._system, self._run, self._varied, self._written = system, run, varied, written

    def arrays(self, inputs: Sequence[Number]) -> Arrays:
        """Arrays of objects: traced numbers in the places that vary, and what evaluations write out of date."""
        found = {name: x.astype(object) if x.dtype.kind == "f" else x for name, x in self._system.arrays._asdict().items()}
        for name, flags in self._written.items():
            found[name][flags] = _Stale()
        for (name, place), x in zip(self._varied, inputs, strict=True):
            found[name].reshape(-1)[place] = x
        return Arrays(**found)

    def terms(self, arrays: Arrays, t: Number, q: Numbers, v: Numbers | None) -> Terms:
        """At (t, q, v); without v, C and xi alone."""
        n, m = self._system.n_v, self._system.n_rows
        C, xi, M, h, eta, power = (_zeros(size) for size in ((m, n), m, (n, n), n, m, 1))
        functions = self._system.functions
        self._call(functions.constraints, arrays, t, _vector(q), C, xi)
        if v is not None:
            self._call(functions.dynamics, arrays, t, _vector(q), _vector(v), M, h, eta, power)
        return Terms(_given(M), _given(h), _given(C), _given(xi), _given(eta), _given(power)[0])

    def rates(self, arrays: Arrays, t: Number, q: Numbers, v: Numbers) -> Numbers:
        """q_dot and the rates of states."""
        out = _zeros(len(q))
        self._call(self._system.functions.rates, arrays, t, _vector(q), _vector(v), out)
        return list(_given(out))

    def residual(self, arrays: Arrays, t: Number, q: Numbers) -> Numbers:
        """phi."""
        out = _zeros(self._system.n_holonomic)
        self._call(self._system.functions.residual, arrays, t, _vector(q), out)
        return list(_given(out))

    def energies(self, arrays: Arrays, t: Number, q: Numbers, v: Numbers) -> Numbers:
        """Kinetic and potential energy, and the one that is balanced."""
        out = _zeros(3)
        self._call(self._system.functions.energy, arrays, t, _vector(q), _vector(v), out)
        return list(_given(out))

    def moved(self, arrays: Arrays, q: Numbers, d: Numbers) -> Numbers:
        """q (+) d."""
        out = _vector(q)
        self._call(self._system.functions.move, arrays, out, _vector(d))
        return list(_given(out))

    def _call(self, kernel: object, *arguments: object) -> None:
        try:
            self._run(kernel)(*arguments)
        except TraceError:
            raise
        except Exception as error:
            raise TraceError(f"{getattr(kernel, '__qualname__', kernel)} does not run over traced numbers: {error}") from error


def _vector(values: Sequence[Number]) -> Any:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _zeros(shape: "int | tuple[int, ...]") -> Any:
    return np.full(shape, 0.0, object)


def find_written(system: System, t: float, q: Floats, v: Floats) -> dict[str, Any]:
    """Of the scratch of a system, which numbers an evaluation writes (booleans by name): those that differ between two states."""
    found, moved = [], system.move(q, np.full(system.n_v, MOVED_BY))
    for at, coordinates, speeds in ((t, q, v), (t + MOVED_BY, moved, v + MOVED_BY)):
        system.terms(at, coordinates, speeds)
        found.append({name: getattr(system.arrays, name).copy() for name in SCRATCH})
    system.terms(t, q, v)
    return {name: (found[0][name] != found[1][name]) & np.isfinite(found[1][name]) for name in SCRATCH}
