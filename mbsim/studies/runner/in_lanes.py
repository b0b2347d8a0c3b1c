"""The runs of a Runner in lanes (`mbsim.studies.lanes`), where that pays; a run that leaves its lane is marched by itself.

The numbers of a run depend on the run alone: not on how many there are, which lanes they take, or who marches them. What decides whether
runs go in lanes, and what the code is made of, are the model, the settings, how many runs there are, and the first of them.
"""

import logging
from collections.abc import Sequence

from mbsim.jit.straight.emission import LANES
from mbsim.jit.straight.graph import TraceError
from mbsim.march.output_times import OutputTimes
from mbsim.model.reread import Numbers as ModelNumbers
from mbsim.studies.lanes.forms import form_of
from mbsim.studies.lanes.tiles import Numbers, Start, Tile
from mbsim.studies.runner.fast_march import LARGEST
from mbsim.studies.runner.outcome import FAILURES, Outcome
from mbsim.studies.runner.runner import Runner
from mbsim.system.system import Floats

log = logging.getLogger("mbsim")

PROBES = 64  # runs whose numbers are compared to find those that vary: some do by round-off in a few runs only
# s: what a step of a march takes for each operation of an evaluation, and lanes do not; what compiling takes, and for each operation
SAVED, COMPILES, EACH = 3.5e-9, 0.3, 3e-4
LEAST = 100_000  # steps of all runs, below which nothing is traced


class LanesError(ValueError):
    """Why runs do not go in lanes."""


class InLanes:
    """Runs in lanes."""

    def __init__(self, runner: Runner, probes: Floats, runs: int) -> None:
        """`probes` (k, n): values of the first runs of `runs`. Raises LanesError."""
        self._runner = runner
        if not runner.in_place:
            raise LanesError(runner.why_anew or "runs are not marches")
        march, settings = runner.march, runner.settings
        form = form_of(runner.made.system, settings)
        if isinstance(form, str):
            raise LanesError(form)
        if march.rows.nbytes * LANES > LARGEST:
            raise LanesError("the rows of so many runs at once are too many to be held")
        steps = OutputTimes(settings.start, settings.end, settings.interval).steps(settings.step, settings.end)
        if runs * steps < LEAST:
            raise LanesError(f"all runs together take {runs * steps:,} steps, and compiling takes as long as many more")
        self._steps = steps
        self._vectors = Numbers(march.formulation.system)
        found: list[tuple[Floats, Start]] = []
        for values in probes[:PROBES]:
            start = self._start(values)
            if start is not None:
                found.append((self._vectors(), start[1]))
        if not found:
            raise LanesError("none of the first runs can be started plainly")
        start = self._start(probes[0]) or None
        if start is None:
            raise LanesError("the first run cannot be started plainly")
        try:
            self._tile = Tile(march.formulation, settings, form, [numbers for numbers, _ in found], start[1], march.times)
        except TraceError as error:
            raise LanesError(str(error)) from None

    @property
    def programs(self) -> "object":
        """The code."""
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
        if march.precision is not None and runner.made.system.n_rows and march.is_cut:
            return None  # the tolerance of its constraints may change on the way
        return numbers, Start(runner.settings.start, march.z[march.configuration], begun[1], march.z, march.rows[0])

    def run_many(self, values: Floats, keep: Sequence[str] = ()) -> list[Outcome]:
        """Runs of several sets of values (k, n), in their order."""
        found: list[Outcome] = []
        for first in range(0, len(values), LANES):
            found += self._run_tile(values[first : first + LANES], keep)
        return found

    def _run_tile(self, values: Floats, keep: Sequence[str]) -> list[Outcome]:
        runner, tile, taken = self._runner, self._tile, dict[int, tuple[int, ModelNumbers]]()
        tile.clear()
        limits = {}
        for k, row in enumerate(values):
            started = self._start(row)
            if started is not None and tile.fill(len(taken), started[1]):
                limits[len(taken)] = runner.march.limits
                taken[k] = len(taken), started[0]
        stayed = [False] * LANES
        if taken and not runner.is_cancelled():
            for lane in range(len(taken), LANES):
                tile.copy(0, lane)
            stayed = tile.march()
        found = []
        for k, row in enumerate(values):
            lane, numbers = taken.get(k, (0, None))
            if numbers is None or not stayed[lane] or (tile.farthest[:, lane] > limits[lane]).any():
                found.append(runner.run(row, keep))
            else:
                runner.refill(numbers)
                found.append(runner.followed(numbers, tile.rows[:, :, lane], self._steps, keep))
        return found
