"""Speed of mbsim against Exudyn, measured as ratios within one run, and written to docs/benchmarks.md.

Three kinds of figures:

* equal error: both codes compute 10 s of a pendulum and of a free four-bar linkage with the largest step that keeps every body coordinate
  at the end within 1e-5 of a converged reference, and these two runs are timed alternately;
* per step: microseconds per RK4 step of mbsim against microseconds per step of Exudyn's generalized-alpha;
* whole processes: the `mbsim` command against Pythons that only import things, and the first run with an empty compile cache.

The peer is run at its best: implicit generalized-alpha with modified Newton, the fastest of its linear solvers, the spectral radius that
reaches the error soonest, no files, no sensors, no messages, its build without range checks; the tolerances of its Newton's
method are its defaults. Only `SolveDynamic` is timed, whereas for mbsim it is the whole call of `simulate`. Both codes start from the state
that mbsim assembled.

    python scripts/benchmark_exudyn.py            # needs the extra `bench`: pip install '.[bench]'
    python scripts/benchmark_exudyn.py --quick    # everything once, in seconds; without Exudyn mbsim alone
"""

import functools
import math
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from command_line import EXUDYN, MODELS, command, installed, output_folder, parser, versions
from exudyn_peer import BodyData, JointData, Mechanism, Peer, SpringData
from measuring import Report, alternate, describe, origin, process_seconds, ratio, timed

STEP = 1e-3  # s, of Exudyn's runs that are timed per step
# 1.0 diverges for constrained systems, below 0.6 the damping costs more accuracy than it brings speed.
SPECTRAL_RADII = (0.6, 0.7, 0.8, 0.9, 0.95)
METHODS = ("lagrange", "svd")


@dataclass(frozen=True)
class Size:
    """How much of it is done."""

    tolerance: float  # m and rad, largest error of a body coordinate at the end
    horizon: float  # s, of the runs at equal error
    reference: int  # steps of mbsim's reference; Exudyn's takes four times as many
    shorter: float  # the fraction of their time that the runs per step take
    first_run: tuple[str, ...]  # the words of the command that is run with an empty compile cache


FULL = Size(1e-5, 10.0, 100_000, 1.0, ("run", "pendulum"))
QUICK = Size(1e-2, 0.5, 1000, 0.01, ("models",))  # the first run of a model compiles, which takes longer than all else


# --- mbsim ------------------------------------------------------------------------------------------------------------------------------


def load(name: str) -> tuple[Any, Any]:
    """A shipped model and its assembly: the system with its consistent start."""
    import mbsim

    model = mbsim.load_model(MODELS / f"{name}.yaml")
    return model, mbsim.assemble(model)


def simulate(made: Any, method: str, step: float, end: float) -> Any:
    """The whole public call, its result in memory with two rows: recording is not what is compared."""
    import mbsim

    return mbsim.simulate(made, method=method, integrator="rk4", step=step, end=end, output_step=end)


def end_coordinates(made: Any, method: str, steps: int, end: float) -> np.ndarray:
    """(n_q,) at `end`."""
    q: np.ndarray = np.asarray(simulate(made, method, end / steps, end)["q"])
    return np.array(q[-1])


def joint_axes(joint: Any) -> list[list[float]]:
    """The axes that the file gives a joint, global at the start."""
    if joint.type == "universal":
        return [list(axis) for axis in joint.axes]
    return [list(joint.axis)] if joint.type in ("revolute", "prismatic") and joint.axis is not None else []


def mechanism(model: Any, made: Any, torques: Mapping[str, float] | None = None) -> Mechanism:
    """The numbers of an assembled model for the peer: the same start, the same points on the bodies.

    `torques` (N m) are those that the model puts on planar bodies, by body; they must be constant.
    """
    from mbsim.elements.kinds import SPRING, TORQUE

    planar, given = model.dimension == 2, dict(torques or {})
    poses, speeds = made.q.reshape(len(model.bodies), -1), made.v.reshape(len(model.bodies), -1)
    bodies = [
        BodyData(body.mass, np.array(body.inertia_matrix)[2:, 2:] if planar else np.array(body.inertia_matrix), q, v, given.get(name, 0.0))
        for (name, body), q, v in zip(model.bodies.items(), poses, speeds, strict=True)
    ]
    joints = []
    for record in made.system.joints:
        joint = model.joints[record.name]
        at = np.array([record.first_point, record.second_point])[:, : model.dimension]
        joints.append(JointData(joint.type, (record.first, record.second), at, np.array(joint_axes(joint), float)))
    arrays, ground = made.system.arrays, len(model.bodies)
    springs = []
    for (kind, first, second, _), data in zip(arrays.loads, arrays.load_data, strict=True):
        if kind == TORQUE and given:
            continue
        if kind != SPRING:
            raise ValueError("of the forces this benchmark knows springs and given torques only")
        i, j = (-1 if body == ground else int(body) for body in (first, second))
        springs.append(SpringData((i, j), data[:6].reshape(2, 3)[:, : model.dimension] if planar else data[:6].reshape(2, 3), *data[6:9]))
    return Mechanism(model.dimension, np.array(model.gravity), bodies, joints, springs)


# --- Measuring --------------------------------------------------------------------------------------------------------------------------


def fewest_steps(error: Callable[[int], float], tolerance: float, guess: int, order: int) -> int:
    """The fewest steps, to about 2 %, that keep the error within the tolerance; it starts from where the `order` says they are.

    A count that only passes because the error happens to change its sign there does not count: 15 % more steps must pass too.
    """

    @functools.cache
    def measured(steps: int) -> float:
        # A run that breaks down, with an exception of either code or a NaN, has not met any tolerance.
        try:
            value = error(steps)
        except Exception:
            return math.inf
        return value if math.isfinite(value) else math.inf

    def passes(steps: int) -> bool:
        return measured(steps) <= tolerance and measured(math.ceil(1.15 * steps)) <= tolerance

    steps = guess
    for _ in range(4):
        steps = max(4, round(steps * min(max((measured(steps) / tolerance) ** (1 / order), 0.2), 5.0)))
    while not passes(steps):
        if steps > 1 << 25:
            raise RuntimeError(f"an error of {tolerance:g} is not reached with {steps} steps")
        steps = math.ceil(1.04 * steps)
    while steps > 2 and passes(fewer := min(steps - 1, round(steps / 1.02))):
        steps = fewer
    return steps


def shown(values: np.ndarray) -> str:
    return "(" + ", ".join(f"{value:.8f}" for value in values) + ")"


# --- The three kinds of figures ---------------------------------------------------------------------------------------------------------


def equal_error(name: str, title: str, size: Size, repeats: int, peered: bool, report: Report) -> None:
    """Work-precision: both codes at the largest step that meets the tolerance."""
    horizon, tolerance = size.horizon, size.tolerance
    print(f"{title}, {horizon:g} s, error {tolerance:g}", flush=True)
    model, made = load(name)
    # RK4 at a step where rounding is all that is left.
    coarser, reference = (end_coordinates(made, "lagrange", n, horizon) for n in (size.reference // 2, size.reference))
    report.note(
        f"{title}, reference at {horizon:g} s: mbsim {shown(reference)} (twice the step: {abs(reference - coarser).max():.1e} off)."
    )

    def our_error(method: str, steps: int) -> float:
        return float(abs(end_coordinates(made, method, steps, horizon) - reference).max())

    choices = []
    for method in METHODS:
        steps = fewest_steps(functools.partial(our_error, method), tolerance, size.reference // 100, order=4)
        run = functools.partial(simulate, made, method, horizon / steps, horizon)
        choices.append((min(timed(run) for _ in range(5)), method, steps, our_error(method, steps)))
    _, method, ours_steps, ours_error = min(choices)
    run = functools.partial(simulate, made, method, horizon / ours_steps, horizon)
    marching = [float(run().attributes["march_time"]) for _ in range(repeats)]
    report.note(
        f"{title}, mbsim: {ours_steps} steps of rk4 with {method} "
        f"({', '.join(f'{m}: {n} steps, {1e3 * s:.3g} ms' for s, m, n, _ in choices)}), error {ours_error:.2e}; "
        f"of the call, marching takes {describe(marching, 1e3, 'ms')}."
    )
    figure = f"{title}, {horizon:g} s at error {tolerance:g}"
    if not peered:
        report.figure(figure, "", f"mbsim {describe([timed(run) for _ in range(repeats)], 1e3, 'ms')}")
        return
    peer, peer_steps = fastest_peer(title, Peer(mechanism(model, made)), reference, size, report)
    theirs, ours = alternate(lambda: peer.run(peer_steps, horizon), lambda: timed(run), repeats)
    value = ratio(theirs, ours)
    measured = f"**{value:.1f}** - Exudyn {describe(theirs, 1e3, 'ms')}, mbsim {describe(ours, 1e3, 'ms')}"
    report.figure(f"{figure}: Exudyn / mbsim", ">= 5", measured, value >= 5)


def fastest_peer(title: str, peer: Peer, reference: np.ndarray, size: Size, report: Report) -> tuple[Peer, int]:
    """The peer at the solver and the spectral radius that meet the tolerance soonest, and the steps it takes."""
    horizon = size.horizon
    coarse, fine = (peer.coordinates(n * size.reference, horizon, tight=True) for n in (2, 4))
    extrapolated = fine + (fine - coarse) / 3  # over its second order
    report.note(
        f"{title}, reference of Exudyn, extrapolated: {shown(extrapolated)}; it differs by {abs(reference - extrapolated).max():.1e}."
    )

    def error(steps: int) -> float:
        return float(abs(peer.coordinates(steps, horizon) - reference).max())

    peer.choose_solver(size.reference // 10, horizon)
    guess, candidates = size.reference // 5, []
    for peer.radius in SPECTRAL_RADII:
        try:
            guess = fewest_steps(error, size.tolerance, guess, order=2)
        except RuntimeError as failure:
            print(f"    Exudyn, spectral radius {peer.radius}: {failure}", flush=True)
            continue
        candidates.append((min(peer.run(guess, horizon) for _ in range(3)), guess, peer.radius))
    seconds, steps, peer.radius = min(candidates)
    solvers = peer.choose_solver(steps, horizon)
    errors = error(steps), error(2 * steps)
    report.note(
        f"{title}, Exudyn: {steps} steps with spectral radius {peer.radius} "
        f"({', '.join(f'{radius}: {n} steps, {1e3 * s:.4g} ms' for s, n, radius in candidates)}) and {peer.solver.name} "
        f"({', '.join(f'{solver} {1e3 * s:.4g} ms' for solver, s in solvers.items())}), {1e6 * seconds / steps:.3g} us per step; "
        f"error {errors[0]:.2e}, with half the step {errors[1]:.2e}, a factor of {errors[0] / errors[1]:.2f} (second order: 4)."
    )
    return peer, steps


@dataclass(frozen=True)
class StepCase:
    title: str
    model: str
    method: str
    end: float  # s, of mbsim's run
    step: float  # s
    peer_model: str
    peer_end: float  # s, of Exudyn's run at STEP
    target: float  # mbsim / Exudyn


STEP_CASES = (
    StepCase("rolling disk with svd / planar pendulum", "rolling_disk", "svd", 100.0, 0.005, "pendulum", 10.0, 1.3),
    StepCase("spatial slider-crank with svd", "spatial_slider_crank", "svd", 10.0, STEP, "spatial_slider_crank", 10.0, 1.0),
    StepCase("spatial slider-crank with lagrange", "spatial_slider_crank", "lagrange", 10.0, STEP, "spatial_slider_crank", 10.0, 1.0),
)


def per_step(case: StepCase, size: Size, repeats: int, peered: bool, report: Report) -> None:
    """Microseconds per RK4 step against microseconds per step of generalized-alpha."""
    print(f"Per step: {case.title}", flush=True)
    made = load(case.model)[1]
    end, peer_end = size.shorter * case.end, size.shorter * case.peer_end
    peer_steps, steps = round(peer_end / STEP), round(end / case.step)

    def own() -> float:
        return timed(lambda: simulate(made, case.method, case.step, end)) / steps

    if not peered:
        report.figure(f"Per step, {case.title}", "", f"mbsim {describe([own() for _ in range(repeats)], 1e6, 'us')}")
        return
    peer = Peer(mechanism(*load(case.peer_model)))
    # The radius hardly changes the time of a step; 0.8 lets the spatial mechanism converge with any linear solver.
    peer.radius = 0.8
    solvers = peer.choose_solver(peer_steps, peer_end)
    theirs, ours = alternate(lambda: peer.run(peer_steps, peer_end) / peer_steps, own, repeats)
    report.note(
        f"Per step, {case.title}: Exudyn at step {STEP:g} s, spectral radius {peer.radius}, with "
        f"{', '.join(f'{name} {1e6 * s / peer_steps:.3g} us' for name, s in solvers.items())} per step; "
        f"mbsim {steps} steps of {case.step:g} s."
    )
    value = ratio(ours, theirs)
    measured = f"**{value:.2f}** - mbsim {describe(ours, 1e6, 'us')}, Exudyn {describe(theirs, 1e6, 'us')}"
    report.figure(f"Per step, {case.title}: mbsim / Exudyn", f"<= {case.target:g}", measured, value <= case.target)


def agreement(size: Size, report: Report) -> None:
    """That both codes compute the same spatial mechanism: positions at 2 s, and Exudyn's own convergence towards them."""
    end = 2.0 * size.shorter
    model, made = load("spatial_slider_crank")
    peer = Peer(mechanism(model, made))
    peer.radius = 0.8
    q = end_coordinates(made, "lagrange", round(end / 1e-4), end).reshape(len(model.bodies), 7)[:, :3].ravel()
    errors = [abs(peer.coordinates(round(end / step), end) - q).max() for step in (1e-3, 5e-4, 2.5e-4)]
    report.note(
        f"Spatial slider-crank: positions at {end:g} s of Exudyn differ from those of mbsim (step 1e-4) by "
        f"{', '.join(f'{error:.2e}' for error in errors)} m at steps of 1e-3, 5e-4, 2.5e-4 s."
    )


def whole_processes(size: Size, repeats: int, report: Report) -> None:
    """The command against bare Pythons, warm; and its first run ever."""
    print("Whole processes", flush=True)
    mbsim, python = Path(sys.executable).parent / "mbsim", sys.executable
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "pendulum.h5"
        run: Sequence[str | Path] = [mbsim, "run", MODELS / "pendulum.yaml", "-o", output]
        imports = "import numpy, scipy.linalg, h5py, numba"
        cases: tuple[tuple[str, Sequence[str | Path], str, float], ...] = (
            ("`mbsim run models/pendulum.yaml` / `python -c 'import numpy, scipy.linalg, h5py, numba'`", run, imports, 1.6),
            ("`mbsim --help` / `python -c pass`", [mbsim, "--help"], "pass", 8.0),
        )
        for title, command, code, target in cases:
            bare, ours = alternate(
                functools.partial(process_seconds, [python, "-c", code]), functools.partial(process_seconds, command), repeats
            )
            value = ratio(ours, bare)
            measured = f"**{value:.2f}** - {describe(ours, 1e3, 'ms')} against {describe(bare, 1e3, 'ms')}"
            report.figure(title, f"<= {target:g}", measured, value <= target)
        first: Sequence[str | Path] = [mbsim, *size.first_run, *(("-o", output) if "run" in size.first_run else ())]
        cold = process_seconds(first, MBSIM_CACHE_DIR=str(Path(folder) / "cache"))
    report.figure(f"First `mbsim {' '.join(size.first_run)}` ever (empty compile cache)", "< 20 s", f"**{cold:.1f} s**", cold < 20)


# --- The document -----------------------------------------------------------------------------------------------------------------------


def document(report: Report, command: str, build: str) -> str:
    return f"""# Benchmarks

{origin(command, versions("numba", "numpy", "exudyn"))} (Exudyn's {build} build)

Times are medians of alternating runs within one process, minima in brackets. mbsim's time is the whole call of `mbsim.simulate` on an
assembled model with compiled kernels; Exudyn's is `SolveDynamic` alone, with generalized-alpha, modified Newton at its default
tolerances, its fastest linear solver, and no output. A spectral radius of 1.0 diverges for constrained systems; the one of
{", ".join(map(str, SPECTRAL_RADII))} that reaches the error soonest is taken.
The error is the largest one of the body coordinates (m, rad) at the end.

{report.table()}

## How these came about

{report.listed()}
"""


def main() -> None:
    arguments = parser(__doc__, writes=True)
    arguments.add_argument("--only", choices=("equal-error", "per-step", "processes"), action="append", help="these only (repeatable)")
    arguments.add_argument("--repeats", type=int, help="timed turns of each pair, at least 7 for the record (default: 9, quick: 1)")
    arguments.add_argument("--exudyn-build", choices=("fast", "default"), default="fast", help="fast: without range checks (default)")
    given = arguments.parse_args()
    size, repeats, chosen = QUICK if given.quick else FULL, given.repeats or (1 if given.quick else 9), given.only
    # Exudyn reads this when it is imported, which the peer does when it is built.
    sys.exudynFast = given.exudyn_build == "fast"  # type: ignore[attr-defined]
    peered = installed(EXUDYN, given.quick)

    report = Report()
    if not chosen or "equal-error" in chosen:
        equal_error("pendulum", "Pendulum", size, repeats, peered, report)
        equal_error("four_bar", "Four-bar linkage", size, repeats, peered, report)
    if not chosen or "per-step" in chosen:
        for case in STEP_CASES:
            per_step(case, size, repeats, peered, report)
        if peered:
            agreement(size, report)
    if not chosen or "processes" in chosen:
        whole_processes(size, repeats, report)
    with output_folder(given) as folder:
        (folder / "benchmarks.md").write_text(document(report, command(__file__), given.exudyn_build), encoding="utf-8")
    missed = [name for name, _, _, met in report.rows if met is False]
    if missed:
        print("not met: " + "; ".join(missed))


if __name__ == "__main__":
    main()
