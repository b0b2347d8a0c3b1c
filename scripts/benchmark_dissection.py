"""Nested dissection in the constraint force algorithm against its elimination from leaf to root, written to docs/benchmarks-dissection.md.

* the elimination alone, on its own data: planar chains and binary trees of 1e3 to 1e6 bodies, with a part a thread and one after the other;
* its operations and critical path, counted from the tables that it runs by;
* marches of models, with everything else that a step is made of.

    python scripts/benchmark_dissection.py
    python scripts/benchmark_dissection.py --smaller    # a tenth of the bodies
    python scripts/benchmark_dissection.py --quick    # few bodies once, in seconds

The turns alternate. A time is the least of the turns: other programs and a second thread that waits for a processor only add to it.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import yaml
from command_line import command, output_folder, parser, versions
from measuring import origin, table, timed

import mbsim
from mbsim import registry
from mbsim.analyses.crew import Crew
from mbsim.analyses.formulation import Formulation
from mbsim.assembly import Assembly
from mbsim.elements.kinds import POINT
from mbsim.jit import SETTINGS, START, kernel, processor
from mbsim.kernels.dissected import solve_dissected
from mbsim.kernels.linalg import copy
from mbsim.kernels.planar_blocks import WEAKER, accelerate, solve_independent, velocities
from mbsim.methods import _cfa_dissected, cfa
from mbsim.methods._choice import WEAK
from mbsim.methods._dissection import Operations, operations
from mbsim.methods._order import elimination
from mbsim.methods._work import work_arrays
from mbsim.model.load import load
from mbsim.system.system import System, empty_arrays

SEED = 15
MARCHED = ("cfa", "cfa(elimination=nested_dissection)", "cfa(elimination=nested_dissection, parts=4)")


@dataclass(frozen=True)
class Size:
    """How much of it is done."""

    turns: int
    bodies: tuple[int, ...]  # of the elimination alone
    largest: int  # likewise, of a chain in two parts
    counted: tuple[int, ...]  # of operations
    links: tuple[int, ...]  # of models
    steps: int  # of a march of 100 links; short ones would show what it takes to start threads
    work: int  # bodies times repetitions of a turn


FULL = Size(20, (1000, 10_000, 100_000), 1_000_000, (1000, 10_000), (100, 300, 1000), 1000, 100_000)
SMALLER = Size(10, (1000, 10_000), 100_000, (1000,), (100, 1000), 1000, 50_000)
QUICK = Size(1, (40,), 100, (40,), (12,), 2, 100)


@dataclass(frozen=True)
class Joint:
    """What the order of the elimination asks of a joint, and whoever tells its rows by name."""

    name: str
    rows: slice


@dataclass(eq=False)
class Mechanism:
    """Planar bodies of 1 kg joined by pins, each body to one before it or to the ground, at random angles and under random forces."""

    before: np.ndarray  # (n,) the body that each hangs on; -1: the ground
    dimension: int = 2
    in_joint_coordinates: bool = False
    n_x: int = 0
    drivers: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        n, rng = len(self.before), np.random.default_rng(SEED)
        self.n_v = self.n_q = 3 * n
        self.n_rows = self.n_holonomic = 2 * n
        self.bodies, self.skyline = range(n), np.arange(3 * n)
        self.joints = [Joint(f"j{k}", slice(2 * k, 2 * k + 2)) for k in range(n)]
        pairs = np.stack([np.where(self.before < 0, n, self.before), np.arange(n)], axis=1)
        angles = rng.uniform(0.0, 2.0 * np.pi, n + 1)
        inner, outer = 0.5 * np.exp(1j * angles[pairs[:, 0]]), -0.5 * np.exp(1j * angles[pairs[:, 1]])
        J = np.zeros((2 * n, 6))
        J[::2, 0], J[1::2, 1], J[::2, 3], J[1::2, 4] = -1.0, -1.0, 1.0, 1.0
        J[::2, 2], J[1::2, 2], J[::2, 5], J[1::2, 5] = inner.imag, -inner.real, -outer.imag, outer.real
        J[np.repeat(pairs[:, 0] == n, 2), :3] = 0.0
        masses = np.zeros((n, 10))
        masses[:, :2] = 1.0, 1.0 / 12.0
        primitives = np.zeros((n, 5), np.int64)
        primitives[:, 0], primitives[:, 1] = POINT, 2 * np.arange(n)
        arrays = empty_arrays(2 * n)._replace(masses=masses, jacobian=J, row_bodies=np.repeat(pairs, 2, axis=0), primitives=primitives)
        self.arrays, self.functions = arrays, chain(2).system.functions
        self.h, self.eta = rng.normal(size=3 * n), rng.normal(size=2 * n)

    def formulation(self, parts: int) -> Formulation:
        """It with `cfa`, in parts or, with one, from leaf to root."""
        options = {"elimination": "nested_dissection", "parts": parts} if parts > 1 else {}
        work = work_arrays(cast(System, self), cfa, [0.0] * SETTINGS, options)
        work.h[:], work.eta[:] = self.h, self.eta
        nothing = np.zeros(0)
        cfa.start(self.functions, self.arrays, work, 0.0, nothing, nothing, nothing)
        return Formulation(cast(System, self), cast(Any, None), work, _cfa_dissected.serve)


@kernel(START)
def in_sequence(system: Any, arrays: Any, work: Any, times: Any, q: Any, v: Any, z: Any) -> int:
    """z (n,) <- M^-1 (h + C' lam) with C M^-1 C' lam = eta - C M^-1 h, from leaf to root; `times` of it."""
    own = cfa.WORKSPACE(work)
    for _ in range(int(times)):
        copy(work.eta, own.y, 0)
        accelerate(own.W, work.h, own.bodies)
        if solve_independent(work.plan, arrays.jacobian, WEAK, 0.0, own.S, own.bodies, own.y) == WEAKER:
            return 1
        velocities(own.bodies, z)
    return 0


@kernel(START)
def in_parts(system: Any, arrays: Any, work: Any, times: Any, q: Any, v: Any, z: Any) -> int:
    """The same in parts."""
    own = cfa.WORKSPACE(work)
    for _ in range(int(times)):
        copy(work.eta, own.y, 0)
        if solve_dissected(work.plan, arrays.jacobian, WEAK, 0.0, work.h, own, z) == WEAKER:
            return 1
    return 0


def tree(kind: str, n: int) -> np.ndarray:
    """The body that each of n bodies hangs on."""
    return np.arange(n) - 1 if kind == "chain" else (np.arange(n) - 1) // 2 * np.sign(np.arange(n)) - (np.arange(n) == 0)


def least_times(calls: Sequence[Callable[[], Any]], turns: int) -> list[float]:
    """The least seconds of each, in turns."""
    for call in calls:
        call()
    return [min(times) for times in zip(*([timed(call) for call in calls] for _ in range(turns)), strict=True)]


def eliminated(kind: str, n: int, size: Size, most: int = 4) -> tuple[str, ...]:
    """A row: nanoseconds a body of the elimination, and what threads gain; up to `most` parts."""
    mechanism, times = Mechanism(tree(kind, n)), max(1, size.work // n)
    nothing, out = np.zeros(0), [np.zeros(3 * n) for _ in range(3)]
    whole, two = mechanism.formulation(1), mechanism.formulation(2)

    def alone(formulation: Formulation, run: Any, z: np.ndarray) -> Callable[[], None]:
        def call() -> None:
            if run(mechanism.functions, mechanism.arrays, formulation.work, float(times), nothing, nothing, z):
                raise RuntimeError(f"{kind} of {n} bodies: a pivot is weak")

        return call

    def with_threads(formulation: Formulation, z: np.ndarray) -> Callable[[], None]:
        crew, call = Crew(formulation), alone(formulation, in_parts, z)

        def both() -> None:
            with crew:
                call()

        return both

    calls = [alone(whole, in_sequence, out[0]), alone(two, in_parts, out[1]), with_threads(two, out[2])]
    if most > 2:
        calls.append(with_threads(mechanism.formulation(most), out[2]))
    taken = [x / times / n * 1e9 for x in least_times(calls, size.turns)]
    if not (np.abs(out[2] - out[0]).max() < 1e-9 * np.abs(out[0]).max()):
        raise RuntimeError(f"{kind} of {n} bodies: the eliminations disagree")
    cells = [f"{x:.1f}" for x in taken] + [""] * (4 - len(taken))
    return kind, f"{n:,}", *cells, f"{taken[0] / min(taken[2:]):.2f}"


def counted(kind: str, n: int) -> list[tuple[str, ...]]:
    """Rows: operations and critical paths of the orders."""
    mechanism = cast(System, Mechanism(tree(kind, n)))
    whole, rows = operations(elimination(mechanism).table), list[tuple[str, ...]]()
    for parts in (1, 2, 4, 16, n):
        found: Operations = operations(elimination(mechanism, parts).table)
        word = "leaf to root" if parts == 1 else f"{parts} parts" if parts < n else "as many as there are bodies"
        cells = f"{found.total / n:.1f}", f"{found.total / whole.total:.2f}", f"{found.apart / whole.total:.2f}", f"{found.path:,}"
        rows.append((kind, f"{n:,}", word, *cells))
    return rows


def chain(links: int) -> Assembly:
    """A planar chain of rods of 1 m from horizontal, assembled."""
    bodies = {f"b{k}": {"mass": 1.0, "inertia": 1.0 / 12.0, "position": [k + 0.5, 0.0]} for k in range(links)}
    joints = {f"j{k}": {"type": "revolute", "bodies": ["ground" if k == 0 else f"b{k - 1}", f"b{k}"], "at": [k, 0.0]} for k in range(links)}
    source = {"dimension": 2, "gravity": [0.0, -9.81], "bodies": bodies, "joints": joints}
    simulation = {"end": 1.0, "step": 1e-4, "integrator": "rk4"}
    return mbsim.assemble(load(yaml.safe_dump(source | {"simulation": simulation}), registry, file="model.yaml"))


def marched(links: int, size: Size) -> tuple[str, ...]:
    """A row: microseconds a step of a chain."""
    made = chain(links)
    steps = max(2, size.steps * 100 // links)

    def microseconds(method: str) -> float:
        result = mbsim.simulate(made, method=method, end=steps * 1e-4, output_step=steps * 1e-4)
        return float(result.attributes["march_time"]) / steps * 1e6

    taken = [min(times) for times in zip(*([microseconds(method) for method in MARCHED] for _ in range(size.turns)), strict=True)]
    return f"{links:,}", *(f"{x:.0f}" for x in taken), f"{taken[0] / min(taken[1:]):.2f}"


def document(size: Size, script: str) -> str:
    """The page."""
    load_before = os.getloadavg()
    first = [eliminated(kind, n, size) for kind in ("chain", "binary tree") for n in size.bodies]
    first.append(eliminated("chain", size.largest, size, 2))
    second = [row for kind in ("chain", "binary tree") for n in size.counted for row in counted(kind, n)]
    third = [marched(links, size) for links in size.links]
    loads = "; ".join(", ".join(f"{x:.1f}" for x in found) for found in (load_before, os.getloadavg()))
    heads = "mechanism", "bodies", "leaf to root", "2 parts, one thread", "2 parts, threads", "4 parts, threads", "gain"
    counts = "mechanism", "bodies", "order", "multiplications a body", "of leaf to root", "one thread a part", "critical path"
    times = "links", *(f"`{method}`" for method in MARCHED), "gain"
    return f"""# Nested dissection

`cfa(elimination=nested_dissection)` divides the bodies into parts that are eliminated at the same time, joined by few
joints that come last ([methods](methods.md#nested-dissection)). This page says what that gains.

{origin(script, versions("numba", "numpy", "mbsim"))}
- Processors that the process may use: {processor.count()}. Load of the machine before and after: {loads}.

## The elimination alone

Nanoseconds a body of one elimination with its right side: planar bodies on pins, at random angles, under random forces.
The gain is the time from leaf to root over the least with threads.

{table(heads, first)}

## Operations

Multiplications of one elimination, counted from the table that it runs by. The fourth and fifth column are relative to
the elimination from leaf to root: of all processors, and of the largest part with the separators, which is what is left
where each part has a thread. The critical path is that of an unlimited number of processors: multiplications that have
to follow each other.

{table(counts, second)}

## Marches

Microseconds a step of `rk4` with drift correction, of a chain read as a model. Only the elimination is done in parts:
positions, forces and the integrator's sums are not.

{table(times, third)}
"""


def main() -> None:
    arguments = parser(__doc__, writes=True)
    arguments.add_argument("--smaller", action="store_true", help="a tenth of the bodies: minutes on a busy machine")
    given = arguments.parse_args()
    with output_folder(given) as folder:
        text = document(QUICK if given.quick else SMALLER if given.smaller else FULL, command(__file__))
        (folder / "benchmarks-dissection.md").write_text(text, encoding="utf-8")
        print(text)


if __name__ == "__main__":
    main()
