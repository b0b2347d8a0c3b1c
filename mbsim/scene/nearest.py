"""Where two bodies are nearest to each other by a rigid contact, at every pose: the place, the normal and the tangents of its rows.

These are the formulas of the rows (`mbsim/kernels/spatial_solids.py`, `spatial_edges.py`, `mbsim/elements/rows/slip_round.py`) in arrays over
poses, so that a picture needs no compiler.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mbsim.kernels.primitives import SOLID_A, SOLID_Y
from mbsim.scene.meetings import Meeting
from mbsim.scene.motion import Motion
from mbsim.scene.read import End, Floats

EVEN = 1e-9  # as of the kernels: of a component, what is less is round-off


class Place(NamedTuple):
    """(k, 3) each, global."""

    at: Floats  # on the second body, m
    normal: Floats  # from the first body to the second
    tangents: list[Floats]


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
    down = _unit(np.sum(on.normal * axis, axis=1, keepdims=True) * axis - on.normal)
    return on._replace(at=on.at + one.radii[1] * down)


def _of_balls(one: Meeting, poses: Motion, planar: bool) -> Place:
    first, second = (poses.place(End(body, point)) for body, point in zip(one.bodies, one.points, strict=True))
    n = _unit(second - first)
    if planar:
        tangents = [np.stack([-n[:, 1], n[:, 0], n[:, 2]], axis=1)]
    else:
        x, y, z = (poses.turn(one.bodies[0], axis) for axis in one.axes[0])
        tangents = [_turned(z, x, n), _turned(z, y, n)]
    return Place(second - one.radii[1] * n, n, tangents)


def _on_solid(one: Meeting, poses: Motion, planar: bool) -> Place:
    """In axes of the solid (k, 3): the centre p of what touches it, and n."""
    centre = poses.place(End(one.bodies[1], one.points[1]))
    x, y, z = (poses.turn(one.bodies[0], axis) for axis in one.axes[0])
    axes = np.stack([x, y, z], axis=1)  # (k, 3, 3) rows

    def local(at: Floats) -> Floats:
        found: Floats = np.einsum("kij,kj->ki", axes, at - poses.place(End(one.bodies[0], one.points[0])))
        return found

    p, half = local(centre), one.numbers["half"]
    away = p - np.clip(p, -half, half)
    length = np.linalg.norm(away, axis=1)
    flat = (length == 0.0) | (one.numbers["sharp"][0] != 0.0)
    face = _face(p, local(poses.position[:, one.bodies[1]]), half)
    n = np.where(flat[:, None], face, away / np.where(length > 0.0, length, 1.0)[:, None])
    fixed = [np.broadcast_to(np.array(axis), n.shape) for axis in (SOLID_A, SOLID_Y)]
    e = _turned(*fixed, n)
    n, e = (np.einsum("kij,ki->kj", axes, each) for each in (n, e))
    return Place(centre - one.radii[1] * n, n, [e, np.cross(n, e)])


def _face(p: Floats, middle: Floats, half: Floats) -> Floats:
    """(k, 3) normals of the faces of a box whose planes p is in; `middle` is the centre of the other body."""
    off, beyond = np.abs(np.abs(p) - half), np.abs(middle) - half
    first = np.argmax(beyond, axis=1)
    rows = np.arange(len(p))
    off += EVEN * half.sum()
    off[rows, first] -= EVEN * half.sum()
    k = np.argmin(off, axis=1)
    n = np.zeros_like(p)
    n[rows, k] = np.where(p[rows, k] >= 0.0, 1.0, -1.0)
    return n


def _of_edges(one: Meeting, poses: Motion, planar: bool) -> Place:
    i, j, k, m = one.numbers["edge"]
    frames = [np.stack([poses.turn(body, axis) for axis in axes], axis=1) for body, axes in zip(one.bodies, one.axes, strict=True)]
    centres = [poses.place(End(body, point)) for body, point in zip(one.bodies, one.points, strict=True)]
    a, b = frames[0][:, int(i)], frames[1][:, int(j)]
    n = _unit(np.cross(a, b))
    n *= np.where(np.sum(n * (centres[1] - centres[0]), axis=1, keepdims=True) >= 0.0, 1.0, -1.0)
    first = centres[0] + _edge(frames[0], int(i), k, n, one.numbers["half"])
    second = centres[1] + _edge(frames[1], int(j), m, -n, one.numbers["its_half"])
    d, c = second - first, np.sum(a * b, axis=1)
    da, db = np.sum(d * a, axis=1), np.sum(d * b, axis=1)
    along = (c * da - db) / np.maximum(1.0 - c * c, EVEN**2)
    return Place(second + along[:, None] * b - one.radii[1] * n, n, [a, np.cross(n, a)])


def _edge(axes: Floats, i: int, k: float, n: Floats, half: Floats) -> Floats:
    """(k, 3) from the centre of a box to the middle of its edge that `spatial_edges.farthest` picks to where n looks."""
    p, q = ((1, 2), (2, 0), (0, 1))[i]
    up, uq = np.sum(axes[:, p] * n, axis=1), np.sum(axes[:, q] * n, axis=1)
    large = np.abs(up) >= np.abs(uq)
    sign = np.where(np.where(large, up, uq) >= 0.0, 1.0, -1.0)
    sp, sq = np.where(large, sign, k * sign), np.where(large, k * sign, sign)
    return np.asarray((sp * half[p])[:, None] * axes[:, p] + (sq * half[q])[:, None] * axes[:, q])


def _turned(A: Floats, Y: Floats, n: Floats) -> Floats:
    """(k, 3) the direction Y turned as A is turned onto n by the shortest way."""
    below = np.sum(A * n, axis=1, keepdims=True) + 1.0
    turn = np.sum(Y * n, axis=1, keepdims=True) / np.where(below > EVEN, below, np.inf)
    return np.asarray(Y - turn * (A + n))


def _unit(x: Floats) -> Floats:
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return np.asarray(x / np.where(length > 0.0, length, 1.0))


_FINDERS: dict[str, Callable[[Meeting, Motion, bool], Place]] = {
    "plane": _on_plane,
    "rim": _on_rim,
    "round": _of_balls,
    "solid": _on_solid,
    "edges": _of_edges,
}
