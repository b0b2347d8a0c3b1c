"""What a study has come to so far: counted, told, and written in the order of the runs."""

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mbsim.results.functionals import Floats
from mbsim.results.reductions import SPANNED
from mbsim.results.study_write import StudyWriter

SHOWN = 10  # reasons in a table
KINDS_KEPT = 200  # of reasons that are counted


class Histories(NamedTuple):
    """The histories of a batch."""

    time: Floats  # (k,) s
    values: Floats  # (runs, k, labels) NaN where there is none


class Batch(NamedTuple):
    """What some runs that follow each other came to."""

    outputs: Floats  # (runs, n_outputs)
    failed: np.ndarray  # (runs,) bool
    reasons: list[str]
    anew: int  # how many were assembled anew
    histories: Histories | None


@dataclass
class Progress:
    """How far a study is."""

    runs: int
    done: int = 0
    most: int | None = None  # runs that are allowed, where their number is not known beforehand
    open_ended: bool = False  # whether it is not: nobody knows how long it takes
    best: str = ""  # what an optimiser has found so far
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
        """`1200 of 10000 runs, 380 a second, 23 s left, 3 failed`; of an optimiser `1200 runs, 380 a second, best wobble 0.0012`."""
        rate = self.rate
        if self.open_ended:
            most = f" of at most {self.most}" if self.most is not None else ""
            more = [f"{self.done}{most} runs, {rate:.3g} a second", self.best, f"{self.failed} failed" if self.failed else ""]
            return ", ".join(filter(None, more))
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
            kind = kind_of(reason)
            if kind in self.reasons or len(self.reasons) < KINDS_KEPT:
                self.reasons[kind] += 1
                self.examples.setdefault(kind, reason)

    def table(self) -> list[str]:
        """The reasons of failed runs, the most frequent first."""
        rows = [f"  {count:8}  {self.examples[kind]}" for kind, count in self.reasons.most_common(SHOWN)]
        more = len(self.reasons) - SHOWN
        return [*rows, f"  and {more} more reasons"] if more > 0 else rows


def kind_of(reason: str) -> str:
    """A reason without its numbers, such as the time: runs with the same one failed alike."""
    return re.sub(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?", "#", reason)


def _span(seconds: float) -> str:
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"


Say = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Tell nobody."""


class Journal:
    """Takes batches of runs in their order. With a writer they are in its file before they are told."""

    def __init__(self, progress: Progress, writer: StudyWriter | None, say: Say = silent) -> None:
        self.progress, self._writer, self._say = progress, writer, say

    def take(self, values: Floats, batch: Batch) -> None:
        """Note runs with these values (runs, n). Raises OSError."""
        if self._writer is not None:
            history = None if batch.histories is None else batch.histories.values
            self._writer.append(values, batch.outputs, batch.failed, batch.reasons, history)
        self.progress.count(batch.failed, batch.reasons)
        self.progress.anew += batch.anew
        self._say(self.progress)
