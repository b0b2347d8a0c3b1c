"""Derivatives of random models, with and without laws that switch, by direct differentiation and by differences.

    python scripts/attack/sensitivities.py           # 200 models
    python scripts/attack/sensitivities.py --quick   # two of each family

Each model is one of FAMILIES with random numbers; two of these vary. The reference is Ridders' extrapolation of central differences of runs
at rtol 1e-12. What has to hold of every derivative:

- `right`: the two differ by no more than SAID times the errors that both state, or by TOLERANCE of the derivative;
- `refused`: direct differentiation gives no number and names the law, the time and why;
- `undecided`, which is allowed: the differences are known to less than KNOWN, as where they reach over a grazing motion;
- `wrong`, `error`: anything else, and the script exits with 1.
"""

import argparse
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import yaml

from mbsim.model.file.positions import read
from mbsim.studies.runner.direct import Direct, DirectError
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.sensitivities import ridders

FULL, QUICK = 200, 2  # models; of each family
TOLERANCE, SAID, KNOWN = 1e-5, 10.0, 1e-3
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
FIRST = (0.02, 0.002, 2e-4)  # of the size of what varies: the largest of the steps of the differences
RIGHT, REFUSED, UNDECIDED, WRONG, ERROR = "right", "refused", "undecided", "wrong", "error"
Numbers = dict[str, float]


class Finding(NamedTuple):
    """What one derivative came to."""

    family: str
    seed: int
    verdict: str
    detail: str


def slider(numbers: Numbers, force: dict[str, Any], end: float, **more: Any) -> dict[str, Any]:
    """A mass that falls along a vertical guide."""
    return {
        "dimension": 2, "gravity": [0, -9.81], "parameters": numbers,
        "bodies": {"b": {"mass": 1, "inertia": 0.1, "position": [0, 1]}},
        "joints": {"r": {"type": "prismatic", "bodies": ["ground", "b"], "at": [0, 1], "axis": [0, 1]}},
        "forces": {"l": force}, "measures": {"h": "b.y", "u": "b.velocity.y"}, "simulation": {"end": end}, **more,
    }  # fmt: skip


def pendulum(numbers: Numbers, end: float, **more: Any) -> dict[str, Any]:
    """A pendulum of length a that starts level."""
    return {
        "dimension": 2, "gravity": [0, -9.81], "parameters": numbers,
        "bodies": {"b": {"mass": "m", "inertia": 0.02, "position": ["a", 0]}},
        "joints": {"r": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0]}},
        "measures": {"h": "b.y", "u": "b.angular_velocity"}, "simulation": {"end": end}, **more,
    }  # fmt: skip


def law(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A force with a step at a height."""
    numbers = {"p": rng.uniform(0.2, 0.8), "F": rng.uniform(5, 40)}
    force = {"type": "force", "body": "b", "value": [0, "F*step(1 - p - b.y)"]}
    return slider(numbers, force, rng.uniform(0.5, 0.9)), ["p", "F"]


def stop(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """An end stop whose damper begins with a jump, or over a depth."""
    numbers = {"p": rng.uniform(0.2, 0.8), "k": rng.uniform(200, 2000), "c": rng.uniform(0, 30), "e": rng.choice([0.0, 0.01, 0.05])}
    force = {"type": "joint_limit", "joint": "r", "lower": "-p", "stiffness": "k", "damping": "c", "depth": "e"}
    return slider(numbers, force, rng.uniform(0.4, 1.5)), ["p", str(rng.choice(["k", "c"]))]


def bounce(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A disk that falls on a floor, with friction."""
    numbers = {"y": rng.uniform(0.2, 0.6), "k": rng.uniform(2000, 9000), "c": rng.uniform(0, 0.3), "mu": rng.uniform(0.05, 0.4)}
    contact = {"type": "contact", "body": "b", "radius": 0.1, "normal": [0, 1], "stiffness": "k", "damping": "c"}
    block = {
        "dimension": 2, "gravity": [0, -9.81], "parameters": numbers,
        "bodies": {"b": {"mass": 1, "inertia": 0.005, "position": [0, "y"]}},
        "forces": {"f": contact | {"friction": "mu", "transition_speed": 0.1, "exponent": float(rng.choice([1.0, 1.5]))}},
        "initial": {"b.velocity": [rng.uniform(0.2, 1.0), 0.0]}, "measures": {"h": "b.y", "u": "b.angular_velocity"},
        "simulation": {"end": rng.uniform(0.3, 0.9)},
    }  # fmt: skip
    return block, ["y", str(rng.choice(["k", "mu"]))]


def servo(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A pendulum under a controller that saturates."""
    numbers = {"m": 1.0, "a": rng.uniform(0.3, 0.8), "g": rng.uniform(20, 80), "w": rng.uniform(0.3, 1.5)}
    limit = float(rng.uniform(3, 12))
    pid = {"type": "pid", "joint": "r", "kp": "g", "kd": 4.0, "ki": rng.uniform(1, 30), "target": "w*t", "limit": [-limit, limit]}
    return pendulum(numbers, rng.uniform(0.5, 2.0), controllers={"s": pid}), ["g", "w"]


def corners(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A spring by a table with straight lines, in joint coordinates."""
    numbers = {"m": rng.uniform(0.5, 2), "a": rng.uniform(0.3, 0.8), "g": rng.uniform(0.5, 3)}
    points = [[-9, 12], [-1.2, 4], [-0.5, rng.uniform(-1, 1)], [0.4, 0], [9, -20]]
    torque = {"type": "joint_torque", "joint": "r", "value": "g*spring(r.angle)"}
    table = {"spring": {"points": points, "interpolation": "linear"}}
    return pendulum(numbers, rng.uniform(0.5, 3.0), coordinates="joint", forces={"k": torque}, tables=table), ["a", "g"]


def smooth(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A pendulum without switches, for a longer time."""
    numbers = {"m": rng.uniform(0.5, 2), "a": rng.uniform(0.3, 0.8), "c": rng.uniform(0, 0.05)}
    friction = {"type": "joint_friction", "joint": "r", "viscous": "c"}
    return pendulum(numbers, rng.uniform(2, 20), forces={"k": friction}), ["a", "c"]


LAW = (
    "-k*x + F*step(x - s)*A - B*abs(der(x))*der(x) + C*max(-0.4, min(0.4, y - x)) + D*pulse(t - s, w)"
    " + E*if_else(der(y) > s - 0.3, 1, -0.5) + G*step(y, -0.2, 0, 0.3, 1) + H*abs(y - s) - 0.3*der(x)"
)


def own(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """Two oscillators in the user's own coordinates, with all functions that switch; most of them have no weight in one model."""
    numbers = {"k": rng.uniform(5, 60), "F": rng.uniform(1, 9), "s": rng.uniform(0.1, 0.5), "w": rng.uniform(0.02, 0.5)}
    weights = dict.fromkeys("ABCDEGH", 0.0)
    for name in rng.choice(list(weights), rng.integers(1, 4), replace=False):
        weights[str(name)] = float(rng.uniform(0.5, 4.0))
    block = {
        "parameters": numbers | weights, "coordinates": ["x", "y"],
        "energy": {"kinetic": "der(x)^2/2 + der(y)^2 + 0.2*der(x)*der(y)*cos(x - y)", "potential": "10*y^2 + 4*(x - y)^2"},
        "forces": {"f": {"type": "generalized", "coordinate": "x", "value": LAW}},
        "initial": {"x": rng.uniform(-1, 1), "y": rng.uniform(-1, 1)}, "measures": {"h": "x", "u": "der(y)"},
        "simulation": {"end": rng.uniform(0.8, 4.0)},
    }  # fmt: skip
    return block, ["s", str(rng.choice(["k", "F"]))]


def driven(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A four-bar with a torque that a moment switches."""
    numbers = {"T": rng.uniform(5, 30), "t1": rng.uniform(0.05, 0.3), "b": rng.uniform(1.6, 2.0)}
    block = {
        "dimension": 2, "gravity": [0, -9.81], "parameters": numbers,
        "bodies": {
            "crank": {"mass": 1, "inertia": 0.1, "position": [0, 0.5]},
            "coupler": {"mass": 2, "inertia": 0.4, "position": [1, "(1 + b)/2"]},
            "rocker": {"mass": 1.5, "inertia": 0.3, "position": [2, "b/2"]},
        },
        "joints": {
            "A": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"type": "revolute", "bodies": ["crank", "coupler"], "at": [0, 1]},
            "C": {"type": "revolute", "bodies": ["coupler", "rocker"], "at": [2, "b"]},
            "D": {"type": "revolute", "bodies": ["ground", "rocker"], "at": [2, 0]},
        },
        "forces": {"k": {"type": "torque", "body": "crank", "value": "T*if_else(t < t1, 1, -0.5)"}},
        "measures": {"h": "rocker.angle", "u": "coupler.angular_velocity"}, "simulation": {"end": rng.uniform(0.3, 0.8)},
    }  # fmt: skip
    return block, ["t1", "b"]


def sticky(rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """A pendulum with friction that sticks, whose law has |x_dot|."""
    numbers = {"m": 1.0, "a": rng.uniform(0.3, 0.8), "c": rng.uniform(0.05, 0.4)}
    friction = {"type": "bristle_friction", "joint": "r", "coulomb": "c", "stiffness": 20.0, "damping": 0.5}
    return pendulum(numbers, rng.uniform(0.4, 1.5), forces={"k": friction}), ["a", "c"]


FAMILIES = (law, stop, bounce, servo, corners, smooth, own, driven, sticky)
OUTPUTS = {"h": "final(h)", "u": "final(u)"}


def judge(family: Any, seed: int) -> Iterator[Finding]:
    """The findings of one model."""
    block, vary = family(np.random.default_rng([seed, FAMILIES.index(family)]))
    text = yaml.safe_dump({"name": "model", **_plain(block)}, sort_keys=False)
    document = read(text, "model.yaml")
    try:
        runner = Runner(document, vary, OUTPUTS)
        found = Direct(runner)(runner.base)
    except DirectError as error:
        yield Finding(family.__name__, seed, REFUSED, str(error))
        return
    except Exception as error:
        yield Finding(family.__name__, seed, ERROR, f"{type(error).__name__}: {error}")
        return
    tight = Runner(document, vary, OUTPUTS, simulation=TIGHT)
    for k, name in enumerate(vary):
        values, errors = reference(tight, k)
        for j, output in enumerate(OUTPUTS):
            mine, said = found.jacobian[j, k], found.errors[j, k]
            apart, known = abs(mine - values[j]), errors[j]
            size = max(abs(values[j]), abs(found.values[j]) / abs(runner.base[k]) * 1e-2)
            verdict = RIGHT if apart <= max(SAID * (said + known), TOLERANCE * size) else WRONG
            if not known <= KNOWN * size:
                verdict = UNDECIDED
            yield Finding(
                family.__name__, seed, verdict, f"{output} by {name}: {mine:.9g} +- {said:.1g}, differences {values[j]:.9g} +- {known:.1g}"
            )


def reference(runner: Runner, k: int) -> tuple[list[float], list[float]]:
    """The derivatives of all outputs by number k, and their errors: of the first steps those that know most."""
    base, best = runner.base, ([np.nan] * len(OUTPUTS), [np.inf] * len(OUTPUTS))
    for first in FIRST:
        steps = first * abs(base[k]) / 1.4 ** np.arange(9)
        ends = np.array([[runner.run(base + sign * h * np.eye(len(base))[k]).values for sign in (1.0, -1.0)] for h in steps])
        for j in range(len(OUTPUTS)):
            value, error, _ = ridders((ends[:, 0, j] - ends[:, 1, j]) / (2.0 * steps), steps, 1e-11)
            if error < best[1][j]:
                best[0][j], best[1][j] = value, error
    return best


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    return [_plain(x) for x in value] if isinstance(value, list) else value.item() if isinstance(value, np.generic) else value


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two models of each family")
    parser.add_argument("--models", type=int, default=FULL)
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="of the first model")
    parser.add_argument("--family", choices=[family.__name__ for family in FAMILIES])
    given = parser.parse_args()
    families = [family for family in FAMILIES if given.family in (None, family.__name__)]
    count, told = QUICK * len(families) if given.quick else given.models, Counter[tuple[str, str]]()
    done = 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what is ended says how far it came
    with suppress(KeyboardInterrupt):
        for i in range(count):
            for finding in judge(families[i % len(families)], given.first + i // len(families)):
                told[finding.family, finding.verdict] += 1
                if finding.verdict != RIGHT:
                    print(f"{finding.verdict:9} {finding.family} {finding.seed}: {finding.detail}", flush=True)
            done += 1
    for family in families:
        print(f"{family.__name__:8}", *(f"{told[family.__name__, v]:4} {v}" for v in (RIGHT, REFUSED, UNDECIDED, WRONG, ERROR)))
    bad = sum(told[family.__name__, verdict] for family in families for verdict in (WRONG, ERROR))
    print(f"{done} models, {sum(told.values())} findings: {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
