"""The rows of a run on their way into its result: evaluated, looked at for what ends the run, judged and recorded."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mbsim import jit
from mbsim.assembly import Assembly
from mbsim.diagnosis.redundancy import Redundancy, redundancy
from mbsim.elements.kinds import MODAL
from mbsim.march.buckling import Buckling
from mbsim.march.formulation import allocate_for_observer
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
        observer, found = Observer(system, allocate_for_observer(system)), redundancy(system, *start)
    static = {"joint_reaction_unique": observer.unique_reactions(*start, found), "multiplier_unique": found.unique}
    arguments = (layout, made.text, made.parameters, attributes, static, blocks(system))
    if output is None:
        return MemoryRecorder(*arguments, made.described, made.folder)
    return FileRecorder(output, *arguments, rows, force, made.scene, made.folder)


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
        """From the next rows on, they are those of another stretch."""
        self._before += self._watch.conditioning.notes()
        self._watch, self._estimated = watch, self._estimates

    def open(self, output: str | Path | None, rows: int, force: bool) -> None:
        """Begin a result of at most `rows` rows, in a file or in memory. Raises OSError."""
        made, attributes = self._made, {**vars(self._settings), "versions": {"numba": jit.NUMBA_VERSION}}
        attributes |= {"wrong": self._settings.wrong} if self._settings.wrong else {}
        start = self._settings.start, made.q
        labels = None if self._equations is None else self._equations.labels
        self._recorder = recorder(made, self._observer, self._found, start, attributes, output, rows, force, equations=labels)

    def keep(self, times: Floats, rows: Floats, own: NDArray[np.intp], ends: Sequence[int]) -> None:
        """Record output rows (k, width), as far as they are sound. Raises Stopped where the run ends with them, Unfit
        where it should begin anew with other settings.

        `own` are the places of those that the march gave; the others are between. `ends`: behind which of them events made another state.
        It ends before a row at which speeds contradict each other, and after one from which on the motion is not determined.
        """
        variables = self._observer.chunk(times, rows)
        if self._equations is not None:
            variables |= self._equations.chunk(times, rows)
        variables |= self._elastic.chunk(variables)
        k, stop = len(times), None
        try:
            self._interrupts.at_once = True
            if not self._interrupts.asked:
                sound, stop = self._watch.soundness.look(times[own], rows[own], variables["residual_velocity"][own])
                k = k if sound == len(own) else int(own[sound - 1]) + 1 if sound else 0
        except KeyboardInterrupt:  # looking through them takes long; they are kept as they are
            self._append(variables, np.full(len(times), np.nan) if self._has_estimate else None)
            raise
        finally:
            self._interrupts.at_once = False
        if k < len(times):
            variables = {name: values[:k] for name, values in variables.items()}
        if k:
            self._append(variables, self._errors(times[:k], rows[:k], variables, ends))
            self._quality.chunk(times[:k], variables)
            self._lifting.chunk(times[:k], variables)
            self._spinning.chunk(times[:k], variables)
            self._buckling.chunk(times[:k], variables)
            self._watch.conditioning.chunk(times[:k], variables, self._observer.mass_pivots[:k])
        if stop is not None:
            raise stop

    def _errors(self, times: Floats, rows: Floats, variables: Mapping[str, Floats], ends: Sequence[int]) -> Floats | None:
        """Estimates (k,) of the error at rows, which follow each other up to each of `ends`; None where the integrator controls it.

        Steps through contacts make none. From the first of them on it is not known.
        """
        if not self._has_estimate:
            return None
        if self._watch.estimate is None:
            self._estimates = np.nan
            return np.full(len(times), np.nan)
        found, kinetic, begin = np.zeros(len(times)), variables["energy_kinetic"], 0
        for end in ends:  # those behind which rows are not sound find none
            found[begin:end] = self._estimated + self._watch.estimate.chunk(times[begin:end], rows[begin:end], kinetic[begin:end])
            begin = end
        self._estimates = float(found[-1])
        return found

    def _append(self, variables: dict[str, Floats], estimate: Floats | None) -> None:
        if estimate is not None:
            variables[ESTIMATE] = estimate
        self._recorder.append(variables)

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
