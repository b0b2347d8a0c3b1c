"""Where a cable runs: its straight parts between the circles that it touches, and the arcs about these.

The equations are those of the kind `strand` (`mbsim/elements/relative/strand.py`), of many poses at once.
"""

from itertools import pairwise

import numpy as np

from mbsim.scene.motion import Motion
from mbsim.scene.read import Bend, Cable, Floats
from mbsim.scene.turns import frame

STEPS = 8  # of Newton's method
TINY = 1e-300
ARC = 0.12  # rad between points of an arc


def spans(cable: Cable, poses: Motion) -> list[tuple[Floats, Floats]]:
    """The ends (k, 3) of all straight parts. At a circle that the cable has left, two of them meet half way."""
    found = [span(a, b, poses) for a, b in pairwise(cable.bends)]
    for n, bend in enumerate(cable.bends[1:-1]):
        if bend.lifts:
            (a, b), (c, d) = found[n : n + 2]
            away = bend.radius * _dot(poses.turn(bend.at.body, bend.axis), np.cross(b - a, d - c)) < 0.0
            found[n], found[n + 1] = (a, np.where(away, 0.5 * (a + d), b)), (np.where(away, 0.5 * (a + d), c), d)
    return found


def lying(cable: Cable, poses: Motion) -> list[tuple[int, Floats]]:
    """By which angle (k,), -pi .. pi, a cable lies on each circle between its ends that it does not leave, with the circle's place."""
    found, ways = [], [b - a for a, b in spans(cable, poses)]
    for n, bend in enumerate(cable.bends):
        if 0 < n < len(ways) and bend.radius != 0.0 and not bend.lifts:
            z = poses.turn(bend.at.body, bend.axis)
            u, w = (way - _dot(way, z) * z for way in ways[n - 1 : n + 1])
            found.append((n, np.arctan2(np.sign(bend.radius) * _dot(z, np.cross(u, w)), _dot(u, w))[:, 0]))
    return found


def span(first: Bend, second: Bend, poses: Motion) -> tuple[Floats, Floats]:
    """The ends (k, 3) of a straight part, in every pose."""
    a, b = poses.place(first.at), poses.place(second.at)
    if first.radius == 0.0 and second.radius == 0.0:
        return a, b
    about = first if first.radius != 0.0 else second
    z = poses.turn(about.at.body, about.axis)
    z_i, z_j = (poses.turn(bend.at.body, bend.axis) if bend.radius != 0.0 else z for bend in (first, second))
    R, S, w = first.radius, second.radius, b - a
    flat = w - _dot(w, z) * z
    m = R * np.sign(_dot(z_i, z)) - S * np.sign(_dot(z_j, z))
    square = _dot(flat, flat)
    u = (np.sqrt(np.maximum(square - m * m, 0.0)) * flat + m * np.cross(z, flat)) / np.maximum(square, TINY)
    e_i, e_j = (_unit(u - _dot(u, axis) * axis) for axis in (z_i, z_j))
    for _ in range(STEPS if R != 0.0 and S != 0.0 else 0):
        n_i, n_j = np.cross(z_i, e_i), np.cross(z_j, e_j)
        d = w - S * n_j + R * n_i
        p, q, r, s = -_dot(e_i, d), S * _dot(n_i, e_j), -R * _dot(n_j, e_i), -_dot(e_j, d)
        i, j, scale = _dot(n_i, d), _dot(n_j, d), p * s - q * r
        scale = np.where(np.abs(scale) > TINY, scale, np.inf)
        x, y = -(s * i - q * j) / scale, -(p * j - r * i) / scale
        e_i, e_j = np.cos(x) * e_i + np.sin(x) * n_i, np.cos(y) * e_j + np.sin(y) * n_j
    return a - R * np.cross(z_i, e_i), b - S * np.cross(z_j, e_j)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sum(a * b, axis=1, keepdims=True))


def _unit(a: Floats) -> Floats:
    return np.asarray(a / np.maximum(np.linalg.norm(a, axis=1, keepdims=True), TINY))


def path(cable: Cable, pose: Motion) -> Floats:
    """Points (n, 3) along a cable in the only pose of a motion."""
    straight = [(start[0], end[0]) for start, end in spans(cable, pose)]
    found: list[Floats] = []
    for k, (start, end) in enumerate(straight):
        if k > 0:
            found += arc(cable.bends[k], pose, straight[k - 1][1], start)
        found += [start, end]
    return np.array(found)


def arc(bend: Bend, pose: Motion, start: Floats, end: Floats) -> list[Floats]:
    """Points between two of a circle, in the sense of the cable; none of an eyelet."""
    if bend.radius == 0.0:
        return []
    centre, axes = pose.place(bend.at)[0], frame(pose.turn(bend.at.body, bend.axis)[0])
    x, y = (np.array([(point - centre) @ axes[:, c] for point in (start, end)]) for c in (0, 1))
    first, last = np.arctan2(y, x)
    sense = float(np.sign(bend.radius))
    turn = sense * ((sense * (last - first)) % (2.0 * np.pi))
    angles = first + np.linspace(0.0, turn, 2 + int(abs(turn) / ARC))[1:-1]
    return [centre + abs(bend.radius) * (np.cos(angle) * axes[:, 0] + np.sin(angle) * axes[:, 1]) for angle in angles]


def rim(bend: Bend, pose: Motion, count: int = 65) -> Floats:
    """The circle (count, 3) in the only pose of a motion, closed."""
    axes = frame(pose.turn(bend.at.body, bend.axis)[0])
    angles = np.linspace(0.0, 2.0 * np.pi, count)
    around = np.outer(np.cos(angles), axes[:, 0]) + np.outer(np.sin(angles), axes[:, 1])
    return np.asarray(pose.place(bend.at)[0] + abs(bend.radius) * around)
