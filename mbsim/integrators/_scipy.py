"""Marching with a solver of SciPy (scipy.integrate BDF, Radau, LSODA) that is stepped one by one; for stiff motions.

The solver chooses order and step, and interpolates rows inside a step by its own dense output; they are moved onto the constraints like
those of the other integrators. Its Jacobian is computed by finite differences of z' = f(t, z), or by the tangents (`jacobian: tangents`,
`_jacobian.py`; of methods and systems without them still by differences). It only steers the Newton iteration of a step: an inexact
Jacobian costs iterations, not accuracy. By differences it is 2 to 20 % of the time of a run, which is spent in the solver's own Python.
Where the driver of the run offers `blocks`, `bdf` and `radau` form no matrix: these solve their linear systems (`_pencils.py`).

**Norm.** `bdf` and `ida` measure errors by the root mean square over z. Where z has k independent speeds, the error of the motion is in
these, and the more entries there are beside them, the less they count in the mean. Their tolerances are smaller by that.

**Projection.** After an accepted step the method's hook moves the state onto the constraints, by less than the error of the step. A solver
whose memory can be reached takes the moved state as the end of its step (`take_over`; BDF keeps its order: Eich 1993, SIAM J. Numer. Anal.
30), and drift stays below the tolerance. A solver whose memory a changed SciPy hides continues from its own state while rows are reported
as moved. It restarts from the moved state when the two differ by more than the tolerance of a step, in the root mean square; so its own
drift stays within that. If the hook gave z a new meaning, every solver restarts.

**Settling.** The projection is short in the metric of M, not in what a stiff spring makes of it. A correction of 1e-10 m between short
rods turns them by 1e-8 rad against springs that answer with 1e2 rad/s^2. That answer is the error of the next step, however short it is:
steps shrink to the time of the fastest mode. What a step of the solver leaves of the correction, d = (I - c J)^-1 (the correction), is as
consistent and has none of it: C v and phi are invariants of z_dot = f, and J keeps them (phi up to c C dv, far below a tolerance). So the
state is moved by d (`settle`), and so are rows between steps.

**Accelerations.** The polynomial p through the steps is as wrong in stiff directions as in others, and a stiff spring makes a large force
of that. p', whose error is of one order less than that of p, is not. What a step leaves of d = f(p) - p' is small in stiff directions and d
in others: rows have the accelerations p' + (I - c J)^-1 d, as those of compiled `radau` (`_stage_error`).

Python evaluates compiled functions through one kernel whose arguments are passed once (`bound`): passing them at each call would cost many
times an evaluation.
"""

import warnings
from functools import partial
from typing import Any

import numpy as np

from mbsim.contracts import (
    ARRAYS,
    CHANGED,
    CLOCK_ROWS,
    CLOCK_TIME,
    COUNT_EVALUATIONS,
    COUNT_STEPS,
    CROSSED,
    LOCATE_BEYOND,
    LOCATE_TARGET,
    LOCATE_TIME,
    METHOD,
    NOT_FINITE,
    OK,
    PAUSED,
    SETTING_INDEPENDENT,
    STATUS_CODE,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_PAUSE,
    STATUS_RANK,
    STEP_TOO_SMALL,
    STOPPED,
    SYSTEM,
    WORK,
    choices,
    integrator_settings,
)
from mbsim.integrators._accept import finish, place
from mbsim.integrators._corners import PASSES, TURNS, begin, evaluate, keep, seen
from mbsim.integrators._located import find_passage
from mbsim.integrators._pencils import Unfit, agree, tried_by
from mbsim.integrators._rates import Rates
from mbsim.jit import A1, bound, i8, kernel

OPTIONS = {
    "rtol": {"help": "relative tolerance of the error of a step", "default": 1e-6, "above": 3e-14},
    "atol": {
        "help": "absolute tolerance of the error of a step: rad, links of the mechanism, and these per s",
        "default": 1e-8,
        "above": 0.0,
    },
    "max_step": {"help": "longest step in s; no limit when not given", "default": None, "above": 0.0},
    "first_step": {"help": "first step in s; chosen from the tolerance when not given", "default": None, "above": 0.0},
    "jacobian": {
        "help": "how the solver finds its Jacobian: by differences, exactly by the tangents of the equations, or, with auto, by blocks of "
        "bodies where there are many with bdf and radau, else by differences",
        "default": "auto",
        "choices": ("differences", "tangents", "auto"),  # those of `ida` too, which is read here
    },
}
RTOL, ATOL, MAX_STEP, FIRST_STEP, JACOBIAN = integrator_settings(OPTIONS, "rtol", "atol", "max_step", "first_step", "jacobian")
AUTO, BY_TANGENTS = choices(OPTIONS, "jacobian", "auto", "tangents")
BLOCKS_AGREE = 100.0  # 1/s: of which s the solution by blocks is compared with differences of z_dot, once
EVALUATE, PLACE, FINISH, BEGIN, LOOK, KEEP = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0  # requests to `serve`
RETRY = 0.1  # of the failed step: the first step after a restart
TINY = 1e-15  # of the time: a shorter step does not change the time


@kernel(i8(METHOD, SYSTEM, ARRAYS, WORK, A1, A1, A1, A1))
def serve(method, system, arrays, work, ask, z, dz, row):
    """Carry out the request `ask` = [request, t, what has been seen of corners]. Returns the status code.

    EVALUATE: dz = f(t, z). PLACE: z moved onto the constraints, and its output row. FINISH: z accepted as the end of a step. BEGIN, LOOK,
    KEEP, of the corners of laws: at the state from which a march goes on; evaluate z and see what it shows; keep what was seen last.
    """
    what, t = ask[0], ask[1]
    if what == EVALUATE:
        return method.rhs(system, arrays, work, t, z, dz)
    if what in (BEGIN, LOOK):
        n, end = work.v.shape[0], z.shape[0] - 1
        code = method.rhs(system, arrays, work, t, z, dz)
        if code == OK and what == BEGIN:
            begin(system, arrays, work, t, z[n:end], dz[n:end])
        elif code == OK:
            evaluate(system, arrays, work, t, z[n:end], dz[n:end])
            ask[2] = seen(work, t, t - work.locating[LOCATE_TIME])
        return code
    if what == KEEP:
        keep(work, t, int(ask[2]))
        work.locating[LOCATE_BEYOND], work.locating[LOCATE_TARGET] = -np.inf, -np.inf
        return OK
    if what == PLACE:
        return place(method, system, arrays, work, t, z, row)
    return finish(method, system, arrays, work, t, z)


class March:
    """The march of one run, of the contract MARCH. `solver` is the class; `take_over(solver, change)` moves the end of its last step.

    Without `take_over` the solver cannot be changed: it also restarts at the first time of each call. `by_blocks(blocks, ...)` makes one
    that solves its linear systems with `blocks`. Where it is given, the driver may set `blocks`, which makes these for the work arrays of
    the run. `mean`: the solver's errors are means over z. `settle(solver, change)` is what a step leaves of a correction, and
    `calm(solver, t, z, d)`, where it is another one, what it leaves of d = f(z) - p'.
    """

    def __init__(self, solver, take_over=None, by_blocks=None, settle=None, mean=False, calm=None):
        self.restarts = 0
        self.by_blocks, self._mean = by_blocks, mean
        self.blocks: Any = None
        self._class, self._take_over, self._settle, self._calm = solver, take_over, settle, calm
        self._solver: Any = None
        self._paused = False  # whether it continues with the present solver
        self._server: Any = None
        self._jacobian: Any = None  # by the tangents
        self._blocks: Any = None
        self._locates = self._looked = False  # corners of laws; the last evaluation was at the end of the step
        self._failed: Any = None  # code and index of the last evaluation or step that failed since the last accepted one

    def __call__(self, method, system, arrays, work, times, step, z, rows, clock, scratch):
        """Fill rows[i] at times[i + 1] from z at clock[0]; z and the clock end at the last accepted step. Returns the rows filled."""
        if self._server is None:
            self._begin(method, system, arrays, work, z, rows.shape[1])
        self._end = times[-1]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.filterwarnings("ignore", module="scipy")  # these warnings end in a failure with a name
            if self._solver is None:
                self._anew(clock[CLOCK_TIME], z, self._first)
            elif not self._paused and self._take_over is None:
                self._anew(clock[CLOCK_TIME], z, None)
            elif not self._paused:
                self._solver.t_bound, self._solver.status = self._end, "running"
            self._paused = False
            filled = self._march(times, z, rows, clock)
        if filled < len(rows) and work.status[STATUS_CODE] not in (PAUSED, CROSSED):
            self._solver = None  # a march that continues from z restarts
        return filled

    def begin_with(self, step):
        """The first step (s) of the next solver."""
        self._solver, self._first = None, step

    def _begin(self, method, system, arrays, work, z, width):
        longest, first = work.settings[[MAX_STEP, FIRST_STEP]]
        k = work.v.size - int(work.status[STATUS_RANK]) if self._mean and work.settings[SETTING_INDEPENDENT] else 0
        rtol, atol = work.settings[[RTOL, ATOL]] * (np.sqrt(k / z.size) if k > 0 else 1.0)
        self._options = {"rtol": rtol, "atol": atol * work.state_scales, "max_step": np.inf if np.isnan(longest) else longest}
        self._first = None if np.isnan(first) else first
        self._work, self._locates = work, work.corners.shape[0] > 0
        self._ask, self._z, self._dz, self._row = np.zeros(3), np.zeros(z.size), np.zeros(z.size), np.zeros(width)
        self.held = (method, system, arrays, work)
        first = width - 1 - work.lam.size - work.v.size
        self._accelerations = self._row[first : first + work.v.size]
        self._server = bound(serve, *self.held, self._ask, self._z, self._dz, self._row)
        self.exact = bool(work.settings[JACOBIAN] == BY_TANGENTS) and not work.settings[SETTING_INDEPENDENT]
        self._wants_blocks = self.blocks is not None and work.settings[JACOBIAN] == AUTO and not work.settings[SETTING_INDEPENDENT]

    def _do(self, what, t, z):
        self._ask[:2] = what, t
        self._z[:] = z
        return self._server()

    def _rhs(self, t, z):
        """f(t, z) for the solver; NaN if it cannot be evaluated; the solver then tries a smaller step."""
        code = self._do(EVALUATE, t, z)
        if code != OK:
            self._failed = code, int(self._work.status[STATUS_INDEX])
            return np.full(z.size, np.nan)
        if not np.isfinite(self._dz).all():
            self._failed = NOT_FINITE, int(np.argmin(np.isfinite(self._dz)))
        return self._dz.copy()

    def _find_jacobian(self, t, z):
        """The Jacobian by the tangents, where it is wanted and is that of the method."""
        if self.exact and self._jacobian is None:
            from mbsim.integrators._jacobian import Jacobian, TransformError  # compiles

            try:
                found = Jacobian(self.held, z.size)
                self._jacobian = found if found.fits(self._rhs, t, z) else None
            except TransformError:
                self._jacobian = None
            self.exact = self._jacobian is not None

    def _find_blocks(self, t, z):
        """The blocks, where they are wanted and are those of the method."""
        if self._wants_blocks and self._blocks is None:
            made = self.blocks(self._work)
            self._blocks = made if agree(made, self._rhs, t, z, BLOCKS_AGREE) else None
            self._wants_blocks = self._blocks is not None

    def _go_dense(self, t, z, step):
        """A new solver that forms its matrices, for the rest of the run."""
        self._blocks, self._wants_blocks = None, False
        self._anew(t, z, step)

    @property
    def tangents(self):
        """The derivatives of the system's equations, where they are exact."""
        return self._jacobian.tangents

    def _by_tangents(self, t, z):
        """The Jacobian for the solver."""
        return self._jacobian(t, z, self._rhs(t, z))

    def _anew(self, t, z, first):
        """A new solver at (t, z), with its first step."""
        self._rhs(t, z)  # a method that checks its rank after a step finds it here
        self._find_jacobian(t, z)
        self._find_blocks(t, z)
        limit = min(self._end - t, self._options["max_step"])
        given = {"jac": self._by_tangents} if self.exact else {}
        made = self._class if self._blocks is None else partial(self.by_blocks, self._blocks)
        self._solver = made(self._rhs, t, z.copy(), self._end, first_step=first and min(first, limit), **given, **self._options)

    def _march(self, times, z, rows, clock):
        work, row = self._work, int(clock[CLOCK_ROWS])
        while row < len(rows):
            t, clock[CLOCK_ROWS] = clock[CLOCK_TIME], row
            if work.counts[COUNT_EVALUATIONS] >= work.status[STATUS_PAUSE]:
                work.status[STATUS_CODE], self._paused = PAUSED, True
                return row
            solver, code = self._solver, OK
            least = TINY * max(abs(t), abs(self._end))
            if self._locates and work.locating[LOCATE_TIME] != t and (code := self._do(BEGIN, t, z)) != OK:
                work.status[STATUS_CODE] = code
                return row
            try:
                solver.step()
                tried = solver.t - t
            except Unfit:
                self._go_dense(t, z, tried_by(solver, self._end - t))
                continue
            except (ValueError, np.linalg.LinAlgError):  # the differences for its Jacobian are not finite
                tried, code = tried_by(solver, self._end - t), NOT_FINITE
            if solver.status == "failed" or (tried < least and solver.status != "finished"):
                return self._fail(t, z, row)
            if not np.isfinite(solver.y).all():
                code = NOT_FINITE
                self._failed = self._failed or (code, int(np.argmin(np.isfinite(solver.y))))
            reached, end, y, self._looked = row, solver.t, solver.y, False
            found = self._passage(t) if self._locates and code == OK else None
            if found is not None:
                end, y = found, solver.dense_output()(found)
            if code == OK and times[row + 1] < end:
                interpolant = solver.dense_output()
                rates = Rates(interpolant, t, solver.t)
                while code == OK and reached < len(rows) and times[reached + 1] < end:
                    code = self._place(times[reached + 1], interpolant(times[reached + 1]), rates)
                    rows[reached] = self._row
                    reached += 1
            steps = work.counts[COUNT_STEPS]
            # the hook may use results of the evaluation at the end of a step
            if code == OK and not (self._locates and self._looked and reached == row):
                code = self._do(LOOK if self._locates else EVALUATE, end, y)
            if code == OK:
                code = self._do(FINISH, end, y)
            if code > OK:
                work.counts[COUNT_STEPS] = steps
                if code == CROSSED:  # the driver may let it pass: the same step again
                    self._anew(t, z, tried)
                if code in (STOPPED, CROSSED):
                    work.status[STATUS_CODE] = code
                    return row
                self._failed = self._failed or (code, int(work.status[STATUS_INDEX]))
                if RETRY * tried < least:
                    return self._fail(t, z, row)
                self._anew(t, z, RETRY * tried)
                continue
            z[:] = self._z
            clock[CLOCK_TIME], row, self._failed = end, reached, None
            ends_at_row = row < len(rows) and times[row + 1] <= end
            a = self._calmed(end, z, Rates(solver.dense_output(), t, solver.t)) if ends_at_row and code == OK else None
            if self._locates:
                self._do(KEEP, end, z)
            if found is None:
                self._carry_on(code, z)
            else:  # the history is that of the side before
                self.restarts += 1
                self._solver = None
                if end < self._end:
                    self._anew(end, z, None)
            if ends_at_row:
                code = self._do(PLACE, end, z)
                if code != OK:
                    work.status[STATUS_CODE] = code
                    return row
                if a is not None:
                    self._accelerations[:] = a
                rows[row] = self._row
                row += 1
        return row

    def _passage(self, t):
        """The end of the solver's last step from t, shortly beyond the first change of a law in it; None where there is none."""
        solver = self._solver

        def look(at, z):
            return int(self._ask[2]) if self._do(LOOK, at, z) == OK else None

        shown = look(solver.t, solver.y)
        self._looked = shown not in (None, PASSES, TURNS)
        if shown not in (PASSES, TURNS):
            return None
        return find_passage(look, self._work, solver.dense_output(), t, solver.t, shown == TURNS)

    def _carry_on(self, code, z):
        """Bring the solver to the accepted state z, or restart from there."""
        solver, work = self._solver, self._work
        change = z - solver.y
        if solver.status == "finished" and self._take_over is None:
            return
        far = np.sqrt(np.mean((change / (self._options["atol"] + self._options["rtol"] * np.abs(z))) ** 2)) > 1.0
        if code == CHANGED or (far and self._take_over is None):
            self.restarts += 1
            if solver.status == "finished":
                self._solver = None
            else:
                self._anew(solver.t, z, None)
            return
        if work.status[STATUS_FRESH]:
            self._rhs(solver.t, z)
        if change.any() and self._take_over is not None:
            change = self._settled(change)
            z[:] = solver.y + change
            self._take_over(solver, change)

    def _settled(self, change):
        """What is left of a correction of z after a step of the solver; the correction itself where that is not known."""
        if self._settle is None:
            return change
        try:
            left = self._settle(self._solver, change)
        except (Unfit, ValueError, np.linalg.LinAlgError):
            return change
        return left if np.isfinite(left).all() else change

    def _place(self, t, z, rates):
        """Put into the row what belongs to z at t, inside the last step, moved onto the constraints; returns the code."""
        code = self._do(PLACE, t, z)
        if code == OK and self._settle is not None:
            change = self._z - z
            if change.any():
                code = self._do(PLACE, t, z + self._settled(change))
            if code == OK and (a := self._calmed(t, self._z.copy(), rates)) is not None:
                self._accelerations[:] = a
        return code

    def _calmed(self, t, z, rates):
        """The accelerations (n_v,) of z at t, in the last step, without what stiff forces make of its error; None where not known."""
        if self._settle is None or self._work.settings[SETTING_INDEPENDENT]:
            return None
        failed, dz = self._failed, self._rhs(t, z)
        d = dz - (p_dot := rates(t))
        try:
            left = self._settled(d) if self._calm is None else self._calm(self._solver, t, z, d)
        except Unfit:
            left = d
        self._failed, found = failed, (p_dot + left)[: self._accelerations.size]
        return found if np.isfinite(found).all() else None

    def _fail(self, t, z, row):
        """Report why no step could be taken from (t, z): a failed evaluation, else the component that changes fastest for its tolerance."""
        work = self._work
        code, index = STEP_TOO_SMALL, 0
        if self._failed is not None:
            code, index = self._failed
        elif self._do(EVALUATE, t, z) == OK:
            share = np.abs(self._dz) / (self._options["atol"] + self._options["rtol"] * np.abs(z))
            first = work.v.size if work.settings[SETTING_INDEPENDENT] else 0  # the method's own speeds have no names
            index = first + int(np.argmax(share[first:]))
        work.status[STATUS_CODE], work.status[STATUS_INDEX] = code, index
        return row
