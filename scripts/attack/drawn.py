"""A mechanism as it is drawn, and the model block that it gives at any scale and in any pose."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Floats = np.ndarray
GRAVITY = 9.81  # m/s^2
THICKNESS = 0.1  # of the length of a rod: its square is what its moment about its own axis comes from
GROUND = "ground"


def scaled(values: Floats, factor: float) -> list[float]:
    return [float(factor * x) for x in np.atleast_1d(values)]


@dataclass
class Mechanism:
    """A drawing: lengths about 1 m, masses about 1 kg. Planar ones lie in x, z and turn about -y; `planar` says so."""

    name: str
    rng: np.random.Generator
    planar: bool = False
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    joints: dict[str, dict[str, Any]] = field(default_factory=dict)
    springs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def rod(self, name: str, start: Floats, end: Floats, mass: float = 1.0) -> None:
        """A slender body from one point to another; its x axis lies along it."""
        start, end = np.asarray(start, float), np.asarray(end, float)
        along = end - start
        length = float(np.linalg.norm(along))
        x = along / length
        aside = np.array([0.0, 1.0, 0.0]) if abs(x[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
        y = aside - (aside @ x) * x
        y /= np.linalg.norm(y)
        across = mass * length**2 * (1.0 + THICKNESS**2) / 12.0
        inertia = [mass * (THICKNESS * length) ** 2 / 6.0, across, across]
        self.bodies[name] = {"mass": mass, "inertia": np.array(inertia), "position": 0.5 * (start + end), "x": x, "y": y}

    def block_body(self, name: str, at: Floats, mass: float = 1.0, size: float = 0.3) -> None:
        """A cuboid with its axes along those of the drawing."""
        inertia = mass * size**2 * np.array([1.0, 1.2, 1.4]) / 12.0
        self.bodies[name] = {
            "mass": mass,
            "inertia": inertia,
            "position": np.asarray(at, float),
            "x": np.array([1.0, 0.0, 0.0]),
            "y": np.array([0.0, 1.0, 0.0]),
        }

    def joint(self, kind: str, first: str, second: str, at: Any, axis: Any = None, axes: Any = None) -> None:
        """`at` is a point or, of a distance, two. Axes are directions."""
        entry: dict[str, Any] = {"type": kind, "bodies": [first, second], "at": np.array(at, float)}
        if axis is not None:
            entry["axis"] = np.array(axis, float)
        if axes is not None:
            entry["axes"] = np.array(axes, float)
        self.joints[f"j{len(self.joints)}"] = entry

    def spring(self, first: str, second: str, at: Any, stiffness: float = 60.0, damping: float = 0.0) -> None:
        self.springs[f"s{len(self.springs)}"] = {
            "bodies": [first, second],
            "at": np.array(at, float),
            "stiffness": stiffness,
            "damping": damping,
        }

    def block(
        self, coordinates: str = "absolute", length: float = 1.0, mass: float = 1.0, turn: Floats | None = None, spins: float = 0.0
    ) -> dict[str, Any]:
        """The model: drawn lengths times `length` (m), masses times `mass` (kg).

        `turn` (3, 3) maps the drawing's axes to the global ones, gravity along -z; None leaves a planar one in its plane. `spins`
        are random angular velocities of the bodies in units of sqrt(g / length), of which assembly keeps what the joints allow.
        """
        flat = turn is None
        if flat and not self.planar:
            raise ValueError(f"{self.name} is not planar")
        R = np.eye(3) if turn is None else turn

        def vector(x: Floats, factor: float = 1.0) -> list[float]:
            return scaled(x[[0, 2]] if flat else R @ x, factor)

        out: dict[str, Any] = {
            "name": self.name,
            "dimension": 2 if flat else 3,
            "gravity": [0.0, -GRAVITY] if flat else [0.0, 0.0, -GRAVITY],
            "bodies": {},
            "joints": {},
        }
        if coordinates != "absolute":
            out["coordinates"] = coordinates
        rate = np.sqrt(GRAVITY / length)
        for name, body in self.bodies.items():
            entry: dict[str, Any] = {"mass": float(mass * body["mass"]), "position": vector(body["position"], length)}
            inertia = mass * length**2 * body["inertia"]
            if flat:
                entry |= {"inertia": float(inertia[1]), "angle": float(np.arctan2(body["x"][2], body["x"][0]))}
            else:
                entry |= {"inertia": scaled(inertia, 1.0), "orientation": {"x_axis": vector(body["x"]), "y_axis": vector(body["y"])}}
            if spins and coordinates == "absolute":
                spin = spins * rate * self.rng.uniform(-1.0, 1.0, 3)
                entry["angular_velocity"] = float(spin[0]) if flat else scaled(spin, 1.0)
            out["bodies"][name] = entry
        for name, joint in self.joints.items():
            entry = {"type": joint["type"], "bodies": joint["bodies"]}
            at = joint["at"]
            entry["at"] = vector(at, length) if at.ndim == 1 else [vector(p, length) for p in at]
            if "axis" in joint and not (flat and joint["type"] == "revolute"):
                entry["axis"] = vector(joint["axis"])
            if "axes" in joint:
                entry["axes"] = [vector(a) for a in joint["axes"]]
            out["joints"][name] = entry
        if self.springs:
            out["forces"] = {
                name: {
                    "type": "spring_damper",
                    "bodies": spring["bodies"],
                    "at": [vector(p, length) for p in spring["at"]],
                    "stiffness": float(spring["stiffness"] * mass * GRAVITY / length / 10.0),
                    "damping": float(spring["damping"] * mass * rate),
                }
                for name, spring in self.springs.items()
            }
        out["simulation"] = {"end": float(self.span(length)), "step": float(self.span(length) / 200.0)}
        return out

    @staticmethod
    def span(length: float) -> float:
        """The time in s that a pendulum of that length takes for about a radian."""
        return float(np.sqrt(length / GRAVITY))


def rotation(rng: np.random.Generator) -> Floats:
    """A turn, uniformly at random (3, 3)."""
    Q, R = np.linalg.qr(rng.standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0.0 else -Q


def direction(rng: np.random.Generator) -> Floats:
    v = rng.standard_normal(3)
    return np.asarray(v / np.linalg.norm(v))


def across(axis: Floats, rng: np.random.Generator) -> Floats:
    """A unit vector perpendicular to `axis`."""
    v = np.cross(axis, direction(rng))
    return np.asarray(v / np.linalg.norm(v))
