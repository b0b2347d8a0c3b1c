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


def tied_chain(links: int, ties: int, end: float, step: float) -> str:
    """A planar zigzag of links of 1 kg in joint coordinates, which `ties` further pins hold to the ground, with springs in all joints."""
    points = [np.array([0.7 * k, -0.7 * (k % 2)]) for k in range(links + 1)]
    bodies = {f"b{k}": _rod(points[k], points[k + 1]) for k in range(links)}
    joints = {f"j{k}": _pin("ground" if k == 0 else f"b{k - 1}", f"b{k}", points[k]) for k in range(links)}
    for k in range(ties):
        last = links * (k + 1) // ties
        joints[f"tie{k}"] = _pin("ground", f"b{last - 1}", points[last]) | {"cut": True}
    return _stiff(bodies, joints, end, step)


def four_bar_cells(count: int, end: float, step: float) -> str:
    """A chain of planar four-bars in joint coordinates, each on the coupler of the one before, with springs in all joints."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    A, turn, base = np.zeros(2), 0.0, "ground"
    for k in range(count):
        c, s = np.cos(turn), np.sin(turn)
        R = np.array([[c, -s], [s, c]])
        B, C, D = (A + R @ np.array(p) for p in ([0.2, 0.8], [0.2 + np.cos(0.1), 0.8 + np.sin(0.1)], [1.0, 0.0]))
        bodies |= {f"crank{k}": _rod(A, B), f"coupler{k}": _rod(B, C), f"rocker{k}": _rod(D, C)}
        joints |= {f"A{k}": _pin(base, f"crank{k}", A), f"B{k}": _pin(f"crank{k}", f"coupler{k}", B)}
        joints |= {f"D{k}": _pin(base, f"rocker{k}", D), f"C{k}": _pin(f"rocker{k}", f"coupler{k}", C) | {"cut": True}}
        A, turn, base = B, turn + 0.1, f"coupler{k}"
    return _stiff(bodies, joints, end, step)


def _rod(first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    along, centre = second - first, 0.5 * (first + second)
    place = {"position": [float(x) for x in centre], "angle": float(np.arctan2(along[1], along[0]))}
    return {"mass": 1.0, "inertia": float(along @ along / 12.0), **place}


def _pin(first: str, second: str, at: np.ndarray) -> dict[str, Any]:
    return {"type": "revolute", "bodies": [first, second], "at": [float(x) for x in at]}


def _stiff(bodies: dict[str, Any], joints: dict[str, Any], end: float, step: float) -> str:
    forces = {f"k_{name}": {"type": "rotational_spring_damper", "joint": name, "stiffness": 1e4, "damping": 10.0} for name in joints}
    source = {"dimension": 2, "coordinates": "joint", "gravity": [0.0, -GRAVITY], "bodies": bodies, "joints": joints, "forces": forces}
    return yaml.safe_dump(source | {"simulation": {"end": end, "step": step}})


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
