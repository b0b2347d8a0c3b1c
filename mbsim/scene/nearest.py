"""Where two bodies are nearest to each other by a rigid contact, at every pose: the place, the normal and the tangents of its rows.

These are the formulas of the rows (`mbsim/kernels/spatial_solids.py`, `spatial_hulls.py`, `spatial_edges.py` and
`mbsim/elements/rows/slip_round.py`) in arrays over poses, so that a picture needs no compiler. Rims are in `rims.py`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mbsim.kernels.primitives import SOLID_A, SOLID_BOX, SOLID_CYLINDER, SOLID_HULL, SOLID_Y
from mbsim.scene.meetings import Meeting
from mbsim.scene.motion import Motion
from mbsim.scene.places import EVEN, Place, turned, unit
from mbsim.scene.read import End, Floats
from mbsim.scene.rims import foot, on_faces, on_line, on_rim


def nearest(one: Meeting, poses: Motion, planar: bool) -> Place:
    """Where it is in every pose."""
    return _FINDERS[one.kind](one, poses, planar)


def _on_plane(one: Meeting, poses: Motion, planar: bool) -> Place:
    x, y, n = (poses.turn(one.bodies[0], axis) for axis in one.axes[0])
    centre = poses.place(End(one.bodies[1], one.points[1]))
    return Place(centre - one.radii[1] * n, n, [x] if planar else [x, y])


def _on_rim(one: Meeting, poses: Motion, planar: bool) -> Place:
    """The lowest point of a circle."""
    on = _on_plane(one._replace(radii=(0.0, 0.0)), poses, planar)
    axis = poses.turn(one.bodies[1], one.axes[1][2])
    return on._replace(at=on.at + foot(on.normal, axis, one.radii[1]))


def _of_balls(one: Meeting, poses: Motion, planar: bool) -> Place:
    first, second = (poses.place(End(body, point)) for body, point in zip(one.bodies, one.points, strict=True))
    n = unit(second - first)
    if planar:
        tangents = [np.stack([-n[:, 1], n[:, 0], n[:, 2]], axis=1)]
    else:
        x, y, z = (poses.turn(one.bodies[0], axis) for axis in one.axes[0])
        tangents = [turned(z, x, n), turned(z, y, n)]
    return Place(second - one.radii[1] * n, n, tangents)


def _on_solid(one: Meeting, poses: Motion, planar: bool) -> Place:
    """In axes of the solid (k, 3): the centre p of what touches it, and n."""
    centre = poses.place(End(one.bodies[1], one.points[1]))
    x, y, z = (poses.turn(one.bodies[0], axis) for axis in one.axes[0])
    axes = np.stack([x, y, z], axis=1)  # (k, 3, 3) rows

    def local(at: Floats) -> Floats:
        found: Floats = np.einsum("kij,kj->ki", axes, at - poses.place(End(one.bodies[0], one.points[0])))
        return found

    p, middle = local(centre), local(poses.position[:, one.bodies[1]])
    away, face = _SOLIDS[one.numbers["form"][0]](one, p, middle)
    length = np.linalg.norm(away, axis=1)
    flat = (length == 0.0) | (one.numbers["sharp"][0] != 0.0)
    n = np.where(flat[:, None], face, away / np.where(length > 0.0, length, 1.0)[:, None])
    A, Y = (np.broadcast_to(np.array(axis), n.shape) for axis in (SOLID_A, SOLID_Y))
    e = turned(A, Y, n)
    n, e = (np.einsum("kij,ki->kj", axes, each) for each in (n, e))
    return Place(centre - one.radii[1] * n, n, [e, np.cross(n, e)])


def _from_box(one: Meeting, p: Floats, middle: Floats) -> tuple[Floats, Floats]:
    """(k, 3) each: r from the nearest point of the solid to p, and the normal of the face that p is in.

    `middle` is the centre of the other body: of two faces the one counts that it is beyond.
    """
    half = one.numbers["half"]
    heights = np.abs(p) - half
    k = _kept(heights, np.abs(middle) - half, float(half.sum()))
    n, rows = np.zeros_like(p), np.arange(len(p))
    n[rows, k] = np.where(p[rows, k] >= 0.0, 1.0, -1.0)
    return p - np.clip(p, -half, half), n


def _from_cylinder(one: Meeting, p: Floats, middle: Floats) -> tuple[Floats, Floats]:
    R, _, half = one.numbers["half"]
    rho = np.hypot(p[:, 0], p[:, 1])
    outwards = p * [1.0, 1.0, 0.0] / np.where(rho > 0.0, rho, 1.0)[:, None]
    heights = np.stack([rho - R, np.abs(p[:, 2]) - half], axis=1)
    beyond = np.stack([np.hypot(middle[:, 0], middle[:, 1]) - R, np.abs(middle[:, 2]) - half], axis=1)
    up = np.array([0.0, 0.0, 1.0]) * np.where(p[:, 2:] >= 0.0, 1.0, -1.0)
    n = np.where(_kept(heights, beyond, R + half)[:, None] == 0, outwards, up)
    parts = np.maximum(heights, 0.0)
    return parts[:, :1] * outwards + parts[:, 1:] * up, n


def _from_hull(one: Meeting, p: Floats, middle: Floats) -> tuple[Floats, Floats]:
    numbers = one.numbers["form"]
    faces, edges = numbers[4 : 4 + 4 * int(numbers[1])].reshape(-1, 4), numbers[4 + 4 * int(numbers[1]) :].reshape(-1, 7)
    heights = p @ faces[:, :3].T - faces[:, 3]
    n = faces[_kept(heights, middle @ faces[:, :3].T - faces[:, 3], float(numbers[3])), :3]
    r, least = np.zeros_like(p), np.full(len(p), np.inf)
    for f, face in enumerate(faces):
        foot = p - heights[:, f, None] * face[:3]
        others = np.delete(foot @ faces[:, :3].T - faces[:, 3], f, axis=1)
        above = (heights[:, f] > 0.0) & (others <= 0.0).all(axis=1)
        r[above], least[above] = (p - foot)[above], 0.0
    outside = (heights > 0.0).any(axis=1)
    for edge in edges:
        along = np.clip((p - edge[:3]) @ edge[3:6], -edge[6], edge[6])
        away = p - edge[:3] - along[:, None] * edge[3:6]
        length = np.linalg.norm(away, axis=1)
        nearer = outside & (length < least)
        r[nearer], least[nearer] = away[nearer], length[nearer]
    return r, n


def _kept(heights: Floats, beyond: Floats, size: float) -> NDArray[np.int64]:
    """(k,) which face a point is in."""
    off, rows = np.abs(heights) + EVEN * size, np.arange(len(heights))
    off[rows, np.argmax(beyond, axis=1)] -= EVEN * size
    return np.asarray(np.argmin(off, axis=1))


_SOLIDS = {SOLID_BOX: _from_box, SOLID_CYLINDER: _from_cylinder, SOLID_HULL: _from_hull}


def _of_edges(one: Meeting, poses: Motion, planar: bool) -> Place:
    i, j, k, m = one.numbers["edge"]
    frames = [np.stack([poses.turn(body, axis) for axis in axes], axis=1) for body, axes in zip(one.bodies, one.axes, strict=True)]
    centres = [poses.place(End(body, point)) for body, point in zip(one.bodies, one.points, strict=True)]
    a, b = frames[0][:, int(i)], frames[1][:, int(j)]
    n = unit(np.cross(a, b))
    n *= np.where(_out(one, n, poses, centres[1] - centres[0])[:, None] >= 0.0, 1.0, -1.0)
    first = centres[0] + _edge(frames[0], int(i), k, n, one.numbers["half"])
    second = centres[1] + _edge(frames[1], int(j), m, -n, one.numbers["its_half"])
    d, c = second - first, np.sum(a * b, axis=1)
    da, db = np.sum(d * a, axis=1), np.sum(d * b, axis=1)
    along = (c * da - db) / np.maximum(1.0 - c * c, EVEN**2)
    return Place(second + along[:, None] * b - one.radii[1] * n, n, [a, np.cross(n, a)])


def _out(one: Meeting, n: Floats, poses: Motion, d: Floats) -> Floats:
    """(k,) what is above zero where n looks out of the first body."""
    cones = one.numbers["cones"]
    if cones[0] == 0.0:
        return np.asarray(np.sum(n * d, axis=1))
    first, second = (poses.turn(body, cone[:3] + cone[3:]) for body, cone in zip(one.bodies, cones[1:].reshape(2, 6), strict=True))
    return np.asarray(np.sum(n * (first - second), axis=1))


def _edge(axes: Floats, i: int, k: float, n: Floats, half: Floats) -> Floats:
    """(k, 3) from the centre of a box to the middle of its edge that `spatial_edges.farthest` picks to where n looks."""
    p, q = ((1, 2), (2, 0), (0, 1))[i]
    up, uq = np.sum(axes[:, p] * n, axis=1), np.sum(axes[:, q] * n, axis=1)
    large = np.abs(up) >= np.abs(uq)
    sign = np.where(np.where(large, up, uq) >= 0.0, 1.0, -1.0)
    sp, sq = np.where(large, sign, k * sign), np.where(large, k * sign, sign)
    return np.asarray((sp * half[p])[:, None] * axes[:, p] + (sq * half[q])[:, None] * axes[:, q])


_FINDERS: dict[str, Callable[[Meeting, Motion, bool], Place]] = {
    "plane": _on_plane,
    "rim": _on_rim,
    "round": _of_balls,
    "solid": _on_solid,
    "edges": _of_edges,
    "rim_on_faces": on_faces,
    "rim_on_line": on_line,
    "rim_on_rim": on_rim,
}
