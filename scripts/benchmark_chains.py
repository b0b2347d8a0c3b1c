"""Speed of the method `cfa` on planar chains against Exudyn, as ratios within one run, and its cost per link: docs/benchmarks-chains.md.

A chain of revolute joints hangs from the ground; its links (1 m, 1 kg, slender) start horizontal and at rest. Both codes take the largest
step that keeps the last link at the end within 1e-4 (m, rad) of a converged reference, and these two runs are timed alternately. Exudyn
is run at its best, as in `benchmark_exudyn.py`; mbsim too with the drift correction that serves it best. Of Exudyn only `SolveDynamic` is
timed; of mbsim the march, which is the same, and beside it the whole call of `simulate`.

    python scripts/benchmark_chains.py            # needs the extra `bench`: pip install '.[bench]'
    python scripts/benchmark_chains.py --quick    # short chains once, in seconds; without Exudyn mbsim alone
"""

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmark_exudyn import SPECTRAL_RADII, fewest_steps, mechanism
from command_line import EXUDYN, command, installed, output_folder, parser, versions
from example_models import planar_chain
from exudyn_peer import Peer
from measuring import Report, alternate, describe, origin, ratio, table, timed

SMALL = 100  # links up to which Exudyn's dense solvers are tried; at 500 they take seconds a step


@dataclass(frozen=True)
class Size:
    """How much of it is done."""

    tolerance: float  # m and rad, of the last link at the end
    cases: tuple[tuple[int, float, int], ...]  # links, s, how many times faster than Exudyn
    reference: int  # steps
    links: tuple[int, ...]  # of the cost per link and evaluation
    evaluations: int  # of that, about, times links
    crossover: tuple[int, ...]  # links
    steps: int  # of the comparison with the dense methods


FULL = Size(1e-4, ((20, 2.0, 20), (500, 1.0, 50)), 8000, (5, 20, 100, 500), 20_000, (1, 2, 3, 4, 5, 6, 8, 10, 15, 20), 1000)
QUICK = Size(1e-2, ((3, 0.5, 0),), 400, (5, 9), 200, (1, 9), 20)


def chain(links: int) -> Any:
    """The model of a chain."""
    from mbsim import registry
    from mbsim.model.load import load

    return load(planar_chain(links), registry, file="chain.yaml")


def simulate(made: Any, method: str, steps: int, end: float, drift: str = "auto") -> Any:
    """The whole public call, its result in memory with two rows: recording is not what is compared."""
    import mbsim

    return mbsim.simulate(made, method=method, integrator="rk4", step=end / steps, end=end, output_step=end, drift=drift)


def marching(made: Any, method: str, steps: int, end: float, drift: str = "auto") -> float:
    return float(simulate(made, method, steps, end, drift).attributes["march_time"])


def against_exudyn(links: int, end: float, target: int, size: Size, repeats: int, peered: bool, report: Report) -> None:
    """Both codes at the largest step that meets the tolerance."""
    import mbsim

    model = chain(links)
    made = mbsim.assemble(model)
    last, steps = slice(-3, None), size.reference
    coarse, fine = (np.array(simulate(made, "cfa", n, end)["q"])[-1, last] for n in (steps // 2, steps))
    place = ", ".join(f"{x + 0.0:.8f}" for x in np.round(fine, 8))
    report.note(f"{links} links, last link at {end:g} s: ({place}); with half the steps {abs(fine - coarse).max():.1e} off.")

    def our_error(drift: str, steps: int) -> float:
        return float(abs(np.array(simulate(made, "cfa", steps, end, drift)["q"])[-1, last] - fine).max())

    choices = []
    for drift in ("full", "none"):
        steps = fewest_steps(functools.partial(our_error, drift), size.tolerance, 100, order=4)
        choices.append((min(marching(made, "cfa", steps, end, drift) for _ in range(repeats)), steps, drift))
    _, steps, drift = min(choices)
    report.note(
        f"{links} links, mbsim: {steps} steps of rk4, drift {drift}, error {our_error(drift, steps):.2e} ("
        + "; ".join(f"drift {d}: {n} steps, {1e3 * s:.3g} ms" for s, n, d in choices)
        + ")."
    )
    runs: dict[str, Callable[[], float]] = {
        "march": lambda: marching(made, "cfa", steps, end, drift),
        "whole call": lambda: timed(functools.partial(simulate, made, "cfa", steps, end, drift)),
    }
    if not peered:
        for name, ours in runs.items():
            report.figure(f"{links} links, {end:g} s, {name}", "", f"mbsim {describe([ours() for _ in range(repeats)], 1e3, 'ms')}")
        return
    peer = Peer(mechanism(model, made))
    theirs_steps = fastest_peer(peer, links, end, fine, size, report)
    for name, ours in runs.items():
        theirs, mine = alternate(lambda: peer.run(theirs_steps, end), ours, repeats)
        value = ratio(theirs, mine)
        measured = f"**{value:.0f}** - Exudyn {describe(theirs, 1e3, 'ms')}, mbsim {describe(mine, 1e3, 'ms')}"
        report.figure(f"{links} links, {end:g} s, {name}: Exudyn / mbsim", f">= {target}", measured, value >= target)


def fastest_peer(peer: Peer, links: int, end: float, fine: np.ndarray, size: Size, report: Report) -> int:
    """Sets the solver and the spectral radius that meet the tolerance soonest; the steps they take."""

    def error(steps: int) -> float:
        return float(abs(peer.coordinates(steps, end)[-3:] - fine).max())

    tried = ""
    if links <= SMALL:
        solvers = peer.choose_solver(200, end)
        tried = "; 200 steps with " + ", ".join(f"{name} {1e3 * s:.4g} ms" for name, s in solvers.items())
    else:
        peer.solver = peer.exudyn.LinearSolverType.EigenSparse
    candidates, guess, failed = [], 1000, []
    for peer.radius in SPECTRAL_RADII:
        try:
            guess = fewest_steps(error, size.tolerance, guess, order=2)
        except RuntimeError:
            failed.append(f"{peer.radius}")
            continue
        candidates.append((min(peer.run(guess, end) for _ in range(3)), guess, peer.radius))
    _, steps, peer.radius = min(candidates)
    given_up = f"; it did not converge with {', '.join(failed)}" if failed else ""
    report.note(
        f"{links} links, Exudyn: {steps} steps, spectral radius {peer.radius}{given_up}, {peer.solver.name}{tried}; "
        f"error {error(steps):.2e}."
    )
    return steps


def cost(size: Size, repeats: int) -> str:
    """Nanoseconds per link and evaluation, drift correction included and not."""
    import mbsim

    rows = []
    for links in size.links:
        made, steps = mbsim.assemble(chain(links)), max(size.evaluations // 500, size.evaluations // links)
        times = [min(marching(made, "cfa", steps, 0.4, drift) for _ in range(repeats)) / (4 * steps * links) for drift in ("none", "full")]
        rows.append([f"{links}", *(f"{1e9 * seconds:.0f}" for seconds in times)])
    made_table = table(("links", "drift none", "drift full"), rows)
    print(f"ns per link and evaluation\n{made_table}", flush=True)
    return made_table


def crossover(size: Size, repeats: int) -> str:
    """Microseconds per step of rk4: where cfa overtakes the dense methods."""
    import mbsim

    methods, rows = ("svd", "lagrange", "cfa"), []
    for links in size.crossover:
        made = mbsim.assemble(chain(links))
        times = [min(marching(made, method, size.steps, 1e-3 * size.steps) for _ in range(repeats)) for method in methods]
        rows.append([f"{links}", *(f"{1e6 * seconds / size.steps:.3g}" for seconds in times)])
    made_table = table(("links", *methods), rows)
    print(f"us per step\n{made_table}", flush=True)
    return made_table


def document(report: Report, size: Size, costs: str, steps: str) -> str:
    return f"""# Chains in absolute coordinates

{origin(command(__file__), versions("numba", "numpy", "exudyn"))} (Exudyn's fast build)

A planar chain of revolute joints hangs from the ground; its links (1 m, 1 kg, slender) start horizontal and at rest. Both codes take the
largest step that keeps the last link at the end within {size.tolerance:g} m or rad of a converged reference. Times are medians of
alternating runs within one process, minima in brackets. Exudyn's is `SolveDynamic` alone, with generalized-alpha, modified Newton at
its default tolerances, its fastest linear solver and no output; mbsim's is the march of the method `cfa`, which is the same, and then
the whole call of `mbsim.simulate` on an assembled model.

{report.table()}

## Cost per link

Nanoseconds per link and evaluation of a march with rk4 to 0.4 s, without and with drift correction after each step:

{costs}

## Against the dense methods

Microseconds per step of rk4 ({size.steps} steps of 1 ms):

{steps}

## How these came about

{report.listed()}
"""


def main() -> None:
    arguments = parser(__doc__, writes=True)
    arguments.add_argument("--repeats", type=int, help="timed turns of each pair (default: 7, quick: 1)")
    given = arguments.parse_args()
    size, repeats = QUICK if given.quick else FULL, given.repeats or (1 if given.quick else 7)
    sys.exudynFast = True  # type: ignore[attr-defined]  # its build without range checks; read when it is imported
    peered = installed(EXUDYN, given.quick)
    costs, steps, report = cost(size, repeats), crossover(size, repeats), Report()
    for case in size.cases:
        against_exudyn(*case, size, repeats, peered, report)
    with output_folder(given) as folder:
        (folder / "benchmarks-chains.md").write_text(document(report, size, costs, steps), encoding="utf-8")
    sys.exit(0 if given.quick or all(met for *_, met in report.rows) else 1)


if __name__ == "__main__":
    main()
