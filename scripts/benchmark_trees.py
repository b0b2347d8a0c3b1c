"""Speed of the methods for trees, as ratios within one run, written to docs/benchmarks-trees.md.

* `aba` against Pinocchio's `aba` called from Python (7, 30, 100 joints): a call is one evaluation, mbsim's in a compiled loop as its
  integrators call it, with everything that an evaluation does (laws, loads, rates), Pinocchio's in a Python loop;
* `cfa` against `aba` with reactions, that is `aba` and then recursive Newton-Euler, which gives the wrenches that `cfa` finds on its way;
* time per joint at 1000 joints against 30, for a chain, a balanced binary tree and a comb;
* `odd_even` and `dense` to 300 joints;
* a whole run against MuJoCo: an arm of 30 damped joints, RK4, 10 s at 1 ms, no contacts, only the end is recorded.

    python scripts/benchmark_trees.py            # needs the extra `bench`: pip install '.[bench]'
    python scripts/benchmark_trees.py --quick    # small trees once, in seconds; what needs Pinocchio or MuJoCo is left out without them
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from command_line import MUJOCO, PINOCCHIO, command, installed, output_folder, parser, versions
from example_models import spatial_tree
from measuring import origin, table

import mbsim
from mbsim import contracts, jit, registry
from mbsim.assembly import Assembly
from mbsim.kernels import tree_columns as columns
from mbsim.march.formulation import formulate
from mbsim.march.settings import resolve
from mbsim.model.load import load
from mbsim.system.inverse import joint_efforts
from mbsim.system.system import System

DAMPING = 2.0  # N m s/rad of the whole run; an undamped arm of 30 links is chaotic
STEP = 1e-3  # s, of the whole run


@dataclass(frozen=True)
class Size:
    """How much of it is done."""

    rounds: int  # alternating; the smallest time of each counts: what else runs on the machine can only add
    span: float  # s, of one timed loop
    peer: tuple[int, ...]  # joints of the trees that Pinocchio evaluates too
    growth: tuple[int, int]  # joints between which the time per joint should not grow
    eliminations: tuple[int, ...]  # joints
    whole: tuple[int, float, int]  # joints, s and repeats of the whole run


FULL = Size(15, 0.02, (7, 30, 100), (30, 1000), (10, 30, 100, 300), (30, 10.0, 5))
QUICK = Size(2, 5e-4, (3,), (3, 6), (3, 6), (3, 0.2, 1))


EFFORTS = jit.void(contracts.ARRAYS, *[jit.A1] * 3)  # of mbsim.system.inverse


@jit.kernel(
    jit.void(
        jit.Function(contracts.RHS),
        jit.Function(EFFORTS),
        contracts.SYSTEM,
        contracts.ARRAYS,
        contracts.WORK,
        *[jit.A1] * 3,
        jit.i8,
        jit.i8,
    )
)
def loop(rhs, efforts, system, arrays, work, z, dz, tau, count, reactions):  # type: ignore[no-untyped-def]
    """`count` evaluations, each with inverse dynamics after it when `reactions`."""
    n = work.v.shape[0]
    for _ in range(count):
        rhs(system, arrays, work, 0.0, z, dz)
        if reactions != 0:
            efforts(arrays, z[:n], dz[:n], tau)


def tree(shape: str, n: int) -> System:
    """n bodies without symmetry on hinges with random axes."""
    return assembled(shape, n).system


def assembled(shape: str, n: int, damping: float = 0.0) -> Assembly:
    """The same with its start; `damping` in N m s/rad."""
    return mbsim.assemble(load(spatial_tree(shape, n, damping), registry, file=f"{shape}.yaml"))


def evaluation(system: System, method: str, span: float, reactions: bool = False) -> Callable[[], float]:
    """A function that times one evaluation (s)."""
    solved = formulate(system, resolve(None, system, {"end": 1.0, "method": method}))
    module, work = solved.functions, solved.work
    z = np.random.default_rng(1).standard_normal(system.n_v + system.n_q + 1)
    dz, tau = np.zeros_like(z), np.zeros(system.n_v)
    q, v = z[system.n_v : -1].copy(), z[: system.n_v].copy()
    module.start(system.functions, system.arrays, work, 0.0, q, v, z)

    def run(count: int) -> float:
        tick = time.perf_counter()
        loop(module.rhs, joint_efforts, system.functions, system.arrays, work, z, dz, tau, count, reactions)
        return (time.perf_counter() - tick) / count

    run(1)  # loads the pages
    if run(1) > span / 10:  # a dense one
        return lambda: run(1)
    few, many = min(run(2) for _ in range(5)) * 2, min(run(42) for _ in range(3)) * 42
    count = max(10, int(span * 40 / max(many - few, 1e-7)))  # without the passing of the arrays from Python, once a loop
    return lambda: run(count)


def best(rounds: int, *timers: Callable[[], float]) -> list[float]:
    """The smallest of several times of each, taken alternately."""
    times: list[list[float]] = [[] for _ in timers]
    for _ in range(rounds):
        for timer, row in zip(timers, times, strict=True):
            row.append(timer())
    return [min(row) for row in times]


def against_pinocchio(size: Size) -> str:
    """aba in mbsim's compiled loop and in Pinocchio's Python loop."""
    import pinocchio as pin
    from pinocchio_peer import Peer

    rows = []
    for n in size.peer:
        system = tree("random", n)
        peer = Peer(system)
        q, v, tau = np.zeros(n), np.ones(n), np.zeros(n)
        q_own, v_own = peer.state(q, v)
        count = max(20, 60000 // n // 10)

        def theirs(peer: Any = peer, q: Any = q_own, v: Any = v_own, tau: Any = tau, count: int = count) -> float:
            model, data, aba = peer.model, peer.data, pin.aba
            tick = time.perf_counter()
            for _ in range(count):
                aba(model, data, q, v, tau)
            return (time.perf_counter() - tick) / count

        ours, other = best(size.rounds, evaluation(system, "aba", size.span), theirs)
        rows.append([f"{n}", f"{1e9 * ours / n:.0f}", f"{1e9 * other / n:.0f}", f"{other / ours:.1f} times faster"])
    return shown(("joints", "mbsim `aba`, ns per joint", "Pinocchio `aba` from Python, ns per joint", "ratio"), rows)


def shown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, printed too."""
    text = table(heads, rows)
    print(text, flush=True)
    return text


def reactions_and_growth(size: Size) -> list[str]:
    """cfa against aba with reactions; time per joint of large trees against small ones."""
    rows, growth = [], []
    small, large = size.growth
    for shape in ("chain", "binary tree", "comb"):
        found: dict[int, list[float]] = {}
        for n in size.growth:
            system, span = tree(shape, n), size.span
            timers = evaluation(system, "aba", span), evaluation(system, "aba", span, True), evaluation(system, "cfa", span)
            found[n] = [1e9 * x / n for x in best(size.rounds, *timers)]
            rows.append([shape, f"{n}", *(f"{x:.0f}" for x in found[n]), f"{found[n][2] / found[n][1]:.2f}"])
        growth.append([shape, *(f"{found[large][k] / found[small][k]:.2f}" for k in (0, 2))])
    return [
        "ns per joint and evaluation.", "",
        shown(("tree", "joints", "`aba`", "`aba` + reactions", "`cfa`", "`cfa` / (`aba` + reactions)"), rows), "",
        f"Time per joint at {large} joints over that at {small} (wanted: at most 1.5):", "",
        shown(("tree", "`aba`", "`cfa`"), growth),
    ]  # fmt: skip


def mujoco_model(system: System, damping: float, spring: str = "", integrator: str = "RK4", step: float = STEP) -> str:
    """MJCF of a tree of hinges, node by node, without contacts; `spring`: further attributes of every joint, angles in rad."""
    from scipy.spatial.transform import Rotation

    children: dict[int, list[int]] = {}
    for i, row in enumerate(system.arrays.tree):
        children.setdefault(int(row[columns.PARENT]), []).append(i)

    def words(x: Any) -> str:
        return " ".join(f"{float(v):.17g}" for v in x)

    lines: list[str] = []
    stack: list[Any] = list(reversed(children[-1]))
    while stack:
        i = stack.pop()
        if isinstance(i, str):
            lines.append(i)
            continue
        d = system.arrays.tree_data[i]
        place = d[columns.POSITION_0 : columns.POSITION_0 + 3]
        quaternion = np.roll(Rotation.from_matrix(d[columns.ROTATION_0 : columns.ROTATION_0 + 9].reshape(3, 3).T).as_quat(), 1)
        mass, centre = d[columns.MASS], d[columns.FIRST_MOMENT : columns.FIRST_MOMENT + 3] / d[columns.MASS]
        xx, yy, zz, xy, xz, yz = d[columns.INERTIA : columns.INERTIA + 6]
        shift = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        about = [xx - shift[0, 0], yy - shift[1, 1], zz - shift[2, 2], xy - shift[0, 1], xz - shift[0, 2], yz - shift[1, 2]]
        lines.append(
            f'<body pos="{words(place)}" quat="{words(quaternion)}"><joint axis="0 0 1" damping="{damping}" {spring}/>'
            f'<inertial mass="{mass:.17g}" pos="{words(centre)}" fullinertia="{words(about)}"/>'
        )
        stack += ["</body>", *reversed(children.get(i, []))]
    option = f'<option integrator="{integrator}" timestep="{step!r}" gravity="0 0 -9.81"><flag contact="disable"/></option>'
    option += '<compiler angle="radian"/>'
    return f"<mujoco>{option}<worldbody>{''.join(lines)}</worldbody></mujoco>"


def whole_run(size: Size) -> list[str]:
    """An arm of damped joints, by mbsim and by MuJoCo."""
    import mujoco

    joints, horizon, repeats = size.whole
    made = assembled("chain", joints, DAMPING)
    model = mujoco.MjModel.from_xml_string(mujoco_model(made.system, DAMPING))
    ends: dict[str, Any] = {}

    def ours() -> float:
        tick = time.perf_counter()
        ends["mbsim"] = mbsim.simulate(made, method="aba", end=horizon, step=STEP, output_step=horizon)["q"][-1]
        return time.perf_counter() - tick

    def theirs() -> float:
        data = mujoco.MjData(model)
        tick = time.perf_counter()
        mujoco.mj_step(model, data, round(horizon / STEP))
        ends["MuJoCo"] = data.qpos.copy()
        return time.perf_counter() - tick

    ours()
    times = [statistics.median(row) for row in zip(*((ours(), theirs()) for _ in range(repeats)), strict=True)]
    reference = mbsim.simulate(made, method="aba", end=horizon, step=STEP / 4, output_step=horizon)["q"][-1]
    rows = [[name, f"{seconds:.3f}", f"{np.abs(ends[name] - reference).max():.1e}"] for name, seconds in zip(ends, times, strict=True)]
    faster = f"mbsim is {times[1] / times[0]:.1f} times as fast; the reference is its run with a quarter of the step."
    return [shown(("", f"s, median of {repeats}", "largest error of a joint angle at the end, rad"), rows), "", faster]


def eliminations(size: Size, images: Path) -> list[str]:
    """The three eliminations of cfa, and kane."""
    words = ("cfa", "cfa(elimination=odd_even)", "cfa(elimination=dense)", "kane")
    rows, curves = [], dict[str, list[list[float]]]()
    for shape in ("chain", "binary tree"):
        for n in size.eliminations:
            system = tree(shape, n)
            timers = [evaluation(system, word, size.span) for word in words]
            times = [statistics.median([timer() for _ in range(3)]) for timer in timers]
            rows.append([shape, f"{n}", *(f"{1e6 * x:.3g}" for x in times)])
            curves.setdefault(shape, []).append([n, *times])
    _draw(curves, words, images / "benchmark_trees.png")
    made = shown(("tree", "joints", "`leaf_to_root`", "`odd_even`", "`dense`", "`kane`"), rows)
    return ["Microseconds per evaluation.", "", made, "", "![time per evaluation](images/benchmark_trees.png)"]


def _draw(curves: dict[str, list[list[float]]], words: Sequence[str], picture: Path) -> None:
    """Time per evaluation over the number of joints, both logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(curves), figsize=(9, 4), sharey=True, layout="constrained")
    for axis, (shape, rows) in zip(axes, curves.items(), strict=True):
        n, *columns_ = zip(*rows, strict=True)
        for word, times in zip(words, columns_, strict=True):
            axis.loglog(n, 1e6 * np.array(times), "o-", label=word)
        axis.set_title(shape)
        axis.set_xlabel("joints")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("microseconds per evaluation")
    axes[0].legend(fontsize="small")
    figure.savefig(picture, dpi=90)
    plt.close(figure)


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    size = QUICK if given.quick else FULL
    pinocchio, mujoco = installed(PINOCCHIO, given.quick), installed(MUJOCO, given.quick)
    with output_folder(given) as folder:
        parts = [
            "# Speed of the methods for trees", "", origin(command(__file__), versions("numba", "numpy", "pin", "mujoco")), "",
            "Ratios carry over to other machines, times do not.", "",
            "## aba against Pinocchio", "", against_pinocchio(size) if pinocchio else "Not measured.", "",
            "## Reactions and growth", "", *reactions_and_growth(size), "",
            "## The three eliminations of cfa", "", *eliminations(size, folder / "images"), "",
            "## A whole run against MuJoCo", "", *(whole_run(size) if mujoco else ["Not measured."]),
        ]  # fmt: skip
        (folder / "benchmarks-trees.md").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
