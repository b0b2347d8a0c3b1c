"""Random bodies in space with contacts and dry friction: whether each row of their motions obeys the laws (`contact_audit.py`).

    python scripts/attack/random_spatial_contacts.py [--count 200] [--seed 0] [--method svd] [--integrator dop853] [--rolling] [--stones]

One to three balls, boxes, cylinders and capsules lie on, stand on or fly above planes of the ground and of each other; balls, boxes and
capsules, with `--stones` convex polyhedra, fall on each other; pins, balls and slides join some; gravity, springs and periodic forces act.
A run that stops with a name is right where it says that the motion has no one continuation: Painleve's paradox.
"""

import os
import time
from dataclasses import replace
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import contact_audit as audit
import contact_shapes as shapes
import numpy as np
from scipy.spatial.transform import Rotation
from seeds import command, judge_all

import mbsim
from mbsim.model.file.errors import ModelError

END, ROWS = 0.8, 400
BALANCE = 1e-6  # J
LONG = 60.0  # s
NAMED = ("solution", "Painleve")
BOXES = [np.array([i, j, k]) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
ENDS = (-1, 1)


def drawn(seed: int, rolling: bool = False, stones: bool = False) -> tuple[audit.Mechanism, dict[str, Any]]:
    """A random mechanism for the audit, and as mbsim reads it.

    `rolling`: most of what is round resists rolling and drilling; `stones`: most boxes are polyhedra in their place.
    """
    rough = np.random.default_rng([seed, 2])
    rng, beside = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    m = audit.Mechanism([])
    bodies, joints, contacts, forces = (dict[str, Any]() for _ in range(4))
    centres, turns, balls = list[np.ndarray](), list[Rotation](), dict[int, float]()
    solids, below_points = list[shapes.Solid | shapes.Stone | None](), list[np.ndarray]()
    for k in range(int(rng.integers(1, 4))):
        name = f"b{k}"
        kind = str(rng.choice(["sphere", "box", "cylinder", "capsule"], p=[0.3, 0.35, 0.2, 0.15]))
        lean = Rotation.from_rotvec([*rng.uniform(-0.5, 0.5, 2) * (rng.random() < 0.6), 0.0])
        normal = lean.apply([0.0, 0.0, 1.0])
        flat = rng.random() < 0.5
        turn = lean * Rotation.from_rotvec([0.0, 0.0, rng.uniform(-3.0, 3.0)])
        if kind in ("cylinder", "capsule") and flat:
            turn = turn * Rotation.from_rotvec([0.5 * np.pi, 0.0, 0.0])  # it lies on its side
        elif not flat or kind == "cylinder":
            turn = turn * Rotation.from_rotvec(rng.uniform(0.2, 1.2) * unit(rng.normal(size=3) * [1.0, 1.0, 0.3]))
        radius, half, size = float(rng.uniform(0.1, 0.3)), float(rng.uniform(0.05, 0.3)), rng.uniform(0.1, 0.5, 3)
        stone = stone_of(rough, size) if stones and kind == "box" and rough.random() < 0.8 else None
        law = law_of(rng)
        law_keys = {"friction": law.friction, "static": law.static, "restitution": law.restitution, "closing_speed": law.closing}
        if rolling and kind != "box":
            lengths = (10.0 ** beside.uniform(-4.0, -1.3, 2) * (beside.random(2) < 0.8)).tolist()
            law = replace(law, rolling=lengths[0], drilling=lengths[1])
            law_keys |= {"rolling_resistance": lengths[0], "drilling_resistance": lengths[1]}
        centre = np.array([1.2 * k, 0.0, 0.0]) + rng.uniform(-0.3, 0.3, 3)
        pair_with = k - 1 if kind == "sphere" and k - 1 in balls and rng.random() < 0.7 else None
        solid = None if kind == "cylinder" else stone or solid_of(kind, radius, half, size)
        below = solids[k - 1] if k and pair_with is None and rng.random() < 0.6 else None
        meets = None if solid is None or below is None or not (solid.half.any() or below.half.any()) else (below, solid)
        if pair_with is not None:
            away = unit(rng.normal(size=3))
            centre = centres[k - 1] + (balls[k - 1] + radius + float(rng.uniform(0.02, 0.2) * (rng.random() < 0.6))) * away
        elif meets:  # above, so that it falls on it
            tall = sum(float(np.linalg.norm(each.half)) + each.radius for each in meets)
            centre = centres[k - 1] + np.array([*rng.uniform(-0.1, 0.1, 2), tall + float(rng.uniform(0.01, 0.1))])
        mass, inertia = float(rng.uniform(0.5, 2.0)), rng.uniform(0.02, 0.03, 3)
        anchor = centre + rng.uniform(-1.0, 1.0, 3) + [0.0, 0.0, 2.0]
        spring, push = float(rng.uniform(1.0, 12.0) * (rng.random() < 0.3)), rng.uniform(-6.0, 6.0, 3) * (rng.random() < 0.3)
        beat = float(rng.uniform(1.0, 12.0))
        m.bodies.append(audit.Body(mass, inertia, anchor, spring, 1.0, push, beat))
        shape: dict[str, Any] = {"type": kind}
        if stone is not None:
            shape = {"type": "convex", "vertices": stone.points.tolist()}
        elif kind == "box":
            shape["size"] = size.tolist()
        else:
            shape |= {"radius": radius} | ({} if kind == "sphere" else {"length": 2.0 * half})
        joined = rng.random() < 0.3 and pair_with is None and not meets
        moving = float(rng.random() < 0.6 and not joined)
        w, x, y, z = turn.as_quat()[[3, 0, 1, 2]].tolist()
        bodies[name] = {
            "mass": mass, "inertia": inertia.tolist(), "position": centre.tolist(), "orientation": {"quaternion": [w, x, y, z]},
            "velocity": (moving * rng.uniform(-1.5, 1.5, 3)).tolist(), "angular_velocity": (moving * rng.uniform(-4.0, 4.0, 3)).tolist(),
            "shape": shape,
        }  # fmt: skip
        if push.any():
            forces[f"f{k}"] = {"type": "force", "body": name, "value": [f"{x!r}*sin({beat!r}*t)" for x in push.tolist()]}
        if spring:
            ends = [anchor.tolist(), centre.tolist()]
            forces[f"s{k}"] = {"type": "spring_damper", "bodies": ["ground", name], "at": ends, "free_length": 1.0, "stiffness": spring}
        centres.append(centre)
        turns.append(turn)
        if joined:
            first = k - 1 if k and rng.random() < 0.5 else audit.GROUND
            joint_of(rng, m, joints, f"j{k}", first, k, centres, turns)
        if kind == "sphere":
            balls[k] = radius
        if pair_with is not None:
            m.pairs.append(shapes.Balls(k - 1, k, law, np.zeros(3), balls[k - 1], np.zeros(3), radius))
            contacts[f"pair{k}"] = {"between": [f"b{k - 1}", name], **law_keys}
            law_keys = {"closing_speed": law.closing} | {key: x for key, x in law_keys.items() if key.endswith("resistance")}
            law = shapes.Law(closing=law.closing, rolling=law.rolling, drilling=law.drilling)
        elif meets:
            m.pairs += shapes.solid_pairs(k - 1, k, law, *meets)
            contacts[f"pair{k}"] = {"between": [f"b{k - 1}", name], **law_keys}
        solids.append(solid)
        parts = parts_of(kind, radius, half, size) if stone is None else [(corner, 0.0, None) for corner in stone.points]
        points = [touching(centre, turn, normal, *part) for part in parts]
        lowest = min(normal @ p for p in points) - float(rng.uniform(0.01, 0.3) * (rng.random() < 0.5))
        if meets:  # it falls from one on the other, and past it
            lowest = min(lowest, *(normal @ p for p in below_points))
        below_points = points
        first = k - 1 if k and kind != "cylinder" and rng.random() < 0.25 and pair_with is None and not (joined or meets) else audit.GROUND
        through = lowest * normal + np.cross(normal, rng.uniform(-0.5, 0.5, 3))
        back, origin = (Rotation.identity(), np.zeros(3)) if first == audit.GROUND else (turns[first].inv(), centres[first])
        for at, r, axis in parts:
            on = back.apply(through - origin), back.apply(normal)
            m.pairs.append(shapes.OnPlane(first, k, law, *on, at, r, axis))
            if axis is not None:  # what is at rest does not roll
                plain = replace(law, rolling=0.0, drilling=0.0)
                m.pairs += [shapes.OfEnd(first, k, plain, *on, point, 0.0, None, axis) for point in shapes.points_of_end(at, r)]
        plane = {"normal": normal.tolist(), "through": through.tolist()}
        contacts[f"plane{k}"] = {"bodies": [name, "ground" if first == audit.GROUND else f"b{first}"], "plane": plane, **law_keys}
    made = {"name": "drawn", "gravity": m.gravity.tolist(), "bodies": bodies, "joints": joints, "contacts": contacts, "forces": forces}
    return m, made | {"simulation": {"end": END, "output_step": END / ROWS}}


def unit(x: np.ndarray) -> np.ndarray:
    return np.asarray(x / np.linalg.norm(x))


def law_of(rng: np.random.Generator) -> shapes.Law:
    mu = float(rng.uniform(0.05, 0.9) * (rng.random() < 0.8))
    static = mu * float(rng.uniform(1.0, 1.3) if rng.random() < 0.3 else 1.0)
    return shapes.Law(mu, static, float(rng.uniform(0.1, 0.7) * (rng.random() < 0.4)), float(10.0 ** rng.uniform(-2.0, -0.7)))


def stone_of(rng: np.random.Generator, size: np.ndarray) -> shapes.Stone:
    """A polyhedron of 4 to 8 corners on an ellipsoid, its centre within it."""
    while True:
        away = rng.normal(size=(int(rng.integers(4, 9)), 3))
        stone = shapes.Stone(0.6 * size * away / np.linalg.norm(away, axis=1, keepdims=True))
        if (stone.planes()[1] > 0.15 * size.min()).all():
            return stone


def solid_of(kind: str, radius: float, half: float, size: np.ndarray) -> shapes.Solid:
    """A shape by which bodies touch each other."""
    if kind == "box":
        return shapes.Solid(0.5 * size, 0.0)
    return shapes.Solid(np.array([0.0, 0.0, half if kind == "capsule" else 0.0]), radius)


def parts_of(kind: str, radius: float, half: float, size: np.ndarray) -> list[tuple[np.ndarray, float, np.ndarray | None]]:
    """What of a shape touches planes: centre and radius of balls, and the axis of circles; body axes."""
    z = np.array([0.0, 0.0, 1.0])
    if kind == "box":
        return [(0.5 * size * corner, 0.0, None) for corner in BOXES]
    if kind == "sphere":
        return [(np.zeros(3), radius, None)]
    return [(side * half * z, radius, z if kind == "cylinder" else None) for side in ENDS]


def touching(centre: np.ndarray, turn: Rotation, n: np.ndarray, at: np.ndarray, radius: float, axis: np.ndarray | None) -> np.ndarray:
    """The lowest point of a part above a plane with normal n."""
    down = -n
    if axis is not None:
        b = turn.apply(axis)
        down = unit(-n + (n @ b) * b)
    return np.asarray(centre + turn.apply(at) + radius * down)


def joint_of(
    rng: np.random.Generator,
    m: audit.Mechanism,
    joints: dict[str, Any],
    name: str,
    first: int,
    k: int,
    centres: list[np.ndarray],
    turns: list[Rotation],
) -> None:
    """Join body k to the first at a point near it; a pin may rub."""
    at, axis = centres[k] + rng.uniform(-0.4, 0.4, 3), unit(rng.normal(size=3))
    kind = str(rng.choice(["revolute", "spherical", "prismatic"]))
    back, origin = (Rotation.identity(), np.zeros(3)) if first == audit.GROUND else (turns[first].inv(), centres[first])
    friction = float(rng.uniform(0.05, 0.5) * (rng.random() < 0.5 and kind == "revolute"))
    places = back.apply(at - origin), turns[k].inv().apply(at - centres[k])
    m.joints.append(audit.Joint(kind, first, k, *places, back.apply(axis), friction))
    joints[name] = {"type": kind, "bodies": ["ground" if first == audit.GROUND else f"b{first}", f"b{k}"], "at": at.tolist()}
    if kind != "spherical":
        joints[name]["axis"] = axis.tolist()
    if friction:
        joints[name]["friction"] = {"torque": friction}


def judge(seed: int, settings: dict[str, Any], _: float, rolling: bool = False, stones: bool = False) -> str:
    """Whether mbsim's motion of a mechanism obeys the laws."""
    m, made = drawn(seed, rolling, stones)
    began = time.process_time()
    try:
        result = mbsim.simulate(made, **settings)
    except (mbsim.SimulationError, ModelError) as error:
        return "right" if any(word in str(error) for word in NAMED) else f"stopped: {str(error)[:250]}"
    took = time.process_time() - began
    if wrong := audit.audit(m, result):
        return f"wrong: {wrong}; {told_by(result)}"
    grown = [line for line in result.events if line.get("energy", 0.0) > 1e-7 and not line.get("gains")]
    if grown:
        return f"wrong: energy grows unsaid by {grown[0]['energy']:.2g} J at {grown[0]['time']:.6f}"
    balance = np.asarray(result["energy_balance"])
    if not np.abs(balance - balance[0]).max() < BALANCE:
        return f"wrong: energy balance {np.abs(balance - balance[0]).max():.1e}"
    return "right" if took < LONG else f"slow: {took:.0f} s"


def told_by(result: Any) -> str:
    return " ".join(f"{e['time']:.5f}:{e['do']}:{e['event']}" for e in result.events[:16])


if __name__ == "__main__":
    asked = command(__doc__, {"rolling": "what is round resists rolling and drilling", "stones": "most boxes are polyhedra"})
    judge_all(asked, 0.0, lambda seed, settings, agrees: judge(seed, settings, agrees, asked.rolling, asked.stones))
