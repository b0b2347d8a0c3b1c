"""The march of a run in pieces: short enough that Ctrl-C is heard and progress shows, and ended where it makes no headway.

A march returns to Python where it has made as many evaluations as `STATUS_PAUSE` says, and goes on exactly where it was when it is called
again: pauses change no number. A piece takes about a tenth of a second, as the piece before it tells. Looking between pieces needs no
thread and no handler in compiled code.
"""

import signal
import threading
import time
from collections.abc import Callable
from functools import cached_property, partial
from types import FrameType, TracebackType
from typing import Any, Self
from weakref import ref

import numpy as np

from mbsim import contracts, jit
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.kernels import Stepper
from mbsim.march.settings import Settings
from mbsim.system.sample_error import SampleError
from mbsim.system.system import Floats

PIECE = 0.1  # s
SHORT = 1e-3  # s: after a piece that was shorter the clock of the processor is not asked, which may take longer than the piece
FIRST = 1000  # evaluations in the first piece: some may call Python
OPERATIONS = 3e7  # of an evaluation's linear algebra in the first piece
OF_BLOCKS = 1000  # these for each speed and row, where there are no dense matrices
AT_THE_END = int(np.iinfo(np.int64).max)  # evaluations, after which `reach` returns
GROWTH = 100.0  # of a piece over the one before it
STRETCH = 200_000  # evaluations over which the headway of a march that chooses its steps is looked at
NO_WAY = 2e-6  # of the run, or of MANY_STEPS: less in a stretch, and the run would take more than 1e11 evaluations, a day and more
STANDS = 5  # such stretches, at whose end a march with steps of equal size still is where it was: it looks for something within a step
MANY_STEPS = 1e5  # of the run's step; a longer run may well pass something short


class Interrupts:
    """Ctrl-C during a run: it ends between two pieces of the march, so that no row, file or step is left half done.

    While this is entered, the first one sets `asked` and tells the march; who ends the run for it takes `asked` back. A second one, or one
    while `at_once`, raises KeyboardInterrupt where it comes.

    In a thread other than the main one, or where the program has a handler of its own, nothing is changed: Python hands signals to the main
    thread only, and to that handler.
    """

    def __init__(self) -> None:
        self.asked = False
        self.at_once = False
        self._march: Callable[[], March | None] = lambda: None
        self._installed = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
            self._installed = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._installed = False
        if self.asked:  # too late to end what was going on here, but not what the program does next
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.asked or self.at_once:
            signal.default_int_handler(number, frame)
        self.asked = True
        if (march := self._march()) is not None:
            march.pause()

    def tell(self, march: "March") -> None:
        """Tell this march from now on, as long as there is one, to return to Python before its next step."""
        self._march = ref(march)


class March:
    """A march of the contract MARCH with what a run hands to it, called for one chunk of output rows after the other."""

    def __init__(self, formulation: Formulation, stepper: Stepper, step: float, interrupts: Interrupts) -> None:
        """`step` (s) is the largest."""
        system, work = formulation.system, formulation.work
        self.at = np.nan  # s: the last accepted time
        self.time = 0.0  # s of wall clock, in the march
        self.cpu_time = 0.0  # s of the processor in this thread, likewise
        self.error: BaseException | None = None  # what ended it from outside: Ctrl-C, or what `progress` raised
        self.lands: Callable[[float, Floats], None] = lambda at, z: None  # called after a step that ended on a singular position
        self.pauses: Callable[[], None] = lambda: None  # called when it returns between two steps
        self._interrupts = interrupts
        self._march: Any
        self._quick: Callable[[], int] | None = None  # of `reach`
        self._stepper, self._march = stepper, stepper.march()
        self._work, self._step = work, step
        self._scratch = np.zeros((stepper.scratch, formulation.size))
        self._held = formulation.functions, system.functions, system.arrays, work
        self._clock = np.zeros(contracts.CLOCK)
        size = system.n_v + system.n_rows
        operations = size**3 if work.M.size + work.C.size else OF_BLOCKS * size
        self._budget = max(1, min(FIRST, int(OPERATIONS / (1.0 + operations))))
        self._least = 0.0  # s: the way to be made in a stretch; none where the steps are of equal size
        self._took = PIECE  # s: the last piece
        self._from = 0, -np.inf  # evaluations and time at the beginning of the stretch

    @classmethod
    def of_run(cls, formulation: Formulation, stepper: Stepper, settings: Settings, interrupts: Interrupts) -> "March":
        """A new march with the settings of a run."""
        march = cls(formulation, stepper, settings.step, interrupts)
        if settings.controls_error:
            march.watch_headway(settings.end - settings.start)
        return march

    def watch_headway(self, span: float) -> None:
        """End a march that chooses its own steps where it gets nowhere in a run of `span` s."""
        self._least = NO_WAY * min(span, MANY_STEPS * self._step)

    def reach(self, t: float, target: float, z: Floats, row: Floats) -> bool:
        """March from z at t to one later time in one piece, and fill its row (1, width); whether it was reached.

        It is quick, and made for short ways: `z` and `row` are the same arrays at each call. Where it fails, z is the state at `at`, and
        `error` is what was raised, if anything.
        """
        if self._quick is None:
            self._way = np.zeros(2)
            self._quick = jit.bound(self._march, *self._held, self._way, self._step, z, row, self._clock, self._scratch)
        self._way[0], self._way[1] = t, target
        self._clock[:] = 0.0
        self._clock[contracts.CLOCK_TIME] = t
        self._work.status[contracts.STATUS_PAUSE] = AT_THE_END
        try:
            filled = self._quick()
            if filled == 0 and self._work.status[contracts.STATUS_CODE] == contracts.PAUSED:  # on a singular position
                self._pass(z)
                filled = self._go_on(self._way, z, row, None)
        except SampleError as error:
            self.at = float(self._clock[contracts.CLOCK_TIME])
            raise Stopped(str(error)) from error
        self.at = target if filled == 1 else float(self._clock[contracts.CLOCK_TIME])
        return filled == 1

    @cached_property
    def is_of_a_library(self) -> bool:
        """Whether a solver in Python takes the steps, which has a memory of its own."""
        return not isinstance(self._march, partial | jit.Kernel)

    def share(self, other: "March") -> None:
        """Keep what stands between two calls in the arrays of another march, whose z is as long."""
        self._clock, self._scratch = other._clock, other._scratch

    @property
    def scratch(self) -> Floats:
        """What the march keeps between two calls, not copied."""
        return self._scratch

    @property
    def parts(self) -> tuple[Any, Floats, float]:
        """The kernel of contract MARCH with the arguments before those of the contract, the clock, and the largest step (s)."""
        return self._march, self._clock, self._step

    def begin_anew(self, keep_step: bool = False) -> None:
        """Go on from another state than the one that was reached; with steps of the size that they had, or of a new one."""
        if self.is_of_a_library:
            self._march, self._quick = self._stepper.march(), None
        self._scratch[0 if not keep_step else 1 :] = 0.0
        self._scratch[:1, 1:2] = 0.0  # what is known at the state

    def restart(self) -> None:
        """Be as before a run."""
        self.at, self.time, self.cpu_time, self.error, self._from = np.nan, 0.0, 0.0, None, (0, -np.inf)
        self.begin_anew()

    def try_step(self, step: float) -> None:
        """Begin with a step (s) of this size, in a march that chooses its own steps."""
        if self._scratch.size:
            self._scratch[0, 0] = step
        else:  # a solver of a library
            self._march.begin_with(step)

    @property
    def reason(self) -> str:
        """Why a march that is Python's has failed, where it says so itself."""
        return str(getattr(self._march, "reason", ""))

    def __call__(self, times: Floats, z: Floats, rows: Floats, progress: Callable[[float], None] | None = None) -> int:
        """Fill rows[i] at times[i + 1] from z at times[0], in pieces, with `progress` called after each; returns the rows filled.

        Where these are not all, the work's status says why, or `error` is what was raised meanwhile; z is the state at `at` in any case.
        """
        self._clock[:] = 0.0
        self.at = self._clock[contracts.CLOCK_TIME] = times[0]
        return self._go_on(times, z, rows, progress)

    def _go_on(self, times: Floats, z: Floats, rows: Floats, progress: Callable[[float], None] | None) -> int:
        """What a call does, from where the clock is."""
        clock, status = self._clock, self._work.status
        filled = 0
        try:
            while True:
                filled = self._piece(times, z, rows)
                self.at = float(clock[contracts.CLOCK_TIME])
                if filled == len(rows) or status[contracts.STATUS_CODE] != contracts.PAUSED:
                    return filled
                self._pass(z)
                if not self._advances():
                    status[contracts.STATUS_CODE] = contracts.NO_HEADWAY
                    return filled
                if progress is not None:
                    progress(self.at)
        except BaseException as error:  # the rows so far are kept before it is raised again
            self.error = Stopped(str(error)) if isinstance(error, SampleError) else error
            self.at = float(clock[contracts.CLOCK_TIME])
            return int(clock[contracts.CLOCK_ROWS])

    def _piece(self, times: Floats, z: Floats, rows: Floats) -> int:
        counts, status = self._work.counts, self._work.status
        before = int(counts[contracts.COUNT_EVALUATIONS])
        status[contracts.STATUS_PAUSE] = before + self._budget
        if self._least:
            status[contracts.STATUS_PAUSE] = min(before + self._budget, max(self._from[0] + STRETCH, before + 1))
        self._interrupts.tell(self)
        if self._interrupts.asked:
            raise KeyboardInterrupt
        long = self._took >= SHORT
        tick, busy = time.perf_counter(), time.thread_time() if long else 0.0
        filled: int = self._march(*self._held, times, self._step, z, rows, self._clock, self._scratch)
        self._took = took = time.perf_counter() - tick
        self.time += took
        self.cpu_time += time.thread_time() - busy if long else took
        made = int(counts[contracts.COUNT_EVALUATIONS]) - before
        if made >= self._budget or took > PIECE:
            self._budget = max(1, int(made * min(PIECE / max(took, 1e-9), GROWTH)))
        return filled

    def _pass(self, z: Floats) -> None:
        """Tell those who wait for it that the march is between two steps."""
        self.at = float(self._clock[contracts.CLOCK_TIME])
        self.pauses()
        if self._work.status[contracts.STATUS_PAUSE] == 0:
            self.lands(self.at, z)

    def _advances(self) -> bool:
        """Whether the stretch that ends here, if one does, has brought the march forward."""
        evaluations, since = self._from
        now = int(self._work.counts[contracts.COUNT_EVALUATIONS])
        if now < evaluations + (STRETCH if self._least else STANDS * STRETCH):
            return True
        self._from = now, self.at
        return self.at - since >= self._least if self._least else self.at != since

    def pause(self) -> None:
        """Return to Python before the next step."""
        self._work.status[contracts.STATUS_PAUSE] = 0
