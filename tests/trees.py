"""Random trees with every joint in joint coordinates, and the same mechanisms in absolute ones."""

from typing import Any

import mechanisms
import numpy as np
from mechanisms import joint_block

from mbsim import registry
from mbsim.system.system import System

WITH_MOTIONS = {word: getattr(registry.leaf("joints", word), "MOTIONS", {}) for word in registry.names("joints")}
SPATIAL = [word for word, motions in WITH_MOTIONS.items() if 3 in motions]
PLANAR = [word for word, motions in WITH_MOTIONS.items() if 2 in motions]


def random_tree(
    seed: int, n: int, dimension: int = 3, floating: bool = False, words: list[str] | None = None, **rest: Any
) -> dict[str, Any]:
    """n bodies without symmetry; every joint's bodies in random order; loads of every kind."""
    rng = np.random.default_rng(seed)
    words = words or [word for word in (SPATIAL if dimension == 3 else PLANAR) if word != "free"]
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k in range(n):
        place = [round(float(x), 3) for x in rng.uniform(-1, 1, dimension) + 0.3 * k]
        if dimension == 3:
            moments = rng.uniform(0.2, 0.3, 3)
            bodies[f"b{k}"] = {
                "mass": float(rng.uniform(0.5, 2)),
                "inertia": [*map(float, moments), *map(float, rng.uniform(-0.04, 0.04, 3))],
                "position": place,
                "orientation": {"axis": [float(x) for x in rng.standard_normal(3)], "angle": float(rng.uniform(0, 3))},
            }
        else:
            bodies[f"b{k}"] = {
                "mass": float(rng.uniform(0.5, 2)), "inertia": float(rng.uniform(0.1, 0.3)), "position": place,
                "angle": float(rng.uniform(-2, 2)),
            }  # fmt: skip
        parent = "ground" if k == 0 else f"b{int(rng.integers(max(0, k - 3), k))}"
        word = "free" if k == 0 and floating else str(rng.choice([w for w in words if w != "fixed"] if k == n - 1 else words))
        pair = [parent, f"b{k}"]
        if rng.random() < 0.5:
            pair.reverse()
        block = joint_block(word, dimension)
        if "axis" in block:
            block["axis"] = [float(x) for x in rng.standard_normal(dimension)]
        if "axes" in block:
            a, b = rng.standard_normal((2, 3))
            block["axes"] = [[float(x) for x in axis] for axis in (a, np.cross(a, b))]
        if "pin" in block:
            block["pin"] = [float(x) for x in np.cross(block["axis"], rng.standard_normal(3))]
        if word == "helical":
            block["pitch"] = float(rng.uniform(-0.3, 0.3))
        joints[f"j{k}"] = block | {"bodies": pair, "at": [float(x) for x in rng.uniform(-1, 1, dimension) + 0.3 * k]}
    last = f"b{n - 1}"
    start = [0.1] * dimension if n == 1 else bodies["b0"]["position"]
    return {
        "name": f"tree {seed}",
        "dimension": dimension,
        "gravity": [0.3, -9.81, 0.5][:dimension],
        "coordinates": "joint",
        "bodies": bodies,
        "joints": joints,
        "forces": {
            "spring": {"type": "spring_damper", "bodies": ["b0", last] if n > 1 else ["ground", last],
                       "at": [start, bodies[last]["position"]],
                       "stiffness": 30, "damping": 0.6, "free_length": 0.3},
            "push": {"type": "force", "body": "b0", "at": [0.3] * dimension, "value": [1.0, -2.0, 0.5][:dimension]},
            "twist": {"type": "torque", "body": last, "value": 0.4 if dimension == 2 else [0.4, -0.1, 0.2]},
        },
        "simulation": {"end": 1.0},
    } | rest  # fmt: skip


def absolute(source: dict[str, Any]) -> dict[str, Any]:
    """The same mechanism in absolute coordinates."""
    return {key: value for key, value in source.items() if key != "coordinates"}


def bodies_state(made: System, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q and v of the bodies in absolute coordinates, from the rows of `frames` that a tree left."""
    from mbsim.kernels.rotations import quaternions

    f = frames[:-1]
    if made.dimension == 2:
        return f[:, [0, 1, 4]].reshape(-1), f[:, [5, 6, 7]].reshape(-1)
    q = np.concatenate([f[:, :3], quaternions(f[:, 3:12].reshape(-1, 3, 3))], axis=1)
    return q.reshape(-1), f[:, 12:18].reshape(-1)


def state(made: System, q: np.ndarray, rng: np.random.Generator) -> tuple[float, np.ndarray, np.ndarray]:
    return mechanisms.random_state(made, q, rng, 0.7)
