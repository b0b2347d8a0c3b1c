"""Speed of the method `cfa` on planar chains against Exudyn, as ratios within one run, and its cost per link.

A chain of revolute joints hangs from the ground; its links (1 m, 1 kg, slender) start horizontal and at rest. Both codes take the largest
step that keeps the last link at the end within 1e-4 (m, rad) of a converged reference, and these two runs are timed alternately. Exudyn
is run at its best, as in `benchmark_exudyn.py`; mbsim too with the drift correction that serves it best. Of Exudyn only `SolveDynamic` is
timed; of mbsim the march, which is the same, and beside it the whole call of `simulate`.

    python scripts/benchmark_chains.py            # needs the extra `bench`: pip install '.[bench]'
"""

import argparse
import functools
import statistics
import sys
from typing import Any

import numpy as np
import yaml
from benchmark_exudyn import SPECTRAL_RADII, alternate, fewest_steps, mechanism, timed
from exudyn_peer import Peer

TOLERANCE = 1e-4  # m and rad, of the last link at the end
CASES = ((20, 2.0, 20.0), (500, 1.0, 50.0))  # links, s, how many times faster than Exudyn
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


def against_exudyn(links: int, end: float, target: float, repeats: int) -> bool:
    import mbsim

    model = chain(links)
    made = mbsim.assemble(model)
    last = slice(-3, None)
    coarse, fine = (np.array(simulate(made, "cfa", n, end)["q"])[-1, last] for n in (4000, 8000))
    print(f"{links} links, {end:g} s: last link at {np.round(fine, 8)}, half the steps {abs(fine - coarse).max():.1e} off", flush=True)
    peer = Peer(mechanism(model, made))

    def peer_error(steps: int) -> float:
        return float(abs(peer.coordinates(steps, end)[last] - fine).max())

    def our_error(drift: str, steps: int) -> float:
        return float(abs(np.array(simulate(made, "cfa", steps, end, drift)["q"])[-1, last] - fine).max())

    if links <= SMALL:
        solvers = peer.choose_solver(200, end)
        print("  Exudyn, 200 steps: " + ", ".join(f"{name} {1e3 * s:.4g} ms" for name, s in solvers.items()), flush=True)
    else:
        peer.solver = peer.exudyn.LinearSolverType.EigenSparse
    candidates, guess = [], 1000
    for peer.radius in SPECTRAL_RADII:
        try:
            guess = fewest_steps(peer_error, TOLERANCE, guess, order=2)
        except RuntimeError as error:
            print(f"  Exudyn, spectral radius {peer.radius}: {error}", flush=True)
            continue
        candidates.append((min(peer.run(guess, end) for _ in range(3)), guess, peer.radius))
    _, theirs_steps, peer.radius = min(candidates)
    choices = []
    for drift in ("full", "none"):
        steps = fewest_steps(functools.partial(our_error, drift), TOLERANCE, 100, order=4)
        choices.append((min(marching(made, "cfa", steps, end, drift) for _ in range(repeats)), steps, drift))
    _, steps, drift = min(choices)
    theirs, ours = alternate(lambda: peer.run(theirs_steps, end), lambda: marching(made, "cfa", steps, end, drift), repeats)
    call = [timed(functools.partial(simulate, made, "cfa", steps, end, drift)) for _ in range(repeats)]
    ratio = statistics.median(theirs) / statistics.median(ours)
    print(f"  Exudyn: {theirs_steps} steps, spectral radius {peer.radius}, {peer.solver.name}, error {peer_error(theirs_steps):.2e}")
    print("  mbsim, drift " + "; ".join(f"{d}: {n} steps, {1e3 * s:.3g} ms" for s, n, d in choices))
    print(f"  mbsim: {steps} steps of rk4, drift {drift}, error {our_error(drift, steps):.2e}")
    print(f"  march {describe(ours)}, whole call {describe(call)}")
    print(f"  => Exudyn {describe(theirs)} / march: {ratio:.0f} (target {target:g}); / whole call: "
          f"{statistics.median(theirs) / statistics.median(call):.1f}", flush=True)  # fmt: skip
    return ratio >= target


def describe(seconds: list[float]) -> str:
    return f"{1e3 * statistics.median(seconds):.3g} ms (min {1e3 * min(seconds):.3g})"


def cost(repeats: int) -> None:
    """Nanoseconds per link and evaluation, drift correction included and not; and where cfa overtakes the dense methods."""
    import mbsim

    for links in LINKS:
        made, steps = mbsim.assemble(chain(links)), max(40, 20_000 // links)
        times = {}
        for drift in ("full", "none"):
            times[drift] = min(marching(made, "cfa", steps, 0.4, drift) for _ in range(repeats)) / (4 * steps * links)
        print(
            f"{links} links: " + ", ".join(f"{1e9 * s:.0f} ns per link and evaluation with drift {d}" for d, s in times.items()), flush=True
        )
    for links in CROSSOVER:
        made = mbsim.assemble(chain(links))
        times = {method: min(marching(made, method, 1000, 1.0) for _ in range(repeats)) for method in ("svd", "lagrange", "cfa")}
        print(f"{links} links: " + ", ".join(f"{method} {1e3 * s:.3g} us per step" for method, s in times.items()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    cost(repeats)
    met = [against_exudyn(*case, repeats) for case in CASES]
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
