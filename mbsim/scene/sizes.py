"""Sizes of symbols and solids, from the mechanism's own."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from mbsim.scene.motion import Motion, find_drawn
from mbsim.scene.read import GROUND, End, Floats, Scene
from mbsim.scene.spans import rim

APART = 1e-6  # of the mechanism's size; nearer points are one


class Sizes(NamedTuple):
    """Lengths in m."""

    extent: float  # of the mechanism: the diagonal of the box around it
    link: float  # half the width of a link
    same: float  # points nearer than this are one


def attachments(scene: Scene, body: int, corners: bool = True) -> list[Floats]:
    """The points (3,) of a body where something is fastened: joints, springs, contacts, and its named points.

    Without `corners` those are left out by which it touches and which are no centres of balls or disks.
    """
    found = [end.point for joint in scene.joints if joint.symbol for end in joint.ends if end.body == body]
    found += [end.point for force in scene.forces if len(force.ends) == 2 for end in force.ends if end.body == body]
    found += [contact.at.point for contact in scene.contacts if contact.at.body == body and (corners or contact.radius > 0.0)]
    found += [bend.at.point for cable in scene.cables for bend in cable.bends if bend.at.body == body]
    if body == GROUND:
        return [*found, *scene.ground_points.values()]
    return [*found, *scene.bodies[body].points.values()]


def apart(points: list[Floats], same: float) -> list[Floats]:
    """The points without those that are nearer to an earlier one."""
    kept: list[Floats] = []
    for point in points:
        if all(np.linalg.norm(point - other) > same for other in kept):
            kept.append(point)
    return kept


def gyration(scene: Scene, body: int) -> float:
    """The largest radius of gyration of a body, m; 0 of one without mass."""
    given = scene.bodies[body]
    return float(np.sqrt(max(np.linalg.eigvalsh(given.inertia)[-1], 0.0) / given.mass)) if given.mass > 0.0 else 0.0


def sizes(scene: Scene, poses: Motion | None = None) -> Sizes:
    """The sizes of the mechanism in its first pose; without poses as the file draws it."""
    poses = poses or find_drawn(scene)
    unseen = {b for part in scene.elastic for b in part.carriers}
    bodies = [b for b in range(len(scene.bodies)) if b not in unseen]
    places = [poses.place(End(b, point))[0] for b in bodies for point in [np.zeros(3), *attachments(scene, b)]]
    places += [place for part in scene.elastic for place in poses.at(0).nodes(part)[0]]
    places += [poses.place(End(GROUND, point))[0] for point in attachments(scene, GROUND)]
    for contact in scene.contacts:
        centre = poses.place(contact.at)[0]
        places += [centre + contact.radius, centre - contact.radius]
    for bend in (bend for cable in scene.cables for bend in cable.bends if bend.radius != 0.0):
        places += list(rim(bend, poses.at(0), 9))
    extent = float(np.linalg.norm(np.ptp(np.array(places), axis=0)))
    lengths = []
    for b in bodies:
        points = apart([*attachments(scene, b), np.zeros(3)], APART * extent)
        lengths += [max(float(np.linalg.norm(p - r)) for p, r in combinations(points, 2))] if len(points) > 1 else []
    radii = [circle.radius for gear in scene.gears for circle in gear.circles]
    radii += [contact.radius for contact in scene.contacts if contact.radius > 0.0]
    if not lengths or extent <= 0.0:
        extent = max([extent, 2.0 * max(gyration(scene, b) for b in bodies), *(2.0 * r for r in radii)]) or 1.0
        lengths = [extent]
    shortest, median = min(length for length in lengths), float(np.median(lengths))
    link = min(max(0.045 * median, 0.007 * extent), 0.028 * extent, 0.16 * max(shortest, 0.1 * median))
    return Sizes(extent, link, APART * extent)
