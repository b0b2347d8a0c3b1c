"""Times of two things taken alternately, how they are written down, and the machine that they were taken on."""

import datetime
import os
import platform
import statistics
import subprocess
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WIDTH = 120  # of lines of Markdown


@dataclass
class Report:
    """The rows of the table, and what a reader needs to judge them."""

    rows: list[tuple[str, str, str, bool | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def figure(self, name: str, target: str, measured: str, met: bool | None = None) -> None:
        self.rows.append((name, target, measured, met))
        print(f"  => {name}: {measured} (target {target})", flush=True)

    def note(self, text: str) -> None:
        self.notes.append(text)
        print(f"  {text}", flush=True)

    def table(self) -> str:
        """Its rows in Markdown."""
        verdict = {True: "yes", False: "**no**", None: ""}
        return table(("Figure", "Target", "Measured", "Met"), [(*row, verdict[met]) for *row, met in self.rows])

    def listed(self) -> str:
        """Its notes as a list in Markdown."""
        return "\n".join(f"- {note}" for note in self.notes)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(line)} |" for line in (heads, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]])


def alternate(first: Callable[[], float], second: Callable[[], float], repeats: int) -> tuple[list[float], list[float]]:
    """Seconds of both, A B A B ..., so that a machine that changes its pace does it to both; one turn before that is not counted."""
    first(), second()
    pairs = [(first(), second()) for _ in range(repeats)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def timed(call: Callable[[], Any]) -> float:
    """Seconds of a call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def process_seconds(command: Sequence[str | Path], **environment: str) -> float:
    """Seconds of a whole process. Raises CalledProcessError where it fails."""

    def call() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment})

    return timed(call)


def ratio(numerator: Sequence[float], denominator: Sequence[float]) -> float:
    """Of the medians."""
    return statistics.median(numerator) / statistics.median(denominator)


def describe(seconds: Sequence[float], scale: float, unit: str) -> str:
    """`1.23 ms (min 1.2)`: the median and the smallest."""
    return f"{scale * statistics.median(seconds):.3g} {unit} (min {scale * min(seconds):.3g})"


def processor() -> str:
    """The model name of the processor, as far as the operating system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in the width of a document; lines after the first begin with `indent`."""
    return textwrap.fill(" ".join(text.split()), WIDTH - 2, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent)


def origin(command: str, versions: str) -> str:
    """The head of a document: what wrote it, when, on which machine, with which versions. tests/docs/test_pages.py reads that of mbsim."""
    import mbsim  # of the sources that run, for another one may be installed

    words = f"Written by `{command}` on {datetime.date.today().isoformat()}; every figure below is one that this run printed."
    return f"""{wrapped(words)}

- Machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}
- Python {platform.python_version()}, mbsim {mbsim.__version__}, {versions}"""
