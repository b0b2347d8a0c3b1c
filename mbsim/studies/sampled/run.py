"""Runs a study into a file: batches of runs in their order."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from mbsim.jit.straight.emission import LANES
from mbsim.results.study_write import StudyHead, StudyWriter
from mbsim.studies.engine.journal import Journal, Progress, Say, silent
from mbsim.studies.engine.pool import Pool
from mbsim.studies.sampled.study import Study
from mbsim.studies.sampled.task import times_of

BATCH = 0.3  # s of a worker
LARGEST_BATCH = 2000  # runs


def head_of(study: Study, identity: Mapping[str, object] | None = None, runs: int | None = None) -> StudyHead:
    """What the file of a study begins with."""
    axes = {study.names[k]: axis.values for k, axis in study.plan.axes.items()}
    times = times_of(study.task, study.runner) if study.labels else np.zeros(0)
    return StudyHead(
        study.title, {**study.identity(), **(identity or {})}, study.plan.runs if runs is None else runs, study.names, study.units,
        study.labels, times, study.text, study.task.text, Path(study.task.file).name, axes,
    )  # fmt: skip


def run_study(study: Study, output: Path, pool: Pool, *, resume: bool = False, force: bool = False, say: Say = silent) -> Progress:
    """Run a study into `output`. After an interrupt, or what else ends it, the part file holds what was done; it is raised again.

    Raises what `StudyWriter` and `Pool.run` raise.
    """
    progress = Progress(study.plan.runs)
    writer = StudyWriter(output, head_of(study), force, resume, progress.count)
    progress.resumed = progress.done
    if writer.complete:
        return progress
    journal, status = Journal(progress, writer, say), "interrupted"
    try:
        ranges = _ranges(study, writer.runs, pool.workers)
        for values, batch in pool.run(study.task, (study.plan.values(first, last) for first, last in ranges)):
            journal.take(values, batch)
        status = "complete"
    finally:
        writer.close(status)
    return progress


def _ranges(study: Study, first: int, workers: int) -> Iterator[tuple[int, int]]:
    """Runs (first, last) of the batches: as many as take BATCH seconds, as the first tell; whole tiles of those in lanes.

    Of a GPU as many as it marches together.
    """
    runs, size, batches = study.plan.runs, 1, study.batches
    few = batches.at_once
    if few > LANES:
        size = few
    elif first < runs:
        tried = study.plan.values(first, min(first + few, runs))
        began = time.perf_counter()
        batches.run(tried)
        took = (time.perf_counter() - began) / len(tried)
        fair = max(1, (runs - first) // (4 * workers))  # so that all workers are busy to the end
        size = int(np.clip(BATCH / max(took, 1e-6), 1, min(LARGEST_BATCH, fair)))
        size = max(size // few * few, few)
    while first < runs:
        last = min(first + size, runs)
        yield first, last
        first = last
