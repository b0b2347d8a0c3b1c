"""What may touch what in `contact_audit`: balls, capsules, boxes, stones and points on planes and each other, by own formulas."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import ConvexHull


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


FAR = 1.0  # m: a gap of what is not nearest
FLAT, STANDS = 5e-3, 1e-4  # sines: up to which an end stands on points of its rim, and up to which on nothing else
CORNERS = 8  # these points


@dataclass(frozen=True)
class OnPlane(Pair):
    """A ball, a point or a circle of the second body on a plane of the first; body axes from the centres of mass.

    A circle that lies nearly flat is higher by a little, as the page on contacts says.
    """

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
            down, c = -n + (n @ axis) * axis, float(n @ axis)
            sine = float(np.linalg.norm(down))
            if sine <= STANDS:
                return Touch(FAR, centre, n)
            u, lift = max(0.0, (FLAT - sine) / (FLAT - STANDS)), self.radius * (1.0 - np.cos(np.pi / CORNERS)) * STANDS
            support, slope = self.radius * sine - lift * u**3, self.radius + 3.0 * lift * u * u / (FLAT - STANDS)
            lowest = centre + (support * sine + slope * c * c) * down / sine + c * (sine * slope - support) * axis
        return Touch(float(n @ (lowest - s.x[self.first] - s.R[self.first] @ self.through)), lowest, n)


@dataclass(frozen=True)
class OfEnd(OnPlane):
    """One of the points on which a flat end stands; `end` is the axis."""

    end: Any = None

    def touch(self, s: State) -> Touch:
        on = super().touch(s)
        return on if np.linalg.norm(cross(on.normal, s.R[self.second] @ self.end)) < FLAT else on._replace(gap=FAR)


def points_of_end(at: np.ndarray, radius: float) -> list[np.ndarray]:
    """(3,) each, of a circle about z."""
    angles = 2.0 * np.pi * (np.arange(CORNERS) + 0.5) / CORNERS
    return [at + radius * np.array([np.cos(w), np.sin(w), 0.0]) for w in angles]


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


class Stone(NamedTuple):
    """A polyhedron about points of which no four of a face lie in one plane, so its faces are triangles; body axes."""

    points: np.ndarray  # (n, 3)
    radius: float = 0.0

    @property
    def half(self) -> np.ndarray:
        """(3,) half the sides of the box about it."""
        return np.asarray(np.abs(self.points).max(axis=0))

    def corners(self) -> list[np.ndarray]:
        return list(self.points)

    def planes(self) -> tuple[np.ndarray, np.ndarray]:
        """(f, 3) normals and (f,) heights of its faces."""
        found = ConvexHull(self.points).equations
        return found[:, :3], -found[:, 3]

    def edges(self) -> list[tuple[np.ndarray, np.ndarray, float, list[np.ndarray]]]:
        """As of a solid; of the normals those across which the edge lies in the faces are turned: n counts between the faces."""
        hull, found = ConvexHull(self.points), []
        for k, triangle in enumerate(hull.simplices):
            for m in hull.neighbors[k]:
                if m > k:
                    i, j = sorted(set(triangle) & set(hull.simplices[m]))
                    a, b = self.points[i], self.points[j]
                    axis, n, other = (b - a) / np.linalg.norm(b - a), hull.equations[k, :3], hull.equations[m, :3]
                    way = np.sign(cross(n, other) @ axis)
                    sides = [way * cross(axis, n), way * cross(other, axis)]
                    found.append((0.5 * (a + b), axis, 0.5 * float(np.linalg.norm(b - a)), sides))
        return found


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
class OnStone(Pair):
    """A ball or a corner of the second body on a stone that is the first."""

    faces: Any = None
    points: Any = None
    at: Any = None
    radius: float = 0.0

    def touch(self, s: State) -> Touch:
        centre = s.x[self.second] + s.R[self.second] @ self.at
        p = s.R[self.first].T @ (centre - s.x[self.first])
        heights = self.faces[0] @ p - self.faces[1]
        k = int(np.argmax(heights))
        if self.radius == 0.0 or heights[k] <= 0.0:
            n = s.R[self.first] @ self.faces[0][k]
            return Touch(float(heights[k]) - self.radius, centre - self.radius * n, n)
        n = p - nearest(self.points, p)
        length = float(np.linalg.norm(n))
        n = s.R[self.first] @ n / length
        return Touch(length - self.radius, centre - self.radius * n, n)


def nearest(points: np.ndarray, p: np.ndarray) -> np.ndarray:
    """(3,) of the hull of points (n, 3), by least squares with weights that are not negative and whose sum is one."""
    from scipy.optimize import nnls

    weight = 1e5
    x, _ = nnls(np.vstack([(points - p).T, np.full(len(points), weight)]), np.array([0.0, 0.0, 0.0, weight]))
    found = x > 1e-9  # the corner, the edge or the face that it is on, to the last digit
    base, rest = points[found][0], (points[found][1:] - points[found][0]).T
    return np.asarray(base + rest @ np.linalg.lstsq(rest, p - base, rcond=None)[0]) if rest.size else np.asarray(base)


@dataclass(frozen=True)
class Edges(Pair):
    """An edge of either body: middle, direction, half length, normals of faces; radii about them."""

    one: Any = None
    other: Any = None
    radii: tuple[float, float] = (0.0, 0.0)
    out: bool = False  # whether n is known by the faces

    def touch(self, s: State) -> Touch:
        (M, a, l, first), (N, b, m, second) = self.one, self.other
        R, Q = s.R[self.first], s.R[self.second]
        a, b, d = R @ a, Q @ b, s.x[self.second] + Q @ N - s.x[self.first] - R @ M
        middle = s.x[self.first] + R @ M
        n = cross(a, b)
        if np.linalg.norm(n) < 1e-6:
            return Touch(FAR, middle, np.array([0.0, 0.0, 1.0]))
        n /= np.linalg.norm(n)
        sums = sum((R @ side for side in first), np.zeros(3)) - sum((Q @ side for side in second), np.zeros(3))
        ahead = sums if self.out else s.x[self.second] - s.x[self.first]
        n = n if n @ ahead > 0.0 else -n
        t, u = np.linalg.solve([[1.0, -(a @ b)], [a @ b, -1.0]], [d @ a, d @ b])
        towards = [n @ (R @ side) for side in first] + [-(n @ (Q @ side)) for side in second]
        gap = float(n @ d) - sum(self.radii)
        if min(towards) < -1e-9 or abs(t) > l or abs(u) > m or gap < -0.02:
            return Touch(FAR, middle, n)
        return Touch(gap, middle + t * a + self.radii[0] * n, n)


def solid_pairs(first: int, second: int, law: Law, one: Solid | Stone, other: Solid | Stone) -> list[Pair]:
    """All by which two solids may touch."""
    found: list[Pair] = []
    for i, solid, j, ball in ((first, one, second, other), (second, other, first, one)):
        if isinstance(solid, Stone):
            found += [OnStone(i, j, law, solid.planes(), solid.points, corner, ball.radius) for corner in ball.corners()]
        elif solid.half.any():
            found += [OnSolid(i, j, law, solid, corner, ball.radius) for corner in ball.corners()]
    radii, out = (one.radius, other.radius), isinstance(one, Stone) or isinstance(other, Stone)
    return found + [Edges(first, second, law, a, b, radii, out) for a in one.edges() for b in other.edges()]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
