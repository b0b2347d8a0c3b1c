"""The consistent start of a system whose arrays change in place: the arithmetic of `mbsim.diagnosis.consistent` without its allocations.

`PlainStart` is that arithmetic itself. The quick start saves a tenth of a study of the four-bar over 1 s, and two fifths of one over
0.1 s (docs/benchmarks-studies.md).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import jit
from mbsim.assembly.following import follows
from mbsim.assembly.start import Given, find_start, held_apart, start
from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.consistent import ACCEPTED, POSITION_TOLERANCE, assemble_position, assemble_velocity, project_by_values, step
from mbsim.diagnosis.redundancy import column_scales, singular_values
from mbsim.kernels.ranks import FOLDED
from mbsim.model.file.errors import ModelError
from mbsim.system.displacement import DEPENDENT, Smallest, evaluate_start
from mbsim.system.system import Floats, System

PIVOT = 100.0 * FOLDED  # smallest pivot of unit rows above which no singular position is near: the singular value is seldom a tenth of it


class _Speeds(NamedTuple):
    """Speeds that are held at a start, and the whole of it in one call."""

    fixed: NDArray[np.bool_]  # as it is given
    held: NDArray[np.bool_]
    of: Smallest
    call: Callable[[], float]


class FastStart:
    """Starts of one system, at one time."""

    def __init__(self, system: System, t: float) -> None:
        self._system, self._t = system, t
        self._q, self._phi = np.zeros(system.n_q), np.zeros(system.n_holonomic)
        self._residual = jit.bound(system.functions.residual, system.arrays, t, self._q, self._phi)
        self._pivot = 0.0  # smallest one of unit rows at the last start, where it is known
        self._smallest: dict[tuple[int, bytes], Smallest] = {}  # by rows and what is held
        self._fixed: NDArray[np.bool_] | None = None  # speeds that were held at the last start,
        self._of_fixed: Smallest | None = None  # and what found the others; none where all were held
        self._plain, self._follows = system.failure is None and not is_large(system), follows(system)
        self._slides = np.array(system.coordinate_units) == "m"
        self._known: _Speeds | None = None

    def __call__(self, given: Given) -> tuple[Floats, Floats]:
        """(q, v) on the constraints. Raises StartError, and what `given.check` raises."""
        system = self._system
        self._pivot = 0.0
        found = self._at_once(given) if self._plain and system.n_rows and not self._follows else None
        if found is not None:
            return found
        q, _, v = find_start(system, given, self._position, self._velocity)
        return q, v

    def _at_once(self, given: Given) -> tuple[Floats, Floats] | None:
        """The start where its positions are on the constraints as they are given, and only speeds follow."""
        known = self._known
        if known is None or not (_same(given.fixed_v, known.fixed) and _same(given.held_v, known.held)):
            held = given.held_v if held_apart(given.held_v, given.fixed_v) else given.fixed_v
            if held.all():
                return None
            known = self._known = self._bound(given, held)
        known.of.factors.q[:] = given.q
        known.of.factors.v[:] = given.speeds(given.q)
        pivot = known.call()
        if not pivot > 0.0:
            return None
        try:
            given.check(given.q)
        except ModelError:  # the long way says what it is
            return None
        self._pivot = pivot
        return given.q, known.of.factors.v.copy()

    def _bound(self, given: Given, held: NDArray[np.bool_]) -> _Speeds:
        system, of = self._system, self._of(self._system.n_rows, held)
        call: Callable[[], float] = jit.bound(
            evaluate_start, system.functions, system.arrays, of.factors, self._phi, self._slides.astype(np.int64), self._t,
            POSITION_TOLERANCE, ACCEPTED,
        )  # fmt: skip
        return _Speeds(given.fixed_v, given.held_v, of, call)

    def _position(self, q: Floats, fixed: NDArray[np.bool_]) -> Floats:
        if not self._plain:
            return assemble_position(self._system, self._t, q, fixed)
        self._q[:] = q
        self._residual()
        spread = float(np.ptp(q[self._slides])) if self._slides.any() else 1.0
        if np.abs(self._phi).max() <= POSITION_TOLERANCE * min(spread, 1.0):  # the file draws it assembled
            return q
        return assemble_position(self._system, self._t, q, fixed, None if fixed.all() else lambda t, q, b: self._step(q, fixed, b))

    def _step(self, q: Floats, fixed: NDArray[np.bool_], b: Floats) -> Floats:
        """As `consistent.step`."""
        smallest = self._of(len(b), fixed)
        return smallest.solve(b) if smallest.factor(q) else step(self._system, self._t, q, len(b), ~fixed, b)

    def _of(self, rows: int, fixed: NDArray[np.bool_]) -> Smallest:
        key = rows, fixed.tobytes()
        if key not in self._smallest:
            self._smallest[key] = Smallest(self._system, self._t, rows, ~fixed, repeated=True)
        return self._smallest[key]

    def _velocity(self, q: Floats, speeds: Floats, fixed: NDArray[np.bool_]) -> Floats:
        """As `consistent.assemble_velocity`."""
        if self._plain:
            if fixed is not self._fixed:
                self._fixed, self._of_fixed = fixed, None if fixed.all() else self._of(self._system.n_rows, fixed)
            if self._of_fixed is not None:
                found, left, pivot = self._of_fixed.speeds(q, speeds)
                if pivot > DEPENDENT and (left <= ACCEPTED or left <= ACCEPTED * float(np.abs(found).max(initial=0.0))):
                    self._pivot = pivot
                    return found
                return project_by_values(self._system, self._t, q, speeds, fixed)
        return assemble_velocity(self._system, self._t, q, speeds, fixed)

    def is_regular(self, q: Floats) -> bool:
        """Whether all rows of C are independent at q, far from every singular position."""
        if not self._system.n_rows or self._pivot > PIVOT:
            return True
        return self._plain and _is_regular(self._system, self._t, q)


def _same(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bool:
    return a is b or a.tobytes() == b.tobytes()


class PlainStart:
    """The plain way: `FastStart` gives the same numbers."""

    def __init__(self, system: System, t: float) -> None:
        self._system, self._t = system, t

    def __call__(self, given: Given) -> tuple[Floats, Floats]:
        """(q, v) on the constraints. Raises StartError, and what `given.check` raises."""
        made = start(self._system, given)
        return made.q, made.v

    def is_regular(self, q: Floats) -> bool:
        """As of `FastStart`."""
        return not self._system.n_rows or _is_regular(self._system, self._t, q)


def _is_regular(system: System, t: float, q: Floats) -> bool:
    C = system.C(t, q)
    if len(C) > C.shape[1]:
        return False
    values = singular_values(C * column_scales(system, C), system.arrays.row_shares)
    return bool(values[-1] > FOLDED * values[0])
