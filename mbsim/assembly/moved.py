"""What assembling a start moved, body by body."""

from typing import NamedTuple

import numpy as np

from mbsim.assembly.lock_records import Poses
from mbsim.kernels import frame_columns as frame
from mbsim.model.schema import Model
from mbsim.system.system import Floats, System

MOVED = 1e-2  # of the mechanism's size: what is said body by body
NOWHERE = 1e-9  # of the mechanism's size: a shorter way is none
TURNED = 1e-2  # rad: it moves a point at the mechanism's size by as much
SHOWN = 4  # bodies with a sentence of their own


def poses(system: System, t: float, q: Floats) -> Poses:
    """The poses of the bodies of a system at (t, q)."""
    n_b = len(system.bodies)
    system.functions.residual(system.arrays, t, np.ascontiguousarray(q), np.zeros(system.n_holonomic))  # leaves them in `frames`
    f = system.arrays.frames[:n_b]
    if system.dimension == 3:
        axes = f[:, frame.SPACE_ATTITUDE : frame.SPACE_ATTITUDE + 9].reshape(n_b, 3, 3).copy()
        return Poses(f[:, frame.SPACE_POSITION : frame.SPACE_POSITION + 3].copy(), axes, np.zeros(n_b))
    angles = f[:, frame.PLANE_ANGLE].copy()
    centres, axes = np.zeros((n_b, 3)), np.zeros((n_b, 3, 3))
    centres[:, :2] = f[:, frame.PLANE_POSITION : frame.PLANE_POSITION + 2]
    axes[:, 0, 0] = axes[:, 1, 1] = np.cos(angles)
    axes[:, 1, 0], axes[:, 2, 2] = np.sin(angles), 1.0
    axes[:, 0, 1] = -axes[:, 1, 0]
    return Poses(centres, axes, angles)


class Moved(NamedTuple):
    """What assembly moved by more than MOVED and TURNED."""

    size: float  # of the mechanism, m; 0 where nothing is compared
    bodies: list[str]  # the farthest first
    notes: tuple[str, ...] = ()  # a sentence each


def find_moved(model: Model, system: System, t: float, given: Floats, found: Floats) -> Moved:
    """What assembly moved from the configuration `given` (n_q,) to the one `found` (n_q,) at t."""
    if not system.bodies or not (model.joints or system.n_holonomic):
        return Moved(0.0, [])
    before, after = poses(system, t, given), poses(system, t, found)
    points = _points(model, system)
    size = _size(system, points, after)
    if not 0.0 < size < np.inf:
        return Moved(0.0, [])
    way = np.array([np.linalg.norm(after.place(b, x) - before.place(b, x), axis=1).max() for b, x in enumerate(points)])
    turn = after.angles - before.angles if system.dimension == 2 else _turns(before.axes, after.axes)
    far = [b for b in np.argsort(-way, kind="stable") if way[b] > MOVED * size or abs(turn[b]) > TURNED]
    notes = [_sentence(system, b, way[b], size, before, after, turn[b]) for b in far[:SHOWN]]
    if more := [system.bodies[b] for b in far[SHOWN:]]:
        notes.append(f"assembly also moved {', '.join(more[:SHOWN])}{', ...' * (len(more) > SHOWN)} by more than 1 %; see `mbsim assemble`")
    return Moved(size, [system.bodies[b] for b in far], tuple(notes))


def share(part: float) -> str:
    """A part of the mechanism's size in words."""
    percent = 100.0 * part
    return f"{percent:.2g} % of the mechanism's size" if percent < 99.5 else f"{percent:.0f} % of the mechanism's size"


def _points(model: Model, system: System) -> list[Floats]:
    """The points (k, 3) of each body that matter, in its axes: its centre of mass, those named, and those of joints."""
    points = [[np.zeros(3), *(np.array([*x, 0.0][:3]) for x in model.bodies[name].points.values())] for name in system.bodies]
    for joint in system.joints:
        for body, point in ((joint.first, joint.first_point), (joint.second, joint.second_point)):
            if body >= 0:
                points[body].append(np.asarray(point))
    return [np.array(found) for found in points]


def _size(system: System, points: list[Floats], at: Poses) -> float:
    """The extent of the mechanism, m."""
    places = [at.place(b, x) for b, x in enumerate(points)]
    places += [np.array([point]) for j in system.joints for b, point in ((j.first, j.first_point), (j.second, j.second_point)) if b < 0]
    return float(np.linalg.norm(np.ptp(np.concatenate(places), axis=0)))


def _turns(before: Floats, after: Floats) -> Floats:
    """The angles (n_b,) of the rotations between attitudes (n_b, 3, 3), rad."""
    R = np.einsum("bij,bkj->bik", after, before)
    sine = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=-1)
    return np.asarray(np.arctan2(np.linalg.norm(sine, axis=-1), np.einsum("bii->b", R) - 1.0))


def _sentence(system: System, b: int, way: float, size: float, before: Poses, after: Poses, turn: float) -> str:
    d = system.dimension or 3
    start, end = (", ".join(f"{x if abs(x) > 1e-9 * size else 0.0:.6g}" for x in at.centres[b, :d]) for at in (before, after))
    turned = f", turned by {turn:.4g} rad"
    if d == 2:
        turned = f", angle {before.angles[b]:.6g} -> {after.angles[b]:.6g} rad"
    turned = turned if abs(turn) > TURNED * MOVED else ""
    if way <= NOWHERE * size:
        return f"assembly turned {system.bodies[b]}{turned.removeprefix(', turned')}"
    return f"assembly moved {system.bodies[b]} by up to {way:.3g} m, {share(way / size)}: centre of mass ({start}) -> ({end}){turned}"
