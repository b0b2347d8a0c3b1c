"""The driver: a system and its start -> method and integrator -> recorder. Python is crossed once per chunk of output rows."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim import jit, registry
from mbsim.analysis.crossing import LEAVES, ahead, settle
from mbsim.analysis.redundancy import redundancy
from mbsim.analysis.singular import beside_start, undetermined
from mbsim.assembled import Assembly, assemble_system
from mbsim.estimate import ErrorEstimate, March
from mbsim.events import end_of_run, stop_value
from mbsim.failures import blame
from mbsim.integrators import _fixed as fixed
from mbsim.marching import Interrupts, Marching
from mbsim.methods._project import project
from mbsim.methods._work import watcher, work_arrays
from mbsim.precision import Precision
from mbsim.recording import Recording, Stopped
from mbsim.results import Result
from mbsim.settings import OWN, Settings, merged
from mbsim.system.system import Floats, System
from mbsim.system.tables import complaint, forget

if TYPE_CHECKING:
    from mbsim.model.schema import Model

CHUNK_ROWS = 4000  # output rows between two crossings into Python
CHUNK_STEPS = 50_000  # steps between two, so that progress shows and Ctrl-C is heard
PASSED = 0.2  # of the step: how far beside a singular start its equations are evaluated
CHUNK_BYTES = 8_000_000  # of output rows held at once


class SimulationError(RuntimeError):
    """A run that could not go on. `time` (s) is the last accepted one; `result` holds everything up to it."""

    def __init__(self, message: str, at: float, result: Result | None) -> None:
        super().__init__(message)
        self.time = at
        self.result = result


class SimulationInterrupted(KeyboardInterrupt):
    """A run that Ctrl-C ended. `time` (s) is the last accepted one; `result` holds everything up to it."""

    def __init__(self, message: str, at: float, result: Result | None) -> None:
        super().__init__(message)
        self.time = at
        self.result = result


def simulate(
    source: "Model | System | Assembly",
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    output: str | Path | None = None,
    progress: Callable[[float], None] | None = None,
    force: bool = False,
    **settings: Any,
) -> Result:
    """Run a model, an assembled model, or a System from the start (q, v), and return the result.

    `settings` are the fields of Settings (end, step, output_step, method, integrator, drift, stop ...) and the options of the method and
    the integrator (hold=False, rtol=1e-9 ...); a model brings its own, and those given here win; a System needs `end`. A start (q, v)
    given here is corrected to satisfy the constraints. `output` is the HDF5 file to write (over what is not a result only with `force`);
    without it the result is kept in memory. `progress` is called with the time reached. Raises SimulationError when the run cannot go on,
    ValueError for settings that do not fit, mbsim.StartError for a start that cannot be assembled, OSError for an output.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    if isinstance(source, System):
        source = Assembly(source, float(given.get("start", 0.0)), np.zeros(source.n_q), np.zeros(source.n_v))
        q, v = source.q if q is None else q, source.v if v is None else v
    made = source if isinstance(source, Assembly) else _assembled(source)
    if made.simulation is None and "end" not in given:
        raise ValueError("end, the last time of the run in s, must be given for a system that no model file describes")
    chosen = merged(made.simulation, given, made.system)
    if chosen.start != made.start:
        raise ValueError("the start time belongs to the model: its start is assembled there")
    if q is not None or v is not None:
        moved = assemble_system(made.system, made.start, made.q if q is None else q, made.v if v is None else v)
        made = replace(made, q=moved.q, v=moved.v)
    return Run(made, chosen).record(output, progress, force)


def _assembled(model: "Model") -> Assembly:
    from mbsim.assembly import assemble  # with all that reads models, which a run of an assembled one does not need

    return assemble(model)


class Run:
    """One march of one system."""

    def __init__(self, made: Assembly, settings: Settings) -> None:
        self.made, self.settings = made, settings
        self.method: Any = method_module(made.system, settings.method)
        self.system = _with_event(made, settings)
        if settings.integrator == OWN:
            self.marcher: Any = lambda: partial(fixed.march, self.method.step)
            self._scratch_rows = fixed.SCRATCH + self.method.SCRATCH
        else:
            integrator: Any = registry.module("integrators", settings.integrator)
            self.marcher, self._scratch_rows = integrator.marcher, integrator.SCRATCH
        self._passes = registry.declaration("methods", settings.method, "CROSSES", False)
        self.found = redundancy(made.system, settings.start, made.q)
        self.work = allocate(self.system, self.method, settings)
        self.functions = jit.MethodFunctions(
            self.method.rhs,
            self.method.accept,
            self.method.expand,
            getattr(self.method, "project", project),
            self.method.start,
            watcher(self.system),
        )
        self.precision = Precision(settings, self.system, self.work, made.q)
        self.interrupts = Interrupts()
        looks = allocate(self.system, self.method, settings)
        self.recording = Recording(self.system, looks, made, settings, self.found, self.precision, self._estimate(), self.interrupts)
        self.width = self.system.n_q + 2 * self.system.n_v + self.system.n_rows + 1  # of an output row

    def _estimate(self) -> ErrorEstimate | None:
        """What estimates the error of a march with a fixed step; None where the integrator controls it."""
        settings, own = self.settings, self.settings.integrator == OWN
        if "rtol" in settings.options:
            return None
        order = registry.declaration("methods" if own else "integrators", settings.method if own else settings.integrator, "ORDER")
        work = allocate(self.system, self.method, replace(settings, step=2.0 * settings.step))
        scratch = np.zeros((self._scratch_rows, self.system.n_v + self.system.n_q + 1))
        march = March(self.system, self.functions, work, self.marcher, scratch, settings.step, float(order))
        return ErrorEstimate(march, self.found.degrees_of_freedom)

    def times(self) -> "tuple[int, Callable[[int], float]]":
        """Number of output intervals and the time of output i; the last interval may be shorter."""
        s = self.settings
        interval = s.output_step or s.step
        count = max(1, int(np.ceil((s.end - s.start) / interval - 1e-9)))
        return count, lambda i: s.start + i * interval if i < count else s.end

    def _chunk(self) -> int:
        """Rows between two crossings into Python; a multiple of those that one step goes over."""
        interval = self.settings.output_step or self.settings.step
        steps, across = max(1, round(interval / self.settings.step)), max(1, int(self.settings.step / interval * (1.0 + 1e-9)))
        most = max(1, min(CHUNK_ROWS, CHUNK_STEPS // steps, CHUNK_BYTES // (8 * self.width)))
        return max(across, most // across * across)

    def record(self, output: str | Path | None, progress: Callable[[float], None] | None, force: bool = False) -> Result:
        """March to the end, chunk by chunk, and close the result whatever happens."""
        settings, work = self.settings, self.work
        began = time.perf_counter()
        recording = self.recording
        z = np.zeros(self.system.n_v + self.system.n_q + 1)
        march = self._marching(z)
        with self.interrupts:
            recording.open(output, self.times()[0] + 1, force)
            status, failure, at, stopped = "failed", "", settings.start, False
            cause: BaseException | None = None  # what a user's callable raised
            try:
                recording.keep(np.array([settings.start]), self._begin(z))
                count, time_of = self.times()
                most = self._chunk()
                done, resumed = 0, False
                while done < count:
                    size = min(most, count - done)
                    times = np.array([time_of(i) for i in range(done, done + size + 1)])
                    if resumed:
                        times[0], resumed = at, False
                    rows = np.zeros((size, self.width))
                    filled = march(times, z, rows, progress)
                    at = march.at
                    if filled:
                        recording.keep(times[1 : filled + 1], np.ascontiguousarray(rows[:filled]))
                    if filled < size:
                        going = False
                        if march.error is None and work.status[jit.STATUS_CODE] == jit.STOPPED:
                            cut = self._stop(at, times[filled + 1 :], z)
                            if cut is not None:
                                self.recording.monitor.end = at = float(cut[0][-1])
                                recording.keep(*cut)
                                stopped = True
                                break
                            going = True
                        if going or (
                            march.error is None
                            and (self._resumes(at, z) or self._crosses(at, z, march.scratch) or self.precision.loosens(at, z))
                        ):
                            done, resumed = done + filled, True
                            continue
                        if at > time_of(done + filled):
                            self._last_state(at, z)
                        raise march.error or Stopped
                    cause = self._raised()  # where the run goes on, only an energy did
                    if cause is not None:
                        raise Stopped
                    done += size
                    self.precision.hold(at, z[self.system.n_v : -1])
                    if progress is not None:
                        progress(at)
                    if self.interrupts.asked:
                        raise KeyboardInterrupt
                status = "complete"
            except Stopped as stop:
                cause = cause or self._raised()
                reason = str(stop) or march.reason
                at = stop.at if stop.at is not None else at
                if cause is not None:
                    reason = f"{type(cause).__name__}: {cause}"
                failure = f"stopped at t = {at:.9g} s: {reason or blame(self.system, work, self.functions, settings.step, at, z)}"
            except KeyboardInterrupt as error:
                self.interrupts.asked = False
                status, failure, cause = "interrupted", f"interrupted at t = {at:.9g} s", error
            except BaseException as error:
                failure = f"stopped at t = {at:.9g} s: {error}"
                raise
            finally:
                ended: dict[str, Any] = {"counts": {name: int(work.counts[i]) for i, name in enumerate(jit.COUNT_NAMES)}}
                ended |= {"wall_time": time.perf_counter() - began, "march_time": march.time, "end": at}
                if stopped:
                    ended["stopped"] = f"{settings.stop} crossed zero"
                recording.close(status, {**ended, **({"failure": failure} if failure else {})})
        result = recording.result()
        if status == "interrupted":
            raise SimulationInterrupted(failure, at, result) from cause
        if status != "complete":
            raise SimulationError(failure, at, result) from cause
        return result

    def _marching(self, z: Floats) -> Marching:
        settings, scratch = self.settings, np.zeros((self._scratch_rows, z.size))
        march = Marching(self.marcher(), self.functions, self.system, self.work, settings.step, scratch, self.interrupts)
        return march.control(settings.end - settings.start) if "rtol" in settings.options else march

    def _begin(self, z: Floats) -> Floats:
        """The output row (1, width) of the start; sets z."""
        system, work, start = self.system, self.work, self.settings.start
        rows = np.zeros((1, self.width))
        z[system.n_v : -1] = self.made.q
        code = self._start(z)
        if code == jit.OK:
            code = self._expand(start, z, rows[0])
        if code != jit.OK or not np.isfinite(rows).all():
            work.status[jit.STATUS_CODE] = code or jit.NOT_FINITE
            raise Stopped
        forget(system)
        work.event[jit.EVENT_LAST : jit.EVENT_LAST + jit.EVENT_SIZE] = *stop_value(system, start, rows[0]), start
        work.event[jit.EVENT_LOOKED] = -np.inf
        if not np.isfinite(work.event[jit.EVENT_LAST]):
            raise Stopped(self._because("the stop expression is not finite"))
        work.status[jit.STATUS_CHANGED] = 1  # a multistep integrator begins anew
        return rows

    def _start(self, z: Floats) -> int:
        """The method's start; on a singular position with the rank that the motion from it has. Sets the method's part of z."""
        system, work, start, q, v = self.system, self.work, self.settings.start, self.made.q, self.made.v
        rank = self.found.rank
        if names := undetermined(system, start, q, v, rank):
            raise Stopped(f"the motion is not determined: it starts at rest on a singular position of {', '.join(names)}")
        beside = beside_start(system, start, q, v, rank, (PASSED if v.any() else 1.0) * self.settings.step) if self._passes else None
        if beside is None:
            return int(self.method.start(system.functions, system.arrays, work, start, q, v, z))
        code = self.method.start(system.functions, system.arrays, work, beside.t, beside.q, beside.v, z)
        z[: system.n_v] = v
        work.status[jit.STATUS_RANK], work.status[jit.STATUS_NEAR] = beside.rank, 1
        work.beside[[jit.BESIDE_TIME, jit.BESIDE_PIVOT]] = beside.t, 0.0
        work.beside_q[:], work.beside_v[:] = beside.q, beside.v
        return int(code)

    def _resumes(self, at: float, z: Floats) -> bool:
        """After a stage on a singular position, at which the method's speeds do not give v: whether it goes on with v itself from z.

        So do the methods that `_held` serves from where they see one coming; z at `at` is the last accepted state.
        """
        work, n, n_q = self.work, self.system.n_v, self.system.n_q
        singular = work.status[jit.STATUS_CODE] == jit.DEPENDENT_CONSTRAINTS and work.status[jit.STATUS_NEAR] == 0
        if not (singular and self._passes and self.settings.drift == "full" and work.settings[jit.SETTING_INDEPENDENT]):
            return False
        row = np.zeros(self.width)
        if self._expand(at, z, row) != jit.OK or not np.isfinite(row).all():
            work.status[jit.STATUS_CODE] = jit.DEPENDENT_CONSTRAINTS
            return False
        z[:n] = row[n_q : n_q + n]
        work.status[jit.STATUS_NEAR], work.status[jit.STATUS_CHANGED], work.beside[jit.BESIDE_TIME] = 1, 1, np.nan
        return True

    def _crosses(self, at: float, z: Floats, scratch: Floats) -> bool:
        """After a step that turned the configuration over, or was too long at any length: whether the motion goes on from z at `at`."""
        work, n, n_q, dt, code = self.work, self.system.n_v, self.system.n_q, self.settings.step, self.work.status[jit.STATUS_CODE]
        if code == jit.CROSSED:
            passed = settle(self.system, work, at, z[n : n + n_q], 0 if "rtol" in self.settings.options else LEAVES)
        elif code == jit.COARSE:
            row = np.zeros(self.width)
            known = self._expand(at, z, row) == jit.OK and bool(np.isfinite(row).all())
            passed = ahead(self.system, work, at, row[:n_q], row[n_q : n_q + n], dt) if known else None
            work.status[jit.STATUS_CODE] = code
            scratch[0, 0] = dt  # of integrators that choose their steps
        if code not in (jit.CROSSED, jit.COARSE) or (code == jit.COARSE and passed is None):
            return False
        if passed is not None:
            self.recording.monitor.passage(passed.t, passed.q)
        work.status[jit.STATUS_CHANGED] = 1
        return True

    def _expand(self, at: float, z: Floats, row: Floats) -> int:
        return int(self.method.expand(self.method.rhs, self.system.functions, self.system.arrays, self.work, at, z, row))

    def _stop(self, at: float, times: Floats, z: Floats) -> tuple[Floats, Floats] | None:
        """Output times and rows from the last accepted state at `at` to where the stop expression crosses zero, the last row; or None."""

        def march(times: Floats) -> Floats:
            rows, again = np.zeros((len(times), self.width)), self._marching(z)
            if again(np.array([at, *times]), z, rows) < len(times):
                raise again.error or Stopped
            return rows

        forget(self.system)
        try:
            return end_of_run(self.system, self.work, times, z, march)
        except ValueError as error:
            raise Stopped(self._because(str(error))) from None

    def _because(self, reason: str) -> str:
        """The reason, with the tables that were asked outside of their range."""
        return ": ".join(filter(None, [reason, complaint(self.system)]))

    def _raised(self) -> BaseException | None:
        """What one of the user's callables raised since it was last asked for."""
        error: BaseException | None = self.system.failure() if self.system.failure is not None else None
        return error

    def _last_state(self, at: float, z: Floats) -> None:
        """Record the last accepted state between two output times, where it can be evaluated."""
        row = np.zeros((1, self.width))
        kept = self.work.status.copy()
        if self._expand(at, z, row[0]) == jit.OK and np.isfinite(row).all():
            self.recording.keep(np.array([at]), row)
        self.work.status[:] = kept


def method_module(system: System, method: str) -> Any:
    """The module with a method's kernels for a system. Raises ValueError for a method that is for trees only and a system that is none."""
    trees = registry.declaration("methods", method, "TREES") if system.in_joint_coordinates else None
    if trees is None and registry.declaration("methods", method, "NEEDS") != "tree":
        return registry.module("methods", method)
    if system.in_joint_coordinates and not system.n_rows:
        return registry.module("methods", trees or method)
    if not system.in_joint_coordinates:
        raise ValueError(f"the method '{method}' is for trees in joint coordinates; add `coordinates: joint` to the model")
    rows = ", ".join(dict.fromkeys(row.partition("[")[0] for row in system.rows))
    raise ValueError(f"the method '{method}' is for trees without constraints; here there are loops, drivers or equations: {rows}")


def _with_event(made: Assembly, settings: Settings) -> System:
    """The system with the settings' stop expression compiled in."""
    if settings.stop is None:
        return made.system
    from mbsim.system.event import event_function, stop_expression

    system, parameters = made.system, list(made.parameters)
    expression = stop_expression(system, settings.stop, parameters)
    event = event_function(expression, parameters, system.coordinates, system.speeds)
    return replace(system, functions=system.functions._replace(event=event))


def allocate(system: System, method: Any, settings: Settings) -> jit.Work:
    """The work arrays of a method for a system."""
    return work_arrays(system, method, settings.codes(system.rheonomic), settings.options)
