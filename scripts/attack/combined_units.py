"""Random mechanisms with several features at once in other units: lengths and masses far smaller and larger, and the same motion.

    python scripts/attack/combined_units.py [--count 60] [--seed 0]

A mechanism of `combined.py` is written with units (`rescaled.py`) and run by error control in its own ones and in each of OTHERS, in
absolute coordinates, every third in those of joints, too. Events and their order have to be the same, and all numbers of the states, times
their units, to TOLERANCE of the largest of their kind.
"""

import argparse
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import combined
from contact_units import TOLERANCE, apart, run
from rescaled import rescaled

from mbsim.model.file.errors import ModelError

OTHERS = (("m", 1e-3), ("m", 1e3), ("kg", 1e-4))


def judge(seed: int) -> list[str]:
    """What is wrong; begins with what the mechanism has."""
    drawn = combined.Drawn(seed)
    lines = [f"{seed} {drawn.family} {'planar' if drawn.flat else 'spatial'} {' '.join(drawn.has)}"]
    for coordinates in ("absolute", "joint") if seed % 3 == 0 else ("absolute",):
        block = rescaled(drawn.block if coordinates == "absolute" else drawn.block | {"coordinates": coordinates})
        try:
            first = run(block, {}, "events")
        except ModelError as error:
            lines.append(f"refused: {coordinates}: {str(error)[:200]}")
            continue
        if first.stop:
            lines.append(f"stopped: {coordinates}: {first.stop[:200]}")
            continue
        for unit, factor in OTHERS:
            off, of = apart(first, run(block, {unit: factor}, "events"))
            if not off <= TOLERANCE:
                lines.append(f"wrong: {coordinates}: {off:.1e} with {unit} {factor:g}: {of[:200]}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    wrong = 0
    for seed in range(asked.seed, asked.seed + asked.count):
        head, *lines = judge(seed)
        for line in lines:
            wrong += not line.startswith("refused")
            print(f"{head}\n    {line}", flush=True)
    print(f"{asked.count} from seed {asked.seed}: {wrong} wrong or stopped")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
