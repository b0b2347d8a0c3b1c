"""The runs of a Runner in lanes (`mbsim.studies.lanes`), where that pays; a run that leaves its lane is marched by itself.

The numbers of a run depend on the run alone: not on how many there are, which lanes they take, or who marches them. What decides whether
runs go in lanes, and what the code is made of, are the model, the settings, how many runs there are, and the first of them.
"""

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mbsim.contracts import COUNT_EVALUATIONS, SETTING_TOLERANCE
from mbsim.jit import COMPILES
from mbsim.jit.straight.emission import LANES
from mbsim.jit.straight.graph import TraceError
from mbsim.march.lengths import measured, put_measured
from mbsim.march.output_times import OutputTimes
from mbsim.march.precision import Precision
from mbsim.model.reread import Numbers as ModelNumbers
from mbsim.straight.forms import PROBES, Form, LanesError, choose_form
from mbsim.straight.programs import Programs
from mbsim.studies.lanes.tiles import Numbers, Start, Tile
from mbsim.studies.runner.fast_march import LARGEST
from mbsim.studies.runner.lane_outputs import LaneOutputs
from mbsim.studies.runner.outcome import FAILURES, Outcome, with_warnings
from mbsim.studies.runner.runner import Runner
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.studies.runner.lanes_between import Found, LanesBetween

log = logging.getLogger("mbsim")

# s: what an evaluation of a march takes and lanes do not, and for each of its operations; what compiling takes, and for each operation
EVALUATION, SAVED, COMPILING, EACH = 2e-7, 8e-10, 0.7, 2e-4
STAGES = 4  # of rk4
NO_LANE = -1  # of a run that cannot be started plainly
NOTHING = np.zeros(LANES, bool)  # is missed between rows


class _AtOnce:
    """Outcomes by lanes, which are found for all lanes when the first one is asked for."""

    def __init__(self, find: Callable[[], dict[int, Outcome]]) -> None:
        self._find: Callable[[], dict[int, Outcome]] | None = find
        self._found: dict[int, Outcome] = {}

    def __call__(self, lane: int) -> Outcome | None:
        if self._find is not None:
            self._found, self._find = self._find(), None
        return self._found.get(lane)


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
        form = choose_form(runner.made.system, settings, runs)
        if march.rows.nbytes * LANES > LARGEST:
            raise LanesError("the rows of so many runs at once are too many to be held")
        self._vectors = Numbers(march.formulation.system)
        self._held: list[tuple[Precision | None, float]] = [(None, 0.0)] * LANES  # what constraints of runs are held to at their starts
        self._measured: list[Floats] = [measured(march.formulation.work)] * LANES  # of the runs in lanes
        numbers = [self._vectors() for values in probes[:PROBES] if self._start(values) is not None]
        first = next((start for values in probes[:PROBES] if (start := self._start(values)) is not None), None)
        if first is None:
            raise LanesError("none of the runs that were tried can be started plainly")
        try:
            self._tile = Tile(march.formulation, settings, form, numbers, first[1], march.times)
        except TraceError as error:
            raise LanesError(str(error)) from None
        programs, evaluations = self._tile.programs, self._evaluations(probes, form)
        saved = (EVALUATION + SAVED * programs.codes["stage"].size) * evaluations * runs
        compiling = COMPILING + EACH * programs.size
        if saved < compiling:
            raise LanesError(f"compiling takes some {compiling:.2g} s, and lanes would save {saved:.2g} s")
        self._tile.compile()
        self._computes = first[0].fields is not None  # numbers by formulas: a run that they do not fit is looked at by itself
        self._outputs = LaneOutputs(runner.model, march.formulation.system, march.times, runner.outputs)
        tried = probes[:LANES]
        self._require_stay(tried)

    def _require_stay(self, tried: Floats) -> None:
        """Raises LanesError where most of these runs (k, n) leave their lanes."""
        marched = self._march(tried)
        left = [lane for numbers, lane in marched if numbers is None]
        if 2 * len(left) > len(tried):
            words = ("they cannot be started plainly" if lane == NO_LANE else self._tile.why_left(lane) for lane in left)
            told = Counter(words).most_common(1)[0][0]
            raise LanesError(f"of {len(tried)} runs that were tried {len(left)} leave their lanes: {told}")

    def _evaluations(self, probes: Floats, form: Form) -> int:
        """How many evaluations a run takes: of equal steps by their number, else those of the first one tried that comes to its end."""
        runner, settings = self._runner, self._runner.settings
        if form.pair is None:
            self._steps = OutputTimes(settings.start, settings.end, settings.interval).steps(settings.step, settings.end)
            return STAGES * self._steps
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

    @property
    def parts(self) -> list[slice]:
        """The columns of rows that are alike: q, v, v_dot, lam."""
        return self._tile.parts

    def run_many(self, values: Floats, keep: Sequence[str] = ()) -> list[Outcome]:
        """Runs of several sets of values (k, n), in their order."""
        runner, found = self._runner, list[Outcome]()
        watches = runner.watches(keep)
        for first in range(0, len(values), LANES):
            given = values[first : first + LANES]
            marched = self._march(given, watches)
            misses = self._tile.misses() if watches else NOTHING
            between = self._between([(numbers, lane) for numbers, lane in marched if numbers is not None and misses[lane]])
            at_once = _AtOnce(partial(self._at_once, {lane: numbers for numbers, lane in marched if numbers is not None}, keep))
            for row, (numbers, lane) in zip(given, marched, strict=True):
                known = None if numbers is None or misses[lane] else at_once(lane)
                if numbers is None:
                    found.append(runner.run(row, keep))
                elif known is not None:
                    found.append(known)
                else:
                    found.append(self._looked_at(numbers, lane, keep, between.get(lane), partial(at_once, lane)))
        return found

    def _looked_at(
        self, numbers: ModelNumbers, lane: int, keep: Sequence[str], between: "Found | None", known: Callable[[], Outcome | None]
    ) -> Outcome:
        """What the rows of a run come to by themselves; `known`: what all lanes come to."""
        runner, tile = self._runner, self._tile
        self._restore(numbers, lane)
        if between is None:
            put_measured(runner.march.formulation.work, self._measured[lane])
            told, rows = partial(tile.told, lane), tile.rows[:, :, lane]
            return runner.followed(numbers, rows, self._steps_of(lane), keep, told, known)
        (times, rows, own), wide, warned = between
        if len(times) == len(runner.march.times) and (found := known()) is not None:
            return with_warnings(found, warned)
        of_wide = None if wide is None else partial(tile.told_of, wide)
        return with_warnings(runner.outcome_of(numbers, times, rows, keep, own, told=of_wide), warned)

    def _restore(self, numbers: ModelNumbers, lane: int) -> None:
        """Put the numbers of a run into the arrays again."""
        self._runner.restore(numbers, partial(self._tile.put, lane))

    def _between(self, missing: list[tuple[ModelNumbers, int]]) -> "dict[int, Found]":
        """The rows of runs that lack some of the motion."""
        if not missing or self._steps:  # steps of equal size are marched beside by themselves
            return {}
        from mbsim.studies.runner.lanes_between import LanesBetween, Missing

        if self._lanes_between is None:
            self._lanes_between = LanesBetween(self._runner, self._tile)
        return self._lanes_between(
            [Missing(lane, self._steps_of(lane), self._measured[lane], partial(self._restore, of, lane)) for of, lane in missing]
        )

    def _at_once(self, numbers: dict[int, ModelNumbers], keep: Sequence[str]) -> dict[int, Outcome]:
        """What the rows in lanes with these numbers come to, as far as it is found for all of them together."""
        numbers = {lane: of for lane, of in numbers.items() if (of.fields is not None) == self._computes}
        found = self._outputs(self._tile, numbers, keep) if numbers else None
        if found is None:
            return {}
        values, kept = found
        whole = [not math.isnan(x) for x in values.sum(axis=1)]  # of a number that there is not each run says why
        return {lane: Outcome(values[lane], wanted={name: x[lane] for name, x in kept.items()}) for lane in numbers if whole[lane]}

    def marched(self, values: Floats) -> Iterator[tuple[Floats, bool, int]]:
        """The rows (k, width) of each run, whether it stayed in its lane, and its steps; if it did not, these have no meaning."""
        for first in range(0, len(values), LANES):
            for numbers, lane in self._march(values[first : first + LANES]):
                yield self._tile.rows[:, :, lane].copy(), numbers is not None, self._steps_of(lane)

    def _steps_of(self, lane: int) -> int:
        return self._steps or self._tile.steps(lane)

    def _limits(self, numbers: ModelNumbers | None) -> Floats | None:
        """How far the coordinates of a run may go, as the march finds it; None where its constraints may be held to less then."""
        runner, march = self._runner, self._runner.march
        begun = None if numbers is None or march.is_cut else runner.begun(numbers)
        if begun is None or not march.begin(runner.current, *begun):
            return None
        return march.resolved(runner.current, begun[0])

    def _march(self, values: Floats, watches: bool = False) -> list[tuple[ModelNumbers | None, int]]:
        """March up to LANES runs; of each its numbers and its lane, or None where it did not stay in one.

        `watches`: rows between are looked for then.
        """
        runner, tile, lanes = self._runner, self._tile, 0
        found: list[tuple[ModelNumbers | None, int]] = []
        tile.clear()
        for row in values:
            started = self._start(row)
            if started is not None and tile.fill(lanes, started[1]):
                self._held[lanes] = runner.march.precision, float(runner.march.formulation.work.settings[SETTING_TOLERANCE])
                if watches:
                    self._measured[lanes] = measured(runner.march.formulation.work)
                found.append((started[0], lanes))
                lanes += 1
            else:
                found.append((None, NO_LANE))
        if not lanes or runner.is_cancelled():
            return [(None, NO_LANE)] * len(values)
        for lane in range(lanes, LANES):
            tile.copy(0, lane)
        stayed = tile.march(lambda lane: self._limits(next((numbers for numbers, at in found if at == lane), None)))
        return [(numbers if numbers is not None and stayed[lane] and self._holds(numbers, lane) else None, lane) for numbers, lane in found]

    def _holds(self, numbers: ModelNumbers, lane: int) -> bool:
        """Whether the march would hold the constraints of a run to the same tolerance all the way: it looks between its pieces."""
        runner, (precision, tolerance) = self._runner, self._held[lane]
        march = runner.march
        if precision is None or not runner.made.system.n_rows or not march.is_cut:
            return True
        self._restore(numbers, lane)
        rows = self._tile.rows[:, : runner.made.system.n_q, lane]
        return all(precision.tolerance(float(march.times[k]), rows[k].copy()) == tolerance for k in march.ends())
