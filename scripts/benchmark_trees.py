"""Speed of the methods for trees, as ratios within one run, written to docs/benchmark_trees.md.

* `aba` against Pinocchio's `aba` called from Python (7, 30, 100 joints): a call is one evaluation, mbsim's in a compiled loop as its
  integrators call it, with everything that an evaluation does (laws, loads, rates), Pinocchio's in a Python loop;
* `cfa` against `aba` with reactions, that is `aba` and then recursive Newton-Euler, which gives the wrenches that `cfa` finds on its way;
* time per joint at 1000 joints against 30, for a chain, a balanced binary tree and a comb;
* `odd_even` and `dense` to 300 joints;
* a whole run against MuJoCo: an arm of 30 damped joints, RK4, 10 s at 1 ms, no contacts, only the end is recorded.

    python scripts/benchmark_trees.py            # needs Pinocchio and MuJoCo: pip install pin mujoco
"""

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import mbsim
from mbsim import jit, registry
from mbsim.analyses.formulation import formulate
from mbsim.analyses.settings import resolve
from mbsim.assembly import Assembly
from mbsim.kernels import tree_columns as columns
from mbsim.model.load import load
from mbsim.system.inverse import joint_efforts
from mbsim.system.system import System

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 15  # alternating; the smallest time of each counts: what else runs on the machine can only add
SPAN = 0.02  # s, of one timed loop
HORIZON, STEP, DAMPING = 10.0, 1e-3, 2.0  # s, s, N m s/rad of the whole run; damped, because an undamped arm of 30 links is chaotic


@jit.kernel(jit.void(jit.Function(jit.RHS), jit.Function(jit.RATES), jit.SYSTEM, jit.ARRAYS, jit.WORK, *[jit.A1] * 3, jit.i8, jit.i8))
def loop(rhs, efforts, system, arrays, work, z, dz, tau, count, reactions):  # type: ignore[no-untyped-def]
    """`count` evaluations, each with inverse dynamics after it when `reactions`."""
    n = work.v.shape[0]
    for _ in range(count):
        rhs(system, arrays, work, 0.0, z, dz)
        if reactions != 0:
            efforts(arrays, z[:n], dz[:n], tau)


def parent(shape: str, k: int, rng: np.random.Generator) -> int:
    """The body that body k hangs on; -1: the ground."""
    if k == 0:
        return -1
    if shape == "chain":
        return k - 1
    if shape == "binary tree":
        return (k - 1) // 2
    if shape == "comb":  # a chain of the even ones, a tooth on each
        return k - 2 if k % 2 == 0 else k - 1
    return int(rng.integers(max(0, k - 3), k))


def tree(shape: str, n: int) -> System:
    """n bodies without symmetry on hinges with random axes."""
    return assembled(shape, n, 0.0).system


def assembled(shape: str, n: int, damping: float) -> Assembly:
    """The same with its start; `damping` in N m s/rad."""
    rng = np.random.default_rng(n)
    bodies, joints = {}, {}
    for k in range(n):
        inertia = [*rng.uniform(0.2, 0.3, 3), *rng.uniform(-0.03, 0.03, 3)]
        bodies[f"b{k}"] = {"mass": float(rng.uniform(0.5, 2)), "inertia": [float(x) for x in inertia], "position": [0.5 * k, 0, 0]}
        on = parent(shape, k, rng)
        joints[f"j{k}"] = {
            "type": "revolute", "bodies": ["ground" if on < 0 else f"b{on}", f"b{k}"],
            "at": [0.5 * k - 0.25, 0, 0], "axis": [float(x) for x in rng.standard_normal(3)],
        }  # fmt: skip
    forces = {f"d{k}": {"type": "joint_torque", "joint": f"j{k}", "value": f"-{damping}*der(j{k}.angle)"} for k in range(n)}
    source = {
        "gravity": [0, 0, -9.81], "coordinates": "joint", "bodies": bodies, "joints": joints, "forces": forces if damping else {},
        "simulation": {"end": HORIZON},
    }  # fmt: skip
    return mbsim.assemble(load(yaml.safe_dump(source), registry, file=f"{shape}.yaml"))


def evaluation(system: System, method: str, reactions: bool = False) -> Callable[[], float]:
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
    if run(1) > SPAN / 10:  # a dense one
        return lambda: run(1)
    few, many = min(run(2) for _ in range(5)) * 2, min(run(42) for _ in range(3)) * 42
    count = max(10, int(SPAN * 40 / max(many - few, 1e-7)))  # without the passing of the arrays from Python, once a loop
    return lambda: run(count)


def best(*timers: Callable[[], float]) -> list[float]:
    """The smallest of several times of each, taken alternately."""
    times: list[list[float]] = [[] for _ in timers]
    for _ in range(ROUNDS):
        for timer, row in zip(timers, times, strict=True):
            row.append(timer())
    return [min(row) for row in times]


def against_pinocchio() -> list[str]:
    try:
        import pinocchio as pin
        from pinocchio_peer import Peer
    except ImportError:
        return ["Pinocchio is not installed: not measured."]
    lines = ["| joints | mbsim `aba`, ns per joint | Pinocchio `aba` from Python, ns per joint | ratio |", "|---|---|---|---|"]
    for n in (7, 30, 100):
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

        ours, other = best(evaluation(system, "aba"), theirs)
        lines.append(f"| {n} | {1e9 * ours / n:.0f} | {1e9 * other / n:.0f} | {other / ours:.1f} times faster |")
        print(lines[-1], flush=True)
    return lines


def reactions_and_growth() -> list[str]:
    lines = ["| tree | joints | `aba` | `aba` + reactions | `cfa` | `cfa` / (`aba` + reactions) |", "|---|---|---|---|---|---|"]
    growth: list[str] = []
    for shape in ("chain", "binary tree", "comb"):
        found: dict[int, list[float]] = {}
        for n in (30, 1000):
            system = tree(shape, n)
            times = best(evaluation(system, "aba"), evaluation(system, "aba", True), evaluation(system, "cfa"))
            found[n] = [1e9 * x / n for x in times]
            lines.append(f"| {shape} | {n} | {found[n][0]:.0f} | {found[n][1]:.0f} | {found[n][2]:.0f} | {times[2] / times[1]:.2f} |")
            print(lines[-1], flush=True)
        growth.append(f"| {shape} | {found[1000][0] / found[30][0]:.2f} | {found[1000][2] / found[30][2]:.2f} |")
    return [
        "ns per joint and evaluation.", "", *lines, "", "Time per joint at 1000 joints over that at 30 (wanted: at most 1.5):", "",
        "| tree | `aba` | `cfa` |", "|---|---|---|", *growth,
    ]  # fmt: skip


def mujoco_model(system: System, damping: float) -> str:
    """MJCF of a tree of hinges, node by node, for RK4 without contacts."""
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
            f'<body pos="{words(place)}" quat="{words(quaternion)}"><joint axis="0 0 1" damping="{damping}"/>'
            f'<inertial mass="{mass:.17g}" pos="{words(centre)}" fullinertia="{words(about)}"/>'
        )
        stack += ["</body>", *reversed(children.get(i, []))]
    option = f'<option integrator="RK4" timestep="{STEP}" gravity="0 0 -9.81"><flag contact="disable"/></option>'
    return f"<mujoco>{option}<worldbody>{''.join(lines)}</worldbody></mujoco>"


def whole_run() -> list[str]:
    try:
        import mujoco
    except ImportError:
        return ["MuJoCo is not installed: not measured."]
    made = assembled("chain", 30, DAMPING)
    model = mujoco.MjModel.from_xml_string(mujoco_model(made.system, DAMPING))
    ends: dict[str, Any] = {}

    def ours() -> float:
        tick = time.perf_counter()
        ends["mbsim"] = mbsim.simulate(made, method="aba", end=HORIZON, step=STEP, output_step=HORIZON)["q"][-1]
        return time.perf_counter() - tick

    def theirs() -> float:
        data = mujoco.MjData(model)
        tick = time.perf_counter()
        mujoco.mj_step(model, data, round(HORIZON / STEP))
        ends["MuJoCo"] = data.qpos.copy()
        return time.perf_counter() - tick

    ours()
    times = [statistics.median(row) for row in zip(*((ours(), theirs()) for _ in range(5)), strict=True)]
    reference = mbsim.simulate(made, method="aba", end=HORIZON, step=STEP / 4, output_step=HORIZON)["q"][-1]
    lines = ["| | s, median of five | largest error of a joint angle at the end, rad |", "|---|---|---|"]
    for (name, end), seconds in zip(ends.items(), times, strict=True):
        lines.append(f"| {name} | {seconds:.3f} | {np.abs(end - reference).max():.1e} |")
    print(*lines, f"{times[1] / times[0]:.1f}", sep="\n", flush=True)
    return [*lines, "", f"mbsim is {times[1] / times[0]:.1f} times as fast; the reference is its run with a quarter of the step."]


def eliminations() -> list[str]:
    words = ("cfa", "cfa(elimination=odd_even)", "cfa(elimination=dense)", "kane")
    lines = ["| tree | joints | `leaf_to_root` | `odd_even` | `dense` | `kane` |", "|---|---|---|---|---|---|"]
    curves: dict[str, list[list[float]]] = {}
    for shape in ("chain", "binary tree"):
        for n in (10, 30, 100, 300):
            system = tree(shape, n)
            times = [statistics.median([timer() for _ in range(3)]) for timer in (evaluation(system, word) for word in words)]
            lines.append(f"| {shape} | {n} | " + " | ".join(f"{1e6 * x:.3g}" for x in times) + " |")
            print(lines[-1], flush=True)
            curves.setdefault(shape, []).append([n, *times])
    _draw(curves, words)
    return ["Microseconds per evaluation.", "", *lines, "", "![time per evaluation](images/benchmark_trees.png)"]


def _draw(curves: dict[str, list[list[float]]], words: Sequence[str]) -> None:
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
    figure.savefig(ROOT / "docs" / "images" / "benchmark_trees.png", dpi=90)
    plt.close(figure)


def main() -> None:
    parts = [
        "# Speed of the methods for trees", "",
        f"Written by `scripts/benchmark_trees.py` on {platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}. Ratios carry over to other machines, times do not.", "",
        "## aba against Pinocchio", "", *against_pinocchio(), "",
        "## Reactions and growth", "", *reactions_and_growth(), "",
        "## The three eliminations of cfa", "", *eliminations(), "",
        "## A whole run against MuJoCo", "", *whole_run(),
    ]  # fmt: skip
    path = ROOT / "docs" / "benchmark_trees.md"
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
