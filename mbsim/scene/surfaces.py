"""The planes under rolling disks and balls, blades and contacts: each once, as large as what touches it needs.

A plane of a body moves with that body. One that functions of time move along its normal follows what rolls on it.
"""

from dataclasses import dataclass, field

import numpy as np

from mbsim.scene import height_meshes, meshes
from mbsim.scene.heights import Height
from mbsim.scene.motion import Motion
from mbsim.scene.parts import PALE, Lifted, Part, clearance
from mbsim.scene.read import GROUND, End, Floats, Scene
from mbsim.scene.turns import frame

LINES = (196, 203, 211)
MOST = 80  # lines of a grid in either direction


@dataclass
class Surfaces:
    """The planes of a scene."""

    fixed: list[Part] = field(default_factory=list)
    lifted: list[Lifted] = field(default_factory=list)


def surfaces(scene: Scene, poses: Motion, u: float, high_z: float) -> Surfaces:
    """`u`: half the width of a link, m; `high_z`: the upmost layer of a planar mechanism."""
    found = Surfaces()
    done: list[tuple[int, Floats, Floats]] = []
    for contact in scene.contacts:
        plane = contact.plane
        if plane is None:
            continue
        body, normal = plane.at.body, plane.normal
        seen = [_place(poses, body, one.at) for one in scene.contacts if one.plane is not None and one.plane.at.body == body]
        base = plane.at.point
        if plane.moves:
            base = poses.place(contact.at)[0] - clearance(contact, normal, poses)[0] * normal
        if any(b == body and np.allclose(n, normal) and abs(float((p - base) @ normal)) < 1e-9 for b, p, n in done):
            continue
        done.append((body, base, normal))
        if plane.height is not None:
            found.fixed += _given(scene, contact.name, plane.height, np.concatenate(seen), max(2.0 * contact.radius, 6.0 * u), u, high_z)
            continue
        axes = frame(normal) if not scene.planar else np.array([np.cross(normal, [0, 0, 1.0]), [0, 0, 1.0], normal]).T
        flat = (np.concatenate(seen) - base) @ axes[:, :2]
        margin = max(1.5 * contact.radius, 6.0 * u)
        low, high = flat.min(axis=0) - margin, flat.max(axis=0) + margin
        if scene.planar:
            low[1], high[1] = -3.0 * u, 3.0 * u + high_z
        edges = np.array([*(high - low), 0.4 * u])
        middle = base + axes[:, :2] @ ((low + high) / 2.0) - 0.2 * u * normal
        name = f"{'ground' if body == GROUND else 'body'}/{contact.name}"
        to_origin = (base @ normal) * normal * plane.moves
        box = meshes.box(edges).moved(middle - to_origin, axes)
        lines = _grid(low, high, scene.planar, u).moved(base + 0.02 * u * normal - to_origin, axes)
        if plane.moves:
            found.lifted += [Lifted(name, contact, normal, mesh, tone) for mesh, tone in ((box, PALE), (lines, LINES))]
        else:
            found.fixed += [Part(name, body, mesh, tone) for mesh, tone in ((box, PALE), (lines, LINES))]
    return found


def _given(scene: Scene, name: str, height: Height, seen: Floats, margin: float, u: float, high_z: float) -> list[Part]:
    """The part of a given surface over which something rolls; a line of a planar mechanism."""
    low, high = seen[:, :2].min(axis=0) - margin, seen[:, :2].max(axis=0) + margin
    if scene.planar:
        low[1], high[1] = -3.0 * u, 3.0 * u + high_z
        return [Part(f"ground/{name}", GROUND, height_meshes.strip(height, low, high, u), LINES)]
    step = max(_round(10.0 * u), _round(float((high - low).max()) / MOST))
    raised = height_meshes.lines(height, low, high, step, 0.12 * u).moved(np.array([0.0, 0.0, 0.05 * u]))
    sheet = height_meshes.sheet(height, low, high, 0.1 * u)
    return [Part(f"ground/{name}", GROUND, mesh, tone) for mesh, tone in ((sheet, PALE), (raised, LINES))]


def _grid(low: Floats, high: Floats, planar: bool, u: float) -> meshes.Mesh:
    """Lines on a plane from `low` to `high` (2,), at whole multiples of 1, 2 or 5 times a power of ten, so that motion over it is seen."""
    step = max(_round(10.0 * u), _round(float((high - low).max()) / MOST))
    half = 0.12 * u
    pieces = []
    for k in (0,) if planar else (0, 1):
        for at in step * np.arange(np.ceil(low[k] / step), np.floor(high[k] / step) + 0.5):
            corners = np.array([[at - half, low[1 - k]], [at + half, low[1 - k]], [at + half, high[1 - k]], [at - half, high[1 - k]]])
            flat = np.column_stack([corners if k == 0 else corners[::-1, ::-1], np.zeros(4)])
            pieces.append(meshes.Mesh(flat, np.array([[0, 1, 2], [0, 2, 3]])))
    return meshes.join(*pieces) if pieces else meshes.Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64))


def _round(length: float) -> float:
    """1, 2 or 5 times a power of ten, not below."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(next(k for k in (1.0, 2.0, 5.0, 10.0) if k * power >= length * (1.0 - 1e-9)) * power)


def _place(poses: Motion, body: int, end: End) -> Floats:
    """A point (k, 3) in the axes of a body."""
    seen: Floats = np.einsum("tji,tj->ti", poses.rotation[:, body], poses.place(end) - poses.position[:, body])
    return seen
