"""The runs that an optimiser, a fit or a difference asks for: in batches on the workers, each once, and written down in their order."""

from typing import NamedTuple

import numpy as np

from mbsim.results.functionals import Floats
from mbsim.results.study_write import StudyWriter
from mbsim.studies.engine.journal import Journal, Progress, Say, silent
from mbsim.studies.engine.pool import Pool
from mbsim.studies.sampled.study import Study


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

    def expect(self, values: Floats) -> None:
        """These (k, n) are all the runs that there will be: they may go in lanes."""
        self._task = self._study.task.of_many(len(values), values)

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
            ahead = iter(key for key, _ in new)
            for given, batch in self._pool.run(self._task, iter(self._parts(np.array([row for _, row in new])))):
                self._journal.take(given, batch)
                histories = [None] * len(given) if batch.histories is None else batch.histories.values
                for outputs, failed, history in zip(batch.outputs, batch.failed, histories, strict=True):
                    self._known[next(ahead)] = Row(outputs, bool(failed), history)
        return [self._known[key] for key in keys]

    def _parts(self, values: Floats) -> list[Floats]:
        """Parts of equal size, two for each worker."""
        size = max(1, -(-len(values) // (2 * self._pool.workers)))
        return [values[first : first + size] for first in range(0, len(values), size)]

    def outputs(self, values: Floats) -> Floats:
        """(k, n_outputs) of sets of values (k, n); NaN of runs that failed."""
        return np.array([row.outputs for row in self.rows(values)]).reshape(len(values), -1)
