"""The stiff mechanisms that benchmark_stiff.py runs: model files as text, and one of them for Exudyn."""

from typing import Any

import numpy as np
import yaml
from example_models import spatial_tree
from exudyn_peer import BodyData, JointData, Mechanism, Peer, TurnSpringData

GRAVITY, DAMPING = 9.81, 1e-3


def beam(rods: int, coordinates: str, end: float, step: float) -> str:
    """A clamped beam of so many rods, in absolute or in joint coordinates."""
    length = 1.0 / rods
    lines = ["name: clamped beam of rods", "dimension: 2", f"coordinates: {coordinates}", f"gravity: [0, -{GRAVITY}]", "bodies:"]
    lines += [f"  r{i}: {{mass: {length!r}, inertia: {length**3 / 12!r}, position: [{(i + 0.5) * length!r}, 0]}}" for i in range(rods)]
    pairs = [("ground" if i == 0 else f"r{i - 1}", f"r{i}") for i in range(rods)]
    lines += ["joints:", *(f"  j{i}: {{type: revolute, bodies: [{a}, {b}], at: [{i * length!r}, 0]}}" for i, (a, b) in enumerate(pairs))]
    spring = f"type: rotational_spring_damper, stiffness: {rods}, damping: {DAMPING * rods!r}"
    lines += ["forces:", *(f"  k{i}: {{{spring}, bodies: [{a}, {b}]}}" for i, (a, b) in enumerate(pairs))]
    return "\n".join([*lines, f"simulation: {{end: {end}, step: {step}}}"])


def beam_of_peer(rods: int, radius: float) -> Any:
    """The same beam in Exudyn."""
    length = 1.0 / rods
    inertia = np.array([[length**3 / 12]])
    bodies = [BodyData(length, inertia, np.array([(i + 0.5) * length, 0.0, 0.0]), np.zeros(3)) for i in range(rods)]
    half = np.array([0.5 * length, 0.0])
    joints = [JointData("revolute", (i - 1, i), np.array([half if i else np.zeros(2), -half]), np.zeros((0, 3))) for i in range(rods)]
    springs = [TurnSpringData((i - 1, i), float(rods), DAMPING * rods) for i in range(rods)]
    made = Peer(Mechanism(2, np.array([0.0, -GRAVITY]), bodies, joints, [], springs))
    made.radius = radius
    return made


def held_arm(joints: int, gain: float, rate_gain: float, target: float, end: float) -> str:
    """An arm of hinges with random axes, each of which a controller turns by `target` (rad) with these gains (N m/rad, N m s/rad)."""
    source = yaml.safe_load(spatial_tree("chain", joints, end=end))
    spring = {"type": "rotational_spring_damper", "stiffness": gain, "damping": rate_gain, "free_angle": target}
    source["forces"] = {f"pd{k}": {**spring, "joint": f"j{k}"} for k in range(joints)}
    return yaml.safe_dump(source)


def wishbones(end: float, step: float) -> str:
    """A car's front axle: double wishbones in bushings, tie rods, struts and tyres as springs, driven over a bump of 3 cm at 5 Hz."""
    rubber = {"stiffness": [8e6, 8e6, 2e6, 4e2, 4e2, 1e2], "damping": [8e2, 8e2, 2e2, 1.0, 1.0, 0.5]}
    bodies: dict[str, Any] = {"chassis": {"mass": 400.0, "inertia": [60.0, 250.0, 280.0], "position": [0, 0, 0.5]}}
    joints: dict[str, Any] = {"heave": {"type": "prismatic", "bodies": ["ground", "chassis"], "at": [0, 0, 0.5], "axis": [0, 0, 1]}}
    forces: dict[str, Any] = {}
    for side, y in (("left", 1.0), ("right", -1.0)):
        lower, upper, upright, rod = (f"{side}_{word}" for word in ("lower", "upper", "upright", "rod"))
        bodies[lower] = {"mass": 5.0, "inertia": [0.08, 0.04, 0.1], "position": [0, 0.5 * y, 0.25]}
        bodies[upper] = {"mass": 3.0, "inertia": [0.04, 0.02, 0.05], "position": [0, 0.52 * y, 0.5]}
        bodies[upright] = {"mass": 35.0, "inertia": [0.9, 1.2, 0.9], "position": [0, 0.75 * y, 0.35]}
        bodies[rod] = {"mass": 1.0, "inertia": [0.01, 0.001, 0.01], "position": [0.12, 0.53 * y, 0.31]}
        joints[f"{side}_low"] = {"type": "spherical", "bodies": [lower, upright], "at": [0, 0.7 * y, 0.22]}
        joints[f"{side}_high"] = {"type": "spherical", "bodies": [upper, upright], "at": [0, 0.68 * y, 0.5]}
        joints[f"{side}_inner"] = {
            "type": "universal",
            "bodies": ["chassis", rod],
            "at": [0.12, 0.35 * y, 0.3],
            "axes": [[1, 0, 0], [0, 0, 1]],
        }
        joints[f"{side}_outer"] = {"type": "spherical", "bodies": [rod, upright], "at": [0.12, 0.71 * y, 0.32]}
        for arm, inner, z in ((lower, 0.3, 0.25), (upper, 0.36, 0.5)):
            for place, x in (("front", 0.15), ("rear", -0.15)):
                forces[f"{arm}_{place}"] = {"type": "bushing", "bodies": ["chassis", arm], "at": [x, inner * y, z], **rubber}
        ends = [[0, 0.45 * y, 0.75], [0, 0.55 * y, 0.24]]
        strut = {"type": "spring_damper", "bodies": ["chassis", lower], "at": ends, "stiffness": 4e4, "damping": 3e3}
        forces[f"{side}_strut"] = {**strut, "free_length": 0.59}
        bump = "0.03*sin(2*pi*5*t)^2" if side == "left" else "0"
        tyre = f"2.2e5*(0.018 + {bump} - {upright}.z + 0.35) - 300*der({upright}.z)"
        forces[f"{side}_tyre"] = {"type": "force", "body": upright, "value": [0, 0, tyre]}
    source = {
        "name": "double wishbones", "gravity": [0, 0, -GRAVITY], "bodies": bodies, "joints": joints, "forces": forces,
        "simulation": {"end": end, "step": step},
    }  # fmt: skip
    return yaml.safe_dump(source, sort_keys=False)
