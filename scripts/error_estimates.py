"""Holds the estimated error of runs with a fixed step against the true one: the tables of docs/results.md.

    python scripts/error_estimates.py [--methods auto,rattle] [--factors 1,4,16] [MODEL ...]
    python scripts/error_estimates.py --quick    # two models for a fraction of a second

Each shipped model with its step, no longer than 1 ms, and multiples of it; the truth is `lagrange` with dop853 at 1e-12. Errors are those
of the positions (m or rad), the largest over time. Motions that are right to 1e-9 of their reach are left out of the quantiles: what the
reference leaves is of that size.
"""

import sys

import numpy as np
from command_line import MODELS, parser

import mbsim
from mbsim import registry
from mbsim.march.ending import SimulationError
from mbsim.march.quality import OF_THE_MOTION
from mbsim.studies.compare.measures import distance, reach
from mbsim.studies.compare.worker import simulate

SLOW = (
    "flyball_governor",
    "n_four_bar_1",
    "n_four_bar_2",
    "n_four_bar_40",
    "porter_governor",
)  # for the reference: stiff, singular positions, large
MOST_STEPS, LONGEST = 20_000, 1e-3
EXACT = 1e-9
QUICK = ("pendulum", "four_bar")
QUICK_END = 0.2  # s


def main() -> None:
    """Print a line for each run, then the quantiles."""
    arguments = parser(__doc__)
    arguments.add_argument("models", nargs="*")
    arguments.add_argument("--methods", default="auto")
    arguments.add_argument("--factors", default="1,4,16")
    given = arguments.parse_args()
    names = given.models or (QUICK if given.quick else None) or sorted(path.stem for path in MODELS.glob("*.yaml") if path.stem not in SLOW)
    ratios: list[float] = []
    wrong: list[str] = []
    print(f"{'model':24} {'method':18} {'step':>8} {'error':>8} {'estimate':>8} {'of the motion':>13}")
    for name in names:
        made = mbsim.assemble(mbsim.load_model(MODELS / f"{name}.yaml"))
        block = made.simulation
        end = min(block.end, block.start + QUICK_END) if given.quick else block.end
        span, own = end - block.start, block.step or LONGEST
        try:
            truth = simulate(made, method="lagrange", integrator="dop853", rtol=1e-12, atol=1e-12, drift="full", end=end, output_step=own)
        except SimulationError as failure:
            print(f"{name:24} no reference: {failure}", file=sys.stderr)
            continue
        size = reach(truth, "position")
        if not size > 0.0:
            continue  # nothing moves
        for method in given.methods.split(","):
            owns = method != "auto" and registry.declaration("methods", method, "OWNS_STEP", False)
            for factor in map(float, given.factors.split(",")):
                step = max(factor * min(own, LONGEST), span / MOST_STEPS)
                try:
                    integrator = "auto" if owns else "rk4"
                    run = simulate(made, method=method, integrator=integrator, step=step, end=end, output_step=max(step, own))
                except SimulationError:
                    continue
                error, found = float(distance(run, truth).position.max()), float(run["error_estimate"].max())
                chosen = run.attributes["method"]
                print(f"{name:24} {chosen:18} {step:8.2g} {error:8.1e} {found:8.1e} {error / size:13.1e}", flush=True)
                if error > EXACT * size:
                    ratios.append(found / error)
                if (found > OF_THE_MOTION * size) != (error > OF_THE_MOTION * size):
                    wrong.append(f"{name}, {chosen}, {step:.2g} s: error {error / size:.2g}, estimate {found / size:.2g} of the motion")
    quantiles = (
        "none" if not ratios else ", ".join(f"{q:g} %: {np.quantile(ratios, q / 100):.2g}" for q in (0, 5, 10, 25, 50, 75, 90, 95, 100))
    )
    print(f"estimate / error of {len(ratios)} runs: {quantiles}")
    print("on other sides of a hundredth of the motion:", *wrong, sep="\n  ")


if __name__ == "__main__":
    main()
