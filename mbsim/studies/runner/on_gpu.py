"""The runs of a Runner on a GPU: those of lanes (`in_lanes.py`), marched many thousands at once by `mbsim.studies.lanes.cuda`.

Starts and outputs are those of tiles of lanes: tiles are filled one after the other, marched together, and looked at one after the other.
A run that leaves its lane is marched by itself.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbsim.jit.straight.emission import LANES
from mbsim.straight.forms import IMPLICIT, Form, LanesError, form_of
from mbsim.studies.lanes.cuda import CudaMarch, find_cuda
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.lane_run import LaneRun
from mbsim.studies.runner.outcome import Outcome
from mbsim.studies.runner.runner import Runner
from mbsim.system.system import Floats

AT_ONCE = 65_536  # runs at most
MOST_BYTES = 1e9  # of the rows of runs at once, on both machines


class _Marched(NamedTuple):
    """A tile that has been marched."""

    runs: list[LaneRun]
    beside: tuple[Floats, ...]
    slots: Floats  # (slots, LANES)
    rows: Floats  # (k width, LANES)


class OnGpu(InLanes):
    """Runs on a GPU."""

    def __init__(self, runner: Runner, probes: Floats, runs: int) -> None:
        """As of InLanes; it is not asked whether compiling pays. Raises LanesError."""
        find_cuda()  # before anything is recorded
        self._waiting: deque[_Marched] = deque()
        super().__init__(runner, probes, runs)

    def _choose(self, runs: int) -> Form:
        form = form_of(self._runner.made.system, self._runner.settings)
        if isinstance(form, str):
            raise LanesError(form)
        if form.pair is not None:
            raise LanesError(f"the integrator {self._runner.settings.integrator} chooses its steps; a GPU takes `integrator: rk4`")
        if form.implicit is not None:
            raise LanesError(f"{IMPLICIT} makes its own steps; a GPU takes `integrator: rk4`")
        return form

    def _require_gain(self, evaluations: int) -> None:
        """It was asked for."""

    def _compile(self, form: Form) -> None:
        march, settings = self._runner.march, self._runner.settings
        self._gpu = CudaMarch(self._tile, march.formulation, march.times, settings.step, form.hold_limit**2)
        most = MOST_BYTES / self._tile.wide(0).nbytes
        self.at_once = max(LANES, int(min(AT_ONCE, most)) // LANES * LANES)

    def run_many(self, values: Floats, keep: Sequence[str] = ()) -> list[Outcome]:
        """As of InLanes."""
        found = list[Outcome]()
        for first in range(0, len(values), self.at_once):
            some = values[first : first + self.at_once]
            self._begin(some)
            found += super().run_many(some, keep)
        return found

    def _begin(self, values: Floats) -> None:
        """March runs (k, n), which are then looked at tile by tile."""
        tile, tabled, filled = self._tile, self._hold(values), list[tuple[list[LaneRun], tuple[Floats, ...]]]()
        slots = np.zeros((len(tile.slots), -(-len(values) // LANES) * LANES))
        for first in range(0, len(values), LANES):
            runs = self._placed(values[first : first + LANES], first if tabled else None)
            filled.append((runs, tile.snapshot()))
            slots[:, first : first + LANES] = tile.slots
        rows = self._gpu(slots)
        self._waiting = deque(
            _Marched(*of, slots[:, k : k + LANES], rows[:, k : k + LANES])
            for k, of in zip(range(0, slots.shape[1], LANES), filled, strict=True)
        )

    def _march(self, values: Floats, first: int | None = None) -> list[LaneRun]:
        """The runs of the next tile that was marched, which is this one."""
        if not self._waiting:
            self._begin(values)
        marched = self._waiting.popleft()
        self._tile.restore(marched.beside, marched.slots, marched.rows)
        return self._judged(marched.runs, self._tile.judge)
