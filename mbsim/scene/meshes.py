"""Triangle meshes of simple solids: vertices (n, 3) in metres and faces (m, 3), outwards. Edges that shall look sharp have two vertices."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.scene.read import Floats
from mbsim.scene.turns import frame

AROUND = 32  # sides of what is round


class Mesh(NamedTuple):
    """Vertices (n, 3) and faces (m, 3)."""

    vertices: Floats
    faces: NDArray[np.int64]

    def moved(self, place: Floats, turn: Floats | None = None) -> "Mesh":
        """Turned by a matrix (3, 3), then shifted."""
        turned = self.vertices if turn is None else self.vertices @ turn.T
        return Mesh(turned + place, self.faces)


def join(*meshes: Mesh) -> Mesh:
    """Several as one."""
    counts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + first for mesh, first in zip(meshes, counts, strict=False)]),
    )


def ring(radius: float, count: int = AROUND) -> Floats:
    """Points (count, 2) of a circle, counterclockwise."""
    turn = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    return radius * np.column_stack([np.cos(turn), np.sin(turn)])


def prism(outline: Floats, low: float, high: float) -> Mesh:
    """What an outline (k, 2), counterclockwise, sweeps along z from `low` to `high`."""
    k = len(outline)
    around = np.arange(k)
    after = (around + 1) % k
    levels = [np.column_stack([outline, np.full(k, z)]) for z in (low, high)]
    wall = np.concatenate([np.stack([around, after, after + k], axis=1), np.stack([around, after + k, around + k], axis=1)])
    area = triangles(outline)
    return Mesh(np.concatenate([*levels, *levels]), np.concatenate([wall, area[:, ::-1] + 2 * k, area + 3 * k]))


def triangles(outline: Floats) -> NDArray[np.int64]:
    """A polygon (k, 2), counterclockwise, cut into triangles (k - 2, 3): ear by ear where it is not convex."""
    k = len(outline)
    edges = np.roll(outline, -1, axis=0) - outline
    turns = edges[:, 0] * np.roll(edges[:, 1], -1) - edges[:, 1] * np.roll(edges[:, 0], -1)
    if (turns >= -1e-12 * np.abs(turns).max()).all():
        return np.array([(0, i, i + 1) for i in range(1, k - 1)])
    left, found = list(range(k)), []
    while len(left) > 3:
        ear = next((n for n in range(len(left)) if _is_ear(outline, left, n)), 0)
        found.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        left.pop(ear)
    return np.array([*found, tuple(left)])


def _is_ear(outline: Floats, left: list[int], n: int) -> bool:
    """Whether a corner of what is left of a polygon can be cut off."""
    a, b, c = (outline[left[m % len(left)]] for m in (n - 1, n, n + 1))
    others = outline[[i for m, i in enumerate(left) if (m - n) % len(left) not in (0, 1, len(left) - 1)]]

    def beside(p: Floats, r: Floats, at: Floats) -> Floats:
        found: Floats = (r[0] - p[0]) * (at[..., 1] - p[1]) - (r[1] - p[1]) * (at[..., 0] - p[0])
        return found

    inside = (beside(a, b, others) >= 0.0) & (beside(b, c, others) >= 0.0) & (beside(c, a, others) >= 0.0)
    return bool(beside(a, b, c) > 0.0) and not inside.any()


def cylinder(radius: float, low: float, high: float, count: int = AROUND) -> Mesh:
    """A cylinder about z."""
    return prism(ring(radius, count), low, high)


def box(edges: Floats) -> Mesh:
    """A cuboid about the origin, edges along the axes; every face has its own corners."""
    corners: list[Floats] = []
    faces = []
    for k in range(3):
        for sign in (-1.0, 1.0):
            x, y = np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
            around = [(1, 1), (-1, 1), (-1, -1), (1, -1)] if sign > 0 else [(1, 1), (1, -1), (-1, -1), (-1, 1)]
            n = len(corners)
            corners += [(sign * np.eye(3)[k] + i * x + j * y) * edges / 2.0 for i, j in around]
            faces += [(n, n + 1, n + 2), (n, n + 2, n + 3)]
    return Mesh(np.array(corners), np.array(faces))


def sphere(radius: float, count: int = AROUND) -> Mesh:
    """A ball about the origin."""
    return lathe(np.array([[radius * np.sin(a), -radius * np.cos(a)] for a in np.linspace(0.0, np.pi, count // 2 + 1)]), count)


def capsule(radius: float, low: float, high: float, count: int = AROUND) -> Mesh:
    """A cylinder about z from `low` to `high` with half spheres at its ends."""
    arc = np.linspace(0.0, np.pi / 2.0, count // 4 + 1)
    bottom = np.column_stack([radius * np.sin(arc), low - radius * np.cos(arc)])
    top = np.column_stack([radius * np.cos(arc), high + radius * np.sin(arc)])
    return lathe(np.vstack([bottom, top]), count)


def lathe(profile: Floats, count: int = AROUND) -> Mesh:
    """What a profile (k, 2) of radii and heights, upwards, sweeps about z."""
    k = len(profile)
    circle = ring(1.0, count)
    vertices = np.concatenate([np.column_stack([r * circle, np.full(count, z)]) for r, z in profile])
    faces = []
    for i in range(k - 1):
        a, b = i * count + np.arange(count), i * count + (np.arange(count) + 1) % count
        if profile[i][0] > 0.0:
            faces.append(np.stack([a, b, b + count], axis=1))
        if profile[i + 1][0] > 0.0:
            faces.append(np.stack([a, b + count, a + count], axis=1))
    return Mesh(vertices, np.concatenate(faces))


def coil(radius: float, wire: float, length: float, turns: int) -> Mesh:
    """A spring about z of length 1, to be scaled to its length; its wire is round at the given length, m."""
    lead, steps = 0.1, 14
    t = np.linspace(0.0, 1.0, turns * steps + 1)
    grow = np.minimum(1.0, 12.0 * np.minimum(t, 1.0 - t))
    turn = 2.0 * np.pi * turns * t
    helix = np.column_stack([radius * grow * np.cos(turn), radius * grow * np.sin(turn), length * (lead + (1.0 - 2.0 * lead) * t)])
    path = np.vstack([[0.0, 0.0, 0.0], helix, [0.0, 0.0, length]])
    found = tube(path, wire, 6)
    return Mesh(found.vertices / np.array([1.0, 1.0, length]), found.faces)


def tube(path: Floats, radius: float, count: int = 8) -> Mesh:
    """A round wire along a path (k, 3)."""
    k = len(path)
    tangents = np.gradient(path, axis=0)
    tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-12)
    x = frame(tangents[0])[:, 0]
    vertices = []
    for place, tangent in zip(path, tangents, strict=True):
        x = x - tangent * float(x @ tangent)
        x = x / np.linalg.norm(x)
        vertices.append(place + ring(radius, count) @ np.array([x, np.cross(tangent, x)]))
    faces = []
    for i in range(k - 1):
        a, b = i * count + np.arange(count), i * count + (np.arange(count) + 1) % count
        faces += [np.stack([a, b, b + count], axis=1), np.stack([a, b + count, a + count], axis=1)]
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def gear(radius: float, tooth: float, low: float, high: float) -> Mesh:
    """A wheel with teeth about a pitch circle."""
    count = max(8, round(2.0 * np.pi * radius / (2.4 * tooth)))
    step = 2.0 * np.pi / count
    outline = []
    for i in range(count):
        for share, height in ((0.04, -0.55), (0.2, 0.5), (0.46, 0.5), (0.62, -0.55)):
            angle = (i + share) * step
            outline.append([(radius + height * tooth) * np.cos(angle), (radius + height * tooth) * np.sin(angle)])
    return prism(np.array(outline), low, high)


def annulus(inner: float, outer: float, low: float, high: float, count: int = 64) -> Mesh:
    """A ring about z."""
    profile = np.array([[inner, low], [outer, low], [outer, high], [inner, high], [inner, low]])
    circle = ring(1.0, count)
    vertices: list[Floats] = []
    faces = []
    for (r, z), (s, w) in pairwise(profile.tolist()):
        n = 2 * count * len(vertices)
        vertices.append(np.column_stack([np.vstack([r * circle, s * circle]), np.repeat([z, w], count)]))
        a, b = n + np.arange(count), n + (np.arange(count) + 1) % count
        faces += [np.stack([a, b, b + count], axis=1), np.stack([a, b + count, a + count], axis=1)]
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def spindle(radius: float, tendon: float) -> Mesh:
    """A muscle about z of length 1, to be scaled to its length: a belly between two tendons, radii in m."""
    t = np.linspace(0.12, 0.88, 17)
    belly = tendon + (radius - tendon) * np.sin(np.pi * (t - t[0]) / (t[-1] - t[0])) ** 1.5
    ends = [[0.0, 0.0], [tendon, 0.0]], [[tendon, 1.0], [0.0, 1.0]]
    return lathe(np.vstack([ends[0], np.column_stack([belly, t]), ends[1]]))


def torus(radius: float, wire: float, count: int = 48, sides: int = 10) -> Mesh:
    """A ring of round wire about z: `radius` to the middle of the wire."""
    circle = ring(1.0, count)
    vertices = np.concatenate([np.column_stack([(radius + x) * circle, np.full(count, z)]) for x, z in ring(wire, sides)])
    faces = []
    for i in range(sides):
        j = (i + 1) % sides
        a, b = np.arange(count), (np.arange(count) + 1) % count
        faces += [
            np.stack([a, b, b + (j - i) * count], axis=1) + i * count,
            np.stack([a, b + (j - i) * count, a + (j - i) * count], axis=1) + i * count,
        ]
    return Mesh(vertices, np.concatenate(faces))


def between(a: Floats, b: Floats, made: "Mesh") -> Mesh:
    """A mesh about z, its origin put to a and its z axis towards b."""
    return made.moved(a, frame(b - a))
