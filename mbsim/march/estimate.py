"""The error of a march with a fixed step, estimated while it goes on: a march beside it with steps m times as long, from the same start.

Where the run's error is c h^p, p the order, that of the march beside is m^p times as much, and the difference of the two is m^p - 1 times
the run's error (Richardson). Whatever the motion makes of an error is in it, because both go all the way: that a pendulum runs ahead by
more and more, that an oscillator does not, that dampers forget, that neighbouring motions part.

Long steps cost little, but have to be short enough that their error is of order p still. m is EIGHT first: an eighth of the run's work.
Where the march beside is off the run by more than PARTED of the motion, or stops, half of m takes its place from the start on. Those are
coarse runs, which need few steps. Where two steps are too long as well, where the run cuts its own steps because of the constraints, or
where samples end each of them, steps of half the run's length take their place, for MOST_FINER of them. These are cut to half the length,
too, because the correction of the constraints over the way of a step is of order p.

A law that jumps within a step costs an error of order 1, one that bends an error of order 2. Models with laws or forces that have such
switches are marched with m = 2 from the start, and their order counts as SWITCHED at most.

With m = 2 the two may part by as much as the motion is. The run is then hardly better: as that is neared, the divisor goes to 1.

It is an estimate, not a bound: docs/results.md has how it compares with true errors.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil, gcd, isfinite, isnan, log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.diagnosis.crossing import Settled
from mbsim.diagnosis.ranks import RankMonitor
from mbsim.march.beside import MarchBeside
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.kernels import Stepper
from mbsim.march.lengths import measured, put_measured
from mbsim.march.passages import Passages
from mbsim.march.settings import Settings
from mbsim.march.snapshots import Snapshot
from mbsim.system.system import Floats

EIGHT, FOUR, TWO, HALF = 8.0, 4.0, 2.0, 0.5  # m: the run's steps in one of the march beside
SHORTER = {EIGHT: FOUR, FOUR: TWO, TWO: HALF}
MANY, SOME = 80, 8  # steps of a run: as many as EIGHT and TWO are for
PARTED = 1e-2  # of the motion: by how much the march beside may part from the run, where more than two steps are one
SWITCHED, UNDECLARED = 2.0, 1.0  # the order where laws may switch, and of a method that declares none: few are lower
COMPARED = 200  # places of a chunk, at most, at which the two motions are compared
PIECE = 2000  # steps of the march beside, after which Ctrl-C is heard
MOST_STEPS = 20_000  # of the march beside: from then on the error grows as it did before
MOST_FINER = 10_000  # of them where they are half as long as the run's
LATER = 1e-12  # of the time, or of 1 s: between rows that are nearer to each other an event has changed the state
AT_ROW = 1e-6  # of the time between two comparisons: a row that is so near is there
AT_REST = 1e-4  # of the largest kinetic energy: there is less at rest
Kept: TypeAlias = dict[float, tuple[Formulation, MarchBeside, Snapshot]]  # by m, of runs that may begin again
LOST = 5  # times that the march beside did not get on, after which there is none


class ErrorEstimate:
    """Of the positions (m or rad), row by row. It leaves the work arrays of the run alone."""

    def __init__(
        self,
        formulation: Formulation,
        stepper: Stepper,
        settings: Settings,
        start: tuple[Floats, int],
        switches: bool,
        kept: Kept | None = None,
        asked: Callable[[], bool] = lambda: False,
        settled: Sequence[Settled] = (),
    ) -> None:
        """`formulation` and `settings` are those of the run; `start` is q and the rank of C there.

        `switches`: whether laws may change within a step; `asked`: whether the run is to end now. `kept` are the marches beside an earlier
        part of the run by the same formulation; `settled`: singular positions that the run went through, which grow in number.
        """
        self._kept, self._measured = {} if kept is None else kept, measured(formulation.work)
        self._of, self._stepper, self._settings, self._asked = formulation, stepper, settings, asked
        (self._start, self._rank), self._settled = start, settled
        self._order = UNDECLARED if isnan(stepper.order) else min(stepper.order, SWITCHED) if switches else stepper.order
        step, interval = (min(time, settings.end - settings.start) for time in (settings.step, settings.interval))
        across = max(1, int(step / interval * (1.0 + 1e-9)))  # rows that a step goes over
        unit = across * interval
        self._in_unit = max(1, ceil(unit / step - 1e-9))  # steps
        self._unit, self._step = unit, unit / self._in_unit  # s
        self._origin = self._at = np.nan, np.zeros(0)  # time and row where the march beside began, and where it is
        self._left = MOST_STEPS
        steps = (settings.end - settings.start) / self._step
        few, rough = steps < SOME or formulation.system.samples is not None, steps < MANY or switches or self._order == UNDECLARED
        self._lengthen(HALF if few else TWO if rough else EIGHT)
        self._lost = self._rejected = 0
        self._first: Floats | None = None  # (n_q,)
        self._last = self._moved = self._most = self._reach = 0.0  # s: the last time; for how long it moved. J: the largest kinetic energy
        self._before = self._error = 0.0  # the error where the march beside began; the largest so far
        self._known: list[tuple[float, float]] = [(0.0, 0.0)]  # for how long it had moved, and the error then

    def chunk(self, times: Floats, rows: Floats, kinetic: Floats, rejected: int | None = None) -> Floats:
        """The estimate (k,) at output rows (k, width), which follow those of the last call, with their kinetic energies (k,) in J.

        `rejected`: how many steps the run had rejected there, where it has gone on since.
        """
        self._rejected = int(self._of.work.counts[contracts.COUNT_REJECTED]) if rejected is None else rejected
        if not len(times):
            return np.zeros(0)
        if self._first is None:
            self._last, self._first = float(times[0]), rows[0, : self._of.system.n_q].copy()
            self._begin(self._last, rows[0])
        elif times[0] - self._last <= LATER * max(1.0, abs(self._last)):
            self._begin(float(times[0]), rows[0])
            if len(times) == 1 and self._left and isfinite(kinetic[0]):
                return self._alone(float(times[0]), rows[0], float(kinetic[0]))
        moves = kinetic > AT_REST * np.maximum(np.maximum.accumulate(np.fmax(kinetic, 0.0)), self._most)
        moved = self._moved + np.cumsum(np.diff(times, prepend=self._last) * moves)
        self._most = max(self._most, float(np.nanmax(kinetic, initial=0.0)))
        with np.errstate(invalid="ignore"):  # rows of a run that is about to fail
            self._reach = max(self._reach, float(np.abs(rows[:, : self._of.system.n_q] - self._first).max(initial=0.0)))
        begun = self._error
        places, errors = self._compare(times, rows) if self._left else ([], [])
        self._known += zip(moved[places].tolist(), errors, strict=True)
        known_at, known = [self._last, *times[places].tolist()], [begun, *errors]
        self._moved, self._last = float(moved[-1]), float(times[-1])
        found: Floats = np.interp(times, known_at, known)
        if not self._left:
            later = times >= known_at[-1]
            found[later] = self._grown(moved[later])
            self._error = max(self._error, float(found[-1]))
        return found

    def _alone(self, t: float, row: Floats, kinetic: float) -> Floats:
        """What `chunk` does with one row alone, behind an event: the march beside begins there, and nothing is compared."""
        if kinetic > AT_REST * max(kinetic, self._most, 0.0):
            self._moved += t - self._last
        self._most, self._last = max(self._most, kinetic), t
        assert self._first is not None
        self._reach = max(self._reach, float(np.abs(row[: len(self._first)] - self._first).max(initial=0.0)))
        return np.array([self._error])

    def _begin(self, t: float, row: Floats) -> None:
        """A march beside from here on; what the error was stays."""
        self._origin = self._at = t, row.copy()
        self._before = self._error

    def _lengthen(self, times: float) -> None:
        """Steps that are so many times as long as the run's, or somewhat less where that many make no time between rows."""
        self._times, self._longer, self._block = times, times, self._unit  # s: where rows and long steps end together
        if self._in_unit >= times:
            self._longer = self._in_unit / ceil(self._in_unit / times)
        elif times > 1.0:
            self._block *= int(times) // gcd(int(times), self._in_unit)
        self._long = self._step * self._longer
        self._made: MarchBeside | None = None
        self._at = self._origin
        if times == HALF:
            self._left = min(self._left, MOST_FINER)

    @property
    def _beside(self) -> MarchBeside:
        """The march beside, with steps of the size that they have now; made where it is needed."""
        if self._made is None:
            self._made = self._march_by(replace(self._settings, step=self._long))
        return self._made

    def _march_by(self, settings: Settings) -> MarchBeside:
        """One that passes singular positions as the run does, whose march tells of them."""
        share = self._times**self._order if self._times == HALF else np.inf
        if self._times in self._kept:
            formulation, beside, fresh = self._kept[self._times]
            fresh.restore()
        else:
            formulation = self._of.beside(settings)
            beside = MarchBeside(formulation, self._stepper, share)
            if formulation.system.n_events:  # else no part of the run follows
                self._kept[self._times] = formulation, beside, Snapshot(formulation.work, np.zeros(0), self._of.work)
        put_measured(formulation.work, self._measured)
        beside.counts[:] = 0
        monitor, status = RankMonitor(formulation.system, settings.end), formulation.work.status
        monitor.begin(settings.start, self._start, self._rank)
        passages = Passages(formulation, settings, self._rank, monitor, lambda step: None, self._settled)

        def goes_on(at: float, z: Floats) -> bool:
            try:
                if status[contracts.STATUS_CODE] == contracts.PAUSED:
                    passages.lands(at, z)
                    status[contracts.STATUS_PAUSE] = np.iinfo(status.dtype).max
                    return True
                return passages.resumes(at, z) or passages.crosses(at, z)
            except Stopped:
                return False

        beside.goes_on = goes_on
        return beside

    def _compare(self, times: Floats, rows: Floats) -> tuple[list[int], list[float]]:
        """Rows at which the march beside was held against the run, and the largest estimate up to each."""
        if self._times > HALF and self._rejected:
            self._lengthen(HALF)
        while True:
            places, errors, whole = self._march(times, rows)
            if whole or self._times == HALF:
                break
            self._lengthen(SHORTER[self._times])
        for k, error in enumerate(errors):
            self._error = errors[k] = max(self._error, error)
        return places, errors

    def _march(self, times: Floats, rows: Floats) -> tuple[list[int], list[float], bool]:
        """Places and errors as far as the march beside gets in these rows; whether its steps may be as long as they are."""
        places, errors = list[int](), list[float]()
        wanted, pieces = self._places(times), ceil((times[-1] - self._at[0]) / (PIECE * self._long))
        if not len(wanted):
            return places, errors, True
        n_c, counts, ratio = self._of.system.n_c, self._beside.counts, self._ratio(float(times[wanted[0]]) - self._at[0])
        for part in np.array_split(wanted, pieces) if pieces > 1 else [wanted]:
            if not len(part) or self._asked():
                continue
            affordable = part[times[part] - self._at[0] <= self._left * self._long]
            if len(affordable) < len(part):
                self._left, part = 0, affordable
            if not len(part):
                break
            at = float(times[part[-1]])
            before = int(counts[contracts.COUNT_STEPS])
            found = self._beside(*self._at, times[part], self._long * (1.0 + 1e-9))
            taken = int(counts[contracts.COUNT_STEPS]) - before
            self._left = max(0, self._left - taken)
            if found is None:
                if self._times > HALF:
                    return [], [], False
                self._lost += 1
                self._left = 0 if self._lost >= LOST else self._left
                self._begin(at, rows[part[-1]])
                continue
            self._at = at, found[-1]
            apart = np.abs(found[:, :n_c] - rows[part, :n_c]).max(axis=1, initial=0.0)
            if self._times > TWO and apart[-1] > PARTED * self._reach:
                return [], [], False
            places += part.tolist()
            errors += (self._before + self._of_difference(apart, ratio)).tolist()
        return places, errors, True

    def _places(self, times: Floats) -> NDArray[np.intp]:
        """The rows at which the march beside is held against the run.

        They end long steps, counted from the start of the run; behind an event that lies between rows, from the first row. The last row
        before an event ends a shorter step.
        """
        start, block = self._counted_from(times), self._block
        first, last = (int((t - start) / block + AT_ROW) for t in (self._at[0], times[-1]))
        wanted = start + block * np.arange(first + 1, last + 1)[:: -max(1, ceil((last - first) / COMPARED))][::-1]
        found = np.minimum(np.searchsorted(times, wanted - AT_ROW * block), len(times) - 1)
        near = np.abs(times[found] - wanted) < 2.0 * AT_ROW * block
        places: NDArray[np.intp] = found[near & (times[found] - self._at[0] > self._long * (1.0 - AT_ROW))]
        if self._is_between(start, float(times[-1])) and (len(places) or self._ratio(float(times[-1]) - self._at[0]) != 1.0):
            places = np.append(places, len(times) - 1)
        return places

    def _counted_from(self, times: Floats) -> float:
        """The start of the run, or where it is no output time, as behind an event, the first row that is one."""
        start, interval = self._settings.start, self._settings.interval
        spaced = times[:-1][np.abs(np.diff(times) - interval) < AT_ROW * interval]
        return float(spaced[0]) if len(spaced) and self._is_between(start, float(spaced[0])) else start

    def _is_between(self, start: float, t: float) -> bool:
        """Whether a time lies between the output times that are counted from a start."""
        rows = (t - start) / self._settings.interval
        return abs(rows - round(rows)) > AT_ROW

    def _ratio(self, ahead: float) -> float:
        """How many of the run's steps one of the march beside is, which goes no farther `ahead` (s)."""
        return min(self._longer, float(ceil(ahead / self._step - AT_ROW)))

    def _of_difference(self, apart: Floats, ratio: float) -> Floats:
        """The error (k,) of the run where the march beside, by steps that are `ratio` times as long, is `apart` from it."""
        divisor = abs(ratio**self._order - 1.0)
        if not self._reach > 0.0:
            return np.zeros(len(apart))
        near = np.minimum(1.0, apart / self._reach)
        found: Floats = near * self._reach / divisor ** (1.0 - near)
        return found

    def _grown(self, moved: Floats) -> Floats:
        """The error (k,) after the march beside has ended: it grows on as it did in the second half of that."""
        at, error = self._known[-1]
        half = float(np.interp(0.5 * at, *np.transpose(self._known)))
        power = min(max(log2(error / half), 0.0), 2.0) if half > 0.0 else 1.0
        found: Floats = np.maximum(self._error, error * (moved / at) ** power) if at > 0.0 else np.full(len(moved), self._error)
        return found
