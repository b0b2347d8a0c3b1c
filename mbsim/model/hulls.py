"""Convex polyhedra about points: their corners, plane faces and edges. Faces of triangles that lie in one plane are one face."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FLAT = 1e-5  # of unit normals: faces that differ by less are one, as files hold numbers of 32 bits
THIN = 1e-9  # of the extent: what has less thickness has no volume


class HullEdge(NamedTuple):
    """An edge, and the normals of the faces that it joins; its direction is along the product of the first and the second one."""

    middle: Floats  # (3,) m
    direction: Floats  # (3,) unit
    half: float  # its length, m
    normals: tuple[Floats, Floats]  # (3,) each, out of the polyhedron


class Hull(NamedTuple):
    """A convex polyhedron; the axes are those of its corners."""

    corners: Floats  # (n, 3) m
    normals: Floats  # (f, 3) unit, out of each face
    heights: Floats  # (f,) normal . corner of each face, m
    edges: list[HullEdge]
    triangles: NDArray[np.int64]  # (m, 3) of corners, counterclockwise seen from outside


def hull_of(points: Sequence[Sequence[float]] | Floats) -> Hull:
    """The convex hull of points (n, 3), m. Raises ValueError where they have no volume."""
    from scipy.spatial import ConvexHull, QhullError  # not needed by most models

    p = np.asarray(points, float)
    extent = float(np.ptp(p, axis=0).max()) if len(p) else 0.0
    try:
        found = ConvexHull(p)
    except (QhullError, ValueError):
        raise ValueError("the points have no volume: they lie in one plane") from None
    if found.volume <= THIN * extent**3:
        raise ValueError("the points have no volume: they lie in one plane")
    face_of, normals = _faces(found.equations[:, :3])
    # the corners are where three faces or more meet; other points of the hull lie on its faces and edges
    meeting: dict[int, set[int]] = {}
    for triangle, face in zip(found.simplices, face_of, strict=True):
        for corner in triangle:
            meeting.setdefault(int(corner), set()).add(int(face))
    kept = sorted(corner for corner, faces in meeting.items() if len(faces) >= 3)
    corners = p[kept]
    heights = np.array([(corners @ n).max() for n in normals])
    shared = {c: meeting[c] for c in kept}
    edges = []
    for k, first in enumerate(kept):
        for second in kept[k + 1 :]:
            between = sorted(shared[first] & shared[second])
            if len(between) == 2:
                edges.append(_edge(p[first], p[second], normals[between[0]], normals[between[1]]))
    return Hull(corners, normals, heights, edges, _triangles(found, kept, normals, face_of))


def _faces(normals: Floats) -> tuple[list[int], Floats]:
    """Of each triangle the number of its face, and the normals of the faces: the mean of those of their triangles."""
    found: list[Floats] = []
    members: list[list[int]] = []
    for t, n in enumerate(normals):
        near = next((k for k, known in enumerate(found) if np.abs(n - known).max() < FLAT), None)
        if near is None:
            found.append(n)
            members.append([t])
        else:
            members[near].append(t)
    means = [normals[each].mean(axis=0) for each in members]
    number = {t: k for k, each in enumerate(members) for t in each}
    return [number[t] for t in range(len(normals))], np.array([n / np.linalg.norm(n) for n in means])


def _edge(a: Floats, b: Floats, p: Floats, q: Floats) -> HullEdge:
    along = b - a
    length = float(np.linalg.norm(along))
    direction = along / length
    sign = 1.0 if np.cross(p, q) @ direction > 0.0 else -1.0
    return HullEdge(0.5 * (a + b), sign * direction, 0.5 * length, (p, q))


def _triangles(found: Any, kept: list[int], normals: Floats, face_of: list[int]) -> NDArray[np.int64]:
    """The faces cut into triangles about their first corners."""
    p = found.points
    of_face: dict[int, set[int]] = {}
    for triangle, face in zip(found.simplices, face_of, strict=True):
        of_face.setdefault(face, set()).update(int(c) for c in triangle)
    place = {c: k for k, c in enumerate(kept)}
    triangles = []
    for face, members in sorted(of_face.items()):
        around = [c for c in sorted(members) if c in place]
        n = normals[face]
        middle = p[around].mean(axis=0)
        x = p[around[0]] - middle
        y = np.cross(n, x)
        turn = np.argsort([np.arctan2((p[c] - middle) @ y, (p[c] - middle) @ x) for c in around])
        ordered = [place[around[k]] for k in turn]
        triangles += [(ordered[0], ordered[k], ordered[k + 1]) for k in range(1, len(ordered) - 1)]
    return np.array(triangles, np.int64)
