"""Nested dissection in the constraint force algorithm against its elimination from leaf to root, written to docs/benchmarks-dissection.md.

* operations and critical paths, counted from the tables that the elimination runs by;
* marches of models.

    python scripts/benchmark_dissection.py
    python scripts/benchmark_dissection.py --quick    # few bodies once, in seconds

The turns alternate. A time is the least of the turns: other programs only add to it.
"""

import os
from dataclasses import dataclass

import numpy as np
import yaml
from command_line import command, output_folder, parser, versions
from measuring import origin, table

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.methods.papers.dissection import Operations, in_parts, operations
from mbsim.model.load import load
from mbsim.saddle.joints.table import eliminated
from mbsim.saddle.structure import Couplings, Structure

SEED = 15
MARCHED = ("cfa", "cfa(elimination=nested_dissection)", "cfa(elimination=nested_dissection, parts=4)")


@dataclass(frozen=True)
class Size:
    """How much of it is done."""

    turns: int
    counted: tuple[int, ...]  # bodies
    links: tuple[int, ...]  # of models
    steps: int  # of a march of 100 links


FULL = Size(20, (1000, 10_000), (100, 300, 1000), 1000)
QUICK = Size(1, (40,), (12,), 2)


def pinned(before: np.ndarray) -> Structure:
    """What the order of the elimination asks of planar bodies on pins, each on the one in `before` (n,); -1: the ground."""
    n = len(before)
    pairs = np.stack([np.where(before < 0, n, before), np.arange(n)], axis=1)
    firsts = range(0, 2 * n, 2)
    joints, pins = [(first, 2) for first in firsts], frozenset(firsts)
    bodies = tuple(f"b{k}" for k in range(n))
    return Structure(3, bodies, 2 * n, np.repeat(pairs, 2, axis=0), joints, frozenset(), pins, Couplings([], []), None, None)


def tree(kind: str, n: int) -> np.ndarray:
    """The body that each of n bodies hangs on."""
    return np.arange(n) - 1 if kind == "chain" else (np.arange(n) - 1) // 2 * np.sign(np.arange(n)) - (np.arange(n) == 0)


def counted(kind: str, n: int) -> list[tuple[str, ...]]:
    """Rows: operations and critical paths of the orders."""
    structure = pinned(tree(kind, n))
    whole, rows = operations(eliminated(structure).table), list[tuple[str, ...]]()
    for parts in (1, 2, 4, 16, n):
        found: Operations = operations(eliminated(structure, in_parts(parts)).table)
        word = "leaf to root" if parts == 1 else f"{parts} parts" if parts < n else "as many as there are bodies"
        cells = f"{found.total / n:.1f}", f"{found.total / whole.total:.2f}", f"{found.path:,}"
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
    return f"{links:,}", *(f"{x:.0f}" for x in taken)


def document(size: Size, script: str) -> str:
    """The page."""
    load_before = os.getloadavg()
    orders = [row for kind in ("chain", "binary tree") for n in size.counted for row in counted(kind, n)]
    marches = [marched(links, size) for links in size.links]
    loads = "; ".join(", ".join(f"{x:.1f}" for x in found) for found in (load_before, os.getloadavg()))
    counts = "mechanism", "bodies", "order", "multiplications a body", "of leaf to root", "critical path"
    times = "links", *(f"`{method}`" for method in MARCHED)
    return f"""# Nested dissection

`cfa(elimination=nested_dissection)` divides the bodies into parts that do not meet, joined by few joints that come last
([methods](methods/cfa.md#nested-dissection)). This page says what that costs.

{origin(script, versions("numba", "numpy"))}
- Load of the machine before and after: {loads}.

## Operations

Multiplications of one elimination with its right side, counted from the table that it runs by. The critical path is
that of an unlimited number of processors: multiplications that have to follow each other.

{table(counts, orders)}

## Marches

Microseconds a step of `rk4` with drift correction, of a chain read as a model, on one processor.

{table(times, marches)}
"""


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    with output_folder(given) as folder:
        text = document(QUICK if given.quick else FULL, command(__file__))
        (folder / "benchmarks-dissection.md").write_text(text, encoding="utf-8")
        print(text)


if __name__ == "__main__":
    main()
