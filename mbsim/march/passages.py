"""Singular positions along a run: a start on one, a stage of a step on one, a step through one."""

from collections.abc import Callable, Sequence
from functools import partial
from math import inf

import numpy as np

from mbsim import contracts
from mbsim.diagnosis.crossing import LEAVES, Crossing, Settled, Ways, ahead, settle, settle_likewise, within
from mbsim.diagnosis.ranks import RankMonitor
from mbsim.diagnosis.singular import AT_REST, beside_start, find_undetermined
from mbsim.formulations import choose
from mbsim.kernels.ranks import FOLDED, LANDED
from mbsim.march.ending import Stopped, join_names, tell_dead_point, tell_lost
from mbsim.march.formulation import Formulation
from mbsim.march.renewed import renewed
from mbsim.march.settings import Settings
from mbsim.system.system import Floats

PASSED = 0.2  # of the step: how far beside a singular start its equations are evaluated
REACH = 1e-4  # rad, arms of the mechanism: and how far at most where the error is controlled, so that the step may be long
MET = 1e-12  # the least rtol that holds beyond a position that is stepped over (tests/physics/test_tight_tolerances.py)
NARROW = 1e-3  # of the step before
PAST, DRIVES = 17, 1e-3  # times since the start, and the part of the fastest speed that a driver asked for, below which it rests
MOVES = 0.5  # of the largest speed so far: a mechanism that lands with more, and has no freedom, was driven into a dead point


class Passages:
    """How a run starts on singular positions and passes them.

    `monitor` hears of the singular positions that steps went through; `try_step(dt)` is called with the step that the march begins
        with anew.
    """

    def __init__(
        self,
        formulation: Formulation,
        settings: Settings,
        rank: int,
        monitor: RankMonitor,
        try_step: Callable[[float], None],
        beside: Sequence[Settled] | None = None,
    ) -> None:
        """`rank` is that of the constraints at the start; `beside`: what was settled in the run beside which the march goes."""
        self._formulation, self._settings, self._rank = formulation, settings, rank
        self._monitor, self._try_step = monitor, try_step
        self._ways, self._leads = Ways(formulation.system, formulation.work), beside
        self.settled: list[Settled] = []
        self._stepped_over: list[float] = []  # s: positions that the march was told to step over
        self.refused: Crossing | None = None  # what steps over it were refused for last
        self._method_crosses = bool(choose(formulation.system, settings.method, settings.options).declares("CROSSES", False))

    def again(self, settings: Settings, rank: int, monitor: RankMonitor) -> "Passages":
        """Those of the same march from another state on, where the constraints have this rank."""
        ways = Ways(self._formulation.system, self._formulation.work)
        return renewed(self, _settings=settings, _rank=rank, _monitor=monitor, _ways=ways, settled=[], _stepped_over=[], refused=None)

    def start(self, q: Floats, v: Floats, z: Floats) -> int:
        """Set z for the start (q, v), with the rank that the motion from it has; returns OK or what is wrong. Raises Stopped."""
        formulation, work, t = self._formulation, self._formulation.work, self._settings.start
        system, rank = formulation.system, self._rank
        formulation.configuration(z)[:] = q
        if names := find_undetermined(system, t, q, v, rank):
            raise Stopped(f"the motion is not determined: it starts at rest on a singular position of {join_names(names)}")
        work.watch[contracts.WATCH_LANDS] = 0.0
        step = (PASSED if v.any() else 1.0) * self._settings.step
        reach = REACH if self._settings.controls_error else inf
        beside = beside_start(system, t, q, v, rank, step, reach) if self._method_crosses else None
        if beside is None:
            return formulation.start(t, q, v, z)
        code = formulation.start(beside.t, beside.q, beside.v, z)
        z[: system.n_v] = v
        work.status[contracts.STATUS_RANK], work.status[contracts.STATUS_NEAR] = beside.rank, 1
        work.beside[[contracts.BESIDE_TIME, contracts.BESIDE_PIVOT]] = beside.t, 0.0
        work.beside_q[:], work.beside_v[:] = beside.q, beside.v
        return code

    def said(self) -> list[str]:
        """A warning where the tolerance is less than round-off permits at a position that was stepped over."""
        rtol = self._settings.tolerance("rtol")
        if not self._stepped_over or rtol is None or rtol >= MET:
            return []
        return [
            f"rtol {rtol:g} is less than round-off permits at the singular position at t = {self._stepped_over[0]:.6g} s: "
            f"the motion after it may be off by much more; {MET:g} is met there"
        ]

    def resumes(self, at: float, z: Floats) -> bool:
        """Return whether a method that failed on a singular position, or waits before one, goes on from z, the last accepted one, at `at`.

        There the method's speeds do not give v. Methods with a held basis (`singular/decomposition.py`) can take v itself as their state,
        and do so when they see a singular position ahead; here a stage of a step has landed on one without a warning,
        or the next step is to go over one.
        """
        formulation, work = self._formulation, self._formulation.work
        n, n_q = formulation.system.n_v, formulation.system.n_q
        code = int(work.status[contracts.STATUS_CODE])
        waits = code == contracts.CROSSED and work.watch[contracts.WATCH_MEETS] > at
        singular = (waits or code == contracts.DEPENDENT_CONSTRAINTS) and work.status[contracts.STATUS_NEAR] == 0
        if not (singular and self._leaves_speeds):
            return False
        row = np.zeros(formulation.width)
        if not formulation.expands(at, z, row):
            work.status[contracts.STATUS_CODE], work.watch[contracts.WATCH_MEETS] = code, -np.inf
            return waits
        z[:n] = row[n_q : n_q + n]
        work.status[contracts.STATUS_NEAR], work.status[contracts.STATUS_CHANGED], work.beside[contracts.BESIDE_TIME] = 1, 1, np.nan
        if waits:
            self._tighten(at, z)
        return True

    @property
    def _leaves_speeds(self) -> bool:
        """Whether the method has speeds of its own and can go on with v itself."""
        independent = bool(self._formulation.work.settings[contracts.SETTING_INDEPENDENT])
        return independent and self._method_crosses and self._settings.drift == "full"

    def _steps_over(self, at: float) -> bool:
        """Whether the march may step over a position ahead as `integrators/_leaps.py` does."""
        settings, work = self._settings, self._formulation.work
        independent = bool(work.settings[contracts.SETTING_INDEPENDENT])
        fits = settings.controls_error and settings.drift == "full" and (self._leaves_speeds or not independent)
        return fits and work.watch[contracts.WATCH_LEAPS] != at

    def _tighten(self, at: float, z: Floats) -> None:
        """Move z at `at` onto the constraints to round-off, where it begins with v: beside the position what is left of them grows."""
        formulation, work = self._formulation, self._formulation.work
        system, status, pivot = formulation.system, work.status, float(work.beside[contracts.BESIDE_PIVOT])
        if work.settings[contracts.SETTING_INDEPENDENT] and not status[contracts.STATUS_NEAR]:
            return
        kept, new = status.copy(), z.copy()
        status[contracts.STATUS_NEAR], work.beside[contracts.BESIDE_PIVOT] = max(1, int(status[contracts.STATUS_NEAR])), 0.0
        held = system.functions, system.arrays, work
        code = formulation.functions.project(*held, at, formulation.configuration(new), new[: system.n_v])
        status[:], work.beside[contracts.BESIDE_PIVOT] = kept, pivot
        if code == contracts.OK:
            z[:] = new

    def _look_ahead(self, at: float, z: Floats) -> Crossing | None:
        """Where branches meet ahead of z at `at`, from where a step was rejected; None where they do not."""
        formulation, system = self._formulation, self._formulation.system
        row = np.zeros(formulation.width)
        if not formulation.expands(at, z, row):
            return None
        q, v = row[: system.n_q], row[system.n_q : system.n_q + system.n_v]
        found = within(system, formulation.work, at, q, v, float(formulation.work.watch[contracts.WATCH_SPAN]))
        return found if found is not None and found.meets else None

    def lands(self, at: float, z: Floats, ends: bool = False) -> None:
        """Look at the state z at `at`, where a step ended on a singular position. Raises Stopped where the motion is lost there.

        `ends`: the march ends at or near this state, because no step can be taken. Then the next step is looked at, too.
        """
        formulation, work = self._formulation, self._formulation.work
        n, n_q, watch = formulation.system.n_v, formulation.system.n_q, work.watch
        row, kept = np.zeros(formulation.width), work.status.copy()
        known = formulation.expands(at, z, row)
        work.status[:] = kept
        q, v = (row[:n_q], row[n_q : n_q + n]) if known else (formulation.configuration(z), None)
        if np.isfinite(q).all():
            usual = ends and not self._settings.controls_error  # the last step, which was refused, may have been a part of one
            span = max(abs(watch[contracts.WATCH_SPAN]), self._settings.step if usual else 0.0)
            before = work.locating[contracts.LOCATE_USUAL]
            if span < NARROW * before:  # it ended where a law changes: the steps before tell how far to look
                span = before
            self._require_determined(at, q, v, span, LANDED, ends)
        rests = watch[contracts.WATCH_SPEED] <= AT_REST * watch[contracts.WATCH_FASTEST]
        watch[contracts.WATCH_LANDS] = watch[contracts.WATCH_WAY] + (
            LANDED if rests else 0.0
        )  # at rest, it is looked at again where it moves off

    def _require_determined(self, t: float, q: Floats, v: Floats | None, span: float, reached: float, ends: bool = False) -> None:
        watch = self._formulation.work.watch
        largest = watch[[contracts.WATCH_FASTEST, contracts.WATCH_HARDEST]]
        rest = self._monitor.lost(t, q, v, int(watch[contracts.WATCH_RANK]), abs(span), largest, reached, ends)
        if rest is None:
            return
        system = self._formulation.system
        if (
            int(watch[contracts.WATCH_RANK]) == system.n_v
            and watch[contracts.WATCH_SPEED] > MOVES * largest[0]
            and self._drives(rest.time, q)
        ):
            raise tell_dead_point(rest, [driver.name for driver in system.drivers])
        raise tell_lost(rest)

    def _drives(self, t: float, q: Floats) -> bool:
        """Whether a driver still asks for a speed at t, beside what it has asked for since the start; the laws of drivers do not know q."""
        system, start = self._formulation.system, self._settings.start
        rows = [driver.row for driver in system.drivers]
        asked = [float(np.abs(system.xi(at, q)[rows]).max(initial=0.0)) for at in np.linspace(start, t, PAST)]
        return asked[-1] > DRIVES * max(asked)

    def crosses(self, at: float, z: Floats) -> bool:
        """Return whether the motion goes on from z at `at` after a step that turned it over, or was too long at any length."""
        formulation, work, step = self._formulation, self._formulation.work, self._settings.step
        system, code = formulation.system, work.status[contracts.STATUS_CODE]
        n, n_q = system.n_v, system.n_q
        asked = code == contracts.CROSSED and work.watch[contracts.WATCH_PROBED] == at
        if asked:
            found = self._look_ahead(at, z)
            work.watch[contracts.WATCH_PROBED] = np.nextafter(at, np.inf)  # not again here
        elif code == contracts.CROSSED and self._leads and (found := settle_likewise(self._leads, work)):
            work.status[contracts.STATUS_CHANGED] = 1
            return True
        elif code == contracts.CROSSED:
            q = formulation.configuration(z)
            look = partial(formulation.functions.watch, system.functions, system.arrays, work, at, q, z[:n])
            found = settle(self._ways, at, q, look, 0 if self._settings.controls_error else LEAVES)
            self.settled.append(Settled(at, at + float(work.watch[contracts.WATCH_SPAN]), found))
        elif code == contracts.COARSE:
            row = np.zeros(formulation.width)
            known = formulation.expands(at, z, row)
            found = ahead(self._ways, at, row[:n_q], row[n_q : n_q + n], step) if known else None
            work.status[contracts.STATUS_CODE] = code
        else:
            return False
        if not asked:
            self.refused = None if found is None or found.meets else found
        if code == contracts.CROSSED and found is not None and found.meets and found.t > at and self._steps_over(at):
            work.watch[contracts.WATCH_MEETS] = found.t
            self._stepped_over.append(found.t)
            self._tighten(at, z)
        if code == contracts.COARSE and (found is None or not found.meets):
            return False
        if code == contracts.COARSE:
            self._try_step(step)
        if found is not None and found.meets:
            self._require_determined(found.t, found.q, None, work.watch[contracts.WATCH_SPAN], FOLDED)
            self._monitor.passage(found.t, found.q, at)
        work.status[contracts.STATUS_CHANGED] = 1
        return True
