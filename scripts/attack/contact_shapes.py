"""What may touch what in `contact_audit`: balls, capsules, boxes and points on planes and on each other, by own formulas for distances."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class State(NamedTuple):
    """Where bodies are: position (3,), rotation (3, 3), velocity, angular velocity, global axes; the ground is last."""

    x: np.ndarray  # (n + 1, 3)
    R: np.ndarray  # (n + 1, 3, 3)
    u: np.ndarray
    omega: np.ndarray


class Touch(NamedTuple):
    """Where two bodies are nearest to each other."""

    gap: float  # m
    point: np.ndarray  # (3,) global
    normal: np.ndarray  # (3,) out of the first body, towards the second


@dataclass(frozen=True)
class Law:
    friction: float = 0.0
    static: float = 0.0
    restitution: float = 0.0
    closing: float = 1e-6
    rolling: float = 0.0  # m: resistances to rolling and to drilling
    drilling: float = 0.0


@dataclass(frozen=True)
class Pair(ABC):
    """Something of a body that may touch something of another; `touch` tells where."""

    first: int
    second: int
    law: Law

    @abstractmethod
    def touch(self, s: State) -> Touch:
        """The nearest places of both at a state."""


@dataclass(frozen=True)
class OnPlane(Pair):
    """A ball, a point or a circle of the second body on a plane of the first; body axes from the centres of mass."""

    through: Any = None
    normal: Any = None
    at: Any = None
    radius: float = 0.0
    axis: Any = None  # of a circle

    def touch(self, s: State) -> Touch:
        n, centre = s.R[self.first] @ self.normal, s.x[self.second] + s.R[self.second] @ self.at
        lowest = centre - self.radius * n
        if self.axis is not None:
            axis = s.R[self.second] @ self.axis
            down = -n + (n @ axis) * axis
            lowest = centre + self.radius * down / np.linalg.norm(down)
        return Touch(float(n @ (lowest - s.x[self.first] - s.R[self.first] @ self.through)), lowest, n)


@dataclass(frozen=True)
class Balls(Pair):
    """Two balls; one of radius 0 is a point, and a first one below zero a hollow ball."""

    at: Any = None
    rim: float = 0.0
    to: Any = None
    radius: float = 0.0

    def touch(self, s: State) -> Touch:
        one, other = s.x[self.first] + s.R[self.first] @ self.at, s.x[self.second] + s.R[self.second] @ self.to
        d = other - one
        length = float(np.linalg.norm(d))
        inside = -1.0 if self.rim < 0.0 else 1.0
        n = inside * d / length
        return Touch(inside * (length - abs(self.rim + self.radius)), other - self.radius * n, n)


class Solid(NamedTuple):
    """A box with a radius about it, in axes of its body from the centre of mass; without edges along an axis a capsule, or a ball."""

    half: np.ndarray  # (3,)
    radius: float

    def corners(self) -> list[np.ndarray]:
        """(3,) each, those that are in one place once."""
        signs = [(-1.0, 1.0) if h > 0.0 else (0.0,) for h in self.half]
        return [self.half * np.array([i, j, k]) for i in signs[0] for j in signs[1] for k in signs[2]]

    def edges(self) -> list[tuple[np.ndarray, np.ndarray, float, list[np.ndarray]]]:
        """Of each the middle, the direction, half the length, and the normals of the faces that it joins."""
        found = []
        for a in range(3):
            if self.half[a] > 0.0:
                axis, others = np.eye(3)[a], [k for k in range(3) if k != a]
                signs = [(-1.0, 1.0) if self.half[k] > 0.0 else (0.0,) for k in others]
                for i in signs[0]:
                    for j in signs[1]:
                        sides = [i * np.eye(3)[others[0]], j * np.eye(3)[others[1]]]
                        middle = sum((self.half @ np.abs(side)) * side for side in sides)
                        found.append((np.asarray(middle), axis, float(self.half[a]), sides))
        return found


FAR = 1.0  # m: a gap of what is not nearest


@dataclass(frozen=True)
class OnSolid(Pair):
    """A ball or a corner of the second body on a solid that is the first."""

    solid: Any = None
    at: Any = None
    radius: float = 0.0

    def touch(self, s: State) -> Touch:
        centre = s.x[self.second] + s.R[self.second] @ self.at
        p = s.R[self.first].T @ (centre - s.x[self.first])
        away = p - np.clip(p, -self.solid.half, self.solid.half)
        length = float(np.linalg.norm(away))
        if self.solid.radius + self.radius > 0.0 and length > 0.0:
            n = s.R[self.first] @ (away / length)
            return Touch(length - self.solid.radius - self.radius, centre - self.radius * n, n)
        heights = np.abs(p) - self.solid.half
        k = int(np.argmax(heights))
        return Touch(float(heights[k]), centre, s.R[self.first] @ (np.sign(p[k]) * np.eye(3)[k]))


@dataclass(frozen=True)
class Edges(Pair):
    """An edge of either body: middle, direction, half length, normals of faces; radii about them."""

    one: Any = None
    other: Any = None
    radii: tuple[float, float] = (0.0, 0.0)

    def touch(self, s: State) -> Touch:
        (M, a, l, first), (N, b, m, second) = self.one, self.other
        R, Q = s.R[self.first], s.R[self.second]
        a, b, d = R @ a, Q @ b, s.x[self.second] + Q @ N - s.x[self.first] - R @ M
        middle = s.x[self.first] + R @ M
        n = cross(a, b)
        if np.linalg.norm(n) < 1e-6:
            return Touch(FAR, middle, np.array([0.0, 0.0, 1.0]))
        n /= np.linalg.norm(n)
        n = n if n @ (s.x[self.second] - s.x[self.first]) > 0.0 else -n
        t, u = np.linalg.solve([[1.0, -(a @ b)], [a @ b, -1.0]], [d @ a, d @ b])
        towards = [n @ (R @ side) for side in first] + [-(n @ (Q @ side)) for side in second]
        gap = float(n @ d) - sum(self.radii)
        if min(towards) < -1e-9 or abs(t) > l or abs(u) > m or gap < -0.02:
            return Touch(FAR, middle, n)
        return Touch(gap, middle + t * a + self.radii[0] * n, n)


def solid_pairs(first: int, second: int, law: Law, one: Solid, other: Solid) -> list[Pair]:
    """All by which two solids may touch."""
    found: list[Pair] = []
    for i, solid, j, ball in ((first, one, second, other), (second, other, first, one)):
        if solid.half.any():
            found += [OnSolid(i, j, law, solid, corner, ball.radius) for corner in ball.corners()]
    radii = one.radius, other.radius
    return found + [Edges(first, second, law, a, b, radii) for a in one.edges() for b in other.edges()]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
