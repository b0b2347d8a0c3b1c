"""Singular positions along a run: a start on one, a stage of a step on one, a step through one."""

from collections.abc import Callable
from functools import partial
from math import inf

import numpy as np

from mbsim import jit
from mbsim.diagnosis.crossing import LEAVES, Crossing, ahead, settle, within
from mbsim.diagnosis.ranks import RankMonitor
from mbsim.diagnosis.singular import AT_REST, beside_start, undetermined
from mbsim.formulations import choose
from mbsim.kernels.ranks import FOLDED, LANDED
from mbsim.march.ending import Stopped, lost, named
from mbsim.march.formulation import Formulation
from mbsim.march.settings import Settings
from mbsim.system.system import Floats

PASSED = 0.2  # of the step: how far beside a singular start its equations are evaluated
REACH = 1e-4  # rad, arms of the mechanism: and how far at most where the error is controlled, so that the step may be long
NARROW = 1e-3  # of the step before


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
    ) -> None:
        """`rank` is that of the constraints at the start."""
        self._formulation, self._settings, self._rank = formulation, settings, rank
        self._monitor, self._try_step = monitor, try_step
        self.refused: Crossing | None = None  # what steps over it were refused for last
        self._method_crosses = bool(choose(formulation.system, settings.method, settings.options).declares("CROSSES", False))

    def start(self, q: Floats, v: Floats, z: Floats) -> int:
        """Set z for the start (q, v), with the rank that the motion from it has; returns OK or what is wrong. Raises Stopped."""
        formulation, work, t = self._formulation, self._formulation.work, self._settings.start
        system, rank = formulation.system, self._rank
        formulation.configuration(z)[:] = q
        if names := undetermined(system, t, q, v, rank):
            raise Stopped(f"the motion is not determined: it starts at rest on a singular position of {named(names)}")
        work.watch[jit.WATCH_LANDS] = 0.0
        step = (PASSED if v.any() else 1.0) * self._settings.step
        reach = REACH if self._settings.controls_error else inf
        beside = beside_start(system, t, q, v, rank, step, reach) if self._method_crosses else None
        if beside is None:
            return formulation.start(t, q, v, z)
        code = formulation.start(beside.t, beside.q, beside.v, z)
        z[: system.n_v] = v
        work.status[jit.STATUS_RANK], work.status[jit.STATUS_NEAR] = beside.rank, 1
        work.beside[[jit.BESIDE_TIME, jit.BESIDE_PIVOT]] = beside.t, 0.0
        work.beside_q[:], work.beside_v[:] = beside.q, beside.v
        return code

    def resumes(self, at: float, z: Floats) -> bool:
        """After a stage on a singular position, at which the method's speeds do not give v, or before a step over one: whether it goes on
        with v itself from z.

        So do the methods that `held/decomposition.py` serves from where they see one coming; z at `at` is the last accepted state.
        """
        formulation, work = self._formulation, self._formulation.work
        n, n_q = formulation.system.n_v, formulation.system.n_q
        code = int(work.status[jit.STATUS_CODE])
        waits = code == jit.CROSSED and work.watch[jit.WATCH_MEETS] > at
        singular = (waits or code == jit.DEPENDENT_CONSTRAINTS) and work.status[jit.STATUS_NEAR] == 0
        if not (singular and self._leaves_speeds):
            return False
        row = np.zeros(formulation.width)
        if not formulation.expands(at, z, row):
            work.status[jit.STATUS_CODE], work.watch[jit.WATCH_MEETS] = code, -np.inf
            return waits
        z[:n] = row[n_q : n_q + n]
        work.status[jit.STATUS_NEAR], work.status[jit.STATUS_CHANGED], work.beside[jit.BESIDE_TIME] = 1, 1, np.nan
        return True

    @property
    def _leaves_speeds(self) -> bool:
        """Whether the method has speeds of its own and can go on with v itself."""
        independent = bool(self._formulation.work.settings[jit.SETTING_INDEPENDENT])
        return independent and self._method_crosses and self._settings.drift == "full"

    def _steps_over(self, at: float) -> bool:
        """Whether the march may step over a position ahead as `integrators/_leaps.py` does."""
        settings, work = self._settings, self._formulation.work
        independent = bool(work.settings[jit.SETTING_INDEPENDENT])
        fits = settings.controls_error and settings.drift == "full" and (self._leaves_speeds or not independent)
        return fits and work.watch[jit.WATCH_LEAPS] != at

    def _look_ahead(self, at: float, z: Floats) -> Crossing | None:
        """Where branches meet within the step from z at `at`, which was rejected; None where they do not."""
        formulation, system = self._formulation, self._formulation.system
        row = np.zeros(formulation.width)
        if not formulation.expands(at, z, row):
            return None
        q, v = row[: system.n_q], row[system.n_q : system.n_q + system.n_v]
        found = within(system, formulation.work, at, q, v, float(formulation.work.watch[jit.WATCH_SPAN]))
        return found if found is not None and found.meets else None

    def lands(self, at: float, z: Floats, ends: bool = False) -> None:
        """After a step that ended on a singular position, with the state z at `at`. Raises Stopped where the motion is lost there.

        Where it `ends` there, or nearly does, because no step can be taken, the next step is looked at, too.
        """
        formulation, work = self._formulation, self._formulation.work
        n, n_q, watch = formulation.system.n_v, formulation.system.n_q, work.watch
        row, kept = np.zeros(formulation.width), work.status.copy()
        known = formulation.expands(at, z, row)
        work.status[:] = kept
        q, v = (row[:n_q], row[n_q : n_q + n]) if known else (formulation.configuration(z), None)
        if np.isfinite(q).all():
            usual = ends and not self._settings.controls_error  # the last step, which was refused, may have been a part of one
            span = max(abs(watch[jit.WATCH_SPAN]), self._settings.step if usual else 0.0)
            before = work.locating[jit.LOCATE_USUAL]
            if span < NARROW * before:  # it ended where a law changes: the steps before tell how far to look
                span = before
            self._require_determined(at, q, v, span, LANDED, ends)
        rests = watch[jit.WATCH_SPEED] <= AT_REST * watch[jit.WATCH_FASTEST]
        watch[jit.WATCH_LANDS] = watch[jit.WATCH_WAY] + (LANDED if rests else 0.0)  # at rest, it is looked at again where it moves off

    def _require_determined(self, t: float, q: Floats, v: Floats | None, span: float, reached: float, ends: bool = False) -> None:
        watch = self._formulation.work.watch
        largest = watch[[jit.WATCH_FASTEST, jit.WATCH_HARDEST]]
        rest = self._monitor.lost(t, q, v, int(watch[jit.WATCH_RANK]), abs(span), largest, reached, ends)
        if rest is not None:
            raise lost(rest)

    def crosses(self, at: float, z: Floats) -> bool:
        """After a step that turned the configuration over, or was too long at any length: whether the motion goes on from z at `at`."""
        formulation, work, step = self._formulation, self._formulation.work, self._settings.step
        system, code = formulation.system, work.status[jit.STATUS_CODE]
        n, n_q = system.n_v, system.n_q
        asked = code == jit.CROSSED and work.watch[jit.WATCH_PROBED] == at
        if asked:
            found = self._look_ahead(at, z)
            work.watch[jit.WATCH_PROBED] = np.nextafter(at, np.inf)  # not again here
        elif code == jit.CROSSED:
            q = formulation.configuration(z)
            look = partial(formulation.functions.watch, system.functions, system.arrays, work, at, q, z[:n])
            found = settle(system, work, at, q, look, 0 if self._settings.controls_error else LEAVES)
        elif code == jit.COARSE:
            row = np.zeros(formulation.width)
            known = formulation.expands(at, z, row)
            found = ahead(system, work, at, row[:n_q], row[n_q : n_q + n], step) if known else None
            work.status[jit.STATUS_CODE] = code
        else:
            return False
        if not asked:
            self.refused = None if found is None or found.meets else found
        if code == jit.CROSSED and found is not None and found.meets and found.t > at and self._steps_over(at):
            work.watch[jit.WATCH_MEETS] = found.t
        if code == jit.COARSE and (found is None or not found.meets):
            return False
        if code == jit.COARSE:
            self._try_step(step)
        if found is not None and found.meets:
            self._require_determined(found.t, found.q, None, work.watch[jit.WATCH_SPAN], FOLDED)
            self._monitor.passage(found.t, found.q)
        work.status[jit.STATUS_CHANGED] = 1
        return True
