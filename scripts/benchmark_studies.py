"""What a run of a study costs beside its march, and how many runs a second there are, written to docs/benchmarks-studies.md.

    python scripts/benchmark_studies.py
    python scripts/benchmark_studies.py --quick    # a few runs, in seconds

All times but those of several threads are processor times, taken alternately, so that a machine that does other things does them to both.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from command_line import MODELS, MUJOCO, command, installed, output_folder, parser, versions
from measuring import Report, origin, ratio

import mbsim
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.api import prepared
from mbsim.studies.sampled.places import place
from mbsim.studies.sampled.run import run_study

FOUR_BAR = MODELS / "four_bar.yaml"
SHORT = 0.002  # s, two steps: a run with next to no march
PENDULUMS = """<mujoco><option timestep="1e-3" integrator="RK4" gravity="0 0 -9.81"><flag contact="disable"/></option><worldbody>
<body><joint type="hinge" axis="0 1 0"/><geom type="sphere" size="1e-3" pos="0 0 -1" mass="1"/>
<body pos="0 0 -1"><joint type="hinge" axis="0 1 0"/><geom type="sphere" size="1e-3" pos="0 0 -1" mass="1"/></body></body>
</worldbody></mujoco>"""
# The memory of a study of so many runs, in a process of its own.
MEMORY = """
import resource, sys, tempfile, pathlib
from mbsim.studies.sampled.api import prepared
from mbsim.studies.sampled.places import place
from mbsim.studies.sampled.run import run_study
vary = {"m2": {"from": 0.5, "to": 2.0, "count": int(sys.argv[2])}}
made = prepared(sys.argv[1], vary, {"last": "final(theta1)"}, simulation={"end": 0.002})
with tempfile.TemporaryDirectory() as folder:
    run_study(made, pathlib.Path(folder) / "s.h5", place(1))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True)
class Size:
    """Of a run of this script."""

    runs: int  # of a turn
    repeats: int
    throughput: int  # runs of the study whose throughput is measured
    memory: tuple[int, int]  # runs


FULL, QUICK = Size(100, 9, 2000, (20_000, 200_000)), Size(3, 1, 8, (20, 40))


def processor_time(call: Callable[[], Any]) -> float:
    """Seconds of this process, all of its threads."""
    start = time.process_time()
    call()
    return time.process_time() - start


def alternately(first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> tuple[list[float], list[float]]:
    """Processor seconds of both, turn by turn; one turn before that is not counted."""
    first(), second()
    pairs = [(processor_time(first), processor_time(second)) for _ in range(repeats)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def values_near(runner: Runner, count: int) -> np.ndarray:
    """Values (count, n) within a thousandth of what the file has."""
    noise = np.random.default_rng(1).standard_normal((count, len(runner.base)))
    return np.asarray(runner.base * (1.0 + 1e-3 * noise))


def beside(size: Size, report: Report) -> None:
    """A run with next to no march, in place and as `simulate` does it."""
    outputs = {"last": "final(crank.angle)"}
    for title, vary in (("all lengths vary", ["omega", "a", "b"]), ("a start speed varies", ["omega"])):
        runner = Runner(FOUR_BAR, vary, outputs, end=SHORT)
        sets = values_near(runner, size.runs)

        def in_place(runner: Runner = runner, sets: np.ndarray = sets) -> None:
            runner.run_many(sets)

        def in_full(sets: np.ndarray = sets, vary: list[str] = vary) -> None:
            for row in sets:
                model = mbsim.load_model(FOUR_BAR, dict(zip(vary, row.tolist(), strict=True)), {"end": SHORT})
                mbsim.simulate(mbsim.assemble(model)).evaluate("final(crank.angle)")

        ours, before = alternately(in_place, in_full, size.repeats)
        each = 1e3 * statistics.median(ours) / size.runs
        full = 1e3 * statistics.median(before) / size.runs
        measured = f"**{each:.3g} ms**; read, assembled and run in full {full:.3g} ms, {ratio(before, ours):.1f} times as much"
        report.figure(f"Four-bar, {title}: a run beside its march", "0.1 ms", measured, each <= 0.1)


def throughput(size: Size, report: Report) -> None:
    """Runs of 1 s with a step of 1e-3 s and one number each: processor time against that of the marches alone, and two threads."""
    vary = {"omega": {"from": 7.0, "to": 9.0, "count": size.throughput}}
    made = prepared(FOUR_BAR, vary, {"last": "final(crank.angle)"}, simulation={"end": 1.0})
    runner = made.runner
    march, turn = runner._march, min(size.throughput, 20 * size.runs // 10)
    assert march is not None
    sets = made.plan.values(0, turn)

    def marches() -> None:
        for _ in range(turn):
            assert march(lambda: runner.made.system, runner.made.q, runner.made.v)

    alone, whole = alternately(marches, lambda: runner.run_many(sets), size.repeats)
    share = ratio(alone, whole)
    report.figure("Four-bar, 1 s: processor time of the march / of the run", ">= 0.9", f"**{share:.3f}**", share >= 0.9)
    report.note(f"A march of 1 s takes {1e3 * statistics.median(alone) / turn:.3g} ms of processor time, with its restoring of arrays.")
    with tempfile.TemporaryDirectory() as folder:
        rates = {}
        for workers in (1, 2):
            at = place(workers, "threads")
            start, used = time.perf_counter(), time.process_time()
            run_study(made, Path(folder) / f"{workers}.h5", at)
            rates[workers] = made.plan.runs / (time.perf_counter() - start), made.plan.runs / (time.process_time() - used)
            at.close()
    marching = turn / statistics.median(alone)
    report.figure(
        f"Four-bar, {made.plan.runs} runs of 1 s, 2 threads / (2 x marches a second)", ">= 0.9",
        f"**{rates[2][0] / (2.0 * marching):.2f}** by the clock, {rates[2][1] / marching:.2f} by processor time; "
        f"{rates[2][0]:.3g} runs a second, with 1 worker {rates[1][0]:.3g}", rates[2][1] / marching >= 0.9,
    )  # fmt: skip


def against_rollout(size: Size, report: Report) -> None:
    """The double pendulum, 1 s in 1000 steps of RK4, two threads: MuJoCo's rollout with one model for all."""
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_string(PENDULUMS)
    count = 2 * size.runs
    data = [mujoco.MjData(model) for _ in range(2)]
    starts = np.zeros((count, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    starts[:, 1:3] = np.random.default_rng(1).normal([2.0, -0.1], 0.01, (count, 2))
    theirs_with = rollout.Rollout(nthread=2)
    runners = [Runner(MODELS / "double_pendulum.yaml", ["initial.theta1"], {"last": "final(theta1)"}, end=1.0) for _ in range(2)]
    sets = np.linspace(1.9, 2.1, size.runs)[:, None]

    def ours() -> None:
        threads = [threading.Thread(target=runner.run_many, args=(sets,)) for runner in runners]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    mine, theirs = alternately(ours, lambda: theirs_with.rollout(model, data, starts, nstep=1000), size.repeats)
    value = ratio(theirs, mine)
    rates = [count / statistics.median(seconds) for seconds in (theirs, mine)]
    report.figure(
        "Double pendulum, 1 s: MuJoCo's rollout / mbsim", ">= 4",
        f"**{value:.1f}**; {rates[1]:.3g} against {rates[0]:.3g} runs a second of processor time", value >= 4.0,
    )  # fmt: skip
    theirs_with.close()


def memory(size: Size, report: Report) -> None:
    """The largest memory of a study of few and of many runs."""
    found = []
    for runs in size.memory:
        words = [sys.executable, "-c", MEMORY, str(MODELS / "double_pendulum.yaml"), str(runs)]
        done = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ)
        found.append(int(done.stdout) / 1024.0)
    grown = found[1] - found[0]
    named = " and ".join(f"{runs:,} runs {mb:.0f} MB" for runs, mb in zip(size.memory, found, strict=True))
    report.figure("Memory of a study", "constant", f"{named}: **{grown:+.1f} MB**", grown < 60.0)


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    size = QUICK if given.quick else FULL
    report = Report()
    beside(size, report)
    throughput(size, report)
    if installed(MUJOCO, given.quick):
        against_rollout(size, report)
    memory(size, report)
    report.note(f"The script itself took {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most.")
    lines = [
        "# Speed of studies", "", origin(command(__file__), versions("numba", "numpy", "mujoco")), "",
        "What the figures mean: [studies](studies.md#how-it-runs). Times are processor times, taken alternately; medians.", "",
        report.table(), "", report.listed(), "",
    ]  # fmt: skip
    with output_folder(given) as folder:
        (folder / "benchmarks-studies.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
