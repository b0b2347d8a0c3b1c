"""Marches beside a run, from one of its output rows to later times, with work arrays of their own: those of the run stay as they are."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from mbsim import contracts
from mbsim.jit import bound
from mbsim.march.formulation import Formulation
from mbsim.march.kernels import Stepper
from mbsim.march.lengths import measured, put_measured
from mbsim.system.sample_error import SampleError
from mbsim.system.system import Floats

MOST_MARCHES = 16  # numbers of rows of which marches beside are held
MOST_PASSAGES = 50  # of singular positions, in one march beside


class Asked(NamedTuple):
    """A march beside: from a row (width,) at t to the rows at times (k,), by steps of at most a size. Times in s."""

    t: float
    row: Floats
    times: Floats
    step: float


class Answer(NamedTuple):
    """What it came to."""

    rows: Floats | None  # (k, width); None where it does not get there
    steps: int


class _March(NamedTuple):
    """A march to so many rows, with its arrays."""

    times: Floats  # (k + 1,) its begin and those of the rows
    z: Floats
    rows: Floats  # (k, width)
    clock: Floats
    scratch: Floats
    call: Callable[[], int]
    rest: Callable[[Floats, Floats], int]  # with other times and rows
    is_repeated: bool

    @classmethod
    def of(cls, of: Formulation, stepper: Stepper, rows: int, step: float) -> Self:
        """A new one."""
        march, held = stepper.march(), (of.functions, of.system.functions, of.system.arrays, of.work)
        times, z, out = np.zeros(rows + 1), np.zeros(of.size), np.zeros((rows, of.width))
        clock, scratch = np.zeros(contracts.CLOCK), np.zeros((stepper.scratch, of.size))
        given = (*held, times, step, z, out, clock, scratch)
        repeated = isinstance(march, partial)
        call = bound(march.func, *march.args, *given) if isinstance(march, partial) else partial(march, *given)

        def rest(times: Floats, rows: Floats) -> int:
            return march(*held, times, step, z, rows, clock, scratch)

        return cls(times, z, out, clock, scratch, call, rest, repeated)


class MarchBeside:
    """Marches from output rows, with work arrays of its own: those of the run stay as they are."""

    def __init__(self, formulation: Formulation, stepper: Stepper, share: float = np.inf) -> None:
        """`formulation` has work arrays that no one else uses; `share`: of the correction of the constraints that the
        run lets pass, above which steps are cut. If it is infinite they are taken whole: in parts, they would be those of the run."""
        self._of, self._stepper = formulation, stepper
        formulation.work.settings[contracts.SETTING_EVENT] = contracts.EVENT_NONE
        formulation.work.watch[contracts.WATCH_LIMIT] *= share
        work = formulation.work
        self.counts = work.counts
        self.goes_on: Callable[[float, Floats], bool] = lambda at, z: False  # from z at a time after a step that could not be taken
        self._marches: dict[tuple[int, float], _March] = {}
        self._begun = [(array, array.copy()) for array in (work.watch, work.kept_corners, work.locating)]  # as they are before a march

    def answer(self, asked: Asked) -> Answer:
        """The march that is asked for."""
        before = int(self.counts[contracts.COUNT_STEPS])
        rows = self(*asked)
        return Answer(rows, int(self.counts[contracts.COUNT_STEPS]) - before)

    def restart(self, of: Formulation) -> None:
        """Go beside another run of the same system, which is measured as in the work arrays of `of`."""
        self.counts[:] = 0
        put_measured(self._of.work, measured(of.work))

    def __call__(self, t: float, row: Floats, times: Floats, step: float) -> Floats | None:
        """The rows at `times` (k,) by steps of at most a size (s) from a row at t, or None where the march does not get there."""
        of, beside = self._of, self._march(len(times), step)
        work, n, n_q, z, out = of.work, of.system.n_v, of.system.n_q, beside.z, beside.rows
        z[:], out[:], beside.scratch[:] = 0.0, 0.0, 0.0
        z[n:-1], z[-1] = row[:n_q], row[-1]
        work.status[:], work.beside[contracts.BESIDE_TIME] = 0, np.nan
        for array, begun in self._begun:
            array[:] = begun
        if of.start(t, z[n:-1], row[n_q : n_q + n].copy(), z) != contracts.OK:
            return None
        work.status[contracts.STATUS_CHANGED] = 1
        work.status[contracts.STATUS_PAUSE] = np.iinfo(work.status.dtype).max  # it is short
        beside.times[0], beside.times[1:], filled = t, times, 0
        for _ in range(MOST_PASSAGES):
            beside.clock[:] = 0.0
            beside.clock[contracts.CLOCK_TIME] = t
            try:
                filled += beside.call() if not filled else beside.rest(np.append(t, times[filled:]), out[filled:])
            except SampleError:
                return None
            t = float(beside.clock[contracts.CLOCK_TIME])
            if filled == len(times) or not self.goes_on(t, z):
                break
        return out.copy() if filled == len(times) and np.isfinite(out).all() else None

    def _march(self, rows: int, step: float) -> "_March":
        """One to so many rows; bound once, as marches beside go to few numbers of rows. A library's solver remembers its run."""
        found = self._marches.get((rows, step))
        if found is None:
            of = self._of
            found = _March.of(of, self._stepper, rows, step)
            if found.is_repeated and len(self._marches) < MOST_MARCHES:
                self._marches[rows, step] = found
        return found
