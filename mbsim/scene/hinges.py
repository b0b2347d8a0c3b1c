"""Where hinges are drawn: on their axis beside what they hold, also where a model gives a point of the axis far away from that."""

from dataclasses import replace

import numpy as np

from mbsim.scene.read import GROUND, End, Floats, Joint, Scene
from mbsim.scene.sizes import attachments

BESIDE = 0.25  # of the way from the given point to the farthest of what it holds: nearer than that is beside


def with_hinges_beside(scene: Scene) -> Scene:
    """The scene with the points of such hinges moved along their axes, which moves nothing else.

    The steer axis of a bicycle may be given by its point on the road: the head is drawn at the handlebar all the same.
    """
    if scene.planar:
        return scene
    moved = {joint.name: place for joint in scene.joints if (place := _shift(scene, joint)) != 0.0}
    if not moved:
        return scene
    return replace(scene, joints=[_moved(joint, moved.get(joint.name, 0.0)) for joint in scene.joints])


def _moved(joint: Joint, shift: float) -> Joint:
    if shift == 0.0:
        return joint
    first, second = (End(end.body, end.point + shift * axes[2]) for end, axes in zip(joint.ends, joint.axes, strict=True))
    return replace(joint, ends=(first, second))


def _shift(scene: Scene, joint: Joint) -> float:
    """How far, m, along its axis a hinge between two moving bodies is drawn from its point; 0 where that is beside what it holds."""
    if joint.symbol != "hinge" or GROUND in (joint.ends[0].body, joint.ends[1].body):
        return 0.0
    centres, every = [], []
    for end, axes in zip(joint.ends, joint.axes, strict=True):
        held: list[Floats] = [np.zeros(3), *attachments(scene, end.body)]
        along = np.array([float((point - end.point) @ axes[2]) for point in held if not np.array_equal(point, end.point)])
        centres.append(-float(end.point @ axes[2]))
        every.append(along)
    reach = np.concatenate(every)
    size = float(np.abs(reach).max(initial=0.0))
    if size == 0.0 or (reach.min() < BESIDE * size and reach.max() > -BESIDE * size):
        return 0.0
    return min(centres, key=abs)
