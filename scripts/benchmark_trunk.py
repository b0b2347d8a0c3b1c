"""Speed of this tree against a git revision of it, as ratios of alternating processes, written to docs/benchmarks-trunk.md.

    python scripts/benchmark_trunk.py --against main
    python scripts/benchmark_trunk.py --quick            # against a copy of this tree: the ratios should be 1

* a step of rk4 with a named method: in each round one process of either tree marches the model a few times, and the fastest of its
  marches counts; which tree is first changes from round to round;
* the first run ever of `mbsim run pendulum` (empty cache folder) and its warm start, as whole processes.

The limit is for the ratio of the fastest rounds, this tree over the revision: other work of the machine makes a round slower, never faster.
The median and the quartiles of the ratios of all rounds stand beside it. Only the march is timed, as the result tells it. The two trees
have to agree in q after a few steps, too. The exit code is 1 where a limit is not met.
"""

import argparse
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from command_line import ROOT, command, output_folder, parser, versions
from example_models import planar_chain, spatial_tree
from measuring import origin, process_seconds, table

STEPS_LIMIT, STARTS_LIMIT = 1.03, 1.10
DIFFERENCE_LIMIT = 1e-9  # of the largest coordinate: round-off, after COMPARED steps
COMPARED = 20  # steps
AS_USUAL = {"PYTHONDONTWRITEBYTECODE": ""}  # or a new tree would be compiled to bytecode at each start
DAMPING = 2.0  # N m s/rad of the arm: without it the motion is chaotic


class Case(NamedTuple):
    """A march: a shipped model or a generated one, and about 30 ms of it: so short that some are not interrupted.

    The method is named, because `auto` changes.
    """

    name: str
    method: str
    step: float  # s
    steps: int
    text: Callable[[], str] | None = None  # of the model file; None: the shipped model of this name


class Size(NamedTuple):
    """How much of it is done."""

    steps: float  # a fraction of those of the cases
    repeats: int  # marches in a process
    rounds: int  # of processes that march
    starts: int  # rounds of whole processes
    first: int  # rounds of first runs
    command: tuple[str, ...]  # what is run with an empty cache


CASES = (
    Case("pendulum", "svd", 1e-3, 20_000),
    Case("four_bar", "svd", 1e-3, 8_000),
    Case("quick_return_delft", "svd", 1e-3, 4_000),
    Case("spatial_slider_crank", "svd", 1e-3, 2_500),
    Case("rolling_disk", "svd", 5e-3, 8_000),
    Case("bricard", "cfa", 1e-3, 1_000),
    Case("chain of 20 links", "cfa", 1e-3, 4_000, functools.partial(planar_chain, 20)),
    Case("chain of 500 links", "cfa", 1e-3, 200, functools.partial(planar_chain, 500)),
    Case("arm of 30 joints", "aba", 1e-3, 1_500, functools.partial(spatial_tree, "chain", 30, DAMPING)),
)
FULL = Size(1.0, 20, 15, 21, 2, ("run", "pendulum"))
# A first run compiles, and so do the laws of a damped arm; that takes longer than all else.
QUICK = Size(1e-3, 1, 1, 1, 1, ("models",))
QUICK_CASES = (
    Case("pendulum", "svd", 1e-3, 100_000),
    Case("arm of 3 joints", "aba", 1e-3, 10_000, functools.partial(spatial_tree, "chain", 3)),
)


class Row(NamedTuple):
    """A line of the table."""

    name: str
    ours: list[float]  # by round, in `unit`
    theirs: list[float]
    unit: str
    limit: float
    difference: float | None = None  # of q, of its largest coordinate

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The lower one, the median and the upper one of this tree over the revision."""
        low, middle, high = np.quantile(np.array(self.ours) / np.array(self.theirs), (0.25, 0.5, 0.75))
        return float(low), float(middle), float(high)

    @property
    def fastest(self) -> float:
        """The fastest round of this tree over the fastest one of the revision."""
        return min(self.ours) / min(self.theirs)

    @property
    def met(self) -> bool:
        """Whether the ratio of the fastest rounds is within its limit, and the numbers are the same."""
        return self.fastest <= self.limit and (self.difference is None or self.difference <= DIFFERENCE_LIMIT)

    def cells(self) -> list[str]:
        """Of the table in the document."""
        low, middle, high = self.quartiles
        difference = "" if self.difference is None else f"{self.difference:.1e}"
        times = (f"{min(values):.4g} {self.unit}" for values in (self.theirs, self.ours))
        return [
            self.name,
            *times,
            f"**{self.fastest:.3f}**",
            f"{middle:.3f} ({low:.3f} - {high:.3f})",
            f"<= {self.limit:g}",
            difference,
            "yes" if self.met else "**no**",
        ]


# --- The two trees ----------------------------------------------------------------------------------------------------------------------


def git(*words: str | Path) -> str:
    """What a git command in this tree prints. Raises CalledProcessError where it fails."""
    return subprocess.run(["git", "-C", str(ROOT), *map(str, words)], check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def other_tree(revision: str | None) -> Iterator[tuple[Path, str, str]]:
    """A temporary tree of the revision, or a copy of this one; its folder, what it is, and what this tree is."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch).resolve() / "tree"
        if revision is None:
            for folder in ("mbsim", "models"):
                shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
            yield tree, "a copy of this tree", "this tree"
            return
        git("worktree", "add", "--detach", tree, revision)
        try:
            changed = " with changes" if git("status", "--porcelain", "mbsim") else ""
            yield tree, git("rev-parse", "--short", f"{revision}^{{commit}}"), git("rev-parse", "--short", "HEAD") + changed
        finally:
            git("worktree", "remove", "--force", tree)


def alternating(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> tuple[list[Any], list[Any]]:
    """What both return, round by round; the one that is first is second in the next round."""
    found: tuple[list[Any], list[Any]] = ([], [])
    for number in range(rounds):
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            found[which].append((ours, theirs)[which]())
    return found


# --- Measuring --------------------------------------------------------------------------------------------------------------------------


def marched(case: Case, size: Size, tree: Path, folder: Path) -> dict[str, Any]:
    """What trunk_march.march says of a tree, in a process of its own."""
    model = ROOT / "models" / f"{case.name}.yaml"
    if case.text is not None:
        model = folder / f"{case.name.replace(' ', '_')}.yaml"
        model.write_text(case.text(), encoding="utf-8")
    steps = max(COMPARED, round(size.steps * case.steps))
    words = f"{str(tree)!r}, {str(model)!r}, {case.method!r}, {case.step!r}, {steps}, {size.repeats}, {COMPARED}"
    paths = os.pathsep.join([str(tree), str(Path(__file__).resolve().parent)])
    done = subprocess.run(
        [sys.executable, "-c", f"import trunk_march; trunk_march.march({words})"],
        capture_output=True, text=True, check=False, cwd=folder, env=os.environ | AS_USUAL | {"PYTHONPATH": paths},
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"{case.name}, {tree}: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def steps_of(case: Case, size: Size, tree: Path, folder: Path) -> Row:
    """Microseconds per step of both trees."""
    ours, theirs = alternating(lambda: marched(case, size, ROOT, folder), lambda: marched(case, size, tree, folder), size.rounds)
    q, reference = (np.array(found[0]["q"]) for found in (ours, theirs))
    name = f"step of {case.name}, {case.method}"
    difference = float(np.abs(q - reference).max() / max(1.0, np.abs(reference).max()))
    return Row(name, [found["us"] for found in ours], [found["us"] for found in theirs], "us", STEPS_LIMIT, difference)


def started(words: Sequence[str], tree: Path, folder: Path, empty_cache: bool) -> float:
    """Milliseconds of a whole `mbsim` process of a tree."""
    call = [sys.executable, "-m", "mbsim", "-q", *words, *(("-o", str(folder / "x.h5")) if words[0] == "run" else ())]
    with tempfile.TemporaryDirectory() as cache:
        return 1e3 * process_seconds(call, PYTHONPATH=str(tree), **AS_USUAL, **({"MBSIM_CACHE_DIR": cache} if empty_cache else {}))


def starts(words: Sequence[str], title: str, rounds: int, tree: Path, folder: Path, empty_cache: bool) -> Row:
    """Whole processes of both trees."""
    ours, theirs = alternating(lambda: started(words, ROOT, folder, empty_cache), lambda: started(words, tree, folder, empty_cache), rounds)
    return Row(f"{title}, `mbsim {' '.join(words)}`", ours, theirs, "ms", STARTS_LIMIT)


def measure(cases: Sequence[Case], size: Size, tree: Path, folder: Path) -> Iterator[Row]:
    """One row after the other."""
    for case in cases:
        yield steps_of(case, size, tree, folder)
    run = ("run", "pendulum")
    for each in (ROOT, tree):
        started(run, each, folder, empty_cache=False)  # so that all is compiled
    yield starts(run, "warm start", size.starts, tree, folder, empty_cache=False)
    yield starts(size.command, "first run ever", size.first, tree, folder, empty_cache=True)


# --- The document -----------------------------------------------------------------------------------------------------------------------


def document(rows: Sequence[Row], size: Size, this: str, other: str) -> str:
    heads = ("what", other, this, "ratio of the fastest", "median (quartiles)", "limit", "difference of q", "met")
    return f"""# Speed of this tree against an earlier one

{origin(command(__file__), versions("numba", "numpy"))}
- This tree: {this}; against: {other}

Processes of the two trees take turns, and a round is one of each. Times are those of the fastest round, and the limit is for their
ratio, this tree over {other}; the median and the quartiles are of the ratios of all rounds. A step is one of rk4 with the method
named: the fastest of {size.repeats} marches in a process, {size.rounds} rounds. Starts are whole processes: {size.starts} rounds warm,
{size.first} with an empty cache folder. The difference is that of q after {COMPARED} steps, over its largest coordinate.

{table(heads, [row.cells() for row in rows])}
"""


def main() -> None:
    arguments = parser(__doc__, writes=True)
    arguments.add_argument("--against", metavar="REVISION", help="of git; a full run needs it")
    arguments.add_argument("--only", action="append", metavar="WORD", help="marches whose name has this word (repeatable); writes nothing")
    given = arguments.parse_args()
    if given.against is None and not given.quick:
        arguments.error("against which revision? (--against REVISION, or --quick)")
    size, every = (QUICK, QUICK_CASES) if given.quick else (FULL, CASES)
    cases = [case for case in every if not given.only or any(word in case.name for word in given.only)]
    rows = []
    with other_tree(given.against) as (tree, other, this), tempfile.TemporaryDirectory() as scratch:
        for row in measure(cases, size, tree, Path(scratch)):
            rows.append(row)
            print(" | ".join(row.cells()), flush=True)
    _write(given, document(rows, size, this, other))
    sys.exit(0 if given.quick or all(row.met for row in rows) else 1)


def _write(given: argparse.Namespace, text: str) -> None:
    if given.only:
        print(text)
        return
    with output_folder(given) as folder:
        (folder / "benchmarks-trunk.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
