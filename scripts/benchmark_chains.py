"""Speed of the method `cfa` on planar chains against Exudyn, as ratios within one run, and its cost per link: docs/benchmarks-chains.md.

A chain of revolute joints hangs from the ground; its links (1 m, 1 kg, slender) start horizontal and at rest. Both codes take the largest
step that keeps the last link at the end within 1e-4 (m, rad) of a converged reference, and these two runs are timed alternately. Exudyn
is run at its best, as in `benchmark_exudyn.py`; mbsim too with the drift correction that serves it best. Of Exudyn only `SolveDynamic` is
timed; of mbsim the march, which is the same, and beside it the whole call of `simulate`.

    python scripts/benchmark_chains.py            # needs the extra `bench`: pip install '.[bench]'
"""

import argparse
import datetime
import functools
import importlib.metadata
import os
import platform
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from benchmark_exudyn import ROOT, SPECTRAL_RADII, Report, alternate, describe, fewest_steps, mechanism, processor, ratio, timed
from exudyn_peer import Peer

TOLERANCE = 1e-4  # m and rad, of the last link at the end
CASES = ((20, 2.0, 20), (500, 1.0, 50))  # links, s, how many times faster than Exudyn
SMALL = 100  # links up to which Exudyn's dense solvers are tried; at 500 they take seconds a step
LINKS = (5, 20, 100, 500)  # of the cost per link and evaluation
CROSSOVER = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)


def chain(links: int) -> Any:
    """The model of a chain."""
    from mbsim import registry
    from mbsim.model.load import load

    data = {
        "name": f"chain of {links} links",
        "dimension": 2,
        "gravity": [0.0, -9.81],
        "bodies": {f"link{k}": {"mass": 1.0, "inertia": 1.0 / 12.0, "position": [k + 0.5, 0.0]} for k in range(links)},
        "joints": {
            f"pin{k}": {"type": "revolute", "bodies": [f"link{k - 1}" if k else "ground", f"link{k}"], "at": [float(k), 0.0]}
            for k in range(links)
        },
        "simulation": {"end": 1.0, "step": 0.01},
    }
    return load(yaml.safe_dump(data, sort_keys=False), registry, file="chain.yaml")


def simulate(made: Any, method: str, steps: int, end: float, drift: str = "auto") -> Any:
    """The whole public call, its result in memory with two rows: recording is not what is compared."""
    import mbsim

    return mbsim.simulate(made, method=method, integrator="rk4", step=end / steps, end=end, output_step=end, drift=drift)


def marching(made: Any, method: str, steps: int, end: float, drift: str = "auto") -> float:
    return float(simulate(made, method, steps, end, drift).attributes["march_time"])


def against_exudyn(links: int, end: float, target: int, repeats: int, report: Report) -> None:
    import mbsim

    model = chain(links)
    made = mbsim.assemble(model)
    last = slice(-3, None)
    coarse, fine = (np.array(simulate(made, "cfa", n, end)["q"])[-1, last] for n in (4000, 8000))
    place = ", ".join(f"{x + 0.0:.8f}" for x in np.round(fine, 8))
    report.note(f"{links} links, last link at {end:g} s: ({place}); with half the steps {abs(fine - coarse).max():.1e} off.")
    peer = Peer(mechanism(model, made))

    def peer_error(steps: int) -> float:
        return float(abs(peer.coordinates(steps, end)[last] - fine).max())

    def our_error(drift: str, steps: int) -> float:
        return float(abs(np.array(simulate(made, "cfa", steps, end, drift)["q"])[-1, last] - fine).max())

    tried = ""
    if links <= SMALL:
        solvers = peer.choose_solver(200, end)
        tried = "; 200 steps with " + ", ".join(f"{name} {1e3 * s:.4g} ms" for name, s in solvers.items())
    else:
        peer.solver = peer.exudyn.LinearSolverType.EigenSparse
    candidates, guess, failed = [], 1000, []
    for peer.radius in SPECTRAL_RADII:
        try:
            guess = fewest_steps(peer_error, TOLERANCE, guess, order=2)
        except RuntimeError:
            failed.append(f"{peer.radius}")
            continue
        candidates.append((min(peer.run(guess, end) for _ in range(3)), guess, peer.radius))
    _, theirs_steps, peer.radius = min(candidates)
    choices = []
    for drift in ("full", "none"):
        steps = fewest_steps(functools.partial(our_error, drift), TOLERANCE, 100, order=4)
        choices.append((min(marching(made, "cfa", steps, end, drift) for _ in range(repeats)), steps, drift))
    _, steps, drift = min(choices)
    given_up = f"; it did not converge with {', '.join(failed)}" if failed else ""
    report.note(
        f"{links} links, Exudyn: {theirs_steps} steps, spectral radius {peer.radius}{given_up}, {peer.solver.name}{tried}; "
        f"error {peer_error(theirs_steps):.2e}."
    )
    report.note(
        f"{links} links, mbsim: {steps} steps of rk4, drift {drift}, error {our_error(drift, steps):.2e} ("
        + "; ".join(f"drift {d}: {n} steps, {1e3 * s:.3g} ms" for s, n, d in choices)
        + ")."
    )
    for name, ours in (
        ("march", lambda: marching(made, "cfa", steps, end, drift)),
        ("whole call", lambda: timed(functools.partial(simulate, made, "cfa", steps, end, drift))),
    ):
        theirs, mine = alternate(lambda: peer.run(theirs_steps, end), ours, repeats)
        value = ratio(theirs, mine)
        measured = f"**{value:.0f}** - Exudyn {describe(theirs, 1e3, 'ms')}, mbsim {describe(mine, 1e3, 'ms')}"
        report.figure(f"{links} links, {end:g} s, {name}: Exudyn / mbsim", f">= {target}", measured, value >= target)


def cost(repeats: int) -> list[str]:
    """Nanoseconds per link and evaluation, drift correction included and not."""
    import mbsim

    lines = ["| links | drift none | drift full |", "|---|---|---|"]
    for links in LINKS:
        made, steps = mbsim.assemble(chain(links)), max(40, 20_000 // links)
        times = [min(marching(made, "cfa", steps, 0.4, drift) for _ in range(repeats)) / (4 * steps * links) for drift in ("none", "full")]
        lines.append(f"| {links} | " + " | ".join(f"{1e9 * seconds:.0f}" for seconds in times) + " |")
        print(lines[-1], flush=True)
    return lines


def crossover(repeats: int) -> list[str]:
    """Microseconds per step of rk4: where cfa overtakes the dense methods."""
    import mbsim

    methods = ("svd", "lagrange", "cfa")
    lines = [f"| links | {' | '.join(methods)} |", "|---|---|---|---|"]
    for links in CROSSOVER:
        made = mbsim.assemble(chain(links))
        times = [min(marching(made, method, 1000, 1.0) for _ in range(repeats)) for method in methods]
        lines.append(f"| {links} | " + " | ".join(f"{1e3 * seconds:.3g}" for seconds in times) + " |")
        print(lines[-1], flush=True)
    return lines


def document(report: Report, costs: list[str], steps: list[str], command: str) -> str:
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in ("numba", "numpy", "exudyn"))
    verdict = {True: "yes", False: "**no**", None: ""}
    table = "\n".join(f"| {name} | {target} | {measured} | {verdict[met]} |" for name, target, measured, met in report.rows)
    notes = "\n".join(f"- {note}" for note in report.notes)
    return f"""# Chains in absolute coordinates

Written by `{command}` on {datetime.date.today().isoformat()}; every figure below is one that this run printed.

- Machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}
- Python {platform.python_version()}, {versions} (Exudyn's fast build)

A planar chain of revolute joints hangs from the ground; its links (1 m, 1 kg, slender) start horizontal and at rest. Both codes take the
largest step that keeps the last link at the end within {TOLERANCE:g} m or rad of a converged reference. Times are medians of
alternating runs within one process, minima in brackets. Exudyn's is `SolveDynamic` alone, with generalized-alpha, modified Newton at
its default tolerances, its fastest linear solver and no output; mbsim's is the march of the method `cfa`, which is the same, and then
the whole call of `mbsim.simulate` on an assembled model.

| Figure | Target | Measured | Met |
|---|---|---|---|
{table}

## Cost per link

Nanoseconds per link and evaluation of a march with rk4 to 0.4 s, without and with drift correction after each step:

{chr(10).join(costs)}

## Against the dense methods

Microseconds per step of rk4 (1 s in 1000 steps):

{chr(10).join(steps)}

## How these came about

{notes}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of cfa on planar chains against Exudyn; writes docs/benchmarks-chains.md.")
    parser.add_argument("--repeats", type=int, default=7, help="timed turns of each pair (default: %(default)s)")
    parser.add_argument(
        "-o", "--output", type=Path, default=ROOT / "docs" / "benchmarks-chains.md", help="the document (default: %(default)s)"
    )
    arguments = parser.parse_args()
    sys.exudynFast = True  # type: ignore[attr-defined]  # its build without range checks; read when it is imported
    costs, steps, report = cost(arguments.repeats), crossover(arguments.repeats), Report()
    for case in CASES:
        against_exudyn(*case, arguments.repeats, report)
    command = shlex.join(["python", "scripts/benchmark_chains.py", *sys.argv[1:]])
    arguments.output.write_text(document(report, costs, steps, command), encoding="utf-8")
    print(f"written: {arguments.output}")
    sys.exit(0 if all(met for *_, met in report.rows) else 1)


if __name__ == "__main__":
    main()
