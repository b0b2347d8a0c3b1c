"""Random planar bodies with contacts and dry friction, against own equations: where they are and how fast, all the way.

    python scripts/attack/random_contacts.py [--count 200] [--seed 0] [--method svd] [--integrator dop853] [--redundant]
        [--joint]

One to three bodies lie on, fly above or hang over lines of the ground and of each other; points of boxes and disks touch, disks touch
disks, pins and slides join, some with friction by their reaction; gravity, springs and periodic forces act. The oracle is
`contact_oracle.py`.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from contact_oracle import motion
from planar_bodies import GROUND, Body, Joint, Mechanism, Rub
from random_stops import Unsure, turn
from seeds import command, judge_all

import mbsim
from mbsim.model.file.errors import ModelError

END, ROWS = 1.2, 25
AGREES = 3e-6  # of positions and speeds; of equal steps a thousand times as much
NEAR_EVENT = 1e-5  # s: rows nearer to a change are not compared, speeds jump there
GRAVITY = np.array([0.0, -9.81])
FREE = 1.0  # m: length of the springs without load
CONTACT: dict[str, Any] = {"joint": -1, "fixed": 0.0, "fixed_static": 0.0, "arm": 0.0, "length": 0.0, "other": 0.0}
JOINT: dict[str, Any] = {
    "first": GROUND, "second": GROUND, "centre": np.zeros(2), "radius": 0.0, "through": np.zeros(2), "normal": 0.0, "other": 0.0,
    "restitution": 0.0, "closing": 0.0,
}  # fmt: skip


def drawn(seed: int, redundant: bool = False) -> tuple[Mechanism, np.ndarray]:
    """A random mechanism, and its speeds at the start. `redundant`: more boxes that lie flat."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    bodies, joints, rubs = list[Body](), list[Joint](), list[Rub]()
    disks: dict[int, float] = {}
    for k in range(n):
        centre = np.array([1.5 * k, 0.0]) + rng.uniform(-0.4, 0.4, 2)
        acts = rng.random(2) < [0.6, 0.5]
        anchor = centre + rng.uniform(-1.5, 1.5, 2) + [0.0, 2.0]
        mass, inertia = rng.uniform([0.5, 0.02], [2.0, 0.3]).tolist()
        spring, push = float(acts[0] * rng.uniform(1.0, 12.0)), float(acts[1] * rng.uniform(-12.0, 12.0))
        bodies.append(Body(mass, inertia, centre, anchor, spring, push, float(rng.uniform(1.0, 12.0))))
        if rng.random() < 0.45:
            at = centre + rng.uniform(-0.6, 0.6, 2)
            first = k - 1 if k and rng.random() < 0.6 else GROUND
            joint = Joint(first, k, at, bool(rng.random() < 0.35), float(rng.uniform(-np.pi, np.pi)))
            joints.append(joint)
            if rng.random() < 0.7:
                rubs.append(rub_of(rng, len(joints) - 1, joint))
        law: dict[str, Any] = {
            "friction": float(rng.uniform(0.05, 0.9) * (rng.random() < 0.8)),
            "restitution": float(rng.uniform(0.1, 0.8) * (rng.random() < 0.4)),
            "closing": float(10.0 ** rng.uniform(-2.0, -0.5)),
        }
        law["static"] = law["friction"] * float(rng.uniform(1.0, 1.4) if rng.random() < 0.3 and not redundant else 1.0)
        if rng.random() < 0.15 and joints and joints[-1].second == k:
            continue
        flat, slope = bool(redundant or rng.random() < 0.4), float(rng.uniform(-0.6, 0.6) * (rng.random() < 0.7))
        kind = rng.choice(["disk", "corners", "points"], p=[0.1, 0.8, 0.1] if redundant else [0.4, 0.4, 0.2])
        if kind == "disk":
            disks[k] = float(rng.uniform(0.1, 0.4))
            if k - 1 in disks and rng.random() < 0.6:
                away, there = turn(float(rng.uniform(-np.pi, np.pi))) @ [1.0, 0.0], bodies[k - 1].centre
                apart = float(rng.uniform(0.02, 0.3) * (rng.random() < 0.6))
                moved = there + (disks[k] + disks[k - 1] + apart) * away
                joined = joints and joints[-1].second == k
                if not joined:
                    bodies[k] = bodies[k]._replace(centre=moved)
                    smooth = {**law, "friction": 0.0, "static": 0.0}
                    pair = {**CONTACT, "first": k - 1, "second": k, "centre": moved, "radius": disks[k], "other": disks[k - 1]}
                    rubs.append(Rub(name=f"pair{k}", through=there, normal=np.nan, **{**pair, **smooth}))
            points: list[np.ndarray] = [bodies[k].centre]
        elif kind == "corners":
            half = rng.uniform(0.05, 0.4, 2)
            leans = turn(slope if flat else float(rng.uniform(-np.pi, np.pi)))
            points = [bodies[k].centre + leans @ (half * [i, j]) for i in (-1, 1) for j in (-1, 1)]
        else:
            points = [bodies[k].centre + rng.uniform(-0.4, 0.4, 2) for _ in range(int(rng.integers(1, 3)))]
        first = k - 1 if k and rng.random() < 0.35 else GROUND
        normal = 0.5 * np.pi + slope
        up = np.array([np.cos(normal), np.sin(normal)])
        radius = disks[k] if kind == "disk" else float(rng.uniform(0.02, 0.1) * (kind == "points" and rng.random() < 0.5))
        lowest = min(up @ p for p in points) - radius - float(rng.uniform(0.01, 0.3) * (rng.random() < 0.5))
        through = lowest * up + float(rng.uniform(-0.5, 0.5)) * np.array([-up[1], up[0]])
        for j, corner in enumerate(points):
            name = f"plane{k}" + (f"_{j + 1}" if len(points) > 1 else "")
            place = {**CONTACT, "first": first, "second": k, "centre": corner, "radius": radius, "through": through, "normal": normal}
            rubs.append(Rub(name=name, **{**place, **law}))
    m = Mechanism(bodies, joints, rubs, GRAVITY, FREE)
    v: np.ndarray = rng.uniform(-2.0, 2.0, 3 * n) * float(rng.random() < 0.6)
    C, N, _, gap = m.rows(m.start)
    touching = np.abs(np.nan_to_num(gap, nan=1.0)) < 1e-12
    kept = np.concatenate([C, N[touching]]) if rng.random() < 0.7 else C
    return m, v - m.inverse * (kept.T @ np.linalg.lstsq((kept * m.inverse) @ kept.T, kept @ v, rcond=1e-11)[0])


def rub_of(rng: np.random.Generator, which: int, joint: Joint) -> Rub:
    """The friction of a joint: by its reaction, or given."""
    more, length = float(rng.uniform(1.0, 1.4) if rng.random() < 0.4 else 1.0), float(rng.uniform(0.2, 0.6) * (rng.random() < 0.5))
    arm = 1.0 if joint.slides else float(rng.uniform(0.01, 0.1))
    if rng.random() < 0.7:
        mu, fixed = float(rng.uniform(0.1, 0.6 if not joint.slides or not length else 0.25)), 0.0
    else:
        mu, fixed = 0.0, float(rng.uniform(0.2, 4.0))
    loads = {"friction": mu, "static": more * mu, "fixed": fixed, "fixed_static": more * fixed, "arm": arm, "length": length * joint.slides}
    return Rub(name=f"j{which}_friction", joint=which, **{**JOINT, **loads})


def joint_speeds(m: Mechanism, v: np.ndarray) -> dict[str, float]:
    """The speeds at the start along the joints, for joint coordinates."""
    found = {}
    for k, joint in enumerate(m.joints):
        (_, da), (_, db) = m.turned(m.start, joint.first), m.turned(m.start, joint.second)
        if not joint.slides:
            found[f"der(j{k}.angle)"] = float((db - da) @ v)
            continue
        along = np.array([np.cos(joint.angle), np.sin(joint.angle)])
        (_, dp), (_, dr) = m.point(m.start, joint.first, joint.at), m.point(m.start, joint.second, joint.at)
        found[f"der(j{k}.displacement)"] = float(along @ ((dr - dp) @ v))
    return found


def text_of(m: Mechanism, v: np.ndarray, end: float, step: float, in_joints: bool = False) -> dict[str, Any]:
    """The mechanism as mbsim reads it."""
    bodies, joints, contacts, forces, parameters = (dict[str, Any]() for _ in range(5))
    for k, b in enumerate(m.bodies):
        speeds = {"velocity": v[3 * k : 3 * k + 2].tolist(), "angular_velocity": float(v[3 * k + 2])}
        if in_joints and any(joint.second == k for joint in m.joints):
            speeds = {}
        bodies[f"b{k}"] = {"mass": b.mass, "inertia": b.inertia, "position": b.centre.tolist(), **speeds}
        for name in ("spring", "push", "beat"):
            parameters[f"{name}{k}"] = float(getattr(b, name))
        forces[f"f{k}"] = {"type": "force", "body": f"b{k}", "value": [f"push{k}*sin(beat{k}*t)", 0]}
        ends = [b.anchor.tolist(), b.centre.tolist()]
        forces[f"s{k}"] = {"type": "spring_damper", "bodies": ["ground", f"b{k}"], "at": ends, "free_length": m.free}
        forces[f"s{k}"]["stiffness"] = f"spring{k}"
    for k, joint in enumerate(m.joints):
        two = [f"b{joint.first}" if joint.first >= 0 else "ground", f"b{joint.second}"]
        joints[f"j{k}"] = {"type": "prismatic" if joint.slides else "revolute", "bodies": two, "at": joint.at.tolist()}
        if joint.slides:
            joints[f"j{k}"]["axis"] = [float(np.cos(joint.angle)), float(np.sin(joint.angle))]
    for rub in m.rubs:
        second, first = f"b{rub.second}", f"b{rub.first}" if rub.first >= 0 else "ground"
        law = {"friction": rub.friction, "static": rub.static, "restitution": rub.restitution, "closing_speed": rub.closing}
        if rub.joint >= 0:
            slides, block = m.joints[rub.joint].slides, dict[str, Any]()
            if rub.friction:
                block = {"coefficient": rub.friction, "static": rub.static} | ({"length": rub.length} if rub.length else {})
                block |= {} if slides else {"radius": rub.arm}
            else:
                block = {"force" if slides else "torque": rub.fixed, "static": rub.fixed_static}
            joints[f"j{rub.joint}"]["friction"] = block
        elif np.isnan(rub.normal):
            for body, radius in ((first, rub.other), (second, rub.radius)):
                bodies[body]["shape"] = {"type": "cylinder", "radius": radius, "length": 0.1}
            contacts[rub.name] = {"between": [first, second], "restitution": rub.restitution, "closing_speed": rub.closing}
        else:
            name = rub.name.partition("_")[0]
            points = bodies[second].setdefault("points", {})
            label = f"p{len(points)}"
            points[label] = (rub.centre - m.bodies[rub.second].centre).tolist()
            plane = {"normal": [float(np.cos(rub.normal)), float(np.sin(rub.normal))], "through": rub.through.tolist()}
            block = contacts.setdefault(name, {"bodies": [second, first], "plane": plane, "points": [], "radius": rub.radius, **law})
            block["points"].append(label)
    made = {"name": "drawn", "dimension": 2, "gravity": m.gravity.tolist(), "parameters": parameters, "bodies": bodies, "joints": joints}
    if in_joints:
        made |= {"coordinates": "joint", "initial": joint_speeds(m, v)}
    return made | {"contacts": contacts, "forces": forces, "simulation": {"end": end, "output_step": step}}


@lru_cache(maxsize=8)
def expected(seed: int, redundant: bool, in_joints: bool) -> tuple[Mechanism, np.ndarray, Any]:
    """A random mechanism, its speeds at the start, and what the oracle finds; None where it is not sure."""
    m, v = drawn(seed, redundant)
    if in_joints:  # a coefficient of a joint needs the joint's reaction, which joint coordinates do not have
        m.rubs = [rub for rub in m.rubs if rub.joint < 0 or not rub.friction]
    try:
        return m, v, motion(m, v, np.linspace(0.0, END, ROWS + 1))
    except Unsure:
        return m, v, None


def judge(seed: int, settings: dict[str, Any], tolerance: float, redundant: bool = False, in_joints: bool = False) -> str:
    """How mbsim and the oracle compare."""
    m, v, found = expected(seed, redundant, in_joints)
    step = END / ROWS
    if found is None:
        return "unsure"
    rows = found.times < found.end - NEAR_EVENT
    if not found.nothing and found.end == END:
        rows[-1] = True
    end = END if found.end == END or found.nothing else float(found.times[rows][-1]) if rows.sum() > 1 else 0.0
    if end == 0.0:
        return "unsure"
    try:
        result = mbsim.simulate(text_of(m, v, end, step, in_joints), **settings)
    except (mbsim.SimulationError, ModelError) as error:
        if found.nothing:
            return "right" if "solution" in str(error) else f"stopped: expected no solution at {found.end:.6f}, got {str(error)[:200]}"
        return f"stopped: {str(error)[:250]}"
    if found.nothing:
        return f"wrong: no solution expected at {found.end:.6f}"
    bad, worst = compare(m, result, found, rows, tolerance)
    grown = [line for line in result.events if line.get("energy", 0.0) > 1e-7 and not line.get("gains")]
    if grown:
        return f"wrong: energy grows unsaid by {grown[0]['energy']:.2g} J at {grown[0]['time']:.6f}"
    balance = np.asarray(result["energy_balance"])
    if not np.abs(balance - balance[0]).max() < 100.0 * tolerance:
        return f"wrong: energy balance {np.abs(balance - balance[0]).max():.1e}"
    return "right" if not bad else f"wrong: {worst:.1e} off from {bad:.4f} s on; oracle {told(found.changes)}; mbsim {told_by(result)}"


def compare(m: Mechanism, result: Any, found: Any, rows: np.ndarray, tolerance: float) -> tuple[float, float]:
    """When positions or speeds are off for the first time (0: never), and the largest difference."""
    times, (q, v) = np.asarray(result["time"]), states(result)
    bad, worst = 0.0, 0.0
    for t, x, u in zip(found.times[rows], found.q[rows], found.v[rows], strict=True):
        if any(abs(t - change[0]) < NEAR_EVENT for change in found.changes):
            continue
        k = int(np.argmin(np.abs(times - t)))
        off = max(float(np.abs(q[k] - x).max()), 0.1 * float(np.abs(v[k] - u).max()))
        worst = max(worst, off)
        if off > tolerance and not bad:
            bad = max(float(t), 1e-9)
    return bad, worst


def states(result: Any) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds of the bodies (rows, 3 n)."""
    attitude = np.asarray(result["body_orientation"])
    angle = np.unwrap(2.0 * np.arctan2(attitude[:, :, 3], attitude[:, :, 0]), axis=0)
    places = np.dstack([np.asarray(result["body_position"])[:, :, :2], angle])
    speeds = np.dstack([np.asarray(result["body_velocity"])[:, :, :2], np.asarray(result["body_angular_velocity"])[:, :, 2]])
    return places.reshape(len(places), -1), speeds.reshape(len(speeds), -1)


def told(changes: list[tuple[float, str, str]]) -> str:
    return " ".join(f"{t:.4f}:{kind[0]}:{name}" for t, kind, name in changes[:12])


def told_by(result: Any) -> str:
    return " ".join(f"{e['time']:.4f}:{e['do']}:{e['event']}" for e in result.events[:16])


if __name__ == "__main__":
    flags = {"redundant": "more boxes that lie flat, no static friction above the sliding one", "joint": "in joint coordinates"}
    asked = command(__doc__, flags)
    judge_all(asked, AGREES, lambda seed, settings, tolerance: judge(seed, settings, tolerance, asked.redundant, asked.joint))
