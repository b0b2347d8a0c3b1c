"""The runs that an optimiser, a fit or a difference asks for: in batches on the workers, each once, and written down in their order."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mbsim.results.functionals import Floats
from mbsim.results.study_write import StudyWriter
from mbsim.studies.sampled.places import Place
from mbsim.studies.sampled.run import Progress
from mbsim.studies.sampled.study import Study

Say = Callable[[Progress], None]


class Row(NamedTuple):
    """What one run came to."""

    outputs: Floats  # (n_outputs,)
    failed: bool
    history: Floats | None  # (k, labels)


class Evaluations:
    """Runs of one study at values that are not known beforehand."""

    def __init__(self, study: Study, at: Place, writer: StudyWriter | None, say: Say = lambda progress: None) -> None:
        self._study, self._at, self._writer, self._say = study, at, writer, say
        self._known: dict[bytes, Row] = {}
        self.progress = Progress(0)

    def rows(self, values: Floats) -> list[Row]:
        """Of sets of values (k, n), in their order. Sets that ran before are not run again."""
        values = np.ascontiguousarray(values, float)
        keys = [row.tobytes() for row in values]
        new = list({key: row for key, row in zip(keys, values, strict=True) if key not in self._known}.items())
        if new:
            wanted = np.array([row for _, row in new])
            self.progress.runs += len(new)
            done = 0
            for given, batch in self._at.run(self._study.task, self._ranges(len(new)), lambda first, last: wanted[first:last]):
                history = None if batch.histories is None else batch.histories.values
                if self._writer is not None:
                    self._writer.append(given, batch.outputs, batch.failed, batch.reasons, history)
                for k in range(len(given)):
                    self._known[new[done + k][0]] = Row(batch.outputs[k], bool(batch.failed[k]), None if history is None else history[k])
                done += len(given)
                self.progress.count(batch.failed, batch.reasons)
                self.progress.anew += batch.anew
                self._say(self.progress)
        return [self._known[key] for key in keys]

    def _ranges(self, count: int) -> Iterator[tuple[int, int]]:
        """Parts of equal size, two for each worker."""
        size = max(1, -(-count // (2 * self._at.workers)))
        return iter([(first, min(first + size, count)) for first in range(0, count, size)])

    def outputs(self, values: Floats) -> Floats:
        """(k, n_outputs) of sets of values (k, n); NaN of runs that failed."""
        return np.array([row.outputs for row in self.rows(values)]).reshape(len(values), -1)
