"""Runs at tolerances near round-off: each is right, or refused or noted by name, and none takes much longer than at 1e-10.

    python scripts/attack/tight_tolerances.py                         # every shipped model
    python scripts/attack/tight_tolerances.py four_bar bricard        # some, or files of others
    python scripts/attack/tight_tolerances.py --quick                 # one model, one method, one tolerance
    python scripts/attack/tight_tolerances.py --journal FILE          # go on where an earlier run ended

Each model is run by each of METHODS that takes it and each of INTEGRATORS, with `rtol` and `atol` of 1e-10 and of TOLERANCES, for at most
LONGEST s. What the runs of a model agree on, the median of each coordinate and speed at the end over all of them at 1e-12, is the truth.
What has to hold of each:

- `wrong`: it is no farther from the truth than TIMES its tolerance or ROUND_OFF, or GROWN times what half of the runs with its integrator
  are at 1e-10, as a motion may multiply all errors; or it has a note or a warning (`noted`);
- `stopped` and `refused` are said, with the reason: they are printed, and are for a person to judge;
- `slow`: it takes at most SLOWER times the processor time of the same run at 1e-10, and START s.
"""

import argparse
import json
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mbsim

MODELS = Path(__file__).parents[2] / "models"
METHODS = ("svd", "riemann", "cfa", "lagrange", "nullspace", "broyden")
INTEGRATORS = ("dop853", "rk45")
LOOSE, AGREED = 1e-10, 1e-12
TOLERANCES = (1e-11, AGREED, 1e-13)
LONGEST = 2.0  # s
TIMES, ROUND_OFF, GROWN = 30.0, 1e-10, 10.0
SLOWER, START = 20.0, 1.0  # times; s of a processor
CUT = 60.0  # s of a processor: a run that takes longer is ended
ROWS = 20
QUICK = ("n_four_bar_1", "svd", "dop853", AGREED)
GOOD = ("right", "noted", "stopped", "refused")
Floats = np.ndarray


class Run(NamedTuple):
    """What one run came to."""

    model: str
    method: str
    integrator: str
    tolerance: float
    stop: str  # why it ended before its end, or was not begun
    said: str  # its notes and warnings
    took: float  # s of a processor
    state: list[float]  # coordinates and speeds at the end


class TooLong(Exception):
    """Ends a run."""


def run(model: Any, name: str, method: str, integrator: str, tolerance: float) -> Run:
    """A run with `rtol` and `atol` of a tolerance."""
    began, block = time.process_time(), model.simulation
    end = min(block.end, block.start + LONGEST)

    def watch(at: float) -> None:
        if time.process_time() - began > CUT:
            raise TooLong(f"t = {at:.6g} s after {CUT:g} s of a processor")

    def ended(stop: str, result: Any = None) -> Run:
        took = time.process_time() - began
        if result is None:
            return Run(name, method, integrator, tolerance, stop, "", took, [])
        said = "; ".join([*result.attributes["notes"], *result.attributes["warnings"]])
        return Run(name, method, integrator, tolerance, stop, said, took, [*map(float, result["q"][-1]), *map(float, result["v"][-1])])

    settings = {"method": method, "integrator": integrator, "rtol": tolerance, "atol": tolerance, "end": end}
    try:
        result = mbsim.simulate(model, progress=watch, output_step=(end - block.start) / ROWS, **settings)
    except TooLong as error:
        return ended(f"slow: {error}")
    except mbsim.SimulationError as error:
        return ended(f"stopped: {error}", error.result)
    except (mbsim.ModelError, mbsim.StartError, ValueError) as error:
        return ended(f"refused: {error}")
    return ended("", result)


def warm(model: Any, method: str, integrator: str) -> None:
    """Compile what a run needs, so that no run pays for it."""
    with suppress(mbsim.ModelError, mbsim.StartError, mbsim.SimulationError, ValueError):
        mbsim.simulate(model, method=method, integrator=integrator, rtol=1e-3, atol=1e-3, end=model.simulation.start + 1e-3)


def truth(runs: list[Run]) -> Floats | None:
    """What the runs of a model at AGREED agree on; None where fewer than three are complete."""
    states = [found.state for found in runs if found.tolerance == AGREED and not found.stop]
    return np.median(np.array(states), axis=0) if len(states) > 2 else None


def away(found: Run, true: Floats) -> float:
    """How far a run is from the truth at its end, of 1 and the largest number there."""
    return float(np.max(np.abs(np.array(found.state) - true) / np.maximum(1.0, np.abs(true))))


def judged(runs: list[Run]) -> list[tuple[Run, str, str]]:
    """The verdict on each run of a model, and what it stands on."""
    true = truth(runs)
    loose = {(found.method, found.integrator): found for found in runs if found.tolerance == LOOSE and not found.stop}
    grown = dict.fromkeys(INTEGRATORS, 0.0)
    if true is not None:
        for word in INTEGRATORS:
            errors = [away(found, true) for found in loose.values() if found.integrator == word]
            grown[word] = float(np.median(errors)) if errors else 0.0
    out = []
    for found in runs:
        kind, _, reason = found.stop.partition(": ")
        same = loose.get((found.method, found.integrator))
        if kind:
            out.append((found, kind, reason))
        elif same is not None and found.took > SLOWER * same.took + START:
            out.append((found, "slow", f"{found.took:.1f} s, {same.took:.2f} s at {LOOSE:g}"))
        elif true is None:
            out.append((found, "right", "nothing to compare with"))
        else:
            off, allowed = away(found, true), max(TIMES * found.tolerance, ROUND_OFF, GROWN * grown[found.integrator])
            verdict = "right" if off <= allowed else "noted" if found.said else "wrong"
            out.append((found, verdict, f"{off:.1e} of {allowed:.0e} {found.said[:200]}"))
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="shipped models or files; all shipped ones when left out")
    parser.add_argument("--quick", action="store_true", help="one model, one method, one tolerance")
    parser.add_argument("--journal", type=Path, help="where runs are kept; what is in it is not run again")
    given = parser.parse_args()
    known: dict[tuple[Any, ...], Run] = {}
    if given.journal is not None and given.journal.exists():
        known = {tuple(line[:4]): Run(*line) for line in map(json.loads, given.journal.read_text().splitlines())}
    names = given.models or ([QUICK[0]] if given.quick else sorted(path.stem for path in MODELS.glob("*.yaml")))
    counted: Counter[str] = Counter()
    began = time.monotonic()
    for name in names:
        model, runs = mbsim.load_model(name if Path(name).exists() else MODELS / f"{name}.yaml"), []
        for method in METHODS:
            for integrator in INTEGRATORS:
                if given.quick and (method, integrator) != QUICK[1:3]:
                    continue
                warmed = False
                for tolerance in (LOOSE, *TOLERANCES) if not given.quick else (LOOSE, AGREED):
                    key = (name, method, integrator, tolerance)
                    if key not in known:
                        if not warmed:
                            warm(model, method, integrator)
                            warmed = True
                        known[key] = run(model, *key)
                        if given.journal is not None:
                            with given.journal.open("a") as file:
                                file.write(json.dumps(known[key]) + "\n")
                    runs.append(known[key])
                    if known[key].stop.startswith("refused"):
                        break
        for found, verdict, detail in judged(runs):
            counted[verdict] += 1
            if verdict != "right":
                print(found.model, found.method, found.integrator, f"{found.tolerance:g}", verdict, detail, flush=True)
    print(f"{counted.total()} runs in {time.monotonic() - began:.0f} s: {dict(counted)}")
    return 0 if counted.keys() <= set(GOOD) else 1


if __name__ == "__main__":
    sys.exit(main())
