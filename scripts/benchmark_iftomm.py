"""Speed of mbsim against Exudyn on the IFToMM benchmarks A01 to A05 at equal error, written to docs/benchmarks-iftomm.md.

Both codes march each case with the fewest steps (mbsim also with the loosest tolerance) that keep the error within the required one, and
are then timed alternately: marching alone (`SolveDynamic`; the march of `simulate`), and whole processes, `mbsim run` with its kernels
compiled and its result written against a Python that imports Exudyn, builds the mechanism from numbers, marches and writes nothing.

The error of A01 is the largest energy error, the benchmark's own requirement. Of the others it is the largest deviation, over the times
for which the model file has values, from those values; the requirement is of the size of what Exudyn's published settings reach.

Exudyn runs at its best as in benchmark_exudyn.py: generalized-alpha, modified Newton, its fastest linear solver, the spectral radius
that reaches the error in the least time. Its bodies are those of the model, in absolute coordinates.

    OPENBLAS_NUM_THREADS=1 python scripts/benchmark_iftomm.py    # needs the extra `bench`: pip install '.[bench]'
    python scripts/benchmark_iftomm.py --quick                   # two of the cases, in seconds; without Exudyn mbsim alone

With more threads NumPy's BLAS, which finds the rank at the start of a run, waits busily on other cores: processor time counts that too.
"""

import functools
import itertools
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import n_four_bar
import numpy as np
from benchmark_exudyn import fewest_steps
from command_line import EXUDYN, MODELS, ROOT, command, installed, output_folder, parser, versions
from exudyn_peer import Peer
from iftomm_cases import CASES, Candidate, Case
from measuring import alternate, describe, origin, process_seconds, ratio, table
from scipy.integrate import solve_ivp

SPECTRAL_RADII = (0.6, 0.8, 0.9, 0.95)
OUTPUT_ROWS = 500  # of mbsim's runs


@dataclass(frozen=True)
class Size:
    """How much of it is done."""

    cases: tuple[str, ...]
    loosened: float  # how many times the required error
    end: float | None  # s; None: the model's own
    windows: tuple[int, ...]  # N of the four-bars whose cost is fitted
    every: bool = True  # candidates, or the first that has a step and the first that has a tolerance


FULL = Size(tuple(CASES), 1.0, None, (1, 2, 4, 8, 16, 24, 32, 40))
QUICK = Size(("A01", "A02"), 1e3, 1.0, (1, 2, 3, 4), every=False)


# --- Errors -----------------------------------------------------------------------------------------------------------------------------


def exact(case: Case, model: Any, end: float) -> dict[float, np.ndarray]:
    """Time, up to the end -> the values of the model's reference block for what is compared."""
    found: dict[float, dict[str, float]] = {}
    for value in model.reference.values:
        if value.of in case.names and value.time <= end:
            found.setdefault(value.time, {})[value.of] = value.value
    return {t: np.array([row[name] for name in case.names]) for t, row in found.items() if len(row) == len(case.names)}


def our_error(case: Case, made: Any, truth: dict[float, np.ndarray], end: float, words: dict[str, Any]) -> tuple[float, Any]:
    """Error and result of a run of mbsim; infinite where it fails."""
    import mbsim

    try:
        result = mbsim.simulate(made, end=end, output_step=end / OUTPUT_ROWS, **words)
    except mbsim.SimulationError:
        return float("inf"), None
    if not case.names:
        return float(abs(result["energy_balance"]).max()), result
    columns = np.column_stack([np.asarray(result.select("q", name)) for name in case.names])
    time = np.asarray(result.time)
    rows = {t: columns[int(abs(time - t).argmin())] for t in truth if abs(time - t).min() < 1e-9}
    return max(float(abs(rows[t] - truth[t]).max()) for t in rows), result


def their_error(case: Case, peer: Peer, truth: dict[float, np.ndarray], end: float, steps: int) -> float:
    """The same of Exudyn, which marches to each time anew."""
    if not case.names:
        return peer_energy(peer, steps, end)
    errors = []
    for t, values in truth.items():
        taken = max(1, round(steps * t / end))
        errors.append(float(abs(case.pick(peer.coordinates(taken, t)) - values).max()))
    return max(errors)


def peer_energy(peer: Peer, steps: int, end: float) -> float:
    """Largest energy error of the point mass, J, from sensors at OUTPUT_ROWS times or at every step if there are fewer."""
    settings = peer.settings(steps, end)
    settings.solution.sensors.active = True
    settings.solution.sensors.writePeriod = max(end / OUTPUT_ROWS, end / steps)
    peer.system.SolveDynamic(settings)
    position: np.ndarray = np.array(peer.system.GetSensorStoredData(peer.sensors[0]))  # time, x, y, z
    velocity: np.ndarray = np.array(peer.system.GetSensorStoredData(peer.sensors[1]))
    energy = 0.5 * (velocity[:, 1:3] ** 2).sum(axis=1) + 9.81 * position[:, 2]
    return float(abs(energy).max())  # it is 0 at the start


# --- One case ---------------------------------------------------------------------------------------------------------------------------


def fastest_peer(case: Case, truth: dict[float, np.ndarray], end: float, required: float) -> tuple[Peer, int, str]:
    """The peer at the step and the settings that reach the error soonest; steps, and a note on the others."""
    peer = Peer(case.build())
    if not case.names:
        peer.record()
    peer.redundant = case.redundant
    peer.choose_solver(case.guess, end)
    found = []
    for peer.radius in SPECTRAL_RADII:
        try:
            steps = fewest_steps(functools.partial(their_error, case, peer, truth, end), required, case.guess, order=2)
        except RuntimeError:
            continue
        found.append((min(peer.run(steps, end) for _ in range(3)), steps, peer.radius))
    _, steps, peer.radius = min(found)
    peer.choose_solver(steps, end)
    note = f"{steps} steps, spectral radius {peer.radius}, {peer.solver.name}, error {their_error(case, peer, truth, end, steps):.1e}"
    return peer, steps, note


def fastest_ours(
    case: Case, candidates: Sequence[Candidate], made: Any, truth: dict[float, np.ndarray], end: float, required: float
) -> tuple[Candidate, float, str]:
    """Of the candidates at their coarsest level the one that marches fastest; its level, and a note."""
    span = end - made.start
    found = []
    for candidate in candidates:

        def error(level: float, candidate: Candidate = candidate) -> float:
            return our_error(case, made, truth, end, candidate.words(level))[0]

        if candidate.adaptive:
            level = coarsest_tolerance(error, required)
        else:
            order = 2 if candidate.integrator == "auto" else 4
            guess = 60_000 if (case.model, candidate.integrator) == ("flyball_governor", "rk4") else 1000
            level = span / fewest_steps(lambda steps, error=error: error(span / steps), required, guess, order)  # type: ignore[misc]
        runs = [our_error(case, made, truth, end, candidate.words(level)) for _ in range(3)]
        found.append((min(float(result.attributes["march_time"]) for _, result in runs), candidate, level, runs[0]))
    _, candidate, level, (reached, result) = min(found, key=lambda each: each[0])
    size = f"tolerance {level:.1e}" if candidate.adaptive else f"step {level:.3g} s"
    steps = result.attributes["counts"]["steps"]
    return candidate, level, f"{candidate.method}, {result.attributes['integrator']}, {size}, {steps} steps, error {reached:.1e}"


def coarsest_tolerance(error: Callable[[float], float], required: float) -> float:
    """The loosest of 10^-2, 10^-2.5, ... at which, and at the next tighter one, the error is met."""
    levels = [10.0 ** (-0.5 * k) for k in range(4, 26)]
    errors: dict[float, float] = {}
    for level, tighter in itertools.pairwise(levels):
        for x in (level, tighter):
            if x not in errors:
                errors[x] = error(x)
        if errors[level] <= required and errors[tighter] <= required:
            return float(level)
    raise RuntimeError("no tolerance reaches the error")


def measure(case: Case, size: Size, repeats: int, peered: bool, folder: Path) -> tuple[list[str], list[str]]:
    """A row of the table and the notes below it."""
    import mbsim

    print(case.title, flush=True)
    source = MODELS / f"{case.model}.yaml"
    model = mbsim.load_model(source)
    made = mbsim.assemble(model)
    end, required = size.end or made.simulation.end, size.loosened * case.required
    truth = exact(case, model, end)
    first_of_each = {candidate.adaptive: candidate for candidate in reversed(case.candidates)}
    candidates = case.candidates if size.every else list(first_of_each.values())
    candidate, level, ours_note = fastest_ours(case, candidates, made, truth, end, required)
    print(f"  mbsim: {ours_note}", flush=True)
    notes = [f"{case.title}, mbsim: {ours_note}."]

    def ours() -> float:
        return float(our_error(case, made, truth, end, candidate.words(level))[1].attributes["march_time"])

    def process(file: Path = source) -> float:
        words: list[str | Path] = [sys.executable, "-m", "mbsim", "-q", "run", file, "-o", folder / "x.h5", "--end", repr(end)]
        return process_seconds([*words, "--output-step", repr(end / OUTPUT_ROWS), *candidate.arguments(level)], PYTHONPATH=paths)

    def changed() -> float:
        """Of a model that no run has read before: its text ends in a line of its own."""
        copy = folder / source.name
        copy.write_text(f"{source.read_text(encoding='utf-8')}\n# {time.time_ns()}\n", encoding="utf-8")
        return process(copy)

    paths = os.pathsep.join([str(ROOT), str(ROOT / "scripts")])
    if peered:
        peer, steps, peer_note = fastest_peer(case, truth, end, required)
        print(f"  Exudyn: {peer_note}", flush=True)
        notes.append(f"{case.title}, Exudyn: {peer_note}.")
        theirs, marches = alternate(lambda: peer.run(steps, end), ours, repeats)
        file = folder / "mechanism.pickle"
        file.write_bytes(pickle.dumps(peer.mechanism))
        words = f"{str(file)!r}, {steps}, {end}, {peer.radius}, {peer.solver.name!r}, {case.redundant}"
        march = [sys.executable, "-c", f"import exudyn_peer; exudyn_peer.march_file({words})"]
        their_processes, processes = alternate(lambda: process_seconds(march, PYTHONPATH=paths), process, repeats)
        first = [describe(theirs, 1e3, "ms"), describe(marches, 1e3, "ms"), f"**{ratio(theirs, marches):.1f}**"]
        second = [describe(their_processes, 1e3, "ms"), describe(processes, 1e3, "ms"), f"**{ratio(their_processes, processes):.2f}**"]
    else:
        first, second = (["", describe([run() for _ in range(repeats)], 1e3, "ms"), ""] for run in (ours, process))
    anew = [changed() for _ in range(repeats)]
    row = [case.title, f"{required:g} ({case.what})", *first, *second, describe(anew, 1e3, "ms"), case.published]
    print("  => " + " | ".join(row), flush=True)
    return row, notes


# --- The cost of many windows -----------------------------------------------------------------------------------------------------------


def tip(n: int, end: float) -> np.ndarray:
    """Half of the first crank's tip at `end`, from the motion of one angle."""
    a = ((n + 1) / 2 + n) * 9.81 / ((n + 1) / 3 + n)
    done = solve_ivp(lambda t, y: [y[1], a * np.sin(y[0])], (0.0, end), [0.0, 1.0], method="DOP853", rtol=3e-14, atol=1e-14)
    angle = float(done.y[0, -1])
    return np.array([np.sin(angle), np.cos(angle)]) / 2


def windows(sizes: tuple[int, ...], repeats: int) -> tuple[list[list[str]], str]:
    """Microseconds per step of the N four-bar for each N, rows of a table, and the fits."""
    import mbsim
    from mbsim import registry
    from mbsim.model.load import load

    made = {n: mbsim.assemble(load(n_four_bar.model(n), registry, file=f"n_four_bar_{n}.yaml")) for n in sizes}
    spent: dict[tuple[int, bool], list[float]] = {(n, long): [] for n in sizes for long in (False, True)}
    steps, errors = {}, {}
    for _ in range(repeats):  # round by round, so that a machine that changes its pace does it to all
        for n, each in made.items():
            for long in (False, True):
                end = each.simulation.end if long else 1.0
                tick = time.process_time()  # other processes do not count
                result = mbsim.simulate(each, end=end, output_step=end)
                spent[n, long].append(time.process_time() - tick)
                steps[n, long] = int(result.attributes["counts"]["steps"])
            errors[n] = float(abs(result["q"][-1][:2] - tip(n, end)).max())
    # The least of each, for a neighbour on the core only adds; their difference is of marching alone.
    least = np.array([(min(spent[n, True]) - min(spent[n, False])) / (steps[n, True] - steps[n, False]) for n in sizes]) * 1e6
    numbers = np.array(sizes, float)
    bodies = 2 * numbers + 1
    slope, offset = np.polyfit(bodies, least, 1)
    residual = float(abs(least / (offset + slope * bodies) - 1.0)[2:].max())
    exponent = float(np.polyfit(np.log(bodies[2:]), np.log(least[2:]), 1)[0])
    rows = [
        [str(n), str(2 * n + 1), f"{us:.3g}", f"{us / (2 * n + 1):.3g}", f"{errors[n]:.1e}"] for n, us in zip(sizes, least, strict=True)
    ]
    fit = (
        f"{offset:.3g} us + {slope:.3g} us per body; from N = {sizes[2]} on no point is farther than {100 * residual:.0f} % from it, "
        f"and the slope of log time against log bodies is {exponent:.2f}."
    )
    print(f"  => {fit}", flush=True)
    return rows, fit


# --- The document -----------------------------------------------------------------------------------------------------------------------


def document(rows: list[list[str]], notes: list[str], costs: list[list[str]], fit: str) -> str:
    heads = [
        "case", "required error", "Exudyn march", "mbsim march", "ratio", "Exudyn process", "mbsim process", "ratio",
        "mbsim process, new model", "published times",
    ]  # fmt: skip
    return f"""# The IFToMM benchmarks, beside Exudyn

{origin(command(__file__), versions("numba", "numpy", "exudyn"))} (Exudyn's fast build)

Both codes at the fewest steps, or the loosest tolerance, that keep the error within the required one; medians of alternating runs,
minima in brackets; ratios are Exudyn / mbsim. A march is `SolveDynamic`, and the march of `simulate`. A process is `mbsim run` with
compiled kernels and a result of {OUTPUT_ROWS} rows, and a Python that imports Exudyn, builds the mechanism, marches and writes nothing.
The required error is the benchmark's for A01 (energy over 10 s); for the others it is of the size of what Exudyn's published settings
reach, against the values of the [model files](bench.md). Published times are those of the IFToMM library for OpenSim (i5-4570) and of
Exudyn's examples (i9), at their own errors.

Marching decides the first ratio. The second is decided by what a process does besides: importing NumPy and h5py and writing the result
takes `mbsim run` about as long as importing Exudyn takes Python, and longer than most of these marches. It finds its kernels compiled and
the model assembled by an earlier run of the same file, as Exudyn finds the mechanism in a pickle file; in the column `new model` it does
not, and reads and checks the model file, which Exudyn has no counterpart of.

{table(heads, rows)}

{chr(10).join(f"- {note}" for note in notes)}

## Cost of N four-bars

The N four-bar of A02 has 2 N + 1 bodies, and passes a position in which all of them are in one line each half turn. With `cfa` and
rk4 at a step of 0.01 s, 10 s, processor time, the least of the repeats:

{table(["N", "bodies", "us per step", "us per step and body", "error at 10 s, m"], costs)}

{fit}
"""


def main() -> None:
    arguments = parser(__doc__, writes=True)
    arguments.add_argument("--only", action="append", choices=[*CASES, "windows"], help="these only (repeatable)")
    arguments.add_argument("--repeats", type=int, help="timed turns of each pair (default: 9, quick: 1)")
    given = arguments.parse_args()
    size, repeats = QUICK if given.quick else FULL, given.repeats or (1 if given.quick else 9)
    sys.exudynFast = True  # type: ignore[attr-defined]  # read by Exudyn when it is imported
    peered = installed(EXUDYN, given.quick)
    chosen = given.only or [*size.cases, "windows"]
    rows, notes = [], []
    costs: list[list[str]] = []
    fit = ""
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen:
            if name in CASES:
                row, more = measure(CASES[name], size, repeats, peered, Path(scratch))
                rows.append(row)
                notes += more
    if "windows" in chosen:
        print("N four-bars", flush=True)
        costs, fit = windows(size.windows, repeats)
    with output_folder(given) as folder:
        (folder / "benchmarks-iftomm.md").write_text(document(rows, notes, costs, fit), encoding="utf-8")


if __name__ == "__main__":
    main()
