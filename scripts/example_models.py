"""Model files of chains and trees of any size, as text: what the benchmarks march."""

from typing import Any

import numpy as np
import yaml


def planar_chain(links: int) -> str:
    """Slender links of 1 m and 1 kg on revolute joints hang from the ground; they start horizontal and at rest."""
    data = {
        "name": f"chain of {links} links",
        "dimension": 2,
        "gravity": [0.0, -9.81],
        "bodies": {f"link{k}": {"mass": 1.0, "inertia": 1.0 / 12.0, "position": [k + 0.5, 0.0]} for k in range(links)},
        "joints": {
            f"pin{k}": {"type": "revolute", "bodies": [f"link{k - 1}" if k else "ground", f"link{k}"], "at": [float(k), 0.0]}
            for k in range(links)
        },
        "simulation": {"end": 1.0, "step": 0.01},
    }
    return yaml.safe_dump(data, sort_keys=False)


def parent(shape: str, k: int, rng: np.random.Generator) -> int:
    """The body that body k of a tree hangs on; -1: the ground. `shape`: chain, binary tree, comb or random."""
    if k == 0:
        return -1
    if shape == "chain":
        return k - 1
    if shape == "binary tree":
        return (k - 1) // 2
    if shape == "comb":  # a chain of the even ones, a tooth on each
        return k - 2 if k % 2 == 0 else k - 1
    return int(rng.integers(max(0, k - 3), k))


def spatial_tree(shape: str, n: int, damping: float = 0.0, end: float = 10.0) -> str:
    """n bodies without symmetry on hinges with random axes, in joint coordinates; `damping` in N m s/rad."""
    rng = np.random.default_rng(n)
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k in range(n):
        inertia = [*rng.uniform(0.2, 0.3, 3), *rng.uniform(-0.03, 0.03, 3)]
        bodies[f"b{k}"] = {"mass": float(rng.uniform(0.5, 2)), "inertia": [float(x) for x in inertia], "position": [0.5 * k, 0, 0]}
        on = parent(shape, k, rng)
        joints[f"j{k}"] = {
            "type": "revolute", "bodies": ["ground" if on < 0 else f"b{on}", f"b{k}"],
            "at": [0.5 * k - 0.25, 0, 0], "axis": [float(x) for x in rng.standard_normal(3)],
        }  # fmt: skip
    forces = {f"d{k}": {"type": "joint_torque", "joint": f"j{k}", "value": f"-{damping}*der(j{k}.angle)"} for k in range(n)}
    source = {
        "gravity": [0, 0, -9.81], "coordinates": "joint", "bodies": bodies, "joints": joints, "forces": forces if damping else {},
        "simulation": {"end": end},
    }  # fmt: skip
    return yaml.safe_dump(source)
