"""The command line of harnesses that draw by seed, march by any method, and compare with an oracle."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

SECOND_ORDER = ("generalized_alpha", "rattle")  # compared as runs of equal steps are
TIGHT = {"rtol": 1e-10, "atol": 1e-11}


def command(doc: str | None, options: dict[str, str]) -> argparse.Namespace:
    """What was typed. `options`: flags of this harness, and what they mean."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--method", default=None)
    parser.add_argument("--integrator", default=None)
    parser.add_argument("--step", type=float, default=None)
    for name, meaning in options.items():
        parser.add_argument(f"--{name}", action="store_true", help=meaning)
    return parser.parse_args()


def judge_all(asked: argparse.Namespace, agrees: float, judge: Callable[[int, dict[str, Any], float], str]) -> None:
    """Judge each seed, print what is neither right nor unsure and the counts, and leave with 1 where one is wrong or stopped."""
    settings = {name: getattr(asked, name) for name in ("method", "integrator", "step") if getattr(asked, name)}
    coarse = asked.step or asked.method in SECOND_ORDER
    found: Counter[str] = Counter()
    for seed in range(asked.seed, asked.seed + asked.count):
        verdict = judge(seed, settings | ({} if coarse else TIGHT), agrees * (1e3 if coarse else 1.0))
        found[verdict.partition(":")[0]] += 1
        if verdict not in ("right", "unsure"):
            print(f"{seed}: {verdict}", flush=True)
    print(f"{asked.count} from seed {asked.seed}: " + ", ".join(f"{count} {word}" for word, count in found.most_common()))
    sys.exit(1 if found["wrong"] or found["stopped"] else 0)
