"""Speed of mbsim against Exudyn on the IFToMM benchmarks A01 to A05 at equal error, written to docs/benchmarks-iftomm.md.

Both codes march each case with the fewest steps (mbsim also with the loosest tolerance) that keep the error within the required one, and
are then timed alternately: marching alone (`SolveDynamic`; the march of `simulate`), and whole processes, `mbsim run` with its kernels
compiled and its result written against a Python that imports Exudyn, builds the mechanism from numbers, marches and writes nothing.

The error of A01 is the largest energy error, the benchmark's own requirement. Of the others it is the largest deviation, over the times
for which the model file has values, from those values; the requirement is of the size of what Exudyn's published settings reach.

Exudyn runs at its best as in benchmark_exudyn.py: generalized-alpha, modified Newton, its fastest linear solver, the spectral radius
that reaches the error in the least time. Its bodies are those of the model, in absolute coordinates.

    OPENBLAS_NUM_THREADS=1 python scripts/benchmark_iftomm.py            # needs the extra `bench`: pip install '.[bench]'

With more threads NumPy's BLAS, which finds the rank at the start of a run, waits busily on other cores: processor time counts that too.
"""

import argparse
import datetime
import functools
import importlib.metadata
import itertools
import os
import pickle
import platform
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import n_four_bar
import numpy as np
from benchmark_exudyn import MODELS, ROOT, alternate, describe, fewest_steps, mechanism, process_seconds, processor, ratio
from exudyn_peer import BodyData, JointData, Mechanism, Peer
from scipy.integrate import solve_ivp

SPECTRAL_RADII = (0.6, 0.8, 0.9, 0.95)
WINDOWS = (1, 2, 4, 8, 16, 24, 32, 40)  # N of the four-bars whose cost is fitted
OUTPUT_ROWS = 500  # of mbsim's runs


@dataclass(frozen=True)
class Candidate:
    """A way to run mbsim. `adaptive`: by tolerance, not by step."""

    method: str
    integrator: str = "auto"
    adaptive: bool = False

    def words(self, level: float) -> dict[str, Any]:
        """For `simulate`; the level is a step in s or a tolerance."""
        if self.adaptive:
            return {"method": self.method, "integrator": self.integrator, "rtol": level, "atol": level}
        return {"method": self.method, "integrator": self.integrator, "step": level}

    def arguments(self, level: float) -> list[str]:
        """For `mbsim run`."""
        words = ["--method", self.method] + (["--integrator", self.integrator] if self.integrator != "auto" else [])
        if self.adaptive:
            return [*words, "--option", f"rtol={level!r}", "--option", f"atol={level!r}"]
        return [*words, "--step", repr(level)]


FIXED, ADAPTIVE = ("rk4",), ("rk45", "dop853")


def ways(*methods: str, adaptive: Sequence[str] = ADAPTIVE) -> list[Candidate]:
    """Every method with rk4 and with the adaptive integrators."""
    return [Candidate(m, i) for m in methods for i in FIXED] + [Candidate(m, i, True) for m in methods for i in adaptive]


@dataclass
class Case:
    """One benchmark: mbsim's model, Exudyn's mechanism, and what is compared."""

    title: str
    required: float
    what: str  # the error, in words with its unit
    model: str
    candidates: list[Candidate]
    build: Callable[[], Mechanism]
    pick: Callable[[np.ndarray], np.ndarray]  # from the peer's coordinates at a time: what is compared
    names: tuple[str, ...]  # the same in mbsim's model
    guess: int = 2000  # steps of the peer
    redundant: bool = False
    published: str = ""


def whole(name: str, text: Callable[[str], str] = lambda text: text, **torques: float) -> Mechanism:
    """The peer's mechanism of a shipped model, whose text may have to be changed for absolute coordinates."""
    import mbsim
    from mbsim import registry
    from mbsim.model.load import load

    file = MODELS / f"{name}.yaml"
    model = load(text(file.read_text(encoding="utf-8")), registry, file=str(file))
    return mechanism(model, mbsim.assemble(model), torques)


def pendulum() -> Mechanism:
    """A01: a point mass and a rod."""
    mass = BodyData(1.0, np.zeros((1, 1)), np.array([-1.0, 0.0]), np.zeros(2))
    return Mechanism(2, np.array([0.0, -9.81]), [mass], [JointData("rod", (-1, 0), np.zeros((2, 2)), np.zeros((0, 3)))])


def absolute(text: str) -> str:
    """The governor in absolute coordinates, all of its bodies turning at the start."""
    names = ("shaft", "slider", "right", "left")
    speeds = ", ".join(f"{name}.angular_velocity: [0, 0, w]" for name in names)
    fixed = ", ".join(f"{name}.angular_velocity" for name in names)
    text = text[: text.index("reference:")].replace("coordinates: joint\n", "").replace("method: aba", "method: cfa")
    return text.replace("{der(bearing.angle): w}", f"{{{speeds}, fix: [{fixed}]}}")


CASES = (
    Case(
        "A01 pendulum", 5e-5, "energy error, J", "iftomm_pendulum", ways("lagrange"),
        pendulum, lambda q: q, (), published="OpenSim 0.637 s, Exudyn 0.037 s",
    ),
    Case(
        "A02 four-bars, N = 2", 1e-4, "tip, half of it, m", "n_four_bar_2", ways("cfa", "svd", adaptive=()),
        lambda: whole("n_four_bar_2"), lambda q: q[:2], ("crank0.x", "crank0.y"),
        published="OpenSim 0.455 s, Exudyn 0.0776 s (at h = 0.01 s)",
    ),
    Case(
        "A03 Andrews' squeezer", 1e-3, "crank angle, rad", "andrews_squeezer_iftomm", ways("cfa", "svd"),
        lambda: whole("andrews_squeezer_iftomm", K1=0.033), lambda q: q[2:3], ("K1.angle",), published="OpenSim 0.384 s",
    ),
    Case(
        "A04 Bricard", 1e-4, "centre of the third rod, m", "bricard", ways("cfa", "svd"),
        lambda: whole("bricard"), lambda q: q[6:9], ("rod3.x", "rod3.y", "rod3.z"), redundant=True, published="OpenSim 0.258 s",
    ),
    Case(
        "A05 flyball governor", 1e-4, "slider, m", "flyball_governor",
        [*ways("aba", adaptive=("rk45", "radau")), Candidate("generalized_alpha")],
        lambda: whole("flyball_governor", absolute), lambda q: q[5:6] - 0.5, ("guide.displacement",), published="OpenSim 0.233 s",
    ),
)  # fmt: skip


# --- Errors -----------------------------------------------------------------------------------------------------------------------------


def exact(case: Case, model: Any) -> dict[float, np.ndarray]:
    """Time -> the values of the model's reference block for what is compared."""
    found: dict[float, dict[str, float]] = {}
    for value in model.reference.values:
        if value.of in case.names:
            found.setdefault(value.time, {})[value.of] = value.value
    return {t: np.array([row[name] for name in case.names]) for t, row in found.items() if len(row) == len(case.names)}


def our_error(case: Case, made: Any, truth: dict[float, np.ndarray], words: dict[str, Any]) -> tuple[float, Any]:
    """Error and result of a run of mbsim; infinite where it fails."""
    import mbsim

    end = made.simulation.end
    try:
        result = mbsim.simulate(made, output_step=end / OUTPUT_ROWS, **words)
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


def fastest_peer(case: Case, truth: dict[float, np.ndarray], end: float) -> tuple[Peer, int, str]:
    """The peer at the step and the settings that reach the error soonest; steps, and a note on the others."""
    peer = Peer(case.build())
    if not case.names:
        peer.record()
    peer.redundant = case.redundant
    peer.choose_solver(case.guess, end)
    found = []
    for peer.radius in SPECTRAL_RADII:
        try:
            steps = fewest_steps(functools.partial(their_error, case, peer, truth, end), case.required, case.guess, order=2)
        except RuntimeError:
            continue
        found.append((min(peer.run(steps, end) for _ in range(3)), steps, peer.radius))
    _, steps, peer.radius = min(found)
    peer.choose_solver(steps, end)
    note = f"{steps} steps, spectral radius {peer.radius}, {peer.solver.name}, error {their_error(case, peer, truth, end, steps):.1e}"
    return peer, steps, note


def fastest_ours(case: Case, made: Any, truth: dict[float, np.ndarray]) -> tuple[Candidate, float, str]:
    """Of the candidates at their coarsest level the one that marches fastest; its level, and a note."""
    span = made.simulation.end - made.start
    found = []
    for candidate in case.candidates:
        if candidate.adaptive:
            level = coarsest_tolerance(functools.partial(at_level, case, made, truth, candidate), case.required)
        else:
            error = functools.partial(at_steps, case, made, truth, candidate)
            order = 2 if candidate.integrator == "auto" else 4
            guess = 60_000 if (case.model, candidate.integrator) == ("flyball_governor", "rk4") else 1000
            level = span / fewest_steps(error, case.required, guess, order)
        runs = [our_error(case, made, truth, candidate.words(level)) for _ in range(3)]
        found.append((min(float(result.attributes["march_time"]) for _, result in runs), candidate, level, runs[0]))
    _, candidate, level, (reached, result) = min(found, key=lambda each: each[0])
    size = f"tolerance {level:.1e}" if candidate.adaptive else f"step {level:.3g} s"
    steps = result.attributes["counts"]["steps"]
    return candidate, level, f"{candidate.method}, {result.attributes['integrator']}, {size}, {steps} steps, error {reached:.1e}"


def at_level(case: Case, made: Any, truth: dict[float, np.ndarray], candidate: Candidate, level: float) -> float:
    """The error of a candidate at a level."""
    error: float = our_error(case, made, truth, candidate.words(level))[0]
    return error


def at_steps(case: Case, made: Any, truth: dict[float, np.ndarray], candidate: Candidate, steps: int) -> float:
    """The error of a candidate with so many steps."""
    span = float(made.simulation.end - made.start)
    return at_level(case, made, truth, candidate, span / steps)


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


def measure(case: Case, repeats: int, folder: Path) -> tuple[list[str], list[str]]:
    """A row of the table and the notes below it."""
    import mbsim

    print(case.title, flush=True)
    made = mbsim.assemble(mbsim.load_model(MODELS / f"{case.model}.yaml"))
    truth = exact(case, mbsim.load_model(MODELS / f"{case.model}.yaml"))
    end = made.simulation.end
    candidate, level, ours_note = fastest_ours(case, made, truth)
    print(f"  mbsim: {ours_note}", flush=True)
    peer, steps, peer_note = fastest_peer(case, truth, end)
    print(f"  Exudyn: {peer_note}", flush=True)

    def ours() -> float:
        return float(our_error(case, made, truth, candidate.words(level))[1].attributes["march_time"])

    theirs, marches = alternate(lambda: peer.run(steps, end), ours, repeats)
    file = folder / "mechanism.pickle"
    file.write_bytes(pickle.dumps(peer.mechanism))
    march = (
        f"import exudyn_peer; exudyn_peer.march_file({str(file)!r}, {steps}, {end}, {peer.radius}, {peer.solver.name!r}, {case.redundant})"
    )
    run: Sequence[str | Path] = [
        sys.executable, "-m", "mbsim", "-q", "run", MODELS / f"{case.model}.yaml", "-o", folder / "x.h5",
        "--output-step", repr(end / OUTPUT_ROWS), *candidate.arguments(level),
    ]  # fmt: skip
    paths = os.pathsep.join([str(ROOT), str(ROOT / "scripts")])
    their_processes, processes = alternate(
        functools.partial(process_seconds, [sys.executable, "-c", march], PYTHONPATH=paths),
        functools.partial(process_seconds, run, PYTHONPATH=paths),
        repeats,
    )

    def changed() -> float:
        """With a model that no run has read before."""
        from mbsim import jit

        shutil.rmtree(jit.CACHE_FOLDER / "models", ignore_errors=True)
        return process_seconds(run, PYTHONPATH=paths)

    anew = [changed() for _ in range(repeats)]
    row = [
        case.title, f"{case.required:g} ({case.what})",
        describe(theirs, 1e3, "ms"), describe(marches, 1e3, "ms"), f"**{ratio(theirs, marches):.1f}**",
        describe(their_processes, 1e3, "ms"), describe(processes, 1e3, "ms"), f"**{ratio(their_processes, processes):.2f}**",
        describe(anew, 1e3, "ms"), case.published,
    ]  # fmt: skip
    print("  => " + " | ".join(row), flush=True)
    return row, [f"{case.title}, mbsim: {ours_note}.", f"{case.title}, Exudyn: {peer_note}."]


# --- The cost of many windows -----------------------------------------------------------------------------------------------------------


def tip(n: int, end: float) -> np.ndarray:
    """Half of the first crank's tip at `end`, from the motion of one angle."""
    a = ((n + 1) / 2 + n) * 9.81 / ((n + 1) / 3 + n)
    done = solve_ivp(lambda t, y: [y[1], a * np.sin(y[0])], (0.0, end), [0.0, 1.0], method="DOP853", rtol=3e-14, atol=1e-14)
    angle = float(done.y[0, -1])
    return np.array([np.sin(angle), np.cos(angle)]) / 2


def windows(repeats: int) -> tuple[list[list[str]], str]:
    """Microseconds per step of the N four-bar for each N, rows of a table, and the fits."""
    import mbsim
    from mbsim import registry
    from mbsim.model.load import load

    made = {n: mbsim.assemble(load(n_four_bar.model(n), registry, file=f"n_four_bar_{n}.yaml")) for n in WINDOWS}
    spent: dict[tuple[int, bool], list[float]] = {(n, long): [] for n in WINDOWS for long in (False, True)}
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
    least = np.array([(min(spent[n, True]) - min(spent[n, False])) / (steps[n, True] - steps[n, False]) for n in WINDOWS]) * 1e6
    numbers = np.array(WINDOWS, float)
    bodies = 2 * numbers + 1
    slope, offset = np.polyfit(bodies, least, 1)
    residual = float(abs(least / (offset + slope * bodies) - 1.0)[2:].max())
    exponent = float(np.polyfit(np.log(bodies[2:]), np.log(least[2:]), 1)[0])
    rows = [
        [str(n), str(2 * n + 1), f"{us:.3g}", f"{us / (2 * n + 1):.3g}", f"{errors[n]:.1e}"] for n, us in zip(WINDOWS, least, strict=True)
    ]
    fit = (
        f"{offset:.3g} us + {slope:.3g} us per body; from N = {WINDOWS[2]} on no point is farther than {100 * residual:.0f} % from it, "
        f"and the slope of log time against log bodies is {exponent:.2f}."
    )
    print(f"  => {fit}", flush=True)
    return rows, fit


# --- The document -----------------------------------------------------------------------------------------------------------------------


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def document(rows: list[list[str]], notes: list[str], costs: list[list[str]], fit: str, command: str) -> str:
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in ("numba", "numpy", "exudyn"))
    heads = [
        "case",
        "required error",
        "Exudyn march",
        "mbsim march",
        "ratio",
        "Exudyn process",
        "mbsim process",
        "ratio",
        "mbsim process, new model",
        "published times",
    ]
    return f"""# The IFToMM benchmarks, beside Exudyn

Written by `{command}` on {datetime.date.today().isoformat()}; every figure below is one that this run printed.

- Machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}
- Python {platform.python_version()}, {versions} (Exudyn's fast build)

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
    parser = argparse.ArgumentParser(
        description="Speed of mbsim against Exudyn on the IFToMM benchmarks; writes docs/benchmarks-iftomm.md."
    )
    parser.add_argument("--only", action="append", choices=[case.title[:3] for case in CASES] + ["windows"], help="these only (repeatable)")
    parser.add_argument("--repeats", type=int, default=9, help="timed turns of each pair (default: %(default)s)")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "benchmarks-iftomm.md", help="(default: %(default)s)")
    arguments = parser.parse_args()
    sys.exudynFast = True  # type: ignore[attr-defined]  # read by Exudyn when it is imported
    rows, notes = [], []
    costs: list[list[str]] = []
    fit = ""
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if not arguments.only or case.title[:3] in arguments.only:
                row, more = measure(case, arguments.repeats, Path(folder))
                rows.append(row)
                notes += more
    if not arguments.only or "windows" in arguments.only:
        print("N four-bars", flush=True)
        costs, fit = windows(arguments.repeats)
    command = shlex.join(["python", "scripts/benchmark_iftomm.py", *sys.argv[1:]])
    arguments.output.write_text(document(rows, notes, costs, fit, command), encoding="utf-8")
    print(f"written: {arguments.output}")


if __name__ == "__main__":
    main()
