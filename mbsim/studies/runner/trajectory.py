"""Marches of one system between any two times of a run, from any state, with the run's own method and integrator."""

from dataclasses import replace
from functools import partial

import numpy as np

from mbsim import contracts
from mbsim.diagnosis.crossing import Ways, settle
from mbsim.march.formulation import formulate
from mbsim.march.kernels import stepper
from mbsim.march.lengths import set_rate
from mbsim.march.precision import Precision
from mbsim.march.settings import Settings
from mbsim.studies.runner.fast_march import is_finite, pool_work
from mbsim.system.system import Floats, System

PATIENCE = 300_000  # evaluations of one march
LOOKS = 100  # of one march, at steps that seemed to turn the configuration over


class MarchError(ValueError):
    """A march that does not reach its end without a singular position or a failure."""


class HeadwayError(MarchError):
    """A march that takes more than PATIENCE evaluations, as where a law changes again and again."""


class Trajectory:
    """The motion of a system whose arrays may change in place."""

    def __init__(self, system: System, settings: Settings) -> None:
        made = formulate(system, settings)
        work, self._pool = pool_work(made.work)
        self._formulation = replace(made, work=work)
        self._settings, self._stepper = settings, stepper(settings, system)
        self._scratch = np.zeros((self._stepper.scratch, made.size))
        self._clock, self._z = np.zeros(contracts.CLOCK), np.zeros(made.size)
        if settings.controls_error:
            work.status[contracts.STATUS_PAUSE] = PATIENCE
        self._fresh = self._pool.copy()
        self._is_new = False  # whether the next state is the first of a run
        self.width = made.width

    def work_beside(self) -> contracts.Work:
        """Work arrays for what looks at rows of this march."""
        return self._formulation.beside(self._settings).work

    def hold(self, q: Floats) -> None:
        """Hold the constraints to what can be met at the start q of a run."""
        self._pool[:] = self._fresh
        Precision(self._formulation, self._settings, q)
        self._fresh[:] = self._pool
        self._is_new = True

    def _measure(self, row: Floats) -> None:
        """Measure speeds by the first row of a run, in all marches of it."""
        work, now = self._formulation.work, self._pool.copy()
        set_rate(self._formulation.system, work, row, self._formulation.span)
        rate, scales = work.rate.copy(), work.state_scales.copy()
        self._pool[:] = self._fresh
        work.rate[:], work.state_scales[:] = rate, scales
        self._fresh[:] = self._pool
        self._pool[:] = now

    def state(self, t: float, q: Floats, v: Floats, work: float) -> Floats:
        """The output row [q; v; v_dot; lam; work] of a state. Raises MarchError."""
        self._begin(t, q, v, work)
        row = np.zeros(self.width)
        if not self._formulation.expands(t, self._z, row):
            raise MarchError(f"the state at t = {t:.9g} s has no finite accelerations")
        if self._is_new:
            self._is_new = False
            self._measure(row)
        return row

    def march(self, times: Floats, row: Floats) -> Floats:
        """The output rows (k, width) at increasing times (k,), the first of which is that of `row`. Raises MarchError."""
        system, rows = self._formulation.system, np.zeros((len(times), self.width))
        n_q, n = system.n_q, system.n_v
        rows[0] = row
        self._begin(times[0], row[:n_q], row[n_q : n_q + n], float(row[-1]))
        work = self._formulation.work
        work.status[contracts.STATUS_CHANGED] = 1
        self._scratch[:], self._clock[:] = 0.0, 0.0
        self._clock[contracts.CLOCK_TIME] = times[0]
        ahead = np.zeros((len(times) - 1, self.width))
        held = self._formulation.functions, system.functions, system.arrays, work
        step, filled = self._stepper.march(), 0
        for _ in range(LOOKS):
            grid = np.concatenate([self._clock[contracts.CLOCK_TIME :][:1], times[1 + filled :]])
            filled += step(*held, grid, self._settings.step, self._z, ahead[filled:], self._clock, self._scratch)
            if filled == len(ahead) or not self._stays():
                break
        if filled < len(ahead) and work.status[contracts.STATUS_CODE] == contracts.PAUSED:
            at = self._clock[contracts.CLOCK_TIME]
            raise HeadwayError(f"the march makes no headway at t = {at:.9g} s: the equations are stiff, or a law changes again and again")
        if filled < len(ahead) or not is_finite(ahead.reshape(-1)):
            at = self._clock[contracts.CLOCK_TIME]
            raise MarchError(f"the march stops at t = {at:.9g} s, at a singular position, or where a law changes at once again")
        rows[1:] = ahead
        return rows

    def _stays(self) -> bool:
        """After a step that seemed to turn the configuration over: whether the march goes on from where it is.

        It does not where branches meet there.
        """
        formulation, work = self._formulation, self._formulation.work
        system, t = formulation.system, float(self._clock[contracts.CLOCK_TIME])
        if work.status[contracts.STATUS_CODE] != contracts.CROSSED:
            return False
        q, speeds = formulation.configuration(self._z), self._z[: system.n_v]
        look = partial(formulation.functions.watch, system.functions, system.arrays, work, t, q, speeds)
        found = settle(Ways(system, work), t, q, look, 0)
        if found is not None and found.meets:
            return False
        self._clock[:] = 0.0
        self._clock[contracts.CLOCK_TIME] = t
        work.status[contracts.STATUS_CODE], work.status[contracts.STATUS_CHANGED] = contracts.OK, 1
        return True

    def _begin(self, t: float, q: Floats, v: Floats, work: float) -> None:
        formulation = self._formulation
        self._pool[:] = self._fresh
        self._z[:] = 0.0
        formulation.configuration(self._z)[:] = q
        self._z[-1] = work
        if formulation.start(t, np.ascontiguousarray(q), np.ascontiguousarray(v), self._z) != contracts.OK:
            raise MarchError(f"the march cannot start at t = {t:.9g} s, at a singular position")
