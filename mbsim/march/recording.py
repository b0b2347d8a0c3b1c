"""The rows of a run on their way into its result: evaluated, looked at for what ends the run, judged and recorded."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import jit
from mbsim.assembly import Assembly
from mbsim.contracts import COUNT_REJECTED, Work
from mbsim.diagnosis.redundancy import Redundancy, redundancy
from mbsim.elements.kinds import MODAL
from mbsim.march.buckling import Buckling
from mbsim.march.ending import Stopped
from mbsim.march.formulation import allocate_for_observer
from mbsim.march.lengths import MEASURED
from mbsim.march.lifting import Lifting
from mbsim.march.orders import rates_by_rows
from mbsim.march.part_loads import Parts
from mbsim.march.pieces import Interrupts
from mbsim.march.precision import find_asked
from mbsim.march.quality import Quality
from mbsim.march.settings import Settings
from mbsim.march.spinning import Spinning
from mbsim.march.stretch import Watch
from mbsim.observe.force_elements import element_labels, force_labels
from mbsim.observe.observer import Observer
from mbsim.results import FileRecorder, Layout, MemoryRecorder, Result
from mbsim.results.schema import ControllerLabels, EquationLabels, Series
from mbsim.system.system import Floats
from mbsim.system.tables import blocks

if TYPE_CHECKING:
    from mbsim.march.recorded_equations import RecordedEquations

ESTIMATE = "error_estimate"
Efforts = tuple[list[str], list[str]]  # names and units of what `driver_effort` holds


def layout_of(
    made: Assembly,
    efforts: Efforts | None = None,
    further: Mapping[str, Series] | None = None,
    equations: EquationLabels | None = None,
) -> Layout:
    """The labels of what a run of an assembled model records. `efforts`, `further` and `equations` as of `recorder`."""
    system, parts = made.whole, parts_of(made)
    names, units = efforts or ([driver.name for driver in system.drivers], [driver.unit for driver in system.drivers])
    own = made.measures.series if made.measures is not None else {}
    return Layout(
        system.name, system.coordinates[: system.n_c], system.coordinate_units[: system.n_c], system.speeds, system.speed_units,
        system.rows, system.bodies, [joint.name for joint in system.joints], names, units,
        system.states, system.coordinate_units[system.n_c :], {**own, **(further or {})}, force_labels(system),
        made.measures.controllers.labels if made.measures is not None else ControllerLabels(), equations or EquationLabels(),
        element_labels(system), parts.interfaces, parts.points,
    )  # fmt: skip


def parts_of(made: Assembly) -> Parts:
    """What observes the elastic parts of an assembled model."""
    if not (made.whole.bodies and (made.whole.arrays.loads[:, 0] == MODAL).any()):
        return Parts(made.whole, [])
    from mbsim.scene.read import parse

    return Parts(made.whole, parse(made.scene).elastic)


def recorder(
    made: Assembly,
    observer: Observer,
    found: Redundancy,
    start: tuple[float, Floats],
    attributes: Mapping[str, object],
    output: str | Path | None,
    rows: int,
    force: bool,
    efforts: Efforts | None = None,
    further: Mapping[str, Series] | None = None,
    equations: EquationLabels | None = None,
) -> FileRecorder | MemoryRecorder:
    """Begin a result of at most `rows` rows, in a file or in memory. `found` is the redundancy at `start` (t, q). Raises OSError.

    `efforts` are those of the drivers where not given; `further` are variables beside the measures; `equations` are the labels of the
    constraint force equations, where they are recorded.
    """
    system, layout = made.whole, layout_of(made, efforts, further, equations)
    if made.coming is not None:  # as where all of it holds
        found = redundancy(system, *start, shown=False)
        observer = Observer(system, allocate_for_observer(system)) if system.joints else observer
    unique = observer.unique_reactions(*start, found) if system.joints else np.ones(0, bool)
    static = {"joint_reaction_unique": unique, "multiplier_unique": found.unique}
    arguments = (layout, made.text, made.parameters, attributes, static, blocks(system))
    if output is None:
        return MemoryRecorder(*arguments, made.described, made.folder)
    return FileRecorder(output, *arguments, rows, force, made.scene, made.folder)


class Held:
    """What the system of some rows has been told of its contacts, under which they are looked at later."""

    def __init__(self, observer: Observer, run: Work) -> None:
        """Of the rows that an observer looks at now, in a run with these work arrays."""
        self._system, self._work = observer.system, observer.work
        told = [self._system.arrays.parameters, self._system.arrays.relative, run.slipping, run.groups, run.components]
        told += [getattr(run, name) for name in MEASURED]
        self._told = [(array, array.copy()) for array in told if array.size]
        self.rejected = int(run.counts[COUNT_REJECTED])  # steps, so far

    @property
    def nbytes(self) -> int:
        """What it takes of memory."""
        return sum(was.nbytes for _, was in self._told)

    def put_back(self, observer: Observer) -> None:
        """Tell it all that again, and let an observer look at its rows."""
        for array, was in self._told:
            array[...] = was
        observer.go_on(self._system, self._work)

    def same_as(self, other: "Held | None") -> bool:
        """Whether all of that is the same."""
        if other is None or self._system is not other._system or bool(self.rejected) != bool(other.rejected):
            return False
        return all(was.tobytes() == its.tobytes() for (_, was), (_, its) in zip(self._told, other._told, strict=True))


class Part(NamedTuple):
    """Output rows of one stretch of a run, that follow each other."""

    times: Floats  # (k,) s
    rows: Floats  # (k, width)
    own: NDArray[np.intp]  # the places of those that the march gave; the others are between
    ends: Sequence[int]  # behind which of them events made another state
    watch: Watch
    held: Held | None  # None: what is told now

    def followed_by(self, other: "Part") -> "Part":
        """Both as one."""
        count, both = len(self.times), (self, other)
        times, rows = (np.concatenate([getattr(part, name) for part in both]) for name in ("times", "rows"))
        own, ends = np.concatenate([self.own, other.own + count]), [*self.ends, *(count + end for end in other.ends)]
        return other._replace(times=times, rows=rows, own=own, ends=ends)


class Recording:
    """What becomes of the output rows of one run."""

    def __init__(
        self,
        made: Assembly,
        settings: Settings,
        found: Redundancy,
        observer: Observer,
        watch: Watch,
        interrupts: Interrupts,
        equations: "RecordedEquations | None" = None,
    ) -> None:
        """`found` is the redundancy at the start; `equations` where asked for."""
        self._made, self._settings, self._found = made, settings, found
        self._observer, self._watch, self._interrupts = observer, watch, interrupts
        self._quality, self._equations = Quality(find_asked(settings)), equations
        self._lifting, self._elastic = Lifting(made), parts_of(made)
        self._spinning, self._buckling = Spinning(self._elastic.parts), Buckling(made)
        self._before: list[str] = []  # notes of stretches before
        self._estimated, self._estimates = 0.0, 0.0  # the error at the end of the stretch before, and at the last row
        self._has_estimate = watch.estimate is not None
        self._recorder: FileRecorder | MemoryRecorder

    def go_on(self, watch: Watch) -> None:
        """From the next rows on, they are those of this stretch."""
        if watch is not self._watch:
            self._before += self._watch.conditioning.notes()
            self._watch, self._estimated = watch, self._estimates

    def may_wait(self) -> bool:
        """Whether rows may be recorded when contacts do something else already."""
        return self._observer.contacts is None and self._equations is None

    def hold(self, run: Work) -> Held:
        """What is told of contacts now, in a run with these work arrays."""
        return Held(self._observer, run)

    def open(self, output: str | Path | None, rows: int, force: bool) -> None:
        """Begin a result of at most `rows` rows, in a file or in memory. Raises OSError."""
        made, attributes = self._made, {**vars(self._settings), "versions": {"numba": jit.NUMBA_VERSION}}
        attributes |= {"wrong": self._settings.wrong} if self._settings.wrong else {}
        start = self._settings.start, made.q
        labels = None if self._equations is None else self._equations.labels
        self._recorder = recorder(made, self._observer, self._found, start, attributes, output, rows, force, equations=labels)

    def keep(self, parts: Sequence[Part], now: Held | None = None) -> None:
        """Record output rows that follow each other, as far as they are sound. Raises Stopped where the run ends with them, Unfit
        where it should begin anew with other settings.

        It ends before a row at which speeds contradict each other, and after one from which on the motion is not determined. `now` is what
        is told of contacts now, where it was something else for some of the rows.
        """
        begun, stop = list[dict[str, Floats]](), None
        try:
            for part in parts:
                if now is not None and part.held is not None:
                    part.held.put_back(self._observer)
                stop = self._look(part, begun)
                if stop is not None:
                    break
        finally:
            if now is not None:
                now.put_back(self._observer)
        if begun:
            variables = self._append(begun)
            for look in (self._quality, self._lifting, self._spinning, self._buckling):
                look.chunk(variables["time"], variables)
        if stop is not None:
            raise stop

    def _look(self, part: Part, begun: list[dict[str, Floats]]) -> Stopped | None:
        """Put what is found of the sound rows of a part behind that of those before; returns why the run ends there, if it does."""
        self.go_on(part.watch)
        variables = self._observer.begun(part.times, part.rows)
        if self._equations is not None:
            variables |= self._equations.chunk(part.times, part.rows)
        try:
            k, stop = self._sound(part, variables)
        except KeyboardInterrupt:  # looking through them takes long; they are kept as they are
            self._append([*begun, variables])
            raise
        if k < len(part.times):
            variables = {name: values[:k] for name, values in variables.items()}
        if k:
            if (errors := self._errors(part, k, variables)) is not None:
                variables[ESTIMATE] = errors
            begun.append(variables)
            self._watch.conditioning.chunk(part.times[:k], variables, self._observer.mass_pivots[:k])
        return stop

    def _sound(self, part: Part, variables: Mapping[str, Floats]) -> tuple[int, Stopped | None]:
        """How many rows of a part are kept, and why the run ends there, if it does."""
        times, own, k = part.times, part.own, len(part.times)
        try:
            self._interrupts.at_once = True
            if self._interrupts.asked:
                return k, None
            sound, stop = self._watch.soundness.look(times[own], part.rows[own], variables["residual_velocity"][own])
            return (k if sound == len(own) else int(own[sound - 1]) + 1 if sound else 0), stop
        finally:
            self._interrupts.at_once = False

    def _errors(self, part: Part, k: int, variables: Mapping[str, Floats]) -> Floats | None:
        """Estimates (k,) of the error at the first rows of a part; None where the integrator controls it.

        Steps through contacts make none. From the first of them on it is not known.
        """
        if not self._has_estimate:
            return None
        if self._watch.estimate is None:
            self._estimates = np.nan
            return np.full(k, np.nan)
        times, rows, found, kinetic, begin = part.times[:k], part.rows[:k], np.zeros(k), variables["energy_kinetic"], 0
        rejected = None if part.held is None else part.held.rejected
        for end in part.ends:  # those behind which rows are not sound find none
            found[begin:end] = self._estimated + self._watch.estimate.chunk(times[begin:end], rows[begin:end], kinetic[begin:end], rejected)
            begin = end
        self._estimates = float(found[-1])
        return found

    def _append(self, begun: Sequence[dict[str, Floats]]) -> dict[str, Floats]:
        """Record rows of one system or of several, and return all their variables."""
        joined = begun[0] if len(begun) == 1 else {name: np.concatenate([part[name] for part in begun]) for name in begun[0]}
        variables = self._observer.finished(joined)
        variables |= self._elastic.chunk(variables)
        if self._has_estimate and ESTIMATE not in variables:  # of rows that were not looked through
            variables[ESTIMATE] = np.full(len(variables["time"]), np.nan)
        self._recorder.append(variables)
        return variables

    def close(self, status: str, facts: Mapping[str, object], further: tuple[list[str], list[str]]) -> None:
        """End the result; `facts` are attributes that are known at the end only, `further` notes and warnings."""
        wrong = [self._settings.wrong] if self._settings.wrong else []
        warnings = [*wrong, *self._made.warnings, *self._quality.warnings(self._watch.soundness.passages), *self._lifting.warnings()]
        warnings += [*self._spinning.warnings(), *self._buckling.warnings(), *further[1]]
        said = [
            *self._made.notes,
            *self._settings.unused,
            *rates_by_rows(self._settings.method, self._settings.options, self._settings.controls_error, self._settings.step),
            *self._quality.notes(),
            *self._before,
            *self._watch.conditioning.notes(),
            *further[0],
        ]
        notes = {"notes": said, "warnings": warnings}
        self._recorder.close(status, {**facts, **notes})

    @property
    def has_lost(self) -> bool:
        """Whether accelerations have lost the run's tolerance so far."""
        return self._watch.conditioning.has_lost

    def result(self) -> Result:
        """What was recorded."""
        return self._recorder.result()
