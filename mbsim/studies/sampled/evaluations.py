"""The runs that an optimiser, a fit or a difference asks for: in batches on the workers, each once, and written down in their order."""

from typing import NamedTuple

import numpy as np

from mbsim.jit.straight.emission import LANES
from mbsim.results.functionals import Floats
from mbsim.results.study_write import StudyWriter
from mbsim.straight.forms import EQUAL
from mbsim.studies.engine.journal import Journal, Progress, Say, silent
from mbsim.studies.engine.pool import Pool
from mbsim.studies.runner.other_analyses import DYNAMIC
from mbsim.studies.sampled.study import Study
from mbsim.studies.sampled.task import Batches, Task, spread

TOGETHER = LANES // 2  # runs of a batch, in the mean


class Row(NamedTuple):
    """What one run came to."""

    outputs: Floats  # (n_outputs,)
    failed: bool
    history: Floats | None  # (k, labels)


class Evaluations:
    """Runs of one study at values that are not known beforehand."""

    def __init__(self, study: Study, pool: Pool, writer: StudyWriter | None, say: Say = silent) -> None:
        self._study, self._pool, self._journal = study, pool, Journal(Progress(0, open_ended=True), writer, say)
        self._known: dict[bytes, Row] = {}
        self._task = study.task
        self._look_at = LANES  # runs, from which on it is looked whether as many again pay in lanes
        self._batches = 0  # that were asked for

    def expect(self, values: Floats) -> None:
        """These (k, n) are all the runs that there will be: they may go in lanes."""
        self._task = self._study.task.of_many(len(values), values[spread(len(values))])

    def _foresee(self, values: Floats) -> Task:
        """The task of these runs (k, n). Where nobody knows how many there will be, as many are expected as there have been with these.

        So what is compiled costs no more than the runs before it could have saved. One run alone in its lanes takes less than by itself
        where steps are equal; where they are chosen it may take twice as long, so that runs have to be asked for several at a time. What
        is decided depends on the runs, and not on the workers.
        """
        study, known = self._study, len(self._known) + len(values)
        self._batches += 1
        if self._task is not study.task or study.task.alone or known < self._look_at:
            return self._task
        self._look_at = 2 * known
        if study.runner.analysis == DYNAMIC and (study.runner.settings.integrator == EQUAL or known >= TOGETHER * self._batches):
            asked = np.concatenate([np.frombuffer(key) for key in self._known] + [values.reshape(-1)]).reshape(known, -1)
            task = study.task.of_many(known, asked[spread(known)])
            if not Batches(task, study.runner).why_alone:
                self._task = task
        return self._task

    @property
    def progress(self) -> Progress:
        """How many runs there were."""
        return self._journal.progress

    def rows(self, values: Floats) -> list[Row]:
        """Of sets of values (k, n), in their order. Sets that ran before are not run again."""
        values = np.ascontiguousarray(values, float)
        keys = [row.tobytes() for row in values]
        new = list({key: row for key, row in zip(keys, values, strict=True) if key not in self._known}.items())
        if new:
            self.progress.runs += len(new)
            ahead, wanted = iter(key for key, _ in new), np.array([row for _, row in new])
            task = self._foresee(wanted)
            for given, batch in self._pool.run(task, iter(self._parts(wanted))):
                self._journal.take(given, batch)
                histories = [None] * len(given) if batch.histories is None else batch.histories.values
                for outputs, failed, history in zip(batch.outputs, batch.failed, histories, strict=True):
                    self._known[next(ahead)] = Row(outputs, bool(failed), history)
        return [self._known[key] for key in keys]

    def _parts(self, values: Floats) -> list[Floats]:
        """Parts of equal size, two for each worker; in lanes they are whole tiles."""
        size = max(1, -(-len(values) // (2 * self._pool.workers)))
        if self._task is not self._study.task:
            size = -(-size // LANES) * LANES
        return [values[first : first + size] for first in range(0, len(values), size)]

    def outputs(self, values: Floats) -> Floats:
        """(k, n_outputs) of sets of values (k, n); NaN of runs that failed."""
        return np.array([row.outputs for row in self.rows(values)]).reshape(len(values), -1)
