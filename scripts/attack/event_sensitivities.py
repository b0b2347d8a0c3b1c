"""Derivatives through events against differences of runs, over random models.

    python scripts/attack/event_sensitivities.py [--count 200] [--seed 0]

Models are two coupled oscillators in coordinates of their own, and a double pendulum with constraints. Events set the state, switch a
drive, lock and unlock, record and stop; some wait, some happen once. What varies moves the start, the laws, where events happen, what they
set and how long they wait. Differences are central ones with two steps, extrapolated; where other events happen beside the model, nothing
is known.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import yaml

from mbsim.model.file.positions import read
from mbsim.studies.runner.direct import Direct, DirectError
from mbsim.studies.runner.runner import Runner

KINDS = ("back", "shift", "drive", "lock", "record", "free", "stop")
END = 3.0  # s
STEP = 2e-4  # of the size of what varies, and half of it
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
AGREES, KNOWN = 2e-5, 1e-2  # of a derivative: what differences may be off by, and their own error at most
RIGHT, REFUSED, UNDECIDED, WRONG, ERROR = "right", "refused", "undecided", "wrong", "error"


class Finding(NamedTuple):
    """What became of one derivative, or of a model."""

    verdict: str
    detail: str


def drawn(seed: int) -> tuple[dict[str, Any], list[str], dict[str, str]]:
    """A random model, what varies, and its outputs."""
    rng = np.random.default_rng([seed, 33])
    kind = KINDS[seed % len(KINDS)]
    return pendulum(rng, kind) if seed % 4 == 3 else oscillators(rng, kind)


def _event(rng: np.random.Generator, when: str, do: Any, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {"when": when, "direction": str(rng.choice(["up", "down", "any"])), "do": do}
    if rng.random() < 0.3:
        found["after"] = "wait"
    if kind in ("shift", "drive") or rng.random() < 0.2:
        found["once"] = bool(rng.random() < 0.5)
    return found


def oscillators(rng: np.random.Generator, kind: str) -> tuple[dict[str, Any], list[str], dict[str, str]]:
    """Two masses on springs with damping and a drive."""
    do: Any = {
        "back": {"set": {"der(x)": "-by*der(x)"}}, "shift": {"set": {"y": "y + by*x", "der(x)": "by*der(x)"}},
        "drive": {"switch": {"F": "-by*F + x"}}, "lock": {"lock": ["rod"]}, "free": {"unlock": ["rod"]},
    }.get(kind, kind)  # fmt: skip
    numbers = {
        "k": rng.uniform(4.0, 30.0), "kc": rng.uniform(0.5, 5.0), "c": rng.uniform(0.0, 0.3), "F": rng.uniform(0.5, 4.0),
        "w": rng.uniform(0.5, 4.0), "d": rng.uniform(-0.5, 0.5), "b": rng.uniform(-0.2, 0.2), "by": rng.uniform(0.3, 0.9),
        "wait": rng.uniform(0.05, 0.4), "x0": rng.uniform(-1.0, 1.0), "v0": rng.uniform(-2.0, 2.0),
    }  # fmt: skip
    model: dict[str, Any] = {
        "name": "model", "coordinates": ["x", "y"], "parameters": {name: float(value) for name, value in numbers.items()},
        "energy": {"kinetic": "der(x)^2/2 + der(y)^2/2", "potential": "k*x^2/2 + k*y^2/3 + kc*(x - y)^2/2", "dissipation": "c*der(x)^2/2"},
        "forces": {"drive": {"type": "generalized", "coordinate": "y", "value": "F*cos(w*t)"}},
        "initial": {"x": "x0", "y": "by*x0", "der(x)": "v0", "fix": ["x", "der(x)"]},
        "events": {
            "e": _event(rng, "x + b*der(y) + 0.1*t + d", do, kind),
            "seen": {"when": "y - 0.05", "direction": "up"} | _back(kind, "rod"),
        },
        "simulation": {"end": END},
    }  # fmt: skip
    if kind in ("lock", "free"):
        model["constraints"] = {"rod": {"type": "holonomic", "equation": "y - by*x", "locked": kind == "free"}}
    return model, ["k", "d", "by", "x0", "wait"], _outputs("x", "y", kind)


def pendulum(rng: np.random.Generator, kind: str) -> tuple[dict[str, Any], list[str], dict[str, str]]:
    """Two rods with constraints, a torque at the first pin."""
    do: Any = {
        "back": {"set": {"der(upper.angle)": "-by*der(upper.angle)"}}, "shift": {"set": {"lower.angle": "lower.angle - 0.2*by"}},
        "drive": {"switch": {"F": "-by*F"}}, "lock": {"lock": ["stiff"]}, "free": {"unlock": ["motor"]},
    }.get(kind, kind)  # fmt: skip
    numbers = {
        "l": rng.uniform(0.6, 1.2), "m": rng.uniform(0.5, 2.0), "F": rng.uniform(1.0, 4.0), "d": rng.uniform(0.8, 1.8),
        "by": rng.uniform(0.3, 0.9), "wait": rng.uniform(0.05, 0.3), "a0": rng.uniform(-1.0, 0.5),
    }  # fmt: skip
    model: dict[str, Any] = {
        "name": "model", "dimension": 2, "gravity": [0, -9.81], "parameters": {name: float(value) for name, value in numbers.items()},
        "ground": {"points": {"O": [0, 0]}},
        "bodies": {
            "upper": {"mass": "m", "inertia": "m*l^2/12", "points": {"A": ["-l/2", 0], "B": ["l/2", 0]}},
            "lower": {"mass": 1, "inertia": 0.1, "points": {"B": [-0.5, 0]}},
        },
        "joints": {
            "pin": {"type": "revolute", "points": ["ground.O", "upper.A"]},
            "knee": {"type": "revolute", "points": ["upper.B", "lower.B"]},
        },
        "forces": {"drive": {"type": "torque", "body": "upper", "value": "F*cos(2*t)"}},
        "initial": {"upper.angle": "a0", "lower.angle": "a0 - 0.4", "fix": ["upper.angle", "lower.angle"]},
        "events": {
            "e": _event(rng, "upper.angle + d", do, kind),
            "seen": {"when": "der(lower.angle)", "direction": "up"} | _back(kind, "stiff" if kind == "lock" else "motor"),
        },
        "simulation": {"end": 0.5 * END},
    }  # fmt: skip
    if kind == "lock":
        model["joints"]["stiff"] = {"type": "fixed", "points": ["upper.B", "lower.B"], "locked": False}
    if kind == "free":
        model["drivers"] = {"motor": {"joint": "pin", "angle": "a0 - by*t"}}
    return model, ["l", "d", "by", "a0", "wait"], _outputs("upper.angle", "lower.angle", kind)


def _back(kind: str, name: str) -> dict[str, Any]:
    """What the second event does: it undoes what the first one locks or unlocks."""
    return {"do": {"unlock" if kind == "lock" else "lock": [name]}} if kind in ("lock", "free") else {}


def _outputs(first: str, second: str, kind: str) -> dict[str, str]:
    ends = {"end": "final(t)"} if kind == "stop" else {}
    return {"first": f"final({first})", "second": f"final(der({second}))", "work": "final(energy_work)", "when": "event_time(e)", **ends}


def judge(seed: int) -> Iterator[Finding]:
    """The findings of one model."""
    block, vary, outputs = drawn(seed)
    document = read(yaml.safe_dump(block, sort_keys=False), "model.yaml")
    try:
        runner = Runner(document, vary, {**outputs, "n": "event_count(e)", "m": "event_count(seen)"}, simulation=TIGHT)
        base = runner.run(runner.base)
        if base.failed:
            yield Finding(UNDECIDED, f"the run stops: {base.reason}")
            return
        some = {name: text for name, text in outputs.items() if np.isfinite(base.values[list(outputs).index(name)])}
        found = Direct(Runner(document, vary, some))(runner.base)
    except DirectError as error:
        yield Finding(REFUSED, str(error))
        return
    except Exception as error:
        yield Finding(ERROR, f"{type(error).__name__}: {error}")
        return
    for k, name in enumerate(vary):
        step = STEP * max(abs(runner.base[k]), 0.1)
        unit = np.eye(len(vary))[k]
        ends = [[runner.run(runner.base + sign * h * unit).values for sign in (1.0, -1.0)] for h in (step, 0.5 * step)]
        alike = all(np.array_equal(one[-2:], base.values[-2:]) for pair in ends for one in pair)
        coarse, fine = ((pair[0] - pair[1]) / (2.0 * h) for pair, h in zip(ends, (step, 0.5 * step), strict=True))
        best, known = (4.0 * fine - coarse) / 3.0, np.abs(fine - coarse)
        for j, output in enumerate(some):
            i = list(outputs).index(output)
            size = max(abs(best[i]), 1e-2 * abs(base.values[i]) / max(abs(runner.base[k]), 0.1), 1e-3)
            apart = abs(found.jacobian[j, k] - best[i])
            verdict = RIGHT if apart <= AGREES * size + known[i] + 3.0 * found.errors[j, k] else WRONG
            if not alike or not known[i] <= KNOWN * size:
                verdict = UNDECIDED
            yield Finding(verdict, f"{output} by {name}: {found.jacobian[j, k]:.9g}, differences {best[i]:.9g} +- {known[i]:.1g}")


def main() -> int:
    """Judge the models and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        for finding in judge(seed):
            counts[finding.verdict] += 1
            if finding.verdict in (WRONG, ERROR, REFUSED):
                print(f"{finding.verdict:9} {seed} {KINDS[seed % len(KINDS)]}: {finding.detail}", flush=True)
    print(f"{given.count} models: {', '.join(f'{count} {word}' for word, count in counts.most_common())}")
    return int(bool(counts[WRONG] or counts[ERROR]))


if __name__ == "__main__":
    sys.exit(main())
