"""The motion of a system in time: `simulate`, and the driver of a run. Python is crossed once per chunk of output rows."""

import logging
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim import contracts
from mbsim.analyses import at_hand
from mbsim.analyses.given import with_start
from mbsim.analyses.handing import Handing
from mbsim.analyses.telling import Telling
from mbsim.assembly import Assembly
from mbsim.assembly.assembled import Locking
from mbsim.march import repeated
from mbsim.march.back import back
from mbsim.march.blas_threads import for_system
from mbsim.march.conditioning import Other, Unfit, alternative
from mbsim.march.crawling import crawls, why_slow
from mbsim.march.ending import Crowd, Ending, SimulationError, SimulationInterrupted, Stopped
from mbsim.march.events import Events, Found
from mbsim.march.formulation import Formulation
from mbsim.march.happened import Doors, Happened
from mbsim.march.happenings import Happenings
from mbsim.march.output_times import OutputTimes, TimesAhead, chunk_rows
from mbsim.march.pieces import Interrupts
from mbsim.march.recording import Recording
from mbsim.march.rows import LastRow, Rows
from mbsim.march.sampling import begin_units, take_first
from mbsim.march.settings import Settings, resolve
from mbsim.march.stretch import Stretch, Stretches, modes_of
from mbsim.march.trial import decide
from mbsim.march.windows import Windows, through_contacts
from mbsim.results import Result
from mbsim.system.native import allowing
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.model.schema import Model

Progress = Callable[[float], None]  # called with the time reached, s
log = logging.getLogger("mbsim")


def simulate(
    source: "Model | System | Assembly | str | Path | Mapping[str, Any]",
    q: ArrayLike | Mapping[str, float] | None = None,
    v: ArrayLike | Mapping[str, float] | None = None,
    *,
    parameters: Mapping[str, float | str] | None = None,
    output: str | Path | None = None,
    progress: Progress | None = None,
    force: bool = False,
    forces: "Mapping[str, Callable[[float, Floats, Floats], Any]] | None" = None,
    allow_wrong: bool = False,
    allow_native: bool = False,
    record: Collection[str] = (),
    **settings: Any,
) -> Result:
    """Run a model, an assembled model, or a System from the start (q, v), and return the result.

    A model may be given as `mbsim.load_model` takes it, with `parameters`. `forces` of a model are Python functions f(t, q, v) in place of
    the `value` of its forces of these names, with q and v in the order of the system's coordinates and speeds.
    `settings` are the keys of a `simulation` block (end, step, output_step, method, integrator, drift, stop ...) with the options of the
    method and the integrator (hold=False, rtol=1e-9 ...); a model brings its own, and those given here win; a System needs `end`. A start
    (q, v) given here, as all numbers or some of them by name, is corrected to satisfy the constraints. `output` is the HDF5 file to write
    (over what is not a result only with `force`); without it the result is kept in memory. `progress` is called with the time reached. What
    is known to be wrong, `riemann(equations=paper)`, runs with `allow_wrong` only, native code of others (`type: fmu`) with `allow_native`.
    `record` names what is recorded on request only: "equations", the constraint force equations of a tree. Raises SimulationError when it
    cannot go on, ValueError for a start and settings that do not fit, StartError for a start that cannot be assembled, OSError.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    if isinstance(source, System):
        source = Assembly(source, float(given.get("start", 0.0)), np.zeros(source.n_q), np.zeros(source.n_v))
        q, v = source.q if q is None else q, source.v if v is None else v
    if isinstance(source, Assembly) and forces:
        raise ValueError("functions of forces go with a model, not with a system that is assembled")
    if isinstance(source, Assembly) and parameters:
        raise ValueError("parameters go with a model; a system that is assembled has its numbers")
    if "start_from" in given:
        raise ValueError("where a run begins belongs to the model: load_model(source, simulation={'start_from': ...})")
    if "share" in given:
        raise ValueError("how reactions share belongs to the model: load_model(source, simulation={'share': ...})")
    own, held = (source, None) if isinstance(source, Assembly) else at_hand.assembled(source, parameters, forces or {})
    chosen = resolve(own.simulation, own.whole, given, allow_wrong)
    if chosen.start != own.start:
        raise ValueError(
            "the start time belongs to the model, whose start is assembled there: load_model(source, simulation={'start': ...})"
        )
    made = with_start(own, q, v)
    with allowing(allow_native), for_system(made.whole.n_v):
        chosen = decide(made, chosen, given, allow_wrong)
        other = alternative(made, chosen, given, allow_wrong)
        result = run_and_record(made, chosen, record, output=output, progress=progress, force=force, other=other)
    at_hand.leave(held)
    return result


def run_and_record(
    made: Assembly,
    settings: Settings,
    record: Collection[str] = (),
    dense: bool = False,
    output: str | Path | None = None,
    progress: Progress | None = None,
    force: bool = False,
    other: Other | None = None,
) -> Result:
    """The result of a run with decided settings, begun anew where `other` (as of `alternative`) are better. Raises as `simulate`."""
    try:
        run = Run(made, settings, record, dense, other, repeated.take(made, settings, dense))
        result = run.record(output, progress, force)
        run.leave(dense)
        return result
    except Unfit as found:
        return Run(made, found.settings, record, dense).record(output, progress, force=True)


class Run(Handing, Telling):
    """One run of one system: its parts, and the order in which they act. The run is at the state z at the time `at` (s)."""

    def __init__(
        self,
        made: Assembly,
        settings: Settings,
        record: Collection[str] = (),
        dense: bool = False,
        other: Other | None = None,
        parts: repeated.Parts | None = None,
    ) -> None:
        """`record` as of `simulate`; `dense`: rows between those that are asked for too, where these do not follow the motion.

        With `other`, as of `alternative`, it raises Unfit where these settings are better. `parts` are those of an earlier run.

        Raises ValueError where the system has nothing of what is to be recorded.
        """
        self.made, self.settings = made, settings
        equations = None
        if record:  # imported only where it is asked for
            from mbsim.march.recorded_equations import recorded_equations

            if made.coming is not None:
                raise ValueError("the constraint force equations are not recorded where joints, drivers or constraints come and go")
            equations = recorded_equations(made, record)
        self.interrupts, self._other = Interrupts() if parts is None else parts.interrupts, other
        if parts is None:
            self._stretches = Stretches(settings, self.interrupts, dense)
            first = Stretch(made, settings, self.interrupts, dense, other, through_contacts(made, settings))
        else:
            repeated.begin(parts, made, other)
            self._stretches, first = parts.stretches, parts.first
        self._first = first
        self._take(first)
        self.z, self.at = np.zeros(self.formulation.size), settings.start
        self._stopped = ""  # what ended the run before its end
        self._may_crawl = settings.controls_error
        self._observers = repeated.observers(made, settings, first.formulation) if parts is None else parts.observers
        observer = self._observers[1]
        self._recording = Recording(made, settings, self._stretch.found, observer, self._stretch.watch, self.interrupts, equations)
        self._rows: Any = self._taker()
        base = back(self._without_contacts)
        modes = self._modes = modes_of(made, settings, len(self._events), base) if parts is None else repeated.modes_anew(parts, base)
        doors = Doors(back(self._change), back(self._open_now), self._rows.flush, self._rows.part, back(self._now), modes)
        span = settings.end - settings.start
        self._happenings = Happenings(self.formulation, self._events, made.events, self._observers, doors, settings.stop, span)
        self._windows = None if modes is None else Windows(made, settings)
        self._times = OutputTimes(settings.start, settings.end, settings.interval)
        self._ahead = TimesAhead(self._times, chunk_rows(settings, self.formulation.width))

    def leave(self, dense: bool) -> None:
        """Leave its parts, after it has come to its end, to the next run of the same assembly; `dense` as given."""
        made, modes = self.made, self._modes
        if modes is not None and repeated.may_repeat(made, self.settings):
            parts = made.system, self.settings, dense, self.interrupts, self._first, self._stretches, modes, self._observers
            repeated.leave(made, repeated.Parts(*parts))

    def _take(self, stretch: Stretch) -> None:
        """Go on with another stretch."""
        self._stretch, self.formulation, self.precision = stretch, stretch.formulation, stretch.precision
        self._march, self._events, self._passages = stretch.march, stretch.events, stretch.passages
        self._monitor = stretch.monitor

    def _taker(self) -> Rows | LastRow:
        """What takes the rows."""
        return Rows(self._recording, self._stretch)

    def _without_contacts(self) -> Formulation:
        """The system as it is without what stops, contacts and dry friction hold."""
        return self._stretches.without_contacts(self._stretch)

    def _open_now(self) -> frozenset[str]:
        """What does not hold of what comes and goes."""
        return self._stretch.open_now

    def _now(self) -> Stretch:
        """The stretch in which the run is."""
        return self._stretch

    def _change(self, event: Locking, later: bool = False) -> tuple[Formulation, Events]:
        """Lock and unlock, and go on with the system that is then; `later` as of `Stretch.begins_at`. Raises ValueError."""
        return self._go_on_with(event, None if self._stretch.through is None else self._stretch.through.through, later)

    def record(self, output: str | Path | None = None, progress: Progress | None = None, force: bool = False) -> Result:
        """March to the end, chunk by chunk, and close the result whatever happens."""
        began = time.perf_counter()
        ending = Ending("failed")
        with self.interrupts:
            self._recording.open(output, self._times.intervals + 1, force)
            try:
                self._begin()
                while self._ahead and not self._stopped:
                    self._advance(progress)
                self._rows.flush()
                ending = Ending("complete")
            except Stopped as stop:
                stop = self._rows.end() or stop
                self._begin_anew()
                ending = self._failure(stop)
            except KeyboardInterrupt as error:
                self.interrupts.asked = False
                self._rows.end()
                ending = Ending("interrupted", f"interrupted at t = {self.at:.9g} s", error)
            except BaseException as error:
                self._rows.end()
                ending = Ending("failed", f"stopped at t = {self.at:.9g} s: {error}", error)
                raise
            finally:
                self._happenings.close()
                self._recording.close(ending.status, self._facts(ending, time.perf_counter() - began), self._said())
        result = self._recording.result()
        if ending.status == "interrupted":
            raise SimulationInterrupted(ending.failure, self.at, result) from ending.cause
        if ending.status == "failed":
            raise SimulationError(ending.failure, self.at, result) from ending.cause
        return result

    def _begin(self) -> None:
        """The start and its output row."""
        work, at = self.formulation.work, self.settings.start
        self._begin_contacts()
        row = np.zeros((1, self.formulation.width))
        q = begin_units(self.formulation.system, at, self.made.q, self.made.v)
        code = self._passages.start(q, self.made.v, self.z)
        if code == contracts.OK:
            code = self.formulation.expand_first(at, self.z, row[0])
        if code == contracts.OK:
            code = take_first(self.formulation, at, self.z, row[0])
        if code != contracts.OK or not np.isfinite(row).all():
            work.status[contracts.STATUS_CODE] = code or contracts.NOT_FINITE
            raise Stopped
        work.status[contracts.STATUS_CHANGED] = 1  # a multistep integrator begins anew
        self._events.forget_notes()
        if self._stretch.through is not None:
            self._stretch.through.require_apart(at, *self._state(row[0])[:2])
        try:
            first = self._happenings.at_start(at, self.z, row[0])
        except Crowd as crowd:
            self._rows.keep(np.array([at]), row)
            self._go_through(at, self._state(row[0]), crowd)
        else:
            self._rows.keep(np.array([at]), first[None])

    def _advance(self, progress: Progress | None) -> None:
        """March a chunk of output rows and record them. Where not all are reached, find out whether and from where the run goes on."""
        asked = self._ahead.chunk()
        times = self._happenings.cut(asked)
        rows = np.zeros((len(times) - 1, self.formulation.width))
        filled = self._march(times, self.z, rows, self._watched(progress))
        self.at, error = self._march.at, self._march.error
        if isinstance(error, Stopped) and error.at is not None and error.at < self.at:  # it was found out later
            filled, self.at = int(np.searchsorted(times[1 : filled + 1], error.at, "right")), error.at
        else:
            error = None
        located = None if self._march.error is not None else self._events.located(self.at)
        self._keep(times[1 : filled + 1], rows[:filled], located)
        through = self._stretch.through
        if through is not None:
            self._happenings.table += through.take_lines()
        if located is not None:
            self._ahead.resume(filled, self.at)
            self._happen(located)
        elif filled == len(rows):
            self._ahead.reached(filled - (times is not asked))
            if times is not asked:
                self._ahead.pass_to(self.at)
            if due := self._happenings.due(self.at):
                self._go_on_after(self._happenings.delayed(self.at, self.z, rows[-1], due))
            self._between_chunks(progress)
        elif self._march.error is None and through is not None and through.is_quiet:
            self._ahead.resume(filled, self.at)
            self._come_back()
        elif self._march.error is None and self.formulation.work.status[contracts.STATUS_CODE] == contracts.STOPPED:
            self._look_for_events(times[filled + 1 :], filled)
        elif self._march.error is None and self._goes_on():
            self._ahead.resume(filled, self.at)
        else:
            if error is None and self.at > self._ahead.last(filled):
                self._keep_last_state()
            if self._march.error is None:
                self._passages.lands(self.at, self.z, ends=True)
            raise self._march.error or Stopped

    def _keep(self, times: Floats, rows: Floats, located: Found | None) -> None:
        """Record the rows that a march has filled, with those at events among them. Raises Stopped where events follow without end."""
        noted = self._events.noted(self.at)
        self._rows.keep(times, rows, noted, located)
        self._happenings.noted(noted)

    def _watched(self, progress: Progress | None) -> Progress:
        """`progress`, which also says once why steps under error control crawl, where that is known."""

        def hear(at: float) -> None:
            if self._may_crawl and crawls(self.formulation, self.settings, at):
                self._may_crawl = False
                if reason := why_slow(self.formulation, self.settings, self.made, at):
                    evaluations = self.formulation.work.counts[contracts.COUNT_EVALUATIONS]
                    log.warning("t = %.3g s after %d evaluations; %s", at, evaluations, reason)
            if progress is not None:
                progress(at)

        return hear

    def _between_chunks(self, progress: Progress | None) -> None:
        """Look at what has happened meanwhile, and tell how far the run is."""
        self._rows.flush()
        cause = self._raised()
        if cause is not None:  # where the march went on nevertheless, only an energy could not be evaluated
            raise Stopped(cause=cause)
        self.precision.hold(self.at, self.formulation.configuration(self.z))
        if progress is not None:
            progress(self.at)
        if self.interrupts.asked:
            raise KeyboardInterrupt

    def _look_for_events(self, times: Floats, filled: int) -> None:
        """After a step over an event, which was not taken: record the rows up to there, and do what it does.

        After one that only came near zero the run goes on. `times` are the output times ahead, after the `filled` rows of the chunk.
        """
        found = self._events.end(self.at, times, self.z)
        if found is None:
            self._ahead.resume(filled, self.at)
            return
        self.at = float(found.times[-1])
        if self.at > self._ahead.last(filled):
            self._rows.keep(found.times, found.rows)
        self._ahead.resume(filled, self.at)
        self._happen(found)

    def _happen(self, found: Found) -> None:
        """Do what the events do that the march has reached."""
        self._ahead.pass_to(self.at)
        self._march.begin_anew(keep_step=True)
        state, of_contacts = self._state(found.rows[-1]), self._happenings.are_of_contacts(found)
        if of_contacts and self._windows is not None and (why := self._windows.crowded(self.at, self._steps_taken)):
            self._go_through(self.at, state, Crowd(why))
            return
        try:
            self._go_on_after(self._happenings.crossed(found, self.z))
        except Crowd as crowd:
            if not of_contacts:
                raise
            self._go_through(self.at, state, crowd)

    def _go_on_after(self, happened: Happened) -> None:
        """End the run, or go on from what events have made of the state."""
        if happened.moved:
            self._march.begin_anew()
            self._rows.changed(float(np.nextafter(self.at, np.inf)), happened.row)
        if happened.stops:
            self._monitor.end = self.at
            self._stopped = self._happenings.reason()

    def _goes_on(self) -> bool:
        """Whether the march goes on from the last accepted state, after a step that could not be taken."""
        at, z = self.at, self.z
        self._events.forget_target()
        return self._passages.resumes(at, z) or self._passages.crosses(at, z) or self.precision.loosens(at, z)

    def _keep_last_state(self) -> None:
        """Record the last accepted state between two output times, where it can be evaluated."""
        row, status = np.zeros((1, self.formulation.width)), self.formulation.work.status
        kept = status.copy()
        if self.formulation.expands(self.at, self.z, row[0]):
            self._rows.keep(np.array([self.at]), row)
        status[:] = kept

    def _begin_anew(self) -> None:
        """Leave the run to other settings, where there are some, if it is its mass matrix that stops it."""
        code, slow = self.formulation.work.status[contracts.STATUS_CODE], (contracts.NO_HEADWAY, contracts.STEP_TOO_SMALL)
        if self._other is None or not (code == contracts.SINGULAR_MASS or (code in slow and self._recording.has_lost)):
            return
        if settings := self._other(f"{self.settings.method} stops at t = {self.at:.3g} s, where the mass matrix is next to singular"):
            raise Unfit(settings)
