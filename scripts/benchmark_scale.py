"""What models of 1 to 100,000 bodies cost: read, assembled, marched; written into docs/benchmarks-scale.md.

Every size has a process of its own, which tells its largest memory. Times are of the processor, so that other programs on the machine
change them little.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from command_line import command, output_folder, parser, versions
from measuring import origin, table, wrapped

import mbsim
from mbsim.jit import processor

PAGE = "benchmarks-scale.md"
COORDINATES = ("absolute", "joint")
STEP = 1e-4  # s


@dataclass(frozen=True)
class Size:
    bodies: tuple[int, ...]
    steps: int  # times bodies, at least FEWEST of each


FULL = Size((1, 10, 100, 1_000, 10_000, 100_000), 500_000)
QUICK = Size((1, 10, 100), 200)
FEWEST = 10
MOST = 5_000
TURNS = 3  # of which the least times count, below MANY bodies
MANY = 10_000


def chain(n: int, coordinates: str) -> str:
    """A planar chain of n rods of 1 m from horizontal, as a file."""
    lines = ["dimension: 2", f"coordinates: {coordinates}", "gravity: [0, -9.81]", "bodies:"]
    lines += [f"  b{k}:\n    mass: 1\n    inertia: 1/12\n    position: [{k}.5, 0]" for k in range(n)]
    lines.append("joints:")
    for k in range(n):
        first = f"b{k - 1}" if k else "ground"
        lines.append(f"  j{k}:\n    type: revolute\n    bodies: [{first}, b{k}]\n    at: [{k}, 0]")
    return "\n".join([*lines, f"simulation: {{end: 1, step: {STEP}, integrator: rk4}}", ""])


def memory() -> float:
    """The largest memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def measured(n: int, coordinates: str, size: Size) -> dict[str, Any]:
    """Seconds and memory of one size, in a process that has read, assembled and run a small model of the kind before."""
    steps = min(MOST, max(FEWEST, size.steps // n))
    mbsim.simulate(mbsim.assemble(mbsim.load_model(chain(2, coordinates))), end=10 * STEP, output_step=10 * STEP)
    text, before = chain(n, coordinates), memory()

    def once() -> tuple[float, ...]:
        clock = [time.process_time()]
        model = mbsim.load_model(text)
        clock.append(time.process_time())
        made = mbsim.assemble(model)
        clock.append(time.process_time())
        result = mbsim.simulate(made, end=steps * STEP, output_step=steps * STEP)
        clock.append(time.process_time())
        methods.add(str(result.attributes["method"]))
        return *(b - a for a, b in pairwise(clock)), float(result.attributes["march_cpu_time"])

    methods = set[str]()
    read, assembled, run, march = (min(times) for times in zip(*(once() for _ in range(TURNS if n < MANY else 1)), strict=True))
    found: dict[str, Any] = {"read": read, "assemble": assembled, "run": run, "step": march / steps, "steps": steps}
    return found | {"megabytes": len(text) / 1e6, "method": ", ".join(methods), "before": before, "memory": memory()}


def in_a_process(n: int, coordinates: str, quick: bool) -> dict[str, Any]:
    words = [sys.executable, __file__, "--one", str(n), coordinates, *["--quick"] * quick]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {coordinates} {n:,}: {found}", flush=True)
    return found


def row(n: int, found: dict[str, Any]) -> tuple[str, ...]:
    """A row of the table."""
    times = (f"{found[key]:.3g}" for key in ("read", "assemble", "run"))
    each = f"{found['read'] / n * 1e6:.3g}", f"{found['step'] * 1e6:.3g}", f"{found['step'] / n * 1e9:.3g}"
    return f"{n:,}", f"{found['megabytes']:.3g}", *times, f"{found['steps']:,}", *each, f"{found['memory']:.0f}"


def document(size: Size, script: str, quick: bool) -> str:
    """The page."""
    loads = [os.getloadavg()]
    taken = {(kind, n): in_a_process(n, kind, quick) for kind in COORDINATES for n in size.bodies}
    loads.append(os.getloadavg())
    a_body = "read, us a body", "a step, us", "a step, ns a body"
    heads = "bodies", "file, MB", "read, s", "assembled, s", "run, s", "steps", *a_body, "memory, MB"
    parts = []
    for kind in COORDINATES:
        methods = dict.fromkeys(taken[kind, n]["method"] for n in size.bodies)
        rows: Sequence[Sequence[str]] = [row(n, taken[kind, n]) for n in size.bodies]
        words = ", ".join(f"`{method}`" for method in methods)
        parts.append(f"## In {kind} coordinates\n\n`method: auto` takes {words}.\n\n{table(heads, rows)}\n")
    told = "; ".join(", ".join(f"{x:.1f}" for x in load) for load in loads)
    before = min(found["before"] for found in taken.values())
    words = f"""What a model costs by its number of bodies: a planar chain of rods on pins, from horizontal, read from the text of a
file, assembled, and marched by `rk4` with a step of {STEP:g} s; one row is kept. Reading and assembling grow in proportion to the
number of bodies. So does a step until its arrays are larger than the caches of the processor. Memory is the largest of
the process; Python with mbsim and its kernels takes {before:.0f} MB of it. A run's time includes what is done once: the start,
the scene, and what is written; that of a step does not. All times are those of the processor."""
    return f"""# Size

{wrapped(words)}

{origin(script, versions("numba", "numpy", "pyyaml"))}
- Processors that the process may use: {processor.count()}. Load of the machine before and after: {told}.

{chr(10).join(parts)}"""


def main() -> None:
    arguments = parser(__doc__, writes=True)
    arguments.add_argument("--one", nargs=2, metavar=("BODIES", "COORDINATES"), help="measure one size in this process and print it")
    given = arguments.parse_args()
    size = QUICK if given.quick else FULL
    if given.one:
        print(json.dumps(measured(int(given.one[0]), given.one[1], size)))
        return
    with output_folder(given) as folder:
        text = document(size, command(__file__), given.quick)
        (folder / PAGE).write_text(text, encoding="utf-8")
        print(text)


if __name__ == "__main__":
    main()
