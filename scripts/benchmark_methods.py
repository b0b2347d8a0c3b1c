"""What the methods cost per evaluation, as ratios within one run, written to docs/benchmarks-methods.md.

    python scripts/benchmark_methods.py
    python scripts/benchmark_methods.py --quick    # a few steps once, in seconds

Every method marches the same few thousand RK4 steps of the same system in compiled code; the turns of the methods alternate, so that a
machine that changes its pace does it to all. A time is that of the whole march divided by the evaluations of the equations of motion:
it contains the system's own terms and what the method does after a step. Ratios are medians of the turns' ratios.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from command_line import MODELS, command, output_folder, parser, versions
from measuring import origin

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.model.load import load

VARIANTS = ("nullspace", "lagrange", "svd", "riemann", "svd(hold=false)", "riemann(hold=false)")
# figure -> (numerator, denominator, limit, the ratio shall be below it)
RATIOS = {
    "svd / nullspace": ("svd", "nullspace", 2.0, True),
    "riemann / nullspace": ("riemann", "nullspace", 2.0, True),
    "lagrange / nullspace": ("lagrange", "nullspace", None, True),
    "svd: factoring anew / holding": ("svd(hold=false)", "svd", 2.0, False),
    "riemann: factoring anew / holding": ("riemann(hold=false)", "riemann", 2.0, False),
}


def shipped(name: str) -> Callable[[], Any]:
    return lambda: mbsim.load_model(MODELS / f"{name}.yaml")


def chain(dimension: int, links: int) -> Callable[[], Any]:
    """A chain of slender rods, 1 m and 1 kg each, released from the horizontal."""
    inertia = "1/12" if dimension == 2 else "[0.001, 1/12, 1/12]"
    axis = "type: revolute" if dimension == 2 else "type: spherical"
    rest = ", 0" * (dimension - 1)
    lines = [f"name: chain of {links} links", f"dimension: {dimension}", f"gravity: [0, -9.81{', 0' * (dimension - 2)}]", "bodies:"]
    lines += [f"  b{i}: {{mass: 1, inertia: {inertia}, position: [{i + 0.5}{rest}]}}" for i in range(links)]
    lines += ["joints:"]
    lines += [f"  j{i}: {{{axis}, bodies: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [{i}{rest}]}}" for i in range(links)]
    lines += ["simulation: {end: 1}"]
    return lambda: load("\n".join(lines) + "\n", registry, file="chain.yaml")


@dataclass(frozen=True)
class Case:
    title: str
    model: Callable[[], Any]
    step: float  # s


CASES = (
    Case("rolling disk", shipped("rolling_disk"), 1e-3),
    Case("four-bar linkage", shipped("four_bar"), 1e-3),
    Case("quick-return mechanism", shipped("quick_return"), 1e-3),
    Case("spatial slider-crank", shipped("spatial_slider_crank"), 1e-3),
    Case("planar chain of six links", chain(2, 6), 2e-4),
    Case("spatial chain of three links", chain(3, 3), 2e-4),
)
FULL, QUICK = (4000, 9), (20, 1)  # steps of a march, turns that count


@dataclass(frozen=True)
class Timing:
    """Of a variant: nanoseconds per evaluation, turn by turn, and decompositions of C in a march."""

    nanoseconds: list[float]
    svds: int


def march(made: Assembly, variant: str, steps: int, step: float) -> tuple[float, int]:
    """Nanoseconds per evaluation, and decompositions, of one march."""
    attributes = mbsim.simulate(made, end=made.start + steps * step, step=step, output_step=steps * step, method=variant).attributes
    return 1e9 * attributes["march_time"] / attributes["counts"]["evaluations"], int(attributes["counts"]["svds"])


def measure(made: Assembly, steps: int, step: float, repeats: int) -> dict[str, Timing]:
    """All variants, one after the other, `repeats` times; a turn before that is not counted."""
    turns = [{variant: march(made, variant, steps, step) for variant in VARIANTS} for _ in range(repeats + 1)][1:]
    return {v: Timing([turn[v][0] for turn in turns], turns[0][v][1]) for v in VARIANTS}


def ratio(timings: dict[str, Timing], numerator: str, denominator: str) -> float:
    pairs = zip(timings[numerator].nanoseconds, timings[denominator].nanoseconds, strict=True)
    return statistics.median(a / b for a, b in pairs)


def sizes(made: Assembly) -> str:
    """Speeds, rows of C and its rank at the start."""
    from mbsim.diagnosis.redundancy import redundancy

    return f"{made.system.n_v} | {made.system.n_rows} | {redundancy(made.system, made.start, made.q).rank}"


def document(steps: int, repeats: int, found: dict[str, tuple[str, dict[str, Timing]]]) -> str:
    names = " | ".join(VARIANTS)
    rows = []
    for title, (size, timings) in found.items():
        cells = " | ".join(f"{statistics.median(timings[v].nanoseconds):.0f}" for v in VARIANTS)
        rows.append(f"| {title} | {size} | {cells} |")
    verdicts = []
    for name, (numerator, denominator, limit, below) in RATIOS.items():
        values = {title: ratio(timings, numerator, denominator) for title, (_, timings) in found.items()}
        worst = max(values.values()) if below else min(values.values())
        target = "" if limit is None else f"{'<=' if below else '>='} {limit:g}"
        met = "" if limit is None else "yes" if (worst <= limit if below else worst >= limit) else "**no**"
        verdicts.append(f"| {name} | {target} | {' | '.join(f'{value:.2f}' for value in values.values())} | {met} |")
    svds = []
    for variant in ("svd", "svd(hold=false)"):
        counts = " | ".join(f"{timings[variant].svds}" for _, timings in found.values())
        svds.append(f"| {variant}: decompositions | | {counts} | |")
    table, judged = "\n".join(rows), "\n".join(verdicts + svds)
    return f"""# Benchmarks of the methods

{origin(command(__file__), versions("numba", "numpy"))}
- {steps} steps of rk4 a march in compiled code, medians of {repeats} turns in which the methods alternate

The time is that of the march per evaluation of the equations of motion, the system's own terms and the drift correction included.

## Nanoseconds per evaluation

| model | speeds | rows | rank | {names} |
|---|---|---|---|{"---|" * len(VARIANTS)}
{table}

## Ratios

| figure | target | {" | ".join(found)} | met |
|---|---|{"---|" * len(found)}---|
{judged}
"""


def main() -> None:
    arguments = parser(__doc__, writes=True)
    arguments.add_argument("--steps", type=int, help=f"steps of a march (default: {FULL[0]}, quick: {QUICK[0]})")
    arguments.add_argument("--repeats", type=int, help=f"turns that count (default: {FULL[1]}, quick: {QUICK[1]})")
    given = arguments.parse_args()
    size = QUICK if given.quick else FULL
    steps, repeats = given.steps or size[0], given.repeats or size[1]
    found = {}
    for case in CASES:
        made = mbsim.assemble(case.model())
        timings = measure(made, steps, case.step, repeats)
        found[case.title] = sizes(made), timings
        print(f"{case.title}: " + ", ".join(f"{v} {statistics.median(timings[v].nanoseconds):.0f} ns" for v in VARIANTS), flush=True)
    text = document(steps, repeats, found)
    print(text.split("## Ratios")[1].strip())
    with output_folder(given) as folder:
        (folder / "benchmarks-methods.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
