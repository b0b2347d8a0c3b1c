"""The driver: a system and its start -> method and integrator -> recorder. Python is crossed once per chunk of output rows."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim import jit, registry
from mbsim.analysis.observe import Observer
from mbsim.analysis.redundancy import redundancy
from mbsim.assembly import Assembly, assemble, assemble_system
from mbsim.methods._project import project
from mbsim.model.schema import Model
from mbsim.results import FileRecorder, Layout, MemoryRecorder, Result
from mbsim.system.system import Floats, System

CHUNK_ROWS = 4000  # output rows between two crossings into Python
CHUNK_STEPS = 50_000  # steps between two, so that progress shows and Ctrl-C is heard
CHUNK_BYTES = 8_000_000  # of output rows held at once
RUNAWAY = 1e50  # speed beyond which it is the motion that overflows, not an equation that cannot be evaluated
DRIFT = {"auto": jit.DRIFT_FULL, "none": jit.DRIFT_NONE, "position": jit.DRIFT_POSITION, "full": jit.DRIFT_FULL}


@dataclass(frozen=True)
class Settings:
    """How a run is integrated and recorded. Times in s; `drift_tolerance` in the units of the residuals (m, rad)."""

    end: float
    start: float = 0.0
    step: float = 1e-3
    output_step: float | None = None  # every step when None
    method: str = "svd"
    integrator: str = "rk4"
    drift: str = "full"
    drift_tolerance: float = 1e-10

    def __post_init__(self) -> None:
        if self.integrator == "auto":
            object.__setattr__(self, "integrator", "rk4")
        problems = [
            f"{name} must be positive (got {getattr(self, name)})" for name in ("step", "drift_tolerance") if not getattr(self, name) > 0
        ]
        if not self.end > self.start:
            problems.append(f"end must be after start (got start {self.start}, end {self.end})")
        if self.output_step is not None and not self.output_step > 0:
            problems.append(f"output_step must be positive (got {self.output_step})")
        for kind, word in (("methods", self.method), ("integrators", self.integrator)):
            if word not in registry.names(kind):
                problems.append(f"unknown {kind[:-1]} {word!r}; allowed: {', '.join(registry.names(kind))}")
        if self.drift not in DRIFT:
            problems.append(f"unknown drift {self.drift!r}; allowed: {', '.join(DRIFT)}")
        if problems:
            raise ValueError("; ".join(problems))


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

    `settings` are the fields of Settings (end, step, output_step, method, integrator, drift ...); a model brings its own, and those
    given here win; a System needs `end`. A start (q, v) given here is corrected to satisfy the constraints. `output` is the HDF5 file
    to write; without it the result is kept in memory. `progress` is called with the time reached. Raises SimulationError when the
    run cannot go on, ValueError for settings that do not fit, mbsim.StartError for a start that cannot be assembled.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    if unknown := given.keys() - Settings.__dataclass_fields__.keys():
        raise ValueError(f"unknown settings {', '.join(sorted(unknown))}; allowed: {', '.join(Settings.__dataclass_fields__)}")
    if isinstance(source, System):
        source = Assembly(source, float(given.get("start", 0.0)), np.zeros(source.n_q), np.zeros(source.n_v))
        q, v = source.q if q is None else q, source.v if v is None else v
    made = assemble(source) if isinstance(source, Model) else source
    if made.simulation is None and "end" not in given:
        raise ValueError("end, the last time of the run in s, must be given for a system that no model file describes")
    chosen = Settings(**given) if made.simulation is None else replace(made.settings(Settings), **given)
    if chosen.start != made.start:
        raise ValueError("the start time belongs to the model: its start is assembled there")
    if q is not None or v is not None:
        moved = assemble_system(made.system, made.start, made.q if q is None else q, made.v if v is None else v)
        made = replace(made, q=moved.q, v=moved.v)
    return Run(made, chosen).record(output, progress)


class Run:
    """One march of one system."""

    def __init__(self, made: Assembly, settings: Settings) -> None:
        self.made, self.settings, self.system = made, settings, made.system
        self.method: Any = registry.module("methods", settings.method)
        self.integrator: Any = registry.module("integrators", settings.integrator)
        self.work = allocate(self.system, self.method, settings)

    def times(self) -> "tuple[int, Callable[[int], float]]":
        """Number of output intervals and the time of output i; the last interval may be shorter."""
        s = self.settings
        interval = s.output_step or s.step
        count = max(1, int(np.ceil((s.end - s.start) / interval - 1e-9)))
        return count, lambda i: s.start + i * interval if i < count else s.end

    def record(self, output: str | Path | None, progress: Callable[[float], None] | None) -> Result:
        """March to the end, chunk by chunk, and close the result whatever happens."""
        system, settings, work = self.system, self.settings, self.work
        began = time.perf_counter()
        recorder = self._recorder(output)
        status, failure, at = "failed", "", settings.start
        cause: BaseException | None = None  # what a user's callable raised
        marching = 0.0
        try:
            observer = Observer(system, allocate(system, self.method, settings))
            functions = (self.method.rhs, self.method.accept, self.method.expand, project, self.method.start)
            z = np.zeros(system.n_v + system.n_q + 1)
            scratch = np.zeros((self.integrator.SCRATCH, z.size))
            width = system.n_q + 2 * system.n_v + system.n_rows + 1
            count, time_of = self.times()
            per_output = max(1, round((settings.output_step or settings.step) / settings.step))
            most = max(1, min(CHUNK_ROWS, CHUNK_STEPS // per_output, CHUNK_BYTES // (8 * width)))
            rows = np.zeros((1, width))
            z[system.n_v : -1] = self.made.q
            code = self.method.start(system.functions, system.arrays, work, settings.start, self.made.q, self.made.v, z)
            if code == jit.OK:
                code = self.method.expand(self.method.rhs, system.functions, system.arrays, work, settings.start, z, rows[0])
            if code != jit.OK or not np.isfinite(rows).all():
                work.status[jit.STATUS_CODE] = code or jit.NOT_FINITE
                raise _Stopped
            recorder.append(observer.chunk(np.array([settings.start]), rows))
            done, clock = 0, np.array([settings.start])
            while done < count:
                size = min(most, count - done)
                times = np.array([time_of(i) for i in range(done, done + size + 1)])
                rows = np.zeros((size, width))
                tick = time.perf_counter()
                filled = self.integrator.march(
                    functions, system.functions, system.arrays, work, times, settings.step, z, rows, clock, scratch
                )
                marching += time.perf_counter() - tick
                at = float(clock[0])
                if filled:
                    recorder.append(observer.chunk(times[1 : filled + 1], np.ascontiguousarray(rows[:filled])))
                if filled < size:
                    if at > (times[filled] if filled else times[0]):
                        self._last_state(recorder, observer, at, z, width)
                    raise _Stopped
                cause = self._raised()  # where the run goes on, only an energy did
                if cause is not None:
                    raise _Stopped
                done += size
                if progress is not None:
                    progress(at)
            status = "complete"
        except _Stopped:
            cause = cause or self._raised()
            reason = self._blame(at, z) if cause is None else f"{type(cause).__name__}: {cause}"
            failure = f"stopped at t = {at:.9g} s: {reason}"
        except KeyboardInterrupt:
            status, failure = "interrupted", f"interrupted at t = {at:.9g} s"
            raise
        except BaseException as error:
            failure = f"stopped at t = {at:.9g} s: {error}"
            raise
        finally:
            counts = {name: int(work.counts[i]) for i, name in enumerate(jit.COUNT_NAMES)}
            ended = {"counts": counts, "wall_time": time.perf_counter() - began, "march_time": marching, "end": at}
            recorder.close(status, {**ended, **({"failure": failure} if failure else {})})
        result = recorder.result()
        if status != "complete":
            raise SimulationError(failure, at, result) from cause
        return result

    def _raised(self) -> BaseException | None:
        """What one of the user's callables raised since it was last asked for."""
        error: BaseException | None = self.system.failure() if self.system.failure is not None else None
        return error

    def _last_state(self, recorder: Any, observer: Observer, at: float, z: Floats, width: int) -> None:
        """Record the last accepted state between two output times, where it can be evaluated."""
        row = np.zeros((1, width))
        system = self.system
        kept = self.work.status.copy()
        if (
            self.method.expand(self.method.rhs, system.functions, system.arrays, self.work, at, z, row[0]) == jit.OK
            and np.isfinite(row).all()
        ):
            recorder.append(observer.chunk(np.array([at]), row))
        self.work.status[:] = kept

    def _blame(self, at: float, z: Floats) -> str:
        """What stopped the march, in the user's names."""
        system, work = self.system, self.work
        code, index = int(work.status[jit.STATUS_CODE]), int(work.status[jit.STATUS_INDEX])
        q = z[system.n_v : system.n_v + system.n_q]
        where = self._not_finite(at, z)
        if where:
            return f"the equations of {where} are not finite"
        if code == jit.SINGULAR_MASS:
            return f"the mass matrix is singular at {system.speeds[index]}"
        if code == jit.DEPENDENT_CONSTRAINTS:
            found = redundancy(system, at, q)
            groups = "; ".join(", ".join(group) for group in found.groups) or ", ".join(system.rows)
            return f"the constraints became dependent (singular position): {groups}"
        if code == jit.DRIFT_REMAINS:
            return (
                f"the position constraint {system.rows[index]} cannot be restored (residual {abs(work.phi[index]):.3g}); try a smaller step"
            )
        names = [*system.speeds, *system.coordinates, "work", *system.rows]
        return f"{names[index]} is not finite; the motion is unbounded or the step is too large"

    def _not_finite(self, at: float, z: Floats) -> str:
        """The first speed or row whose equation is not finite at the last accepted state or, straight on, within the step from it."""
        system, row = self.system, np.zeros(self.system.n_q + 2 * self.system.n_v + self.system.n_rows + 1)
        self.method.expand(self.method.rhs, system.functions, system.arrays, self.work, at, z, row)
        q, v, a, _ = np.split(row[:-1], np.cumsum([system.n_q, system.n_v, system.n_v]))
        if not np.isfinite(row).all():
            q, v, a = z[system.n_v : system.n_v + system.n_q], self.work.v, np.zeros(system.n_v)
        steps = (0.0,) if system.failure is not None else (0.0, 0.5 * self.settings.step, self.settings.step)
        for dt in steps:  # a user's callable is not called where the march did not go
            if np.abs(v + dt * a).max(initial=0.0) > RUNAWAY:
                break
            M, h, C, _, eta, _ = system.terms(at + dt, system.move(q, dt * v), v + dt * a)
            for x, names in ((M, system.speeds), (h, system.speeds), (C, system.rows), (eta, system.rows)):
                for name, entries in zip(names, x, strict=True):
                    if not np.isfinite(entries).all():
                        return name
        return ""

    def _recorder(self, output: str | Path | None) -> "FileRecorder | MemoryRecorder":
        system, made, settings = self.system, self.made, self.settings
        layout = Layout(
            system.name, system.coordinates, system.coordinate_units, system.speeds, system.speed_units, system.rows,
            system.bodies, [j.name for j in system.joints], [d.name for d in system.drivers], [d.unit for d in system.drivers],
        )  # fmt: skip
        found = redundancy(system, settings.start, made.q)
        unique = np.array([found.unique[j.rows].all() for j in system.joints], bool)
        attributes = {name: getattr(settings, name) for name in Settings.__dataclass_fields__}
        attributes["versions"] = {"numba": version("numba")}
        arguments = (layout, made.text, made.parameters, attributes, {"joint_reaction_unique": unique, "multiplier_unique": found.unique})
        return MemoryRecorder(*arguments) if output is None else FileRecorder(output, *arguments)


class _Stopped(Exception):
    """The march returned before the end; the reason is in the work's status."""


def allocate(system: System, method: Any, settings: Settings) -> jit.Work:
    """The work arrays of a method for a system; zeros, which the systems' kernels rely on for structural zeros."""
    n, m = system.n_v, system.n_rows
    matrices, vectors, indices = method.space(n, m)
    choices = np.zeros(24)
    choices[jit.SETTING_DRIFT] = DRIFT[settings.drift]
    choices[jit.SETTING_TOLERANCE] = settings.drift_tolerance
    choices[jit.SETTING_RHEONOMIC] = float(system.rheonomic)
    for i, option in enumerate(registry.options("methods", method.__name__.rpartition(".")[2]).values()):
        choices[jit.SETTING_METHOD + i] = option.code(option.default)
    return jit.Work(
        M=np.zeros((n, n)), h=np.zeros(n), C=np.zeros((m, n)), xi=np.zeros(m), eta=np.zeros(m), phi=np.zeros(system.n_holonomic),
        v=np.zeros(n), a=np.zeros(n), lam=np.zeros(m), power=np.zeros(1),
        skyline=system.skyline.copy(), dense=np.zeros(max(m, n), np.int64),
        matrices=tuple(np.zeros(shape) for shape in (*matrices, *[(0, 0)] * (7 - len(matrices)))),
        vectors=tuple(np.zeros(size) for size in (*vectors, *[0] * (6 - len(vectors)))),
        indices=tuple(np.zeros(size, np.int64) for size in (*indices, *[0] * (2 - len(indices)))),
        status=np.zeros(4, np.int64), counts=np.zeros(8, np.int64), settings=choices,
    )  # fmt: skip
