"""Two mechanisms in one model that do not know each other: each has to be as it is alone, however large, heavy and stiff the other is.

    python scripts/attack/side_by_side.py --count 100
    python scripts/attack/side_by_side.py --count 20 --seed 500 --joint    # in joint coordinates

The first is about a metre and a kilogram, the second 1e-4 to 1e4 times as large and 1e-8 to 1e8 times as heavy; both hang in springs, those
of the second up to 1e6 times as stiff for their size. What has to hold of both:

- `freedoms`: the counts of freedoms and of redundant rows are the sums;
- `equilibrium`: the positions of its bodies in equilibrium, to POSITION of its length, where both find it alone;
- `modes`: its eigenvalues about that state, to EIGENVALUE of each; those that are zero alone are zero beside the other;

Unsure are pairs of which one finds no equilibrium alone, or finds another one beside the other: there may be several. What rounding of A
to 13 digits changes in an eigenvalue alone is not held against it.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import yaml

sys.path.insert(0, str(Path(__file__).parent))
import families
import seeds

import mbsim
from mbsim import registry
from mbsim.diagnosis.equilibrium import equilibrium
from mbsim.diagnosis.redundancy import redundancy
from mbsim.model.load import load

POSITION, EIGENVALUE = 1e-6, 1e-5
Block = dict[str, Any]


def part(rng: np.random.Generator, family: str, seed: int, length: float, mass: float, stiff: float, flat: bool, coordinates: str) -> Block:
    """A mechanism of that size in springs to the ground, damped."""
    made = families.mechanism(family, seed)
    for name, body in list(made.bodies.items())[:3]:
        at = body["position"]
        away = np.array([rng.uniform(-1.0, 1.0), 0.0 if made.planar else rng.uniform(-1.0, 1.0), rng.uniform(0.5, 1.5)])
        made.spring(
            "ground", name, [at + away, at], stiffness=60.0 * stiff * rng.uniform(0.5, 2.0), damping=rng.uniform(0.5, 2.0) * np.sqrt(stiff)
        )
    turn = None if flat else families.placed(family, seed)["turn"]
    if turn is None and not flat:
        turn = np.eye(3)
    return yaml.safe_load(yaml.dump(made.block(coordinates, length, mass, turn)))  # type: ignore[no-any-return]


def beside(first: Block, second: Block) -> Block:
    """Both in one model; names of the second begin with `other_`."""
    names = {name: f"other_{name}" for kind in ("bodies", "joints", "forces") for name in second.get(kind, {})}
    made = dict(first)
    for kind in ("bodies", "joints", "forces"):
        made[kind] = dict(first.get(kind, {}))
        for name, block in second.get(kind, {}).items():
            entry = dict(block)
            if "bodies" in entry:
                entry["bodies"] = [names.get(body, body) for body in entry["bodies"]]
            made[kind][names[name]] = entry
    return made


def model(block: Block) -> Any:
    return mbsim.assemble(load(yaml.dump(block, sort_keys=False), registry, file="model.yaml"))


def coordinates_of(made: Any, q: np.ndarray) -> dict[str, float]:
    return dict(zip(made.system.coordinates, (float(x) for x in q), strict=True))


def farthest(alone: dict[str, float], together: dict[str, float], prefix: str, units: dict[str, str], length: float) -> tuple[float, str]:
    """The largest difference of coordinates, of the length of the part, and whose it is."""
    worst, of = 0.0, ""
    for name, value in alone.items():
        other = together[prefixed(name, prefix)]
        off = abs(value - other) / (length if units[name] == "m" else 1.0)
        if not off <= worst:
            worst, of = off, name
    return worst, of


def prefixed(name: str, prefix: str) -> str:
    return f"{name[:4]}{prefix}{name[4:]}" if name.startswith("der(") else f"{prefix}{name}"


def unmatched(alone: np.ndarray, together: np.ndarray, doubt: np.ndarray) -> tuple[float, np.ndarray]:
    """The largest relative distance of eigenvalues alone to those together, each taken once; and what of those together is left.

    `doubt` (N,): how far each is known alone."""
    left, worst = list(together), 0.0
    for value, known in zip(alone, doubt, strict=True):
        k = int(np.argmin([abs(value - other) for other in left]))
        off = abs(value - left[k])
        if value == 0.0:
            worst = max(worst, 0.0 if left[k] == 0.0 else np.inf)
        else:
            worst = max(worst, max(0.0, off - 10.0 * known) / abs(value))
        left.pop(k)
    return worst, np.array(left)


def judge(seed: int, settings: dict[str, Any], coordinates: str) -> str:
    rng = np.random.default_rng([seed, 20])
    flat = bool(rng.random() < 0.5)
    names = [name for name in families.FAMILIES if not flat or families.mechanism(name, 0).planar]
    blocks, lengths = [], []
    for k in range(2):
        length, mass = (1.0, 1.0) if k == 0 else (10.0 ** rng.uniform(-4, 4), 10.0 ** rng.uniform(-8, 8))
        stiff = 10.0 ** rng.uniform(0, 6) if k else 1.0
        blocks.append(part(rng, str(rng.choice(names)), int(rng.integers(1000)), length, mass, stiff, flat, coordinates))
        lengths.append(length)
    what = f"{blocks[0]['name']} beside {blocks[1]['name']} of {lengths[1]:.1e} m, "
    both = model(beside(*blocks))
    alone = [model(block) for block in blocks]
    found = [redundancy(made.system, 0.0, made.q) for made in (*alone, both)]
    if found[0].degrees_of_freedom + found[1].degrees_of_freedom != found[2].degrees_of_freedom:
        return f"freedoms: {what}{[one.degrees_of_freedom for one in found]}"
    balances: list[Any] = []
    for made in (*alone, both):
        try:
            balances.append(mbsim.equilibrium(made))
        except ValueError as error:
            balances.append(error)
    if any(isinstance(one, ValueError) for one in balances[:2]):
        return "unsure"
    if isinstance(balances[2], ValueError):
        return f"no equilibrium: {what}{balances[2]}"
    together = coordinates_of(both, balances[2].q)
    for k in range(2):
        units = dict(zip(alone[k].system.coordinates, alone[k].system.coordinate_units, strict=True))
        off, name = farthest(coordinates_of(alone[k], balances[k].q), together, "other_" * k, units, lengths[k])
        if not off <= POSITION:  # the way there is another one, and may end elsewhere: is that an equilibrium of the part alone?
            there = np.array([together[prefixed(other, "other_" * k)] for other in alone[k].system.coordinates])
            again = equilibrium(alone[k].system, 0.0, there)
            off, name = farthest(coordinates_of(alone[k], again.q), together, "other_" * k, units, lengths[k])
            return f"equilibrium: {what}{name} of part {k} is {off:.1e} off" if not off <= POSITION else "unsure"
    values = [eigenvalues(made) for made in (*alone, both)]
    left = values[2][0]
    for k in range(2):
        off, left = unmatched(*values[k][:1], left, values[k][1])
        if not off <= EIGENVALUE:
            return f"modes: {what}part {k} is {off:.1e} off; alone {np.round(values[k][0], 6)}, together {values[2][0]}"
    return "right"


def eigenvalues(made: Any) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues, and how far they are known: what those of A with entries changed by 1e-13 differ."""
    found = mbsim.modes(made, "equilibrium")
    values = np.asarray(found.eigenvalues)
    rng = np.random.default_rng(0)
    doubt = np.zeros(values.shape)
    for _ in range(3):
        near = np.linalg.eigvals(found.A * (1.0 + 1e-13 * rng.standard_normal(found.A.shape)))
        for i, value in enumerate(values):
            doubt[i] = max(doubt[i], np.abs(near - value).min())
    return values, doubt


def main() -> None:
    asked = seeds.command(__doc__, {"joint": "in joint coordinates"})
    seeds.judge_all(asked, 1.0, lambda seed, settings, agrees: judge(seed, settings, "joint" if asked.joint else "absolute"))


if __name__ == "__main__":
    main()
