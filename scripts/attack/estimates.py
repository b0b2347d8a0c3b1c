"""Estimated errors of runs with equal steps, held against true ones: random models of four kinds, each with four steps.

    python scripts/attack/estimates.py                 # 60 models
    python scripts/attack/estimates.py --quick         # one of each kind
    python scripts/attack/estimates.py --first 1000    # others

- `mechanism`: the families of `families.py`, in absolute or joint coordinates;
- `ordinary`: those of `ordinary_runs.py`, with speeds of up to 60 rad/s;
- `switching`: the families of `sensitivities.py`: laws that jump or bend, stops, contacts, controllers at their limits;
- `oscillator`: one to three masses on linear springs, some damped, some driven.

Each is run with rk4 in 3200, 1600, 800 and 400 steps. The truth is `lagrange` (in joint coordinates without rows the default method) with
dop853 at 1e-12; the default method at 1e-11 must agree with it to a tenth of the error, or the run is `unsure`. Errors are the largest
over time and coordinates. A run that is right to 1e-9 of its motion, or to 1e-12, is `exact`: what the reference leaves is of that size.
The others are `right` where the estimate is within a factor of ten of the error, `low` or `high` where it is not. The script exits with 1
where an estimate is a thousand times too low.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

sys.path.insert(0, str(Path(__file__).parent))
import families
import ordinary_runs
import sensitivities

import mbsim
from mbsim import registry
from mbsim.model.load import load

SHARES = {"mechanism": 13, "ordinary": 17, "switching": 15, "oscillator": 15}  # of sixty
STEPS = (3200, 1600, 800, 400)
ROWS = 50  # intervals, at which errors are taken
LONGEST = 6.0  # s, of the ordinary ones
EXACT, ROUND_OFF = 1e-9, 1e-12  # of the motion; m or rad
FACTOR, MISLED = 10.0, 1e-3
TIGHT: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12}
WITNESS: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-11, "atol": 1e-11}
SWITCHING = [family for family in sensitivities.FAMILIES if family.__name__ != "sticky"]  # it takes minutes at 1e-12
Model = tuple[dict[str, Any], float | None]  # the block, and the size of the speeds (rad/s) where these are drawn


class Finding(NamedTuple):
    """What one run came to."""

    kind: str
    name: str
    steps: int
    verdict: str
    error: float  # of the motion
    ratio: float  # of the estimate to the error

    def __str__(self) -> str:
        return f"{self.verdict:6} {self.kind} {self.name}, {self.steps} steps: error {self.error:.1e} of the motion, ratio {self.ratio:.2g}"


def mechanism(seed: int) -> Model:
    """One of the families, for two or six times its own time."""
    family = list(families.FAMILIES)[seed % len(families.FAMILIES)]
    block = families.mechanism(family, seed).block(("joint", "absolute")[seed % 2], **families.placed(family, seed))
    block["simulation"] = {"end": block["simulation"]["end"] * (2.0, 6.0)[seed % 2]}
    return block, None


def ordinary(seed: int) -> Model:
    """One that spins."""
    block, _, spin = ordinary_runs.drawn(seed)
    block["simulation"]["end"] = min(block["simulation"]["end"], LONGEST)
    return block, spin


def switching(seed: int) -> Model:
    """One whose laws have cases."""
    block, _ = SWITCHING[seed % len(SWITCHING)](np.random.default_rng([seed, 9]))
    return block, None


def oscillator(seed: int) -> Model:
    """Masses on springs in a row, the last one at a wall."""
    rng = np.random.default_rng([77, seed])
    names = [f"x{i}" for i in range(int(rng.integers(1, 4)))]
    kinetic = " + ".join(f"{rng.uniform(0.3, 2.0):.6g}*der({a})^2" for a in names)
    potential = " + ".join(f"{rng.uniform(5.0, 80.0):.6g}*({a} - {b})^2" for a, b in zip(names, [*names[1:], "0"], strict=True))
    forces: dict[str, Any] = {}
    if damping := float(rng.choice([0.0, 0.0, 0.05, 0.5])):
        forces |= {f"d{a}": {"type": "generalized", "coordinate": a, "value": f"-{damping}*der({a})"} for a in names}
    if rng.uniform() < 0.4:
        drive = f"{rng.uniform(1.0, 5.0):.4g}*sin({rng.uniform(2.0, 9.0):.4g}*t)"
        forces["drive"] = {"type": "generalized", "coordinate": names[0], "value": drive}
    return {
        "coordinates": names,
        "energy": {"kinetic": kinetic, "potential": potential},
        "initial": {a: rng.uniform(-1.0, 1.0) for a in names},
        "forces": forces,
        "simulation": {"end": float(np.exp(rng.uniform(np.log(2.0), np.log(30.0))))},
    }, None


KINDS = {kind.__name__: kind for kind in (mechanism, ordinary, switching, oscillator)}


def places(result: Any, times: np.ndarray) -> np.ndarray:
    """The coordinates (k, n_c) of the rows nearest to the times (k,)."""
    found: np.ndarray = result["q"][[int(np.abs(result.time - t).argmin()) for t in times]]
    return found


def judge(kind: str, seed: int) -> Iterator[Finding]:
    """The findings of one model."""
    block, spin = KINDS[kind](seed)
    text = yaml.safe_dump(sensitivities._plain({"name": f"{kind} {seed}", **block}), sort_keys=False)
    made = mbsim.assemble(load(text, registry, file="model.yaml"))
    given: dict[str, Any] = {}
    if spin is not None:
        turns = np.array([unit.startswith("rad") for unit in made.system.speed_units])
        given["v"] = np.where(turns, spin, min(spin, 3.0)) * np.random.default_rng([31, seed]).uniform(-1.0, 1.0, made.system.n_v)
    end, n_c = made.simulation.end, made.system.n_c
    times = np.linspace(0.0, end, ROWS + 1)
    method: dict[str, Any] = {"method": "lagrange"} if made.system.n_rows else {}
    try:
        truth = places(mbsim.simulate(made, output_step=end / ROWS, **method, **TIGHT, **given), times)[:, :n_c]
        witness = places(mbsim.simulate(made, output_step=end / ROWS, **WITNESS, **given), times)[:, :n_c]
    except mbsim.SimulationError:
        return
    reach, doubt = float(np.abs(truth - truth[0]).max()), float(np.abs(truth - witness).max())
    for steps in STEPS:
        try:
            run = mbsim.simulate(made, integrator="rk4", step=end / steps, output_step=end / steps, **given)
        except mbsim.SimulationError:
            continue
        error, estimate = float(np.abs(places(run, times)[:, :n_c] - truth).max()), float(run["error_estimate"].max())
        ratio = estimate / error if error > 0.0 else 1.0
        verdict = "right" if 1.0 / FACTOR <= ratio <= FACTOR else "low" if ratio < 1.0 else "high"
        if error <= max(EXACT * reach, ROUND_OFF):
            verdict = "exact"
        elif doubt > 0.1 * error:
            verdict = "unsure"
        yield Finding(kind, str(seed), steps, verdict, error / reach if reach > 0.0 else 0.0, ratio)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one of each kind")
    parser.add_argument("--first", type=int, default=0, help="first seed of each kind")
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    began, findings = time.monotonic(), list[Finding]()
    for kind in given.kinds.split(","):
        for seed in range(given.first, given.first + (1 if given.quick else SHARES[kind])):
            for finding in judge(kind, seed):
                findings.append(finding)
                if finding.verdict in ("low", "high"):
                    print(finding, flush=True)
        tell(kind, [one for one in findings if one.kind == kind])
    tell("all", findings)
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if any(one.verdict == "low" and one.ratio < MISLED for one in findings) else 0


def tell(kind: str, findings: list[Finding]) -> None:
    """A line of counts, and the quantiles of the ratios that are judged."""
    ratios = [one.ratio for one in findings if one.verdict in ("right", "low", "high")]
    quantiles = [f"{q:g} %: {np.quantile(ratios, q / 100):.2g}" for q in (5, 25, 50, 75, 95)] if ratios else []
    print(f"{kind}: {dict(Counter(one.verdict for one in findings))}; estimate / error {', '.join(quantiles)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
