"""Random spatial mechanisms whose constraints are redundant, as model dictionaries of any size and mass.

Closed chains of revolute joints that move although Gruebler's count says otherwise: planar loops in tilted planes, parallel cranks,
scissor lifts, Sarrus, Bennett and line-symmetric Bricard linkages. Gravity grows with the length, so that all have the same time scale.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

ROBERVAL = """
dimension: 2
gravity: [0, -9.81]
bodies:
  up: {mass: 1, inertia: 0.05, position: [0, 0.2], points: {l: [-0.3, 0], r: [0.3, 0]}}
  low: {mass: 1, inertia: 0.05, position: [0, 0], points: {l: [-0.3, 0], r: [0.3, 0]}}
  left: {mass: 0.5, inertia: 0.01, position: [-0.3, 0.1], points: {u: [0, 0.1], l: [0, -0.1], w: [-0.1, 0.15]}}
  right: {mass: 0.5, inertia: 0.01, position: [0.3, 0.1], points: {u: [0, 0.1], l: [0, -0.1], w: [0.35, 0.15]}}
joints:
  a: {type: revolute, bodies: [ground, up], at: [0, 0.2]}
  b: {type: revolute, bodies: [ground, low], at: [0, 0]}
  c: {type: revolute, points: [up.l, left.u]}
  d: {type: revolute, points: [low.l, left.l]}
  e: {type: revolute, points: [up.r, right.u]}
  f: {type: revolute, points: [low.r, right.l]}
forces:
  w1: {type: force, body: left.w, value: [0, -20]}
  w2: {type: force, body: right.w, value: [0, -20]}
simulation: {end: 1}
"""
Vector = np.ndarray


class Drawing:
    """A mechanism in the making: bodies at the middle of the points they join, joints on drawn points."""

    def __init__(self, name: str, rng: np.random.Generator, length: float, mass: float) -> None:
        self.rng, self.length, self.mass = rng, length, mass
        self.bodies: dict[str, Any] = {}
        self.joints: dict[str, Any] = {}
        self.name = name
        self.turned = rotation(rng)  # of the whole mechanism against gravity and the axes of the file
        self.origin = rng.uniform(-1.0, 1.0, 3)

    def place(self, point: Vector) -> list[float]:
        return [float(x) for x in self.length * (self.turned @ point + self.origin)]

    def body(self, name: str, *points: Vector) -> str:
        """A body that joins the points."""
        mass = self.rng.uniform(0.5, 2.0)
        size = max(np.linalg.norm(points[0] - p) for p in points) if len(points) > 1 else 0.3
        moments = mass * size**2 * (0.05 + 0.05 * self.rng.random(3))  # any two are larger than the third
        axes = rotation(self.rng)
        self.bodies[name] = {
            "mass": float(self.mass * mass),
            "inertia": [float(self.mass * self.length**2 * x) for x in moments],
            "position": self.place(np.mean(points, axis=0) + 0.05 * size * self.rng.standard_normal(3)),
            "orientation": {"x_axis": [float(x) for x in axes[0]], "y_axis": [float(x) for x in axes[1]]},
        }
        return name

    def joint(self, name: str, first: str, second: str, at: Vector, axis: Vector, kind: str = "revolute") -> None:
        direction = self.turned @ axis
        self.joints[name] = {
            "type": kind,
            "bodies": [first, second],
            "at": self.place(at),
            "axis": [float(x) for x in direction / np.linalg.norm(direction)],
        }

    def model(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "dimension": 3,
            "gravity": [float(x) for x in self.length * np.array([0.0, 0.0, -9.81])],
            "bodies": self.bodies,
            "joints": self.joints,
            "simulation": {"end": 0.2, "step": 1e-3, "integrator": "rk4"},
        }


def rotation(rng: np.random.Generator) -> Vector:
    """A random rotation matrix."""
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q *= np.sign(np.diag(r))
    if np.linalg.det(q) < 0.0:
        q[:, 0] *= -1.0
    return q


NORMAL = np.array([0.0, 1.0, 0.0])


def in_plane(x: float, z: float) -> Vector:
    return np.array([x, 0.0, z])


def towards(length: float, angle: float) -> Vector:
    return in_plane(length * np.cos(angle), length * np.sin(angle))


def four_bar(d: Drawing) -> None:
    """A four-bar in a tilted plane."""
    r = d.rng
    O, C = in_plane(0.0, 0.0), in_plane(r.uniform(1.5, 2.5), r.uniform(-0.3, 0.3))
    A, B = O + towards(r.uniform(0.5, 1.0), r.uniform(1.0, 2.2)), C + towards(r.uniform(0.9, 1.8), r.uniform(0.9, 1.8))
    d.joint("O", "ground", d.body("crank", O, A), O, NORMAL)
    d.joint("A", "crank", d.body("coupler", A, B), A, NORMAL)
    d.joint("B", "coupler", d.body("rocker", B, C), B, NORMAL)
    d.joint("C", "ground", "rocker", C, NORMAL)


def six_bar(d: Drawing) -> None:
    """A four-bar whose coupler drives another rocker."""
    four_bar(d)
    r = d.rng
    E = d.turned.T @ (np.array(d.joints["A"]["at"]) / d.length - d.origin) + towards(r.uniform(0.4, 0.8), r.uniform(1.0, 1.6))
    G = in_plane(r.uniform(-1.5, -0.8), r.uniform(-0.2, 0.2))
    F = G + towards(r.uniform(0.9, 1.5), r.uniform(1.6, 2.4))
    d.joint("E", "coupler", d.body("link", E, F), E, NORMAL)
    d.joint("F", "link", d.body("swing", F, G), F, NORMAL)
    d.joint("G", "ground", "swing", G, NORMAL)


def cranks(d: Drawing) -> None:
    """A bar on three to five equal and parallel cranks."""
    r = d.rng
    count = int(r.integers(3, 6))
    crank = towards(r.uniform(0.5, 1.0), r.uniform(0.6, 2.4))
    feet = [in_plane(x, z) for x, z in zip(np.cumsum(r.uniform(0.4, 1.0, count)), r.uniform(-0.4, 0.4, count), strict=True)]
    d.body("bar", *(foot + crank for foot in feet))
    for k, foot in enumerate(feet):
        d.joint(f"foot{k}", "ground", d.body(f"crank{k}", foot, foot + crank), foot, NORMAL)
        d.joint(f"top{k}", f"crank{k}", "bar", foot + crank, NORMAL)


def scissor(d: Drawing, stages: int | None = None) -> None:
    """A scissor lift of one to four stages, with a table that slides on it."""
    r = d.rng
    count = int(r.integers(1, 5)) if stages is None else stages
    angle = r.uniform(0.4, 1.0)
    w, h = np.cos(angle), np.sin(angle)
    for k in range(count):
        low, high = k * h, (k + 1) * h
        d.body(f"a{k}", in_plane(0.0, low), in_plane(w, high))
        d.body(f"b{k}", in_plane(w, low), in_plane(0.0, high))
        d.joint(f"middle{k}", f"a{k}", f"b{k}", in_plane(0.5 * w, low + 0.5 * h), NORMAL)
        if k:
            d.joint(f"left{k}", f"b{k - 1}", f"a{k}", in_plane(0.0, low), NORMAL)
            d.joint(f"right{k}", f"a{k - 1}", f"b{k}", in_plane(w, low), NORMAL)
    d.joint("pin", "ground", "a0", in_plane(0.0, 0.0), NORMAL)
    d.joint("slot", "ground", d.body("shoe", in_plane(w, 0.0)), in_plane(w, 0.0), in_plane(1.0, 0.0), "prismatic")
    d.joint("heel", "shoe", "b0", in_plane(w, 0.0), NORMAL)
    top = count * h
    d.joint("table_pin", f"b{count - 1}", d.body("table", in_plane(0.0, top), in_plane(w, top)), in_plane(0.0, top), NORMAL)
    d.joint("table_slot", "table", d.body("table_shoe", in_plane(w, top)), in_plane(w, top), in_plane(1.0, 0.0), "prismatic")
    d.joint("table_heel", "table_shoe", f"a{count - 1}", in_plane(w, top), NORMAL)


def sarrus(d: Drawing, floors: int = 1) -> None:
    """A plate that two to four folding legs guide straight up; `floors` of them one above the other."""
    r = d.rng
    below, level = "ground", 0.0
    for floor in range(floors):
        height, legs = r.uniform(0.4, 0.7), int(r.integers(2, 5))
        angles = np.cumsum([r.uniform(0.0, 1.0), *r.uniform(0.7, 1.3, legs - 1)])
        plate = d.body(f"plate{floor}", in_plane(0.0, level + height), in_plane(0.4, level + height))
        up = np.array([0.0, 0.0, 1.0])
        for k, angle in enumerate(angles):
            out, axis = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
            foot, knee = 0.4 * out + level * up, (0.4 + r.uniform(0.2, 0.4)) * out + (level + 0.5 * height) * up
            hip = 0.4 * out + (level + height) * up
            lower, upper = d.body(f"lower{floor}{k}", foot, knee), d.body(f"upper{floor}{k}", knee, hip)
            d.joint(f"foot{floor}{k}", below, lower, foot, axis)
            d.joint(f"knee{floor}{k}", lower, upper, knee, axis)
            d.joint(f"hip{floor}{k}", upper, plate, hip, axis)
        below, level = plate, level + height


def stacked_sarrus(d: Drawing) -> None:
    sarrus(d, int(d.rng.integers(2, 4)))


def bennett(d: Drawing) -> None:
    """Bennett's four-bar: opposite links equal, sin(twist) / length the same of all."""
    r = d.rng
    a, alpha = r.uniform(0.8, 1.2), r.uniform(0.4, 0.8)
    beta = r.uniform(0.9, 1.4)
    b = a * np.sin(beta) / np.sin(alpha)
    theta = r.uniform(0.7, 1.3)
    other = 2.0 * np.arctan(np.sin(0.5 * (beta + alpha)) / np.sin(0.5 * (beta - alpha)) / np.tan(0.5 * theta))

    def link(turn: float, twist: float, length: float) -> Vector:  # Denavit and Hartenberg
        c, s, e, f = np.cos(turn), np.sin(turn), np.cos(twist), np.sin(twist)
        return np.array([[c, -s * e, s * f, length * c], [s, c * e, -c * f, length * s], [0.0, f, e, 0.0], [0.0, 0.0, 0.0, 1.0]])

    links = [link(theta, alpha, a), link(other, beta, b), link(-theta, alpha, a), link(-other, beta, b)]
    for signs in ((1, 1), (-1, -1), (1, -1), (-1, 1)):  # the branch of the angles that closes
        turned = [link(s * x, t, g) for s, x, t, g in zip(
            (signs[0], signs[1]) * 2, (theta, other, -theta, -other), (alpha, beta) * 2, (a, b) * 2, strict=True)]  # fmt: skip
        if np.allclose(np.linalg.multi_dot(turned), np.eye(4), atol=1e-12):
            links = turned
            break
    frames = [np.eye(4)]
    for step in links[:3]:
        frames.append(frames[-1] @ step)
    assert np.allclose(frames[-1] @ links[3], np.eye(4), atol=1e-12)
    chain(d, [f[:3, 3] for f in frames], [f[:3, 2] for f in frames])


def bricard(d: Drawing) -> None:
    """Bricard's line-symmetric loop of six: the last three axes are the first three, half a turn about a line."""
    r = d.rng
    angles = np.array([0.0, np.pi / 3, 2 * np.pi / 3]) + r.uniform(-0.2, 0.2, 3)
    points = [np.array([np.cos(x), np.sin(x), r.uniform(-0.4, 0.4)]) for x in angles]
    axes = [r.standard_normal(3) for _ in range(3)]
    half = np.diag([-1.0, -1.0, 1.0])
    chain(d, [*points, *(half @ p for p in points)], [*axes, *(half @ x for x in axes)])


def chain(d: Drawing, points: list[Vector], axes: list[Vector]) -> None:
    """A closed chain of revolute joints; the last link is the ground."""
    count = len(points)
    links = [*(d.body(f"link{k}", points[k], points[k + 1]) for k in range(count - 1)), "ground"]
    for k in range(count):
        d.joint(f"j{k}", links[k - 1], links[k], points[k], axes[k])


# the freedoms of each, whatever its size
FREEDOMS: dict[Callable[[Drawing], None], Callable[[dict[str, Any]], int]] = {
    four_bar: lambda model: 1,
    six_bar: lambda model: 1,
    cranks: lambda model: 1,
    scissor: lambda model: 1,
    sarrus: lambda model: 1,
    stacked_sarrus: lambda model: sum(name.startswith("plate") for name in model["bodies"]),
    bennett: lambda model: 1,
    bricard: lambda model: 1,
}


def mechanism(seed: int, *, coordinates: str = "absolute", scaled: bool = True) -> tuple[dict[str, Any], int]:
    """The model with this number and its freedoms; `scaled`: length and mass are 1e-3 to 1e3 of a metre and a kilogram."""
    rng = np.random.default_rng(seed)
    length, mass = (10.0 ** rng.uniform(-3.0, 3.0, 2)) if scaled else (1.0, 1.0)
    kind = list(FREEDOMS)[seed % len(FREEDOMS)]
    drawing = Drawing(f"{kind.__name__} {seed}", rng, float(length), float(mass))
    kind(drawing)
    model = drawing.model()
    if coordinates == "joint":
        model["coordinates"] = "joint"
    return model, FREEDOMS[kind](model)


def mechanisms(seeds: range, **options: Any) -> Iterator[tuple[int, dict[str, Any], int]]:
    for seed in seeds:
        yield seed, *mechanism(seed, **options)
