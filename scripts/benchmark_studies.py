"""What a run of a study costs beside its march, and how many runs a second there are, written to docs/benchmarks-studies.md.

    python scripts/benchmark_studies.py
    python scripts/benchmark_studies.py --part memory    # one part; the document keeps the others
    python scripts/benchmark_studies.py --quick    # a few runs, in seconds

Times are processor times, taken alternately, so that a machine that does other things does them to both.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmark_exudyn import end_coordinates, fewest_steps, mechanism
from command_line import EXUDYN, MJX, MODELS, MUJOCO, Peer, command, installed, output_folder, parser, versions
from measuring import Report, origin, ratio
from study_lanes import FOUR_BAR, lanes
from study_mujoco import against_mjx, against_rollout
from study_timing import Size, alternately, processor_time, together

import mbsim
from mbsim.analyses.dynamic import run_and_record
from mbsim.march.conditioning import alternative
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.runner.fast_march import FastMarch
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.api import prepare
from mbsim.studies.sampled.run import run_study

FEW = 10  # runs of a turn whose quickest is taken
SHORT = 0.002  # s, two steps: a run with next to no march
# The memory of a study of so many runs, in a process of its own.
MEMORY = """
import resource, sys, tempfile, pathlib
from mbsim.studies.sampled.api import prepare
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.sampled.run import run_study
vary = {"m2": {"uniform": {"loc": 0.5, "scale": 1.5}}}
sampling = {"type": "random", "count": int(sys.argv[2])}
made = prepare(sys.argv[1], vary, {"last": "final(theta1)"}, sampling=sampling, simulation={"end": 0.002})
with tempfile.TemporaryDirectory() as folder:
    run_study(made, pathlib.Path(folder) / "s.h5", make_pool(1))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


FULL, QUICK = Size(100, 9, 10_000, 2, 10, 1e-6, 20_000, (20_000, 200_000)), Size(3, 1, 8, 1, 2, 1e-2, 500, (20, 40))


def values_near(runner: Runner, count: int) -> np.ndarray:
    """Values (count, n) within a thousandth of what the file has."""
    noise = np.random.default_rng(1).standard_normal((count, len(runner.base)))
    return np.asarray(runner.base * (1.0 + 1e-3 * noise))


def beside(size: Size, report: Report) -> None:
    """A run of two steps, without its march, in place and as `simulate` does it."""
    outputs = {"last": "final(crank.angle)"}
    for title, vary in (("all lengths vary", ["omega", "a", "b"]), ("a start speed varies", ["omega"])):
        runner = Runner(FOUR_BAR, vary, outputs, end=SHORT)
        sets = values_near(runner, FEW)
        starts = [runner.placed(row) for row in sets]
        march = runner._march
        assert march is not None

        def marches(runner: Runner = runner, sets: np.ndarray = sets, starts: Any = starts, march: FastMarch = march) -> float:
            """Seconds of the kernels of the march alone, from each start."""
            spent = 0.0
            for row, (q, v) in zip(sets, starts, strict=True):
                runner.placed(row)
                march(lambda: runner.made.system, q, v)  # leaves the state of a start in its arrays
                march._pool[:] = march._fresh
                march.z[:] = 0.0
                march.formulation.configuration(march.z)[:] = q
                march._q[:], march._v[:] = q, v
                march._start()
                spent += processor_time(march._chunks[0].march)
            return spent

        def in_full(sets: np.ndarray = sets, vary: list[str] = vary) -> None:
            for row in sets:
                model = mbsim.load_model(FOUR_BAR, dict(zip(vary, row.tolist(), strict=True)), {"end": SHORT})
                mbsim.simulate(mbsim.assemble(model)).evaluate("final(crank.angle)")

        def least(call: Callable[[], float], repeats: int) -> float:
            """ms a run, of the quickest turn: what other programs take away comes and goes."""
            return 1e3 * min(call() for _ in range(repeats)) / FEW

        turns = 30 * size.repeats
        runs, full_runs = partial(runner.run_many, sets), in_full
        whole = least(lambda: processor_time(runs), turns)  # noqa: B023  (it is called at once)
        alone, full = least(marches, turns), least(lambda: processor_time(full_runs), size.repeats)  # noqa: B023
        measured = f"**{whole - alone:.3g} ms**: a run of two steps {whole:.3g} ms, its march {alone:.3g} ms; in full {full:.3g} ms"
        report.figure(f"Four-bar, {title}: a run beside its march", "0.1 ms", measured, whole - alone <= 0.1)


def plain_marches(runner: Runner, sets: np.ndarray) -> None:
    """Runs that are filled and begun as in a study, and marched as `simulate` does it."""
    for values in sets:
        q, v = runner.placed(values)
        made = replace(runner.made, q=q, v=v)
        run_and_record(made, runner.settings, dense=True, other=alternative(made, runner.settings, {})).evaluate("final(crank.angle)")


def pieces(size: Size, report: Report) -> None:
    """Runs with each quick piece, and with the plain way in its place."""
    outputs, varied = {"last": "final(crank.angle)"}, {"lengths vary": ["omega", "a", "b"], "a start speed varies": ["omega"]}
    for end in (1.0, 0.1):
        for piece in ("numbers", "start", "march"):
            found = {}
            for title, vary in varied.items():
                runner = Runner(FOUR_BAR, vary, outputs, end=end)
                sets = values_near(runner, FEW)
                runs = partial(runner.run_many, sets)
                if piece == "march":
                    plainly: Callable[[], Any] = partial(plain_marches, runner, sets)
                else:
                    plainly = partial(Runner(FOUR_BAR, vary, outputs, end=end, plain=[piece]).run_many, sets)
                quick, plain = alternately(runs, plainly, 3 * size.repeats)
                found[title] = ratio(plain, quick)
            words = ", ".join(f"{title} **{value:.2f}**" for title, value in found.items())
            report.figure(f"Four-bar, {end:g} s: plain {piece} / quick", ">= 1.1 for lengths", words, found["lengths vary"] >= 1.1)


def throughput(size: Size, report: Report) -> None:
    """Runs of 1 s with a step of 1e-3 s and one number each: processor time against that of the marches alone, and two threads."""
    vary = {"omega": {"from": 7.0, "to": 9.0, "count": size.throughput}}
    made = prepare(FOUR_BAR, vary, {"last": "final(crank.angle)"}, simulation={"end": 1.0})
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
    loaded = Runner(FOUR_BAR, ["omega"], {"most": "max(norm(joint_force:A))"}, end=1.0)
    share = ratio(*alternately(marches, lambda: loaded.run_many(sets), size.repeats))
    report.figure("The same, with the largest reaction of a joint, from all rows", ">= 0.8", f"**{share:.3f}**", share >= 0.8)
    pair = [march, Runner(FOUR_BAR, ["omega"], {"last": "final(crank.angle)"}, end=1.0)._march]
    half = made.plan.runs // 2

    def march_half(one: Any) -> None:
        for _ in range(half):
            one(lambda: runner.made.system, runner.made.q, runner.made.v)

    def two_marches() -> None:
        together([partial(march_half, one) for one in pair])

    clock, used = [], []
    with tempfile.TemporaryDirectory() as folder:
        for turn_number in range(size.turns):
            at = make_pool(2, "threads")
            began = time.perf_counter(), time.process_time()
            run_study(made, Path(folder) / f"{turn_number}.h5", at)
            middle = time.perf_counter(), time.process_time()
            at.close()
            two_marches()
            end = time.perf_counter(), time.process_time()
            clock.append((end[0] - middle[0]) / (middle[0] - began[0]))
            used.append((end[1] - middle[1]) / (middle[1] - began[1]))
    report.figure(
        f"Four-bar, {2 * half} runs of 1 s into a file, 2 threads: marches alone in 2 threads / the study", ">= 0.9",
        f"**{statistics.median(used):.2f}** by processor time, {statistics.median(clock):.2f} by the clock", statistics.median(used) >= 0.9,
    )  # fmt: skip


def against_exudyn(size: Size, report: Report) -> None:
    """The four-bar over 1 s, both codes at the largest step that meets the tolerance: Exudyn's ParameterVariation, one process."""
    from exudyn.processing import ParameterVariation
    from exudyn_peer import Peer

    made = mbsim.assemble(mbsim.load_model(FOUR_BAR))
    reference = end_coordinates(made, "svd", size.reference, 1.0)
    steps = fewest_steps(
        lambda n: float(abs(end_coordinates(made, "svd", n, 1.0) - reference).max()), size.tolerance, size.reference // 40, order=4
    )
    peer = Peer(mechanism(mbsim.load_model(FOUR_BAR), made))
    their_steps = fewest_steps(
        lambda n: float(abs(peer.coordinates(n, 1.0) - reference).max()), size.tolerance, size.reference // 4, order=2
    )
    speeds = np.linspace(7.5, 8.5, size.varied)
    runner = Runner(FOUR_BAR, ["omega"], {"last": "final(crank.angle)"}, end=1.0, step=1.0 / steps)

    def one(given: dict[str, float]) -> float:
        model = mbsim.load_model(FOUR_BAR, {"omega": given["omega"]})
        return float(Peer(mechanism(model, mbsim.assemble(model))).coordinates(their_steps, 1.0)[2])

    def built(given: dict[str, float]) -> float:
        """What mbsim's part of `one` takes: the start of the mechanism, which a user of Exudyn would compute in Python too."""
        model = mbsim.load_model(FOUR_BAR, {"omega": given["omega"]})
        mechanism(model, mbsim.assemble(model))
        return 0.0

    def varied(function: Callable[[dict[str, float]], float]) -> None:
        ParameterVariation(function, {"omega": (speeds[0], speeds[-1], len(speeds))}, useMultiProcessing=False, showProgress=False)

    mine, theirs = alternately(lambda: runner.run_many(speeds[:, None]), lambda: varied(one), min(size.repeats, 5))
    lent = processor_time(lambda: varied(built))
    value = (statistics.median(theirs) - lent) / statistics.median(mine)
    violated = [
        float(np.abs(made.system.phi(1.0, at)).max())
        for at in (peer.coordinates(their_steps, 1.0), end_coordinates(made, "svd", steps, 1.0))
    ]
    report.figure(
        f"Four-bar, 1 s at error {size.tolerance:g}: Exudyn's ParameterVariation / mbsim", ">= 20",
        f"**{value:.0f}**; {their_steps} steps against {steps}, {1e3 * (statistics.median(theirs) - lent) / len(speeds):.3g} ms a run "
        f"against {1e3 * statistics.median(mine) / len(speeds):.3g} ms; at the end equations of positions are off by {violated[0]:.1g} "
        f"against {violated[1]:.1g}", value >= 20.0,
    )  # fmt: skip


def memory(size: Size, report: Report) -> None:
    """The largest memory of a study of few and of many runs."""
    found = []
    for runs in size.memory:
        words = [sys.executable, "-c", MEMORY, str(MODELS / "double_pendulum.yaml"), str(runs)]
        done = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ)
        found.append(int(done.stdout) / 1024.0)
    grown = found[1] - found[0]
    named = " and ".join(f"{runs:,} runs {mb:.0f} MB" for runs, mb in zip(size.memory, found, strict=True))
    report.figure("Memory of a study", "constant", f"{named}: **{grown:+.1f} MB**, the drawn values of the runs among them", grown < 20.0)


# of the document: heading, what is measured, what it is compared with
PARTS: dict[str, tuple[str, Callable[[Size, Report], None], Peer | None]] = {
    "beside": ("A run beside its march", beside, None),
    "pieces": ("What the quick pieces save", pieces, None),
    "throughput": ("Many runs", throughput, None),
    "lanes": ("In lanes", lanes, None),
    "rollout": ("Against MuJoCo", against_rollout, MUJOCO),
    "mjx": ("Against MJX", against_mjx, MJX),
    "exudyn": ("Against Exudyn", against_exudyn, EXUDYN),
    "memory": ("Memory", memory, None),
}
HEAD = """# Speed of studies

What the figures mean: [studies](studies.md#how-it-runs). Times are processor times, taken alternately, on a machine
that did nothing else. They are medians; of a run beside its march they are the least of several.
"""


def section(heading: str, measure: Callable[[Size, Report], None], size: Size) -> str:
    """A part of the document, measured now."""
    report = Report()
    measure(size, report)
    told = origin(command(__file__), versions("numba", "numpy", "mujoco", "mujoco-mjx", "jax", "exudyn"))
    return "\n".join([f"## {heading}", "", told, "", report.table(), *(["", report.listed()] if report.notes else []), ""])


def main() -> None:
    given = parser(__doc__, writes=True)
    given.add_argument("--part", choices=PARTS, action="append", help="measure this part only; may be repeated")
    asked = given.parse_args()
    size = QUICK if asked.quick else FULL
    sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks, as in benchmark_exudyn.py
    with output_folder(asked) as folder:
        path = folder / "benchmarks-studies.md"
        before = path.read_text(encoding="utf-8").split("\n## ")[1:] if path.is_file() else []
        found = {text.partition("\n")[0]: f"## {text.rstrip()}\n" for text in before}
        chosen = [part for name, part in PARTS.items() if name in (asked.part or PARTS)]
        able = [part for part in chosen if part[2] is None or installed(part[2], asked.quick)]  # before anything is measured
        for heading, measure, _ in able:
            found[heading] = section(heading, measure, size)
        sections = [found[heading] for heading, _, _ in PARTS.values() if heading in found]
        path.write_text("\n".join([HEAD, *sections]), encoding="utf-8")


if __name__ == "__main__":
    main()
