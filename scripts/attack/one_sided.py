"""Equilibria with one-sided forces and gaps: end stops, contacts, ropes and springs with slack on random chains in the plane.

    python scripts/attack/one_sided.py                  # 300 chains
    python scripts/attack/one_sided.py --first 1000 --count 20

One to four bodies hang on each other by pins and slides. The oracle is a potential in plain NumPy that shares no code with mbsim. Of an
answer it asks that the potential has no slope there and bends upwards. Where there is none, or an unstable one, it creeps downhill from the
start itself, and a minimum that it comes to is `missed`. A chain that creeps away without end has none and counts as `none`.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import yaml
from scipy.optimize import minimize

import mbsim
from mbsim import registry
from mbsim.model.load import load

FULL = 300
G, FAR = 9.81, 30.0  # m/s^2; rad and m
SLOPE = 1e-5  # of the weight, N and N m: what differences of the potential leave of its slope
APART = 1e-7  # rad and m, from the minimum: stiff stops have a slope there
BENDS = -1e-3  # of the largest curvature
GOOD = ("right", "none")
Floats = np.ndarray
Energy = Callable[[Floats, Floats, Floats], float]  # of the coordinates, and of where the bodies begin and end


class Finding(NamedTuple):
    """What one search came to."""

    seed: int
    verdict: str
    detail: str


class Chain:
    """Bodies whose coordinates x (n,) are turns and slides against the body before; `energies` are functions of their poses and x."""

    def __init__(self, kinds: list[str], lengths: Floats, angles: Floats, masses: Floats) -> None:
        self.kinds, self.lengths, self.angles, self.masses = kinds, lengths, angles, masses
        self.energies: list[Energy] = []

    def poses(self, x: Floats) -> tuple[Floats, Floats]:
        """Where each body begins (n, 2), and its angle (n,)."""
        at, turned, starts, angles = np.zeros(2), 0.0, [], []
        for i, kind in enumerate(self.kinds):
            angle = self.angles[i] + turned + (x[i] if kind == "revolute" else 0.0)
            turned = angle - self.angles[i]
            along = np.array([np.cos(angle), np.sin(angle)])
            at = at + (x[i] * along if kind == "prismatic" else 0.0)
            starts.append(at)
            angles.append(angle)
            at = at + self.lengths[i] * along
        return np.array(starts), np.array(angles)

    def potential(self, x: Floats) -> float:
        starts, angles = self.poses(x)
        along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        tips = starts + self.lengths[:, None] * along
        weight = G * float(self.masses @ (0.5 * (starts + tips))[:, 1])
        return weight + sum(energy(x, starts, tips) for energy in self.energies)

    def slope(self, x: Floats, h: float = 1e-7) -> Floats:
        return np.array([(self.potential(x + d) - self.potential(x - d)) / (2.0 * h) for d in h * np.eye(len(x))])

    def bending(self, x: Floats, h: float = 1e-5) -> Floats:
        rows = np.array([(self.slope(x + d, h) - self.slope(x - d, h)) / (2.0 * h) for d in h * np.eye(len(x))])
        bent: Floats = 0.5 * (rows + rows.T)
        return bent


def one_sided(stiffness: float, exponent: float) -> Callable[[float], float]:
    return lambda depth: stiffness * max(depth, 0.0) ** (exponent + 1.0) / (exponent + 1.0)


def between(i: int, lower: float, upper: float, push: Callable[[float], float]) -> Energy:
    return lambda x, starts, tips: push(x[i] - upper) + push(lower - x[i])


def above(i: int, height: float, push: Callable[[float], float]) -> Energy:
    return lambda x, starts, tips: push(height - tips[i, 1])


def within(i: int, hook: Floats, length: float, pull: Callable[[float], float]) -> Energy:
    return lambda x, starts, tips: pull(float(np.linalg.norm(tips[i] - hook)) - length)


def drawn(seed: int) -> tuple[dict[str, Any], Chain]:
    """A model block and its chain."""
    rng = np.random.default_rng([7, seed])
    n = int(rng.integers(1, 5))
    kinds = ["prismatic" if rng.uniform() < 0.25 else "revolute" for _ in range(n)]
    lengths, masses = rng.uniform(0.3, 1.0, n), rng.uniform(0.3, 3.0, n)
    chain = Chain(kinds, lengths, rng.uniform(-np.pi, np.pi, n), masses)
    starts, angles = chain.poses(np.zeros(n))
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    tips = starts + lengths[:, None] * along
    bodies, joints, forces = {}, {}, {}

    def stiffness() -> float:
        return float(10.0 ** rng.uniform(1.0, 6.0))

    for i in range(n):
        inertia = float(masses[i] * lengths[i] ** 2 / 12.0)
        position = (0.5 * (starts[i] + tips[i])).tolist()
        bodies[f"b{i}"] = {"mass": float(masses[i]), "inertia": inertia, "position": position, "angle": float(angles[i])}
        pair = ["ground" if i == 0 else f"b{i - 1}", f"b{i}"]
        joints[f"j{i}"] = {"type": kinds[i], "bodies": pair, "at": starts[i].tolist()}
        if kinds[i] == "prismatic":
            joints[f"j{i}"]["axis"] = along[i].tolist()
        kind = rng.choice(["limit", "slack", "none"], p=[0.5, 0.3, 0.2])
        lower, upper = -float(rng.uniform(0.02, 1.0)), float(rng.uniform(0.02, 1.0))
        k, e = stiffness(), float(rng.choice([1.0, 1.5, 2.0]))
        if kind == "limit":
            forces[f"stop{i}"] = {"type": "joint_limit", "joint": f"j{i}", "lower": lower, "upper": upper, "stiffness": k, "exponent": e}
        elif kind == "slack":
            e, word = 1.0, "angle" if kinds[i] == "revolute" else "displacement"
            law = f"{k}*max({word} - ({upper}), 0) - {k}*max({lower} - {word}, 0)"
            spring = "rotational_spring_damper" if kinds[i] == "revolute" else "translational_spring_damper"
            forces[f"slack{i}"] = {"type": spring, "joint": f"j{i}", "value": law}
        if kind != "none":
            push = one_sided(k, e)
            chain.energies.append(between(i, lower, upper, push))
    for c in range(int(rng.integers(0, 3))):
        i, k, e = int(rng.integers(n)), stiffness(), float(rng.choice([1.0, 1.5]))
        if rng.uniform() < 0.5:
            height = float(tips[i, 1] - rng.uniform(-0.05, 0.8))
            forces[f"floor{c}"] = {"type": "contact", "body": f"b{i}", "at": tips[i].tolist(), "through": [0.0, height], "normal": [0, 1],
                                   "stiffness": k, "exponent": e}  # fmt: skip
            push = one_sided(k, e)
            chain.energies.append(above(i, height, push))
        else:
            hook = tips[i] + rng.uniform(-1.5, 1.5, 2)
            length = float(np.linalg.norm(tips[i] - hook) + rng.uniform(-0.1, 0.6))
            forces[f"rope{c}"] = {"type": "spring_damper", "bodies": ["ground", f"b{i}"], "at": [hook.tolist(), tips[i].tolist()],
                                  "value": f"{k}*max(length - {length}, 0)"}  # fmt: skip
            pull = one_sided(k, 1.0)
            chain.energies.append(within(i, hook, length, pull))
    block = {"name": f"chain {seed}", "dimension": 2, "gravity": [0.0, -G], "coordinates": str(rng.choice(["absolute", "joint"]))}
    return {**block, "bodies": bodies, "joints": joints, "forces": forces, "simulation": {"end": 1.0}}, chain


def crept(chain: Chain) -> Floats | None:
    """The minimum downhill from the start, None where the chain goes away."""
    x = np.zeros(len(chain.kinds))
    for _ in range(6):
        x = np.asarray(minimize(chain.potential, x, method="BFGS", jac=chain.slope, options={"gtol": 1e-9}).x)
        if np.abs(x).max() > FAR:
            return None
    return x


def is_minimum(chain: Chain, x: Floats, scale: float) -> tuple[bool, str]:
    """Whether the potential has no slope at x and does not bend downwards; and the two figures."""
    r, K = chain.slope(x), chain.bending(x)
    slope, apart = float(np.abs(r).max()) / scale, float(np.abs(np.linalg.lstsq(K, r, rcond=1e-9)[0]).max())
    bends = np.linalg.eigvalsh(K)
    least = float(bends[0] / max(abs(bends[-1]), scale))
    return (slope < SLOPE or apart < APART) and least > BENDS, f"slope {slope:.1e}, {apart:.1e} off, bending {least:.1e}"


def judge(seed: int) -> Finding:
    """Search the equilibrium of a chain and hold it against the potential."""
    block, chain = drawn(seed)
    scale = G * float(chain.masses.sum())
    about = f"{block['coordinates']}, {' '.join(chain.kinds)}, {' '.join(block['forces'])}"
    try:
        made = mbsim.assemble(load(yaml.dump(block, sort_keys=False), registry, file="model.yaml"))
        found = mbsim.equilibrium(made)
    except ValueError as error:
        x = crept(chain)
        there = x is not None and is_minimum(chain, x, scale)[0]
        return Finding(seed, "missed" if there else "none", f"{about}; {error}")
    except Exception as error:
        return Finding(seed, "error", f"{about}; {type(error).__name__}: {error}")
    result = found.to_result()
    position = result["body_position"][0]
    x, at, before = np.zeros(len(chain.kinds)), np.zeros(2), 0.0
    whole = dict(zip(made.system.coordinates, found.q, strict=False))
    for i, kind in enumerate(chain.kinds):
        angle = whole.get(f"b{i}.angle", 0.0)
        if block["coordinates"] == "joint":
            x[i] = whole[f"j{i}.{'angle' if kind == 'revolute' else 'displacement'}"]
            continue
        turned = float(angle) - float(chain.angles[i])
        along = np.array([np.cos(angle), np.sin(angle)])
        start = position[i, :2] - 0.5 * chain.lengths[i] * along
        x[i] = turned - before if kind == "revolute" else float((start - at) @ along)
        before, at = turned, start + chain.lengths[i] * along
    good, figures = is_minimum(chain, x, scale)
    if not found.stable:
        x_o = crept(chain)
        there = x_o is not None and is_minimum(chain, x_o, scale)[0]
        return Finding(seed, "missed" if there else "none", f"{about}; unstable: {figures}")
    return Finding(seed, "right" if good else "wrong", f"{about}; {figures}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=FULL, help="chains")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    given = parser.parse_args()
    counted: Counter[str] = Counter()
    began = time.monotonic()
    try:
        for seed in range(given.first, given.first + given.count):
            finding = judge(seed)
            counted[finding.verdict] += 1
            if finding.verdict not in GOOD:
                print(*finding, flush=True)
    except KeyboardInterrupt:
        pass
    print(f"{counted.total()} chains in {time.monotonic() - began:.0f} s: {dict(counted)}")
    return 1 if counted.keys() - set(GOOD) else 0


if __name__ == "__main__":
    sys.exit(main())
