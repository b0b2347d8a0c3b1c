"""Rows between those of runs in lanes, which are marched in lanes too (`mbsim.studies.lanes.beside`).

What each run asks for next is marched for all runs of a tile at once. A run asks for one march after the other, as it does by itself, so
what it comes to does not depend on the others. A march that leaves its lane is made by the run's own method.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mbsim.march.beside import Answer, Asked
from mbsim.march.between import Asks, Filled, Following
from mbsim.studies.lanes.beside import LanesBeside
from mbsim.studies.lanes.tiles import Tile
from mbsim.studies.runner.runner import Runner
from mbsim.system.system import Floats


class Missing(NamedTuple):
    """A run whose rows lack some of the motion."""

    lane: int
    steps: int  # that it took
    measured: Floats  # as of `march.lengths`
    restore: Callable[[], None]  # puts its numbers into the arrays again


class Found(NamedTuple):
    """Its rows with those between."""

    filled: Filled  # rows are (k, width)
    wide: Floats | None  # (k, width and more) with what is known beside them; None where that is not known of all
    warned: list[str]


class LanesBetween:
    """Fills in the rows of runs of one tile."""

    def __init__(self, runner: Runner, tile: Tile) -> None:
        self._runner, self._tile = runner, tile
        self._beside = LanesBeside(tile, runner.march.formulation, runner.settings)
        self._following: list[Following] = []

    def __call__(self, missing: Sequence[Missing]) -> dict[int, Found]:
        """The rows of these runs, by their lanes."""
        while len(self._following) < len(missing):
            self._following.append(self._runner.following())
        asks, waiting, done = dict[int, Asks[Filled]](), dict[int, Asked](), dict[int, Filled]()
        looks = {run.lane: self._following[k] for k, run in enumerate(missing)}
        for run in missing:
            looks[run.lane].restart()
            asks[run.lane] = looks[run.lane].asks(self._runner.march.times, self._tile.wide(run.lane), run.steps)
            self._go_on(run.lane, asks, None, waiting, done)
        while waiting:
            answers = self._answered([run for run in missing if run.lane in waiting], waiting, looks)
            waiting = {}
            for lane, answer in answers.items():
                self._go_on(lane, asks, answer, waiting, done)
        return {lane: self._found(filled, looks[lane]) for lane, filled in done.items()}

    @staticmethod
    def _go_on(lane: int, asks: dict[int, Asks[Filled]], answer: Answer | None, waiting: dict[int, Asked], done: dict[int, Filled]) -> None:
        """Have a run look at its rows until it asks for a march, or is done."""
        try:
            waiting[lane] = next(asks[lane]) if answer is None else asks[lane].send(answer)
        except StopIteration as end:
            done[lane] = end.value

    def _answered(self, runs: Sequence[Missing], waiting: dict[int, Asked], looks: dict[int, Following]) -> dict[int, Answer]:
        """What these runs ask for."""
        taken = [run for run in runs if self._beside.takes(waiting[run.lane])]
        self._beside.begin(max((len(waiting[run.lane].times) for run in taken), default=0))
        for run in taken:
            self._beside.ask(run.lane, waiting[run.lane], run.measured, run.restore)
        answers = self._beside.march()
        return {run.lane: answers[run.lane] or self._by_itself(run, waiting[run.lane], looks[run.lane]) for run in runs}

    def _by_itself(self, run: Missing, asked: Asked, look: Following) -> Answer:
        """The march of a run's own method, whose rows are made as wide as those of lanes."""
        run.restore()
        width = self._runner.march.formulation.width
        found = look.answer(asked._replace(row=np.ascontiguousarray(asked.row[:width])))
        if found.rows is None:
            return found
        wide = np.full((len(found.rows), len(asked.row)), np.nan)
        wide[:, :width] = found.rows
        return found._replace(rows=wide)

    def _found(self, filled: Filled, look: Following) -> Found:
        times, rows, own = filled
        width = self._runner.march.formulation.width
        known = not np.isnan(rows[:, width:]).any()
        return Found((times, rows[:, :width], own), rows if known else None, look.said()[1])
