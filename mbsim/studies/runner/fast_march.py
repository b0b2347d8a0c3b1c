"""A march that is repeated with other numbers in the same arrays: kernels are bound once, work arrays are restored by copying.

It takes the plain case of `mbsim.analyses.dynamic.Run`: all output rows are reached without a stop, a singular position or a failure. In
every other case it says so, and `Run` itself is asked, which gives the same numbers. It saves more than half of a study of the four-bar
over 1 s (docs/benchmarks-studies.md).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from mbsim import contracts, jit
from mbsim.diagnosis.extent import extent
from mbsim.kernels import beginning
from mbsim.kernels.beginning import ARM, ROUNDED, WITHIN
from mbsim.march.formulation import formulate
from mbsim.march.kernels import stepper
from mbsim.march.lengths import Lengths, Quick, quick_kinds, set_rate
from mbsim.march.output_times import OutputTimes, TimesAhead, chunk_rows
from mbsim.march.precision import RESOLVED, Precision, find_asked
from mbsim.march.settings import Settings
from mbsim.system.system import Floats, System

PATIENCE = 2_000_000  # evaluations under error control, after which `Run` looks whether the march gets anywhere
FEW = 30  # coordinates
LARGEST = 64e6  # bytes of output rows that are held at once; a longer run is recorded chunk by chunk
_ZEROS = np.zeros(1000)


@dataclass
class _Chunk:
    """A piece of the march between two crossings into Python."""

    first: int  # row that is filled first
    rows: Floats  # (k, width), a view
    march: Callable[[], int]


def fits(system: System, settings: Settings) -> bool:
    """Whether a run of these settings is a plain case that can be held in memory."""
    width = system.n_q + 2 * system.n_v + system.n_rows + 1
    rows = OutputTimes(settings.start, settings.end, settings.interval).intervals + 1
    return settings.stop is None and system.failure is None and 8.0 * rows * width <= LARGEST


class FastMarch:
    """The march of one system with one set of settings."""

    def __init__(self, system: System, settings: Settings) -> None:
        self.settings = settings
        made = formulate(system, settings)
        work, self._pool = pool_work(made.work)
        self.formulation = formulation = replace(made, work=work)
        times = OutputTimes(settings.start, settings.end, settings.interval)
        self.times = times.between(0, times.intervals)
        self.rows = np.zeros((times.intervals + 1, formulation.width))
        self._flat = self.rows.reshape(-1)
        self.z, self._clock = np.zeros(formulation.size), np.zeros(contracts.CLOCK)
        self._now = formulation.configuration(self.z)
        self._coordinates = self.rows[:, : system.n_q]
        turns = np.array(system.coordinate_units) == "rad"
        self.near = np.where(turns, RESOLVED, WITHIN)  # (n_q,) coordinates that are resolved whatever the size of the mechanism
        self._q, self._v = np.zeros(system.n_q), np.zeros(system.n_v)
        self._stepper = stepper(settings, system)
        self._scratch = np.zeros((self._stepper.scratch, formulation.size))
        held = formulation.system.functions
        start, functions = settings.start, formulation.functions
        self._start = jit.bound(functions.start, held, system.arrays, work, start, self._q, self._v, self.z)
        self._expand = jit.bound(functions.expand, functions.rhs, held, system.arrays, work, start, self.z, self.rows[0])
        self._held = functions, held, system.arrays, work
        if settings.controls_error:
            work.status[contracts.STATUS_PAUSE] = PATIENCE
        self._fresh = self._pool.copy()
        self._solver: Any = None  # of a library, which remembers its run: made anew for each
        arms = [float(np.abs(joint.second_point).max()) for joint in system.joints]
        plain = bool(system.bodies) and not system.in_joint_coordinates and max(arms, default=0.0) < ARM
        self._asked, self._n_c, self._plain = find_asked(settings), system.n_c, plain
        self._lengths = Lengths(formulation.system, work)
        self._evaluate = jit.bound(held.constraints, system.arrays, start, self._q, work.C, work.xi)
        self._inertia = None if system.bodies else _MeanInertia(system, work, start, self._q)
        # Without bodies lengths and limits do not depend on the numbers.
        with np.errstate(all="ignore"):  # rows may have no numbers there
            self.always = None if system.bodies else Precision(formulation, settings, np.zeros(system.n_q))
        if self.always is not None:
            self._fresh[:] = self._pool
        # else the mean inertia counts, or what is resolved of the constraints
        self._is_measured = self.always is not None and not settings.controls_error and not system.n_rows
        self._chunks = list(self._cut(times))
        self.begins = self._begin_arguments()
        self._begin: Callable[[], int] | None = None if self.begins is None else jit.bound(beginning.begin, *self.begins)
        self.cancelled = False
        self._limiting, self._limits = self.always, self.near
        if self.always is not None:
            self._limits = np.maximum(self.near, self.always.scale.limits)
        self.precision: Precision | None = None  # of the last start, where that was not ordinary

    def _cut(self, times: OutputTimes) -> "list[_Chunk]":
        ahead, found, done = TimesAhead(times, chunk_rows(self.settings, self.formulation.width)), [], 0
        while ahead:
            chunk = ahead.chunk()
            rows = self.rows[1 + done : done + len(chunk)]
            found.append(_Chunk(1 + done, rows, self._bound(chunk, rows)))
            done += len(rows)
            ahead.reached(len(rows))
        return found

    def _bound(self, times: Floats, rows: Floats) -> Callable[[], int]:
        arguments = (*self._held, times, self.settings.step, self.z, rows, self._clock, self._scratch)
        clock, march, begins = self._clock, self._stepper.march(), float(times[0])
        call: Callable[[], int]
        if isinstance(march, partial):
            call = jit.bound(march.func, *march.args, *arguments)
        else:
            self._solver = march
            call = partial(self._solve, *arguments)

        def begin() -> int:
            clock[:] = 0.0
            clock[contracts.CLOCK_TIME] = begins
            return int(call())

        return begin

    def _solve(self, *arguments: object) -> int:
        return int(self._solver(*arguments))

    def begin(self, system: Callable[[], System], q: Floats, v: Floats) -> bool:
        """Set the work arrays, the state and the first row for the start (q, v); whether there is one. `system` as of a call."""
        self._pool[:] = self._fresh
        self._scratch[:] = 0.0
        self.z[:] = 0.0
        if self._solver is not None:
            self._solver = self._stepper.march()
        self._q[:], self._v[:] = q, v
        self.precision = self.always
        if self._begin is not None:
            found = self._begin()
            if found != beginning.OTHERWISE:
                return bool(found == beginning.BEGUN)
        if not self._is_measured:
            self._measure(system, q)
        self._now[:] = q
        if self._start() != contracts.OK or self._expand() != contracts.OK or not is_finite(self.rows[0]):
            return False
        set_rate(self.formulation.system, self.formulation.work, self.rows[0], self.formulation.span)
        return True

    def _begin_arguments(self) -> tuple[Any, ...] | None:
        """Those of `beginning.begin`, which begins a run in one call; None where that does not know the lengths of the mechanism."""
        system, formulation = self.formulation.system, self.formulation
        quick, known, n = self._lengths.quick() if self._plain else None, beginning.MEASURED, 0
        if self.always is not None:
            known = beginning.WEIGHED if self.settings.controls_error else beginning.KNOWN
            n = system.n_v if self.settings.controls_error else 0
            quick = Quick(np.zeros((0, 2)), *quick_kinds(system), np.zeros(n), np.zeros(0))
        if quick is None or self._solver is not None or system.failure is not None or n > beginning.MOST:
            return None
        start = beginning.Start(self._q, self._v, self.z, self.rows[0], *quick, np.zeros((n, n)))
        return formulation.functions, *self._held[1:], self.settings.start, start, self._asked, formulation.span, system.n_c, known

    def take(self, q: Floats, v: Floats) -> None:
        """Take the start from which `begins` begins."""
        self._q[:], self._v[:], self.precision = q, v, self.always

    @property
    def memory(self) -> tuple[Floats, Floats]:
        """That of the work arrays, and what is in it before a run."""
        return self._pool, self._fresh

    @property
    def configuration(self) -> slice:
        """The places of q in the state."""
        return slice(self.formulation.system.n_v, -1)

    @property
    def is_cut(self) -> bool:
        """Whether the march is in several pieces."""
        return len(self._chunks) > 1

    def ends(self) -> list[int]:
        """The rows with which pieces end but the last."""
        return [chunk.first + len(chunk.rows) - 1 for chunk in self._chunks[:-1]]

    @property
    def limits(self) -> Floats:
        """(n_q,) how far coordinates may go from the last start without another look at what is resolved there."""
        if self.precision is None:
            return self.near
        if self.precision is not self._limiting:
            self._limiting, self._limits = self.precision, np.maximum(self.near, self.precision.scale.limits)
        return self._limits

    def resolved(self, system: Callable[[], System], q: Floats) -> Floats:
        """(n_q,) how far coordinates may go in the run that was begun last, from its start q."""
        return (self.precision or self._precision(system(), q)).scale.limits

    @property
    def limits_at_start(self) -> Floats:
        """`limits` where `begins` knows the lengths of the mechanism."""
        return self.near if self.always is None else np.maximum(self.near, self.always.scale.limits)

    def _measure(self, system: Callable[[], System], q: Floats) -> None:
        """The lengths of the mechanism, and what of its constraints is resolved."""
        size = cache(lambda: extent(system(), self.settings.start, q, 0.0))  # what is asked for twice is found once
        self._lengths.measure(self.settings.start, q, self._evaluate, size, self._inertia)
        if self._is_ordinary(q):
            self.formulation.work.settings[contracts.SETTING_TOLERANCE], self.precision = self._asked, None
        elif self.always is not None:
            self.always.hold(self.settings.start, q)
        else:
            self.precision = self._precision(system(), q, size())

    def __call__(self, system: Callable[[], System], q: Floats, v: Floats) -> bool:
        """Fill `rows` from the start (q, v); whether all of them were reached. `system` gives the one that is marched, as it is now."""
        if not self.begin(system, q, v):
            return False
        precision = self.precision
        self.formulation.work.status[contracts.STATUS_CHANGED] = 1
        for chunk in self._chunks:
            if self.cancelled or chunk.march() != len(chunk.rows):
                return False
            if chunk is not self._chunks[-1]:
                if precision is None and not self._is_ordinary(self._now):
                    precision = self._precision(system(), q)
                if precision is not None:
                    precision.hold(float(self.times[chunk.first + len(chunk.rows) - 1]), self._now)
        if not is_finite(self._flat):
            return False
        sizes = np.abs(self._coordinates)
        if not (sizes > self.near).any():
            return True
        precision = precision or self._precision(system(), q)
        return not (sizes > precision.scale.limits).any()

    def _precision(self, system: System, q: Floats, size: float | None = None) -> Precision:
        """What `Run` asks: the tolerance of the constraints, and how far away coordinates are resolved. `size`: as of `scale`."""
        return Precision(self.formulation, self.settings, q, system, size)

    def _is_ordinary(self, q: Floats) -> bool:
        """Whether a mechanism in absolute coordinates is so near that round-off is below the tolerance that was asked for.

        Then that one is taken: `Precision` would say so too.
        """
        if not self._plain or self._asked * float(self.formulation.work.length[0]) < ROUNDED:
            return False
        if self._n_c <= FEW:  # quicker than NumPy
            given = q[: self._n_c].tolist()
            return bool(min(given) > -WITHIN and max(given) < WITHIN)
        return float(np.abs(q[: self._n_c]).max()) < WITHIN

    def cancel(self) -> None:
        """End the march that goes on, from another thread: before its next step."""
        self.cancelled = True
        self.formulation.work.status[contracts.STATUS_PAUSE] = 0


class _MeanInertia:
    """The mean of the diagonal of M at q, kg m^2 or kg, of a system of the user's own coordinates."""

    def __init__(self, system: System, work: contracts.Work, t: float, q: Floats) -> None:
        """C and xi go to the work arrays; `q` (n_q,) is read at each call."""
        n, held = system.n_v, system.functions
        self._M = np.zeros((n, n))
        rest = np.zeros(n), self._M, np.zeros(n), np.zeros(len(work.lam)), np.zeros(1)
        self._evaluate = jit.bound(held.constraints, system.arrays, t, q, work.C, work.xi)
        self._dynamics = jit.bound(held.dynamics, system.arrays, t, q, *rest)

    def __call__(self) -> float:
        self._M[:] = 0.0
        self._evaluate()
        self._dynamics()
        return float(self._M.trace()) / len(self._M)


def is_finite(values: Floats) -> bool:
    """Whether all of (k,) are. Of few, a product with zeros says so in a third of the time: it is no number where one is not."""
    k = len(values)
    return float(values.dot(_ZEROS[:k])) == 0.0 if k <= len(_ZEROS) else bool(np.isfinite(values).all())


def pool_work(work: contracts.Work) -> tuple[contracts.Work, Floats]:
    """Work arrays with the same contents in one piece of memory, so that all are restored by copying once; and this piece."""
    arrays = [array for part in work for array in ([part] if isinstance(part, np.ndarray) else part)]
    pool = np.zeros(sum(array.size for array in arrays))
    at = 0

    def moved(array: np.ndarray) -> np.ndarray:
        nonlocal at
        place = pool[at : at + array.size].view(array.dtype).reshape(array.shape)
        place[...] = array
        at += array.size
        return place

    def part(of: object) -> Any:
        if isinstance(of, np.ndarray):
            return moved(of)
        names = [name for name, array in vars(of).items() if isinstance(array, np.ndarray)]
        return type(of)(**{**vars(of), **{name: moved(getattr(of, name)) for name in names}})

    return contracts.Work(*(part(of) for of in work)), pool
