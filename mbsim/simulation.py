"""The driver: a system and its start -> method and integrator -> recorder. Python is crossed once per chunk of output rows."""

import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim import jit, registry
from mbsim.analysis.blocks import is_large
from mbsim.analysis.crossing import ahead, settle
from mbsim.analysis.observe import Observer
from mbsim.analysis.ranks import RankMonitor
from mbsim.analysis.redundancy import contradictions, redundancy
from mbsim.analysis.singular import beside_start, undetermined
from mbsim.assembled import Assembly, assemble_system
from mbsim.events import Snapshot, locate
from mbsim.failures import blame
from mbsim.integrators import _fixed as fixed
from mbsim.methods._project import project
from mbsim.methods._work import watcher, work_arrays
from mbsim.results import FileRecorder, Layout, MemoryRecorder, Result
from mbsim.settings import OWN, Settings, merged
from mbsim.system.system import Floats, System
from mbsim.system.tables import blocks, complaint, forget

if TYPE_CHECKING:
    from mbsim.model.schema import Model

CHUNK_ROWS = 4000  # output rows between two crossings into Python
CHUNK_STEPS = 50_000  # steps between two, so that progress shows and Ctrl-C is heard
PASSED = 0.2  # of the step: how far beside a singular start its equations are evaluated
CHUNK_BYTES = 8_000_000  # of output rows held at once
CONTRADICTED = 1e-6  # of the speeds: what is left of dependent velocity constraints when they contradict each other


class SimulationError(RuntimeError):
    """A run that could not go on. `time` (s) is the last accepted one; `result` holds everything up to it."""

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
    **settings: Any,
) -> Result:
    """Run a model, an assembled model, or a System from the start (q, v), and return the result.

    `settings` are the fields of Settings (end, step, output_step, method, integrator, drift, stop ...) and the options of the method and
    the integrator (hold=False, rtol=1e-9 ...); a model brings its own, and those given here win; a System needs `end`. A start (q, v)
    given here is corrected to satisfy the constraints. `output` is the HDF5 file to write; without it the result is kept in memory.
    `progress` is called with the time reached. Raises SimulationError when the run cannot go on, ValueError for settings that do not
    fit, mbsim.StartError for a start that cannot be assembled.
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
    return Run(made, chosen).record(output, progress)


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
        self.monitor = RankMonitor(self.system, settings.end)
        self.width = self.system.n_q + 2 * self.system.n_v + self.system.n_rows + 1  # of an output row

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

    def record(self, output: str | Path | None, progress: Callable[[float], None] | None) -> Result:
        """March to the end, chunk by chunk, and close the result whatever happens."""
        settings, work = self.settings, self.work
        began = time.perf_counter()
        observer = Observer(self.system, allocate(self.system, self.method, settings), self.made.measures)
        recorder = self._recorder(output, observer)
        status, failure, at, stopped = "failed", "", settings.start, False
        cause: BaseException | None = None  # what a user's callable raised
        marching = 0.0
        march = self.marcher()
        z = np.zeros(self.system.n_v + self.system.n_q + 1)
        try:
            scratch = np.zeros((self._scratch_rows, z.size))
            self._keep(recorder, observer, np.array([settings.start]), self._begin(z))
            count, time_of = self.times()
            most = self._chunk()
            done, clock, resumed = 0, np.array([settings.start]), False
            while done < count and not stopped:
                size = min(most, count - done)
                times = np.array([time_of(i) for i in range(done, done + size + 1)])
                if resumed:
                    times[0], resumed = at, False
                rows = np.zeros((size, self.width))
                tick = time.perf_counter()
                filled = march(
                    self.functions, self.system.functions, self.system.arrays, work, times, settings.step, z, rows, clock, scratch
                )
                marching += time.perf_counter() - tick
                at = float(clock[0])
                if filled:
                    self._keep(recorder, observer, times[1 : filled + 1], np.ascontiguousarray(rows[:filled]))
                if filled < size and work.status[jit.STATUS_CODE] == jit.STOPPED:
                    times, rows = self._stop(at, times[filled + 1 :], z)
                    self.monitor.end = float(times[-1])
                    self._keep(recorder, observer, times, rows)
                    at, stopped = float(times[-1]), True
                elif filled < size and (self._resumes(at, z) or self._crosses(at, z, scratch)):
                    done, resumed = done + filled, True
                    continue
                elif filled < size:
                    if at > (times[filled] if filled else times[0]):
                        self._last_state(recorder, observer, at, z)
                    raise _Stopped
                cause = self._raised()  # where the run goes on, only an energy did
                if cause is not None:
                    raise _Stopped
                done += size
                if progress is not None:
                    progress(at)
            status = "complete"
        except _Stopped as stop:
            cause = cause or self._raised()
            reason = str(stop) or getattr(march, "reason", "")
            at = stop.at if stop.at is not None else at
            if cause is not None:
                reason = f"{type(cause).__name__}: {cause}"
            failure = f"stopped at t = {at:.9g} s: {reason or blame(self.system, work, self.functions, settings.step, at, z)}"
        except KeyboardInterrupt:
            status, failure = "interrupted", f"interrupted at t = {at:.9g} s"
            raise
        except BaseException as error:
            failure = f"stopped at t = {at:.9g} s: {error}"
            raise
        finally:
            ended: dict[str, Any] = {"counts": {name: int(work.counts[i]) for i, name in enumerate(jit.COUNT_NAMES)}}
            ended |= {"wall_time": time.perf_counter() - began, "march_time": marching, "end": at}
            if stopped:
                ended["stopped"] = f"{settings.stop} crossed zero"
            if self.monitor.changes:
                ended["rank_changes"] = self.monitor.as_dicts()
            recorder.close(status, {**ended, **({"failure": failure} if failure else {})})
        result = recorder.result()
        if status != "complete":
            raise SimulationError(failure, at, result) from cause
        return result

    def _keep(self, recorder: Any, observer: Observer, times: Floats, rows: Floats) -> None:
        """Record output rows and look for changes of the rank in them.

        Stop before a row at which speeds contradict each other, and after one from which on the motion is not determined.
        """
        variables = observer.chunk(times, rows)
        k, names = self._contradicted(times, rows, variables["residual_velocity"])
        self.monitor.chunk(times[:k], rows[:k])
        rest = self.monitor.rest
        if rest is not None:
            k = int(np.searchsorted(times, rest.time, "right"))
        if k < len(times):
            variables = {name: values[:k] for name, values in variables.items()}
        if k:
            recorder.append(variables)
        if rest is not None:
            names = rest.constraints
            raise _Stopped(f"the motion is not determined: it comes to rest on a singular position of {', '.join(names)}", rest.time)
        if names:
            raise _Stopped(f"the velocity constraints {', '.join(names)} contradict each other", float(times[k - 1]) if k else None)

    def _contradicted(self, times: Floats, rows: Floats, residuals: Floats) -> tuple[int, list[str]]:
        """The first row whose C v + xi no velocity can bring to zero, and the constraints; the number of rows and nothing if there is none.

        Only rows of C that depend on each other can contradict. What a method leaves of the others by design is no contradiction.
        """
        system, n_q = self.system, self.system.n_q
        if is_large(system) or system.failure is not None:
            return len(times), []
        speeds = rows[:, n_q : n_q + system.n_v]
        limits = CONTRADICTED * (1.0 + np.abs(speeds).max(axis=1, initial=0.0))

        def group(k: int) -> list[str]:
            groups = redundancy(system, times[k], rows[k, :n_q]).groups
            found = contradictions(system, times[k], rows[k, :n_q], speeds[k], groups)
            return next((names for names, size in zip(groups, found, strict=True) if size["velocity"] > limits[k]), [])

        suspects = np.flatnonzero(residuals > limits)
        names = group(suspects[-1]) if len(suspects) else []
        if not names:
            return len(times), []
        first = bisect_left(suspects, True, key=lambda k: bool(group(k)))
        return int(suspects[first]), names

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
            raise _Stopped
        forget(system)
        work.event[0] = self._event(start, rows[0])
        if not np.isfinite(work.event[0]):
            raise _Stopped(self._because("the stop expression is not finite"))
        work.status[jit.STATUS_CHANGED] = 1  # a multistep integrator begins anew
        return rows

    def _start(self, z: Floats) -> int:
        """The method's start; on a singular position with the rank that the motion from it has. Sets the method's part of z."""
        system, work, start, q, v = self.system, self.work, self.settings.start, self.made.q, self.made.v
        rank = self.found.rank
        if names := undetermined(system, start, q, v, rank):
            raise _Stopped(f"the motion is not determined: it starts at rest on a singular position of {', '.join(names)}")
        beside = beside_start(system, start, q, v, rank, (PASSED if v.any() else 1.0) * self.settings.step) if self._passes else None
        if beside is None:
            return int(self.method.start(system.functions, system.arrays, work, start, q, v, z))
        code = self.method.start(system.functions, system.arrays, work, beside.t, beside.q, beside.v, z)
        z[: system.n_v] = v
        work.status[jit.STATUS_RANK], work.status[jit.STATUS_NEAR] = beside.rank, 1
        work.beside[:] = beside.t, 0.0, *beside.q, *beside.v
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
        work.status[jit.STATUS_NEAR], work.status[jit.STATUS_CHANGED], work.beside[0] = 1, 1, np.nan
        return True

    def _crosses(self, at: float, z: Floats, scratch: Floats) -> bool:
        """After a step that turned the configuration over, or was too long at any length: whether the motion goes on from z at `at`."""
        work, n, n_q, dt, code = self.work, self.system.n_v, self.system.n_q, self.settings.step, self.work.status[jit.STATUS_CODE]
        if code == jit.CROSSED:
            passed = settle(self.system, work)
        elif code == jit.COARSE:
            row = np.zeros(self.width)
            known = self._expand(at, z, row) == jit.OK and bool(np.isfinite(row).all())
            passed = ahead(self.system, work, at, row[:n_q], row[n_q : n_q + n], dt) if known else None
            work.status[jit.STATUS_CODE] = code
            scratch[0, 0] = dt  # of integrators that choose their steps
        if code not in (jit.CROSSED, jit.COARSE) or (code == jit.COARSE and passed is None):
            return False
        if passed is not None:
            self.monitor.passage(passed.t, passed.q)
        work.status[jit.STATUS_CHANGED] = 1
        return True

    def _expand(self, at: float, z: Floats, row: Floats) -> int:
        return int(self.method.expand(self.method.rhs, self.system.functions, self.system.arrays, self.work, at, z, row))

    def _event(self, at: float, row: Floats) -> float:
        """The stop expression at an output row."""
        out, n_q = np.zeros(3), self.system.n_q
        self.system.functions.event(self.system.arrays, at, row[:n_q], row[n_q : n_q + self.system.n_v], out)
        return float(out[0])

    def _stop(self, at: float, times: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Output times and rows from the last accepted state at `at` to where the stop expression crosses zero, the last row."""
        work, system = self.work, self.system
        snapshot = Snapshot(work, z)
        after = float(work.event[2])
        value = float(work.event[0])

        def march(times: Floats) -> Floats:
            snapshot.restore()
            work.settings[jit.SETTING_EVENT] = 0.0
            work.status[jit.STATUS_CHANGED] = 1
            rows, clock, scratch = np.zeros((len(times), self.width)), np.zeros(1), np.zeros((self._scratch_rows, z.size))
            grid = np.array([at, *times])
            one = float(grid[-1] - at)
            filled = self.marcher()(self.functions, system.functions, system.arrays, work, grid, one, z, rows, clock, scratch)
            if filled < len(times):
                raise _Stopped
            return rows

        forget(system)
        try:
            end = locate(lambda t: self._event(t, march(np.array([t]))[0]), at, after, value)
        except ValueError as error:
            raise _Stopped(self._because(str(error))) from None
        found = np.array([*(t for t in times if t < end - 1e-12 * max(1.0, abs(end))), end])
        return found, march(found)

    def _because(self, reason: str) -> str:
        """The reason, with the tables that were asked outside of their range."""
        return ": ".join(filter(None, [reason, complaint(self.system)]))

    def _raised(self) -> BaseException | None:
        """What one of the user's callables raised since it was last asked for."""
        error: BaseException | None = self.system.failure() if self.system.failure is not None else None
        return error

    def _last_state(self, recorder: Any, observer: Observer, at: float, z: Floats) -> None:
        """Record the last accepted state between two output times, where it can be evaluated."""
        row = np.zeros((1, self.width))
        kept = self.work.status.copy()
        if self._expand(at, z, row[0]) == jit.OK and np.isfinite(row).all():
            self._keep(recorder, observer, np.array([at]), row)
        self.work.status[:] = kept

    def _recorder(self, output: str | Path | None, observer: Observer) -> "FileRecorder | MemoryRecorder":
        system, made, settings = self.system, self.made, self.settings
        layout = Layout(
            system.name, system.coordinates, system.coordinate_units, system.speeds, system.speed_units, system.rows,
            system.bodies, [j.name for j in system.joints], [d.name for d in system.drivers], [d.unit for d in system.drivers],
            made.measures.series if made.measures is not None else {},
        )  # fmt: skip
        found = self.found
        unique = observer.unique_reactions(settings.start, made.q, found)
        attributes = {name: getattr(settings, name) for name in Settings.__dataclass_fields__}
        attributes["versions"] = {"numba": jit.NUMBA_VERSION}
        static = {"joint_reaction_unique": unique, "multiplier_unique": found.unique}
        arguments = (layout, made.text, made.parameters, attributes, static, blocks(system))
        return MemoryRecorder(*arguments) if output is None else FileRecorder(output, *arguments)


class _Stopped(Exception):
    """The march returned before the end; the reason, where it is not given, is in the work's status."""

    def __init__(self, reason: str = "", at: float | None = None) -> None:
        super().__init__(reason)
        self.at = at  # s: of the last row that is kept, where that is not the last accepted state


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
