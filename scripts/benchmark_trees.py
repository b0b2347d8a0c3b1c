"""Speed of the methods for trees, as ratios within one run, written to docs/benchmark_trees.md.

* `aba` against Pinocchio's `aba` called from Python (7, 30, 100 joints): a call is one evaluation, mbsim's in a compiled loop as its
  integrators call it, with everything that an evaluation does (laws, loads, rates), Pinocchio's in a Python loop;
* `cfa` against `aba` with reactions, that is `aba` and then recursive Newton-Euler, which gives the wrenches that `cfa` finds on its way;
* time per joint at 1000 joints against 30, for a chain, a balanced binary tree and a comb;
* `odd_even` and `dense` to 300 joints.

    python scripts/benchmark_trees.py            # needs Pinocchio for the first: pip install pin
"""

import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import yaml

import mbsim
from mbsim import jit, registry
from mbsim.model.load import load
from mbsim.settings import Settings
from mbsim.simulation import allocate
from mbsim.system.inverse import joint_efforts
from mbsim.system.system import System

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 15  # alternating; the smallest time of each counts: what else runs on the machine can only add
SPAN = 0.02  # s, of one timed loop
RHS, EFFORTS = numba.types.FunctionType(jit.RHS), numba.types.FunctionType(jit.RATES)


@numba.njit(numba.types.void(RHS, EFFORTS, jit.SYSTEM, jit.ARRAYS, jit.WORK, *[jit.A1] * 3, numba.int64, numba.boolean), _nrt=False)
def loop(rhs, efforts, system, arrays, work, z, dz, tau, count, reactions):  # type: ignore[no-untyped-def]
    """`count` evaluations, each with inverse dynamics after it when `reactions`."""
    n = work.v.shape[0]
    for _ in range(count):
        rhs(system, arrays, work, 0.0, z, dz)
        if reactions:
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
    source = {
        "gravity": [0, 0, -9.81],
        "coordinates": "joint",
        "bodies": bodies,
        "joints": joints,
        "simulation": {"end": 1, "method": "aba"},
    }
    return mbsim.assemble(load(yaml.safe_dump(source), registry, file=f"{shape}.yaml")).system


def evaluation(system: System, method: str, reactions: bool = False) -> Callable[[], float]:
    """A function that times one evaluation (s)."""
    settings = Settings(end=1.0, method=method)
    module: Any = registry.module("methods", settings.method)
    work = allocate(system, module, settings)
    z = np.random.default_rng(1).standard_normal(system.n_v + system.n_q + 1)
    dz, tau = np.zeros_like(z), np.zeros(system.n_v)
    q, v = z[system.n_v : -1].copy(), z[: system.n_v].copy()
    module.start(system.functions, system.arrays, work, 0.0, q, v, z)

    def run(count: int) -> float:
        tick = time.perf_counter()
        loop(module.rhs, joint_efforts, system.functions, system.arrays, work, z, dz, tau, count, reactions)
        return (time.perf_counter() - tick) / count

    run(1)  # loads the pages
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


def eliminations() -> list[str]:
    words = ("cfa", "cfa(elimination=odd_even)", "cfa(elimination=dense)", "kane")
    lines = ["| tree | joints | `leaf_to_root` | `odd_even` | `dense` | `kane` |", "|---|---|---|---|---|---|"]
    for shape in ("chain", "binary tree"):
        for n in (10, 30, 100, 300):
            system = tree(shape, n)
            times = [statistics.median([timer() for _ in range(3)]) for timer in (evaluation(system, word) for word in words)]
            lines.append(f"| {shape} | {n} | " + " | ".join(f"{1e6 * x:.3g}" for x in times) + " |")
            print(lines[-1], flush=True)
    return ["Microseconds per evaluation.", "", *lines]


def main() -> None:
    parts = [
        "# Speed of the methods for trees", "",
        f"Written by `scripts/benchmark_trees.py` on {platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}. Ratios carry over to other machines, times do not.", "",
        "## aba against Pinocchio", "", *against_pinocchio(), "",
        "## Reactions and growth", "", *reactions_and_growth(), "",
        "## The three eliminations of cfa", "", *eliminations(),
    ]  # fmt: skip
    path = ROOT / "docs" / "benchmark_trees.md"
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
