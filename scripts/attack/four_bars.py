"""Random four-bars at steps that are too long for some of them: is a motion that comes out wrong ever silent?

    python scripts/attack/four_bars.py            # 150 four-bars at 1e-3, 5e-3, 1e-2, 2e-2 s: some ten minutes
    python scripts/attack/four_bars.py --quick    # 6 of them at 1e-2 and 2e-2 s: seconds

A frame of 2 m, links and the way they are assembled at random, a third of them a hair's breadth from folding onto a line. Each is
compared at the end with a run whose error is controlled to 1e-11; where that and one at 1e-9 differ, the motion is not determined by the
start as far as doubles hold it, and is left out. Wrong is a coordinate off by more than 0.01 (m, rad); silent a wrong one of which
`mbsim run -q` says nothing.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from mbsim import registry
from mbsim.analyses.dynamic import simulate
from mbsim.march.ending import SimulationError
from mbsim.model.load import load

WRONG = 0.01  # m, rad
KNOWN = 1e-3  # between the two references
END = 5.0  # s
STEPS = (1e-3, 5e-3, 1e-2, 2e-2)  # s
FOLDS = 3  # every so many nearly folds
SEED = 77


class Found(NamedTuple):
    """What became of the runs at one step."""

    right: int = 0
    stopped: int = 0
    warned: int = 0
    silent: int = 0


def lengths(rng: np.random.Generator, folds: bool) -> tuple[float, float, float]:
    """Crank, coupler and rocker for a frame of 2 m; where it `folds`, nearly as long together as the other two."""
    crank, coupler, rocker = rng.uniform(0.2, 1.5), rng.uniform(0.4, 3.0), rng.uniform(0.4, 3.0)
    if folds:
        coupler = 2.0 + rocker - crank + 10.0 ** rng.uniform(-8.0, -2.0) * rng.choice([-1.0, 1.0])
    return crank, coupler, rocker


def four_bar(rng: np.random.Generator, folds: bool) -> dict[str, Any]:
    """A model that closes, as the dictionary that its file stands for."""
    frame, origin = np.array([2.0, 0.0]), np.zeros(2)
    while True:
        crank, coupler, rocker = lengths(rng, folds)
        angle = rng.uniform(0.0, 2.0 * np.pi)
        first = crank * np.array([np.cos(angle), np.sin(angle)])
        across = frame - first
        far = float(np.hypot(*across))
        if abs(coupler - rocker) * 1.02 < far < (coupler + rocker) * 0.98:
            break
    along = (far**2 + coupler**2 - rocker**2) / (2.0 * far)
    aside = np.sqrt(coupler**2 - along**2) * rng.choice([-1.0, 1.0])
    second = first + (along * across + aside * np.array([-across[1], across[0]])) / far

    def rod(a: np.ndarray, b: np.ndarray, inertia: float) -> dict[str, Any]:
        d = b - a
        return {"mass": 1, "inertia": inertia, "position": [float(x) for x in (a + b) / 2], "angle": float(np.arctan2(d[1], d[0]))}

    ends = {
        "O": ("ground", "crank", origin),
        "A": ("crank", "coupler", first),
        "B": ("coupler", "rocker", second),
        "C": ("ground", "rocker", frame),
    }
    return {
        "name": "random four-bar", "dimension": 2, "gravity": [0, -9.81],
        "bodies": {"crank": rod(origin, first, 0.1), "coupler": rod(first, second, 0.3), "rocker": rod(frame, second, 0.1)},
        "joints": {k: {"type": "revolute", "bodies": [a, b], "at": [float(x) for x in at]} for k, (a, b, at) in ends.items()},
        "initial": {"crank.angular_velocity": float(rng.uniform(-8.0, 8.0)), "fix": ["crank.angular_velocity"]},
        "simulation": {"end": END, "step": 1e-3},
    }  # fmt: skip


def end_of(model: dict[str, Any], **settings: Any) -> np.ndarray:
    """q at the end of a run. Raises SimulationError where it does not get there."""
    text = yaml.safe_dump(model, sort_keys=False)
    q: np.ndarray = simulate(load(text, registry, file="four_bar.yaml"), output_step=0.5, **settings)["q"][-1]
    return q


def reference(model: dict[str, Any]) -> np.ndarray | None:
    """q at the end, where it can be known."""
    try:
        one, other = (end_of(model, integrator="dop853", rtol=x, atol=x) for x in (1e-11, 1e-9))
    except SimulationError:
        return None
    return one if np.abs(one - other).max() < KNOWN else None


def says(model: dict[str, Any], step: float) -> str:
    """What `mbsim run -q` says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "four_bar.yaml"
        path.write_text(yaml.safe_dump(model, sort_keys=False))
        command = [sys.executable, "-m", "mbsim", "run", str(path), "-q", "--step", str(step), "-o", str(path.with_suffix(".h5"))]
        return subprocess.run(command, capture_output=True, text=True, check=False).stderr.strip()


def survey(count: int, steps: tuple[float, ...], seed: int = SEED, verbose: bool = False) -> tuple[int, dict[float, Found]]:
    """How many of `count` four-bars have a reference, and what became of them at each step."""
    rng = np.random.default_rng(seed)
    known, found = 0, {step: Found() for step in steps}
    for k in range(count):
        model = four_bar(rng, k % FOLDS == FOLDS - 1)
        expected = reference(model)
        if expected is None:
            continue
        known += 1
        for step in steps:
            try:
                error = float(np.abs(end_of(model, step=step) - expected).max())
                what = "right" if error <= WRONG else "warned" if says(model, step) else "silent"
                if verbose and what != "right":
                    print(f"  four-bar {k} at {step:g} s: off by {error:.2g}, {what}", flush=True)
            except SimulationError as stop:
                what = "stopped"
                if verbose:
                    print(f"  four-bar {k} at {step:g} s: {stop}", flush=True)
            found[step] = found[step]._replace(**{what: getattr(found[step], what) + 1})
    return known, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--count", type=int, default=150)
    arguments = parser.parse_args()
    count, steps = (6, STEPS[2:]) if arguments.quick else (arguments.count, STEPS)
    known, found = survey(count, steps, verbose=True)
    print(f"{count} four-bars, {known} with a reference")
    for step, counts in found.items():
        print(f"  step {step:g} s: " + ", ".join(f"{number} {what}" for what, number in counts._asdict().items()))


if __name__ == "__main__":
    main()
