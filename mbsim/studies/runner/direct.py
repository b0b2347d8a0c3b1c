"""Direct differentiation: the derivatives of outputs by what varies, from the linearised equations of motion along marches (`flow`).

Derivatives of arrays and of the start by a number are central differences of order 4 of the assembly, which march nothing. Everything is
done twice, with two tolerances of the march and of the derivatives; the difference is the error. Outputs are differentiated along the
derivatives of rows. Where rates jump at times that depend on what varies, rows move with these times.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mbsim.contracts import Arrays
from mbsim.diagnosis.redundancy import idle_multipliers, independent_rows
from mbsim.march.between import MOST_ROWS
from mbsim.march.orders import declared_order
from mbsim.march.output_times import OutputTimes
from mbsim.march.settings import Settings
from mbsim.model.schema import Model
from mbsim.observe.observer import Observer
from mbsim.results.reductions import SPANNED
from mbsim.studies.runner.crossings import FlowError, Varied
from mbsim.studies.runner.flow import Flow
from mbsim.studies.runner.found import Found
from mbsim.studies.runner.phases import Ahead, Phase, Phases, moved
from mbsim.studies.runner.resets import Happening, Resets
from mbsim.studies.runner.trajectory import MarchError
from mbsim.system.switches import STOP
from mbsim.system.system import Floats
from mbsim.system.tangents import CONSTANTS
from mbsim.system.variations import change_arrays

if TYPE_CHECKING:
    from mbsim.studies.runner.runner import Runner

DIFFERENCE, SMALL = 1e-3, 1e-5  # of the size of what varies: differences of the assembly, and of outputs, which may have corners
WEIGHTS = ((1, 8.0 / 12.0), (2, -1.0 / 12.0))  # of central differences of order 4
TOLERANCE, CLOSER = 1e-7, 30.0  # of a step of derivatives in the first march; how much closer the second follows
RTOL, ATOL = 1e-9, 1e-10  # at least, of a march under error control; of one of order 2 LOW times as much
LOW = 1e3
LEAST = 1e-12  # rtol of the second march
DEFECT = 1e-5  # of rates over a step: what two of them may differ by that no law explains; of marches of order 2 LOW_DEFECT
LOW_DEFECT = 1e-3
UNCERTAIN = 0.05  # of a derivative: a larger error is none
FILLED, FINER = 0.75, 4  # of the time between output rows: less lies between rows that were filled in; how much finer derivatives want them
BEYOND = 1e-4  # of a run: how far a march goes on to find where a stop expression ends it
ENDING, SAME_TIME = 1e-9, 1e-12  # of a run: how near to its end an event is at the end; rows that stand at an event
ROUNDED = 1e-9  # of the largest derivative of all: that of a number which moves by less is round-off
ROUNDINGS = 4.0 * float(np.finfo(float).eps)  # of an output, that a difference is uncertain by


class DirectError(ValueError):
    """A run whose derivatives cannot be found so."""


@dataclass(frozen=True)
class Derivatives:
    """Of the outputs of a run."""

    values: Floats  # (n_outputs,)
    jacobian: Floats  # (n_outputs, n) NaN where an output has no number
    errors: Floats  # (n_outputs, n) of the jacobian


class Direct:
    """Derivatives of the outputs of a runner; one for each thread, like the runner."""

    def __init__(self, runner: "Runner") -> None:
        """Raises DirectError for a runner whose arrays do not take other numbers."""
        try:
            runner.require_filling()
        except ValueError as error:
            raise DirectError(f"direct differentiation needs runs that change numbers in place: {error}; differences do not") from None
        self._runner, system, settings = runner, runner.made.system, replace(runner.settings, stop=None)
        low = (declared_order(settings.method, settings.integrator) or 2.0) < 3.0
        events = () if runner.made.events is None else runner.made.events.events
        self._resets, self._flows = Resets(events, self._model, self._looking), []
        for close in (1.0, CLOSER):
            of_march = closer(settings, close, LOW if low else 1.0)
            self._first = Phase(runner.made, runner.source, of_march, runner.settings.stop)
            phases = Phases(self._first, of_march, runner.settings.stop)
            self._flows.append(Flow(phases, self._resets, TOLERANCE / close, LOW_DEFECT if low else DEFECT))
        self._observer = Observer(system, self._first.march.work_beside(), whole=runner.made.whole)
        self._stops = runner.settings.stop is not None or any(event.do.stops for event in events)
        self._changes = len(self._first.switches) > 0 and not self._stops
        self._values = np.zeros(0)  # of the run

    def __call__(self, values: Floats, sizes: Floats | None = None) -> Derivatives:
        """The derivatives at `values` (n,). `sizes` (n,) of what varies; default: the values. Raises DirectError for a run that fails."""
        self._values = values = np.asarray(values, float)
        size = np.where(values != 0.0, np.abs(values), 1.0) if sizes is None else np.asarray(sizes, float)
        try:
            base, (first, second), least, found = self._both(values, size)
        except (FlowError, MarchError) as error:
            raise DirectError(str(error)) from None
        finally:
            self._place(values)
        rounding = ROUNDINGS * np.abs(base)[:, None] / (SMALL * size)
        errors = np.abs(first - second) + rounding
        unknown = errors > np.maximum(UNCERTAIN * np.maximum(np.abs(second), np.abs(base)[:, None] / size), least)
        if unknown.any():
            j, k = np.argwhere(unknown)[0]
            raise DirectError(
                f"two tolerances disagree on the derivative of {list(self._runner.outputs)[j]} by {self._runner.targets[k].name}: "
                f"{first[j, k]:.6g} and {second[j, k]:.6g}"
            )
        missed = self._missed(values, size, found, second)
        unknown = missed > np.maximum(UNCERTAIN * np.maximum(np.abs(second), np.abs(base)[:, None] / size), least)
        if unknown.any():
            j, k = np.argwhere(unknown)[0]
            raise DirectError(
                f"rows miss too much of {list(self._runner.outputs)[j]}: with half of them its derivative by "
                f"{self._runner.targets[k].name} changes by {missed[j, k]:.3g} of {second[j, k]:.6g}"
            )
        return Derivatives(base, second, errors + missed)

    def _missed(self, values: Floats, size: Floats, found: Found, jacobian: Floats) -> Floats:
        """(n_outputs, n) what derivatives change by with half of the rows: what corners of outputs themselves leave out."""
        return np.asarray(np.nan_to_num(np.abs(self._of_outputs(values, size, found.halved()) - jacobian)))

    def _times(self, values: Floats) -> tuple[Floats, bool, list[str]]:
        """Times (k,) of rows that follow the motion of a run, whether a stop ends it, then a little before the last, and its events."""
        runner, settings = self._runner, self._runner.settings
        if self._changes:
            self._require_headway(values)
        outcome = runner.run(values)
        if outcome.failed or runner.result is None or SPANNED in outcome.reason:
            raise DirectError(outcome.reason)
        times = np.array(runner.result.time)
        at = np.array([float(event["time"]) for event in runner.result.events])
        stops = self._stops and times[-1] < settings.end
        if len(at):
            if at[-1] >= settings.end - ENDING * (times[-1] - times[0]) and not stops:
                raise DirectError("an event happens at the end of the run: derivatives are of one side only")
            near = np.abs(times[1:-1, None] - at).min(axis=1) <= SAME_TIME * (times[-1] - times[0])  # two rows at each
            times = times[np.concatenate([[True], ~near, [True]])]
        times = _finer(times, settings.interval)
        if stops:
            times[-1] += BEYOND * (times[-1] - times[0])
        return times, stops, [str(event["event"]) for event in runner.result.events]

    def _require_alike(self, happened: list[str], found: Found) -> None:
        """Raise FlowError where a closer march has other events than the run."""
        names = [one.event for one in found.events]
        if names != happened:
            k = next((k for k, (a, b) in enumerate(zip(names, happened, strict=False)) if a != b), min(len(names), len(happened)))
            one, other = ("no more" if k >= len(x) else f"'{x[k]}'" for x in (happened, names))
            raise FlowError(f"event {k + 1} of the run is {one}, and that of a closer march {other}: one is touched, or laws change at it")

    def _require_headway(self, values: Floats) -> None:
        """Raise FlowError or MarchError where a law changes again and again, as where a motion sticks: a run takes minutes to say so."""
        varied, settings = self._varied(values, np.ones(len(values)), DIFFERENCE), self._runner.settings
        q, v = self._place(values)
        outputs = OutputTimes(settings.start, settings.end, settings.interval)
        self._flows[0](outputs.between(0, outputs.intervals), q, v, varied)

    def _both(self, values: Floats, size: Floats) -> tuple[Floats, list[Floats], Floats, Found]:
        """The outputs, their derivatives from both marches, what of these is round-off of those of the rows, and the closer march."""
        times, stops, happened = self._times(values)
        jacobians = []
        base = np.zeros(0)
        for flow, h in zip(self._flows, (DIFFERENCE, 0.5 * DIFFERENCE), strict=True):
            varied = self._varied(values, size, h)
            q, v = self._place(values)
            found = flow(times, q, v, varied)
            if stops and not found.stopped:
                raise FlowError(f"{STOP} ends the run before t = {times[-1]:.9g} s, and a closer march goes on")
            self._require_alike(happened, found)
            base = self._outputs(values, found)
            jacobians.append(self._of_outputs(values, size, found))
        self._require_no_idle(values, base, found)
        self._require_no_switched(values, base, found)
        return base, jacobians, self._least(values, size, base, found), found

    def _least(self, values: Floats, size: Floats, base: Floats, found: Found) -> Floats:
        """(n_outputs, n) what outputs change by when all rows do by SMALL of their largest derivatives, whose errors are not larger.

        What hardly moves beside the others, as a point on an axis, is known to their round-off.
        """
        columns, signs = [], np.where(np.arange(found.rows.shape[1]) % 3 == 1, -1.0, 1.0)
        for k in range(len(values)):
            largest = np.abs(found.moved[:, :, k]).max(axis=0)
            h, moved = SMALL * size[k], signs * np.maximum(largest, ROUNDED * largest.max(initial=0.0))
            columns.append(SMALL * np.abs(self._outputs(values, found, rows=found.rows + h * moved) - base) / h)
        return np.asarray(np.nan_to_num(np.column_stack(columns)))

    def _require_no_idle(self, values: Floats, base: Floats, found: Found) -> None:
        """Raise FlowError for an output that takes multipliers which redundant rows leave open."""
        changed, idle = found.rows.copy(), found.rows.copy()
        for ahead, where in found.by_parts():
            system, lam = ahead.phase.system, ahead.phase.columns[self._first.system.n_q + 2 * self._first.system.n_v : -1]
            t, rows = found.times[where], found.rows[where]
            if len(independent_rows(system, float(t[0]), rows[0, : system.n_q])) == system.n_rows:
                continue
            at = np.ix_(np.arange(len(found.kept))[where], lam)
            size = 1e-3 * (1.0 + np.abs(rows[:, lam]).max())
            changed[at] += size * np.random.default_rng(0).standard_normal(system.n_rows)
            self._put(ahead)
            for i, row in enumerate(rows, where.start):
                by, _ = np.linalg.qr(idle_multipliers(system, float(found.times[i]), row[: system.n_q]))
                idle[i, lam] += by @ (by.T @ (changed[i, lam] - row[lam]))
        if np.array_equal(changed, found.rows) or np.array_equal(self._outputs(values, found, rows=changed), base, equal_nan=True):
            return
        apart = np.abs(self._outputs(values, found, rows=idle) - base)
        for output, by, value in zip(self._runner.outputs, apart, base, strict=True):
            if by > 1e-9 * max(abs(value), 1.0):
                raise FlowError(f"{output} takes reactions that redundant rows leave open")

    def _varied(self, values: Floats, size: Floats, h: float) -> Varied:
        """How the arrays and the start vary."""
        system = self._runner.made.system
        start = np.zeros((system.n_q + system.n_v + 1, len(values)))
        changes: list[Arrays] = []
        for k in range(len(values)):
            step, by = h * size[k], {name: np.zeros_like(getattr(system.arrays, name)) for name in CONSTANTS}
            for place, weight in WEIGHTS:
                for sign in (1.0, -1.0):
                    q, v = self._place(values, k, sign * place * step)
                    start[:, k] += sign * weight / step * np.concatenate([q, v, [0.0]])
                    for name, rate in by.items():
                        given = getattr(system.arrays, name)
                        rate += sign * weight / step * np.where(np.isfinite(given), given, 0.0)
            changes.append(change_arrays(system.arrays, by))
        return Varied(changes, start, size, self._shift(values))

    def _shift(self, values: Floats) -> Callable[[int, float], None]:
        def shift(k: int, by: float) -> None:
            self._place(values, k, by)
            self._resets.put(k, by)

        return shift

    def _place(self, values: Floats, k: int = 0, by: float = 0.0) -> tuple[Floats, Floats]:
        """The consistent start with these values, number k changed by so much; they are in the arrays afterwards."""
        point = values.copy()
        point[k] += by
        try:
            q, v = self._runner.placed(point)
        except ValueError as error:
            raise DirectError(str(error)) from None
        return q.copy(), v.copy()

    def _of_outputs(self, values: Floats, size: Floats, found: Found) -> Floats:
        """The derivatives (n_outputs, n) of outputs along those of rows."""
        columns = []
        times = found.times
        still = [] if found.stopped else [(float(times[-1]), np.zeros(len(values)))]
        ends = [(float(times[0]), np.zeros(len(values))), *found.beside(), *still]
        knots = np.array([t for t, _ in ends])
        for k in range(len(values)):
            late = np.interp(times, knots, [moved[k] for _, moved in ends])  # of rows, by what varies
            rows = found.moved[:, :, k] + found.rates * late[:, None]
            h, column = SMALL * size[k], np.zeros(len(self._runner.outputs))
            for place, weight in WEIGHTS:
                for sign in (1.0, -1.0):
                    step = sign * place * h
                    point = values.copy()
                    point[k] += step
                    late_by = times + step * late, found.rows + step * rows, _moved(found.events, k, step)
                    column += sign * weight / h * self._outputs(point, found, *late_by, by=(k, step))
            columns.append(column)
        return np.column_stack(columns)

    def _model(self, k: int, by: float) -> Model:
        """The model of the run with number k changed by so much."""
        point = self._values.copy()
        point[k : k + 1] += by
        return self._runner.numbers(point).model

    def _outputs(
        self,
        values: Floats,
        found: Found,
        times: Floats | None = None,
        rows: Floats | None = None,
        events: Sequence[Happening] | None = None,
        switched: float = 0.0,
        by: tuple[int, float] = (0, 0.0),
    ) -> Floats:
        """The outputs of a motion: with these values, which number `by[0]` is among that has changed by `by[1]`, and with other rows.

        `switched`: how much to add to parameters that events switch.
        """
        self._place(values)
        for place in self._resets.now.switched:
            self._runner.made.system.arrays.parameters[place] += switched
        times, rows = found.times if times is None else times, found.rows if rows is None else rows
        happened = [{"event": one.event, "time": one.time} for one in (found.events if events is None else events)]
        seen = None if self._runner.made.coming is None else _Parts(self._observer, found, partial(self._put, by=by))
        rows = np.ascontiguousarray(rows)
        return self._runner.outcome_of(self._runner.numbers(values), times, rows, happened=happened, seen=seen).values

    def _put(self, ahead: Ahead, by: tuple[int, float] = (0, 0.0)) -> None:
        """Put the numbers of a system of the motion into its arrays, those of the first have been placed."""
        if ahead.numbers:
            ahead.phase.put(moved(ahead.numbers, ahead.by_numbers[by[0]], by[1]))
        else:
            ahead.phase.system = self._runner.current()

    def _looking(self, phase: Phase) -> Observer:
        """What looks at rows of a system."""
        if phase.made is self._runner.made:
            phase.system = self._runner.current()
        phase.show(self._observer)
        return self._observer

    def _require_no_switched(self, values: Floats, base: Floats, found: Found) -> None:
        """Raise FlowError for an output that takes a parameter which an event switches: from rows alone it has one value throughout."""
        if not self._resets.now.switched:
            return
        for output, one, other in zip(self._runner.outputs, self._outputs(values, found, switched=1.0), base, strict=True):
            if one != other and not (np.isnan(one) and np.isnan(other)):
                raise FlowError(f"{output} takes a parameter that an event switches")


class _Parts:
    """Looks at the rows of a motion, each with the system that it is of."""

    def __init__(self, observer: Observer, found: Found, put: Callable[[Ahead], None]) -> None:
        """`put` puts the numbers of a system into its arrays."""
        self._observer, self._found, self._put = observer, found, put

    def chunk(self, times: Floats, rows: Floats) -> dict[str, Floats]:
        """As of `Observer`."""
        return self._joined(times, rows, self._observer.chunk)

    def energies(self, times: Floats, rows: Floats) -> dict[str, Floats]:
        """As of `Observer`."""
        return self._joined(times, rows, self._observer.energies)

    def forces(self, times: Floats, rows: Floats) -> dict[str, Floats]:
        """As of `Observer`."""
        return self._joined(times, rows, self._observer.forces)

    def reactions(self, times: Floats, rows: Floats, generalised: Floats | None = None) -> dict[str, Floats]:
        """As of `Observer`."""
        return self._joined(times, rows, self._observer.reactions)

    def _joined(self, times: Floats, rows: Floats, look: Callable[[Floats, Floats], dict[str, Floats]]) -> dict[str, Floats]:
        parts = []
        self._observer.restart(self._observer.system)
        for ahead, where in self._found.by_parts():
            self._put(ahead)
            ahead.phase.show(self._observer)
            parts.append(look(times[where], np.ascontiguousarray(rows[where][:, ahead.phase.columns])))
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _moved(events: Sequence[Happening], k: int, by: float) -> list[Happening]:
    """The events with number k of what varies changed by so much."""
    return [one._replace(time=one.time + by * float(one.moved[k])) for one in events]


def _finer(times: Floats, interval: float) -> Floats:
    """With times between the rows that were filled in: these resolve values, and derivatives by frequencies want more."""
    gaps = np.diff(times)
    filled = (gaps < FILLED * interval) & (gaps > BEYOND * FILLED * interval)
    filled[-1:] = False  # it may be the rest of a run
    if FINER * len(times) > MOST_ROWS or not filled.any():
        return times
    inner = times[:-1][filled, None] + gaps[filled, None] * (np.arange(1, FINER) / FINER)
    return np.sort(np.concatenate([times, inner.ravel()]))


def closer(settings: Settings, by: float, least: float) -> Settings:
    """The settings of a march that keeps closer to the motion: with tolerances, or steps, smaller by so much.

    `least`: how many times RTOL and ATOL the tolerances are at most, before that.
    """
    if not settings.controls_error:
        return replace(settings, step=settings.step / (1.0 if by == 1.0 else 2.0))
    rtol, atol = (settings.tolerance(name) for name in ("rtol", "atol"))
    assert rtol is not None
    first = min(rtol, RTOL * least)
    options = {"rtol": max(first / by, min(rtol, LEAST))}
    if atol is not None:
        options["atol"] = min(atol, ATOL * least) * options["rtol"] / first
    return replace(settings, options=dict(settings.options) | options)
