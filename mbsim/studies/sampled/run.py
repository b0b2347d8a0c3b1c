"""Runs a study into a file: batches of runs in their order, progress, and what failed."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.results.reductions import SPANNED
from mbsim.results.study_write import StudyHead, StudyWriter
from mbsim.studies.sampled.places import Place
from mbsim.studies.sampled.study import Study
from mbsim.studies.sampled.task import times_of

BATCH = 0.3  # s of a worker
LARGEST_BATCH = 2000  # runs
SHOWN = 10  # reasons in a table
KINDS_KEPT = 200  # of reasons that are counted
Say = Callable[["Progress"], None]


@dataclass
class Progress:
    """How far a study is."""

    runs: int
    done: int = 0
    resumed: int = 0
    failed: int = 0
    anew: int = 0
    spanned: int = 0  # runs whose rows miss some of the motion
    began: float = field(default_factory=time.monotonic)
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Runs a second, of this process."""
        return (self.done - self.resumed) / max(time.monotonic() - self.began, 1e-9)

    def line(self) -> str:
        """`1200 of 10000 runs, 380 a second, 23 s left, 3 failed`."""
        rate = self.rate
        left = f", {_span((self.runs - self.done) / rate)} left" if rate > 0.0 and self.done < self.runs else ""
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.runs} runs, {rate:.3g} a second{left}{failed}"

    def count(self, failed: np.ndarray, reasons: list[str]) -> None:
        """Note failed runs, and outputs without a number."""
        self.done += len(failed)
        self.failed += int(np.sum(failed))
        for bad, reason in zip(failed, reasons, strict=True):
            if not bad:
                self.spanned += SPANNED in reason
                continue
            kind = re.sub(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?", "#", reason)
            if kind in self.reasons or len(self.reasons) < KINDS_KEPT:
                self.reasons[kind] += 1
                self.examples.setdefault(kind, reason)

    def table(self) -> list[str]:
        """The reasons of failed runs, the most frequent first."""
        rows = [f"  {count:8}  {self.examples[kind]}" for kind, count in self.reasons.most_common(SHOWN)]
        more = len(self.reasons) - SHOWN
        return [*rows, f"  and {more} more reasons"] if more > 0 else rows


def _span(seconds: float) -> str:
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"


def head_of(study: Study, identity: Mapping[str, Any] | None = None, runs: int | None = None) -> StudyHead:
    """What the file of a study begins with."""
    axes = {study.names[k]: axis.values for k, axis in study.plan.axes.items()}
    times = times_of(study.task, study.runner) if study.labels else np.zeros(0)
    return StudyHead(
        study.title, {**study.identity(), **(identity or {})}, study.plan.runs if runs is None else runs, study.names, study.units,
        study.labels, times, study.text, study.task.text, Path(study.task.file).name, axes,
    )  # fmt: skip


def run_study(
    study: Study, output: Path, at: Place, *, resume: bool = False, force: bool = False, say: Say = lambda progress: None
) -> Progress:
    """Run a study into `output`. After an interrupt, or what else ends it, the part file holds what was done; it is raised again.

    Raises what `StudyWriter` and `Place.run` raise.
    """
    progress = Progress(study.plan.runs)
    writer = StudyWriter(output, head_of(study), force, resume, progress.count)
    progress.resumed = progress.done
    if writer.complete:
        return progress
    status = "interrupted"
    try:
        ranges = _ranges(study, writer.runs, at.workers)
        for values, batch in at.run(study.task, ranges, study.plan.values):
            history = None if batch.histories is None else batch.histories.values
            writer.append(values, batch.outputs, batch.failed, batch.reasons, history)
            progress.count(batch.failed, batch.reasons)
            progress.anew += batch.anew
            say(progress)
        status = "complete"
    finally:
        writer.close(status)
    return progress


def _ranges(study: Study, first: int, workers: int) -> Iterator[tuple[int, int]]:
    """Runs (first, last) of the batches: single ones at first, and then as many as take BATCH seconds, as one run tells."""
    runs, size = study.plan.runs, 1
    if first < runs:
        began = time.perf_counter()
        study.runner.run(study.plan.values(first, first + 1)[0])
        took = time.perf_counter() - began
        fair = max(1, (runs - first) // (4 * workers))  # so that all workers are busy to the end
        size = int(np.clip(BATCH / max(took, 1e-6), 1, min(LARGEST_BATCH, fair)))
    while first < runs:
        last = min(first + size, runs)
        yield first, last
        first = last
