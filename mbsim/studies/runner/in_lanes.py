"""The runs of a Runner in lanes (`mbsim.studies.lanes`), where that pays; a run that leaves its lane is marched by itself.

The numbers of a run depend on the run alone: not on how many there are, which lanes they take, or who marches them. What decides whether
runs go in lanes, and what the code is made of, are the model, the settings, how many runs there are, and the first of them.
"""

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mbsim.contracts import COUNT_EVALUATIONS, SETTING_TOLERANCE
from mbsim.jit import COMPILES
from mbsim.jit.straight.emission import LANES
from mbsim.jit.straight.graph import TraceError
from mbsim.kernels.beginning import BEGUN, OTHERWISE
from mbsim.march.lengths import put_measured
from mbsim.march.output_times import OutputTimes
from mbsim.march.precision import Precision
from mbsim.model.reread import Numbers as ModelNumbers
from mbsim.straight.forms import PROBES, Form, LanesError, choose_form
from mbsim.straight.programs import Programs
from mbsim.studies.lanes.tiles import Numbers, Start, Tile
from mbsim.studies.runner.fast_march import LARGEST
from mbsim.studies.runner.lane_outputs import LaneOutputs
from mbsim.studies.runner.lane_run import NO_LANE, LaneRun
from mbsim.studies.runner.outcome import FAILURES, Outcome, with_warnings
from mbsim.studies.runner.runner import Runner
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.studies.runner.lanes_between import Found, LanesBetween

log = logging.getLogger("mbsim")

# s: what an evaluation of a march takes and lanes do not, and for each of its operations; what compiling takes, and for each operation
EVALUATION, SAVED, COMPILING, EACH = 2e-7, 8e-10, 0.7, 2e-4
STAGES, ITERATES = 4, 3  # evaluations of a step: of rk4, and of generalized_alpha, which takes two or three and factors in one
NOTHING = np.zeros(LANES, bool)  # is missed between rows


class InLanes:
    """Runs in lanes."""

    def __init__(self, runner: Runner, probes: Floats, runs: int) -> None:
        """`probes` (k, n): values of some of `runs` runs. Raises LanesError."""
        self._runner = runner
        self._steps = 0  # of each run; 0: they choose them
        self._lanes_between: LanesBetween | None = None
        if not COMPILES:
            raise LanesError("nothing is compiled")
        if not runner.in_place:
            raise LanesError(runner.why_anew or "runs are not marches")
        march, settings = runner.march, runner.settings
        form = self._choose(runs)
        if march.rows.nbytes * LANES > LARGEST:
            raise LanesError("the rows of so many runs at once are too many to be held")
        self._vectors = Numbers(march.formulation.system)
        self._held: list[tuple[Precision | None, float]] = [(None, 0.0)] * LANES  # what constraints of runs are held to at their starts
        numbers = [self._vectors() for values in probes[:PROBES] if self._start(values) is not None]
        first = next((start for values in probes[:PROBES] if (start := self._start(values)) is not None), None)
        if first is None:
            raise LanesError("none of the runs that were tried can be started plainly")
        try:
            self._tile = Tile(march.formulation, settings, form, numbers, first[1], march.times)
        except TraceError as error:
            raise LanesError(str(error)) from None
        self._require_gain(self._evaluations(probes, form) * runs)
        self._compile(form)
        self._filler = None if march.begins is None else self._tile.filler(march.begins, march.memory, march.limits_at_start)
        self._looks = march.is_cut and runner.made.system.n_rows > 0  # for what constraints are held to between pieces of the march
        self._computes = first[0].fields is not None  # numbers by formulas: a run that they do not fit is looked at by itself
        self._outputs = LaneOutputs(runner.model, march.formulation.system, march.times, runner.outputs)
        tried = probes[:LANES]
        self._require_stay(tried)

    def _choose(self, runs: int) -> Form:
        """The form of so many runs. Raises LanesError."""
        return choose_form(self._runner.made.system, self._runner.settings, runs)

    def _require_gain(self, evaluations: int) -> None:
        """Raises LanesError where compiling takes longer than lanes save of so many evaluations of all runs."""
        programs = self._tile.programs
        saved = (EVALUATION + SAVED * programs.codes["stage"].size) * evaluations
        compiling = COMPILING + EACH * programs.size
        if saved < compiling:
            raise LanesError(f"compiling takes some {compiling:.2g} s, and lanes would save {saved:.2g} s")

    def _compile(self, form: Form) -> None:
        """Make ready to march."""
        self._tile.compile()

    def _require_stay(self, tried: Floats) -> None:
        """Raises LanesError where most of these runs (k, n) leave their lanes."""
        left = [run.lane for run in self._march(tried) if not run.stayed]
        if 2 * len(left) > len(tried):
            words = ("they cannot be started plainly" if lane == NO_LANE else self._tile.why_left(lane) for lane in left)
            told = Counter(words).most_common(1)[0][0]
            raise LanesError(f"of {len(tried)} runs that were tried {len(left)} leave their lanes: {told}")

    def _evaluations(self, probes: Floats, form: Form) -> int:
        """How many evaluations a run takes: of equal steps by their number, else those of the first one tried that comes to its end."""
        runner, settings = self._runner, self._runner.settings
        if form.pair is None:
            self._steps = OutputTimes(settings.start, settings.end, settings.interval).steps(settings.step, settings.end)
            return (STAGES if form.implicit is None else ITERATES) * self._steps
        for values in probes[:PROBES]:
            started = self._start(values)
            begun = None if started is None else runner.begun(started[0])
            if begun is not None and runner.march(runner.current, *begun):
                return int(runner.march.formulation.work.counts[COUNT_EVALUATIONS])
        raise LanesError("none of the runs that were tried comes to its end plainly")

    @property
    def programs(self) -> Programs:
        """Their code."""
        return self._tile.programs

    def _start(self, values: Floats) -> tuple[ModelNumbers, Start] | None:
        """A run with its numbers in the arrays and its start in the work arrays of the march; None where that is no plain case."""
        runner = self._runner
        try:
            numbers = runner.numbers(values)
        except FAILURES:
            return None
        begun = runner.begun(numbers)
        march = runner.march
        if begun is None or not march.begin(runner.current, *begun):
            return None
        return numbers, Start(runner.settings.start, march.z[march.configuration], begun[1], march.z, march.rows[0], march.limits)

    def _fill(self, values: Floats, lane: int) -> ModelNumbers | None:
        """Put a run into a lane; its numbers, or None where it has no place there."""
        runner, march = self._runner, self._runner.march
        if self._filler is None:
            return self._fill_plainly(values, lane)
        try:
            numbers = runner.numbers(values)
        except FAILURES:
            return None
        begun = runner.begun(numbers)
        if begun is None:
            return None
        march.take(*begun)
        found = self._filler(lane)
        if found == OTHERWISE:
            return self._fill_plainly(values, lane)
        return numbers if found == BEGUN else None

    def _fill_plainly(self, values: Floats, lane: int) -> ModelNumbers | None:
        """As `_fill`, without what is quicker."""
        started = self._start(values)
        return started[0] if started is not None and self._tile.fill(lane, started[1]) else None

    @property
    def parts(self) -> list[slice]:
        """The columns of rows that are alike: q, v, v_dot, lam."""
        return self._tile.parts

    def run_many(self, values: Floats, keep: Sequence[str] = ()) -> list[Outcome]:
        """Runs of several sets of values (k, n), in their order."""
        found, watches = list[Outcome](), self._runner.watches(keep)
        tabled = self._hold(values)
        for first in range(0, len(values), LANES):
            runs = self._march(values[first : first + LANES], first if tabled else None)
            misses = self._tile.misses() if watches else NOTHING
            if (watches and misses.any()) or not all(run.stayed for run in runs):
                found += self._one_by_one(values[first : first + LANES], runs, misses, keep)
                continue
            at_once = self._at_once(runs, keep)
            found += [at_once[run.lane] if run.lane in at_once else self._looked_at(run, keep, None, at_once) for run in runs]
        return found

    def _one_by_one(self, values: Floats, runs: Sequence[LaneRun], misses: NDArray[np.bool_], keep: Sequence[str]) -> list[Outcome]:
        """What runs come to of which some left their lanes, or lack some of the motion."""
        between = self._between([run for run in runs if run.stayed and misses[run.lane]])
        at_once, found = self._at_once([run for run in runs if run.stayed], keep), list[Outcome]()
        for row, run in zip(values, runs, strict=True):
            if not run.stayed:
                found.append(self._runner.run(row, keep))
            elif misses[run.lane] or run.lane not in at_once:
                found.append(self._looked_at(run, keep, between.get(run.lane), at_once))
            else:
                found.append(at_once[run.lane])
        return found

    def _hold(self, values: Floats) -> bool:
        """Have all that these runs (k, n) put into arrays in tables, where that is known of them without reading one after the other."""
        table = None if self._filler is None else self._runner.table(values)
        if table is not None and self._filler is not None:
            self._filler.hold(*table)
        return table is not None

    def _looked_at(self, run: LaneRun, keep: Sequence[str], between: "Found | None", known: Mapping[int, Outcome]) -> Outcome:
        """What the rows of a run come to by themselves; `known`: what those of lanes come to."""
        runner, tile, lane = self._runner, self._tile, run.lane
        self._restore(run)
        if between is None:
            put_measured(runner.march.formulation.work, self._tile.measured[lane])
            told, rows = partial(tile.told, lane), tile.rows[:, :, lane]
            return runner.followed(run.numbers, rows, self._steps_of(lane), keep, told, lambda: known.get(lane))
        (times, rows, own), wide, warned = between
        if len(times) == len(runner.march.times) and lane in known:
            return with_warnings(known[lane], warned)
        of_wide = None if wide is None else partial(tile.told_of, wide)
        return with_warnings(runner.outcome_of(run.numbers, times, rows, keep, own, told=of_wide), warned)

    def _restore(self, run: LaneRun) -> None:
        """Put the numbers of a run into the arrays again."""
        self._runner.restore(run.numbers, partial(self._tile.put, run.lane))

    def _between(self, missing: list[LaneRun]) -> "dict[int, Found]":
        """The rows of runs that lack some of the motion."""
        if not missing or self._steps:  # steps of equal size are marched beside by themselves
            return {}
        from mbsim.studies.runner.lanes_between import LanesBetween, Missing

        if self._lanes_between is None:
            self._lanes_between = LanesBetween(self._runner, self._tile)
        return self._lanes_between(
            [Missing(run.lane, self._steps_of(run.lane), self._tile.measured[run.lane], partial(self._restore, run)) for run in missing]
        )

    def _at_once(self, runs: Sequence[LaneRun], keep: Sequence[str]) -> dict[int, Outcome]:
        """What the rows in lanes come to, by lanes, as far as it is found for all of them together."""
        runs = [run for run in runs if run.computed == self._computes]
        found = self._outputs(self._tile, runs, keep) if runs else None
        if found is None:
            return {}
        values, kept = found
        whole = [not math.isnan(x) for x in values.sum(axis=1).tolist()]  # of a number that there is not each run says why
        lanes = [run.lane for run in runs if whole[run.lane]]
        if not kept:
            return {lane: Outcome(values[lane]) for lane in lanes}
        return {lane: Outcome(values[lane], wanted={name: x[lane] for name, x in kept.items()}) for lane in lanes}

    def marched(self, values: Floats) -> Iterator[tuple[Floats, bool, int]]:
        """The rows (k, width) of each run, whether it stayed in its lane, and its steps; if it did not, these have no meaning."""
        for first in range(0, len(values), LANES):
            for run in self._march(values[first : first + LANES]):
                yield self._tile.rows[:, :, run.lane].copy(), run.stayed, self._steps_of(run.lane)

    def _steps_of(self, lane: int) -> int:
        return self._steps or self._tile.steps(lane)

    def _limits(self, run: LaneRun) -> Floats | None:
        """How far the coordinates of a run may go, as the march finds it; None where its constraints may be held to less then."""
        runner, march = self._runner, self._runner.march
        begun = None if march.is_cut else runner.begun(run.numbers)
        if begun is None or not march.begin(runner.current, *begun):
            return None
        return march.resolved(runner.current, begun[0])

    def _march(self, values: Floats, first: int | None = None) -> list[LaneRun]:
        """March up to LANES runs. `first`: where they are in the tables that are held."""
        runs = self._placed(values, first)
        if all(run.lane == NO_LANE for run in runs) or self._runner.is_cancelled():
            return [LaneRun(NO_LANE, None) for _ in runs]
        return self._judged(runs, self._tile.march)

    def _judged(self, runs: list[LaneRun], march: Callable[[Callable[[int], Floats | None]], list[bool]]) -> list[LaneRun]:
        """Runs with whether they stayed in their lanes, as `march` tells (`Tile.march`)."""
        filled = [run for run in runs if run.lane != NO_LANE]
        stayed = march(lambda lane: self._limits(filled[lane]) if lane < len(filled) else None)
        for run in filled:
            run.stayed = stayed[run.lane] and (not self._looks or self._holds(run))
        return runs

    def _placed(self, values: Floats, first: int | None) -> list[LaneRun]:
        """Runs with the first lanes, which are filled with them; the rest of the lanes as the first one."""
        runs = self._filled(values, first)
        lanes = sum(run.lane != NO_LANE for run in runs)
        for lane in range(lanes, LANES if lanes else 0):
            self._tile.copy(0, lane)
        return runs

    def _filled(self, values: Floats, first: int | None) -> list[LaneRun]:
        """Runs with the first lanes, which are filled with them."""
        runner, tile, lanes, found = self._runner, self._tile, 0, list[LaneRun]()
        tile.clear()
        if first is not None:
            assert self._filler is not None
            if self._filler.many(first, len(values)):
                return [LaneRun(lane, None, partial(runner.numbers, row)) for lane, row in enumerate(values)]
        for row in values:
            numbers = self._fill(row, lanes)
            if numbers is None:
                found.append(LaneRun(NO_LANE, None))
                continue
            if self._looks:
                self._held[lanes] = runner.march.precision, float(runner.march.formulation.work.settings[SETTING_TOLERANCE])
            found.append(LaneRun(lanes, numbers))
            lanes += 1
        return found

    def _holds(self, run: LaneRun) -> bool:
        """Whether the march would hold the constraints of a run to the same tolerance all the way: it looks between its pieces."""
        runner, (precision, tolerance) = self._runner, self._held[run.lane]
        march = runner.march
        if precision is None:
            return True
        self._restore(run)
        rows = self._tile.rows[:, : runner.made.system.n_q, run.lane]
        return all(precision.tolerance(float(march.times[k]), rows[k].copy()) == tolerance for k in march.ends())
