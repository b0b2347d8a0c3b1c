"""Where a cable runs: its straight parts between the circles that it touches, and the arcs about these.

The equations are those of `mbsim.kernels.strands`, of many poses at once.
"""

from itertools import pairwise

import numpy as np

from mbsim.scene.motion import Motion
from mbsim.scene.read import Bend, Cable, Floats
from mbsim.scene.turns import frame

ARC = 0.12  # rad between points of an arc


def span(first: Bend, second: Bend, poses: Motion) -> tuple[Floats, Floats]:
    """The ends (k, 3) of a straight part, in every pose."""
    a, b = poses.place(first.at), poses.place(second.at)
    if first.radius == 0.0 and second.radius == 0.0:
        return a, b
    about = first if first.radius != 0.0 else second
    z = poses.turn(about.at.body, about.axis)
    turned = np.sum(z * poses.turn(second.at.body, second.axis), axis=1) < 0.0
    R = np.full(len(a), second.radius) * np.where(turned & (first.radius != 0.0), -1.0, 1.0)
    w = b - a
    flat = w - np.sum(w * z, axis=1)[:, None] * z
    square, m = np.sum(flat * flat, axis=1), first.radius - R
    ell = np.sqrt(np.maximum(square - m * m, 0.0))
    u = (ell[:, None] * flat + m[:, None] * np.cross(z, flat)) / np.maximum(square, 1e-300)[:, None]
    n = np.cross(z, u)
    return a - first.radius * n, b - R[:, None] * n


def path(cable: Cable, pose: Motion) -> Floats:
    """Points (n, 3) along a cable in the only pose of a motion."""
    spans = [[end[0] for end in span(a, b, pose)] for a, b in pairwise(cable.bends)]
    found: list[Floats] = []
    for k, (start, end) in enumerate(spans):
        if k > 0:
            found += arc(cable.bends[k], pose, spans[k - 1][1], start)
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
