"""Marches beside a run, from one of its output rows to later times, with work arrays of their own: those of the run stay as they are."""

from collections.abc import Callable
from dataclasses import dataclass
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
OFTEN = 5  # marches to the same number of rows, after which the call is bound
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


@dataclass
class _March:
    """A march to so many rows, with its arrays."""

    times: Floats  # (k + 1,) its begin and those of the rows
    z: Floats
    rows: Floats  # (k, width)
    clock: Floats
    scratch: Floats
    rest: Callable[[Floats, Floats], int]  # with other times and rows
    bind: Callable[[], Callable[[], int]] | None  # makes a call that can be repeated; None of a library's solver
    made: int = 0  # calls
    call: Callable[[], int] | None = None  # that can be repeated

    @classmethod
    def of(cls, of: Formulation, stepper: Stepper, rows: int, step: float) -> Self:
        """A new one."""
        march, held = stepper.march(), (of.functions, of.system.functions, of.system.arrays, of.work)
        times, z, out = np.zeros(rows + 1), np.zeros(of.size), np.zeros((rows, of.width))
        clock, scratch = np.zeros(contracts.CLOCK), np.zeros((stepper.scratch, of.size))
        given = (*held, times, step, z, out, clock, scratch)
        bind = partial(bound, march.func, *march.args, *given) if isinstance(march, partial) else None

        def rest(times: Floats, rows: Floats) -> int:
            return march(*held, times, step, z, rows, clock, scratch)

        return cls(times, z, out, clock, scratch, rest, bind)

    def __call__(self) -> int:
        """Fill the rows; one that is made often by a call that is bound, which takes as long as some ten others."""
        self.made += 1
        if self.call is None and self.bind is not None and self.made > OFTEN:
            self.call = self.bind()
        return self.rest(self.times, self.rows) if self.call is None else self.call()


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
        for passed in range(MOST_PASSAGES):
            beside.clock[:] = 0.0
            beside.clock[contracts.CLOCK_TIME] = t
            try:
                filled += beside.rest(np.append(t, times[filled:]), out[filled:]) if passed else beside()
            except SampleError:
                return None
            t = float(beside.clock[contracts.CLOCK_TIME])
            if filled == len(times) or not self.goes_on(t, z):
                break
        return out.copy() if filled == len(times) and np.isfinite(out).all() else None

    def _march(self, rows: int, step: float) -> "_March":
        """One to so many rows, as marches beside go to few numbers of rows. A library's solver remembers its run."""
        found = self._marches.get((rows, step))
        if found is None:
            found = _March.of(self._of, self._stepper, rows, step)
            if found.bind is not None and len(self._marches) < MOST_MARCHES:
                self._marches[rows, step] = found
        return found
